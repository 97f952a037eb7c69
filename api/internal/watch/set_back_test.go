package watch_test

import (
	"slices"
	"testing"
	"time"

	"github.com/nightbell/nightbell/api/internal/alert"
	"github.com/nightbell/nightbell/api/internal/incident"
	"github.com/nightbell/nightbell/api/internal/pagingtest"
	"github.com/nightbell/nightbell/api/internal/platform/postgres/pgtest"
)

// TestWhatPagesAgainWaitsForNoClock: Ada has an incident and does not see it through, and the clock is set back. Bob, or
// she, is paged as soon after that as without it.
func TestWhatPagesAgainWaitsForNoClock(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		ackTimeout int // in seconds
		rises      bool
		snooze     time.Duration
		back, due  time.Duration
		confirms   bool // once the clock is set back
	}{
		"a question":                           {0, true, 0, time.Hour, 15 * time.Minute, false},
		"a question, ten minutes back":         {0, true, 0, 10 * time.Minute, 15 * time.Minute, false},
		"a question of a policy that is quick": {60, true, 0, 5 * time.Minute, time.Minute, false},
		"an acknowledgement":                   {1800, false, 0, time.Hour, 30 * time.Minute, false},
		"an acknowledgement, a minute back":    {1800, false, 0, time.Minute, 30 * time.Minute, false},
		"an acknowledgement, confirmed then":   {1800, true, 0, time.Hour, 30 * time.Minute, true},
		"a snooze":                             {1800, false, time.Hour, 2 * time.Hour, time.Hour, false},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			w := newWorkspace(t)
			w.Exec(t, `UPDATE escalation_policy SET ack_timeout_seconds = $1`, c.ackTimeout)
			w.Clock.Freeze(pagingtest.Began)
			received := pagingtest.Firing("cpu", "", pagingtest.Began)
			received.Severity = alert.High
			w.Accept(t, received)
			w.Respond(t, incident.Acknowledge{By: pagingtest.By(w.Ada, "Ada")})
			if c.snooze > 0 {
				w.Respond(t, incident.Snooze{By: pagingtest.By(w.Ada, "Ada"), For: c.snooze})
			}
			if c.rises {
				w.Respond(t, incident.ChangeSeverity{By: pagingtest.By(w.Bob, "Bob"), To: alert.Critical})
			}
			w.sent()
			paged := len(w.Paged(t))
			if found, _ := w.audit(t); found.Any() {
				t.Fatalf("found %+v before the clock was set back", found)
			}

			w.Clock.Advance(-c.back)
			if c.confirms {
				w.Respond(t, incident.Acknowledge{By: pagingtest.By(w.Ada, "Ada")})
			}
			if found, left := w.audit(t); found.ClockSetBack == 0 || left.Any() {
				t.Errorf("found %+v, left %+v", found, left)
			}
			w.Clock.Advance(c.due - time.Second)
			w.audit(t)
			if got := w.Paged(t); len(got) != paged {
				t.Errorf("paged too early: %q", got)
			}
			w.Clock.Advance(20 * time.Second)
			w.audit(t)
			if got := w.Paged(t); len(got) == paged {
				t.Errorf("nobody is paged once more: %q", got)
			}
			if ahead := pgtest.One[int](t, w.Database, `SELECT count(*) FROM incident WHERE acknowledged_at > nightbell_now() OR confirmed_at > nightbell_now()`); ahead != 0 {
				t.Error("it was acknowledged in the future")
			}
		})
	}
}

// TestATimerWithoutASetBackClockIsLeftAlone: its policy is quicker than it was, or a quiet time holds it.
func TestATimerWithoutASetBackClockIsLeftAlone(t *testing.T) {
	t.Parallel()
	w := newWorkspace(t)
	w.Exec(t, `UPDATE escalation_policy SET ack_timeout_seconds = 1800`)
	w.Clock.Freeze(pagingtest.Began)
	received := pagingtest.Firing("cpu", "", pagingtest.Began)
	received.Severity = alert.High
	w.Accept(t, received)
	w.Respond(t, incident.Acknowledge{By: pagingtest.By(w.Ada, "Ada")})
	w.Respond(t, incident.ChangeSeverity{By: pagingtest.By(w.Bob, "Bob"), To: alert.Critical})
	w.sent()
	timers := func() []string {
		return w.Texts(t, `SELECT kind || ' ' || due_at FROM incident_timer WHERE org_id = $1 ORDER BY 1`, w.Org)
	}
	for _, change := range []string{
		`UPDATE escalation_policy SET ack_timeout_seconds = 60`,
		`UPDATE incident_timer SET held = true, due_at = nightbell_now() + interval '8 hours'`,
	} {
		w.Exec(t, change)
		before := timers()
		if found, _ := w.audit(t); found.Any() || !slices.Equal(timers(), before) {
			t.Errorf("%s: found %+v, and the timers went from %q to %q", change, found, before, timers())
		}
	}
}
