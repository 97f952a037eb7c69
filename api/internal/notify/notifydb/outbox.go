package notifydb

import (
	"context"
	"fmt"
	"slices"
	"time"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"

	"github.com/nightbell/nightbell/api/internal/kernel/id"
	"github.com/nightbell/nightbell/api/internal/notify"
	"github.com/nightbell/nightbell/api/internal/platform/postgres"
)

// Lease is how long a claim lasts. Who has not recorded a result by then is taken
// for dead, and the pages are claimed again.
const Lease = 10 * time.Second

// maxClaimed bounds the pages of one look, shared by its contacts; what is beyond a
// contact's share follows in its next message.
const maxClaimed = 5000

// Room is how many sends may begin. Organizations take turns: the first contact of each
// comes before the second of any.
type Room struct {
	// All is how many may begin, Shared how many of them for organizations that have a
	// send under way or begun already; the rest is kept for those that have none.
	All, Shared int
	// PerOrg is how many sends of one organization may be under way.
	PerOrg int
	// UnderWay counts the sends that are, by organization.
	UnderWay map[uuid.UUID]int
}

// claimSlack is how much older the time of a look may be than what was settled beside it.
const claimSlack = 10 * time.Second

// Claim is the right to send one message: the due pages of one contact, held by one
// worker until Until.
type Claim struct {
	OrgID           uuid.UUID
	ContactMethodID uuid.UUID
	// DeliveryID names the try in the delivery log and is the token that every later
	// statement about the pages needs.
	DeliveryID uuid.UUID
	UserID     *uuid.UUID
	Until      time.Time
	// Incidents is how many incidents the organization has ever had.
	Incidents int
	Pages     []ClaimedPage
	// Turn is the send's place among those of its organization.
	Turn int
	// Behind is set where another message to the contact was under way.
	Behind bool
	// Tries is notify.Message.Tries.
	Tries int
	// probe is set for a contact that keeps failing: one page is enough to find out.
	probe bool
	// waited is set for a contact that failed, so that its pages wait for it.
	waited bool
	// orphans are the deliveries of workers that died with some of the pages.
	orphans []uuid.UUID
}

// Began is when it was claimed.
func (c Claim) Began() time.Time { return c.Until.Add(-Lease) }

// ClaimedPage is one page of a claim.
type ClaimedPage struct {
	ID, IncidentID uuid.UUID
	Due            time.Time
	// Attempts counts the tries, with this one.
	Attempts int
	// Faults counts the tries before this one that failed by our own mistake or for what the message says, Unknowns
	// those after which the provider may have taken the message.
	Faults, Unknowns int
	// Orphaned counts the claims in a row, right before this one, whose workers recorded nothing.
	Orphaned    int
	Round, Step int
}

// MostPerContact is how many messages to one contact may be under way, which they are where a mail
// server does not answer.
const MostPerContact = 4

// NextBehind is how long after the latest of so many messages under way to a contact the next may
// begin: one lease, and four where several are. A server that is back is found out soon, and
// one that is not takes few slots.
func NextBehind(underWay int) time.Duration {
	if underWay == 1 {
		return Lease
	}
	return 4 * Lease
}

// ClaimDue claims what is due by one channel, as far as there is room: of each organization the most severe first, then
// the newest, dead workers' pages too. Contacts in without, or just sent to (NextBehind), wait: what becomes due
// travels in the next message. Locked rows are skipped. A claim commits tx: nothing can follow.
func ClaimDue(ctx context.Context, tx pgx.Tx, kind notify.Kind, without []uuid.UUID, room Room, now time.Time) (claims []Claim, err error) {
	if without == nil {
		without = []uuid.UUID{} // NULL would match nothing
	}
	claims, err = lockContacts(ctx, tx, kind, without, room, now)
	if err != nil || len(claims) == 0 {
		return nil, err
	}
	due, err := lockDue(ctx, tx, kind, claims, now)
	if err != nil {
		return nil, err
	}
	for i := range claims {
		for _, page := range bundle(due[claims[i].ContactMethodID], claims[i].probe) {
			page.Attempts++
			page.Orphaned = page.orphaned()
			claims[i].Pages = append(claims[i].Pages, page.ClaimedPage)
			if page.orphanOf != nil && !slices.Contains(claims[i].orphans, *page.orphanOf) {
				claims[i].orphans = append(claims[i].orphans, *page.orphanOf)
			}
		}
	}
	claims = slices.DeleteFunc(claims, func(c Claim) bool { return len(c.Pages) == 0 })
	return claims, writeClaims(ctx, tx, kind, claims, now)
}

// QueueAnyDue adds the statement that asks whether a page of the channel is due, or a contact that
// failed, to the round trip that opens a look. Where neither is there is nothing to claim, and
// nobody to go on to other contacts for: that is most looks.
func QueueAnyDue(batch *pgx.Batch, kind notify.Kind, due *bool) {
	batch.Queue(`SELECT EXISTS (SELECT FROM notification WHERE channel = $1 AND finished_at IS NULL AND next_try_at <= nightbell_now())
		OR EXISTS (SELECT FROM contact_method WHERE kind = $1 AND next_try_at <= nightbell_now())`, string(kind)).QueryRow(func(row pgx.Row) error { return row.Scan(due) })
}

// dueContactsSQL lists as due_contacts who has pages of channel $1 due at the time given. A few pages name their
// contacts; behind a backlog a loose index scan goes from one contact with open pages to the next: the cost grows with
// contacts, never with pages. LATERAL with LIMIT keeps the planner from joining the other way around.
const dueContactsSQL = `
WITH RECURSIVE first_due AS MATERIALIZED (
    SELECT org_id, contact_method_id AS id FROM notification
    WHERE channel = $1 AND finished_at IS NULL AND next_try_at <= %s ORDER BY next_try_at LIMIT 500
), open_contacts AS (
    SELECT n.* FROM (SELECT count(*) FROM first_due HAVING count(*) = 500) backlog, LATERAL (
        SELECT org_id, contact_method_id AS id FROM notification WHERE finished_at IS NULL ORDER BY contact_method_id LIMIT 1) n
    UNION ALL
    SELECT n.* FROM open_contacts o, LATERAL (
        SELECT org_id, contact_method_id AS id FROM notification WHERE finished_at IS NULL AND contact_method_id > o.id ORDER BY contact_method_id LIMIT 1) n
), due_contacts AS MATERIALIZED (
    SELECT c.* FROM (SELECT org_id, id FROM first_due UNION SELECT org_id, id FROM open_contacts) d, LATERAL (
        SELECT org_id, id, user_id, failures, failing_for, next_try_at, verified_at FROM contact_method WHERE org_id = d.org_id AND id = d.id AND kind = $1 LIMIT 1) c
)`

// sendsSQL counts the messages under way to a contact at $2, and tells whether it is too early for
// another (MostPerContact, NextBehind; $5 is Lease). A lease that ends later than one taken now was
// written before the clock was set back, and its worker is gone.
var sendsSQL = fmt.Sprintf(`SELECT count(*) AS sends, coalesce(count(*) = %d OR max(s.started_at) + $5::interval * CASE count(*) WHEN 1 THEN 1 ELSE 4 END > $2::timestamptz, false) AS busy
    FROM (SELECT d.started_at FROM delivery d WHERE d.contact_method_id = %%s AND d.outcome = 'sending'
          AND d.lease_until > $2::timestamptz AND d.lease_until <= $2::timestamptz + $5::interval LIMIT %[1]d) s`, MostPerContact)

// FOR NO KEY UPDATE of the contact keeps two replicas from sending to it at once. turn is its rank in its organization,
// plus the sends under way: in that order organizations take turns. Contacts with a send that hangs come last, not at
// all while unconfirmed. After a failure a contact is due by its own next_try_at, whatever its pages wait for.
var lockContactsSQL = fmt.Sprintf(dueContactsSQL, "$2") + `, candidates AS (
    SELECT org_id, id, failures, next_try_at, verified_at FROM due_contacts
    UNION
    SELECT org_id, id, failures, next_try_at, verified_at FROM contact_method WHERE kind = $1 AND next_try_at <= $2
), ordered AS (
    SELECT c.org_id, c.id AS contact_method_id, c.failures, coalesce(first.severity_rank, 9) AS worst, coalesce(first.due_at, $2) AS newest, under_way.sends,
        coalesce(o.sends, 0) + row_number() OVER (PARTITION BY c.org_id ORDER BY under_way.sends, first.severity_rank, first.due_at DESC, c.id) AS turn
    FROM candidates c CROSS JOIN LATERAL (` + fmt.Sprintf(sendsSQL, "c.id") + `) under_way LEFT JOIN LATERAL (
        SELECT n.severity_rank, n.due_at FROM generate_series(0, 3) rank, LATERAL (
            SELECT severity_rank, due_at FROM notification
            WHERE contact_method_id = c.id AND finished_at IS NULL AND severity_rank = rank AND next_try_at <= $2
              AND (lease_until IS NULL OR lease_until <= $2) ORDER BY next_try_at DESC LIMIT 1) n
        ORDER BY n.severity_rank LIMIT 1) first ON true
    LEFT JOIN (SELECT unnest($6::uuid[]) AS org_id, unnest($7::integer[]) AS sends) o ON o.org_id = c.org_id
    WHERE c.id <> ALL($3) AND coalesce(c.next_try_at <= $2, true) AND NOT under_way.busy
      AND (under_way.sends = 0 OR c.verified_at IS NOT NULL)
      AND (first.severity_rank IS NOT NULL OR EXISTS (
        SELECT FROM notification n WHERE n.contact_method_id = c.id AND n.finished_at IS NULL AND n.due_at <= $2 AND c.next_try_at <= $2
          AND (n.lease_until IS NULL OR n.lease_until <= $2)))
), fair AS (
    SELECT ordered.*, row_number() OVER (ORDER BY turn, worst, newest DESC, contact_method_id) AS place FROM ordered WHERE turn <= $8
)
SELECT c.org_id, c.id, c.user_id, f.turn, f.failures >= $10, f.sends > 0, c.next_try_at IS NOT NULL, (SELECT o.last_incident_number FROM org o WHERE o.id = c.org_id)
FROM fair f JOIN contact_method c ON c.org_id = f.org_id AND c.id = f.contact_method_id
WHERE f.turn = 1 OR f.place <= $9
ORDER BY f.place
LIMIT $4
FOR NO KEY UPDATE OF c SKIP LOCKED`

func lockContacts(ctx context.Context, tx pgx.Tx, kind notify.Kind, without []uuid.UUID, room Room, now time.Time) ([]Claim, error) {
	orgs, sends := make([]uuid.UUID, 0, len(room.UnderWay)), make([]int, 0, len(room.UnderWay))
	for org, n := range room.UnderWay {
		orgs, sends = append(orgs, org), append(sends, n)
	}
	rows, err := tx.Query(ctx, lockContactsSQL, string(kind), now, without, room.All, Lease, orgs, sends, room.PerOrg, room.Shared, notify.ProbeAfter)
	if err != nil {
		return nil, err
	}
	return pgx.CollectRows(rows, func(row pgx.CollectableRow) (Claim, error) {
		claim := Claim{DeliveryID: id.New(), Until: now.Add(Lease)}
		err := row.Scan(&claim.OrgID, &claim.ContactMethodID, &claim.UserID, &claim.Turn, &claim.probe, &claim.Behind, &claim.waited, &claim.Incidents)
		return claim, err
	})
}

// duePage is a page that may go into a message.
type duePage struct {
	ClaimedPage

	contact uuid.UUID
	// orphanOf is the delivery of a worker that died with it.
	orphanOf *uuid.UUID
}

// orphaned is ClaimedPage.Orphaned once it is claimed, as takeSQL counts.
func (p duePage) orphaned() int {
	if p.orphanOf == nil {
		return p.Orphaned
	}
	return p.Orphaned + 1
}

// lockDueSQL: waiting pages join the due ones when a page without faults is due or the contact is retried, but not
// before the last try after an unknown outcome ($6). Pages with faults follow, whatever their severity, and wait for
// their own try ($7) unless all begin again together ($8): thousands may be kept, and nothing may hurry them.
var lockDueSQL = `
SELECT due.* FROM unnest($3::uuid[], $4::integer[], $9::boolean[]) free(id, most, waited), LATERAL (
    SELECT CASE WHEN free.waited OR EXISTS (SELECT FROM generate_series(0, 3) rank, LATERAL (
        SELECT FROM notification n
        WHERE n.contact_method_id = free.id AND n.finished_at IS NULL AND n.severity_rank = rank AND n.channel IS NOT DISTINCT FROM $1
          AND n.next_try_at <= $2::timestamptz AND n.faults = 0 AND n.due_at <= $2 AND (n.lease_until IS NULL OR n.lease_until <= $2)
        LIMIT 1) n) THEN 1 ELSE 2 END AS step) ride, LATERAL (
    SELECT * FROM (SELECT n.* FROM generate_series(0, 7, ride.step) part, LATERAL (
        SELECT ` + duePageColumns + `
        FROM notification n
        WHERE n.contact_method_id = free.id AND n.finished_at IS NULL AND n.severity_rank = part / 2 AND n.channel IS NOT DISTINCT FROM $1
          AND n.next_try_at > CASE part % 2 WHEN 0 THEN '-infinity' ELSE $2::timestamptz END
          AND n.next_try_at <= CASE part % 2 WHEN 0 THEN $2 ELSE 'infinity' END
          AND n.faults = 0 AND n.due_at <= $2 AND (n.lease_until IS NULL OR n.lease_until <= $2)
          AND (n.unknowns = 0 OR n.next_try_at <= $2 OR n.next_try_at > $2::timestamptz + $6::interval)
        ORDER BY n.next_try_at DESC
        LIMIT free.most
        FOR UPDATE SKIP LOCKED) n
    LIMIT free.most) sound
    UNION ALL
    SELECT * FROM (
        SELECT ` + duePageColumns + `
        FROM notification n
        WHERE n.contact_method_id = free.id AND n.finished_at IS NULL AND n.channel IS NOT DISTINCT FROM $1
          AND n.faults > 0 AND n.due_at <= $2 AND (n.lease_until IS NULL OR n.lease_until <= $2)
          AND (n.unknowns = 0 OR n.next_try_at <= $2 OR n.next_try_at > $2 + $6)
          AND (n.faults % $8::integer = 0 OR n.next_try_at <= $2 OR n.next_try_at > $2 + $7::interval)
        ORDER BY n.next_try_at > $2, n.faults, n.severity_rank, n.next_try_at DESC
        LIMIT free.most
        FOR UPDATE SKIP LOCKED) at_fault
    LIMIT free.most) due
WHERE NOT (SELECT busy FROM (` + fmt.Sprintf(sendsSQL, "free.id") + `) under_way)`

const duePageColumns = `n.id, n.incident_id, n.due_at, n.attempts, n.faults, n.unknowns, n.orphaned, n.round, n.step, n.contact_method_id, n.lease_token`

// lockDue reads each range of a contact's index (a severity, due or waiting) from its end, up to the LIMIT; IS NOT
// DISTINCT FROM keeps the planner from the index by channel. busy is asked again: another worker may have sent since. A
// page with faults takes no waiting ones along: it is due each minute.
func lockDue(ctx context.Context, tx pgx.Tx, kind notify.Kind, claims []Claim, now time.Time) (map[uuid.UUID][]duePage, error) {
	contacts, most, waited := make([]uuid.UUID, len(claims)), make([]int, len(claims)), make([]bool, len(claims))
	for i, claim := range claims {
		contacts[i], most[i], waited[i] = claim.ContactMethodID, max(1, maxClaimed/len(claims)), claim.waited
		if claim.probe {
			most[i] = 1
		}
	}
	rows, err := tx.Query(ctx, lockDueSQL, string(kind), now, contacts, most, Lease, notify.MostUnknownWait(kind)+claimSlack, notify.MostBackoff+claimSlack, notify.MostFaults, waited)
	if err != nil {
		return nil, err
	}
	due := map[uuid.UUID][]duePage{}
	var page duePage
	into := []any{&page.ID, &page.IncidentID, &page.Due, &page.Attempts, &page.Faults, &page.Unknowns, &page.Orphaned, &page.Round, &page.Step, &page.contact, &page.orphanOf}
	_, err = pgx.ForEachRow(rows, into, func() error {
		due[page.contact] = append(due[page.contact], page)
		return nil
	})
	return due, err
}

// bundle puts all pages into one message, in the order of lockDueSQL, except those that may be at fault: these come
// when no others are due, the least often failed first, so that none keeps another from its turn. What was refused
// alone each time is tried together again: after a quota the pages of a storm are one message, not as many.
func bundle(due []duePage, probe bool) []duePage {
	if len(due) == 0 {
		return nil
	}
	faults := due[0].Faults
	together := slices.DeleteFunc(slices.Clone(due), func(page duePage) bool { return page.Faults != faults })
	if probe {
		return together[:min(1, len(together))]
	}
	return together[:groupSize(len(together), faults%notify.MostFaults)]
}

// groupSize is how many of so many pages travel together after so many tries in which they may have been at
// fault: an eighth, a 64th and so on, as long as groups of 64 and 8 are not larger; few are tried alone at once.
func groupSize(pages, faults int) int {
	const few = 8
	switch {
	case faults == 0 || pages == 0:
		return pages
	case pages <= few || faults >= 4:
		return 1
	default:
		return min(pages, max(512>>(3*faults), pages>>(3*faults)))
	}
}

// What is claimed has to be found as soon as its worker is taken for dead, also a page that
// came along before its next try. Otherwise no column of an index changes.
const takeSQL = `
UPDATE notification n
SET state = 'sending', orphaned = n.orphaned + (n.lease_token IS NOT NULL)::integer,
    lease_token = taken.token, lease_until = $4, attempts = n.attempts + 1, delivery_ids = n.delivery_ids || taken.token,
    next_try_at = least(n.next_try_at, $5)
FROM (SELECT unnest($1::uuid[]) AS org_id, unnest($2::uuid[]) AS id, unnest($3::uuid[]) AS token) taken
WHERE n.org_id = taken.org_id AND n.id = taken.id`

// Each delivery keeps its part of $8, the pages of all.
const openDeliveriesSQL = `
INSERT INTO delivery (org_id, id, contact_method_id, user_id, channel, outcome, incident_count, started_at, lease_until, notification_ids)
SELECT d.org_id, d.id, d.contact_method_id, d.user_id, $5, 'sending', d.pages, $7::timestamptz, $10, ($8::uuid[])[d.first:d.first + d.pages - 1]
FROM (SELECT unnest($1::uuid[]) AS org_id, unnest($2::uuid[]) AS id, unnest($3::uuid[]) AS contact_method_id, unnest($4::uuid[]) AS user_id,
             unnest($6::integer[]) AS pages, unnest($9::integer[]) AS first) d`

const closeOrphansSQL = `
UPDATE delivery SET outcome = 'temporary_failure', finished_at = $3, detail = 'The worker stopped before it heard the answer.'
WHERE org_id = $1 AND id = ANY($2) AND outcome = 'sending'`

func writeClaims(ctx context.Context, tx pgx.Tx, kind notify.Kind, claims []Claim, now time.Time) error {
	if len(claims) == 0 {
		return nil
	}
	var orgs, pages, tokens []uuid.UUID
	deliveryOrgs, deliveries, contacts := make([]uuid.UUID, len(claims)), make([]uuid.UUID, len(claims)), make([]uuid.UUID, len(claims))
	users, counts, firsts := make([]*uuid.UUID, len(claims)), make([]int, len(claims)), make([]int, len(claims))
	for i, claim := range claims {
		deliveryOrgs[i], deliveries[i], contacts[i] = claim.OrgID, claim.DeliveryID, claim.ContactMethodID
		users[i], counts[i], firsts[i] = claim.UserID, len(claim.Pages), len(pages)+1
		for _, page := range claim.Pages {
			orgs, pages, tokens = append(orgs, claim.OrgID), append(pages, page.ID), append(tokens, claim.DeliveryID)
		}
	}
	batch := &pgx.Batch{}
	batch.Queue(takeSQL, orgs, pages, tokens, now.Add(Lease), now)
	batch.Queue(openDeliveriesSQL, deliveryOrgs, deliveries, contacts, users, string(kind), counts, now, pages, firsts, now.Add(Lease))
	for _, claim := range claims {
		if len(claim.orphans) > 0 {
			batch.Queue(closeOrphansSQL, claim.OrgID, claim.orphans, now)
		}
	}
	return postgres.Finish(ctx, tx, batch)
}

const releaseSQL = `
WITH leased AS (
    SELECT org_id, id, lease_token FROM notification WHERE finished_at IS NULL AND lease_until > $2 FOR UPDATE SKIP LOCKED
), closed AS (
    UPDATE delivery d SET outcome = 'temporary_failure', finished_at = $1, detail = 'Nightbell stopped before it heard the answer.'
    FROM (SELECT DISTINCT org_id, lease_token FROM leased) h
    WHERE d.org_id = h.org_id AND d.id = h.lease_token AND d.outcome = 'sending'
)
UPDATE notification n SET state = 'pending', lease_token = NULL, lease_until = NULL, next_try_at = $1, orphaned = n.orphaned + 1
FROM leased WHERE n.org_id = leased.org_id AND n.id = leased.id`

// ReleaseLeases gives back what this installation was sending when it stopped, so that
// it is tried at once instead of after the lease. Only for an installation that is the
// database's sole user: with replicas it would double what the others are sending.
func ReleaseLeases(ctx context.Context, tx pgx.Tx, now time.Time) (released int, err error) {
	return ReleaseAfter(ctx, tx, now, time.Time{})
}

// ReleaseAfter gives back what is claimed until later than until. Rows that somebody is
// just writing are passed over.
func ReleaseAfter(ctx context.Context, tx pgx.Tx, now, until time.Time) (released int, err error) {
	tag, err := tx.Exec(ctx, releaseSQL, now, until)
	return int(tag.RowsAffected()), err
}
