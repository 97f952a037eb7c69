//go:build unix

package nightbell_test

import (
	"bytes"
	"context"
	"errors"
	"flag"
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"strings"
	"syscall"
	"testing"
	"time"

	nightbell "github.com/nightbell/nightbell/sdk-go"
	"github.com/nightbell/nightbell/sdk-go/nightbelltest"
)

func capture(c *nightbell.Client) { c.CaptureError(context.Background(), errors.New("no disk")) }

func forever() { time.Sleep(time.Minute) }

// How a program may end. TestMain runs these in a process of their own.
var endings = map[string]func(*nightbell.Client){
	"exit":        func(c *nightbell.Client) { capture(c); c.Exit(3) },
	"main error":  func(c *nightbell.Client) { c.Main(func() error { return errors.New("no disk") }) },
	"main panic":  func(c *nightbell.Client) { c.Main(func() error { panic("no disk") }) },
	"main return": func(c *nightbell.Client) { c.Main(func() error { capture(c); return nil }) },
	"goroutine": func(c *nightbell.Client) {
		c.Go(context.Background(), func(context.Context) { panic("no disk") })
		forever()
	},
	"crash":   func(*nightbell.Client) { go func() { panic("no disk") }(); forever() },
	"sigterm": func(c *nightbell.Client) { c.HandleSignals(); capture(c); terminate(); forever() },
	"nothing": func(c *nightbell.Client) { time.Sleep(100 * time.Millisecond); c.Exit(0) },
}

func TestMain(m *testing.M) {
	ending := endings[os.Getenv("NIGHTBELL_TEST_ENDING")]
	if ending == nil {
		flag.Parse()
		_ = flag.Set("test.parallel", "16") // they wait for other processes
		os.Exit(m.Run())
	}
	client, err := nightbell.New(nightbell.Config{Debug: nightbell.Set(false)})
	if err != nil {
		panic(err)
	}
	ending(client)
}

func terminate() { _ = syscall.Kill(os.Getpid(), syscall.SIGTERM) }

// end runs a program to its end and says how it ended and how long that took.
func end(t *testing.T, name, url, spool string) (state *os.ProcessState, output string, took time.Duration) {
	t.Helper()
	program := exec.CommandContext(t.Context(), os.Args[0])
	program.Env = append(os.Environ(), "NIGHTBELL_TEST_ENDING="+name, "NIGHTBELL_SERVICE_KEY=nbs_test000000000000000000",
		"NIGHTBELL_BASE_URL="+url, "NIGHTBELL_ENVIRONMENT=production", "NIGHTBELL_SPOOL_DIR="+spool)
	var out bytes.Buffer
	program.Stderr = &out
	start := time.Now()
	_ = program.Run()
	return program.ProcessState, out.String(), time.Since(start)
}

func TestEveryEndDeliversWithItsOwnExitCode(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		name   string
		code   int
		signal syscall.Signal
		output string
	}{
		{name: "exit", code: 3},
		{name: "main error", code: 1, output: "no disk\n"},
		{name: "main panic", code: 2, output: "panic: no disk"},
		{name: "main return", code: 0},
		{name: "goroutine", code: 2, output: "panic: no disk"},
		{name: "sigterm", code: -1, signal: syscall.SIGTERM},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			wire := &nightbelltest.Wire{}
			server := httptest.NewServer(wire)
			defer server.Close()
			dir := t.TempDir()
			state, output, _ := end(t, c.name, server.URL, dir)
			status, _ := state.Sys().(syscall.WaitStatus)
			if state.ExitCode() != c.code || (c.signal != 0 && status.Signal() != c.signal) || !strings.Contains(output, c.output) {
				t.Errorf("%v\n%s", state, output)
			}
			end(t, "nothing", server.URL, dir) // the next start adds nothing
			oneIncident(t, wire)
		})
	}
}

func TestACrashIsReportedAtTheNextStartOnce(t *testing.T) {
	t.Parallel()
	wire := &nightbelltest.Wire{}
	server := httptest.NewServer(wire)
	defer server.Close()
	dir := t.TempDir()
	state, output, _ := end(t, "crash", server.URL, dir)
	if state.ExitCode() != 2 || !strings.Contains(output, "panic: no disk") {
		t.Errorf("%v\n%s", state, output)
	}
	end(t, "nothing", server.URL, dir)
	end(t, "nothing", server.URL, dir)
	oneIncident(t, wire)
	event := wire.Events()[0]
	if event["title"] != "panic: no disk" || !strings.Contains(at[string](t, event, "error", "exceptions", 0, "frames", 0, "function"), "func") {
		t.Errorf("event %v", event)
	}
}

func TestASilentServerDelaysTheEndByTwoSeconds(t *testing.T) {
	t.Parallel()
	wait := make(chan struct{})
	server := httptest.NewServer(http.HandlerFunc(func(http.ResponseWriter, *http.Request) { <-wait }))
	t.Cleanup(server.Close)
	t.Cleanup(func() { close(wait) })
	_, _, alone := end(t, "nothing", "", t.TempDir())
	for name, code := range map[string]int{"exit": 3, "main panic": 2, "sigterm": -1} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			state, output, took := end(t, name, server.URL, t.TempDir())
			if state.ExitCode() != code {
				t.Errorf("%v\n%s", state, output)
			}
			if delay := took - alone; delay > 2500*time.Millisecond {
				t.Errorf("ended %v later", delay)
			}
		})
	}
}
