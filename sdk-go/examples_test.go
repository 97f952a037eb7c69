//go:build unix

package nightbell_test

import (
	"bytes"
	"fmt"
	"net"
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/nightbell/nightbell/sdk-go/nightbelltest"
)

// Every example runs as it is, and what it does is seen on the wire.
func TestExamples(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	build := exec.CommandContext(t.Context(), "go", "build", "-o", dir, "./examples/...")
	if out, err := build.CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	examples := map[string]func(*nightbelltest.Wire, string) bool{
		"trigger":       opened("Orders stopped", "critical"),
		"capture-error": opened("checkout: no stock", "medium"),
		"performance": func(wire *nightbelltest.Wire, _ string) bool {
			return opened("monthly-report takes longer than 5 s", "high")(wire, "") && len(wire.Events()) == 2
		},
		"low-order-volume": opened("Low order volume", "high"),
		"conversion-rate":  opened("Conversion below 2%", "high"),
		"heartbeat":        pinged("orders-worker ok"),
		"scheduled-job":    pinged("nightly-backup start, nightly-backup ok"),
		"change":           func(wire *nightbelltest.Wire, _ string) bool { return len(wire.Changes()) == 1 },
		"net-http": func(wire *nightbelltest.Wire, url string) bool {
			_, _ = http.Get(url + "/orders/17")
			return opened("order 17: the database is away", "medium")(wire, "")
		},
	}
	programs, err := os.ReadDir(dir)
	if err != nil || len(programs) != len(examples) {
		t.Errorf("%d programs, %d of them tested", len(programs), len(examples))
	}
	for name, seen := range examples {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			wire := &nightbelltest.Wire{}
			server := httptest.NewServer(wire)
			defer server.Close()
			port := freePort(t)
			program := exec.CommandContext(t.Context(), filepath.Join(dir, name))
			program.Env = append(os.Environ(), "NIGHTBELL_SERVICE_KEY=nbs_test000000000000000000", "NIGHTBELL_BASE_URL="+server.URL, "PORT="+port)
			var out bytes.Buffer
			program.Stdout, program.Stderr = &out, &out
			if err := program.Start(); err != nil {
				t.Fatal(err)
			}
			for deadline := time.Now().Add(30 * time.Second); !seen(wire, "http://127.0.0.1:"+port); time.Sleep(20 * time.Millisecond) {
				if time.Now().After(deadline) {
					t.Errorf("nothing was seen: %v %v\n%s", wire.Events(), wire.Pings(), out.String())
					break
				}
			}
			_ = program.Process.Signal(syscall.SIGTERM)
			_ = program.Wait()
			if strings.Contains(out.String(), "panic") {
				t.Error(out.String())
			}
			if name == "heartbeat" && !pinged("orders-worker ok, orders-worker stop")(wire, "") {
				t.Errorf("pings %v", wire.Pings())
			}
		})
	}
}

func opened(title, severity string) func(*nightbelltest.Wire, string) bool {
	return func(wire *nightbelltest.Wire, _ string) bool {
		found := wire.Incidents()
		return len(found) == 1 && found[0].Title == title && found[0].Severity == severity
	}
}

func pinged(want string) func(*nightbelltest.Wire, string) bool {
	return func(wire *nightbelltest.Wire, _ string) bool {
		var pings []string
		for _, p := range wire.Pings() {
			pings = append(pings, fmt.Sprintf("%s %s", p.Name, p.Status))
		}
		return strings.Join(pings, ", ") == want
	}
}

func freePort(t *testing.T) string {
	t.Helper()
	listener, err := new(net.ListenConfig).Listen(t.Context(), "tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = listener.Close() }()
	_, port, err := net.SplitHostPort(listener.Addr().String())
	if err != nil {
		t.Fatal(err)
	}
	return port
}
