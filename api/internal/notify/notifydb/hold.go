package notifydb

import (
	"context"
	"time"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"
)

// holdingSQL finds the windows of maintenance that hold page n of incident i: those that began after it was decided and
// before it was due, for a contact tried later. What is decided in maintenance is wanted in spite of it. What was due
// before it is only late, as is the next contact after a page that was due before it and failed.
const holdingSQL = `
    SELECT w.ends_at FROM maintenance_service s JOIN maintenance_window w ON w.org_id = s.org_id AND w.id = s.window_id
    WHERE s.org_id = i.org_id AND s.service_id = i.service_id AND w.starts_at <= nightbell_now() AND w.ends_at > nightbell_now()
      AND n.created_at < greatest(w.starts_at, w.created_at) AND n.due_at >= greatest(w.starts_at, w.created_at)
      AND NOT EXISTS (SELECT FROM notification f WHERE f.org_id = n.org_id AND f.incident_id = n.incident_id AND f.user_id = n.user_id
          AND f.cycle = n.cycle AND f.round = n.round AND f.step = n.step AND f.failed_over_at IS NOT NULL AND f.due_at < greatest(w.starts_at, w.created_at))`

// lockHoldingSQL: whoever ends a window early waits for the pages that are just being held by it, and then
// makes them due.
const lockHoldingSQL = `
SELECT FROM maintenance_window WHERE org_id = $1 AND starts_at <= $2 AND ends_at > $2 ORDER BY id FOR SHARE`

// A page without a window any more is tried at once.
const holdSQL = `
UPDATE notification n SET state = 'pending', lease_token = NULL, lease_until = NULL, orphaned = 0,
    due_at = coalesce(h.until, n.due_at), next_try_at = coalesce(h.until, $4)
FROM (SELECT n.id, (SELECT max(ends_at) FROM (` + holdingSQL + `) windows) AS until
      FROM notification n JOIN incident i ON i.org_id = n.org_id AND i.id = n.incident_id
      WHERE n.org_id = $1 AND n.id = ANY($2)) h
WHERE n.org_id = $1 AND n.id = h.id AND n.lease_token = $3`

// holdPages puts pages of a claim off until the end of the maintenance that holds them. A worker that lost
// its lease changes nothing.
func holdPages(ctx context.Context, tx pgx.Tx, claim Claim, pages []uuid.UUID, now time.Time) error {
	if len(pages) == 0 {
		return nil
	}
	if _, err := tx.Exec(ctx, lockHoldingSQL, claim.OrgID, now); err != nil {
		return err
	}
	_, err := tx.Exec(ctx, holdSQL, claim.OrgID, pages, claim.DeliveryID, now)
	return err
}
