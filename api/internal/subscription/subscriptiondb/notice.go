package subscriptiondb

import (
	"context"
	"time"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"
)

// Notice is a mail to one owner that a subscription was disabled.
type Notice struct {
	OrgID, SubscriptionID uuid.UUID
	Name, Reason          string
	UserID, ContactID     uuid.UUID
	Address, PersonName   string
	DisabledAt            time.Time
}

// One mail to each owner who was not mailed yet, at the address that was added first of those that
// are in use.
const dueNoticesSQL = `
WITH due AS (
    UPDATE webhook_subscription s SET notice_due_at = $1::timestamptz + interval '5 minutes'
    FROM (SELECT org_id, id FROM webhook_subscription WHERE notice_due_at <= $1 ORDER BY notice_due_at LIMIT $2 FOR NO KEY UPDATE SKIP LOCKED) v
    WHERE s.org_id = v.org_id AND s.id = v.id
    RETURNING s.org_id, s.id, s.name, s.disabled_reason, s.notice_sent_to, s.updated_at AS disabled_at)
SELECT due.org_id, due.id, due.name, due.disabled_reason, due.disabled_at, owner.user_id, owner.contact, owner.address, owner.name
FROM due LEFT JOIN LATERAL (
    SELECT DISTINCT ON (m.user_id) m.user_id, c.id AS contact, c.address, u.name
    FROM membership m JOIN users u ON u.id = m.user_id
    JOIN contact_method c ON c.org_id = m.org_id AND c.user_id = m.user_id AND c.kind = 'email' AND c.disabled_at IS NULL AND (c.verified_at IS NOT NULL OR NOT $3::boolean)
    WHERE m.org_id = due.org_id AND m.role = 'owner' AND m.user_id <> ALL (due.notice_sent_to) ORDER BY m.user_id, c.created_at, c.id) owner ON true`

// ClaimNotices takes mails that are due; they are due again in five minutes unless NoticesSent is
// called. A subscription without an owner who is still to be mailed comes once, with a nil contact.
func ClaimNotices(ctx context.Context, tx pgx.Tx, most int, verify bool, now time.Time) ([]Notice, error) {
	rows, err := tx.Query(ctx, dueNoticesSQL, now, most, verify)
	if err != nil {
		return nil, err
	}
	return pgx.CollectRows(rows, func(row pgx.CollectableRow) (n Notice, err error) {
		var user, contact *uuid.UUID
		var address, name *string
		if err = row.Scan(&n.OrgID, &n.SubscriptionID, &n.Name, &n.Reason, &n.DisabledAt, &user, &contact, &address, &name); err == nil && contact != nil {
			n.UserID, n.ContactID, n.Address, n.PersonName = *user, *contact, *address, *name
		}
		return n, err
	})
}

// NoticeSent says that one owner was mailed.
func NoticeSent(ctx context.Context, tx pgx.Tx, n Notice) error {
	_, err := tx.Exec(ctx, `UPDATE webhook_subscription SET notice_sent_to = notice_sent_to || $3::uuid WHERE org_id = $1 AND id = $2`, n.OrgID, n.SubscriptionID, n.UserID)
	return err
}

// NoticesSent says that the owners were mailed.
func NoticesSent(ctx context.Context, tx pgx.Tx, orgID, subscriptionID uuid.UUID) error {
	_, err := tx.Exec(ctx, `UPDATE webhook_subscription SET notice_due_at = NULL WHERE org_id = $1 AND id = $2`, orgID, subscriptionID)
	return err
}
