//go:build e2e

package e2e

import (
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"
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

// TestSDKFrameworks: every framework with its true server, and the real Nightbell. What is numbered
// are the nine cases that each must pass; 7, a BeforeSend that fails, is in the suite of each SDK.
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

// secret is in the query and the headers of every request, and must never leave the application.
const secret = "hunter2hunter2"

// A round is one run of an application, and what it did to its requests.
type round struct {
	answers []answerSeen // of /orders/<n>
	refused answerSeen   // of a page that does not exist
	door    *door
	program *running
	delay   time.Duration // from SIGTERM to the end
}

// answerSeen is what a client of an application sees.
type answerSeen struct {
	status int
	format string
	body   string
}

// serves runs the application three times, and compares: with the real server, with the client
// disabled, and with a server that takes everything and answers nothing.
func (f framework) serves(t *testing.T, w *sdkWorld) {
	t.Helper()
	serviceID, key := w.service(t)
	with := f.round(t, openDoor(t, w.server.url), key)
	found, events := w.incidents(t, serviceID), with.door.events()

	for _, c := range []struct {
		description string
		holds       func(t *testing.T)
	}{
		{"1 an unhandled error is one event, and all of one problem one incident", func(t *testing.T) {
			if len(found) != 1 || !strings.Contains(found[0].Title, "the database is away") || found[0].Severity != f.severity {
				t.Fatalf("incidents %+v\n%s", found, with.program.complaints())
			}
			if count := w.occurrences(t, found[0].ID); count != requestsAtOnce || len(events) != requestsAtOnce {
				t.Errorf("%d occurrences of %d, %d events", count, requestsAtOnce, len(events))
			}
		}},
		{"2 what the application refuses is none", func(t *testing.T) {
			if with.refused.status != http.StatusNotFound {
				t.Errorf("a page that does not exist: %+v", with.refused)
			}
			for _, event := range events {
				if title, _ := event["title"].(string); !strings.Contains(title, "order ") {
					t.Errorf("event %q", title)
				}
			}
		}},
		{"3 answers are the same without the client", func(t *testing.T) {
			without := f.round(t, openDoor(t, w.server.url), key, "NIGHTBELL_DISABLED=true")
			if without.refused != with.refused {
				t.Errorf("a page that does not exist: %+v, without %+v", with.refused, without.refused)
			}
			for n := range requestsAtOnce {
				if with.answers[n] != without.answers[n] {
					t.Errorf("order %d: %+v, without %+v", n, with.answers[n], without.answers[n])
				}
			}
			if sent := without.door.seen(); len(sent) != 0 {
				t.Errorf("a client that is disabled sent %+v", sent)
			}
		}},
		{"4 and 5 each has its own user, and the route and method of the request", func(t *testing.T) {
			for _, event := range events {
				user, _ := event["user"].(map[string]any)
				id, _ := user["id"].(string)
				title, _ := event["title"].(string)
				if !strings.Contains(title, "order "+strings.TrimPrefix(id, "user-")+":") || event["operation"] != f.operation {
					t.Errorf("event %q of %v: %v", title, user, event["operation"])
				}
			}
		}},
		{"6 automatic capture beside the middleware sends none twice", func(t *testing.T) {
			seen := map[any]bool{}
			for _, event := range events { // production captures by itself
				if seen[event["title"]] {
					t.Errorf("%v came under two ids", event["title"])
				}
				seen[event["title"]] = true
			}
		}},
		{"8 no secret of a query or a header leaves", func(t *testing.T) {
			sent, err := json.Marshal(events)
			if err != nil || strings.Contains(string(sent), secret) {
				t.Errorf("%s %v", sent, err)
			}
		}},
		{"9 a silent server holds up neither requests nor the end", func(t *testing.T) {
			silence := f.round(t, openDoor(t, w.server.url, fault{silent: true, until: time.Now().Add(time.Hour)}), key)
			for n := range requestsAtOnce {
				if silence.answers[n] != with.answers[n] {
					t.Errorf("order %d: %+v, otherwise %+v", n, silence.answers[n], with.answers[n])
				}
			}
			if silence.delay > exitLimit {
				t.Errorf("it ended %s after SIGTERM", silence.delay)
			}
		}},
	} {
		t.Run(c.description, c.holds)
	}
}

// round starts the application and makes its requests all at once.
func (f framework) round(t *testing.T, d *door, key string, settings ...string) round {
	t.Helper()
	address := freeAddress(t)
	app := "http://" + address
	port := "PORT=" + address[strings.LastIndex(address, ":")+1:]
	r := round{door: d, answers: make([]answerSeen, requestsAtOnce), program: run(t, f.command, credentials(d, key, append(settings, port)...)...)}
	eventually(t, f.name, func() (err error) {
		r.program.mustRun()
		r.refused, err = ask(t, app+"/nothing", "")
		return err
	})
	var all sync.WaitGroup
	for n := range requestsAtOnce {
		all.Go(func() {
			answer, err := ask(t, fmt.Sprintf("%s/orders/%d?token=%s", app, n, secret), "user-"+strconv.Itoa(n))
			if err != nil || answer.status != http.StatusInternalServerError {
				t.Errorf("order %d: %+v %v", n, answer, err)
			}
			r.answers[n] = answer
		})
	}
	all.Wait()
	told := time.Now()
	r.program.tell(syscall.SIGTERM) // some of it still waits
	r.program.wait(t.Context())
	r.delay = r.program.ended.Sub(told)
	return r
}

// ask makes a request as a user.
func ask(t *testing.T, url, user string) (answerSeen, error) {
	t.Helper()
	request, err := http.NewRequestWithContext(t.Context(), http.MethodGet, url, http.NoBody)
	if err != nil {
		return answerSeen{}, err
	}
	request.Header.Set("X-User", user)
	request.Header.Set("Authorization", "Bearer "+secret)
	request.Header.Set("Cookie", "session="+secret)
	response, err := http.DefaultClient.Do(request)
	if err != nil {
		return answerSeen{}, err
	}
	defer func() { _ = response.Body.Close() }()
	body, err := io.ReadAll(response.Body)
	return answerSeen{response.StatusCode, response.Header.Get("Content-Type"), string(body)}, err
}
