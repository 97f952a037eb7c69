package escalation

import (
	"cmp"
	"flag"
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/uuid"
)

// The simulator lives through whole incidents in virtual time: senders that repeat,
// two sweepers that read and commit at different moments, people who answer, planned work
// that is ended early, two keepers of timers, crashes anywhere, days of downtime. Everything
// follows from one seed. model_test.go holds the clock, the tables and the crashes,
// model_actors_test.go senders and people, model_workers_test.go and model_clock_test.go
// what runs by itself. The outbox has nights of its own: delivery/simulate_test.go.

var (
	simulations = flag.Int("simulations", 2_000, "how many seeds the simulator lives through")
	patience    = flag.Duration("for", 0, "how long it may take; 0 is without limit")
)

func TestSimulation(t *testing.T) {
	first := cmp.Or(*seeded, rand.Uint64()>>16)
	t.Logf("go test -run %s -seed %d", t.Name(), first)
	var total tally
	began, done := time.Now(), 0
	for seed := first; seed < first+uint64(*simulations) && (*patience == 0 || time.Since(began) < *patience); seed++ {
		done++
		world := simulate(seed, mutation{}, false)
		if len(world.problems) > 0 {
			retold := simulate(seed, mutation{}, true)
			t.Fatalf("seed %d: %s\n%s", seed, world.problems[0], strings.Join(retold.story, "\n"))
		}
		total.add(world.tally)
	}
	t.Logf("%d simulations in %s: %+v", done, time.Since(began).Round(time.Second), total)
	if total.incidents == 0 || total.sent == 0 || total.crashes == 0 || total.answered == 0 || total.exhausted == 0 ||
		total.held == 0 || total.quiet == 0 || total.timedOut == 0 || total.rises == 0 || total.resolvedItself == 0 || total.hurries == 0 {
		t.Error("the simulator does not reach everything")
	}
}

// TestSimulationNoticesFaults takes one guard away at a time; if no seed notices, the
// simulator proves nothing about that guard.
func TestSimulationNoticesFaults(t *testing.T) {
	for _, test := range []struct {
		name    string
		fault   mutation
		noticed string // by which invariants
	}{
		{"no version guard on the state", mutation{unguardedState: true}, "I2"},
		{"no guard and no unique effect key", mutation{unguardedState: true, duplicateEffects: true}, "I2 I5"},
		{"no unique open incident", mutation{duplicateIncidents: true}, "I3"},
		{"nobody looks again after a commit", mutation{noTick: true}, "I2 I4"},
		{"a clock that runs ahead", mutation{ahead: 20 * time.Second}, "I6"},
		{"a sweeper that does not hear of maintenance", mutation{deafHold: true}, "M1"},
		{"what an ended window held stays held", mutation{lostHold: true}, "I2"},
		{"timers that nobody carries out", mutation{noTimers: true}, "C1 C2"},
		{"a timer that acts too early", mutation{earlyTimers: true}, "C3"},
		{"timers that page in a quiet time", mutation{deafQuiet: true}, "Q3"},
		{"a hurried step that forgets its own time", mutation{forgottenTime: true}, "H1"},
		{"a severity that rises unheard", mutation{deafRise: true}, "R1 R2"},
		{"a severity that rises unheard after somebody lowered it", mutation{neverLess: true}, "R1"},
		{"an alert that its own incident answers for after it resolved itself", mutation{keptAlert: true}, "C4"},
	} {
		t.Run(test.name, func(t *testing.T) {
			for seed := range uint64(2_000) {
				for _, problem := range simulate(seed, test.fault, false).problems {
					invariant, _, _ := strings.Cut(problem, ":")
					if strings.Contains(test.noticed, invariant) {
						t.Logf("seed %d: %s", seed, problem)
						return
					}
				}
			}
			t.Error("not noticed in 2,000 simulations")
		})
	}
}

// tally is what a simulation went through.
type tally struct{ incidents, sent, crashes, answered, exhausted, held, quiet, timedOut, resolvedItself, rises, hurries int }

func (t *tally) add(other tally) {
	t.incidents += other.incidents
	t.sent += other.sent
	t.crashes += other.crashes
	t.answered += other.answered
	t.exhausted += other.exhausted
	t.held += other.held
	t.quiet += other.quiet
	t.timedOut += other.timedOut
	t.resolvedItself += other.resolvedItself
	t.rises += other.rises
	t.hurries += other.hurries
}

// checkCommit holds after every transaction.
func (w *world) checkCommit(row *incidentRow) {
	open := 0
	for _, other := range w.incidents {
		if other.key == row.key && other.Status.Open() {
			open++
		}
	}
	state := row.paging
	switch {
	case open > 1:
		w.problem("I3: %d open incidents for %s", open, row.key)
	case state.Status == Active && row.Status != "triggered":
		w.problem("I2: paging goes on although #%d is %s", row.Number(), row.Status)
	case state.Status == Active && state.NextDueAt.IsZero(), state.Status != Active && state.Reason == "":
		w.problem("I2: nothing says what follows for #%d: %+v", row.Number(), state)
	}
}

// checkSend holds whenever a page goes out.
func (w *world) checkSend(p *page) {
	row := p.of
	switch {
	case w.now.Before(p.due), p.rise == "" && !p.lastResort && !row.escalated && row.hurried == 0 && row.told[p.severity] == 0 && w.now.Before(row.cycles[p.cycle].Add(w.earliest(p.round, p.step))):
		w.problem("I6: early: %s", p.key)
	case !row.escalated && w.underWork(p.decided):
		w.problem("M1: %s was decided at %s, in maintenance", p.key, p.decided)
	case p.rise == "" && !row.answered.IsZero() && w.now.After(row.answered.Add(time.Second)):
		w.problem("I7: %s goes out %s after the answer", p.key, w.now.Sub(row.answered))
	}
}

// checkEnd holds when nothing is left to do.
func (w *world) checkEnd() {
	for key := range w.accepted {
		if !w.known(key) {
			w.problem("I1: %s was accepted and is gone", key)
		}
	}
	copies := map[string]int{}
	for _, p := range w.pages {
		copies[p.key]++
		switch {
		case p.state == pending:
			w.problem("I4: %s was never sent", p.key)
		case p.state == cancelled && p.of.answered.IsZero() && !p.of.escalated && !p.of.again:
			w.problem("I4: %s was cancelled, but nobody answered", p.key)
		case copies[p.key] > 1:
			w.problem("I5: %s exists twice", p.key)
		}
	}
	for _, row := range w.incidents {
		if row.Status == "triggered" && row.paging.Status != Exhausted {
			w.problem("I2: nobody has #%d and nothing follows: %+v", row.Number(), row.paging)
		}
		if row.Status == "triggered" && !row.escalated {
			w.checkEverybodyTried(row)
		}
		fell := row.lowered && row.rose.IsZero() // who was paged before knows of worse
		if row.Status == "triggered" && !fell && !row.quiet[row.Severity] && !slices.ContainsFunc(w.pages, func(p *page) bool {
			return p.of == row && p.severity == row.Severity && p.state == sent && !p.decided.Before(row.rose)
		}) {
			w.problem("R1: nobody was paged for #%d as %s", row.Number(), row.Severity)
		}
		if row.Status == "triggered" && row.byClock == row.paging.Cycle && !w.alwaysQuiet(row) && !slices.ContainsFunc(w.pages, func(p *page) bool { return p.of == row && p.cycle == row.byClock }) {
			w.problem("Q2: the clock triggered #%d again, and nobody was paged", row.Number())
		}
		if row.WantsConfirmation() && !w.alwaysQuiet(row) {
			w.problem("R2: #%d is %s, and was acknowledged as %s for good", row.Number(), row.Severity, row.AcknowledgedSeverity)
		}
		for severity, times := range row.told {
			if times > 1+row.unseen[severity] {
				w.problem("R3: %d times #%d was said to be %s now", times, row.Number(), severity)
			}
		}
	}
	w.checkClock()
}

// checkClock: what policies ask of the clock was done, and nothing of it too early.
func (w *world) checkClock() {
	policy := w.prospect.Policy
	for _, row := range w.incidents {
		switch {
		case row.Status == "acknowledged" && (policy.AckTimeout > 0 || !row.SnoozedUntil.IsZero()) && !w.alwaysQuiet(row):
			w.problem("C1: #%d is acknowledged for good", row.Number())
		case row.Status.Open() && policy.AutoResolve > 0:
			w.problem("C2: #%d stays open without news", row.Number())
		}
	}
	for key, row := range w.alerts {
		if row.released && row.incident.Status.Open() || !row.released && row.incident != nil && row.incident.itself && row.lastSeen.After(row.incident.ResolvedAt) {
			w.problem("C4: %s fires, and nobody has it", key)
		}
	}
}

// alwaysQuiet reports whether the policy never pages for the severity of an incident.
func (w *world) alwaysQuiet(row *incidentRow) bool {
	_, ends := w.prospect.Policy.quietHold(row.Severity, w.now)
	return w.prospect.Policy.quietAt(row.Severity, w.now) && !ends
}

// underWork reports whether maintenance was under way.
func (w *world) underWork(at time.Time) bool {
	return HoldAt(w.prospect.Maintenance, w.prospect.Service, at).Until.After(at)
}

// checkEverybodyTried: whoever the policy means was reached, or the owners were.
func (w *world) checkEverybodyTried(row *incidentRow) {
	reached := map[uuid.UUID]bool{}
	for _, p := range w.pages {
		if p.of == row && p.state == sent {
			reached[p.target] = true
		}
	}
	if !w.plain { // hours, turns and hand-overs decide; it must not be nobody
		if len(reached) == 0 && len(row.quiet) == 0 {
			w.problem("P4: nobody was tried for #%d", row.Number())
		}
		return
	}
	wanted := everybody(w.prospect.Policy)
	if len(wanted) == 0 {
		wanted = w.prospect.Owners
	}
	for _, id := range wanted {
		if !reached[id] {
			w.problem("P4: %s of #%d was never tried", id, row.Number())
		}
	}
}

func everybody(policy Policy) []uuid.UUID {
	var all []uuid.UUID
	for _, step := range policy.Steps {
		for _, target := range step.Targets {
			all = append(all, target.People...)
			if target.Channel != uuid.Nil {
				all = append(all, target.Channel)
			}
		}
	}
	return all
}

// earliest is how long after the beginning of its cycle a step may be paged at first.
// Steps that are for some severities, hours or hand-overs may be skipped at once.
func (w *world) earliest(round, step int) time.Duration {
	perRound, before := time.Duration(0), time.Duration(0)
	for i, s := range w.prospect.Policy.Steps {
		if !w.plain || !s.meansSomebody() {
			continue
		}
		perRound += s.delay()
		if i < step {
			before += s.delay()
		}
	}
	if perRound == 0 && w.plain {
		return time.Duration(round) * waited(w.prospect.Policy, State{})
	}
	return time.Duration(round)*perRound + before
}

func (w *world) problem(format string, args ...any) {
	w.tell(format, args...)
	w.problems = append(w.problems, fmt.Sprintf(format, args...))
}
