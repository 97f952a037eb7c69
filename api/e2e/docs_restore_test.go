//go:build e2e

package e2e

import (
	"errors"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"
)

const backupCommands = "docs-mdx/commands/backup.sh"

// TestDocsRestore does what the page /docs/self-hosting/restore says, to the letter, with folders
// of its own in the place of /var/lib: a backup while the original runs, a copy beside it that
// pages nobody, and the copy in its place. Then copies are confirmed by the button's call.
func TestDocsRestore(t *testing.T) {
	beside := emptyDataDir(t)
	if err := os.Mkdir(filepath.Join(beside, "bin"), 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.Symlink(os.Getenv("NIGHTBELL_BIN"), filepath.Join(beside, "bin", "nightbell")); err != nil {
		t.Fatal(err)
	}
	original := serve(t, filepath.Join(beside, "nightbell"), freeAddress(t))
	person, _ := register(t, original.url)
	key := person.addService(t, "Checkout API", "")
	trigger := &caller{url: original.url, token: key}
	trigger.post(t, "/v1/events", object{"title": "Orders stopped", "severity": "critical"}, nil)

	runRegion(t, beside, "backup", "")
	runRegion(t, beside, "key", "")
	runRegion(t, beside, "restore", "")
	address := freeAddress(t)
	copied := serveRegion(t, beside, "look", address)
	owner := signedIn(t, copied.url)
	if shown := (&caller{url: copied.url, token: owner}).incidentTitled(t, "Orders stopped"); shown.Severity != "critical" {
		t.Errorf("the copy shows %+v", shown)
	}
	if !isCopy(t, copied.url, owner) {
		t.Error("the copy does not say that it is one")
	}
	copied.stop(t)
	original.stop(t)
	runRegion(t, beside, "confirm", "")
	if taking := serveRegion(t, beside, "serve", freeAddress(t)); isCopy(t, taking.url, signedIn(t, taking.url)) {
		t.Error("after it was confirmed it still is a copy")
	}

	// The button, as the page of the API shows its call.
	calls := shownCalls(t, serve(t, filepath.Join(beside, "pages"), freeAddress(t)).url)
	for _, call := range calls {
		if call.path != "/v1/installation/confirm" {
			continue
		}
		programs := build(t, []shownCall{call})
		for _, language := range languagesOfCalls {
			t.Run(language, func(t *testing.T) {
				name := "nightbell-" + language
				runRegion(t, beside, "key", name)
				runRegion(t, beside, "restore", name)
				one := serve(t, filepath.Join(beside, name), freeAddress(t))
				door := openRecorder(t, one.url)
				owner := signedIn(t, one.url)
				runCall(t, call, door, programs.command(t, call, language), []string{
					"NIGHTBELL_BASE_URL=" + door.url, "NIGHTBELL_ACCESS_TOKEN=" + owner,
				})
				eventually(t, "the end of the notice", func() error {
					if isCopy(t, one.url, owner) {
						return errors.New("it is still said to be a copy")
					}
					return nil
				})
				one.stop(t)
			})
		}
	}
}

// signedIn is an access token of the owner: that of the original is signed with another secret.
func signedIn(t *testing.T, url string) string {
	t.Helper()
	var in object
	(&caller{url: url}).post(t, "/v1/auth/login", object{"email": personEmail, "password": password}, &in)
	return text(t, in, "tokens", "access_token")
}

// isCopy reports whether the screens of a server say that it is a restored copy.
func isCopy(t *testing.T, url, token string) bool {
	t.Helper()
	var answer struct{ Notices []struct{ Kind string } }
	(&caller{url: url, token: token}).do(t, http.MethodGet, "/v1/installation", nil, &answer)
	for _, notice := range answer.Notices {
		if notice.Kind == "restored_copy" {
			return true
		}
	}
	return false
}

// region is a command of the page with the test's folders. name is another one for the copy.
func region(t *testing.T, beside, step, name string) string {
	t.Helper()
	command := docsRegion(t, backupCommands, step)
	if name != "" {
		command = strings.ReplaceAll(command, "/var/lib/nightbell-new", "/var/lib/"+name)
	}
	return strings.ReplaceAll(command, "/var/lib/", beside+"/")
}

func runRegion(t *testing.T, beside, step, name string) {
	t.Helper()
	do(t, beside, "bash", "-euo", "pipefail", "-c", region(t, beside, step, name))
}

// serveRegion runs a command of the page that serves, at an address that is free here.
func serveRegion(t *testing.T, beside, step, address string) *nightbell {
	t.Helper()
	command := strings.ReplaceAll(region(t, beside, step, ""), "127.0.0.1:8481", address)
	if !strings.Contains(command, address) {
		command += " --listen " + address
	}
	cmd := exec.Command("bash", "-c", "exec "+command)
	cmd.Dir = beside
	cmd.Env = []string{"PATH=" + os.Getenv("PATH"), "HOME=" + os.Getenv("HOME"), "TMPDIR=" + os.TempDir()}
	n := &nightbell{url: "http://" + address}
	n.process = start(t, "nightbell-"+step, cmd)
	n.awaitReady(t, time.Minute, func() bool { return answers(n.url + "/readyz") })
	return n
}
