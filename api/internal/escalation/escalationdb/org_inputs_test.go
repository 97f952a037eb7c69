package escalationdb

import (
	"context"
	"strings"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"

	"github.com/nightbell/nightbell/api/internal/escalation"
	"github.com/nightbell/nightbell/api/internal/kernel/id"
	"github.com/nightbell/nightbell/api/internal/platform/postgres"
	"github.com/nightbell/nightbell/api/internal/platform/postgres/pgtest"
)

// TestAWindowThatEndedSinceTheStatementBeganHoldsNothingLonger: the edit has released what it held
// already, so whoever holds an incident by the old end forgets it until then. An advisory lock stands
// for the moment between the statement's snapshot and its row locks.
func TestAWindowThatEndedSinceTheStatementBeganHoldsNothingLonger(t *testing.T) {
	t.Parallel()
	db := pgtest.New(t)
	org, window := id.New(), id.New()
	now := time.Date(2026, 5, 1, 22, 0, 0, 0, time.UTC)
	db.Exec(t, `INSERT INTO org (id, kind, name, created_at) VALUES ($1, 'individual', 'Acme', $2)`, org, now)
	db.Exec(t, `INSERT INTO maintenance_window (org_id, id, description, starts_at, ends_at, created_at) VALUES ($1, $2, 'Work', $3, $4, $3)`, org, window, now, now.Add(24*time.Hour))
	owner := db.Owner(t)
	const between = 7
	if _, err := owner.Exec(t.Context(), `SELECT pg_advisory_lock($1)`, between); err != nil {
		t.Fatal(err)
	}
	paused := strings.Replace(lockedWindowsSQL, "(SELECT) one", "(SELECT pg_advisory_xact_lock(7)) one", 1)
	var held []escalation.Maintenance
	read := make(chan error, 1)
	go func() {
		read <- db.InSystem(t.Context(), postgres.Sweep, func(ctx context.Context, tx pgx.Tx) error {
			batch := &pgx.Batch{}
			queueOrgInputs(batch, paused, org, now, now, func(inputs OrgInputs) { held = inputs.Maintenance })
			return tx.SendBatch(ctx, batch).Close()
		})
	}()
	for pgtest.One[int](t, db, `SELECT count(*) FROM pg_locks WHERE locktype = 'advisory' AND NOT granted
		AND database = (SELECT oid FROM pg_database WHERE datname = current_database())`) == 0 {
		time.Sleep(time.Millisecond)
	}
	end := now.Add(time.Hour)
	if err := db.InTenant(t.Context(), org, func(ctx context.Context, tx pgx.Tx) error {
		_, err := EndMaintenance(ctx, tx, org, window, end)
		return err
	}); err != nil {
		t.Fatal(err)
	}
	if _, err := owner.Exec(t.Context(), `SELECT pg_advisory_unlock($1)`, between); err != nil {
		t.Fatal(err)
	}
	if err := <-read; err != nil {
		t.Fatal(err)
	}
	if len(held) != 1 || held[0].ID != window || !held[0].End.Equal(end) && !held[0].Changing {
		t.Errorf("holds by %+v, want the end at %s, or that it is changing", held, end)
	}
}
