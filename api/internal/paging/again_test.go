package paging_test

import (
	"testing"
	"time"

	"github.com/nightbell/nightbell/api/internal/alert"
	"github.com/nightbell/nightbell/api/internal/incident"
	"github.com/nightbell/nightbell/api/internal/pagingtest"
)

// runOut sends an alert that nobody answers until its paging runs out, and tells who was paged.
func (w *workspace) runOut(t *testing.T, key string, severity alert.Severity) []string {
	t.Helper()
	w.send(t, key, severity)
	for range 4 {
		w.tick(t, 5*time.Minute)
	}
	equal(t, "paging", w.Texts(t, `SELECT paging_status FROM incident`), "exhausted")
	return w.cycles(t)
}

// TestNewTroubleIsToldWhereNobodyHasHeard: an incident opened in a quiet time, so nobody was paged. What joins it
// by day is for people, what joins it in the next quiet time is not.
func TestNewTroubleIsToldWhereNobodyHasHeard(t *testing.T) {
	t.Parallel()
	w := newWorkspace(t)
	w.quietFrom(t, 22*60, 7*60)
	w.Clock.Freeze(friday)
	w.send(t, "host a", alert.Critical)
	w.tick(t, 8*time.Hour)
	w.send(t, "host b", alert.Critical) // 06:00
	equal(t, "in the quiet time", w.cycles(t))
	w.tick(t, 4*time.Hour)
	equal(t, "by day", w.cycles(t))
	w.send(t, "host c", alert.Critical)
	equal(t, "new trouble by day", w.cycles(t), "2.0.0 Ada")
	w.send(t, "host d", alert.Critical)
	equal(t, "while paging is under way", w.cycles(t), "2.0.0 Ada")
}

// TestNewTroubleBeginsPagingThatNobodyAnswered again, once an hour at most: also an alert of it that had ended.
func TestNewTroubleBeginsPagingThatNobodyAnswered(t *testing.T) {
	t.Parallel()
	w := newWorkspace(t)
	w.Clock.Freeze(friday)
	w.send(t, "host a", alert.Critical)
	first := w.runOut(t, "host b", alert.Critical)
	w.send(t, "host c", alert.Critical)
	equal(t, "soon after", w.cycles(t), first...)
	w.tick(t, time.Hour)
	equal(t, "what only goes on tells nothing", w.cycles(t), first...)
	w.Accept(t, pagingtest.Ended("host a", "db", pagingtest.Began))
	again := pagingtest.Firing("host a", "db", friday.Add(time.Hour))
	w.Accept(t, again)
	equal(t, "an hour later", w.cycles(t)[len(first):], "2.0.0 Ada")

	w.Respond(t, incident.Acknowledge{By: pagingtest.By(w.Bob, "Bob")})
	w.tick(t, 5*time.Hour)
	w.send(t, "host d", alert.Critical)
	equal(t, "whoever has it is not asked", w.cycles(t)[len(first):], "2.0.0 Ada")
}

// TestNewTroubleThatKeepsComingPagesOnceAnHour: what comes within the hour, somebody who lowers the severity, and
// what says that it is worse than that begin no new hour.
func TestNewTroubleThatKeepsComingPagesOnceAnHour(t *testing.T) {
	t.Parallel()
	w := newWorkspace(t)
	w.Clock.Freeze(friday)
	first := w.runOut(t, "host a", alert.Critical)
	over := w.Texts(t, `SELECT paging_updated_at::text FROM incident`)
	w.tick(t, 40*time.Minute)
	w.send(t, "host b", alert.Critical)
	w.Respond(t, incident.ChangeSeverity{To: alert.High, By: pagingtest.By(w.Bob, "Bob")})
	equal(t, "40 minutes later", w.cycles(t), first...)
	equal(t, "paging is over since", w.Texts(t, `SELECT paging_updated_at::text FROM incident`), over...)
	w.tick(t, 40*time.Minute)
	w.send(t, "host c", alert.High)
	equal(t, "80 minutes later", w.cycles(t)[len(first):], "2.0.0 Ada")
}

// TestNewTroubleInAQuietTimePutsNothingOff: the hour has passed when the quiet time ends.
func TestNewTroubleInAQuietTimePutsNothingOff(t *testing.T) {
	t.Parallel()
	w := newWorkspace(t)
	w.quietFrom(t, 23*60, 7*60)
	w.Clock.Freeze(friday) // 22:00
	first := w.runOut(t, "host a", alert.Critical)
	w.tick(t, 8*time.Hour+25*time.Minute)
	w.send(t, "host b", alert.Critical) // 06:45
	equal(t, "in the quiet time", w.cycles(t), first...)
	w.tick(t, 20*time.Minute)
	w.send(t, "host c", alert.Critical) // 07:05
	equal(t, "after it", w.cycles(t)[len(first):], "2.0.0 Ada")
}

// TestNewTroublePagesThoughTheClockWasSetBack: to before paging ran out.
func TestNewTroublePagesThoughTheClockWasSetBack(t *testing.T) {
	t.Parallel()
	w := newWorkspace(t)
	w.Clock.Freeze(friday)
	first := w.runOut(t, "host a", alert.Critical)
	w.Clock.Advance(-3 * time.Second)
	w.send(t, "host b", alert.Critical)
	equal(t, "a moment before", w.cycles(t), first...)
	w.Clock.Advance(-3 * time.Hour)
	w.send(t, "host c", alert.Critical)
	equal(t, "hours before", w.cycles(t)[:1], "2.0.0 Ada") // it is the first by the clock
}

// TestPagingThatBeginsAgainWaitsForTheMorning: a low incident whose paging ran out becomes critical while the policy
// is quiet for that.
func TestPagingThatBeginsAgainWaitsForTheMorning(t *testing.T) {
	t.Parallel()
	w := newWorkspace(t)
	w.quietFrom(t, 23*60, 7*60)
	w.Clock.Freeze(friday) // 22:00
	first := w.runOut(t, "slow", alert.Low)
	w.tick(t, time.Hour)
	w.send(t, "down", alert.Critical)
	w.tick(t, time.Hour)
	equal(t, "at night", w.cycles(t), first...)
	equal(t, "said", w.Said(t, "held"), "Pages are held until Sat 07:00 UTC: Default pages nobody for critical incidents until then.")
	w.tick(t, 7*time.Hour)
	equal(t, "in the morning", w.cycles(t)[len(first):len(first)+1], "2.0.0 Ada")
}

// TestWhatIsSnoozedDoesNotResolveItself: somebody is promised to be paged then.
func TestWhatIsSnoozedDoesNotResolveItself(t *testing.T) {
	t.Parallel()
	w := newWorkspace(t)
	w.Exec(t, `UPDATE escalation_policy SET auto_resolve_seconds = 3600`)
	w.Clock.Freeze(friday)
	w.send(t, "down", alert.Critical)
	w.Respond(t, incident.Snooze{By: pagingtest.By(w.Bob, "Bob"), For: 8 * time.Hour})
	for range 16 {
		w.tick(t, 30*time.Minute)
	}
	equal(t, "at its end", w.Incidents(t), "triggered critical 1")
	equal(t, "paged", w.cycles(t), "1.0.0 Ada", "2.0.0 Ada")
	for range 3 {
		w.tick(t, 30*time.Minute)
	}
	equal(t, "an hour without news later", w.Incidents(t), "resolved critical 1")
}
