package paging_test

import (
	"testing"
	"time"

	"github.com/nightbell/nightbell/api/internal/alert"
	"github.com/nightbell/nightbell/api/internal/incident"
	"github.com/nightbell/nightbell/api/internal/pagingtest"
)

// by lets Ada give the incident a severity.
func (w *workspace) by(t *testing.T, severity alert.Severity) {
	t.Helper()
	w.Respond(t, incident.ChangeSeverity{By: pagingtest.By(w.Ada, "Ada"), To: severity})
}

// cyclesAfter are the pages after the first n.
func (w *workspace) cyclesAfter(t *testing.T, n int) []string {
	t.Helper()
	all := w.cycles(t)
	return all[min(n, len(all)):]
}

func forCritical(step pagingtest.Step) pagingtest.Step {
	step.Severities = []string{"critical"}
	return step
}

// TestASeverityThatRisesAfterItWasLoweredIsNews: everybody had heard that it is critical, somebody took
// that back, and when it was critical again nobody heard of it.
func TestASeverityThatRisesAfterItWasLoweredIsNews(t *testing.T) {
	t.Parallel()
	t.Run("paging ended, because the policy is quiet for the lower one", func(t *testing.T) {
		t.Parallel()
		w := newWorkspace(t)
		w.Clock.Freeze(friday)
		w.SetSteps(t, page(user(w.Bob)))
		w.Exec(t, `UPDATE escalation_policy SET quiet = '[{"severities": ["low"], "windows": []}]'`)
		w.send(t, "down", alert.Critical)
		w.by(t, alert.Low)
		w.Later(t, 5*time.Minute)
		equal(t, "paging", w.Texts(t, `SELECT paging_status FROM incident WHERE org_id = $1`, w.Org), "exhausted")
		w.Clock.Advance(time.Minute)
		w.by(t, alert.Critical)
		equal(t, "paged", w.cycles(t), "1.0.0 Bob", "2.0.0 Bob")
	})
	t.Run("paging ran out, past a step that is not for the lower one", func(t *testing.T) {
		t.Parallel()
		w := newWorkspace(t)
		eve := w.AddPerson(t, "Eve")
		w.Clock.Freeze(friday)
		w.SetSteps(t, page(user(w.Bob)), forCritical(page(user(eve))))
		w.Exec(t, `UPDATE escalation_policy SET last_resort = 'nobody'`)
		w.send(t, "down", alert.Critical)
		w.by(t, alert.Low)
		w.Later(t, 5*time.Minute)
		equal(t, "paging", w.Texts(t, `SELECT paging_status FROM incident WHERE org_id = $1`, w.Org), "exhausted")
		w.Clock.Advance(time.Minute)
		w.by(t, alert.Critical)
		w.Later(t, 5*time.Minute)
		equal(t, "paged", w.cycles(t), "1.0.0 Bob", "2.0.0 Bob", "2.0.1 Eve")
	})
	t.Run("under way: who was paged as low is told, and who was skipped is paged, each time", func(t *testing.T) {
		t.Parallel()
		w := newWorkspace(t)
		eve, zoe := w.AddPerson(t, "Eve"), w.AddPerson(t, "Zoe")
		w.Clock.Freeze(friday)
		w.SetSteps(t, page(user(w.Bob)), forCritical(page(user(zoe))), page(user(eve)))
		w.send(t, "down", alert.Critical)
		w.by(t, alert.Low)
		w.Later(t, 5*time.Minute)
		equal(t, "as low", w.cycles(t), "1.0.0 Bob", "1.0.2 Eve")
		w.Clock.Advance(time.Minute)
		w.by(t, alert.Critical)
		equal(t, "as critical", w.cyclesAfter(t, 2), "1.0.1 Zoe", "1.0.2 Bob rise", "1.0.2 Eve rise")
		w.Clock.Advance(time.Minute)
		w.send(t, "down, too", alert.Critical)
		equal(t, "what is no rise", w.cyclesAfter(t, 5))
		w.by(t, alert.Medium)
		w.by(t, alert.Critical)
		equal(t, "once more", w.cyclesAfter(t, 5), "1.0.2 Bob rise", "1.0.2 Eve rise", "1.0.2 Zoe rise")
	})
}

// TestWhatWasQuietPagesOnceItIsLowered to a severity that is not: at the end of the quiet time it was late, and
// where that has no end nobody heard of it.
func TestWhatWasQuietPagesOnceItIsLowered(t *testing.T) {
	t.Parallel()
	for name, quiet := range map[string]string{
		"until the evening": `[{"severities": ["high"], "windows": [{"days": [], "from": 0, "to": 1410}]}]`,
		"without end":       `[{"severities": ["high"], "windows": []}]`,
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			w := newWorkspace(t)
			w.SetSteps(t, page(user(w.Bob)))
			w.Exec(t, `UPDATE escalation_policy SET quiet = $1`, quiet)
			w.Clock.Freeze(friday)
			w.send(t, "down", alert.High)
			w.tick(t, time.Minute)
			equal(t, "quiet", w.cycles(t))
			w.by(t, alert.Low)
			if got := w.cycles(t); len(got) != 1 {
				t.Errorf("lowered: %q", got)
			}
		})
	}
}

// TestALimitThatPassedBeginsAgainOnceItIsLowered to a severity that is paged for: it may have passed unheard, and
// somebody is at it now.
func TestALimitThatPassedBeginsAgainOnceItIsLowered(t *testing.T) {
	t.Parallel()
	const limit = `ack_timeout_seconds = 600`
	for name, policies := range map[string][2]string{
		"in a quiet time without end":     {limit + `, quiet = '[{"severities": ["high"], "windows": []}]'`, limit},
		"before the policy had any limit": {`quiet = '[]'`, limit},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			w := newWorkspace(t)
			w.Exec(t, `UPDATE escalation_policy SET `+policies[0])
			w.Clock.Freeze(friday)
			w.send(t, "down", alert.High)
			w.Respond(t, incident.Acknowledge{By: pagingtest.By(w.Bob, "Bob")})
			w.tick(t, 10*time.Minute)
			equal(t, "passed", w.Incidents(t), "acknowledged high 1")
			w.Exec(t, `UPDATE escalation_policy SET `+policies[1])
			w.by(t, alert.Low)
			w.tick(t, 10*time.Minute-time.Second)
			equal(t, "lowered", w.Incidents(t), "acknowledged low 1")
			w.tick(t, time.Second)
			equal(t, "again unanswered", w.Incidents(t), "triggered low 1")
			equal(t, "paged", w.cyclesAfter(t, len(w.cycles(t))-1), "2.0.0 Ada")
		})
	}
}

// TestWhoeverHasItIsAskedAfterEachLowering, and not by an alert that flaps.
func TestWhoeverHasItIsAskedAfterEachLowering(t *testing.T) {
	t.Parallel()
	asked := func(t *testing.T, w *workspace) int {
		t.Helper()
		return len(w.Texts(t, `SELECT id::text FROM notification WHERE org_id = $1 AND confirms`, w.Org))
	}
	want := func(t *testing.T, w *workspace, what string, times int) {
		t.Helper()
		if got := asked(t, w); got != times {
			t.Errorf("%s: asked %d times, want %d: %q", what, got, times, w.cycles(t))
		}
	}
	t.Run("it was told before as critical, and rises twice", func(t *testing.T) {
		t.Parallel()
		w := newWorkspace(t)
		w.Clock.Freeze(friday)
		w.send(t, "down", alert.Critical)
		w.by(t, alert.Low)
		w.Respond(t, incident.Acknowledge{By: pagingtest.By(w.Bob, "Bob")})
		w.Clock.Advance(time.Second)
		w.by(t, alert.High)
		want(t, w, "as high", 1)
		w.Clock.Advance(time.Second)
		w.by(t, alert.Critical)
		want(t, w, "as critical", 2)
		w.tick(t, 15*time.Minute)
		equal(t, "without an answer the policy pages", w.Incidents(t), "triggered critical 1")
	})
	t.Run("it was acknowledged as critical, lowered and raised", func(t *testing.T) {
		t.Parallel()
		w := newWorkspace(t)
		w.Clock.Freeze(friday)
		w.send(t, "down", alert.Critical)
		w.Respond(t, incident.Acknowledge{By: pagingtest.By(w.Bob, "Bob")})
		w.by(t, alert.Low)
		w.Clock.Advance(time.Second)
		w.by(t, alert.Critical)
		want(t, w, "raised", 1)
		w.Clock.Advance(10 * time.Minute)
		w.by(t, alert.Low)
		equal(t, "what is taken back is asked no more", w.timers(t))
		w.by(t, alert.Critical)
		want(t, w, "raised again", 2)
		w.tick(t, 14*time.Minute)
		equal(t, "the time to confirm began again", w.Incidents(t), "acknowledged critical 1")
		w.tick(t, time.Minute)
		equal(t, "and is over", w.Incidents(t), "triggered critical 1")
	})
	t.Run("its alert flaps", func(t *testing.T) {
		t.Parallel()
		w := newWorkspace(t)
		w.Clock.Freeze(friday)
		w.send(t, "down", alert.Critical)
		w.Respond(t, incident.Acknowledge{By: pagingtest.By(w.Bob, "Bob")})
		flap := func() {
			w.Clock.Advance(time.Minute)
			w.send(t, "down", alert.Low)
			w.Clock.Advance(time.Minute)
			w.send(t, "down", alert.Critical)
		}
		flap()
		want(t, w, "acknowledged at that height", 0)
		w.by(t, alert.Low)
		flap()
		flap()
		want(t, w, "lowered since", 1)
	})
}
