package escalationdb

import (
	"context"
	"fmt"
	"slices"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"

	"github.com/nightbell/nightbell/api/internal/escalation"
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
	db.Exec(t, `INSERT INTO incident_timer (org_id, incident_id, kind, due_at)
		SELECT org_id, id, 'ack_timeout', paging_due_at FROM incident`)
	for _, overdue := range []time.Duration{0, 500 * time.Millisecond, 6 * time.Second, 12 * time.Second} {
		db.Exec(t, `DELETE FROM incident WHERE org_id = $1`, calm)
		db.Exec(t, `INSERT INTO incident (org_id, id, number, title, severity, urgency, source, status, paging_status, paging_cycle, paging_due_at, triggered_at, updated_at)
			VALUES ($1, $2, 1, 'x', 'low', 'low', 'test', 'triggered', 'active', 1, $3, $4, $4)`, calm, one, now.Add(-overdue), now)
		db.Exec(t, `INSERT INTO incident_timer (org_id, incident_id, kind, due_at) VALUES ($1, $2, 'ack_timeout', $3)`, calm, one, now.Add(-overdue))
		err := db.InSystem(t.Context(), postgres.Sweep, func(ctx context.Context, tx pgx.Tx) error {
			claimed, err := ClaimDue(ctx, tx, now, 100, nil)
			if err != nil {
				return err
			}
			isOne := func(p Paging) bool { return p.IncidentID == one }
			if len(claimed) != 100 || !slices.ContainsFunc(claimed, isOne) {
				t.Errorf("the other organization's step, %s overdue, is not among the %d that are claimed", overdue, len(claimed))
			}
			timers, err := ClaimTimers(ctx, tx, escalation.AckTimeout, now, 100, nil)
			if err != nil {
				return err
			}
			isTimer := func(timer DueTimer) bool { return timer.IncidentID == one }
			if len(timers) != 100 || !slices.ContainsFunc(timers, isTimer) {
				t.Errorf("the other organization's timer, %s overdue, is not among the %d that are claimed", overdue, len(timers))
			}
			return nil
		})
		if err != nil {
			t.Fatal(err)
		}
	}
}

// TestAClaimBehindABacklogReadsLittle: beside 30,000 late steps of one organization, which PostgreSQL has not
// analyzed, a look reads them once for each end, and what is open in each of 500 others.
func TestAClaimBehindABacklogReadsLittle(t *testing.T) {
	t.Parallel()
	db := pgtest.New(t)
	now := time.Date(2026, 5, 1, 22, 0, 0, 0, time.UTC)
	db.Exec(t, `INSERT INTO org (id, kind, name, created_at) SELECT gen_random_uuid(), 'individual', n::text, $1 FROM generate_series(0, 500) n`, now)
	db.Exec(t, `INSERT INTO incident (org_id, id, number, title, severity, urgency, source, status, paging_status, paging_cycle, paging_due_at, triggered_at, updated_at)
		SELECT o.id, gen_random_uuid(), n, 'x', 'low', 'low', 'test', 'triggered', 'active', 1, $1::timestamptz + CASE o.name WHEN '0' THEN n * interval '-1 ms' ELSE interval '1 minute' END, $1, $1
		FROM org o, generate_series(1, CASE o.name WHEN '0' THEN 30000 ELSE 5 END) n`, now)
	db.Exec(t, `INSERT INTO incident_timer (org_id, incident_id, kind, due_at) SELECT org_id, id, 'ack_timeout', paging_due_at FROM incident`)
	for name, claim := range map[string]struct{ statement, of, arguments, table string }{
		"steps":  {claimDueSQL, "timestamptz, integer, uuid[]", "'%s', 100, '{}'", "incident"},
		"timers": {claimTimersSQL, "text, timestamptz, integer, uuid[]", "'ack_timeout', '%s', 100, '{}'", "incident_timer"},
	} {
		err := db.InSystem(t.Context(), postgres.Sweep, func(ctx context.Context, tx pgx.Tx) error {
			if _, err := tx.Exec(ctx, `PREPARE claim (`+claim.of+`) AS `+claim.statement); err != nil {
				return err
			}
			plan, err := pgtest.Explain(ctx, tx, fmt.Sprintf(`EXECUTE claim (`+claim.arguments+`)`, now.Format(time.RFC3339)))
			if err != nil {
				return err
			}
			read, whole := plan.Of(claim.table)
			t.Logf("%s: %v rows, %v ms", name, read, plan.Number("Actual Total Time"))
			if most := 2*30000.0 + 501 + 5*500 + 400; whole || read > most {
				t.Errorf("%s: %v rows are read, all of them: %v, want at most %v", name, read, whole, most)
			}
			_, err = tx.Exec(ctx, `DEALLOCATE claim`)
			return err
		})
		if err != nil {
			t.Fatal(err)
		}
	}
}
