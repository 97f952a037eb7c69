package paging_test

import (
	"testing"
	"time"

	"github.com/google/uuid"

	"github.com/nightbell/nightbell/api/internal/incident"
	"github.com/nightbell/nightbell/api/internal/pagingtest"
	"github.com/nightbell/nightbell/api/internal/platform/postgres/pgtest"
)

// weekend is an organization whose support is Ada's on weekdays and Eve's on weekends
// (Berlin, hand-over on Monday 08:00), with Bob as backup and the team behind them.
type weekend struct {
	*workspace
	eve, mallory uuid.UUID
}

func newWeekend(t *testing.T) *weekend {
	t.Helper()
	w := &weekend{workspace: newWorkspace(t)}
	w.eve, w.mallory = w.AddPerson(t, "Eve"), w.AddPerson(t, "Mallory")
	support := w.AddSchedule(t, "24/7 Support", "Europe/Berlin")
	monday := time.Date(2026, 3, 23, 7, 0, 0, 0, time.UTC) // before the clocks change on the 29th
	w.AddWeeks(t, support, "Weekdays", monday, w.Ada)
	w.Exec(t, `UPDATE rotation SET windows = '[{"days": [1, 2, 3, 4, 5], "from": 480, "to": 480}]' WHERE name = 'Weekdays'`)
	w.AddWeeks(t, support, "Weekend", monday, w.eve)
	w.Exec(t, `UPDATE rotation SET windows = '[{"days": [6, 0], "from": 480, "to": 480}]' WHERE name = 'Weekend'`)
	backup := w.AddSchedule(t, "Backup Support", "Europe/Berlin")
	w.AddWeeks(t, backup, "Backup", monday, w.Bob)
	squad := w.AddTeam(t, "Squad", w.mallory)
	w.SetSteps(t, pagingtest.Step{Wait: 10 * time.Minute, Targets: []pagingtest.Target{schedule(support)}},
		pagingtest.Step{Wait: 10 * time.Minute, Targets: []pagingtest.Target{schedule(backup)}},
		pagingtest.Step{Wait: 10 * time.Minute, Targets: []pagingtest.Target{team(squad), schedule(support)}})
	return w
}

// TestThreeStepsAcrossAWeekendHandover lets an incident of the night before Monday wait
// until the week has begun: each step pages who is on call when it is due. It is the night
// after the clocks were changed, so the hand-over is at 06:00 UTC.
func TestThreeStepsAcrossAWeekendHandover(t *testing.T) {
	t.Parallel()
	w := newWeekend(t)
	w.Clock.Freeze(time.Date(2026, 3, 30, 5, 45, 0, 0, time.UTC)) // Monday 07:45 in Berlin
	w.Accept(t, pagingtest.Firing("cpu", "", pagingtest.Began))
	equal(t, "07:45", w.Paged(t), "0.0 Eve")
	w.Later(t, 9*time.Minute+59*time.Second)
	equal(t, "07:54:59", w.Paged(t), "0.0 Eve")
	w.Later(t, time.Second)
	equal(t, "07:55", w.Paged(t), "0.0 Eve", "0.1 Bob")
	w.Later(t, 10*time.Minute)
	equal(t, "08:05", w.Paged(t)[:2], "0.0 Eve", "0.1 Bob")
	if third := w.Paged(t)[2:]; len(third) != 2 || third[0] == third[1] || third[0] != "0.2 Ada" && third[1] != "0.2 Ada" {
		t.Errorf("08:05: %q, want the team and Ada, whose week has begun", third)
	}
	equal(t, "reasons", w.Texts(t, `SELECT n.reason FROM notification n JOIN users u ON u.id = n.user_id WHERE n.org_id = $1 AND u.name IN ('Eve', 'Ada') ORDER BY n.step`, w.Org),
		"On call for 24/7 Support (Weekend) until 08:00 CEST; step 1 of Default.", "On call for 24/7 Support (Weekdays) until Sat 08:00 CEST; step 3 of Default.")
	w.Respond(t, incident.Acknowledge{By: pagingtest.By(w.Ada, "Ada")})
	w.Later(t, time.Hour)
	if got := w.Paged(t); len(got) != 4 {
		t.Errorf("paged after the answer: %q", got)
	}
}

// TestDowntimePagesEachMissedPersonOnce stops everything for 10 minutes, 2 hours and 3
// days after the first page (T11): each missed person is tried once, by who is on call
// when Nightbell is back, the next step keeps its full delay, and no policy is used up.
func TestDowntimePagesEachMissedPersonOnce(t *testing.T) {
	t.Parallel()
	for _, test := range []struct {
		name    string
		down    time.Duration
		missed  []string
		nextIn  time.Duration
		next    []string
		repeats int
	}{
		{"10 minutes", 10 * time.Minute, []string{"0.1 Bob"}, 10 * time.Minute, []string{"0.2 Eve", "0.2 Mallory"}, 1},
		{"2 hours", 2 * time.Hour, []string{"0.1 Bob", "0.2 Eve", "0.2 Mallory"}, 10 * time.Minute, []string{"1.1 Bob"}, 1},
		// Bob, the team and Ada, whose week it is by then: also as the first step of the second round.
		{"3 days", 72 * time.Hour, []string{"0.1 Bob", "0.2 Ada", "0.2 Mallory"}, 10 * time.Minute, []string{"1.1 Bob"}, 1},
		{"3 days, in the last round", 72 * time.Hour, []string{"0.1 Bob", "0.2 Ada", "0.2 Mallory"}, 10 * time.Minute, []string{"0.2 Ada"}, 0}, // the last resort
	} {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			w := newWeekend(t)
			w.Exec(t, `UPDATE escalation_policy SET repeats = $1`, test.repeats)
			w.Clock.Freeze(time.Date(2026, 3, 28, 20, 0, 0, 0, time.UTC)) // the Saturday before clocks change
			w.Accept(t, pagingtest.Firing("cpu", "", pagingtest.Began))
			answered := pagingtest.Firing("answered", "answered", pagingtest.Began)
			w.Accept(t, answered)
			w.acknowledgeTitled(t, "answered")
			w.Later(t, test.down)
			equal(t, "missed", w.sortedPages(t, 0), test.missed...)
			w.Later(t, test.nextIn-time.Second)
			equal(t, "a second before the next step", w.sortedPages(t, len(test.missed)))
			w.Later(t, time.Second)
			equal(t, "the next step", w.sortedPages(t, len(test.missed)), test.next...)
			if got := pgtest.One[int](t, w.Database, `SELECT count(*) FROM notification n JOIN incident i ON i.id = n.incident_id WHERE i.status = 'acknowledged'`); got != 1 {
				t.Errorf("%d pages for what was answered before", got)
			}
		})
	}
}

// sortedPages are the pages of the incident that nobody answered, without the first one
// and skip more, by name within a moment.
func (w *weekend) sortedPages(t *testing.T, skip int) []string {
	t.Helper()
	pages := w.Texts(t, `SELECT n.round || '.' || n.step || ' ' || u.name FROM notification n JOIN users u ON u.id = n.user_id
		JOIN incident i ON i.id = n.incident_id WHERE n.org_id = $1 AND i.status = 'triggered' ORDER BY n.created_at, n.round, n.step, u.name`, w.Org)
	return pages[1+skip:]
}

func (w *weekend) acknowledgeTitled(t *testing.T, title string) {
	t.Helper()
	incidentID := pgtest.One[uuid.UUID](t, w.Database, `SELECT id FROM incident WHERE title = $1`, title)
	if err := w.Responder.Respond(t.Context(), w.Org, []uuid.UUID{incidentID}, incident.Acknowledge{By: pagingtest.By(w.Ada, "Ada")}); err != nil {
		t.Fatal(err)
	}
}
