package installation_test

import (
	"log/slog"
	"testing"
	"time"

	"github.com/google/uuid"

	"github.com/nightbell/nightbell/api/internal/incident"
	"github.com/nightbell/nightbell/api/internal/installation"
	"github.com/nightbell/nightbell/api/internal/paging"
	"github.com/nightbell/nightbell/api/internal/pagingtest"
	"github.com/nightbell/nightbell/api/internal/platform/postgres"
)

// 22:00 Ada snoozes a critical incident until 06:00. Backup at 02:00, the machine dies at 03:00, the backup
// is restored and confirmed at 08:00.
func TestASnoozeThatEndedWhileTheMachineWasDeadEndsLate(t *testing.T) {
	t.Parallel()
	w := pagingtest.New(t)
	w.Clock.Freeze(time.Date(2026, 11, 24, 22, 0, 0, 0, time.UTC))
	w.Accept(t, pagingtest.Firing("cpu", "", pagingtest.Began))
	one := w.OnlyIncident(t)
	err := w.Responder.Respond(t.Context(), w.Org, []uuid.UUID{one}, incident.Snooze{By: pagingtest.By(w.Ada, "Ada"), For: 8 * time.Hour})
	if err != nil {
		t.Fatal(err)
	}
	before := w.Pages(t)
	w.Clock.Advance(10 * time.Hour)
	w.Exec(t, `INSERT INTO installation (environment_id, key_fingerprint, created_at) SELECT gen_random_uuid(), 'x', nightbell_now() WHERE NOT EXISTS (SELECT FROM installation)`)
	w.Exec(t, `UPDATE installation SET home = '{"database": "", "address": "a backup", "witness": "a backup"}', copy_found_at = nightbell_now()`)
	if _, err := installation.Confirm(t.Context(), w.DB); err != nil {
		t.Fatal(err)
	}
	timers := paging.NewTimerSweeper(w.DB, postgres.Sweep, slog.New(slog.DiscardHandler), paging.Signals{})
	for range 48 {
		w.Clock.Advance(time.Hour)
		if _, err := timers.Sweep(t.Context()); err != nil {
			t.Fatal(err)
		}
		w.Sweep(t)
	}
	if after := w.Pages(t); len(after) <= len(before) {
		t.Errorf("nobody was paged when the snooze was over: %q", after)
	}
}

// TestNewTroublePagesInWhatACopyLeftOut: nobody is paged for what is old, and for what joins it as for any.
func TestNewTroublePagesInWhatACopyLeftOut(t *testing.T) {
	t.Parallel()
	w := pagingtest.New(t)
	w.Clock.Freeze(time.Date(2026, 11, 24, 22, 0, 0, 0, time.UTC))
	w.Accept(t, pagingtest.Firing("cpu", "db", pagingtest.Began))
	w.Clock.Advance(10 * time.Hour)
	w.Exec(t, `INSERT INTO installation (environment_id, key_fingerprint, created_at) SELECT gen_random_uuid(), 'x', nightbell_now() WHERE NOT EXISTS (SELECT FROM installation)`)
	w.Exec(t, `UPDATE installation SET home = '{"database": "", "address": "a backup", "witness": "a backup"}', copy_found_at = nightbell_now()`)
	if left, err := installation.Confirm(t.Context(), w.DB); err != nil || left != 1 {
		t.Fatalf("%d left out, %v", left, err)
	}
	before := w.Pages(t)
	w.Accept(t, pagingtest.Firing("cpu", "db", pagingtest.Began)) // which says nothing new
	if after := w.Pages(t); len(after) != len(before) {
		t.Errorf("what goes on paged: %q", after)
	}
	w.Accept(t, pagingtest.Firing("memory", "db", pagingtest.Began))
	if after := w.Pages(t); len(after) != len(before)+1 {
		t.Errorf("nobody was paged for new trouble: %q", after)
	}
}
