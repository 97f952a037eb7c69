//go:build e2e

package e2e

import (
	"encoding/json"
	"os"
	"os/exec"
	"regexp"
	"strings"
	"testing"
)

// TestPlainHTTPExamples: programs without an SDK open one incident, also when the server is busy
// and when its answer is lost.
func TestPlainHTTPExamples(t *testing.T) {
	w := newSDKWorld(t)
	for _, c := range []struct{ language, program, file string }{
		{"Java", "java", "Trigger.java"},
		{"PHP", "php", "trigger.php"},
		{"Ruby", "ruby", "trigger.rb"},
	} {
		t.Run(c.language, func(t *testing.T) {
			t.Parallel()
			path, err := exec.LookPath(c.program)
			if err != nil {
				t.Fatalf("%s is not on this machine. Run: make deps", c.language)
			}
			serviceID, key := w.service(t)
			d := openDoor(t, w.server.url, fault{status: 503}, fault{lost: true})
			program := run(t, []string{path, fromRoot(t, "docs-mdx/examples/"+c.file)}, credentials(d, key)...)
			code, _ := program.wait(t.Context())
			var answer struct{ ID string }
			if err := json.Unmarshal([]byte(program.output()), &answer); code != 0 || err != nil {
				t.Fatalf("exit code %d: %s%s", code, program.output(), program.complaints())
			}
			found := w.incidents(t, serviceID)
			if len(found) != 1 || found[0].ID != answer.ID || found[0].Title != "Orders stopped" || found[0].Severity != "critical" {
				t.Fatalf("answered %s, there are %+v", answer.ID, found)
			}
			if count := w.occurrences(t, found[0].ID); count != 1 || len(d.seen()) != 3 {
				t.Errorf("%d occurrences of %d requests", count, len(d.seen()))
			}
		})
	}
}

// TestPlainHTTPLateEvent sends what was kept back, twice: it is one incident, and nothing of it is warned of.
func TestPlainHTTPLateEvent(t *testing.T) {
	w := newSDKWorld(t)
	serviceID, key := w.service(t)
	d := openDoor(t, w.server.url)
	for range 2 {
		program := run(t, []string{"/bin/sh", fromRoot(t, "docs-mdx/examples/late.sh")}, credentials(d, key)...)
		if code, _ := program.wait(t.Context()); code != 0 || !strings.Contains(program.output(), `"warnings":[]`) {
			t.Fatalf("exit code %d: %s%s", code, program.output(), program.complaints())
		}
	}
	if found := w.incidents(t, serviceID); len(found) != 1 || found[0].Title != "Orders stopped" {
		t.Errorf("there are %+v", found)
	}
}

// TestPlainHTTPPage shows regions of the programs, to the letter.
func TestPlainHTTPPage(t *testing.T) {
	page, err := os.ReadFile(fromRoot(t, "docs-mdx/plain-http.md"))
	if err != nil {
		t.Fatal(err)
	}
	blocks := regexp.MustCompile("(?s)(?:<!-- region: (\\S+) (\\S+) -->\n)?```[a-z]+\n(.*?)\n```").FindAllStringSubmatch(string(page), -1)
	if len(blocks) != 7 {
		t.Errorf("%d blocks", len(blocks))
	}
	for _, block := range blocks {
		source, err := os.ReadFile(fromRoot(t, "docs-mdx/"+block[1]))
		if err != nil {
			t.Fatal(err)
		}
		region := regexp.MustCompile(`(?s)#region ` + block[2] + `\n(.*?)\n *(?://|#) #endregion`).FindSubmatch(source)
		if region == nil || string(region[1]) != block[3] {
			t.Errorf("%s %s is not what the page shows", block[1], block[2])
		}
	}
}
