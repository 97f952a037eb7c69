package respond

import (
	"context"
	"fmt"
	"testing"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"

	"github.com/nightbell/nightbell/api/internal/platform/postgres/pgtest"
)

// TestALinkIsReadByKeyInAStorm opens the link of a message about one incident while a storm pages for
// thousands, before PostgreSQL analyzes them, by plans that connections made before or meanwhile.
func TestALinkIsReadByKeyInAStorm(t *testing.T) {
	t.Parallel()
	for _, before := range []int{1, 100, 3000} {
		t.Run(fmt.Sprintf("planned at %d incidents", before), func(t *testing.T) {
			t.Parallel()
			db := pgtest.New(t)
			org, person, contact, message := uuid.New(), uuid.New(), uuid.New(), uuid.New()
			db.Exec(t, `INSERT INTO users (id, name, email, password_hash, created_at) VALUES ($1, 'Ada', 'ada@example.com', '', nightbell_now())`, person)
			db.Exec(t, `INSERT INTO org (id, kind, name, created_at) VALUES ($1, 'organization', 'Acme', nightbell_now())`, org)
			db.Exec(t, `INSERT INTO membership (org_id, user_id, role, created_at) VALUES ($1, $2, 'owner', nightbell_now())`, org, person)
			db.Exec(t, `INSERT INTO contact_method (org_id, id, user_id, kind, name, address, verified_at, created_at) VALUES ($1, $2, $3, 'email', 'Work', 'ada@example.com', nightbell_now(), nightbell_now())`, org, contact, person)
			storm := func(from, to int) {
				db.Exec(t, `INSERT INTO incident (org_id, id, number, incident_key, title, status, severity, urgency, source, triggered_at, updated_at)
					SELECT $1, gen_random_uuid(), n, 'alert:' || n, 'Slow', 'triggered', 'high', 'high', 'prometheus', nightbell_now(), nightbell_now()
					FROM generate_series($2::integer, $3::integer) n`, org, from, to)
				db.Exec(t, `INSERT INTO notification (org_id, id, effect_key, incident_id, user_id, contact_method_id, channel, cycle, round, step, reason, severity_rank, state, due_at, next_try_at, finished_at, created_at)
					SELECT org_id, gen_random_uuid(), id::text, id, $2, $3, 'email', 1, 0, 0, '', 1, 'sent', nightbell_now(), nightbell_now(), nightbell_now(), nightbell_now()
					FROM incident WHERE org_id = $1 AND number BETWEEN $4 AND $5`, org, person, contact, from, to)
				db.Exec(t, `INSERT INTO delivery (org_id, id, contact_method_id, channel, outcome, incident_count, notification_ids, started_at, finished_at)
					SELECT n.org_id, CASE WHEN i.number = 1 THEN $2::uuid ELSE gen_random_uuid() END, n.contact_method_id, 'email', 'accepted', 1, ARRAY[n.id], nightbell_now(), nightbell_now()
					FROM notification n JOIN incident i ON i.org_id = n.org_id AND i.id = n.incident_id WHERE n.org_id = $1 AND i.number BETWEEN $3 AND $4`, org, message, from, to)
			}
			storm(1, before)
			err := db.InAnswer(t.Context(), org, func(ctx context.Context, tx pgx.Tx) error {
				if _, err := tx.Exec(ctx, `PREPARE paged (uuid, uuid, uuid) AS `+pagedSQL); err != nil {
					return err
				}
				execute := fmt.Sprintf(`EXECUTE paged ('%s', '%s', '%s')`, org, message, person)
				if _, err := tx.Exec(ctx, execute); err != nil {
					return err
				}
				storm(before+1, 5000)
				plan, err := pgtest.Explain(ctx, tx, execute)
				if err != nil {
					return err
				}
				if blocks := plan.Blocks(); plan.Number("Actual Rows") != 1 || blocks > 50 {
					t.Errorf("%v incidents are found by %v blocks, want the one by 50 at most", plan.Number("Actual Rows"), blocks)
				}
				return nil
			})
			if err != nil {
				t.Fatal(err)
			}
		})
	}
}
