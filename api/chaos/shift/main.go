// Command shift writes what `go build -overlay` needs to build a program whose wall clock
// is wrong by as much as the environment variable NIGHTBELL_CLOCK_SHIFT says (3600s, -24h).
// The clock that only measures, and with it every timer, stays right, as it does on a
// machine whose clock was set wrongly.
//
//	go build -overlay "$(go run ./chaos/shift DIR)" ./cmd/nightbell
//
// It changes a copy of the standard library's time.go in DIR, which exists, and prints the name of the
// overlay file.
package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
)

// from is the first line of time.Now, and to what it becomes.
const (
	from = "sec, nsec, mono := runtimeNow()\n"
	to   = from + "\tsec += wallShift\n"
)

// shift is read once, before anything asks for the time.
const shift = `
var wallShift = func() int64 {
	text, _ := syscall.Getenv("NIGHTBELL_CLOCK_SHIFT")
	d, _ := ParseDuration(text)
	return int64(d / Second)
}()
`

func main() {
	overlay, err := writeOverlay(os.Args[1:])
	if err != nil {
		fmt.Fprintln(os.Stderr, "shift:", err)
		os.Exit(1)
	}
	_, _ = fmt.Fprintln(os.Stdout, overlay)
}

func writeOverlay(arguments []string) (overlay string, err error) {
	if len(arguments) != 1 {
		return "", errors.New("give one folder to write to")
	}
	dir, err := filepath.Abs(arguments[0])
	if err != nil {
		return "", err
	}
	root, err := exec.CommandContext(context.Background(), "go", "env", "GOROOT").Output() //nolint:forbidigo // this is a command
	if err != nil {
		return "", fmt.Errorf("ask where Go is: %w", err)
	}
	original := filepath.Join(strings.TrimSpace(string(root)), "src", "time", "time.go")
	text, err := os.ReadFile(original)
	if err != nil {
		return "", err
	}
	// The first is time.Now; the second, in runtime functions, must stay as it is.
	changed := strings.Replace(string(text), from, to, 1) + shift
	if changed == string(text)+shift {
		return "", fmt.Errorf("time.Now in %s does not look as it did", original)
	}
	changed = strings.Replace(changed, "import (\n", "import (\n\t\"syscall\"\n", 1)
	copied := filepath.Join(dir, "time.go")
	encoded, err := json.Marshal(map[string]any{"Replace": map[string]string{original: copied}})
	if err != nil {
		return "", err
	}
	overlay = filepath.Join(dir, "overlay.json")
	return overlay, errors.Join(
		os.WriteFile(copied, []byte(changed), 0o600), //nolint:gosec // the folder is the caller's
		os.WriteFile(overlay, encoded, 0o600))        //nolint:gosec // as above
}
