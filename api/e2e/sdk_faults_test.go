//go:build e2e

package e2e

import (
	"context"
	"flag"
	"fmt"
	"maps"
	"slices"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"
)

var (
	faultRuns = flag.Int("sdk-runs", 5, "how often each row of the fault table is run")
	downFor   = flag.Duration("sdk-down", 5*time.Minute, "how long the server is down")
	silentFor = flag.Duration("sdk-silent", time.Minute, "how long the server is silent")
)

// faultRow is a way in which a program or its server fails.
type faultRow struct {
	name, scenario string
	codes          map[string]int // by language; a language that is not in it has no such way
	incidents      int
	// faults are of the door, for a run that begins now.
	faults func() []fault
	// down is how long the door is shut from the beginning.
	down func() time.Duration
	// stays says that the program goes on until the incident is there.
	stays, restarts bool
	// waits says that a run takes minutes, so that runs go side by side.
	waits bool
}

func every(code int) map[string]int { return map[string]int{"go": code, "node": code, "python": code} }

func faultTable() []faultRow {
	sigterm := 128 + int(syscall.SIGTERM)
	once := func(f ...fault) func() []fault { return func() []fault { return slices.Clone(f) } }
	return []faultRow{
		{name: "exit right after a capture", scenario: "exit", codes: every(3), incidents: 1},
		{name: "natural end", scenario: "end", codes: every(0), incidents: 1},
		{name: "SIGTERM", scenario: "signal", codes: every(sigterm), incidents: 1},
		{name: "uncaught error, panic", scenario: "uncaught", codes: map[string]int{"go": 2, "node": 1, "python": 1}, incidents: 1},
		{name: "panic in a goroutine, unhandled rejection, error in a thread", scenario: "background", codes: map[string]int{"go": 2, "node": 1, "python": 0}, incidents: 1},
		{name: "fork", scenario: "fork", codes: map[string]int{"python": 0}, incidents: 2},
		{name: "child of multiprocessing", scenario: "process", codes: map[string]int{"python": 0}, incidents: 2},
		{name: "503 twice, then 200", scenario: "stay", codes: every(0), incidents: 1, stays: true, faults: once(fault{status: 503}, fault{status: 503})},
		{name: "429 with Retry-After", scenario: "stay", codes: every(0), incidents: 1, stays: true, faults: once(fault{status: 429, retryAfter: "2"})},
		{name: "lost response at the exit", scenario: "exit", codes: every(3), incidents: 1, faults: once(fault{lost: true})},
		{name: "lost response", scenario: "stay", codes: every(0), incidents: 1, stays: true, faults: once(fault{lost: true})},
		{name: "server silent at the end", scenario: "end", codes: every(0), faults: func() []fault {
			return []fault{{silent: true, until: time.Now().Add(time.Hour)}}
		}},
		{name: "server silent for a minute", scenario: "stay", codes: every(0), incidents: 1, stays: true, waits: true, faults: func() []fault {
			return []fault{{silent: true, until: time.Now().Add(*silentFor)}}
		}},
		{name: "server down for five minutes", scenario: "stay", codes: every(0), incidents: 1, stays: true, waits: true, down: func() time.Duration { return *downFor }},
		{name: "crash of a goroutine that nobody watches, told by the next start", scenario: "crash", codes: map[string]int{"go": 2}, incidents: 1, restarts: true},
		{name: "restart with a spool after an outage", scenario: "end", codes: every(0), incidents: 1, restarts: true},
	}
}

// TestSDKFaults: exactly one incident wherever a process that is allowed two seconds can
// deliver, never more than one, and the exit code that the program has without the SDK.
func TestSDKFaults(t *testing.T) {
	w := newSDKWorld(t)
	results := faultResults{}
	t.Run("rows", func(t *testing.T) {
		for _, l := range languages(t) {
			for _, row := range faultTable() {
				code, ok := row.codes[l.name]
				if !ok {
					continue
				}
				for n := range *faultRuns {
					t.Run(fmt.Sprintf("%s %s %d", l.name, row.name, n+1), func(t *testing.T) {
						if row.waits {
							t.Parallel()
						}
						incidents, delay := row.run(t, w, l, code)
						results.add(fmt.Sprintf("%-6s | %-68s | exit code %3d", l.name, row.name, code), incidents, delay)
					})
				}
			}
		}
	})
	t.Log(results.table())
}

// faultResults are the lines of the table, with what each run showed.
type faultResults struct {
	mu    sync.Mutex
	lines map[string]*faultResult
}

type faultResult struct {
	runs, incidents int
	longest         time.Duration
}

func (r *faultResults) add(line string, incidents int, delay time.Duration) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.lines == nil {
		r.lines = map[string]*faultResult{}
	}
	if r.lines[line] == nil {
		r.lines[line] = &faultResult{}
	}
	result := r.lines[line]
	result.runs, result.incidents, result.longest = result.runs+1, result.incidents+incidents, max(result.longest, delay)
}

func (r *faultResults) table() string {
	var b strings.Builder
	for _, line := range slices.Sorted(maps.Keys(r.lines)) {
		result := r.lines[line]
		fmt.Fprintf(&b, "\n%s | %d incidents in %d runs | exit delay at most %d ms", line, result.incidents, result.runs, result.longest.Milliseconds())
	}
	return b.String()
}

// run runs a row once with a service of its own.
func (row faultRow) run(t *testing.T, w *sdkWorld, l language, code int) (incidents int, delay time.Duration) {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), *downFor+3*time.Minute)
	defer cancel()
	serviceID, key := w.service(t)
	d := openDoor(t, w.server.url)
	if row.faults != nil {
		d.faults = row.faults()
	}
	var settings []string
	if row.restarts {
		settings = append(settings, "NIGHTBELL_SPOOL_DIR="+t.TempDir())
	}
	if row.restarts && row.scenario == "end" {
		d.shut()
	}
	if row.down != nil {
		d.shut()
		time.AfterFunc(row.down(), func() { d.open(t) })
	}
	program := run(t, slices.Concat(l.scenario, []string{row.scenario}), credentials(d, key, settings...)...)
	program.lines(1)
	if row.scenario == "signal" {
		program.tell(syscall.SIGTERM)
	}
	if row.stays {
		for len(w.incidents(t, serviceID)) == 0 && ctx.Err() == nil {
			time.Sleep(100 * time.Millisecond)
		}
		program.finish()
	}
	got, delay := program.wait(ctx)
	if row.restarts {
		if row.scenario == "end" {
			d.open(t)
		}
		again := run(t, slices.Concat(l.scenario, []string{"restart"}), credentials(d, key, settings...)...)
		for len(w.incidents(t, serviceID)) == 0 && ctx.Err() == nil {
			time.Sleep(50 * time.Millisecond)
		}
		again.finish()
		again.wait(ctx)
	}
	found := w.incidents(t, serviceID)
	if len(found) != row.incidents || got != code || delay > exitLimit {
		t.Errorf("%d incidents (want %d), exit code %d (want %d) after %s\n%s", len(found), row.incidents, got, code, delay, program.complaints())
	}
	for _, i := range found {
		if count := w.occurrences(t, i.ID); count != 1 {
			t.Errorf("%d occurrences of %s", count, i.Title)
		}
	}
	return len(found), delay
}
