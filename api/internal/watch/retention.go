package watch

import (
	"context"
	"encoding/binary"
	"fmt"
	"time"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"

	"github.com/nightbell/nightbell/api/internal/catalog"
	"github.com/nightbell/nightbell/api/internal/notify"
	"github.com/nightbell/nightbell/api/internal/platform/postgres"
	"github.com/nightbell/nightbell/api/internal/subscription"
)

const (
	// retentionBatch is how many rows one transaction deletes.
	retentionBatch = 1000
	// retentionBatches bounds one round; what is left goes in the next.
	retentionBatches = 500
	// retentionPause between two batches leaves the disk to whoever pages.
	retentionPause = 20 * time.Millisecond
	// retentionLock is how long a partition may wait for its lock: new statements on the
	// table wait behind it.
	retentionLock = 100 * time.Millisecond

	day = 24 * time.Hour
	// LeastRetentionDays keeps what people still work with.
	LeastRetentionDays = 7
)

// expiry is one kind of row with a keep time. docs-mdx/retention.md has the same table.
type expiry struct {
	table string
	keep  time.Duration
	// since is the column that the keep time counts from; rows where it is NULL stay.
	since string
	// unless, if any, is a condition under which an old row v stays.
	unless string
	// scanned is set for tables whose key is not (org_id, id): they are read as a whole.
	scanned bool
}

// open keeps what belongs to an incident that is not resolved.
const open = `EXISTS (SELECT FROM incident i WHERE i.org_id = v.org_id AND i.id = v.incident_id AND i.status <> 'resolved')`

// expiries is everything that grows, besides the partitions of alert_event and sample. detail is what
// NIGHTBELL_RETENTION_DAYS says.
func expiries(detail time.Duration) []expiry {
	history := max(detail, 730*day)
	return []expiry{
		{table: "notification", keep: detail, since: "finished_at", unless: open},
		{table: "delivery", keep: detail, since: "finished_at"},
		{table: "change_event", keep: detail, since: "occurred_at", scanned: true}, // senders choose the ids
		{table: "sample_series", keep: catalog.SamplesKept, since: "written_at", scanned: true},
		{table: "sample_call", keep: 4 * day, since: "created_at", scanned: true},
		{table: "undecodable_alert", keep: min(detail, 30*day), since: "received_at"},
		{table: "inbox_mail", keep: min(detail, 30*day), since: "received_at"},
		{table: "test_page", keep: min(detail, 180*day), since: "created_at"},
		{table: "handover_notice", keep: min(detail, 30*day), since: "finished_at"},
		{table: "timeline_event", keep: detail, since: "at", unless: "v.incident_id IS NOT NULL", scanned: true}, // an index has the others
		{table: "webhook_delivery", keep: min(detail, subscription.Kept), since: "created_at"},
		{table: "maintenance_window", keep: history, since: "ends_at"},
		{table: "alert", keep: history, since: "last_seen_at", unless: open},
		{table: "incident", keep: history, since: "resolved_at", unless: "EXISTS (SELECT FROM alert a WHERE a.incident_id = v.id)"},
		{table: "audit_event", keep: max(detail, 365*day), since: "at"},
		{table: "idempotency_key", keep: 4 * day, since: "created_at", scanned: true},
		{table: "refresh_token", keep: 7 * day, since: "used_at", scanned: true},
		{table: "invitation", keep: 90 * day, since: "created_at"},
		{table: "password_reset", keep: 7 * day, since: "created_at", scanned: true},
		{table: "session", keep: 90 * day, since: "last_used_at", scanned: true},
		{table: "known_device", keep: 180 * day, since: "seen_at", scanned: true},
		{table: "service_key", keep: day, since: "expires_at", scanned: true},
	}
}

// Keys are UUIDv7, which begin with the time: the primary key (org_id, id) finds the oldest
// rows of each organization, so that no index exists for retention alone. A row that changed
// meanwhile has another ctid and stays.
const expireByKeySQL = `
DELETE FROM %[1]s WHERE ctid = ANY(ARRAY(
    SELECT old.ctid FROM org o, LATERAL (
        SELECT v.ctid FROM %[1]s v WHERE v.org_id = o.id AND v.id < $3 AND v.%[2]s < $1%[3]s
        ORDER BY v.id LIMIT $2) old
    LIMIT $2))`

const expireScannedSQL = `
DELETE FROM %[1]s WHERE ctid = ANY(ARRAY(
    SELECT v.ctid FROM %[1]s v WHERE v.%[2]s < $1%[3]s LIMIT $2))`

// statement gives the SQL that deletes one batch of what is older than before.
func (e expiry) statement(before time.Time) (sql string, args []any) {
	unless := ""
	if e.unless != "" {
		unless = " AND NOT " + e.unless
	}
	if e.scanned {
		return fmt.Sprintf(expireScannedSQL, e.table, e.since, unless), []any{before, retentionBatch}
	}
	return fmt.Sprintf(expireByKeySQL, e.table, e.since, unless), []any{before, retentionBatch, keyAt(before)}
}

// keyAt is the least UUIDv7 of its time.
func keyAt(at time.Time) (key uuid.UUID) {
	binary.BigEndian.PutUint64(key[:], uint64(max(0, at.UnixMilli()))<<16)
	return key
}

// Housekeep deletes what has served its time, in batches that hold their locks for
// milliseconds, and makes the partitions of the coming weeks.
func (w *Watch) Housekeep(ctx context.Context) {
	detail := time.Duration(w.options.RetentionDays) * day
	if err := w.partition(ctx, "alert_event", "received_at", detail); err != nil {
		w.housekeepingFailed(ctx, "alert_event", err)
	}
	if err := w.partition(ctx, "sample", "at", catalog.SamplesKept); err != nil {
		w.housekeepingFailed(ctx, "sample", err)
	}
	for _, e := range expiries(detail) {
		if err := w.expire(ctx, e); err != nil {
			w.housekeepingFailed(ctx, e.table, err)
		}
	}
	if err := w.restContacts(ctx); err != nil {
		w.housekeepingFailed(ctx, "contact_method", err)
	}
}

// restContacts stops looking for pages to contacts that failed and that nobody has paged
// since: each look of an outbox asks for every contact that is to be tried again. Failures of
// one that was not dead are forgotten, as a day later nobody knows what they were; a dead one stays it.
func (w *Watch) restContacts(ctx context.Context) error {
	return w.db.InSystem(ctx, postgres.Background, func(ctx context.Context, tx pgx.Tx) error {
		_, err := tx.Exec(ctx, `UPDATE contact_method SET next_try_at = NULL, failures = CASE WHEN failures >= $1 THEN failures ELSE 0 END,
				failing_since = CASE WHEN failures >= $1 THEN failing_since END, failing_for = CASE WHEN failures >= $1 THEN failing_for ELSE '' END
			WHERE next_try_at < nightbell_now() - interval '1 day'`, notify.DeadAfter)
		return err
	})
}

func (w *Watch) housekeepingFailed(ctx context.Context, table string, err error) {
	if ctx.Err() == nil {
		w.options.Logger.WarnContext(ctx, "old rows could not be deleted; it is tried again in an hour", "table", table, "error", err)
	}
}

// partition makes the weekly partitions of a table for the next four weeks and drops those that are
// old enough.
func (w *Watch) partition(ctx context.Context, table, column string, keep time.Duration) error {
	return w.db.InSystem(ctx, postgres.Background, func(ctx context.Context, tx pgx.Tx) error {
		now, err := postgres.Now(ctx, tx)
		if err != nil {
			return err
		}
		_, err = tx.Exec(ctx, `SELECT weekly_partitions($1, $2, $3, $4)`, table, column, now, keep)
		return err
	}, postgres.LockTimeout(retentionLock))
}

// expire deletes batch after batch until nothing is old enough any more.
func (w *Watch) expire(ctx context.Context, e expiry) error {
	for range retentionBatches {
		var deleted int64
		err := w.db.InSystem(ctx, postgres.Background, func(ctx context.Context, tx pgx.Tx) error {
			now, err := postgres.Now(ctx, tx)
			if err != nil {
				return err
			}
			sql, args := e.statement(now.Add(-e.keep))
			tag, err := tx.Exec(ctx, sql, args...)
			deleted = tag.RowsAffected()
			return err
		}, postgres.LockTimeout(retentionLock))
		if err != nil || deleted < retentionBatch {
			return err
		}
		select {
		case <-ctx.Done():
			return ctx.Err()
		case <-time.After(retentionPause):
		}
	}
	return nil
}
