//go:build e2e

package e2e

import (
	"context"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"net/http/httputil"
	"net/url"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"go.yaml.in/yaml/v3"

	"github.com/nightbell/nightbell/api/gen/openapi"
)

// shownCall is a call as a page of the API reference shows it.
type shownCall struct {
	method, path string
	// blocks are its code, by language.
	blocks map[string]string
	// statuses are the answers that the OpenAPI document gives to it when all is well.
	statuses []int
}

func (c shownCall) name() string { return c.method + " " + c.path }

// languagesOfCalls is how each is run from its file, without a shell's start-up files.
var languagesOfCalls = []string{"sh", "js", "py", "go"}

// refusedCalls have no language model to ask, and say so; a page says so too.
var refusedCalls = map[string]int{
	"GET /v1/ai/incidents/{id}/context":  http.StatusNotFound,
	"GET /v1/ai/incidents/{id}/summary":  http.StatusNotFound,
	"POST /v1/ai/incidents/{id}/context": http.StatusConflict,
	"POST /v1/ai/incidents/{id}/refresh": http.StatusConflict,
	"POST /v1/ai/incidents/{id}/summary": http.StatusConflict,
}

// TestDocsCalls takes every block from the pages /docs/api/... as the server sends them, runs it
// unchanged against that server, and expects the answer that the OpenAPI document promises.
func TestDocsCalls(t *testing.T) {
	server := serveDemo(t)
	calls := shownCalls(t, server.url)
	programs := build(t, calls)
	posting, mail := servePosting(t)
	for _, language := range languagesOfCalls {
		t.Run(language, func(t *testing.T) {
			inside, outside := newReader(t, server.url, language), newReader(t, posting.url, language)
			outside.mail = mail
			for _, call := range calls {
				if call.path == "/v1/installation/confirm" {
					continue // of a copy only: TestDocsRestore
				}
				t.Run(strings.ReplaceAll(call.name(), "/", " "), func(t *testing.T) {
					code := call.blocks[language]
					if !strings.Contains(code, "NIGHTBELL_BASE_URL") {
						return // an example of a client library, executed by TestSDK
					}
					reader := inside
					if call.path == "/v1/auth/forgot-password" || call.path == "/v1/auth/reset-password" {
						reader = outside
					}
					reader.prepare(t, call)
					settings := []string{"NIGHTBELL_BASE_URL=" + reader.url}
					for _, variable := range variablesOf(code) {
						if variable != "NIGHTBELL_BASE_URL" {
							settings = append(settings, variable+"="+reader.fill(t, call, variable))
						}
					}
					runCall(t, call, reader.door, programs.command(t, call, language), settings)
				})
			}
		})
	}
}

// runCall runs a block until it ends, or until its endless answer has begun.
func runCall(t *testing.T, call shownCall, door *recorder, command *exec.Cmd, settings []string) {
	t.Helper()
	door.forget()
	command.Env = append([]string{"PATH=" + os.Getenv("PATH"), "HOME=" + t.TempDir(), "GOTRACEBACK=none"}, settings...)
	var output strings.Builder
	command.Stdout, command.Stderr = &output, &output
	command.SysProcAttr = &syscall.SysProcAttr{Setpgid: true}
	if err := command.Start(); err != nil {
		t.Fatal(err)
	}
	if call.path == "/v1/stream" {
		eventually(t, "the stream", func() error {
			if door.last().status == 0 {
				return fmt.Errorf("nothing was answered yet")
			}
			return nil
		})
		_ = syscall.Kill(-command.Process.Pid, syscall.SIGKILL) // and what a shell started
	}
	err := command.Wait()
	wanted, refused := call.statuses, false
	if status, ok := refusedCalls[call.name()]; ok {
		wanted, refused = []int{status}, true
	}
	got := door.last()
	if got.method != call.method || !matches(call.path, got.path) || !slices.Contains(wanted, got.status) {
		t.Fatalf("%s %s was answered %d, want %s with one of %v\n%s\n%s", got.method, got.path, got.status, call.name(), wanted, got.answer, output.String())
	}
	if err != nil && !refused && call.path != "/v1/stream" {
		t.Fatalf("%v\n%s", err, output.String())
	}
}

// matches reports whether a path is one of a pattern such as /v1/incidents/{id}.
func matches(pattern, path string) bool {
	quoted := regexp.MustCompile(`\\\{\w+\\\}`).ReplaceAllString(regexp.QuoteMeta(pattern), `[^/]+`)
	return regexp.MustCompile("^" + quoted + "$").MatchString(path)
}

func variablesOf(code string) []string {
	found := regexp.MustCompile(`\b(?:NIGHTBELL_[A-Z_]+|[A-Z][A-Z_]*(?:_ID|_AT|_NAME|_TOKEN|_FILE|_URL|PASSWORD)|EMAIL|PASSWORD|AT)\b`).FindAllString(code, -1)
	slices.Sort(found)
	return slices.Compact(found)
}

// shownCalls reads the pages, and compares them with the document: each of its calls is there,
// in every language.
func shownCalls(t *testing.T, base string) (calls []shownCall) {
	t.Helper()
	var document struct {
		Paths map[string]map[string]struct {
			Responses map[string]any `yaml:"responses"`
		} `yaml:"paths"`
	}
	if err := yaml.Unmarshal(openapi.YAML, &document); err != nil {
		t.Fatal(err)
	}
	index := fetch(t, base+"/docs/api.md")
	pages := regexp.MustCompile(`## \[[^\]]+\]\((/docs/api/[\w-]+)\)`).FindAllStringSubmatch(index, -1)
	heading := regexp.MustCompile("(?m)^## .+\n\n`([A-Z]+) (/\\S+)`$")
	fence := regexp.MustCompile("(?ms)^```(sh|js|py|go)\n(.*?)\n```$")
	for _, page := range pages {
		text := fetch(t, base+page[1]+".md")
		places := heading.FindAllStringSubmatchIndex(text, -1)
		for n, at := range places {
			end := len(text)
			if n+1 < len(places) {
				end = places[n+1][0]
			}
			call := shownCall{method: text[at[2]:at[3]], path: text[at[4]:at[5]], blocks: map[string]string{}}
			for _, block := range fence.FindAllStringSubmatch(text[at[1]:end], -1) {
				call.blocks[block[1]] = block[2]
			}
			for status := range document.Paths[call.path][strings.ToLower(call.method)].Responses {
				if code, err := strconv.Atoi(status); err == nil && code < http.StatusMultipleChoices {
					call.statuses = append(call.statuses, code)
				}
			}
			if len(call.blocks) != len(languagesOfCalls) || len(call.statuses) == 0 {
				t.Errorf("%s is shown in %d languages, and has the answers %v", call.name(), len(call.blocks), call.statuses)
			}
			calls = append(calls, call)
		}
	}
	documented := 0
	for _, methods := range document.Paths {
		for method := range methods {
			if slices.Contains([]string{"get", "head", "post", "put", "patch", "delete"}, method) {
				documented++
			}
		}
	}
	if len(calls) != documented {
		t.Fatalf("%d calls are shown, the document has %d", len(calls), documented)
	}
	return calls
}

// builtCalls are the blocks in files, those in Go as one program.
type builtCalls struct {
	folder string
	number map[string]int
}

// build writes each block to a file of its own. Only the clause of its package and the name of
// its main differ in Go: one program is linked instead of one for each call.
func build(t *testing.T, calls []shownCall) builtCalls {
	t.Helper()
	built := builtCalls{folder: t.TempDir(), number: map[string]int{}}
	var imports, cases strings.Builder
	for n, call := range calls {
		built.number[call.name()] = n
		for language, code := range call.blocks {
			name := fmt.Sprintf("call%d.%s", n, strings.Replace(language, "js", "mjs", 1))
			if language == "go" {
				if !strings.Contains(code, "NIGHTBELL_BASE_URL") {
					continue
				}
				code = strings.Replace(strings.Replace(code, "package main", fmt.Sprintf("package call%d", n), 1), "func main()", "func Main()", 1)
				name = fmt.Sprintf("call%d/call.go", n)
				_, _ = fmt.Fprintf(&imports, "\t\"docs/call%d\"\n", n)
				_, _ = fmt.Fprintf(&cases, "\tcase \"%d\":\n\t\tcall%d.Main()\n", n, n)
			}
			built.write(t, name, code)
		}
	}
	built.write(t, "go.mod", "module docs\n\ngo 1.26\n")
	built.write(t, "main.go", "package main\n\nimport (\n\t\"os\"\n\n"+imports.String()+")\n\nfunc main() {\n\tswitch os.Args[1] {\n"+cases.String()+"\t}\n}\n")
	do(t, built.folder, "go", "vet", "./...")
	do(t, built.folder, "go", "build", "-o", "calls", ".")
	return built
}

func (b builtCalls) write(t *testing.T, name, text string) {
	t.Helper()
	path := filepath.Join(b.folder, name)
	if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(path, []byte(text), 0o644); err != nil {
		t.Fatal(err)
	}
}

// command is what runs a call. No call takes longer than a minute.
func (b builtCalls) command(t *testing.T, call shownCall, language string) *exec.Cmd {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
	t.Cleanup(cancel)
	n := b.number[call.name()]
	file := func(ending string) string { return filepath.Join(b.folder, fmt.Sprintf("call%d.%s", n, ending)) }
	var words []string
	switch language {
	case "sh":
		words = []string{"bash", "-euo", "pipefail", file("sh")}
	case "js":
		words = []string{program(t, "Node.js", "node"), file("mjs")}
	case "py":
		words = []string{program(t, "Python", "python3"), file("py")}
	case "go":
		words = []string{filepath.Join(b.folder, "calls"), strconv.Itoa(n)}
	}
	return exec.CommandContext(ctx, words[0], words[1:]...)
}

// recorder stands before the server and keeps how the last request was answered. Each request
// comes from another address, because one address may not register a hundred accounts.
type recorder struct {
	url string

	mu      sync.Mutex
	kept    answered
	callers int
}

type answered struct {
	method, path, answer string
	status               int
}

func openRecorder(t *testing.T, inside string) *recorder {
	t.Helper()
	target, err := url.Parse(inside)
	if err != nil {
		t.Fatal(err)
	}
	r := &recorder{}
	proxy := &httputil.ReverseProxy{
		FlushInterval: -1,
		Rewrite: func(p *httputil.ProxyRequest) {
			p.SetURL(target)
			p.Out.Header.Set("X-Forwarded-For", r.address())
		},
		ModifyResponse: func(response *http.Response) error {
			got := answered{method: response.Request.Method, path: response.Request.URL.Path, status: response.StatusCode}
			if response.StatusCode >= http.StatusBadRequest {
				text, err := io.ReadAll(response.Body)
				if err != nil {
					return err
				}
				got.answer = string(text)
				response.Body = io.NopCloser(strings.NewReader(got.answer))
			}
			r.mu.Lock()
			defer r.mu.Unlock()
			r.kept = got
			return nil
		},
	}
	outside := httptest.NewServer(proxy)
	t.Cleanup(outside.Close)
	r.url = outside.URL
	return r
}

func (r *recorder) address() string {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.callers++
	return fmt.Sprintf("198.18.%d.%d", r.callers/250, r.callers%250+1)
}

func (r *recorder) forget() {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.kept = answered{}
}

func (r *recorder) last() answered {
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.kept
}

func fetch(t *testing.T, address string) string {
	t.Helper()
	response, err := http.Get(address)
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = response.Body.Close() }()
	text, err := io.ReadAll(response.Body)
	if err != nil || response.StatusCode != http.StatusOK {
		t.Fatalf("%s: %s %v", address, response.Status, err)
	}
	return string(text)
}
