package paging_test

import (
	"fmt"
	"slices"
	"sync"
	"testing"
	"time"

	"github.com/google/uuid"

	"github.com/nightbell/nightbell/api/internal/alert"
	"github.com/nightbell/nightbell/api/internal/intake"
	"github.com/nightbell/nightbell/api/internal/kernel/fault"
	"github.com/nightbell/nightbell/api/internal/pagingtest"
	"github.com/nightbell/nightbell/api/internal/platform/postgres/pgtest"
)

func TestStepsAreForSeveritiesAndHours(t *testing.T) {
	t.Parallel()
	w := newWorkspace(t)
	eve := w.AddPerson(t, "Eve")
	w.Exec(t, `UPDATE escalation_policy SET timezone = 'Europe/Berlin'`)
	w.SetSteps(t,
		pagingtest.Step{Wait: 5 * time.Minute, Targets: []pagingtest.Target{user(w.Ada)}, Severities: []string{"critical", "high"}},
		pagingtest.Step{Wait: 5 * time.Minute, Targets: []pagingtest.Target{user(w.Bob)}, Windows: []pagingtest.Window{{Days: []int{1, 2, 3, 4, 5}, From: 9 * 60, To: 17 * 60}}},
		page(user(eve)))
	w.Clock.Freeze(friday) // Friday 23:00 in Berlin
	low := pagingtest.Firing("cpu", "cpu", pagingtest.Began)
	low.Severity = alert.Low
	w.Accept(t, low)
	equal(t, "a low one at night", w.Paged(t), "0.2 Eve")
	equal(t, "said", w.Said(t, "step_skipped"),
		"Step 1 of Default was skipped: it is for critical and high incidents, and this one is low.",
		"Step 2 of Default was skipped: it does not page at this time (Friday 23:00 in Europe/Berlin).")

	w.Clock.Freeze(time.Date(2026, 11, 23, 7, 56, 0, 0, time.UTC)) // Monday 08:56: the second step is due in its hours
	w.Accept(t, pagingtest.Firing("disk", "disk", pagingtest.Began))
	w.Later(t, 5*time.Minute)
	equal(t, "a critical one by day", w.Paged(t), "0.2 Eve", "0.0 Ada", "0.1 Bob", "0.2 Ada") // she is also the last resort of the low one

	w.SetSteps(t, pagingtest.Step{Wait: 5 * time.Minute, Targets: []pagingtest.Target{user(w.Bob)}, Severities: []string{"low"}})
	w.Clock.Advance(time.Second)
	w.Accept(t, pagingtest.Firing("net", "net", pagingtest.Began))
	if got := w.Paged(t); got[len(got)-1] != "0.0 Ada" {
		t.Errorf("no step is for it, and %q were paged instead of the owner", got)
	}
}

func TestRoundRobinTakesTurns(t *testing.T) {
	t.Parallel()
	w := newWorkspace(t)
	eve, mallory := w.AddPerson(t, "Eve"), w.AddPerson(t, "Mallory")
	w.Exec(t, `UPDATE escalation_policy SET repeats = 1`)
	w.Exec(t, `DELETE FROM contact_method WHERE user_id = $1`, mallory)
	squad := w.AddTeam(t, "Squad", eve, mallory)
	w.SetSteps(t, pagingtest.Step{Wait: 5 * time.Minute, RoundRobin: true, Targets: []pagingtest.Target{user(w.Bob), team(squad)}})
	w.Clock.Freeze(friday)
	for _, key := range []string{"a", "b", "c", "d"} {
		w.Accept(t, pagingtest.Firing(key, key, pagingtest.Began))
		w.Clock.Advance(time.Second)
	}
	equal(t, "paged", w.Paged(t), "0.0 Bob", "0.0 Eve", "0.0 Bob", "0.0 Bob") // Mallory's turn passes to the next
	if got := pgtest.One[int](t, w.Database, `SELECT next_turn FROM escalation_policy`); got != 4 {
		t.Errorf("the next turn is %d", got)
	}
	w.Later(t, 10*time.Minute)
	equal(t, "in the second round", w.Paged(t)[4:], "1.0 Eve", "1.0 Bob", "1.0 Bob", "1.0 Eve")
}

// TestTurnsAreTakenOnce opens incidents at once: no two have one turn, and none is left out.
func TestTurnsAreTakenOnce(t *testing.T) {
	t.Parallel()
	w := newWorkspace(t)
	w.SetSteps(t, pagingtest.Step{Wait: 5 * time.Minute, RoundRobin: true, Targets: []pagingtest.Target{user(w.Ada), user(w.Bob)}})
	const incidents = 40
	replicas := []*intake.Intake{w.Intake}
	w.Start(t) // a second replica
	replicas = append(replicas, w.Intake)
	var senders sync.WaitGroup
	for n := range incidents {
		senders.Go(func() {
			key := fmt.Sprint("alert", n)
			batch := alert.Batch{Alerts: []alert.Received{pagingtest.Firing(key, key, pagingtest.Began)}}
			err := replicas[n%2].Accept(t.Context(), w.Route, batch)
			for tries := 1; fault.Is(err, fault.Unavailable) && tries < 10; tries++ {
				err = replicas[n%2].Accept(t.Context(), w.Route, batch) // as senders do: a busy machine may be too slow
			}
			if err != nil {
				t.Error(err)
			}
		})
	}
	senders.Wait()
	turns := w.Texts(t, `SELECT paging_turn::text FROM incident WHERE org_id = $1 ORDER BY incident.paging_turn`, w.Org)
	for n := range incidents {
		if len(turns) != incidents || turns[n] != fmt.Sprint(n) {
			t.Fatalf("the turns are %v", turns)
		}
	}
	if paged := w.Paged(t); len(slices.DeleteFunc(paged, func(p string) bool { return p != "0.0 Ada" })) != incidents/2 {
		t.Error("one was paged more often than the other")
	}
}

// TestEditsUnderWayNeverLeadToNobody changes what an incident's next step depends on
// while it is paged for (T15): somebody follows at once, or the owners do.
func TestEditsUnderWayNeverLeadToNobody(t *testing.T) {
	t.Parallel()
	for _, test := range []struct {
		name string
		edit func(t *testing.T, w *workspace, night, squad uuid.UUID)
		want string // who is paged at the time of the second step
	}{
		{"nothing", func(*testing.T, *workspace, uuid.UUID, uuid.UUID) {}, "0.1 Eve"},
		{"delete the person", func(t *testing.T, w *workspace, _, _ uuid.UUID) {
			w.Exec(t, `DELETE FROM membership WHERE user_id = (SELECT id FROM users WHERE name = 'Eve')`)
		}, "0.2 Mallory"},
		{"delete the schedule", func(t *testing.T, w *workspace, night, _ uuid.UUID) {
			w.Exec(t, `DELETE FROM schedule WHERE id = $1`, night)
		}, "0.2 Mallory"},
		{"switch the schedule off", func(t *testing.T, w *workspace, night, _ uuid.UUID) {
			w.Exec(t, `UPDATE schedule SET status = 'inactive' WHERE id = $1`, night)
		}, "0.2 Mallory"},
		{"delete the schedule and the team", func(t *testing.T, w *workspace, night, squad uuid.UUID) {
			w.Exec(t, `DELETE FROM schedule WHERE id = $1`, night)
			w.Exec(t, `DELETE FROM team WHERE id = $1`, squad)
			w.SetSteps(t, page(), page(), page())
		}, "0.2 Ada"},
		{"disable the contacts", func(t *testing.T, w *workspace, _, _ uuid.UUID) {
			w.Exec(t, `UPDATE contact_method SET disabled_at = nightbell_now() WHERE user_id = (SELECT id FROM users WHERE name = 'Eve')`)
		}, "0.2 Mallory"},
		{"empty the step", func(t *testing.T, w *workspace, _, _ uuid.UUID) {
			w.Exec(t, `DELETE FROM escalation_target WHERE step_position = 1`)
		}, "0.2 Mallory"},
		{"another policy text", func(t *testing.T, w *workspace, _, squad uuid.UUID) {
			w.SetSteps(t, page(user(w.Bob)), page(team(squad)))
		}, "0.1 Mallory"},
		{"a shorter policy", func(t *testing.T, w *workspace, _, squad uuid.UUID) {
			w.Exec(t, `UPDATE escalation_policy SET repeats = 1`)
			w.SetSteps(t, page(team(squad)))
		}, "0.0 Mallory"},
		{"delete the policy", func(t *testing.T, w *workspace, _, _ uuid.UUID) {
			w.Exec(t, `UPDATE org SET default_policy_id = NULL`)
			w.Exec(t, `DELETE FROM escalation_policy`)
		}, "1.0 Ada"},
		{"the service gets another policy", func(t *testing.T, w *workspace, _, _ uuid.UUID) {
			w.Exec(t, `UPDATE service SET escalation_policy_id = NULL`)
		}, "0.1 Eve"},
		{"the service is deleted", func(t *testing.T, w *workspace, _, _ uuid.UUID) {
			w.Exec(t, `UPDATE service SET deleted_at = nightbell_now()`)
		}, "0.1 Eve"},
		{"nobody but an owner is left", func(t *testing.T, w *workspace, _, _ uuid.UUID) {
			w.Exec(t, `DELETE FROM membership WHERE role <> 'owner'`)
		}, "0.2 Ada"},
	} {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			w := newWorkspace(t)
			w.Clock.Freeze(friday)
			night, squad := w.support2(t, w.AddPerson(t, "Eve")), w.AddTeam(t, "Squad", w.AddPerson(t, "Mallory"))
			w.SetSteps(t, page(user(w.Bob)), page(schedule(night)), page(team(squad)))
			w.Accept(t, pagingtest.Firing("cpu", "", pagingtest.Began))
			test.edit(t, w, night, squad)
			w.Later(t, 5*time.Minute)
			got := w.Paged(t)
			if len(got) == 0 || got[len(got)-1] != test.want || len(got) > 2 {
				t.Errorf("paged %q, want %q last", got, test.want)
			}
		})
	}
}
