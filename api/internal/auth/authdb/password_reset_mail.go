package authdb

import (
	"context"
	"time"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"
)

// PasswordResetMail is a mail with the link for a forgotten password that is due.
type PasswordResetMail struct {
	ID, UserID uuid.UUID
	Email      string
	// OrgID is one of the account's organizations; Nil when it is in none.
	OrgID uuid.UUID
}

// The next try is a minute later, then twice as long each time, until the link has expired.
const claimPasswordResetMailsSQL = `
UPDATE password_reset r SET mail_tries = r.mail_tries + 1, mail_due_at = $1::timestamptz + interval '1 minute' * (1 << r.mail_tries)
FROM (SELECT w.id FROM password_reset w WHERE w.mail_due_at <= $1 AND w.expires_at > $1
      ORDER BY w.mail_due_at LIMIT $2 FOR NO KEY UPDATE SKIP LOCKED) due, users u
WHERE r.id = due.id AND u.id = r.user_id
RETURNING r.id, r.user_id, u.email,
          coalesce((SELECT m.org_id FROM membership m WHERE m.user_id = r.user_id ORDER BY m.created_at LIMIT 1), '00000000-0000-0000-0000-000000000000')`

// ClaimPasswordResetMails takes mails that are due, so that no other replica sends them before their
// next try.
func ClaimPasswordResetMails(ctx context.Context, tx pgx.Tx, most int, now time.Time) ([]PasswordResetMail, error) {
	rows, err := tx.Query(ctx, claimPasswordResetMailsSQL, now, most)
	if err != nil {
		return nil, err
	}
	return pgx.CollectRows(rows, pgx.RowToStructByPos[PasswordResetMail])
}
