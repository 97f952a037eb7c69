package paging_test

import (
	"context"
	"testing"
	"time"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"

	"github.com/nightbell/nightbell/api/internal/escalation"
	"github.com/nightbell/nightbell/api/internal/escalation/escalationdb"
	"github.com/nightbell/nightbell/api/internal/pagingtest"
	"github.com/nightbell/nightbell/api/internal/platform/postgres"
)

// editMaintenance stores a window as it is to be, and does more before that is committed.
func (w *workspace) editMaintenance(t *testing.T, window escalation.Maintenance, more func()) {
	t.Helper()
	if err := w.InTenant(t.Context(), w.Org, func(ctx context.Context, tx pgx.Tx) error {
		now, err := postgres.Now(ctx, tx)
		if err != nil {
			return err
		}
		if _, err := escalationdb.LockMaintenance(ctx, tx, w.Org, window.ID); err != nil {
			return err
		}
		complete, err := escalationdb.UpdateMaintenance(ctx, tx, w.Org, window, now)
		if !complete {
			t.Error("a service is missing")
		}
		more()
		return err
	}); err != nil {
		t.Fatal(err)
	}
}

// TestEditedMaintenanceHoldsAsItIsNow: a window that holds an incident until midnight is changed
// after half an hour.
func TestEditedMaintenanceHoldsAsItIsNow(t *testing.T) {
	t.Parallel()
	for name, test := range map[string]struct {
		change func(*escalation.Maintenance)
		// after is who is paged after that many minutes of the edit.
		after map[int][]string
	}{
		"ends earlier": {
			func(m *escalation.Maintenance) { m.End = friday.Add(time.Hour) },
			map[int][]string{29: nil, 30: {"0.0 Ada"}},
		},
		"ends later": {
			func(m *escalation.Maintenance) { m.End = friday.Add(3 * time.Hour) },
			map[int][]string{0: nil, 91: nil, 150: {"0.0 Ada"}},
		},
		"is put off":            {func(m *escalation.Maintenance) { m.Start = friday.Add(time.Hour) }, map[int][]string{0: {"0.0 Ada"}}},
		"is of other services":  {func(m *escalation.Maintenance) { m.Services = []uuid.UUID{} }, map[int][]string{0: {"0.0 Ada"}}},
		"is described in words": {func(m *escalation.Maintenance) { m.Description = "Disks" }, map[int][]string{0: nil, 89: nil, 90: {"0.0 Ada"}}},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			w := newWorkspace(t)
			w.Clock.Freeze(friday)
			window := escalation.Maintenance{Start: friday, End: friday.Add(2 * time.Hour), Description: "Work", Services: []uuid.UUID{w.Service}}
			window.ID = w.AddMaintenance(t, window.Start, window.End, window.Description, w.Service)
			w.Accept(t, pagingtest.Firing("cpu", "", pagingtest.Began))
			w.Later(t, 30*time.Minute)
			test.change(&window)
			w.editMaintenance(t, window, func() {})
			edited := w.Clock.Now()
			for minutes := range 151 {
				want, look := test.after[minutes]
				if !look {
					continue
				}
				w.Later(t, edited.Add(time.Duration(minutes)*time.Minute).Sub(w.Clock.Now()))
				equal(t, name+", paged", w.Paged(t), want...)
			}
		})
	}
}

// TestMaintenanceHoldsNoServiceThatWasTakenOut: an alert of the service arrives while the edit is under
// way. It is decided about again once the edit is stored.
func TestMaintenanceHoldsNoServiceThatWasTakenOut(t *testing.T) {
	t.Parallel()
	w := newWorkspace(t)
	w.Clock.Freeze(friday)
	window := escalation.Maintenance{Start: friday, End: friday.Add(24 * time.Hour), Description: "Work", Services: []uuid.UUID{}}
	window.ID = w.AddMaintenance(t, window.Start, window.End, window.Description, w.Service)
	w.editMaintenance(t, window, func() {
		w.Accept(t, pagingtest.Firing("cpu", "", pagingtest.Began))
		equal(t, "meanwhile", w.Paged(t))
	})
	w.Later(t, time.Second)
	equal(t, "paged", w.Paged(t), "0.0 Ada")
}
