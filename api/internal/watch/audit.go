package watch

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"time"

	"github.com/jackc/pgx/v5"

	"github.com/nightbell/nightbell/api/internal/delivery"
	"github.com/nightbell/nightbell/api/internal/escalation/escalationdb"
	"github.com/nightbell/nightbell/api/internal/incident"
	"github.com/nightbell/nightbell/api/internal/incident/incidentdb"
	"github.com/nightbell/nightbell/api/internal/notify"
	"github.com/nightbell/nightbell/api/internal/notify/notifydb"
	"github.com/nightbell/nightbell/api/internal/paging"
	"github.com/nightbell/nightbell/api/internal/platform/postgres"
)

// When something is overdue. All of it is far beyond what a healthy installation shows,
// with a worker killed in the middle.
const (
	lateEscalation = 15 * time.Second
	latePage       = time.Minute
	lateHeartbeat  = time.Minute
	// clockTolerance is how far in the future a row may have been written before the
	// database's clock must have been set back.
	clockTolerance = 5 * time.Second
	// manyAtFault is how many contacts cannot all be at fault themselves, whose pages are kept or were lost.
	manyAtFault = 3
	// lastAccepted is how long a message that was taken says that the provider takes messages.
	lastAccepted = 2 * time.Minute
	// mostAudited bounds what one audit counts and repairs of a kind.
	mostAudited = 1000
	// repairRounds bounds how often one repair sweeps.
	repairRounds = 10
	// lockWait is how long a repair waits for somebody's row.
	lockWait = 2 * time.Second
)

// Overdue counts, by kind, what should have happened and has not. Each count ends at
// 1,000.
type Overdue struct {
	// Escalations are incidents whose next step is due for more than 15 s.
	Escalations int
	// Pages wait or are under way for more than a minute, and no provider asked for it; or they are claimed again
	// and again, and none of the claims came to an end.
	Pages int
	// Leases are held for longer than any worker may.
	Leases int
	// Timers are those of incidents (acknowledged and not resolved, without news) that are
	// due for more than 15 s.
	Timers int
	// MaintenanceOver are steps that wait for maintenance which has been over for more than 15 s.
	MaintenanceOver int
	// Unpaged are triggered incidents with a policy that nobody is paged for.
	Unpaged int
	// ClockSetBack are waiting pages, steps, contacts and timers that were written in the future, and pages put off from there:
	// the database's clock was set back, and they would wait for it to catch up.
	ClockSetBack int
	// Heartbeats are missing for more than a minute and nobody was told, or nobody looked whether
	// any is for so long.
	Heartbeats int
	// Oldest is how long the most overdue page or step has been waiting.
	Oldest time.Duration
}

// Any reports whether anything is overdue.
func (o Overdue) Any() bool {
	return o.Escalations+o.Pages+o.Leases+o.Timers+o.MaintenanceOver+o.Unpaged+o.ClockSetBack+o.Heartbeats > 0
}

// ByKind names the counts, as metrics and logs do.
func (o Overdue) ByKind() map[string]int {
	return map[string]int{"escalation": o.Escalations, "page": o.Pages, "lease": o.Leases, "timer": o.Timers, "maintenance_over": o.MaintenanceOver, "unpaged": o.Unpaged, "clock_set_back": o.ClockSetBack, "heartbeat": o.Heartbeats}
}

// Auditor looks for what the page path has forgotten, and does it (design rule 10). It
// trusts neither the loops nor their wake-ups, and reads through a connection of its own.
type Auditor struct {
	db           *postgres.DB
	escalator    *paging.Escalator
	timerSweeper *paging.TimerSweeper
	outboxes     map[notify.Kind]*delivery.Outbox
	signals      paging.Signals
}

// NewAuditor makes an auditor of these outboxes.
func NewAuditor(db *postgres.DB, logger *slog.Logger, outboxes map[notify.Kind]*delivery.Outbox, signals paging.Signals) *Auditor {
	return &Auditor{
		db: db, outboxes: outboxes, signals: signals,
		escalator:    paging.NewEscalator(db, postgres.Audit, logger, signals),
		timerSweeper: paging.NewTimerSweeper(db, postgres.Audit, logger, signals),
	}
}

// overdueSQL asks everything at once. Late by no failure of this installation is a page that waits for its contact
// (its next try is in the future), for all the sends its organization may have under way, or for one to its own
// contact while the provider takes others.
var overdueSQL = `
WITH busy AS MATERIALIZED ( -- asked once, not of each page: one organization may have many thousands
    SELECT d.org_id, d.channel FROM delivery d JOIN unnest($5::text[], $8::integer[]) AS kind(name, sends) ON kind.name = d.channel
    WHERE d.outcome = 'sending' AND d.lease_until > $1::timestamptz GROUP BY d.org_id, d.channel, kind.sends HAVING count(*) >= kind.sends
), hanging AS MATERIALIZED (
    SELECT d.contact_method_id FROM delivery d WHERE d.outcome = 'sending' AND d.lease_until > $1 AND EXISTS (
        SELECT FROM delivery a WHERE a.outcome = 'accepted' AND a.channel = d.channel AND a.finished_at > $1 - $9::interval AND a.finished_at <= $1)
), odd AS MATERIALIZED ( -- claimed, or of the future: no index tells them, so that all open pages are read, once
    SELECT orphaned, lease_until, blocked_since, due_at, next_try_at, created_at FROM notification
    WHERE finished_at IS NULL AND (lease_until IS NOT NULL OR orphaned >= 2 OR created_at > $1 + $6::interval)
)
SELECT (SELECT count(*) FROM (
        SELECT FROM incident i WHERE i.paging_status = 'active' AND i.paging_due_at < $1::timestamptz - $2::interval LIMIT $3) late),
    (SELECT count(*) FROM (
        SELECT FROM unnest($5) AS kind(name) JOIN notification n ON n.channel = kind.name
        WHERE n.finished_at IS NULL AND n.lease_until IS NULL AND n.next_try_at < $1 - $4::interval
          AND (n.org_id, n.channel) NOT IN (SELECT b.org_id, b.channel FROM busy b)
          AND n.contact_method_id NOT IN (SELECT h.contact_method_id FROM hanging h) LIMIT $3) late)
      + (SELECT count(*) FROM (SELECT FROM odd n WHERE n.lease_until < $1 - $4 LIMIT $3) late)
      + (SELECT count(*) FROM (SELECT FROM odd n WHERE coalesce(n.lease_until, n.next_try_at) >= $1 - $4 AND ` + claimedInVainSQL + ` LIMIT $3) late),
    (SELECT count(*) FROM (SELECT FROM odd n WHERE n.lease_until > $1 + $7::interval LIMIT $3) stuck),
    (SELECT count(*) FROM (SELECT FROM incident_timer t WHERE t.due_at < $1 - $2 LIMIT $3) late),
    (SELECT count(*) FROM (SELECT FROM incident i WHERE ` + maintenanceOverSQL + ` LIMIT $3) held),
    (SELECT count(*) FROM (` + unpagedSQL + `) unpaged),
    (SELECT count(*) FROM (SELECT FROM odd n WHERE n.lease_until IS NULL AND n.created_at > $1 + $6 LIMIT $3) ahead)
      + (SELECT count(*) FROM (SELECT FROM (SELECT $1 + $6 AS at) soon, unnest($5, $10::interval[]) AS kind(name, longest), notification n
            WHERE ` + retryAheadSQL + ` LIMIT $3) ahead)
      + (SELECT count(*) FROM (SELECT FROM incident i WHERE i.paging_status = 'active' AND i.paging_updated_at > $1 + $6 LIMIT $3) ahead)
      + (SELECT count(*) FROM (SELECT FROM (SELECT $1 + $6 AS at) soon, unnest($5, $10::interval[]) AS kind(name, longest), contact_method c
            WHERE ` + contactAheadSQL + ` LIMIT $3) ahead)
      + (SELECT count(*) FROM (SELECT FROM (SELECT $1 + $6 AS at) soon, ` + timersAheadSQL + ` LIMIT $3) ahead),
    extract(epoch FROM greatest(interval '0', $1 - least(
        (SELECT min(i.paging_due_at) FROM incident i WHERE i.paging_status = 'active'),
        (SELECT min(t.due_at) FROM incident_timer t),
        (SELECT min(first.at) FROM unnest($5::text[]) AS kind(name), LATERAL (
            SELECT n.next_try_at AS at FROM notification n WHERE n.finished_at IS NULL AND n.lease_until IS NULL AND n.channel = kind.name ORDER BY n.next_try_at LIMIT 1) first),
        (SELECT min(n.lease_until) FROM odd n),
        (SELECT min(n.due_at) FROM odd n WHERE ` + claimedInVainSQL + `))))::float8`

// claimedInVainSQL is a page that was claimed twice or more, and nobody recorded what came of it: each
// worker died, or could not look in time. It is leased nearly always, as one that leaves in a moment, or was just given
// back by a process that began. What our own provider keeps is told as blocked.
const claimedInVainSQL = `n.orphaned >= 2 AND (n.lease_until IS NOT NULL OR n.next_try_at <= $1) AND n.blocked_since IS NULL AND n.due_at < $1 - $4`

// maintenanceOverSQL is what ending maintenance must have made due; all ones is a quiet time,
// which nobody ends. The window is asked of one row at a time.
const maintenanceOverSQL = `i.paging_held_by <> 'ffffffff-ffff-ffff-ffff-ffffffffffff' AND i.paging_status = 'active' AND i.paging_due_at > $1::timestamptz
    AND coalesce((SELECT w.ends_at FROM maintenance_window w WHERE w.org_id = i.org_id AND w.id = i.paging_held_by LIMIT 1), i.paging_updated_at) < $1 - $2::interval`

// contactAheadSQL is true of a contact that began to fail in the future, or waits for longer than any does. One
// whose webhook failed for longer than the clock was set back passes for what Retry-After asked for, ten minutes at most.
const contactAheadSQL = `c.kind = kind.name AND c.next_try_at > soon.at AND (c.failing_since > soon.at OR c.next_try_at > soon.at + kind.longest)`

// retryAheadSQL is true of a page that this installation's own failure keeps, and whose next try is further ahead than any is
// put off: one that was due for long waits for notify.LongestWait, one whose contact fails for that contact. The least of the
// longest waits is asked first, by itself, so that pages that are kept as always are joined to nothing.
var retryAheadSQL = fmt.Sprintf(`n.finished_at IS NULL AND n.lease_until IS NULL AND n.blocked_since IS NOT NULL AND n.channel = kind.name
    AND n.next_try_at > soon.at + interval '%[3]d seconds' AND n.next_try_at > soon.at + kind.longest AND n.created_at <= soon.at AND n.due_at <= soon.at
    AND (n.next_try_at < n.due_at + interval '%[1]d seconds' OR n.next_try_at > soon.at + interval '%[2]d seconds')
    AND NOT EXISTS (SELECT FROM contact_method c WHERE c.org_id = n.org_id AND c.id = n.contact_method_id AND c.next_try_at IS NOT NULL)`,
	int((notify.MaxAge + notify.LongestWait).Seconds()), int(notify.LongestWait.Seconds()), int(notify.MostBackoff.Seconds()))

// An incident is stored with the state of its paging, so the few seconds are only for a
// clock that was set.
const unpagedSQL = `
SELECT i.org_id, i.id FROM incident i
WHERE i.status = 'triggered' AND i.escalation_policy_id IS NOT NULL AND i.triggered_at < $1::timestamptz - $2::interval
  AND i.paging_status IS NULL
LIMIT $3`

const lateHeartbeatsSQL = `
SELECT (SELECT count(*) FROM (SELECT FROM heartbeat h WHERE h.deadline_at < $1::timestamptz - $2::interval LIMIT $3) late)
    + (SELECT count(*) FROM heartbeat_watch w WHERE w.looked_at < $1 - $2 AND EXISTS (SELECT FROM heartbeat h WHERE h.deadline_at IS NOT NULL AND coalesce(h.last_ping_at, '-infinity') < $1 - $2))`

// overdueArguments are those of overdueSQL.
func overdueArguments(now time.Time) []any {
	kinds, waits := contactWaits()
	sends := make([]int, len(kinds))
	for i, kind := range notify.Kinds {
		sends[i] = delivery.SendsPerOrg(kind)
	}
	return []any{now, lateEscalation, mostAudited, latePage, kinds, clockTolerance, notifydb.Lease + clockTolerance, sends, lastAccepted, waits}
}

// contactWaits are the channels, and the longest that each puts a contact off.
func contactWaits() (kinds []string, longest []time.Duration) {
	for _, kind := range notify.Kinds {
		kinds, longest = append(kinds, string(kind)), append(longest, notify.MostContactWait(kind))
	}
	return kinds, longest
}

// Find counts what is overdue now.
func (a *Auditor) Find(ctx context.Context) (found Overdue, err error) {
	err = a.db.InSystem(ctx, postgres.Audit, func(ctx context.Context, tx pgx.Tx) error {
		now, err := postgres.Now(ctx, tx)
		if err != nil {
			return err
		}
		var oldest *float64 // nil: nothing waits
		err = tx.QueryRow(ctx, overdueSQL, overdueArguments(now)...).
			Scan(&found.Escalations, &found.Pages, &found.Leases, &found.Timers, &found.MaintenanceOver, &found.Unpaged, &found.ClockSetBack, &oldest)
		if oldest != nil {
			found.Oldest = time.Duration(*oldest * float64(time.Second))
		}
		if err != nil {
			return err
		}
		return tx.QueryRow(ctx, lateHeartbeatsSQL, now, lateHeartbeat, mostAudited).Scan(&found.Heartbeats)
	})
	return found, err
}

// Repair does what is overdue, whatever the loops are busy with: it frees stuck leases and rows from the future, starts
// paging where it never began, carries out due timers and steps, and claims the pages that wait. Due times stay: who
// was missed follows from them (design rule 4). Heartbeats are left to their sweep.
func (a *Auditor) Repair(ctx context.Context) error {
	var problems []error
	for _, rows := range []func(context.Context, pgx.Tx) error{freeRows, startUnpaged} {
		problems = append(problems, a.db.InSystem(ctx, postgres.Audit, rows, postgres.LockTimeout(lockWait)))
	}
	for _, sweep := range []func(context.Context) (bool, error){a.timerSweeper.Sweep, a.escalator.Sweep} {
		for again, rounds := true, 0; again && rounds < repairRounds; rounds++ {
			var err error
			again, err = sweep(ctx)
			problems = append(problems, err)
		}
	}
	for kind, outbox := range a.outboxes {
		if _, err := outbox.Sweep(ctx); err != nil {
			problems = append(problems, fmt.Errorf("send by %s: %w", kind, err))
		}
	}
	a.signals.Pages()
	return errors.Join(problems...)
}

const pagesFromFutureSQL = `
UPDATE notification n SET created_at = $1, due_at = n.due_at - (n.created_at - $1), next_try_at = greatest($1, n.next_try_at - (n.created_at - $1))
WHERE (n.org_id, n.id) IN (SELECT w.org_id, w.id FROM notification w
    WHERE w.finished_at IS NULL AND w.lease_until IS NULL AND w.created_at > $1::timestamptz + $2::interval FOR UPDATE SKIP LOCKED)`

var retriesFromFutureSQL = `
UPDATE notification SET next_try_at = $1, blocked_since = least(blocked_since, $1)
WHERE (org_id, id) IN (SELECT n.org_id, n.id FROM (SELECT $1::timestamptz + $2::interval AS at) soon, unnest($3::text[], $4::interval[]) AS kind(name, longest), notification n
    WHERE ` + retryAheadSQL + ` FOR NO KEY UPDATE OF n SKIP LOCKED)`

const stepsFromFutureSQL = `
UPDATE incident i SET paging_updated_at = $1, paging_due_at = greatest($1, i.paging_due_at - (i.paging_updated_at - $1)),
    paging_own_due_at = CASE WHEN i.paging_own_due_at IS NOT NULL THEN greatest($1, i.paging_own_due_at - (i.paging_updated_at - $1)) END
WHERE (i.org_id, i.id) IN (SELECT w.org_id, w.id FROM incident w
    WHERE w.paging_status = 'active' AND w.paging_updated_at > $1::timestamptz + $2::interval FOR NO KEY UPDATE SKIP LOCKED)`

const contactsFromFutureSQL = `
UPDATE contact_method SET next_try_at = $1, failing_since = least(failing_since, $1)
WHERE (org_id, id) IN (SELECT c.org_id, c.id FROM (SELECT $1::timestamptz + $2::interval AS at) soon, unnest($3::text[], $4::interval[]) AS kind(name, longest), contact_method c
    WHERE ` + contactAheadSQL + ` FOR NO KEY UPDATE OF c SKIP LOCKED)`

const endMaintenanceHoldsSQL = `
UPDATE incident SET paging_updated_at = $1, paging_due_at = $1
WHERE (org_id, id) IN (SELECT i.org_id, i.id FROM incident i WHERE ` + maintenanceOverSQL + ` FOR NO KEY UPDATE SKIP LOCKED)`

// freeRows frees what is claimed for too long, what waits for maintenance that is over, and what waits for a clock that was set
// back.
func freeRows(ctx context.Context, tx pgx.Tx) error {
	now, err := postgres.Now(ctx, tx)
	if err != nil {
		return err
	}
	if _, err := notifydb.ReleaseAfter(ctx, tx, now, now.Add(notifydb.Lease+clockTolerance)); err != nil {
		return err
	}
	// Timers come before the pages, which tell when a question was asked.
	for _, sql := range []string{timersFromFutureSQL, pagesFromFutureSQL, stepsFromFutureSQL, endMaintenanceHoldsSQL} {
		if _, err := tx.Exec(ctx, sql, now, clockTolerance); err != nil {
			return err
		}
	}
	kinds, longest := contactWaits()
	for _, sql := range []string{retriesFromFutureSQL, contactsFromFutureSQL} {
		if _, err := tx.Exec(ctx, sql, now, clockTolerance, kinds, longest); err != nil {
			return err
		}
	}
	return nil
}

// startUnpaged begins to page for incidents that nobody is paged for.
func startUnpaged(ctx context.Context, tx pgx.Tx) error {
	now, err := postgres.Now(ctx, tx)
	if err != nil {
		return err
	}
	rows, err := tx.Query(ctx, unpagedSQL, now, lateEscalation, mostAudited)
	if err != nil {
		return err
	}
	var ref incidentdb.Ref
	var one escalationdb.Paging
	_, err = pgx.ForEachRow(rows, []any{&one.OrgID, &one.IncidentID}, func() error {
		ref.Add(one.OrgID, one.IncidentID)
		return nil
	})
	if err != nil || len(ref.IDs) == 0 {
		return err
	}
	records, err := incidentdb.Lock(ctx, tx, ref)
	if err != nil {
		return err
	}
	round := paging.NewRound(tx, now)
	for _, record := range records {
		_, paged, err := escalationdb.Get(ctx, tx, record.OrgID, record.ID, record.PolicyID)
		if err != nil {
			return err
		}
		if paged || record.Status != incident.Triggered {
			continue // another replica's auditor was here
		}
		if err := round.Start(ctx, record); err != nil {
			return err
		}
	}
	batch := &pgx.Batch{}
	round.Queue(batch)
	return postgres.Finish(ctx, tx, batch)
}
