package incidents_test

import (
	"context"
	"testing"
	"time"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"

	nightbellv1 "github.com/nightbell/nightbell/api/gen/nightbell/v1"
	"github.com/nightbell/nightbell/api/internal/platform/postgres"
	"github.com/nightbell/nightbell/api/internal/platform/postgres/pgtest"
	"github.com/nightbell/nightbell/api/internal/view/incidents"
)

// TestCountsStayExact counts a large organization again and again while incidents begin
// and end, and compares with a plain count. Another organization is counted beside it.
func TestCountsStayExact(t *testing.T) {
	t.Parallel()
	db := pgtest.New(t)
	large, small := uuid.New(), uuid.New()
	for org, n := range map[uuid.UUID]int{large: 11_000, small: 20} {
		db.Exec(t, `INSERT INTO org (id, kind, name, created_at) VALUES ($1, 'organization', 'Acme', nightbell_now())`, org)
		add(t, db, org, 1, n)
	}
	var counter incidents.Counter
	look := func(when string) {
		t.Helper()
		for _, org := range []uuid.UUID{large, small} {
			counted, truth := counts(t, db, &counter, org), &nightbellv1.CountIncidentsResponse{}
			for status, into := range map[string]*int32{"triggered": &truth.TriggeredCount, "acknowledged": &truth.AcknowledgedCount, "resolved": &truth.ResolvedCount} {
				*into = pgtest.One[int32](t, db, `SELECT count(*)::int FROM incident WHERE org_id = $1 AND status = $2`, org, status)
			}
			if counted.GetTriggeredCount() != truth.GetTriggeredCount() || counted.GetAcknowledgedCount() != truth.GetAcknowledgedCount() || counted.GetResolvedCount() != truth.GetResolvedCount() {
				t.Errorf("%s: counted %v, there are %v", when, counted, truth)
			}
		}
	}
	look("at first")
	add(t, db, large, 11_001, 11_050)
	look("with new ones")
	db.Exec(t, `UPDATE incident SET status = 'resolved', resolved_at = nightbell_now() WHERE status <> 'resolved' AND number % 3 = 0`)
	look("with old and new ones resolved")
	db.Clock.Advance(2 * time.Hour)
	add(t, db, large, 11_051, 11_100)
	look("after two hours")
}

// add gives an organization incidents, one a minute until now.
func add(t *testing.T, db *pgtest.Database, org uuid.UUID, from, to int) {
	t.Helper()
	db.Exec(t, `INSERT INTO incident (org_id, id, number, title, status, severity, urgency, source, acknowledged_at, resolved_at, triggered_at, updated_at)
		SELECT $1, gen_random_uuid(), n, 'Incident ' || n, status, 'low', 'low', 'api',
		       CASE status WHEN 'acknowledged' THEN at END, CASE status WHEN 'resolved' THEN at END, at, at
		FROM (SELECT n, (ARRAY['triggered', 'acknowledged', 'resolved', 'resolved', 'resolved'])[1 + n % 5] AS status,
		             nightbell_now() - ($3 - n) * interval '1 minute' AS at FROM generate_series($2::integer, $3::integer) n) made`, org, from, to)
}

func counts(t *testing.T, db *pgtest.Database, counter *incidents.Counter, org uuid.UUID) (counted *nightbellv1.CountIncidentsResponse) {
	t.Helper()
	err := db.InTenant(t.Context(), org, func(ctx context.Context, tx pgx.Tx) error {
		now, err := postgres.Now(ctx, tx)
		if err != nil {
			return err
		}
		counted, err = counter.Count(ctx, tx, org, now)
		return err
	}, postgres.ReadOnly())
	if err != nil {
		t.Fatal(err)
	}
	return counted
}
