package notifydb

import (
	"context"
	"fmt"
	"slices"
	"time"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"

	"github.com/nightbell/nightbell/api/internal/notify"
)

// DuePage names a page.
type DuePage struct{ OrgID, ID uuid.UUID }

// latePages are not sent in time. The next step does not wait for the dead ones: they are given up, or
// their contact counts as dead.
type latePages struct{ all, dead []DuePage }

func (l *latePages) add(rows pgx.Rows) error {
	var page DuePage
	var dead bool
	_, err := pgx.ForEachRow(rows, []any{&page.OrgID, &page.ID, &dead}, func() error {
		l.all = append(l.all, page)
		if dead {
			l.dead = append(l.dead, page)
		}
		return nil
	})
	return err
}

// FailOverDue makes each person's next contact method due, or the next step where none is left, for pages whose contact
// may not be tried yet or that had no send slot for notify.SlotWait; bundled contacts wait on purpose. Of skipped, dead
// pages left to this look, it returns those whose incident is still locked. moved: something became due.
func FailOverDue(ctx context.Context, tx pgx.Tx, kind notify.Kind, bundled, probes []uuid.UUID, skipped []DuePage, now time.Time) (still []DuePage, moved bool, err error) {
	var late latePages
	batch := &pgx.Batch{}
	batch.Queue(waitSQL, string(kind), now, notify.MaxAge, notify.LateAge, notify.DeadAfter, maxWaitingOfOrg, MaxWaiting).Query(late.add)
	batch.Queue(noSlotSQL, string(kind), now, notify.SlotWait, append([]uuid.UUID{}, bundled...), maxWaitingOfOrg, MaxWaiting, append([]uuid.UUID{}, probes...), notify.DeadAfter).Query(late.add)
	if err := tx.SendBatch(ctx, batch).Close(); err != nil {
		return skipped, false, err
	}
	dead := slices.Concat(late.dead, skipped)
	batch = &pgx.Batch{}
	QueueFailOver(batch, late.all, now)
	QueueNextStep(batch, dead, &still, now)
	if err := tx.SendBatch(ctx, batch).Close(); err != nil {
		return skipped, false, err
	}
	return still, len(late.all) > 0 || len(dead) > len(still), nil
}

// waitSQL writes each page once, not at each try of its contact: it waits until it is given up, counted from
// failed_over_at, and the contact's next_try_at says when somebody looks (lockContactsSQL). LIMITs bound a look per
// contact, per organization (place), and in all. state, not finished_at, keeps the planner at the primary key.
var waitSQL = fmt.Sprintf(dueContactsSQL, "$2") + `, failing AS (
    SELECT id, failures, failing_for, greatest(1, $6 / count(*) OVER (PARTITION BY org_id)) AS most FROM due_contacts WHERE next_try_at > $2
), late AS (
    SELECT n.org_id, n.id, c.failures, c.failing_for, row_number() OVER (PARTITION BY n.org_id ORDER BY n.severity_rank, n.next_try_at DESC) AS place
    FROM failing c, generate_series(0, 3) rank, LATERAL (
        SELECT org_id, id, severity_rank, next_try_at FROM notification
        WHERE contact_method_id = c.id AND finished_at IS NULL AND severity_rank = rank AND next_try_at <= $2 AND lease_until IS NULL
        ORDER BY next_try_at DESC LIMIT c.most) n
), share AS MATERIALIZED (
    SELECT org_id, id, failures, failing_for FROM late WHERE place <= $6 ORDER BY place LIMIT $7
), waiting AS (
    SELECT n.org_id, n.id, coalesce(n.failed_over_at + $4::interval <= $2 AND n.due_at + $3::interval <= $2, false) AS over, s.failures, s.failing_for
    FROM share s JOIN notification n ON n.org_id = s.org_id AND n.id = s.id
    WHERE n.state = 'pending' AND n.next_try_at <= $2
    FOR NO KEY UPDATE OF n SKIP LOCKED
)
UPDATE notification n
SET next_try_at = greatest(n.due_at + $3, $2 + $4), finished_for = w.failing_for,
    state = CASE WHEN w.over THEN 'failed' ELSE n.state END, finished_at = CASE WHEN w.over THEN $2 END
FROM waiting w WHERE n.org_id = w.org_id AND n.id = w.id
RETURNING n.org_id, n.id, w.over OR w.failures >= $5`

// How many pages one look takes on: of one organization, and in all.
const (
	maxWaitingOfOrg = 100
	// MaxWaiting also bounds the skipped pages that FailOverDue is given.
	MaxWaiting = 500
)

// A page whose lease ran out has no slot either: its worker is gone; nor has that of a probe, whose only send may hang.
// A shared channel (no user) has no next method. The LIMITs are those of waitSQL.
var noSlotSQL = fmt.Sprintf(dueContactsSQL, "$2::timestamptz - $3::interval") + `, slow AS (
    SELECT id, id = ANY($7) AS probe, failures >= $8 AS dead, greatest(1, $5 / count(*) OVER (PARTITION BY org_id)) AS most FROM due_contacts
    WHERE user_id IS NOT NULL AND id <> ALL($4) AND coalesce(next_try_at <= $2, true)
), late AS (
    SELECT n.org_id, n.id, c.dead, row_number() OVER (PARTITION BY n.org_id ORDER BY n.severity_rank, n.due_at DESC) AS place
    FROM slow c, generate_series(0, 3) rank, LATERAL (
        SELECT org_id, id, severity_rank, due_at FROM notification
        WHERE contact_method_id = c.id AND finished_at IS NULL AND failed_over_at IS NULL AND severity_rank = rank AND due_at <= $2::timestamptz - $3::interval
          AND next_try_at <= $2::timestamptz - $3::interval AND (lease_until IS NULL OR lease_until <= $2 OR c.probe)
        ORDER BY due_at DESC LIMIT c.most) n
), share AS MATERIALIZED (
    SELECT org_id, id, dead FROM late WHERE place <= $5 ORDER BY place LIMIT $6
)
SELECT n.*, s.dead FROM share s, LATERAL (
    SELECT org_id, id FROM notification WHERE org_id = s.org_id AND id = s.id AND state IN ('pending', 'sending') AND failed_over_at IS NULL
    FOR NO KEY UPDATE SKIP LOCKED) n`

// IS NOT DISTINCT FROM hides org_id, else the planner ANDs a bitmap of all the organization's pages to the incident's,
// for each page. MATERIALIZED: a plan from when there were few pages would ask for the incident's once for each page of
// the organization. SKIP LOCKED: a hanging answer holds its incident's pages; looks serve all.
const failOverSQL = `
WITH failed AS (
    UPDATE notification n SET failed_over_at = $3::timestamptz FROM (SELECT unnest($1::uuid[]) AS org_id, unnest($2::uuid[]) AS id) f
    WHERE n.org_id = f.org_id AND n.id = f.id AND n.failed_over_at IS NULL
    RETURNING n.org_id, n.incident_id, n.user_id, n.contact_method_id, n.cycle, n.round, n.step
), later AS MATERIALIZED (
    SELECT f.org_id, p.id FROM failed f, LATERAL (
        SELECT p.id FROM notification p
        WHERE p.org_id IS NOT DISTINCT FROM f.org_id AND p.incident_id = f.incident_id AND p.user_id = f.user_id AND p.cycle = f.cycle AND p.round = f.round
          AND p.step = f.step AND p.state = 'pending' AND p.attempts = 0 AND p.due_at > $3 AND p.contact_method_id <> f.contact_method_id
        ORDER BY p.due_at, p.id LIMIT 1 FOR NO KEY UPDATE SKIP LOCKED) p
)
UPDATE notification n SET due_at = $3, next_try_at = $3 FROM later WHERE n.org_id = later.org_id AND n.id = later.id AND n.state = 'pending'`

// QueueFailOver adds the statement that makes each person's next planned page for the same
// incident and step due now, because these pages did not get through. It does so once for
// each page.
func QueueFailOver(batch *pgx.Batch, pages []DuePage, now time.Time) {
	if len(pages) > 0 {
		orgs, ids := columns(pages)
		batch.Queue(failOverSQL, orgs, ids, now)
	}
}

func columns(pages []DuePage) (orgs, ids []uuid.UUID) {
	for _, page := range pages {
		orgs, ids = append(orgs, page.OrgID), append(ids, page.ID)
	}
	return orgs, ids
}

// SKIP LOCKED: whoever holds the incident answers, escalates or adds an alert, and locks in the reverse order. Whoever
// has just paged the step gave the next one another time, which PostgreSQL compares when it locks. The result names the
// pages of incidents that were skipped. IS NOT DISTINCT FROM hides the partial index of all active incidents.
const nextStepSQL = `
WITH dead AS (
    SELECT n.org_id, n.id, n.incident_id, n.cycle, n.round, n.step
    FROM (SELECT unnest($1::uuid[]) AS org_id, unnest($2::uuid[]) AS id) d JOIN notification n ON n.org_id = d.org_id AND n.id = d.id
), hopeless AS MATERIALIZED (
    SELECT d.org_id, d.incident_id, d.cycle, i.paging_due_at FROM (SELECT DISTINCT org_id, incident_id, cycle, round, step FROM dead) d
    JOIN incident i ON i.org_id = d.org_id AND i.id = d.incident_id
    WHERE i.paging_status IS NOT DISTINCT FROM 'active' AND i.paging_cycle = d.cycle AND i.paging_due_at > $3::timestamptz AND i.paging_held_by IS NULL
      AND i.paging_due_at IS DISTINCT FROM i.paging_own_due_at
      AND NOT EXISTS (SELECT FROM notification p LEFT JOIN contact_method c ON c.org_id = p.org_id AND c.id = p.contact_method_id
        WHERE p.org_id IS NOT DISTINCT FROM d.org_id AND p.incident_id = d.incident_id AND p.cycle = d.cycle
          AND ((p.round, p.step) > (d.round, d.step)
            OR (p.round, p.step) = (d.round, d.step) AND (p.state = 'sent' OR p.finished_at IS NULL AND c.failures < $4 AND p.faults < $5)
            OR p.round < d.round AND p.step = d.step AND p.state <> 'sent'))
), locked AS MATERIALIZED (
    SELECT i.org_id, i.id FROM hopeless h JOIN incident i ON i.org_id = h.org_id AND i.id = h.incident_id
    WHERE i.paging_status IS NOT DISTINCT FROM 'active' AND i.paging_cycle = h.cycle AND i.paging_due_at = h.paging_due_at AND i.paging_held_by IS NULL
    FOR NO KEY UPDATE OF i SKIP LOCKED
), moved AS (
    UPDATE incident i SET paging_due_at = $3, paging_own_due_at = coalesce(i.paging_own_due_at, i.paging_due_at), paging_updated_at = $3
    FROM locked l WHERE i.org_id = l.org_id AND i.id = l.id
)
SELECT d.org_id, d.id FROM dead d JOIN hopeless h ON h.org_id = d.org_id AND h.incident_id = d.incident_id
WHERE (d.org_id, d.incident_id) NOT IN (SELECT org_id, id FROM locked)`

// Whoever has an acknowledged incident cannot be told that it became more severe.
const confirmTimeoutSQL = `
WITH dead AS (
    SELECT n.org_id, n.id, n.incident_id, n.cycle, n.severity_rank
    FROM (SELECT unnest($1::uuid[]) AS org_id, unnest($2::uuid[]) AS id) d JOIN notification n ON n.org_id = d.org_id AND n.id = d.id WHERE n.confirms
), hopeless AS MATERIALIZED (
    SELECT d.org_id, d.incident_id, t.due_at FROM (SELECT DISTINCT org_id, incident_id, cycle, severity_rank FROM dead) d
    JOIN incident_timer t ON t.org_id = d.org_id AND t.incident_id = d.incident_id
    WHERE t.kind = 'confirm_timeout' AND t.due_at > $3::timestamptz
      AND NOT EXISTS (SELECT FROM notification p LEFT JOIN contact_method c ON c.org_id = p.org_id AND c.id = p.contact_method_id
        WHERE p.org_id IS NOT DISTINCT FROM d.org_id AND p.incident_id = d.incident_id AND p.cycle = d.cycle AND p.confirms AND p.severity_rank <= d.severity_rank
          AND (p.state = 'sent' OR p.finished_at IS NULL AND c.failures < $4 AND p.faults < $5))
), locked AS MATERIALIZED (
    SELECT t.org_id, t.incident_id FROM hopeless h JOIN incident_timer t ON t.org_id = h.org_id AND t.incident_id = h.incident_id
    WHERE t.kind = 'confirm_timeout' AND t.due_at = h.due_at
    FOR NO KEY UPDATE OF t SKIP LOCKED
), moved AS (
    UPDATE incident_timer t SET due_at = $3 FROM locked l
    WHERE t.org_id = l.org_id AND t.incident_id = l.incident_id AND t.kind = 'confirm_timeout'
)
SELECT d.org_id, d.id FROM dead d JOIN hopeless h ON h.org_id = d.org_id AND h.incident_id = d.incident_id
WHERE (d.org_id, d.incident_id) NOT IN (SELECT org_id, incident_id FROM locked)`

// QueueNextStep makes the policy's next step due now (escalation.Hurry) where these dead or ever refused pages are of
// the latest step and nobody else of it was or may be reached; a wait to confirm ends too. Not again where that was in
// vain, or the step failed in an earlier round: minutes away would use up all repeats. skipped: try these again soon.
func QueueNextStep(batch *pgx.Batch, pages []DuePage, skipped *[]DuePage, now time.Time) {
	if len(pages) == 0 {
		return
	}
	orgs, ids := columns(pages)
	for _, sql := range []string{nextStepSQL, confirmTimeoutSQL} {
		batch.Queue(sql, orgs, ids, now, notify.DeadAfter, notify.MostFaults).Query(func(rows pgx.Rows) error {
			locked, err := pgx.CollectRows(rows, pgx.RowToStructByPos[DuePage])
			*skipped = append(*skipped, locked...)
			return err
		})
	}
}

// OpenPages are the due pages of the claim's contact that have not ended, whoever sends them.
func OpenPages(ctx context.Context, tx pgx.Tx, claim Claim, now time.Time) ([]DuePage, error) {
	rows, err := tx.Query(ctx, `SELECT org_id, id FROM notification WHERE contact_method_id = $1 AND finished_at IS NULL AND due_at <= $2 LIMIT $3`, claim.ContactMethodID, now, maxClaimed)
	if err != nil {
		return nil, err
	}
	return pgx.CollectRows(rows, pgx.RowToStructByPos[DuePage])
}

// QueueContactFails adds the statement that notes a failure which is the contact's own:
// nothing is sent to it before next. Failures are those in a row with this one, as notify.Failures counts.
func QueueContactFails(batch *pgx.Batch, claim Claim, failures int, why string, next, now time.Time) {
	batch.Queue(`UPDATE contact_method SET failures = greatest(CASE WHEN `+outlived+` THEN 0 ELSE failures END, $6),
			failing_since = CASE WHEN `+outlived+` THEN $3 ELSE coalesce(failing_since, $3) END, failing_for = $4, next_try_at = $5
		WHERE org_id = $1 AND id = $2`, claim.OrgID, claim.ContactMethodID, now, why, next, failures)
}

// QueueContactWaits adds the statement that moves the next try of a contact that is failing,
// after one that told nothing about it. A later try that has set the next one meanwhile knows better.
func QueueContactWaits(batch *pgx.Batch, claim Claim, next time.Time) {
	began := claim.Until.Add(-Lease)
	batch.Queue(`UPDATE contact_method SET next_try_at = $3 WHERE org_id = $1 AND id = $2 AND next_try_at <= $4`,
		claim.OrgID, claim.ContactMethodID, next, began)
}

// maxReleased bounds the pages that one result makes due: whoever acknowledges their incidents waits
// for it, and while it takes longer than a lease, a copy of its message is sent.
const maxReleased = 1000

// LockContact locks the contact until the transaction ends, and gives how many tries in a row failed
// by now, and since when: another message to it may have been answered since this one began.
func LockContact(ctx context.Context, tx pgx.Tx, claim Claim, now time.Time) (failures int, since *time.Time, err error) {
	err = tx.QueryRow(ctx, `SELECT CASE WHEN `+outlived+` THEN 0 ELSE failures END, CASE WHEN `+outlived+` THEN NULL ELSE failing_since END
		FROM contact_method WHERE org_id = $1 AND id = $2 FOR NO KEY UPDATE`, claim.OrgID, claim.ContactMethodID, now).Scan(&failures, &since)
	return failures, since, err
}

// outlived tells failures of a trouble that may have ended unnoticed: the contact was not dead, and nobody has
// tried it for longer than any try is put off.
var outlived = fmt.Sprintf(`(failures < %d AND next_try_at < $3::timestamptz - interval '%d seconds')`, notify.DeadAfter, int(notify.LongestWait.Seconds()))

const lockContactSQL = `SELECT failures, failing_since FROM contact_method WHERE org_id = $1 AND id = $2 FOR NO KEY UPDATE`

// While more pages wait, the contact's own next_try_at stays: the next message takes some of them
// along (lockContactsSQL), and its result makes others due. The contact is locked by a statement
// before, so that this one sees what a failure wrote that was just being recorded.
const contactWorksSQL = `
WITH waiting AS MATERIALIZED (
    SELECT org_id, id FROM notification WHERE org_id = $1 AND contact_method_id = $2
        AND finished_at IS NULL AND lease_until IS NULL AND due_at <= $3 AND next_try_at > $3 LIMIT $4 FOR NO KEY UPDATE
), released AS (
    UPDATE notification n SET next_try_at = $3 FROM waiting w WHERE n.org_id = w.org_id AND n.id = w.id
)
UPDATE contact_method SET failures = 0, failing_since = NULL, failing_for = '', next_try_at = CASE WHEN (SELECT count(*) FROM waiting) = $4 THEN $3::timestamptz END
WHERE org_id = $1 AND id = $2`

// QueueContactWorks adds the statement that notes that a contact answers again, and makes some of
// what waited for it due. It is to be called again with each success while Contact.Waited.
func QueueContactWorks(batch *pgx.Batch, claim Claim, now time.Time) {
	batch.Queue(lockContactSQL, claim.OrgID, claim.ContactMethodID)
	batch.Queue(contactWorksSQL, claim.OrgID, claim.ContactMethodID, now, maxReleased)
}
