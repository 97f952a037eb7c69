//go:build e2e

package e2e

import (
	"errors"
	"fmt"
	"math/rand/v2"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"syscall"
	"testing"
	"time"
)

// stopLimit is how long a program may take to end after SIGTERM.
const stopLimit = 20 * time.Second

// process is a program under way. Its output is in out/<test>/<name>.log.
type process struct {
	name string
	cmd  *exec.Cmd
	log  string
	done chan struct{}
	err  error
}

// start runs a program until stop, or the end of the test.
func start(t *testing.T, name string, cmd *exec.Cmd) *process {
	t.Helper()
	p := &process{name: name, cmd: cmd, log: filepath.Join(outDir(t), name+".log"), done: make(chan struct{})}
	file, err := os.OpenFile(p.log, os.O_CREATE|os.O_WRONLY|os.O_APPEND, 0o644)
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = file.Close() }()
	if cmd.Stdout == nil {
		cmd.Stdout = file
	}
	cmd.Stderr = file
	if err := cmd.Start(); err != nil {
		t.Fatalf("start %s: %v", name, err)
	}
	go func() {
		p.err = cmd.Wait()
		close(p.done)
	}()
	t.Cleanup(func() { p.end(t) })
	return p
}

// stop asks the program to end, and fails the test unless it ends by itself, without
// an error, within stopLimit. It returns how long that took.
func (p *process) stop(t *testing.T) time.Duration {
	t.Helper()
	began := time.Now()
	p.end(t)
	took := time.Since(began)
	if p.err != nil {
		t.Errorf("%s ended with %v after SIGTERM; its log is %s", p.name, p.err, p.log)
	}
	return took
}

// end ends the program, whatever it takes.
func (p *process) end(t *testing.T) {
	t.Helper()
	if err := p.cmd.Process.Signal(syscall.SIGTERM); err != nil && !errors.Is(err, os.ErrProcessDone) {
		t.Errorf("stop %s: %v", p.name, err)
	}
	select {
	case <-p.done:
	case <-time.After(stopLimit):
		t.Errorf("%s did not end within %s of SIGTERM; its log is %s", p.name, stopLimit, p.log)
		_ = p.cmd.Process.Kill()
		<-p.done
	}
}

// awaitReady waits until ready holds, and fails the test when the program ends first.
func (p *process) awaitReady(t *testing.T, limit time.Duration, ready func() bool) {
	t.Helper()
	deadline := time.After(limit)
	for !ready() {
		select {
		case <-p.done:
			t.Fatalf("%s ended while starting (%v); its log is %s", p.name, p.err, p.log)
		case <-deadline:
			t.Fatalf("%s was not ready after %s; its log is %s", p.name, limit, p.log)
		case <-time.After(5 * time.Millisecond):
		}
	}
}

// outDir is where the test leaves what a person may want to look at.
func outDir(t *testing.T) string {
	t.Helper()
	dir, err := filepath.Abs(filepath.Join("out", t.Name()))
	if err != nil {
		t.Fatal(err)
	}
	if err := os.MkdirAll(dir, 0o755); err != nil {
		t.Fatal(err)
	}
	return dir
}

// program finds an installed program, or says how to install it.
func program(t *testing.T, what string, names ...string) string {
	t.Helper()
	for _, name := range names {
		if path, err := exec.LookPath(name); err == nil {
			return path
		}
	}
	t.Fatalf("%s was not found on this machine. Run: make deps", what)
	return ""
}

// freeAddress is an address of the loopback that nobody listens on. Its port is below
// those that systems hand out by themselves, so that it is still free a minute later.
func freeAddress(t *testing.T) string {
	t.Helper()
	for range 100 {
		address := fmt.Sprintf("127.0.0.1:%d", 20_000+rand.IntN(10_000))
		listener, err := (&net.ListenConfig{}).Listen(t.Context(), "tcp", address)
		if err == nil {
			_ = listener.Close()
			return address
		}
	}
	t.Fatal("no free port was found between 20000 and 30000")
	return ""
}

// eventually waits until a look succeeds; otherwise it fails the test with what the
// last look said. The limit is only there to end a broken run.
func eventually(t *testing.T, what string, look func() error) {
	t.Helper()
	var err error
	for deadline := time.Now().Add(20 * time.Second); time.Now().Before(deadline); time.Sleep(20 * time.Millisecond) {
		if err = look(); err == nil {
			return
		}
	}
	t.Fatalf("%s: %v", what, err)
}
