package notifydb

import (
	"time"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"

	"github.com/nightbell/nightbell/api/internal/notify"
)

// waitingPages are pages that came due and are not to be tried yet, or could not; dead are
// those of them that no try is to be expected for.
type waitingPages struct {
	orgs, pages, deadOrgs, deadPages []uuid.UUID
}

func (w *waitingPages) collect(rows pgx.Rows) error {
	var org, page uuid.UUID
	var dead bool
	_, err := pgx.ForEachRow(rows, []any{&org, &page, &dead}, func() error {
		w.orgs, w.pages = append(w.orgs, org), append(w.pages, page)
		if dead {
			w.deadOrgs, w.deadPages = append(w.deadOrgs, org), append(w.deadPages, page)
		}
		return nil
	})
	return err
}

// Each page is written once, not at each try of its contact: it waits until it is given up,
// and the contact's own next_try_at says when somebody looks (lockContactsSQL). One that has
// waited for so long (failed_over_at says since when) is given up.
//
// LIMIT and place bound a look, in all and for each organization: unbounded, thousands of
// pages of one outlast the sweep's timeout, which rolls back the claims of all others, too.
const waitSQL = `
WITH late AS (
    SELECT n.org_id, n.id, row_number() OVER (PARTITION BY n.org_id ORDER BY n.severity_rank, n.due_at DESC) AS place
    FROM notification n JOIN contact_method c ON c.org_id = n.org_id AND c.id = n.contact_method_id
    WHERE n.channel = $1 AND n.finished_at IS NULL AND n.lease_until IS NULL AND n.next_try_at <= $2::timestamptz AND c.next_try_at > $2
), share AS MATERIALIZED (
    SELECT org_id, id FROM late WHERE place <= $6 ORDER BY place LIMIT $7
), waiting AS (
    SELECT n.org_id, n.id, coalesce(n.failed_over_at + $4::interval <= $2 AND n.due_at + $3::interval <= $2, false) AS over, c.failures, c.failing_for
    FROM share s JOIN notification n ON n.org_id = s.org_id AND n.id = s.id JOIN contact_method c ON c.org_id = n.org_id AND c.id = n.contact_method_id
    WHERE n.finished_at IS NULL AND n.lease_until IS NULL AND n.next_try_at <= $2 AND c.next_try_at > $2
    FOR NO KEY UPDATE OF n SKIP LOCKED
)
UPDATE notification n
SET next_try_at = greatest(n.due_at + $3, $2 + $4), finished_for = w.failing_for,
    state = CASE WHEN w.over THEN 'failed' ELSE n.state END, finished_at = CASE WHEN w.over THEN $2 END
FROM waiting w WHERE n.org_id = w.org_id AND n.id = w.id
RETURNING n.org_id, n.id, w.over OR w.failures >= $5`

// How many pages one look takes from contacts that are not to be tried yet: of one
// organization, and in all.
const (
	maxWaitingOfOrg = 100
	maxWaiting      = 500
)

func queueWaiting(batch *pgx.Batch, kind notify.Kind, waiting *waitingPages, now time.Time) {
	batch.Queue(waitSQL, string(kind), now, notify.MaxAge, notify.LateAge, notify.DeadAfter, maxWaitingOfOrg, maxWaiting).Query(waiting.collect)
}

// A page whose lease ran out has no slot either: its worker is gone. A shared channel (no user)
// has no next method. Contacts that are bundled on purpose are in $4. LIMIT and place bound a
// look as in waitSQL.
const noSlotSQL = `
WITH late AS (
    SELECT n.org_id, n.id, row_number() OVER (PARTITION BY n.org_id ORDER BY n.severity_rank, n.due_at DESC) AS place
    FROM notification n JOIN contact_method c ON c.org_id = n.org_id AND c.id = n.contact_method_id
    WHERE n.channel = $1 AND n.finished_at IS NULL AND n.next_try_at <= $2::timestamptz - $3::interval AND (n.lease_until IS NULL OR n.lease_until <= $2)
      AND n.user_id IS NOT NULL AND n.failed_over_at IS NULL AND n.contact_method_id <> ALL($4) AND coalesce(c.next_try_at <= $2, true)
), share AS MATERIALIZED (
    SELECT org_id, id FROM late WHERE place <= $5 ORDER BY place LIMIT $6
)
SELECT n.org_id, n.id, n.contact_method_id FROM share s JOIN notification n ON n.org_id = s.org_id AND n.id = s.id
WHERE n.finished_at IS NULL AND (n.lease_until IS NULL OR n.lease_until <= $2)
FOR NO KEY UPDATE OF n SKIP LOCKED`

// latePage is a page that has waited for a send slot for too long.
type latePage struct{ OrgID, ID, Contact uuid.UUID }

func queueNoSlot(batch *pgx.Batch, kind notify.Kind, without []uuid.UUID, late *[]latePage, now time.Time) {
	batch.Queue(noSlotSQL, string(kind), now, notify.SlotWait, without, maxWaitingOfOrg, maxWaiting).Query(func(rows pgx.Rows) (err error) {
		*late, err = pgx.CollectRows(rows, pgx.RowToStructByPos[latePage])
		return err
	})
}

// IS NOT DISTINCT FROM hides the organization from the planner: it would AND the primary
// key's bitmap of all the organization's pages to that of the incident, for each page again.
const failOverSQL = `
WITH failed AS (
    UPDATE notification n SET failed_over_at = $3::timestamptz FROM (SELECT unnest($1::uuid[]) AS org_id, unnest($2::uuid[]) AS id) f
    WHERE n.org_id = f.org_id AND n.id = f.id AND n.failed_over_at IS NULL
    RETURNING n.org_id, n.incident_id, n.user_id, n.contact_method_id, n.cycle, n.round, n.step
)
UPDATE notification n SET due_at = $3, next_try_at = $3
FROM failed f, LATERAL (
    SELECT p.id FROM notification p
    WHERE p.org_id IS NOT DISTINCT FROM f.org_id AND p.incident_id = f.incident_id AND p.user_id = f.user_id AND p.cycle = f.cycle AND p.round = f.round
      AND p.step = f.step AND p.state = 'pending' AND p.attempts = 0 AND p.due_at > $3 AND p.contact_method_id <> f.contact_method_id
    ORDER BY p.due_at, p.id LIMIT 1) later
WHERE n.org_id = f.org_id AND n.id = later.id AND n.state = 'pending'`

// QueueFailOver adds the statement that makes each person's next planned page for the same
// incident and step due now, because these pages did not get through. It does so once for
// each page.
func QueueFailOver(batch *pgx.Batch, orgs, pages []uuid.UUID, now time.Time) {
	if len(pages) > 0 {
		batch.Queue(failOverSQL, orgs, pages, now)
	}
}

// SKIP LOCKED: whoever holds the incident answers, escalates or makes this step, and the order
// of locks would be the reverse of theirs.
const nextStepSQL = `
WITH dead AS (
    SELECT DISTINCT n.org_id, n.incident_id, n.cycle, n.round, n.step
    FROM (SELECT unnest($1::uuid[]) AS org_id, unnest($2::uuid[]) AS id) d JOIN notification n ON n.org_id = d.org_id AND n.id = d.id
), hopeless AS (
    SELECT i.org_id, i.id FROM dead d JOIN incident i ON i.org_id = d.org_id AND i.id = d.incident_id
    WHERE i.paging_status = 'active' AND i.paging_cycle = d.cycle AND i.paging_due_at > $3::timestamptz AND i.paging_held_by IS NULL
      AND NOT EXISTS (SELECT FROM notification p LEFT JOIN contact_method c ON c.org_id = p.org_id AND c.id = p.contact_method_id
        WHERE p.org_id IS NOT DISTINCT FROM d.org_id AND p.incident_id = d.incident_id AND p.cycle = d.cycle
          AND ((p.round, p.step) > (d.round, d.step)
            OR (p.round, p.step) = (d.round, d.step) AND (p.state = 'sent' OR p.finished_at IS NULL AND c.failures < $4)
            OR p.round < d.round AND p.step = d.step AND p.state <> 'sent'))
    FOR NO KEY UPDATE OF i SKIP LOCKED
)
UPDATE incident i SET paging_due_at = $3, paging_updated_at = $3
FROM hopeless h WHERE i.org_id = h.org_id AND i.id = h.id`

// Whoever has an acknowledged incident cannot be told that it became more severe.
const confirmTimeoutSQL = `
WITH dead AS (
    SELECT DISTINCT n.org_id, n.incident_id, n.cycle, n.severity_rank
    FROM (SELECT unnest($1::uuid[]) AS org_id, unnest($2::uuid[]) AS id) d JOIN notification n ON n.org_id = d.org_id AND n.id = d.id WHERE n.confirms
), hopeless AS (
    SELECT t.org_id, t.incident_id FROM dead d JOIN incident_timer t ON t.org_id = d.org_id AND t.incident_id = d.incident_id
    WHERE t.kind = 'confirm_timeout' AND t.due_at > $3::timestamptz
      AND NOT EXISTS (SELECT FROM notification p LEFT JOIN contact_method c ON c.org_id = p.org_id AND c.id = p.contact_method_id
        WHERE p.org_id IS NOT DISTINCT FROM d.org_id AND p.incident_id = d.incident_id AND p.cycle = d.cycle AND p.confirms AND p.severity_rank <= d.severity_rank
          AND (p.state = 'sent' OR p.finished_at IS NULL AND c.failures < $4))
    FOR NO KEY UPDATE OF t SKIP LOCKED
)
UPDATE incident_timer t SET due_at = $3 FROM hopeless h
WHERE t.org_id = h.org_id AND t.incident_id = h.incident_id AND t.kind = 'confirm_timeout'`

// QueueNextStep adds the statements that make the policy's next step due now, where these
// pages of dead contacts belong to the latest step and nobody else of that step was reached
// or may be. A step that failed in an earlier round too keeps its delay: a contact that is
// away for minutes would use up all repeats of a policy in seconds. Where the pages ask
// somebody to acknowledge again, the policy waits no longer for that.
func QueueNextStep(batch *pgx.Batch, orgs, pages []uuid.UUID, now time.Time) {
	if len(pages) > 0 {
		batch.Queue(nextStepSQL, orgs, pages, now, notify.DeadAfter)
		batch.Queue(confirmTimeoutSQL, orgs, pages, now, notify.DeadAfter)
	}
}

// QueueContactFails adds the statement that notes a failure which is the contact's own:
// nothing is sent to it before next.
func QueueContactFails(batch *pgx.Batch, claim Claim, why string, next, now time.Time) {
	batch.Queue(`UPDATE contact_method SET failures = failures + 1, failing_since = coalesce(failing_since, $3), failing_for = $4, next_try_at = $5
		WHERE org_id = $1 AND id = $2`, claim.OrgID, claim.ContactMethodID, now, why, next)
}

// QueueContactWaits adds the statement that moves the next try of a contact that is failing,
// after one that told nothing about it.
func QueueContactWaits(batch *pgx.Batch, claim Claim, next time.Time) {
	batch.Queue(`UPDATE contact_method SET next_try_at = $3 WHERE org_id = $1 AND id = $2 AND next_try_at IS NOT NULL`,
		claim.OrgID, claim.ContactMethodID, next)
}

// QueueContactWorks adds the statements that note that a contact answers again, and make
// what waited for it due.
func QueueContactWorks(batch *pgx.Batch, claim Claim, now time.Time) {
	batch.Queue(`UPDATE contact_method SET failures = 0, failing_since = NULL, failing_for = '', next_try_at = NULL
		WHERE org_id = $1 AND id = $2`, claim.OrgID, claim.ContactMethodID)
	batch.Queue(`UPDATE notification SET next_try_at = $3 WHERE org_id = $1 AND contact_method_id = $2
		AND finished_at IS NULL AND lease_until IS NULL AND due_at <= $3 AND next_try_at > $3`, claim.OrgID, claim.ContactMethodID, now)
}
