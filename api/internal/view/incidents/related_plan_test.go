package incidents

import (
	"context"
	"fmt"
	"testing"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"

	"github.com/nightbell/nightbell/api/internal/platform/postgres/pgtest"
)

// TestAnIncidentIsReadByKeyInAStorm: everybody who answers reads the incident again, with what it has to do
// with. A storm opens thousands of incidents before PostgreSQL analyzes them, and connections keep the plans
// that they made before or meanwhile.
func TestAnIncidentIsReadByKeyInAStorm(t *testing.T) {
	t.Parallel()
	for _, before := range []int{1, 100, 3000} {
		t.Run(fmt.Sprintf("planned at %d incidents", before), func(t *testing.T) {
			t.Parallel()
			db := pgtest.New(t)
			org, service, asked := uuid.New(), uuid.New(), uuid.New()
			db.Exec(t, `INSERT INTO org (id, kind, name, created_at) VALUES ($1, 'organization', 'Acme', nightbell_now())`, org)
			db.Exec(t, `INSERT INTO service (org_id, id, name, runbook_url, created_at, updated_at) VALUES ($1, $2, 'Checkout', 'https://example.com/runbook', nightbell_now(), nightbell_now())`, org, service)
			db.Exec(t, `INSERT INTO incident (org_id, id, number, service_id, title, status, severity, urgency, source, triggered_at, updated_at)
				VALUES ($1, $2, 1, $3, 'Slow', 'triggered', 'high', 'high', 'prometheus', nightbell_now(), nightbell_now())`, org, asked, service)
			open := func(from, to int) {
				db.Exec(t, `INSERT INTO incident (org_id, id, number, service_id, incident_key, title, status, severity, urgency, source, triggered_at, updated_at)
					SELECT $1, gen_random_uuid(), n, $4, 'alert:' || n, 'Slow', 'triggered', 'high', 'high', 'prometheus', nightbell_now(), nightbell_now()
					FROM generate_series($2::integer, $3::integer) n`, org, from, to, service)
			}
			open(2, before)
			err := db.InTenant(t.Context(), org, func(ctx context.Context, tx pgx.Tx) error {
				// 1. A plan is made and kept.
				if _, err := tx.Exec(ctx, `SET LOCAL plan_cache_mode = force_generic_plan`); err != nil {
					return err
				}
				if _, err := tx.Exec(ctx, `PREPARE related (uuid, uuid, integer) AS `+relatedSQL); err != nil {
					return err
				}
				if _, err := tx.Exec(ctx, `PREPARE runbook (uuid, uuid) AS `+runbookSQL); err != nil {
					return err
				}
				execute, runbook := fmt.Sprintf(`EXECUTE related ('%s', '%s', %d)`, org, asked, mostMerged), fmt.Sprintf(`EXECUTE runbook ('%s', '%s')`, org, asked)
				for _, first := range []string{execute, runbook} {
					if _, err := tx.Exec(ctx, first); err != nil {
						return err
					}
				}
				// 2. The storm goes on.
				open(max(before+1, 2), 5000)
				db.Exec(t, `UPDATE incident SET status = 'resolved', resolved_at = nightbell_now(), merged_into_id = $2 WHERE org_id = $1 AND number IN (4001, 4002, 4003)`, org, asked)
				db.Exec(t, `INSERT INTO incident_link (org_id, incident_id, other_id, created_at)
					SELECT org_id, least(id, $2), greatest(id, $2), nightbell_now() FROM incident WHERE org_id = $1 AND number IN (4501, 4502)`, org, asked)
				plan, err := pgtest.Explain(ctx, tx, execute)
				if err != nil {
					return err
				}
				if read, _ := plan.Of("incident"); read > 20 {
					t.Errorf("%v incidents are read for one among 5,000, in %v ms", read, plan.Number("Actual Total Time"))
				}
				if found := plan.Number("Actual Rows"); found != 5 {
					t.Errorf("%v incidents are found that have to do with it, want 3 merged and 2 linked", found)
				}
				if plan, err = pgtest.Explain(ctx, tx, runbook); err != nil {
					return err
				}
				if read, _ := plan.Of("incident"); read > 1 || plan.Number("Actual Rows") != 1 {
					t.Errorf("%v incidents are read for the runbook of one, and %v found", read, plan.Number("Actual Rows"))
				}
				return nil
			})
			if err != nil {
				t.Fatal(err)
			}
		})
	}
}
