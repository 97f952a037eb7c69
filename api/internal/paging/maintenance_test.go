package paging_test

import (
	"context"
	"fmt"
	"sync"
	"testing"
	"time"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"

	"github.com/nightbell/nightbell/api/internal/alert"
	"github.com/nightbell/nightbell/api/internal/escalation/escalationdb"
	"github.com/nightbell/nightbell/api/internal/incident"
	"github.com/nightbell/nightbell/api/internal/pagingtest"
	"github.com/nightbell/nightbell/api/internal/platform/postgres"
	"github.com/nightbell/nightbell/api/internal/platform/postgres/pgtest"
)

func (w *workspace) endMaintenance(t *testing.T, window uuid.UUID) {
	t.Helper()
	if err := w.tryEndMaintenance(t.Context(), window); err != nil {
		t.Fatal(err)
	}
}

func (w *workspace) tryEndMaintenance(ctx context.Context, window uuid.UUID) error {
	return w.InTenant(ctx, w.Org, func(ctx context.Context, tx pgx.Tx) error {
		now, err := postgres.Now(ctx, tx)
		if err == nil {
			_, err = escalationdb.EndMaintenance(ctx, tx, w.Org, window, now)
		}
		return err
	})
}

func TestMaintenanceHoldsPagesUntilItEnds(t *testing.T) {
	t.Parallel()
	w := newWorkspace(t)
	w.Clock.Freeze(friday)
	w.AddMaintenance(t, friday.Add(-time.Hour), friday.Add(time.Hour), "Moving the database.", w.Service)
	longest := w.AddMaintenance(t, friday, friday.Add(2*time.Hour), "Moving the disks", w.Service)
	w.AddMaintenance(t, friday.Add(3*time.Hour), friday.Add(4*time.Hour), "Later", w.Service)
	w.Accept(t, pagingtest.Firing("cpu", "", pagingtest.Began))
	w.Later(t, 90*time.Minute)
	equal(t, "held", w.Paged(t))
	equal(t, "said", w.Said(t, "held"), "Pages are held until Sat 00:00 UTC: Moving the disks.")
	if got := pgtest.One[uuid.UUID](t, w.Database, `SELECT paging_held_by FROM incident WHERE paging_status = 'active'`); got != longest {
		t.Errorf("held by %s", got)
	}
	w.Later(t, 30*time.Minute)
	equal(t, "at the end", w.Paged(t), "0.0 Ada")
	w.Later(t, 5*time.Minute)
	equal(t, "five minutes later", w.Paged(t), "0.0 Ada", "0.1 Bob")
	if got := pgtest.One[int](t, w.Database, `SELECT count(*) FROM incident WHERE paging_held_by IS NOT NULL`); got != 0 {
		t.Error("it is still said to be held")
	}
}

func TestMaintenanceHoldsTheNextStepOfWhatIsPaged(t *testing.T) {
	t.Parallel()
	w := newWorkspace(t)
	w.Clock.Freeze(friday)
	w.Accept(t, pagingtest.Firing("cpu", "", pagingtest.Began))
	window := w.AddMaintenance(t, friday.Add(time.Minute), friday.Add(time.Hour), "Work", w.Service)
	w.Later(t, 5*time.Minute)
	equal(t, "paged before it pagingtest.Began", w.Paged(t), "0.0 Ada")
	w.Later(t, time.Minute)
	w.endMaintenance(t, window)
	w.Sweep(t)
	equal(t, "when it is ended early", w.Paged(t), "0.0 Ada", "0.1 Bob")
}

func TestMaintenanceIsOfOneService(t *testing.T) {
	t.Parallel()
	w := newWorkspace(t)
	w.Clock.Freeze(friday)
	w.AddMaintenance(t, friday, friday.Add(time.Hour), "Work")
	w.Accept(t, pagingtest.Firing("cpu", "", pagingtest.Began))
	equal(t, "paged", w.Paged(t), "0.0 Ada")
}

func TestEscalateAndAnswersInMaintenance(t *testing.T) {
	t.Parallel()
	ada := incident.Actor{Kind: incident.User, Name: "Ada"}
	for _, test := range []struct {
		name     string
		commands []incident.Command
		inside   []string // paged while it lasts
		after    []string // paged when it is over
	}{
		{"escalate pages in spite of it", []incident.Command{incident.Escalate{By: ada}}, []string{"0.0 Ada"}, []string{"0.0 Ada", "0.1 Bob"}},
		{"what was acknowledged stays quiet", []incident.Command{incident.Acknowledge{By: ada}}, nil, nil},
		{"what was resolved stays quiet", []incident.Command{incident.Resolve{By: ada}}, nil, nil},
		{"escalate what was acknowledged", []incident.Command{incident.Acknowledge{By: ada}, incident.Escalate{By: ada}}, []string{"0.0 Ada"}, []string{"0.0 Ada", "0.1 Bob"}},
	} {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			w := newWorkspace(t)
			ada.ID = w.Ada
			w.Clock.Freeze(friday)
			w.AddMaintenance(t, friday, friday.Add(time.Hour), "Work", w.Service)
			w.Accept(t, pagingtest.Firing("cpu", "", pagingtest.Began))
			for _, command := range test.commands {
				w.Respond(t, command)
			}
			w.Later(t, 59*time.Minute)
			equal(t, "while it lasts", w.Paged(t), test.inside...)
			w.Later(t, time.Minute)
			equal(t, "when it is over", w.Paged(t), test.after...)
		})
	}
}

// TestEndingMaintenanceLosesNothing opens incidents while the window that holds them is
// ended: whoever was first, each of them is due.
func TestEndingMaintenanceLosesNothing(t *testing.T) {
	t.Parallel()
	w := newWorkspace(t)
	const rounds, incidents = 12, 12
	for round := range rounds {
		w.Exec(t, `DELETE FROM maintenance_window`)
		now := w.Clock.Now()
		window := w.AddMaintenance(t, now.Add(-time.Hour), now.Add(24*time.Hour), "Work", w.Service)
		var all sync.WaitGroup
		for n := range incidents {
			all.Go(func() {
				time.Sleep(time.Duration(n) * time.Millisecond)
				key := fmt.Sprint(round, "-", n)
				w.Accept(t, pagingtest.Firing(key, key, pagingtest.Began))
			})
		}
		all.Go(func() {
			time.Sleep(incidents / 2 * time.Millisecond)
			if err := w.tryEndMaintenance(t.Context(), window); err != nil {
				t.Error(err)
			}
		})
		all.Wait()
	}
	held := pgtest.One[int](t, w.Database, `SELECT count(*) FROM incident WHERE paging_held_by IS NOT NULL`)
	w.Later(t, time.Second) // those that came in the moment of the end were put off until it was known
	t.Logf("%d of %d incidents were held when their window was ended", held, rounds*incidents)
	if left := pgtest.One[int](t, w.Database, `SELECT count(*) FROM incident WHERE paging_held_by IS NOT NULL`); left > 0 {
		t.Errorf("%d incidents wait for a window that has ended", left)
	}
	if paged := pgtest.One[int](t, w.Database, `SELECT count(DISTINCT incident_id) FROM notification`); paged != rounds*incidents {
		t.Errorf("%d of %d incidents were paged for", paged, rounds*incidents)
	}
}

// TestMaintenanceCountsTheQuestionsThatItHolds beside the incidents whose pages it holds.
func TestMaintenanceCountsTheQuestionsThatItHolds(t *testing.T) {
	t.Parallel()
	w := newWorkspace(t)
	w.acknowledgedLow(t)
	window := w.AddMaintenance(t, friday, friday.Add(time.Hour), "Work", w.Service)
	w.AddMaintenance(t, friday, friday.Add(30*time.Minute), "Other work", w.Service)
	w.send(t, "down", alert.Critical)
	w.Accept(t, pagingtest.Firing("cpu", "cpu", pagingtest.Began))
	var held []int
	err := w.InTenant(t.Context(), w.Org, func(ctx context.Context, tx pgx.Tx) error {
		list, err := escalationdb.ListMaintenance(ctx, tx, w.Org, friday.Add(24*time.Hour), window, 10)
		for _, work := range list {
			held = append(held, work.Held)
		}
		return err
	})
	if err != nil || len(held) != 2 || held[0] != 2 || held[1] != 0 {
		t.Errorf("holds %v, %v", held, err)
	}
}
