//go:build chaos

package chaos

import (
	"context"
	"errors"
	"fmt"
	"io"
	"math/rand/v2"
	"net"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"
)

const (
	// startLimit and stopLimit end broken runs; neither is a bar.
	startLimit = 90 * time.Second
	stopLimit  = 40 * time.Second
	// graceBar is how long a stop may take (T60).
	graceBar = 20 * time.Second
)

// node is one Nightbell program. It can be started again at the same address after it
// ended, however it ended.
type node struct {
	t        *testing.T
	name     string
	binary   string
	address  string
	url      string
	dataDir  string
	settings []string
	log      string

	mu   sync.Mutex
	cmd  *exec.Cmd
	done chan struct{}
	err  error
}

// newNode prepares a program with its own data directory; start starts it. settings
// are environment variables beside those that keep it to itself.
func newNode(t *testing.T, name string, settings ...string) *node {
	t.Helper()
	n := &node{
		t: t, name: name, binary: fromEnvironment(t, "NIGHTBELL_BIN"), address: freeAddress(t), dataDir: emptyDir(t),
		settings: settings, log: filepath.Join(outDir(t), name+".log"),
	}
	n.url = "http://" + n.address
	t.Cleanup(func() {
		if n.running() {
			n.kill()
		}
	})
	return n
}

func fromEnvironment(t *testing.T, variable string) string {
	t.Helper()
	value := os.Getenv(variable)
	if value == "" {
		t.Fatal(variable + " is not set. Run this by: make chaos")
	}
	return value
}

// start starts the program and waits until it is ready. extra are settings of this
// start only.
func (n *node) start(extra ...string) {
	n.t.Helper()
	n.launch(extra...)
	n.awaitReady()
}

func (n *node) launch(extra ...string) {
	n.t.Helper()
	file, err := os.OpenFile(n.log, os.O_CREATE|os.O_WRONLY|os.O_APPEND, 0o644)
	if err != nil {
		n.t.Fatal(err)
	}
	defer file.Close()
	cmd := exec.Command(n.binary, "serve")
	cmd.Env = append([]string{
		"PATH=" + os.Getenv("PATH"), "HOME=" + os.Getenv("HOME"), "TMPDIR=" + os.TempDir(),
		"NIGHTBELL_LISTEN=" + n.address, "NIGHTBELL_DATA_DIR=" + n.dataDir, "NIGHTBELL_EGRESS_ALLOW=127.0.0.0/8",
	}, append(n.settings, extra...)...)
	cmd.Stdout, cmd.Stderr = file, file
	if err := cmd.Start(); err != nil {
		n.t.Fatalf("start %s: %v", n.name, err)
	}
	done := make(chan struct{})
	launched(cmd.Process.Pid)
	n.mu.Lock()
	n.cmd, n.done, n.err = cmd, done, nil
	n.mu.Unlock()
	go func() {
		err := cmd.Wait()
		ended(cmd.Process.Pid)
		n.mu.Lock()
		n.err = err
		n.mu.Unlock()
		close(done)
	}()
}

func (n *node) awaitReady() {
	n.t.Helper()
	for deadline := time.Now().Add(startLimit); !n.ready(); time.Sleep(10 * time.Millisecond) {
		if !n.running() {
			n.t.Fatalf("%s ended while starting: %v; its log is %s", n.name, n.err, n.log)
		}
		if time.Now().After(deadline) {
			n.t.Fatalf("%s was not ready after %s; its log is %s", n.name, startLimit, n.log)
		}
	}
}

func (n *node) ready() bool {
	client := http.Client{Timeout: 3 * time.Second}
	response, err := client.Get(n.url + "/readyz")
	if err != nil {
		return false
	}
	defer response.Body.Close()
	return response.StatusCode == http.StatusOK
}

func (n *node) running() bool {
	n.mu.Lock()
	done := n.done
	n.mu.Unlock()
	if done == nil {
		return false
	}
	select {
	case <-done:
		return false
	default:
		return true
	}
}

func (n *node) pid() int { return n.cmd.Process.Pid }

func (n *node) signal(signal syscall.Signal) {
	n.t.Helper()
	if err := n.cmd.Process.Signal(signal); err != nil && !errors.Is(err, os.ErrProcessDone) {
		n.t.Errorf("%s to %s: %v", signal, n.name, err)
	}
}

// kill ends the program without a word.
func (n *node) kill() {
	n.t.Helper()
	n.signal(syscall.SIGKILL)
	<-n.done
}

// stop asks the program to end and gives how long that took. It fails the test when
// the program does not end, or not without an error.
func (n *node) stop() time.Duration {
	n.t.Helper()
	began := time.Now()
	n.signal(syscall.SIGTERM)
	n.awaitEnd(stopLimit)
	if n.err != nil {
		n.t.Errorf("%s ended with %v after SIGTERM; its log is %s", n.name, n.err, n.log)
	}
	return time.Since(began)
}

// awaitEnd waits until the program ended by itself.
func (n *node) awaitEnd(limit time.Duration) {
	n.t.Helper()
	select {
	case <-n.done:
	case <-time.After(limit):
		n.kill()
		n.t.Fatalf("%s did not end within %s; its log is %s", n.name, limit, n.log)
	}
}

// dsn reaches the private PostgreSQL of this program.
func (n *node) dsn() string {
	return "host=" + filepath.Join(n.dataDir, "run") + " user=nightbell dbname=nightbell"
}

// metric reads the sum of a metric over its labels; 0 when there is none.
func (n *node) metric(name string) float64 {
	n.t.Helper()
	response, err := http.Get(n.url + "/metrics")
	if err != nil {
		n.t.Fatal(err)
	}
	defer response.Body.Close()
	text, err := io.ReadAll(response.Body)
	if err != nil {
		n.t.Fatal(err)
	}
	total := 0.0
	for line := range strings.Lines(string(text)) {
		label, value, _ := strings.Cut(strings.TrimSpace(line), " ")
		if bare, _, _ := strings.Cut(label, "{"); bare != name {
			continue
		}
		number, err := strconv.ParseFloat(value, 64)
		if err != nil {
			n.t.Fatalf("metric %s: %v", line, err)
		}
		total += number
	}
	return total
}

// descriptors counts what the program holds open.
func (n *node) descriptors() int {
	n.t.Helper()
	entries, err := os.ReadDir(fmt.Sprintf("/proc/%d/fd", n.pid()))
	if err != nil {
		n.t.Fatal(err)
	}
	return len(entries)
}

// residentMB is the private memory of the program in MiB.
func (n *node) residentMB() int {
	n.t.Helper()
	text, err := os.ReadFile(fmt.Sprintf("/proc/%d/status", n.pid()))
	if err != nil {
		n.t.Fatal(err)
	}
	for line := range strings.Lines(string(text)) {
		if rest, ok := strings.CutPrefix(line, "RssAnon:"); ok {
			kilobytes, _ := strconv.Atoi(strings.Fields(rest)[0])
			return kilobytes / 1024
		}
	}
	n.t.Fatal("the kernel does not tell RssAnon")
	return 0
}

// logged counts the lines of the log that contain text.
func (n *node) logged(text string) (count int) {
	content, err := os.ReadFile(n.log)
	if err != nil {
		n.t.Fatal(err)
	}
	for line := range strings.Lines(string(content)) {
		if strings.Contains(line, text) {
			count++
		}
	}
	return count
}

// outDir is where a scenario leaves what a person may want to look at.
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

// emptyDir makes a data directory that PostgreSQL's own account can enter.
func emptyDir(t *testing.T) string {
	t.Helper()
	dir, err := os.MkdirTemp("", "nightbell-chaos-") //nolint:usetesting // other accounts cannot enter t.TempDir
	if err != nil {
		t.Fatal(err)
	}
	if err := os.Chmod(dir, 0o755); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		// A killed program's PostgreSQL may still be writing its last words.
		for range 50 {
			if err = os.RemoveAll(dir); err == nil {
				return
			}
			time.Sleep(100 * time.Millisecond)
		}
		t.Errorf("remove the data directory: %v", err)
	})
	return dir
}

// freeAddress is an address of the loopback below the ports that systems hand out by
// themselves, so that it is still free when the program starts again.
func freeAddress(t *testing.T) string {
	t.Helper()
	for range 100 {
		address := fmt.Sprintf("127.0.0.1:%d", 20_000+rand.IntN(10_000))
		listener, err := (&net.ListenConfig{}).Listen(context.Background(), "tcp", address)
		if err == nil {
			listener.Close()
			return address
		}
	}
	t.Fatal("no free port was found between 20000 and 30000")
	return ""
}
