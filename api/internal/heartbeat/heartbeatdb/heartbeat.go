// Package heartbeatdb stores heartbeats: heartbeat.go is their rows, due.go what the sweep asks.
package heartbeatdb

import (
	"context"
	"time"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"

	"github.com/nightbell/nightbell/api/internal/heartbeat"
	"github.com/nightbell/nightbell/api/internal/platform/postgres"
)

// Row is a heartbeat as it is stored.
type Row struct {
	OrgID, ID, ServiceID uuid.UUID
	ServiceName          string
	Name                 string
	heartbeat.Settings
	heartbeat.State
	// LastKey is the Idempotency-Key of the last ping that had one, and what tells its content apart.
	LastKey              string
	CreatedAt, UpdatedAt time.Time
}

const columns = `h.org_id, h.id, h.service_id, s.name, h.name, coalesce(h.every_seconds, 0), coalesce(h.schedule, ''), h.time_zone, h.grace_seconds,
	coalesce(h.max_runtime_seconds, 0), h.severity, h.paused, h.status, h.last_ping_at, h.due_at, h.deadline_at, h.run_id, h.run_started_at,
	h.ended_run_id, h.episode_at, h.spared, h.last_key, h.created_at, h.updated_at`

const from = ` FROM heartbeat h JOIN service s ON s.org_id = h.org_id AND s.id = h.service_id `

func scan(row pgx.CollectableRow) (r Row, err error) {
	var every, maxRuntime int64
	var grace *int64
	var ping, due, deadline, run, episode *time.Time
	err = row.Scan(&r.OrgID, &r.ID, &r.ServiceID, &r.ServiceName, &r.Name, &every, &r.Schedule, &r.TimeZone, &grace,
		&maxRuntime, &r.Severity, &r.Paused, &r.Status, &ping, &due, &deadline, &r.RunID, &run,
		&r.EndedRunID, &episode, &r.Spared, &r.LastKey, &r.CreatedAt, &r.UpdatedAt)
	r.Every, r.MaxRuntime = seconds(every), seconds(maxRuntime)
	if grace != nil {
		own := seconds(*grace)
		r.Grace = &own
	}
	r.LastPingAt, r.DueAt, r.DeadlineAt = postgres.Value(ping), postgres.Value(due), postgres.Value(deadline)
	r.RunStartedAt, r.EpisodeAt = postgres.Value(run), postgres.Value(episode)
	return r, err
}

func seconds(n int64) time.Duration { return time.Duration(n) * time.Second }

// whole is a duration as a nullable column of seconds; zero is NULL.
func whole(d time.Duration) *int64 { return postgres.Null(int64(d / time.Second)) }

func graceOf(s heartbeat.Settings) *int64 {
	if s.Grace == nil {
		return nil
	}
	n := int64(*s.Grace / time.Second)
	return &n
}

// QueueFind asks for the heartbeat of a service by its name, and keeps others from changing it.
func QueueFind(batch *pgx.Batch, orgID, serviceID uuid.UUID, name string, found func(Row)) {
	batch.Queue(`SELECT `+columns+from+`WHERE h.org_id = $1 AND h.service_id = $2 AND h.name = $3 FOR NO KEY UPDATE OF h`, orgID, serviceID, name).
		Query(func(rows pgx.Rows) error { return each(rows, found) })
}

func each(rows pgx.Rows, use func(Row)) error {
	list, err := pgx.CollectRows(rows, scan)
	for _, row := range list {
		use(row)
	}
	return err
}

// Insert stores a new heartbeat, unless its service has one of this name or was deleted. FOR SHARE
// waits for who deletes the service: a heartbeat that nobody sees must not stay behind. It fails with
// heartbeat.ErrTooMany when the organization has all that it may have.
func Insert(ctx context.Context, tx pgx.Tx, r Row, now time.Time) (inserted bool, err error) {
	var n int
	err = tx.QueryRow(ctx, `SELECT count(*) FROM (SELECT FROM heartbeat WHERE org_id = $1 LIMIT $2) h`, r.OrgID, heartbeat.MostOfOrg).Scan(&n)
	if err != nil {
		return false, err
	}
	if n >= heartbeat.MostOfOrg {
		return false, heartbeat.ErrTooMany
	}
	tag, err := tx.Exec(ctx, `
		INSERT INTO heartbeat (org_id, id, service_id, name, every_seconds, schedule, time_zone, grace_seconds, max_runtime_seconds, severity, paused, created_at, updated_at)
		SELECT $1, $2, s.id, $4, $5, $6, $7, $8, $9, $10, $11, $12, $12 FROM service s WHERE s.org_id = $1 AND s.id = $3 AND s.deleted_at IS NULL FOR SHARE OF s
		ON CONFLICT (org_id, service_id, name) DO NOTHING`,
		r.OrgID, r.ID, r.ServiceID, r.Name, whole(r.Every), postgres.Null(r.Schedule), r.TimeZone, graceOf(r.Settings), whole(r.MaxRuntime), r.Severity, r.Paused, now)
	return tag.RowsAffected() == 1, err
}

// QueueState stores where a heartbeat stands.
func QueueState(batch *pgx.Batch, r Row) {
	batch.Queue(`UPDATE heartbeat SET status = $3, last_ping_at = $4, due_at = $5, deadline_at = $6, run_id = $7, run_started_at = $8, ended_run_id = $9,
		episode_at = $10, spared = $11, last_key = $12 WHERE org_id = $1 AND id = $2`,
		r.OrgID, r.ID, r.Status, postgres.Null(r.LastPingAt), postgres.Null(r.DueAt), postgres.Null(r.DeadlineAt), r.RunID, postgres.Null(r.RunStartedAt),
		r.EndedRunID, postgres.Null(r.EpisodeAt), r.Spared, r.LastKey)
}

// QueueSettings stores what is configured of a heartbeat.
func QueueSettings(batch *pgx.Batch, r Row, now time.Time) {
	batch.Queue(`UPDATE heartbeat SET name = $3, every_seconds = $4, schedule = $5, time_zone = $6, grace_seconds = $7, max_runtime_seconds = $8,
		severity = $9, paused = $10, updated_at = $11 WHERE org_id = $1 AND id = $2`,
		r.OrgID, r.ID, r.Name, whole(r.Every), postgres.Null(r.Schedule), r.TimeZone, graceOf(r.Settings), whole(r.MaxRuntime), r.Severity, r.Paused, now)
}

// ConstraintName is that a service has one heartbeat of a name.
const ConstraintName = "heartbeat_name_key"

// Get reads one; it fails with pgx.ErrNoRows.
func Get(ctx context.Context, tx pgx.Tx, orgID, heartbeatID uuid.UUID) (Row, error) {
	return one(ctx, tx, `SELECT `+columns+from+`WHERE h.org_id = $1 AND h.id = $2`, orgID, heartbeatID)
}

// Lock is Get, and keeps others from changing it.
func Lock(ctx context.Context, tx pgx.Tx, orgID, heartbeatID uuid.UUID) (Row, error) {
	return one(ctx, tx, `SELECT `+columns+from+`WHERE h.org_id = $1 AND h.id = $2 FOR UPDATE OF h`, orgID, heartbeatID)
}

func one(ctx context.Context, tx pgx.Tx, sql string, args ...any) (Row, error) {
	rows, err := tx.Query(ctx, sql, args...)
	if err != nil {
		return Row{}, err
	}
	return pgx.CollectExactlyOneRow(rows, scan)
}

// List gives those of an organization, or of one service (Nil for all), that were made before the
// one with this id, the newest first: ids are made in the order of time.
func List(ctx context.Context, tx pgx.Tx, orgID, serviceID, before uuid.UUID, most int) ([]Row, error) {
	rows, err := tx.Query(ctx, `SELECT `+columns+from+`WHERE h.org_id = $1 AND h.id < $3 AND ($2::uuid IS NULL OR h.service_id = $2) ORDER BY h.id DESC LIMIT $4`,
		orgID, postgres.Null(serviceID), before, most)
	if err != nil {
		return nil, err
	}
	return pgx.CollectRows(rows, scan)
}

// QueueDelete removes one.
func QueueDelete(batch *pgx.Batch, orgID, heartbeatID uuid.UUID) {
	batch.Queue(`DELETE FROM heartbeat WHERE org_id = $1 AND id = $2`, orgID, heartbeatID)
}

// DeleteOfService removes those of a service, and gives them as they were.
func DeleteOfService(ctx context.Context, tx pgx.Tx, orgID, serviceID uuid.UUID) ([]Row, error) {
	rows, err := tx.Query(ctx, `DELETE FROM heartbeat h USING service s WHERE s.org_id = h.org_id AND s.id = h.service_id AND h.org_id = $1 AND h.service_id = $2
		RETURNING `+columns, orgID, serviceID)
	if err != nil {
		return nil, err
	}
	return pgx.CollectRows(rows, scan)
}

// HasService reports whether an organization has a service.
func HasService(ctx context.Context, tx pgx.Tx, orgID, serviceID uuid.UUID) (has bool, err error) {
	err = tx.QueryRow(ctx, `SELECT EXISTS (SELECT FROM service WHERE org_id = $1 AND id = $2 AND deleted_at IS NULL)`, orgID, serviceID).Scan(&has)
	return has, err
}
