//go:build e2e

package e2e

import (
	"bytes"
	"context"
	"errors"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"
)

// language is an SDK, and how programs that use it are started.
type language struct {
	name string
	// program is the command of scenario, or of an example.
	scenario []string
	example  func(name string) []string
}

// languages builds what has to be built, and finds the rest.
func languages(t *testing.T) []language {
	t.Helper()
	built := t.TempDir()
	build := exec.CommandContext(t.Context(), "go", "build", "-o", built, "./internal/e2e/scenario", "./examples/...")
	build.Dir = fromRoot(t, "sdk-go")
	if text, err := build.CombinedOutput(); err != nil {
		t.Fatalf("building the programs in Go: %v\n%s", err, text)
	}
	if _, err := os.Stat(fromRoot(t, "sdk-node/dist/esm/index.js")); err != nil {
		t.Fatalf("the Node client is not built (%v). Run this by: make test-sdk-server", err)
	}
	python := fromRoot(t, ".tools/python/bin/python")
	if _, err := os.Stat(python); err != nil {
		t.Fatalf("Python's tools are not installed (%v). Run this by: make test-sdk-server", err)
	}
	node := program(t, "Node.js", "node")
	return []language{
		{
			"go",
			[]string{filepath.Join(built, "scenario")},
			func(name string) []string { return []string{filepath.Join(built, name)} },
		},
		{
			"node",
			[]string{node, fromRoot(t, "sdk-node/test/scenario.mjs")},
			func(name string) []string { return []string{node, fromRoot(t, "sdk-node/examples/"+name+".js")} },
		},
		{
			"python",
			[]string{python, fromRoot(t, "sdk-python/tests/scenario.py")},
			func(name string) []string {
				if path := fromRoot(t, "sdk-python/examples/"+name+"/main.py"); exists(path) {
					return []string{python, path}
				}
				return []string{python, fromRoot(t, "sdk-python/examples/"+name+".py")}
			},
		},
	}
}

// fromRoot is a path in this repository.
func fromRoot(t *testing.T, path string) string {
	t.Helper()
	whole, err := filepath.Abs("../../" + path)
	if err != nil {
		t.Fatal(err)
	}
	return whole
}

func exists(path string) bool {
	_, err := os.Stat(path)
	return err == nil
}

// running is a program that uses an SDK.
type running struct {
	t     *testing.T
	cmd   *exec.Cmd
	stdin io.WriteCloser
	done  chan struct{}
	ended time.Time

	mu     sync.Mutex
	stdout bytes.Buffer
	last   time.Time // something was written to stdout
	stderr bytes.Buffer
}

// run starts a program with an environment of its own, in production.
func run(t *testing.T, command []string, settings ...string) *running {
	t.Helper()
	r := &running{t: t, cmd: exec.Command(command[0], command[1:]...), done: make(chan struct{})}
	r.cmd.Dir = fromRoot(t, "sdk-node")
	r.cmd.Env = append([]string{
		"PATH=" + os.Getenv("PATH"), "HOME=" + os.Getenv("HOME"), "TMPDIR=" + os.TempDir(), "NIGHTBELL_ENVIRONMENT=production",
		"PYTHONPATH=" + fromRoot(t, "sdk-python/src"), "PYTHONDONTWRITEBYTECODE=1",
	}, settings...)
	r.cmd.Stdout, r.cmd.Stderr = writer(r.fromStdout), writer(r.fromStderr)
	stdin, err := r.cmd.StdinPipe()
	if err != nil {
		t.Fatal(err)
	}
	r.stdin = stdin
	r.last = time.Now()
	if err := r.cmd.Start(); err != nil {
		t.Fatal(err)
	}
	go func() {
		_ = r.cmd.Wait()
		r.ended = time.Now()
		close(r.done)
	}()
	t.Cleanup(func() {
		_ = r.cmd.Process.Kill()
		<-r.done
	})
	return r
}

type writer func([]byte)

func (w writer) Write(part []byte) (int, error) {
	w(part)
	return len(part), nil
}

func (r *running) fromStdout(part []byte) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.stdout.Write(part)
	r.last = time.Now()
}

func (r *running) fromStderr(part []byte) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.stderr.Write(part)
}

func (r *running) output() string {
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.stdout.String()
}

func (r *running) complaints() string {
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.stderr.String()
}

// lines waits until the program wrote so many lines.
func (r *running) lines(n int) []string {
	r.t.Helper()
	eventually(r.t, strings.Join(r.cmd.Args, " "), func() error {
		if strings.Count(r.output(), "\n") >= n {
			return nil
		}
		r.mustRun()
		return errors.New("it wrote " + r.output() + r.complaints())
	})
	return strings.Split(strings.TrimSpace(r.output()), "\n")
}

// mustRun fails the test when the program has ended.
func (r *running) mustRun() {
	r.t.Helper()
	select {
	case <-r.done:
		r.t.Fatalf("%v ended with %v: %s%s", r.cmd.Args, r.cmd.ProcessState, r.output(), r.complaints())
	default:
	}
}

// tell sends a signal.
func (r *running) tell(signal syscall.Signal) { _ = r.cmd.Process.Signal(signal) }

// finish ends the program's input.
func (r *running) finish() { _ = r.stdin.Close() }

// wait waits for the end, and returns the exit code (128 and more for a signal) and how
// long the end took since the program last wrote something.
func (r *running) wait(ctx context.Context) (code int, delay time.Duration) {
	r.t.Helper()
	select {
	case <-r.done:
	case <-ctx.Done():
		r.t.Fatalf("%v did not end: %s%s", r.cmd.Args, r.output(), r.complaints())
	}
	status, _ := r.cmd.ProcessState.Sys().(syscall.WaitStatus)
	if status.Signaled() {
		return 128 + int(status.Signal()), r.ended.Sub(r.last)
	}
	return status.ExitStatus(), r.ended.Sub(r.last)
}
