package paging_test

import (
	"slices"
	"testing"
	"time"

	"github.com/nightbell/nightbell/api/internal/notify"
	"github.com/nightbell/nightbell/api/internal/pagingtest"
	"github.com/nightbell/nightbell/api/internal/platform/postgres/pgtest"
)

// TestTheNextStepIsSaid once for each step that is paged because nobody answered; the first step and
// the last resort are not such steps.
func TestTheNextStepIsSaid(t *testing.T) {
	t.Parallel()
	w := newWorkspace(t)
	w.Exec(t, `UPDATE escalation_policy SET repeats = 1`)
	w.SetSteps(t,
		pagingtest.Step{Wait: 5 * time.Minute, Targets: []pagingtest.Target{user(w.Ada)}},
		pagingtest.Step{Wait: 5 * time.Minute, Targets: []pagingtest.Target{user(w.Bob)}})
	w.Clock.Freeze(friday)
	w.Accept(t, pagingtest.Firing("disk", "disk", pagingtest.Began))
	equal(t, "at first", w.Said(t, "escalated"))
	w.Later(t, 5*time.Minute)
	equal(t, "after one delay", w.Said(t, "escalated"), "Nobody answered: paging step 2 of Default.")
	for range 4 {
		w.Later(t, 5*time.Minute)
	}
	equal(t, "in the end", w.Said(t, "escalated"), "Nobody answered: paging step 2 of Default.",
		"Nobody answered: paging step 1 of Default, round 2.", "Nobody answered: paging step 2 of Default, round 2.")
	if n := pgtest.One[int](t, w.Database, `SELECT count(*) FROM timeline_event WHERE kind = 'last_resort'`); n != 1 {
		t.Errorf("the last resort is said %d times", n)
	}
	// The page and its line are one transaction: they have one time.
	if n := pgtest.One[int](t, w.Database, `SELECT count(*) FROM timeline_event t
		WHERE t.kind = 'escalated' AND NOT EXISTS (SELECT FROM notification n WHERE n.incident_id = t.incident_id AND n.created_at = t.at)`); n != 0 {
		t.Errorf("%d lines stand without a page of that time", n)
	}
}

// TestTheNextStepSaysThatNobodyCouldBeReached where each page failed, or waits for a contact that keeps failing.
func TestTheNextStepSaysThatNobodyCouldBeReached(t *testing.T) {
	t.Parallel()
	w := newWorkspace(t)
	w.SetSteps(t, page(user(w.Ada)), page(user(w.Bob)))
	w.Clock.Freeze(friday)
	w.Accept(t, pagingtest.Firing("disk", "disk", pagingtest.Began), pagingtest.Firing("cpu", "cpu", pagingtest.Began))
	w.Exec(t, `UPDATE notification SET state = 'sent', finished_at = nightbell_now() WHERE incident_id = (SELECT id FROM incident WHERE title = 'cpu')`)
	w.Exec(t, `UPDATE contact_method SET failures = $2 WHERE user_id = $1`, w.Ada, notify.ProbeAfter)
	w.Later(t, 5*time.Minute)
	got := w.Said(t, "escalated")
	slices.Sort(got)
	equal(t, "after one delay", got, "Nobody answered: paging step 2 of Default.", "Nobody could be reached so far: paging step 2 of Default.")
}
