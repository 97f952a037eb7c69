package orgdb

import (
	"context"
	"time"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"
)

// InvitationMail is a mail with the link of an invitation that is due. InviterName is empty when a
// program invited, or somebody who has left.
type InvitationMail struct {
	OrgID, ID                         uuid.UUID
	Email, Role, OrgName, InviterName string
}

// The next try is a minute later, then twice as long each time. After ten tries (17 hours) there is none.
const claimInvitationMailsSQL = `
UPDATE invitation i SET mail_tries = i.mail_tries + 1,
       mail_due_at = CASE WHEN i.mail_tries < 9 THEN $1::timestamptz + interval '1 minute' * (1 << i.mail_tries) END
FROM (SELECT w.org_id, w.id FROM invitation w WHERE w.mail_due_at <= $1 AND w.expires_at > $1
      ORDER BY w.mail_due_at LIMIT $2 FOR NO KEY UPDATE SKIP LOCKED) due
JOIN org o ON o.id = due.org_id
WHERE i.org_id = due.org_id AND i.id = due.id
RETURNING i.org_id, i.id, i.email, i.role, o.name, coalesce((SELECT u.name FROM users u WHERE u.id = i.invited_by), '')`

// ClaimInvitationMails takes mails that are due, so that no other replica sends them before their
// next try.
func ClaimInvitationMails(ctx context.Context, tx pgx.Tx, most int, now time.Time) ([]InvitationMail, error) {
	rows, err := tx.Query(ctx, claimInvitationMailsSQL, now, most)
	if err != nil {
		return nil, err
	}
	return pgx.CollectRows(rows, pgx.RowToStructByPos[InvitationMail])
}
