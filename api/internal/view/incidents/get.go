package incidents

import (
	"context"
	"errors"
	"time"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"
	"google.golang.org/protobuf/types/known/timestamppb"

	nightbellv1 "github.com/nightbell/nightbell/api/gen/nightbell/v1"
	"github.com/nightbell/nightbell/api/internal/platform/postgres"
)

// Get reads one incident with the state of its paging. It is pgx.ErrNoRows when the
// organization has no such incident.
func Get(ctx context.Context, tx pgx.Tx, orgID, incidentID uuid.UUID) (*nightbellv1.Incident, error) {
	rows, err := tx.Query(ctx, `SELECT `+allColumns+` FROM incident i WHERE i.org_id = $1 AND i.id = $2`, orgID, incidentID)
	if err != nil {
		return nil, err
	}
	found, known, err := collect(ctx, tx, rows)
	if err != nil {
		return nil, err
	}
	if len(found) == 0 {
		return nil, pgx.ErrNoRows
	}
	incident, err := found[0].incident(known)
	if err != nil {
		return nil, err
	}
	if incident.Escalation, err = escalation(ctx, tx, orgID, incidentID); err != nil {
		return nil, err
	}
	return incident, addRelated(ctx, tx, orgID, incidentID, incident)
}

// escalation reads where the paging stands; absent when nobody was ever paged. Who is
// next is not stored: the rules tell (paging.NextPaged).
func escalation(ctx context.Context, tx pgx.Tx, orgID, incidentID uuid.UUID) (*nightbellv1.Escalation, error) {
	e := &nightbellv1.Escalation{}
	var policy *uuid.UUID
	var policyName, reason string
	var step int32
	var due *time.Time
	// As many steps as the round has passed lie behind; the last resort is none of them.
	err := tx.QueryRow(ctx, `
		SELECT i.paging_status, i.paging_policy_id, coalesce(p.name, ''),
		       cardinality(array_remove(i.paging_passed, 'ffffffff-ffff-ffff-ffff-ffffffffffff')), i.paging_due_at,
		       CASE WHEN w.id IS NOT NULL THEN 'Maintenance holds the pages: ' || rtrim(w.description, '. ') || '.'
		            WHEN i.paging_held_by IS NOT NULL AND i.paging_due_at IS NOT NULL THEN 'The policy is quiet until then.' ELSE i.paging_reason END,
		       (SELECT count(*) FROM escalation_step st WHERE st.org_id = i.org_id AND st.policy_id = i.paging_policy_id AND st.position >= 0)
		FROM incident i LEFT JOIN escalation_policy p ON p.org_id = i.org_id AND p.id = i.paging_policy_id
		LEFT JOIN maintenance_window w ON w.org_id = i.org_id AND w.id = i.paging_held_by
		WHERE i.org_id = $1 AND i.id = $2 AND i.paging_status IS NOT NULL`, orgID, incidentID).
		Scan(&e.Status, &policy, &policyName, &step, &due, &reason, &e.StepCount)
	if errors.Is(err, pgx.ErrNoRows) {
		return nil, nil //nolint:nilnil // an incident may never have paged anybody
	}
	e.Step, e.Reason = postgres.Null(step), postgres.Null(reason)
	if policy != nil {
		e.EscalationPolicy = &nightbellv1.Reference{Id: policy.String(), Name: policyName}
	}
	if due != nil {
		e.NextDueAt = timestamppb.New(*due)
	}
	return e, err
}
