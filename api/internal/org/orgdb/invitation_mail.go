package orgdb

import (
	"context"
	"time"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"

	"github.com/nightbell/nightbell/api/internal/kernel/fairshare"
)

// InvitationMail is a mail with the link of an invitation that is due. InviterName is empty when a
// program invited, or somebody who has left.
type InvitationMail struct {
	OrgID, ID                         uuid.UUID
	Email, Role, OrgName, InviterName string
	// Tries counts the tries, with this one.
	Tries int
}

// The next try is a minute later, then twice as long each time up to 8.5 hours, for a week.
// Turn counts the mails of an organization that are due, those with fewer tries first. MATERIALIZED and
// LATERAL: what was picked is read by key, however few the planner expects.
const claimInvitationMailsSQL = `
WITH waiting AS MATERIALIZED (
    SELECT org_id, id, mail_tries, mail_due_at, row_number() OVER (PARTITION BY org_id ORDER BY mail_tries, mail_due_at, id) AS turn
    FROM invitation WHERE mail_due_at <= $1 AND expires_at > $1
), picked AS MATERIALIZED (
    SELECT org_id, id FROM waiting WHERE turn + cardinality(array_positions($4::uuid[], org_id)) <= $3
    ORDER BY mail_tries, turn, mail_due_at LIMIT $2
), due AS MATERIALIZED (
    SELECT w.* FROM picked p, LATERAL (
        SELECT org_id, id FROM invitation WHERE org_id = p.org_id AND id = p.id AND mail_due_at <= $1 FOR NO KEY UPDATE SKIP LOCKED) w
)
UPDATE invitation i SET mail_tries = i.mail_tries + 1,
       mail_due_at = CASE WHEN i.mail_tries < 28 THEN $1::timestamptz + interval '1 minute' * (1 << least(i.mail_tries, 9)) END
FROM due JOIN org o ON o.id = due.org_id
WHERE i.org_id = due.org_id AND i.id = due.id
RETURNING i.org_id, i.id, i.email, i.role, o.name, coalesce((SELECT u.name FROM users u WHERE u.id = i.invited_by), ''), i.mail_tries`

// ClaimInvitationMails takes mails that are due and for which there is room, so that no other replica
// sends them before their next try.
func ClaimInvitationMails(ctx context.Context, tx pgx.Tx, room fairshare.Room[uuid.UUID], now time.Time) ([]InvitationMail, error) {
	rows, err := tx.Query(ctx, claimInvitationMailsSQL, now, room.Most, room.PerOrg, room.Taken)
	if err != nil {
		return nil, err
	}
	return pgx.CollectRows(rows, pgx.RowToStructByPos[InvitationMail])
}
