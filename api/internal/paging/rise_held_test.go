package paging_test

import (
	"testing"
	"time"

	"github.com/google/uuid"

	"github.com/nightbell/nightbell/api/internal/alert"
	"github.com/nightbell/nightbell/api/internal/incident"
	"github.com/nightbell/nightbell/api/internal/pagingtest"
	"github.com/nightbell/nightbell/api/internal/platform/postgres/pgtest"
)

// TestARiseInMaintenanceLeavesTheNextStepItsTime: the paging of a low incident is under way, and it becomes
// critical in maintenance. The next step began to wait again at the end of that.
func TestARiseInMaintenanceLeavesTheNextStepItsTime(t *testing.T) {
	t.Parallel()
	begun := func(t *testing.T, starts, ends time.Duration) *workspace {
		t.Helper()
		w := newWorkspace(t)
		eve := w.AddPerson(t, "Eve")
		w.Clock.Freeze(friday)
		first := page(user(w.Bob))
		first.Wait = 40 * time.Minute
		w.SetSteps(t, first, page(user(eve)))
		w.AddMaintenance(t, friday.Add(starts), friday.Add(ends), "Work", w.Service)
		w.send(t, "slow", alert.Low)
		return w
	}
	t.Run("the step is due after it", func(t *testing.T) {
		t.Parallel()
		w := begun(t, 5*time.Minute, 25*time.Minute)
		w.tick(t, 15*time.Minute)
		w.by(t, alert.Critical)
		equal(t, "said", w.Said(t, "held"), "Pages are held until 22:25 UTC: Work.")
		w.tick(t, 10*time.Minute-time.Second)
		equal(t, "while it lasts", w.cycles(t), "1.0.0 Bob")
		w.tick(t, time.Second)
		equal(t, "at its end", w.cyclesAfter(t, 1), "1.0.1 Bob rise")
		w.tick(t, 15*time.Minute-time.Second)
		equal(t, "before the next step", w.cyclesAfter(t, 2))
		w.tick(t, time.Second)
		equal(t, "the next step in its time", w.cyclesAfter(t, 2), "1.0.1 Eve")
		equal(t, "timers", w.timers(t))
	})
	t.Run("the step is held by it", func(t *testing.T) {
		t.Parallel()
		w := begun(t, 32*time.Minute, 60*time.Minute)
		w.tick(t, 40*time.Minute)
		w.tick(t, 10*time.Minute)
		w.by(t, alert.Critical)
		w.tick(t, 10*time.Minute-time.Second)
		equal(t, "while it lasts", w.cycles(t), "1.0.0 Bob")
		w.tick(t, time.Second)
		equal(t, "at its end", w.cyclesAfter(t, 1), "1.0.1 Bob rise", "1.0.1 Eve")
	})
	t.Run("the step becomes due in it, and it ends early", func(t *testing.T) {
		t.Parallel()
		w := begun(t, 5*time.Minute, time.Hour)
		w.tick(t, 15*time.Minute)
		w.by(t, alert.Critical)
		w.Clock.Advance(time.Minute)
		w.endMaintenance(t, pgtest.One[uuid.UUID](t, w.Database, `SELECT id FROM maintenance_window`))
		w.tick(t, 0)
		equal(t, "when it ends", w.cyclesAfter(t, 1), "1.0.1 Bob rise")
		w.tick(t, 24*time.Minute)
		equal(t, "the next step in its time", w.cyclesAfter(t, 2), "1.0.1 Eve")
	})
	t.Run("and it ends in a quiet time: then it waits for the end of that, also when the next step pages nobody in it", func(t *testing.T) {
		t.Parallel()
		for _, wait := range []time.Duration{40 * time.Minute, 6 * time.Hour} {
			w := begun(t, 5*time.Minute, 25*time.Minute)
			w.Exec(t, `UPDATE escalation_policy SET quiet = '[{"severities": ["medium"], "windows": [{"days": [], "from": 1340, "to": 1410}]}]'`)
			w.Exec(t, `UPDATE incident SET paging_due_at = $1`, friday.Add(wait))
			w.tick(t, 15*time.Minute)
			w.by(t, alert.Medium)
			w.tick(t, 74*time.Minute)
			equal(t, "in the quiet time", w.cycles(t), "1.0.0 Bob")
			w.tick(t, time.Minute)
			told := w.cyclesAfter(t, 1)
			if len(told) == 0 {
				t.Errorf("the step after %s: nobody is told at the end of the quiet time; timers %q, said %q", wait, w.timers(t), w.Said(t, "held"))
			}
		}
	})
	t.Run("and somebody has it before its end", func(t *testing.T) {
		t.Parallel()
		w := begun(t, 5*time.Minute, 25*time.Minute)
		w.tick(t, 15*time.Minute)
		w.by(t, alert.Critical)
		w.Respond(t, incident.Acknowledge{By: pagingtest.By(w.Bob, "Bob")})
		w.tick(t, time.Hour)
		equal(t, "paged", w.cycles(t), "1.0.0 Bob")
	})
}

// TestWhoeverWasPagedBeforePagingRanOutIsToldAtOnce of a severity that rises: paging begins again at the
// first step, and those of the later steps and the owners are not left to wait for theirs.
func TestWhoeverWasPagedBeforePagingRanOutIsToldAtOnce(t *testing.T) {
	t.Parallel()
	for _, held := range []bool{false, true} {
		t.Run(map[bool]string{false: "at once", true: "at the end of maintenance"}[held], func(t *testing.T) {
			t.Parallel()
			w := newWorkspace(t)
			eve := w.AddPerson(t, "Eve")
			w.Clock.Freeze(friday)
			w.SetSteps(t, page(user(w.Bob)), page(user(eve)))
			w.send(t, "slow", alert.Low)
			for range 3 {
				w.Later(t, 5*time.Minute)
			}
			equal(t, "as low", w.cycles(t), "1.0.0 Bob", "1.0.1 Eve", "1.0.1 Ada")
			if held {
				w.AddMaintenance(t, w.Clock.Now(), w.Clock.Now().Add(time.Hour), "Work", w.Service)
			}
			w.send(t, "down", alert.Critical)
			if held {
				equal(t, "in maintenance", w.cyclesAfter(t, 3))
				w.tick(t, time.Hour)
			}
			equal(t, "as critical", w.cyclesAfter(t, 3), "2.0.0 Ada rise", "2.0.0 Bob", "2.0.0 Eve rise")
			w.tick(t, 5*time.Minute)
			equal(t, "the next step", w.cyclesAfter(t, 6), "2.0.1 Eve")
		})
	}
}
