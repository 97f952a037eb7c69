//go:build e2e

package e2e

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

// TestDocsOperate types what the pages for operators say, to the letter but for the folder, the
// address and the key, which are a test's own.
func TestDocsOperate(t *testing.T) {
	beside := emptyDataDir(t)
	if err := os.Mkdir(filepath.Join(beside, "bin"), 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.Symlink(os.Getenv("NIGHTBELL_BIN"), filepath.Join(beside, "bin", "nightbell")); err != nil {
		t.Fatal(err)
	}
	address := freeAddress(t)
	own := func(step string) string {
		command := docsRegion(t, "docs-mdx/commands/run.sh", step)
		for shown, mine := range map[string]string{
			"127.0.0.1:9000": address, "mara@example.com": personEmail, "127.0.0.1:8480": address, "/var/lib/nightbell": beside + "/data",
			"postgres://nightbell@db1.internal,db2.internal/nightbell": fmt.Sprintf("'postgres:///nightbell?user=nightbell&host=%s/data/run'", beside),
		} {
			command = strings.ReplaceAll(command, shown, mine)
		}
		return command
	}
	server := &nightbell{url: "http://" + address, dataDir: beside + "/data"}
	serving := exec.Command("bash", "-c", "exec "+own("serve"))
	serving.Dir, serving.Env = beside, []string{"PATH=" + os.Getenv("PATH"), "HOME=" + beside, "TMPDIR=" + os.TempDir()}
	server.process = start(t, "nightbell", serving)
	server.awaitReady(t, stopLimit, func() bool { return answers(server.url + "/readyz") })
	person, _ := register(t, server.url)
	person.addService(t, "Checkout API", "")
	var key object
	person.post(t, "/v1/api-keys", object{"name": "Explain", "role": "viewer", "scopes": []string{"config:read"}}, &key)

	for _, c := range []struct{ step, prints string }{
		{"doctor", "NIGHTBELL"},
		{"health", ""},
		{"explain", "Mara"},
		{"migrate", ""},
		{"password-link", "/reset-password#nbr_"},
	} {
		t.Run(c.step, func(t *testing.T) {
			command := strings.Replace(own(c.step), "your-api-key", text(t, key, "key"), 1)
			shell := exec.CommandContext(t.Context(), "bash", "-euo", "pipefail", "-c", command)
			shell.Dir = beside
			shell.Env = slices.Concat(serving.Env, []string{
				"NIGHTBELL_LISTEN=" + address, "NIGHTBELL_DATA_DIR=" + server.dataDir,
			})
			if printed, err := shell.CombinedOutput(); err != nil || !strings.Contains(string(printed), c.prints) {
				t.Errorf("%s: %v\n%s", command, err, printed)
			}
		})
	}
}
