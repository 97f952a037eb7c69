package escalationdb

import (
	"context"
	"time"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"

	"github.com/nightbell/nightbell/api/internal/kernel/id"
)

// The policy that every organization begins with: the owner, again every five
// minutes, four times in all.
const (
	defaultPolicyName    = "Default"
	defaultPolicyDelay   = 5 * time.Minute
	defaultPolicyRepeats = 3
)

// InsertDefaultPolicy stores the policy that pages the owner, and returns its id.
func InsertDefaultPolicy(ctx context.Context, tx pgx.Tx, orgID, ownerID uuid.UUID, now time.Time) (uuid.UUID, error) {
	policyID := id.New()
	batch := &pgx.Batch{}
	batch.Queue(`INSERT INTO escalation_policy (org_id, id, name, description, repeats, created_at, updated_at)
		VALUES ($1, $2, $3, 'Pages the owner every five minutes, four times in all.', $4, $5, $5)`,
		orgID, policyID, defaultPolicyName, defaultPolicyRepeats, now)
	batch.Queue(`INSERT INTO escalation_step (org_id, policy_id, position, delay_seconds) VALUES ($1, $2, 0, $3)`,
		orgID, policyID, int(defaultPolicyDelay.Seconds()))
	batch.Queue(`INSERT INTO escalation_target (org_id, policy_id, step_position, position, kind, user_id)
		VALUES ($1, $2, 0, 0, 'user', $3)`, orgID, policyID, ownerID)
	return policyID, tx.SendBatch(ctx, batch).Close()
}
