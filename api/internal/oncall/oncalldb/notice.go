package oncalldb

import (
	"context"
	"time"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"
)

// Claim is the right to tell one notice, until its lease ends.
type Claim struct {
	Notice

	ID uuid.UUID
	// Tries counts the tries, with this one. It is the token of the claim.
	Tries     int
	CreatedAt time.Time
}

const claimNoticesSQL = `
UPDATE handover_notice n SET tries = n.tries + 1, next_try_at = $2
FROM (SELECT org_id, id FROM handover_notice WHERE state = 'pending' AND next_try_at <= $1
      ORDER BY next_try_at, id LIMIT $3 FOR UPDATE SKIP LOCKED) due
WHERE n.org_id = due.org_id AND n.id = due.id
RETURNING n.org_id, n.id, n.schedule_id, n.user_id, n.kind = 'on', n.starts_at, n.ends_at, n.others, n.tries, n.created_at`

// ClaimNotices takes up to limit notices that are due at now, until the lease ends: who has
// not recorded a result by then is taken for dead, and they are told once more.
func ClaimNotices(ctx context.Context, tx pgx.Tx, now time.Time, lease time.Duration, limit int) ([]Claim, error) {
	rows, err := tx.Query(ctx, claimNoticesSQL, now, now.Add(lease), limit)
	if err != nil {
		return nil, err
	}
	return pgx.CollectRows(rows, func(row pgx.CollectableRow) (Claim, error) {
		var c Claim
		var until *time.Time
		err := row.Scan(&c.OrgID, &c.ID, &c.ScheduleID, &c.Person, &c.On, &c.At, &until, &c.Others, &c.Tries, &c.CreatedAt)
		c.At, c.CreatedAt = c.At.UTC(), c.CreatedAt.UTC()
		if until != nil {
			c.Until = until.UTC()
		}
		return c, err
	})
}

// Facts are what a notice says besides what it is about.
type Facts struct {
	OrgName, ScheduleName, PersonName string
	Zone, PersonZone                  *time.Location
	ContactID                         uuid.UUID
	ContactName, Address              string
	// Usable is false when the person or the contact method was disabled since.
	Usable bool
	// Verified is true once the owner of the address has opened the link mailed to it.
	Verified bool
	// Others are the names of the notice's others, in their order.
	Others []string
}

const factsSQL = `
SELECT o.name, s.name, s.timezone, u.name, u.timezone, c.id, c.name, c.address, c.disabled_at IS NULL AND u.disabled_at IS NULL, c.verified_at IS NOT NULL,
       ARRAY(SELECT x.name FROM unnest(n.others) WITH ORDINALITY AS other(id, place) JOIN users x ON x.id = other.id ORDER BY other.place)
FROM handover_notice n
JOIN org o ON o.id = n.org_id
JOIN schedule s ON s.org_id = n.org_id AND s.id = n.schedule_id
JOIN users u ON u.id = n.user_id
JOIN contact_method c ON c.org_id = n.org_id AND c.id = n.contact_method_id
WHERE n.org_id = $1 AND n.id = $2`

// ReadFacts reads what a notice says; pgx.ErrNoRows when it is gone with its schedule or
// person.
func ReadFacts(ctx context.Context, tx pgx.Tx, claim Claim) (Facts, error) {
	var f Facts
	var zone, personZone string
	err := tx.QueryRow(ctx, factsSQL, claim.OrgID, claim.ID).
		Scan(&f.OrgName, &f.ScheduleName, &zone, &f.PersonName, &personZone, &f.ContactID, &f.ContactName, &f.Address, &f.Usable, &f.Verified, &f.Others)
	f.Zone, _ = zoneOf(zone)
	f.PersonZone, _ = zoneOf(personZone)
	return f, err
}

// Outcome is how a try to tell a notice ended.
type Outcome struct {
	// State is sent, failed, cancelled, or pending for another try at NextTryAt.
	State     string
	NextTryAt time.Time
	// Detail says in words what was answered.
	Detail string
}

const settleNoticeSQL = `
UPDATE handover_notice SET state = $4, detail = $5, next_try_at = coalesce($6, next_try_at),
       finished_at = CASE WHEN $4 = 'pending' THEN NULL ELSE $7::timestamptz END
WHERE org_id = $1 AND id = $2 AND state = 'pending' AND tries = $3`

// SettleNotice records how a try ended. Somebody whose lease has ended changes nothing.
func SettleNotice(ctx context.Context, tx pgx.Tx, claim Claim, outcome Outcome, now time.Time) error {
	var next *time.Time
	if outcome.State == "pending" {
		next = &outcome.NextTryAt
	}
	_, err := tx.Exec(ctx, settleNoticeSQL, claim.OrgID, claim.ID, claim.Tries, outcome.State, outcome.Detail, next, now)
	return err
}
