package escalationdb

import (
	"context"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"

	"github.com/nightbell/nightbell/api/internal/kernel/id"
	"github.com/nightbell/nightbell/api/internal/platform/postgres"
	"github.com/nightbell/nightbell/api/internal/platform/postgres/pgtest"
)

// TestOneOrganizationsBacklogDelaysNoOthersStep: with the longest overdue first, a step of another
// organization waited until the whole backlog was paged.
func TestOneOrganizationsBacklogDelaysNoOthersStep(t *testing.T) {
	t.Parallel()
	db := pgtest.New(t)
	busy, calm := id.New(), id.New()
	now := time.Date(2026, 5, 1, 22, 0, 0, 0, time.UTC)
	db.Exec(t, `INSERT INTO org (id, kind, name, created_at) VALUES ($1, 'individual', 'Busy', $3), ($2, 'individual', 'Calm', $3)`, busy, calm, now)
	// Those that became due after the calm one's are as many as those before it.
	db.Exec(t, `INSERT INTO incident (org_id, id, number, title, severity, urgency, source, status, paging_status, paging_cycle, paging_due_at, triggered_at, updated_at)
		SELECT $1, gen_random_uuid(), n, 'x', 'low', 'low', 'test', 'triggered', 'active', 1, $2::timestamptz - n * interval '1 ms', $2, $2 FROM generate_series(1, 12000) n`, busy, now)
	one := id.New()
	for _, overdue := range []time.Duration{0, 500 * time.Millisecond, 12 * time.Second} {
		db.Exec(t, `DELETE FROM incident WHERE org_id = $1`, calm)
		db.Exec(t, `INSERT INTO incident (org_id, id, number, title, severity, urgency, source, status, paging_status, paging_cycle, paging_due_at, triggered_at, updated_at)
			VALUES ($1, $2, 1, 'x', 'low', 'low', 'test', 'triggered', 'active', 1, $3, $4, $4)`, calm, one, now.Add(-overdue), now)
		err := db.InSystem(t.Context(), postgres.Sweep, func(ctx context.Context, tx pgx.Tx) error {
			claimed, err := ClaimDue(ctx, tx, now, 100)
			if err != nil {
				return err
			}
			if len(claimed) != 100 {
				t.Errorf("%d claimed", len(claimed))
			}
			for _, paging := range claimed {
				if paging.IncidentID == one {
					return nil
				}
			}
			t.Errorf("the other organization's step, %s overdue, waits behind the backlog", overdue)
			return nil
		})
		if err != nil {
			t.Fatal(err)
		}
	}
}
