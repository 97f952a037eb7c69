package authdb

import (
	"context"
	"time"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"

	"github.com/nightbell/nightbell/api/internal/kernel/fairshare"
)

// PasswordResetMail is a mail with the link for a forgotten password that is due, or with UsedAt the notice
// that the password was changed then, from the network address UsedFrom.
type PasswordResetMail struct {
	ID, UserID uuid.UUID
	Email      string
	// OrgID is one of the account's organizations; Nil when it is in none.
	OrgID uuid.UUID
	// ShareID is in whose share of the room it is sent: that organization's, or the account's own.
	ShareID uuid.UUID
	// Tries counts the tries, with this one.
	Tries    int
	UsedAt   *time.Time
	UsedFrom string
}

// The next try is a minute later, then twice as long each time, until the link has expired. Turn counts the
// mails of a share that are due, those with fewer tries first. MATERIALIZED and LATERAL: what was picked is
// read by key, however few the planner expects.
const claimResetMailsSQL = `
WITH shared AS MATERIALIZED (
    SELECT r.id, r.mail_tries, r.mail_due_at, o.org_id, coalesce(o.org_id, r.user_id) AS share_id FROM password_reset r
    LEFT JOIN LATERAL (SELECT m.org_id FROM membership m WHERE m.user_id = r.user_id ORDER BY m.created_at, m.org_id LIMIT 1) o ON true
    WHERE r.mail_due_at <= $1 AND r.expires_at > $1
), waiting AS MATERIALIZED (
    SELECT *, row_number() OVER (PARTITION BY share_id ORDER BY mail_tries, mail_due_at, id) AS turn FROM shared
), picked AS MATERIALIZED (
    SELECT id, org_id, share_id FROM waiting WHERE turn + cardinality(array_positions($4::uuid[], share_id)) <= $3
    ORDER BY mail_tries, turn, mail_due_at LIMIT $2
), due AS MATERIALIZED (
    SELECT p.* FROM picked p, LATERAL (
        SELECT id FROM password_reset WHERE id = p.id AND mail_due_at <= $1 FOR NO KEY UPDATE SKIP LOCKED) w
)
UPDATE password_reset r SET mail_tries = r.mail_tries + 1, mail_due_at = $1::timestamptz + interval '1 minute' * (1 << r.mail_tries)
FROM due, users u
WHERE r.id = due.id AND u.id = r.user_id
RETURNING r.id, r.user_id, u.email, coalesce(due.org_id, '00000000-0000-0000-0000-000000000000'), due.share_id, r.mail_tries, r.used_at, r.used_from`

// ClaimPasswordResetMails takes mails that are due and for which there is room, so that no other replica
// sends them before their next try.
func ClaimPasswordResetMails(ctx context.Context, tx pgx.Tx, room fairshare.Room[uuid.UUID], now time.Time) ([]PasswordResetMail, error) {
	rows, err := tx.Query(ctx, claimResetMailsSQL, now, room.Most, room.PerOrg, room.Taken)
	if err != nil {
		return nil, err
	}
	return pgx.CollectRows(rows, pgx.RowToStructByPos[PasswordResetMail])
}
