package verification

import (
	"context"
	"time"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"

	"github.com/nightbell/nightbell/api/internal/kernel/fairshare"
)

// dueMail is a contact method whose address gets a mail with the link.
type dueMail struct {
	OrgID, ID     uuid.UUID
	Name, Address string
	// NextTryAt is when the mail is due again unless it was sent; nil after the last try.
	NextTryAt *time.Time
	// Tries counts the tries, with this one.
	Tries int
}

// The next try is a minute later, then twice as long each time up to 8.5 hours. After a week, as long as a link
// works, the mail is due again only when somebody asks. Turn counts the mails of an organization that are due, those with fewer
// tries first. MATERIALIZED and LATERAL: what was picked is read by key, however few the planner expects.
const claimSQL = `
WITH waiting AS MATERIALIZED (
    SELECT org_id, id, verification_tries, verification_due_at,
           row_number() OVER (PARTITION BY org_id ORDER BY verification_tries, verification_due_at, id) AS turn
    FROM contact_method WHERE verification_due_at <= $1
), picked AS MATERIALIZED (
    SELECT org_id, id FROM waiting WHERE turn + cardinality(array_positions($4::uuid[], org_id)) <= $3
    ORDER BY verification_tries, turn, verification_due_at LIMIT $2
), due AS MATERIALIZED (
    SELECT w.* FROM picked p, LATERAL (
        SELECT org_id, id FROM contact_method WHERE org_id = p.org_id AND id = p.id AND verification_due_at <= $1 FOR NO KEY UPDATE SKIP LOCKED) w
)
UPDATE contact_method c SET verification_tries = c.verification_tries + 1,
       verification_due_at = CASE WHEN c.verification_tries < 28 THEN $1::timestamptz + interval '1 minute' * (1 << least(c.verification_tries, 9)) END
FROM due WHERE c.org_id = due.org_id AND c.id = due.id
RETURNING c.org_id, c.id, c.name, c.address, c.verification_due_at, c.verification_tries`

// claim takes mails that are due and for which there is room, so that no other replica sends them before
// their next try.
func claim(ctx context.Context, tx pgx.Tx, room fairshare.Room[uuid.UUID], now time.Time) ([]dueMail, error) {
	rows, err := tx.Query(ctx, claimSQL, now, room.Most, room.PerOrg, room.Taken)
	if err != nil {
		return nil, err
	}
	return pgx.CollectRows(rows, pgx.RowToStructByPos[dueMail])
}
