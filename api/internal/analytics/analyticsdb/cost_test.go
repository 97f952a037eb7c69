package analyticsdb_test

import (
	"context"
	"flag"
	"syscall"
	"testing"
	"time"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"

	"github.com/nightbell/nightbell/api/internal/analytics"
	"github.com/nightbell/nightbell/api/internal/analytics/analyticsdb"
	"github.com/nightbell/nightbell/api/internal/platform/postgres"
	"github.com/nightbell/nightbell/api/internal/platform/postgres/pgtest"
)

var crowd = flag.Int("incidents", 2_000, "how many incidents the period has, with three pages each; 100000 for a figure")

// TestABusyPeriodIsReadAndComputedAtOnce prints what a call costs, and how PostgreSQL reads it, with
// -v -args -incidents 100000.
func TestABusyPeriodIsReadAndComputedAtOnce(t *testing.T) {
	db := pgtest.New(t)
	db.Clock.Freeze(now)
	orgID, other := uuid.New(), uuid.New()
	fill(t, db, orgID, *crowd, 80)
	fill(t, db, other, 1000, 80)
	for first := 1; first <= *crowd; first += 5000 {
		db.Exec(t, `INSERT INTO notification (org_id, id, effect_key, incident_id, user_id, contact_method_id, channel, cycle, round, step, reason, severity_rank, why, state, due_at, next_try_at, finished_at, created_at)
			SELECT $1, gen_random_uuid(), gen_random_uuid()::text, i.id, c.user_id, c.id, 'email', 1, 1, 2, 'On call for 24/7 Support until 08:00 CET; step 1 of Standard', 1,
			       jsonb_build_object('policy', 'Standard', 'step', 1, 'schedule', '24/7 Support', 'rotation', 'Night'), 'sent', i.triggered_at, i.triggered_at, i.triggered_at + interval '1 minute', i.triggered_at
			FROM incident i JOIN (SELECT *, row_number() OVER (ORDER BY id) AS n FROM contact_method WHERE org_id = $1) c ON c.n = 1 + i.number % 4
			WHERE i.org_id = $1 AND i.number BETWEEN $2 AND $2 + 4999`, orgID, first)
	}
	db.Exec(t, `ANALYZE incident, notification`)
	asked := analyticsdb.Asked{OrgID: orgID, Since: now.AddDate(0, 0, -80), Until: now}
	for range 3 {
		began, used := time.Now(), usedCPU(t)
		facts := read(t, db, asked)
		wasRead, usedThen := time.Now(), usedCPU(t)
		report := analytics.Make(facts, analytics.Period{Since: now.AddDate(0, 0, -40), Until: now}, time.UTC)
		t.Logf("%d incidents, %d pages: read in %s (%s of this process), computed in %s (%s)", len(facts.Incidents), len(facts.Pages),
			wasRead.Sub(began), usedThen-used, time.Since(wasRead), usedCPU(t)-usedThen)
		if report.Periods[0].Total.Triggered+report.Periods[1].Total.Triggered != len(facts.Incidents) {
			t.Errorf("%d and %d incidents of %d", report.Periods[0].Total.Triggered, report.Periods[1].Total.Triggered, len(facts.Incidents))
		}
	}
	facts := read(t, db, asked)
	ids := make([]uuid.UUID, len(facts.Incidents))
	for n := range facts.Incidents {
		ids[n] = facts.Incidents[n].ID
	}
	explain(t, db, orgID, analyticsdb.ReadIncidentsSQL, orgID, asked.Since, asked.Until, []uuid.UUID{}, []uuid.UUID{}, 10_000_000)
	explain(t, db, orgID, analyticsdb.ReadPagesSQL, orgID, ids, 10_000_000)
}

func explain(t *testing.T, db *pgtest.Database, orgID uuid.UUID, sql string, arguments ...any) {
	t.Helper()
	err := db.InTenant(t.Context(), orgID, func(ctx context.Context, tx pgx.Tx) error {
		rows, err := tx.Query(ctx, `EXPLAIN (ANALYZE, BUFFERS, COSTS OFF) `+sql, arguments...)
		if err != nil {
			return err
		}
		plan, err := pgx.CollectRows(rows, pgx.RowTo[string])
		for _, line := range plan {
			t.Log(line[:min(len(line), 200)])
		}
		return err
	}, postgres.ReadOnly())
	if err != nil {
		t.Error(err)
	}
}

// usedCPU is what this process has used so far: on a machine that others share, time says little.
func usedCPU(t *testing.T) time.Duration {
	t.Helper()
	var usage syscall.Rusage
	if err := syscall.Getrusage(syscall.RUSAGE_SELF, &usage); err != nil {
		t.Fatal(err)
	}
	return time.Duration(usage.Utime.Nano() + usage.Stime.Nano())
}
