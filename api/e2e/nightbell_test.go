//go:build e2e

package e2e

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/nightbell/nightbell/api/internal/platform/postgres/pgtest"
)

// nightbell is a running server with its own data directory.
type nightbell struct {
	*process

	url, dataDir string
	// readyAfter is the time from the start of the program to the first ready answer.
	readyAfter time.Duration
}

// serve starts the binary and waits until it is ready. settings are environment
// variables beside those that keep it to itself.
func serve(t *testing.T, dataDir, address string, settings ...string) *nightbell {
	t.Helper()
	binary := os.Getenv("NIGHTBELL_BIN")
	if binary == "" {
		t.Fatal("NIGHTBELL_BIN is not set. Run this by: make e2e-alertmanager")
	}
	cmd := exec.Command(binary, "serve")
	// Nothing of this machine's own set-up may leak in.
	cmd.Env = append([]string{
		"PATH=" + os.Getenv("PATH"), "HOME=" + os.Getenv("HOME"), "TMPDIR=" + os.TempDir(),
		"NIGHTBELL_LISTEN=" + address, "NIGHTBELL_DATA_DIR=" + dataDir,
	}, settings...)
	n := &nightbell{url: "http://" + address, dataDir: dataDir}
	began := time.Now()
	n.process = start(t, "nightbell", cmd)
	n.awaitReady(t, time.Minute, func() bool { return answers(n.url + "/readyz") })
	n.readyAfter = time.Since(began)
	return n
}

// answers reports whether a GET is answered with 200.
func answers(url string) bool {
	response, err := http.Get(url)
	if err != nil {
		return false
	}
	defer func() { _ = response.Body.Close() }()
	return response.StatusCode == http.StatusOK
}

// emptyDataDir makes a data directory. PostgreSQL runs under an account of its own
// when the test runs as root, and must be able to get there.
func emptyDataDir(t *testing.T) string {
	t.Helper()
	dir, err := os.MkdirTemp("", "nightbell-e2e-") //nolint:usetesting // other accounts cannot enter t.TempDir
	if err != nil {
		t.Fatal(err)
	}
	if err := os.Chmod(dir, 0o755); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := os.RemoveAll(dir); err != nil {
			t.Errorf("remove the data directory: %v", err)
		}
	})
	return dir
}

// assertQuiet asserts that the server logged neither a warning nor an error: a night
// on which everything went well must not leave an operator something to wonder about.
func (n *nightbell) assertQuiet(t *testing.T) {
	t.Helper()
	text, err := os.ReadFile(n.log)
	if err != nil {
		t.Fatal(err)
	}
	for line := range strings.Lines(string(text)) {
		if strings.Contains(line, "level=WARN") || strings.Contains(line, "level=ERROR") {
			t.Errorf("the server complained: %s", line)
		}
	}
}

// clock takes the clock of the private PostgreSQL in hand.
func (n *nightbell) clock(t *testing.T) *pgtest.Clock {
	t.Helper()
	return pgtest.TakeClock(t, fmt.Sprintf("host=%s user=nightbell dbname=nightbell", filepath.Join(n.dataDir, "run")))
}

// caller calls the public REST API, signed in once it has a token.
type caller struct {
	url, token string
}

// do calls and decodes the answer into answer, unless that is nil. Any answer but 2xx
// fails the test.
func (c *caller) do(t *testing.T, method, path string, body, answer any) {
	t.Helper()
	var payload io.Reader = http.NoBody
	if body != nil {
		encoded, err := json.Marshal(body)
		if err != nil {
			t.Fatal(err)
		}
		payload = bytes.NewReader(encoded)
	}
	request, err := http.NewRequestWithContext(t.Context(), method, c.url+path, payload)
	if err != nil {
		t.Fatal(err)
	}
	request.Header.Set("Content-Type", "application/json")
	if c.token != "" {
		request.Header.Set("Authorization", "Bearer "+c.token)
	}
	response, err := http.DefaultClient.Do(request)
	if err != nil {
		t.Fatalf("%s %s: %v", method, path, err)
	}
	defer func() { _ = response.Body.Close() }()
	text, err := io.ReadAll(response.Body)
	if err != nil || response.StatusCode/100 != 2 {
		t.Fatalf("%s %s: %s %s %v", method, path, response.Status, text, err)
	}
	if answer == nil {
		return
	}
	if err := json.Unmarshal(text, answer); err != nil {
		t.Fatalf("%s %s answered %s: %v", method, path, text, err)
	}
}

func (c *caller) get(t *testing.T, path string, answer any) {
	t.Helper()
	c.do(t, http.MethodGet, path, nil, answer)
}

func (c *caller) post(t *testing.T, path string, body, answer any) {
	t.Helper()
	c.do(t, http.MethodPost, path, body, answer)
}
