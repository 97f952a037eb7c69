package escalationdb

import (
	"context"
	"errors"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"
)

// lockRevisionSQL: whoever edits the policy waits until what this transaction puts off is there to be
// released (ReleaseQuiet). SKIP LOCKED: paging does not wait for an edit that hangs.
const lockRevisionSQL = `SELECT revision FROM escalation_policy WHERE org_id = $1 AND id = $2 AND revision = $3 FOR SHARE SKIP LOCKED`

// LockRevision keeps others from editing a policy until the transaction ends. It answers false when
// the policy was edited since it had this revision, or somebody is editing it.
func LockRevision(ctx context.Context, tx pgx.Tx, orgID, policyID uuid.UUID, revision int) (locked bool, err error) {
	err = tx.QueryRow(ctx, lockRevisionSQL, orgID, policyID, revision).Scan(&revision)
	if errors.Is(err, pgx.ErrNoRows) {
		return false, nil
	}
	return err == nil, err
}
