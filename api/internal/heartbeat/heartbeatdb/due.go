package heartbeatdb

import (
	"context"
	"time"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"

	"github.com/nightbell/nightbell/api/internal/platform/postgres"
)

// Outage is a time in which nobody looked for what is missing; zero for none.
type Outage struct{ From, To time.Time }

// Attended is when somebody looked last for what is missing, zero for never, and the last outage.
func Attended(ctx context.Context, tx pgx.Tx) (at time.Time, outage Outage, err error) {
	var last, from, to *time.Time
	err = tx.QueryRow(ctx, `SELECT max(looked_at), max(outage_from), max(outage_to) FROM heartbeat_watch`).Scan(&last, &from, &to)
	return postgres.Value(last), Outage{postgres.Value(from), postgres.Value(to)}, err
}

// Attend is Attended, and lets nobody else find the same outage.
func Attend(ctx context.Context, tx pgx.Tx, now time.Time) (at time.Time, err error) {
	if _, err = tx.Exec(ctx, `INSERT INTO heartbeat_watch (looked_at) VALUES ($1) ON CONFLICT DO NOTHING`, now); err != nil {
		return at, err
	}
	err = tx.QueryRow(ctx, `SELECT looked_at FROM heartbeat_watch FOR UPDATE`).Scan(&at)
	return at, err
}

// SetOutage keeps an outage; the zero one forgets what was kept.
func SetOutage(ctx context.Context, tx pgx.Tx, outage Outage) error {
	_, err := tx.Exec(ctx, `UPDATE heartbeat_watch SET outage_from = $1, outage_to = $2`, postgres.Null(outage.From), postgres.Null(outage.To))
	return err
}

// SetAttended says that somebody looks now.
func SetAttended(ctx context.Context, tx pgx.Tx, now time.Time) error {
	_, err := tx.Exec(ctx, `UPDATE heartbeat_watch SET looked_at = $1`, now)
	return err
}

// AnyExpected reports whether anything is expected of anybody.
func AnyExpected(ctx context.Context, tx pgx.Tx) (expected bool, err error) {
	err = tx.QueryRow(ctx, `SELECT EXISTS (SELECT FROM heartbeat WHERE deadline_at IS NOT NULL)`).Scan(&expected)
	return expected, err
}

// LockExpected gives heartbeats after one id in the order of ids whose deadline is at a time or
// later and that nobody else holds, and keeps others from changing them.
func LockExpected(ctx context.Context, tx pgx.Tx, since time.Time, after uuid.UUID, most int) ([]Row, error) {
	rows, err := tx.Query(ctx, `SELECT `+columns+from+`WHERE h.deadline_at >= $1 AND NOT h.spared AND h.id > $2 ORDER BY h.id LIMIT $3 FOR NO KEY UPDATE OF h SKIP LOCKED`, since, after, most)
	if err != nil {
		return nil, err
	}
	return pgx.CollectRows(rows, scan)
}

// LockAhead is LockExpected for what was heard of after now, or was given more time.
func LockAhead(ctx context.Context, tx pgx.Tx, now time.Time, after uuid.UUID, most int) ([]Row, error) {
	rows, err := tx.Query(ctx, `SELECT `+columns+from+`WHERE h.deadline_at > $1 AND (h.last_ping_at > $1 OR h.spared) AND h.id > $2 ORDER BY h.id LIMIT $3 FOR NO KEY UPDATE OF h SKIP LOCKED`, now, after, most)
	if err != nil {
		return nil, err
	}
	return pgx.CollectRows(rows, scan)
}

// Place is a service with heartbeats that are missing.
type Place struct{ OrgID, ServiceID uuid.UUID }

// Organizations take turns: the longest overdue service of each comes before the second of any.
const overdueSQL = `
SELECT org_id, service_id FROM (
    SELECT org_id, service_id, min(deadline_at) AS since, row_number() OVER (PARTITION BY org_id ORDER BY min(deadline_at)) AS turn
    FROM heartbeat WHERE deadline_at <= $1 AND id <> ALL($2::uuid[]) GROUP BY org_id, service_id) late
ORDER BY turn, since LIMIT $3`

// Overdue gives services with heartbeats that are missing at now, but for those that rest.
func Overdue(ctx context.Context, tx pgx.Tx, now time.Time, resting []uuid.UUID, most int) ([]Place, error) {
	rows, err := tx.Query(ctx, overdueSQL, now, resting, most)
	if err != nil {
		return nil, err
	}
	return pgx.CollectRows(rows, pgx.RowToStructByPos[Place])
}

// Oldest is the first deadline that has passed at now; zero when there is none.
func Oldest(ctx context.Context, tx pgx.Tx, now time.Time) (time.Time, error) {
	var oldest *time.Time
	err := tx.QueryRow(ctx, `SELECT min(deadline_at) FROM heartbeat WHERE deadline_at <= $1`, now).Scan(&oldest)
	return postgres.Value(oldest), err
}

// LockOverdue gives the missing heartbeats of a service that nobody else holds, the longest overdue
// first, and keeps others from changing them.
func LockOverdue(ctx context.Context, tx pgx.Tx, at Place, now time.Time, resting []uuid.UUID, most int) ([]Row, error) {
	rows, err := tx.Query(ctx, `SELECT `+columns+from+`WHERE h.org_id = $1 AND h.service_id = $2 AND h.deadline_at <= $3 AND h.id <> ALL($4::uuid[])
		ORDER BY h.deadline_at, h.id LIMIT $5 FOR NO KEY UPDATE OF h SKIP LOCKED`, at.OrgID, at.ServiceID, now, resting, most)
	if err != nil {
		return nil, err
	}
	return pgx.CollectRows(rows, scan)
}
