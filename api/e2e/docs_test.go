//go:build e2e

package e2e

import (
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
)

// TestDocsQuickReference does what the page /docs/sdk-quick-reference says, to the letter, in an
// empty folder beside a checkout.
func TestDocsQuickReference(t *testing.T) {
	w := newSDKWorld(t)
	for _, c := range []struct {
		language string
		// example is shown whole, and saved under the name that the page gives it.
		example, saved string
		steps          []string
		check          func(t *testing.T, s *scene) error
	}{
		{"node", "sdk-node/examples/trigger.js", "trigger.js", []string{"node-install", "node-run"}, opens("Orders stopped", "critical")},
		{"python", "sdk-python/examples/trigger.py", "trigger.py", []string{"python-install", "python-run"}, opens("Orders stopped", "critical")},
		{"go", "sdk-go/examples/trigger/main.go", "main.go", []string{"go-install", "go-run"}, opens("Orders stopped", "critical")},
		{"an alert by curl", "", "", []string{"alert"}, opens("A test alert", "medium")},
		{"an event by curl", "", "", []string{"event"}, opens("Orders stopped", "critical")},
		{"a ping by curl", "", "", []string{"ping"}, beats("nightly-backup", "ok", expectation{EverySeconds: 86400})},
		{"a change by curl", "", "", []string{"change"}, changes("2026.11.3")},
	} {
		t.Run(c.language, func(t *testing.T) {
			beside := t.TempDir()
			if err := os.Symlink(fromRoot(t, "."), filepath.Join(beside, "nightbell")); err != nil {
				t.Fatal(err)
			}
			folder := filepath.Join(beside, "orders")
			if err := os.Mkdir(folder, 0o755); err != nil {
				t.Fatal(err)
			}
			if c.example != "" {
				do(t, folder, "cp", fromRoot(t, c.example), c.saved)
			}
			s := &scene{sdkWorld: w, ended: true}
			var key string
			s.serviceID, key = w.service(t)
			s.door = openDoor(t, w.server.url)
			for _, step := range c.steps {
				shell := exec.CommandContext(t.Context(), "bash", "-euo", "pipefail", "-c", docsRegion(t, "docs-mdx/commands/quick-reference.sh", step))
				shell.Dir = folder
				shell.Env = append(os.Environ(), credentials(s.door, key)...)
				if text, err := shell.CombinedOutput(); err != nil {
					t.Fatalf("%s: %v\n%s", step, err, text)
				}
			}
			eventually(t, c.language, func() error { return c.check(t, s) })
		})
	}
}

// TestDocsTestExample runs the test that the Node.js guide shows.
func TestDocsTestExample(t *testing.T) {
	do(t, fromRoot(t, "sdk-node"), program(t, "Node.js", "node"), "examples/testing.js")
}

// docsRegion is the part of a file that a page shows.
func docsRegion(t *testing.T, file, name string) string {
	t.Helper()
	source, err := os.ReadFile(fromRoot(t, file))
	if err != nil {
		t.Fatal(err)
	}
	found := regexp.MustCompile(`(?s)#region ` + name + `\n(.*?)#endregion`).FindSubmatch(source)
	if found == nil {
		t.Fatalf("%s has no region %s", file, name)
	}
	return strings.TrimSpace(string(found[1]))
}
