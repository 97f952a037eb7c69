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
		{"java", "docs-mdx/examples/Trigger.java", "Trigger.java", []string{"java-run"}, opens("Orders stopped", "critical")},
		{"php", "docs-mdx/examples/trigger.php", "trigger.php", []string{"php-run"}, opens("Orders stopped", "critical")},
		{"ruby", "docs-mdx/examples/trigger.rb", "trigger.rb", []string{"ruby-run"}, opens("Orders stopped", "critical")},
		{"an alert by curl", "", "", []string{"alert"}, opens("A test alert", "medium")},
		{"an event by curl", "", "", []string{"event"}, opens("Orders stopped", "critical")},
		{"a ping by curl", "", "", []string{"ping"}, beats("nightly-backup", "ok", expectation{EverySeconds: 86400})},
		{"a change by curl", "", "", []string{"change"}, changes("2026.11.3")},
	} {
		t.Run(c.language, func(t *testing.T) {
			folder := besideCheckout(t)
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

// TestDocsGoFrameworks builds the program of each framework of Go by the commands of its page.
func TestDocsGoFrameworks(t *testing.T) {
	for framework, example := range map[string]string{
		"gin": "nightbellgin/example", "echo": "nightbellecho/example", "fiber": "nightbellfiber/example",
		"chi": "examples/chi", "net-http": "examples/net-http",
	} {
		t.Run(framework, func(t *testing.T) {
			folder := besideCheckout(t)
			do(t, folder, "cp", fromRoot(t, "sdk-go/"+example+"/main.go"), "main.go")
			do(t, folder, "bash", "-euc", docsRegion(t, "docs-mdx/commands/quick-reference.sh", "go-install"))
			do(t, folder, "bash", "-euc", docsRegion(t, "docs-mdx/commands/install.sh", framework))
			do(t, folder, "go", "build", "-o", "app", ".")
		})
	}
}

// besideCheckout is an empty folder that has the checkout as ../nightbell.
func besideCheckout(t *testing.T) string {
	t.Helper()
	beside := t.TempDir()
	if err := os.Symlink(fromRoot(t, "."), filepath.Join(beside, "nightbell")); err != nil {
		t.Fatal(err)
	}
	folder := filepath.Join(beside, "orders")
	if err := os.Mkdir(folder, 0o755); err != nil {
		t.Fatal(err)
	}
	return folder
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
