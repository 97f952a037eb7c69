package escalationdb

import (
	"context"
	"time"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"

	"github.com/nightbell/nightbell/api/internal/escalation"
)

// LockMaintenance waits for whoever is about to hold an incident by the window (orgInputsSQL), and
// keeps others from changing it. It answers false when there is none of that id.
func LockMaintenance(ctx context.Context, tx pgx.Tx, orgID, window uuid.UUID) (found bool, err error) {
	tag, err := tx.Exec(ctx, `SELECT FROM maintenance_window WHERE org_id = $1 AND id = $2 FOR NO KEY UPDATE`, orgID, window)
	return tag.RowsAffected() > 0, err
}

const updateMaintenanceSQL = `
UPDATE maintenance_window SET description = $3, starts_at = $4, ends_at = $5 WHERE org_id = $1 AND id = $2`

// replaceMaintenanceSQL deletes the row and inserts it again. A statement that began before would
// lock the new times (EvalPlanQual) beside the services of its older snapshot, and hold one that was
// taken out. It finds nothing to lock this way, and decides again (lockedWindowsSQL).
const replaceMaintenanceSQL = `
WITH old AS (DELETE FROM maintenance_window WHERE org_id = $1 AND id = $2 RETURNING created_by, created_at)
INSERT INTO maintenance_window (org_id, id, description, starts_at, ends_at, created_by, created_at)
SELECT $1, $2, $3, $4, $5, created_by, created_at FROM old`

// UpdateMaintenance stores a window that is locked, and makes due at now what the window held, so
// that the sweeper decides about each again: it pages, or waits for the end as it is now. It answers
// false, and the transaction must not be kept, when one of the services does not exist.
func UpdateMaintenance(ctx context.Context, tx pgx.Tx, orgID uuid.UUID, w escalation.Maintenance, now time.Time) (complete bool, err error) {
	// 1. What waits for the services that the window had.
	if err := release(ctx, tx, orgID, w.ID, now); err != nil {
		return false, err
	}
	// 2. The services that are taken out, and the window.
	removed, err := tx.Exec(ctx, `DELETE FROM maintenance_service WHERE org_id = $1 AND window_id = $2 AND service_id <> ALL ($3)`, orgID, w.ID, w.Services)
	if err != nil {
		return false, err
	}
	store := updateMaintenanceSQL
	if removed.RowsAffected() > 0 {
		store = replaceMaintenanceSQL
	}
	if _, err := tx.Exec(ctx, store, orgID, w.ID, w.Description, w.Start, w.End); err != nil {
		return false, err
	}
	// 3. The services that it lacks, and whether it has all of them then.
	if _, err := tx.Exec(ctx, addServicesSQL, orgID, w.ID, w.Services); err != nil {
		return false, err
	}
	var count int
	err = tx.QueryRow(ctx, `SELECT count(*) FROM maintenance_service WHERE org_id = $1 AND window_id = $2`, orgID, w.ID).Scan(&count)
	return count == len(w.Services), err
}
