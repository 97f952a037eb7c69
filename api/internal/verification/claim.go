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
}

// The next try is a minute later, then twice as long each time. After ten tries (17 hours) the mail is due
// again only when somebody asks. Turn counts the mails of an organization that are due, those with fewer
// tries first.
const claimSQL = `
UPDATE contact_method c SET verification_tries = c.verification_tries + 1,
       verification_due_at = CASE WHEN c.verification_tries < 9 THEN $1::timestamptz + interval '1 minute' * (1 << c.verification_tries) END
FROM (SELECT w.org_id, w.id FROM contact_method w
      JOIN (SELECT org_id, id, row_number() OVER (PARTITION BY org_id ORDER BY verification_tries, verification_due_at, id) AS turn
            FROM contact_method WHERE verification_due_at <= $1) t ON t.org_id = w.org_id AND t.id = w.id
      WHERE w.verification_due_at <= $1 AND t.turn + cardinality(array_positions($4::uuid[], w.org_id)) <= $3
      ORDER BY w.verification_tries, t.turn, w.verification_due_at LIMIT $2 FOR NO KEY UPDATE OF w SKIP LOCKED) due
WHERE c.org_id = due.org_id AND c.id = due.id
RETURNING c.org_id, c.id, c.name, c.address, c.verification_due_at`

// claim takes mails that are due and for which there is room, so that no other replica sends them before
// their next try.
func claim(ctx context.Context, tx pgx.Tx, room fairshare.Room[uuid.UUID], now time.Time) ([]dueMail, error) {
	rows, err := tx.Query(ctx, claimSQL, now, room.Most, room.PerOrg, room.Taken)
	if err != nil {
		return nil, err
	}
	return pgx.CollectRows(rows, pgx.RowToStructByPos[dueMail])
}
