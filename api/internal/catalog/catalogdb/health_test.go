package catalogdb_test

import (
	"context"
	"regexp"
	"strings"
	"testing"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"

	"github.com/nightbell/nightbell/api/internal/platform/postgres/pgtest"
)

// TestTheHealthOfAServiceReadsNoHistory: of 50,000 incidents, 10 are open and 100 were merged.
func TestTheHealthOfAServiceReadsNoHistory(t *testing.T) {
	t.Parallel()
	db := pgtest.New(t)
	org, service := uuid.New(), uuid.New()
	db.Exec(t, `INSERT INTO org (id, kind, name, created_at) VALUES ($1, 'organization', 'Acme', nightbell_now())`, org)
	db.Exec(t, `INSERT INTO service (org_id, id, name, created_at, updated_at) VALUES ($1, $2, 'Checkout', nightbell_now(), nightbell_now())`, org, service)
	db.Exec(t, `INSERT INTO incident (org_id, id, number, service_id, incident_key, title, status, severity, urgency, source, resolved_at, triggered_at, updated_at)
		SELECT $1, gen_random_uuid(), n, $2, 'alert:' || n, 'Incident', CASE WHEN n % 5000 = 0 THEN 'triggered' ELSE 'resolved' END, 'low', 'low', 'api',
		       CASE WHEN n % 5000 > 0 THEN nightbell_now() END, nightbell_now(), nightbell_now() FROM generate_series(1, 50000) n`, org, service)
	db.Exec(t, `UPDATE incident SET merged_into_id = (SELECT id FROM incident WHERE number = 5000) WHERE number % 500 = 1`)
	db.Exec(t, `ANALYZE`)
	for _, sql := range []string{`SELECT count(*) FROM incidents_of_service($1, $2)`, `SELECT o.severity FROM incidents_of_service($1, $2) o WHERE o.severity = 'critical' LIMIT 1`} {
		err := db.InTenant(t.Context(), org, func(ctx context.Context, tx pgx.Tx) error {
			rows, err := tx.Query(ctx, `EXPLAIN (ANALYZE, COSTS OFF, TIMING OFF) `+sql, org, service)
			if err != nil {
				return err
			}
			plan, err := pgx.CollectRows(rows, pgx.RowTo[string])
			if text := strings.Join(plan, "\n"); regexp.MustCompile(`Removed by Filter: \d{4,}|Seq Scan|incident_service_idx`).MatchString(text) {
				t.Errorf("%s reads what is over:\n%s", sql, text)
			}
			return err
		})
		if err != nil {
			t.Fatal(err)
		}
	}
}
