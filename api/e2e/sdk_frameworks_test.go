//go:build e2e

package e2e

import (
	"fmt"
	"net/http"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"sync"
	"syscall"
	"testing"
)

// framework is an example that serves on PORT. Its GET /orders/<id> fails with "order <id>:
// the database is away" for the user of the header X-User.
type framework struct {
	name string
	// command starts it.
	command []string
	// operation is the route as the framework writes it, severity that of its incident.
	operation, severity string
}

// TestSDKFrameworks: every framework with its true server, and the real Nightbell.
func TestSDKFrameworks(t *testing.T) {
	w := newSDKWorld(t)
	for _, f := range append(oneFrameworkEach(t), otherFrameworks(t)...) {
		t.Run(f.name, func(t *testing.T) { f.serves(t, w) })
	}
}

// oneFrameworkEach are those that need nothing built but what languages builds.
func oneFrameworkEach(t *testing.T) []framework {
	t.Helper()
	var all []framework
	for n, l := range languages(t) {
		f := []framework{
			{name: "net-http", operation: "GET /orders/{id}", severity: "medium"}, // captured by the handler
			{name: "express", operation: "GET /orders/:id", severity: "high"},
			{name: "flask", operation: "GET /orders/<id>", severity: "high"},
		}[n]
		f.command = l.example(f.name)
		all = append(all, f)
	}
	return all
}

// otherFrameworks builds those that have modules or a compiler of their own.
func otherFrameworks(t *testing.T) []framework {
	t.Helper()
	built, node, python := t.TempDir(), program(t, "Node.js", "node"), fromRoot(t, ".tools/python/bin/python")
	do(t, fromRoot(t, "sdk-go"), "./modules.sh", "bash", "-c", `go build -o "`+built+`/$(basename "$PWD")/" ./...`)
	nest := fromRoot(t, "sdk-node/build/nestjs.js")
	do(t, fromRoot(t, "sdk-node"), "node_modules/.bin/esbuild", "examples/nestjs.ts", "--tsconfig=tsconfig.test.json", "--format=esm", "--outfile="+nest)
	next := filepath.Join(built, "next")
	do(t, fromRoot(t, "sdk-node/examples"), "cp", "-R", "next", next)
	do(t, next, "mkdir", "-p", "node_modules/@nightbell/node")
	do(t, next, "cp", "-R", fromRoot(t, "sdk-node/package.json"), fromRoot(t, "sdk-node/dist"), "node_modules/@nightbell/node")
	do(t, next, "node_modules/.bin/next", "build")

	serving := func(name string) []string {
		return []string{python, fromRoot(t, "sdk-python/examples/"+name+"/main.py")}
	}
	serves := func(name string) []string { return []string{node, fromRoot(t, "sdk-node/examples/"+name+".js")} }
	return []framework{
		{"chi", []string{filepath.Join(built, "chi", "chi")}, "GET /orders/{id}", "medium"},
		{"gin", []string{filepath.Join(built, "nightbellgin", "example")}, "GET /orders/:id", "medium"},
		{"echo", []string{filepath.Join(built, "nightbellecho", "example")}, "GET /orders/:id", "medium"},
		{"fiber", []string{filepath.Join(built, "nightbellfiber", "example")}, "GET /orders/:id", "medium"},
		{"koa", serves("koa"), "GET /orders/:id", "high"},
		{"fastify", serves("fastify"), "GET /orders/:id", "high"},
		{"nestjs", []string{node, nest}, "GET /orders/:id", "high"},
		{"next", []string{node, next + "/node_modules/next/dist/bin/next", "start", next}, "GET /orders/[id]", "high"},
		{"django", serving("django"), "GET /orders/<id>", "high"},
		{"fastapi", serving("fastapi"), "GET /orders/{id}", "high"},
		{"tornado", serving("tornado"), "GET /orders/(.*)", "high"},
		{"pyramid", serving("pyramid"), "GET /orders/{id}", "high"},
	}
}

// do runs a command that prepares something.
func do(t *testing.T, dir string, command ...string) {
	t.Helper()
	cmd := exec.CommandContext(t.Context(), command[0], command[1:]...)
	cmd.Dir = dir
	if text, err := cmd.CombinedOutput(); err != nil {
		t.Fatalf("%v: %v\n%s", command, err, text)
	}
}

// requestsAtOnce are made to each framework.
const requestsAtOnce = 40

// serves starts the application before the real server: what goes wrong is one incident, each
// time with its own user, and what the application refuses is none.
func (f framework) serves(t *testing.T, w *sdkWorld) {
	t.Helper()
	serviceID, key := w.service(t)
	d := openDoor(t, w.server.url)
	address := freeAddress(t)
	app := "http://" + address
	program := run(t, f.command, credentials(d, key, "PORT="+address[strings.LastIndex(address, ":")+1:])...)
	eventually(t, f.name, func() error {
		program.mustRun()
		status, err := ask(t, app+"/nothing", "")
		if err == nil && status != http.StatusNotFound {
			t.Fatalf("a page that does not exist: %d", status)
		}
		return err
	})
	var all sync.WaitGroup
	for n := range requestsAtOnce {
		all.Go(func() {
			status, err := ask(t, fmt.Sprintf("%s/orders/%d", app, n), "user-"+strconv.Itoa(n))
			if err != nil || status != http.StatusInternalServerError {
				t.Errorf("order %d: %d %v", n, status, err)
			}
		})
	}
	all.Wait()
	program.tell(syscall.SIGTERM) // some of it still waits
	program.wait(t.Context())

	found := w.incidents(t, serviceID)
	if len(found) != 1 || !strings.Contains(found[0].Title, "the database is away") || found[0].Severity != f.severity {
		t.Fatalf("incidents %+v\n%s", found, program.complaints())
	}
	events := d.events()
	if count := w.occurrences(t, found[0].ID); count != requestsAtOnce || len(events) != requestsAtOnce {
		t.Errorf("%d occurrences of %d, %d events", count, requestsAtOnce, len(events))
	}
	for _, event := range events {
		user, _ := event["user"].(map[string]any)
		id, _ := user["id"].(string)
		title, _ := event["title"].(string)
		if !strings.Contains(title, "order "+strings.TrimPrefix(id, "user-")+":") || event["operation"] != f.operation {
			t.Errorf("event %q of %v: %v", title, user, event["operation"])
		}
	}
}

// ask makes a request as a user.
func ask(t *testing.T, url, user string) (status int, err error) {
	t.Helper()
	request, err := http.NewRequestWithContext(t.Context(), http.MethodGet, url, http.NoBody)
	if err != nil {
		return 0, err
	}
	request.Header.Set("X-User", user)
	response, err := http.DefaultClient.Do(request)
	if err != nil {
		return 0, err
	}
	_ = response.Body.Close()
	return response.StatusCode, nil
}
