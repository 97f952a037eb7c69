package notifydb

import (
	"context"
	"time"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"

	"github.com/nightbell/nightbell/api/internal/notify"
)

// Renewal is a send that takes long, and whose lease is to last.
type Renewal struct {
	OrgID, DeliveryID uuid.UUID
	Pages             []uuid.UUID
	// Slow is set once the person is to be reached by other means meanwhile.
	Slow bool
}

// A lease that has ended is not renewed: another worker may be about to take it.
const renewPagesSQL = `
UPDATE notification SET lease_until = $4::timestamptz + $5::interval, blocked_since = CASE WHEN $6 THEN coalesce(blocked_since, $4) ELSE blocked_since END
WHERE org_id = $1 AND id = ANY($2) AND lease_token = $3 AND lease_until > $4`

const renewDeliverySQL = `
UPDATE delivery SET lease_until = $3::timestamptz + $4::interval WHERE org_id = $1 AND id = $2 AND outcome = 'sending' AND lease_until > $3`

const behindSQL = `
SELECT n.org_id, n.id, c.failures >= $5 FROM delivery d JOIN notification n ON n.contact_method_id = d.contact_method_id
JOIN contact_method c ON c.org_id = d.org_id AND c.id = d.contact_method_id
WHERE d.org_id = $1 AND d.id = $2 AND n.finished_at IS NULL AND n.due_at <= $3 AND n.failed_over_at IS NULL
LIMIT $4 FOR NO KEY UPDATE OF n SKIP LOCKED`

// Renew extends the leases of sends under way by Lease. What a slow one keeps waiting, its own pages and those behind
// it, fails over and counts as blocked by this installation. dead are pages of a dead contact, whose next step must not
// wait either: FailOverDue sees to it, in a transaction that no lease depends on.
func Renew(ctx context.Context, tx pgx.Tx, renewals []Renewal, now time.Time) (dead []DuePage, moved bool, err error) {
	batch := &pgx.Batch{}
	var late latePages
	for _, r := range renewals {
		batch.Queue(renewPagesSQL, r.OrgID, r.Pages, r.DeliveryID, now, Lease, r.Slow)
		batch.Queue(renewDeliverySQL, r.OrgID, r.DeliveryID, now, Lease)
		if !r.Slow {
			continue
		}
		batch.Queue(behindSQL, r.OrgID, r.DeliveryID, now, maxWaitingOfOrg, notify.DeadAfter).Query(late.add)
	}
	if err := tx.SendBatch(ctx, batch).Close(); err != nil || len(late.all) == 0 {
		return nil, false, err
	}
	batch = &pgx.Batch{}
	QueueFailOver(batch, late.all, now)
	return late.dead, true, tx.SendBatch(ctx, batch).Close()
}
