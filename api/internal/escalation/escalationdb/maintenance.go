package escalationdb

import (
	"context"
	"time"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"

	"github.com/nightbell/nightbell/api/internal/escalation"
	"github.com/nightbell/nightbell/api/internal/platform/postgres"
)

// PlannedWork is a maintenance window as screens show it.
type PlannedWork struct {
	escalation.Maintenance
	// ServiceNames are those of Services, in the same order.
	ServiceNames []string
	// CreatedBy is Nil for a program.
	CreatedBy     uuid.UUID
	CreatedByName string
	// Held is how many incidents it holds the pages of, the question to acknowledge them again, or the news
	// that they are worse.
	Held int
}

const listMaintenanceSQL = `
SELECT w.id, w.description, w.starts_at, w.ends_at, w.created_by, coalesce(u.name, ''),
       ARRAY(SELECT s.id FROM maintenance_service m JOIN service s ON s.org_id = m.org_id AND s.id = m.service_id
             WHERE m.org_id = w.org_id AND m.window_id = w.id ORDER BY lower(s.name), s.id),
       ARRAY(SELECT s.name FROM maintenance_service m JOIN service s ON s.org_id = m.org_id AND s.id = m.service_id
             WHERE m.org_id = w.org_id AND m.window_id = w.id ORDER BY lower(s.name), s.id),
       (SELECT count(*) FROM incident i WHERE i.org_id = w.org_id AND i.status = 'triggered' AND i.paging_held_by = w.id AND i.paging_status = 'active')
       + (SELECT count(*) FROM maintenance_service m JOIN incident i ON i.org_id = m.org_id AND i.service_id = m.service_id AND (i.status = 'acknowledged' OR i.status = 'triggered' AND i.paging_held_by IS DISTINCT FROM w.id)
          JOIN incident_timer t ON t.org_id = i.org_id AND t.incident_id = i.id AND t.kind = 'confirm_request'
          WHERE m.org_id = w.org_id AND m.window_id = w.id AND t.due_at = w.ends_at)
FROM maintenance_window w LEFT JOIN users u ON u.id = w.created_by
WHERE w.org_id = $1 AND `

// ListMaintenance gives no more than most windows, what ends last first, after the place of a window in
// that order.
func ListMaintenance(ctx context.Context, tx pgx.Tx, orgID uuid.UUID, endsBefore time.Time, before uuid.UUID, most int) ([]PlannedWork, error) {
	return queryMaintenance(ctx, tx, `(w.ends_at, w.id) < ($2, $3) ORDER BY w.ends_at DESC, w.id DESC LIMIT $4`, orgID, endsBefore, before, most)
}

// GetMaintenance reads one window; found is false when there is none of that id.
func GetMaintenance(ctx context.Context, tx pgx.Tx, orgID, window uuid.UUID) (work PlannedWork, found bool, err error) {
	list, err := queryMaintenance(ctx, tx, `w.id = $2`, orgID, window)
	if err != nil || len(list) == 0 {
		return PlannedWork{}, false, err
	}
	return list[0], true, nil
}

func queryMaintenance(ctx context.Context, tx pgx.Tx, where string, arguments ...any) ([]PlannedWork, error) {
	rows, err := tx.Query(ctx, listMaintenanceSQL+where, arguments...)
	if err != nil {
		return nil, err
	}
	return pgx.CollectRows(rows, func(row pgx.CollectableRow) (PlannedWork, error) {
		var w PlannedWork
		var by *uuid.UUID
		err := row.Scan(&w.ID, &w.Description, &w.Start, &w.End, &by, &w.CreatedByName, &w.Services, &w.ServiceNames, &w.Held)
		w.CreatedBy = postgres.Value(by)
		return w, err
	})
}

// CountMaintenance counts the windows that have not ended, and has others who count them to add one wait.
func CountMaintenance(ctx context.Context, tx pgx.Tx, orgID uuid.UUID, now time.Time) (n int, err error) {
	if _, err := tx.Exec(ctx, `SELECT pg_advisory_xact_lock(hashtext('nightbell maintenance'), hashtext($1::text))`, orgID.String()); err != nil {
		return 0, err
	}
	err = tx.QueryRow(ctx, `SELECT count(*) FROM maintenance_window WHERE org_id = $1 AND ends_at > $2`, orgID, now).Scan(&n)
	return n, err
}

// addServicesSQL does not add one again that the window has.
const addServicesSQL = `
INSERT INTO maintenance_service (org_id, window_id, service_id)
SELECT s.org_id, $2, s.id FROM service s WHERE s.org_id = $1 AND s.id = ANY($3) AND s.deleted_at IS NULL ON CONFLICT DO NOTHING`

// InsertMaintenance stores a window with its services. It answers false, and the
// transaction must not be kept, when one of them does not exist.
func InsertMaintenance(ctx context.Context, tx pgx.Tx, orgID uuid.UUID, w escalation.Maintenance, by uuid.UUID, now time.Time) (complete bool, err error) {
	batch := &pgx.Batch{}
	batch.Queue(`INSERT INTO maintenance_window (org_id, id, description, starts_at, ends_at, created_by, created_at) VALUES ($1, $2, $3, $4, $5, $6, $7)`,
		orgID, w.ID, w.Description, w.Start, w.End, postgres.Null(by), now)
	batch.Queue(addServicesSQL, orgID, w.ID, w.Services)
	results := tx.SendBatch(ctx, batch)
	defer func() { _ = results.Close() }()
	if _, err := results.Exec(); err != nil {
		return false, err
	}
	tag, err := results.Exec()
	return tag.RowsAffected() == int64(len(w.Services)), err
}

// endMaintenanceSQL comes first: it waits for whoever is about to hold an incident by
// the window (orgInputsSQL), so that the others see it.
const endMaintenanceSQL = `
UPDATE maintenance_window SET starts_at = least(starts_at, $3), ends_at = $3 WHERE org_id = $1 AND id = $2 AND ends_at > $3`

// releaseSQL locks in the order in which everybody locks incidents.
const releaseSQL = `
UPDATE incident i SET paging_due_at = $3, paging_updated_at = $3
FROM (SELECT org_id, id FROM incident WHERE org_id = $1 AND status = 'triggered' AND paging_held_by = $2 AND paging_due_at > $3
      ORDER BY id FOR NO KEY UPDATE) held
WHERE i.org_id = held.org_id AND i.id = held.id`

// releaseRequestsSQL makes due what may wait for the window: whoever carries it out asks again
// what holds it. SKIP LOCKED: who has a timer claimed may wait for this window.
const releaseRequestsSQL = `
UPDATE incident_timer t SET due_at = $3 FROM (
    SELECT r.org_id, r.incident_id, r.kind FROM incident_timer r
    JOIN incident i ON i.org_id = r.org_id AND i.id = r.incident_id
    JOIN maintenance_service m ON m.org_id = r.org_id AND m.window_id = $2 AND m.service_id = i.service_id
    WHERE r.org_id = $1 AND r.kind = 'confirm_request' AND r.due_at > $3 FOR NO KEY UPDATE OF r SKIP LOCKED) waiting
WHERE t.org_id = waiting.org_id AND t.incident_id = waiting.incident_id AND t.kind = waiting.kind`

// releasePagesSQL makes due the pages that may wait for the window: their contacts were to be tried later, and
// somebody has looked at them (notifydb.SettlePages). Whoever sends one asks again what holds it. IS NOT
// DISTINCT FROM keeps the planner from reading all pages of the organization for each incident.
const releasePagesSQL = `
UPDATE notification n SET due_at = $3, next_try_at = $3 FROM (
    SELECT p.org_id, p.id FROM maintenance_service m
    JOIN incident i ON i.org_id = m.org_id AND i.service_id = m.service_id AND i.status <> 'resolved', LATERAL (
        SELECT n.org_id, n.id FROM notification n
        WHERE n.org_id IS NOT DISTINCT FROM i.org_id AND n.incident_id = i.id AND n.state = 'pending' AND n.attempts > 0 AND n.due_at > $3
        FOR NO KEY UPDATE SKIP LOCKED) p
    WHERE m.org_id = $1 AND m.window_id = $2) held
WHERE n.org_id = held.org_id AND n.id = held.id`

// EndMaintenance ends a window at now, or calls it off, and makes the steps that it held due,
// and what is to be asked of those who have incidents. It answers false when the window was
// over or does not exist.
func EndMaintenance(ctx context.Context, tx pgx.Tx, orgID, window uuid.UUID, now time.Time) (ended bool, err error) {
	tag, err := tx.Exec(ctx, endMaintenanceSQL, orgID, window, now)
	if err != nil || tag.RowsAffected() == 0 {
		return false, err
	}
	return true, release(ctx, tx, orgID, window, now)
}

func release(ctx context.Context, tx pgx.Tx, orgID, window uuid.UUID, now time.Time) error {
	for _, statement := range []string{releaseSQL, releaseRequestsSQL, releasePagesSQL} {
		if _, err := tx.Exec(ctx, statement, orgID, window, now); err != nil {
			return err
		}
	}
	return nil
}
