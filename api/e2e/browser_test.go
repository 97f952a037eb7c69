//go:build e2e

package e2e

import (
	"bufio"
	"encoding/json"
	"io"
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"testing"
)

// browser is a headless Chromium that is driven through site/e2e/browser.mjs.
//
// Playwright comes with the site's own tests, so this adds no dependency to the
// server's module, and people who debug either find the same tool.
type browser struct {
	in  io.Writer
	out *bufio.Scanner
}

// tab is one page in a profile of its own.
type tab struct {
	browser *browser
	name    string
}

func startBrowser(t *testing.T) *browser {
	t.Helper()
	chromium := program(t, "Chromium", "chromium", "chromium-browser", "google-chrome")
	script, err := filepath.Abs("../../site/e2e/browser.mjs")
	if err != nil {
		t.Fatal(err)
	}
	cmd := exec.Command(program(t, "Node", "node"), script, chromium)
	in, err := cmd.StdinPipe()
	if err != nil {
		t.Fatal(err)
	}
	// A pipe of our own: Wait would close exec's before the last answer is read.
	answers, out, err := os.Pipe()
	if err != nil {
		t.Fatal(err)
	}
	cmd.Stdout = out
	start(t, "browser", cmd)
	_ = out.Close()
	t.Cleanup(func() { _ = in.Close() })
	b := &browser{in: in, out: bufio.NewScanner(answers)}
	b.ask(t, map[string]any{"do": "ready"}, nil)
	return b
}

// phone is a page on a phone at night, desk one on a large screen. Nobody is signed in.
func (b *browser) phone() *tab { return &tab{browser: b, name: "phone"} }
func (b *browser) desk() *tab  { return &tab{browser: b, name: "desk"} }

// ask gives one command and waits for its answer; a refusal fails the test.
func (b *browser) ask(t *testing.T, command map[string]any, answer any) {
	t.Helper()
	line, err := json.Marshal(command)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := b.in.Write(append(line, '\n')); err != nil {
		t.Fatalf("the browser is gone (%v); its log is in %s", err, outDir(t))
	}
	if !b.out.Scan() {
		t.Fatalf("the browser gave no answer to %s; its log is in %s", line, outDir(t))
	}
	var said struct {
		Answer json.RawMessage `json:"answer"`
		Error  string          `json:"error"`
	}
	if err := json.Unmarshal(b.out.Bytes(), &said); err != nil {
		t.Fatalf("the browser said %s: %v", b.out.Bytes(), err)
	}
	if said.Error != "" {
		t.Fatalf("in the browser, %s: %s", line, said.Error)
	}
	if answer == nil {
		return
	}
	if err := json.Unmarshal(said.Answer, answer); err != nil {
		t.Fatalf("the browser answered %s: %v", said.Answer, err)
	}
}

// complaints are uncaught errors, console errors (breaches of the content security
// policy among them) and requests to other hosts, of all tabs so far.
func (b *browser) complaints(t *testing.T) []string {
	t.Helper()
	var list []string
	b.ask(t, map[string]any{"do": "complaints"}, &list)
	return list
}

func (p *tab) do(t *testing.T, verb string, details map[string]any) {
	t.Helper()
	command := map[string]any{"do": verb, "tab": p.name}
	maps.Copy(command, details)
	p.browser.ask(t, command, nil)
}

// open goes to an address.
func (p *tab) open(t *testing.T, url string) {
	t.Helper()
	p.do(t, "open", map[string]any{"url": url})
}

// press clicks the button of this name.
func (p *tab) press(t *testing.T, text string) {
	t.Helper()
	p.do(t, "press", map[string]any{"text": text})
}

// pressIn clicks the button of this name in an open dialog.
func (p *tab) pressIn(t *testing.T, dialog, text string) {
	t.Helper()
	p.do(t, "press", map[string]any{"dialog": dialog, "text": text})
}

// fillIn writes into the field of this label in an open dialog.
func (p *tab) fillIn(t *testing.T, dialog, label, text string) {
	t.Helper()
	p.do(t, "fill", map[string]any{"dialog": dialog, "label": label, "text": text})
}

// see waits until text is visible inside what the selector finds.
func (p *tab) see(t *testing.T, selector, text string) {
	t.Helper()
	p.do(t, "see", map[string]any{"selector": selector, "text": text})
}

// mark leaves a mark in the page that a reload would wipe away.
func (p *tab) mark(t *testing.T) {
	t.Helper()
	p.do(t, "mark", nil)
}

// stillMarked fails the test when the page was loaded again since mark.
func (p *tab) stillMarked(t *testing.T) {
	t.Helper()
	p.do(t, "stillMarked", nil)
}

// shoot leaves a picture in out/.
func (p *tab) shoot(t *testing.T, name string) {
	t.Helper()
	p.do(t, "shoot", map[string]any{"path": filepath.Join(outDir(t), name+".png")})
}
