//go:build chaos

package chaos

import (
	"cmp"
	"encoding/json"
	"fmt"
	"os"
	"runtime"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"
)

// short is true in the few minutes that every change gets; every scenario then runs,
// if it runs at all, at a fraction of its length.
var short = os.Getenv("NIGHTBELL_CHAOS_SHORT") != ""

// length is how often something is done: in full, or in short.
func length(full, inShort int) int {
	if short {
		return inShort
	}
	return full
}

// figure is one measured value, with the bar that it is held to, if any.
type figure struct {
	Scenario string `json:"scenario"`
	Test     string `json:"test"`
	What     string `json:"what"`
	Value    string `json:"value"`
	Bar      string `json:"bar,omitempty"`
}

// scenario is how one test of the plan ended.
type scenario struct {
	ID      string  `json:"id"`
	Test    string  `json:"test"`
	Passed  bool    `json:"passed"`
	Seconds float64 `json:"seconds"`
}

var report struct {
	mu        sync.Mutex
	figures   []figure
	scenarios []scenario
}

// begin says which scenario of the plan a test is, and notes how it ends.
func begin(t *testing.T, id string) {
	t.Helper()
	began := time.Now()
	t.Cleanup(func() {
		report.mu.Lock()
		defer report.mu.Unlock()
		report.scenarios = append(report.scenarios, scenario{
			ID: id, Test: t.Name(), Passed: !t.Failed(), Seconds: time.Since(began).Round(100 * time.Millisecond).Seconds(),
		})
		keepFigures() // after each, so that a run that is broken off leaves what it measured
	})
}

// measured adds a figure to the table. bar is what the test asserts, in words.
func measured(t *testing.T, id, what string, value any, bar string) {
	t.Helper()
	if d, ok := value.(time.Duration); ok {
		value = d.Round(time.Millisecond)
	}
	report.mu.Lock()
	defer report.mu.Unlock()
	report.figures = append(report.figures, figure{Scenario: id, Test: t.Name(), What: what, Value: fmt.Sprint(value), Bar: bar})
}

func TestMain(m *testing.M) {
	code := m.Run()
	printTable()
	os.Exit(code)
}

func keepFigures() {
	path := os.Getenv("NIGHTBELL_CHAOS_JSON")
	if path == "" {
		return
	}
	if err := writeFigures(path); err != nil {
		fmt.Fprintln(os.Stderr, "the figures could not be kept:", err)
	}
}

func printTable() {
	failed := map[string]bool{}
	for _, s := range report.scenarios {
		failed[s.Test] = !s.Passed
	}
	slices.SortStableFunc(report.figures, func(a, b figure) int { return cmp.Compare(a.Scenario, b.Scenario) })
	fmt.Printf("\n  %-5s %-52s %-22s %-28s\n  %s\n", "", "what", "measured", "bar", strings.Repeat("-", 112))
	for _, f := range report.figures {
		state := ""
		if failed[f.Test] {
			state = "FAILED"
		}
		fmt.Printf("  %-5s %-52s %-22s %-28s %s\n", f.Scenario, f.What, f.Value, f.Bar, state)
	}
	fmt.Println()
}

// writeFigures keeps the run for docs-mdx.
func writeFigures(path string) error {
	load, _ := os.ReadFile("/proc/loadavg")
	text, err := json.MarshalIndent(map[string]any{
		"at": time.Now().UTC().Format(time.RFC3339), "short": short,
		"machine":   map[string]any{"cores": runtime.NumCPU(), "os": runtime.GOOS + "/" + runtime.GOARCH, "load_average": strings.TrimSpace(string(load))},
		"scenarios": report.scenarios, "figures": report.figures,
	}, "", "  ")
	if err != nil {
		return err
	}
	return os.WriteFile(path, append(text, '\n'), 0o644)
}
