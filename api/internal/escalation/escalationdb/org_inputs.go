package escalationdb

import (
	"time"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"

	"github.com/nightbell/nightbell/api/internal/escalation"
)

// OrgInputs are what decides about the pages of an organization whatever the policy.
type OrgInputs struct {
	// Owners are the last resort, in the order of joining.
	Owners []uuid.UUID
	// Maintenance is the planned work that is under way.
	Maintenance []escalation.Maintenance
}

// orgInputsSQL reads both in one statement, because most organizations have no work under
// way; it ends with the windows of maintenance.
const orgInputsSQL = `
SELECT ARRAY(SELECT m.user_id FROM membership m JOIN users u ON u.id = m.user_id AND u.disabled_at IS NULL
             WHERE m.org_id = $1 AND m.role = 'owner' ORDER BY m.created_at, m.user_id),
       w.id, w.description, w.starts_at, w.ends_at, w.changing,
       ARRAY(SELECT s.service_id FROM maintenance_service s WHERE s.org_id = $1 AND s.window_id = w.id)
FROM (SELECT) one LEFT JOIN (`

// lockedWindowsSQL: FOR SHARE makes whoever ends a window early wait for the incidents that this
// transaction is about to hold by it, and gives what was stored since the statement began. SKIP LOCKED:
// paging must not wait for a transaction that hangs. What it locks is read all the same, as changing.
const lockedWindowsSQL = orgInputsSQL + `
    SELECT m.id, COALESCE(mine.description, m.description) AS description, COALESCE(mine.starts_at, m.starts_at) AS starts_at,
        COALESCE(mine.ends_at, m.ends_at) AS ends_at, mine.id IS NULL AS changing
    FROM maintenance_window m LEFT JOIN (
        SELECT id, description, starts_at, ends_at FROM maintenance_window
        WHERE org_id = $1 AND ends_at > $2 AND starts_at <= $3 FOR SHARE SKIP LOCKED) mine ON mine.id = m.id
    WHERE m.org_id = $1 AND m.ends_at > $2 AND m.starts_at <= $3) w ON true`

const windowsSQL = orgInputsSQL + `
    SELECT m.id, m.description, m.starts_at, m.ends_at, false AS changing FROM maintenance_window m
    WHERE m.org_id = $1 AND m.ends_at > $2 AND m.starts_at <= $3) w ON true`

// QueueOrgInputs adds the statement that reads them at now, for a decision that is
// stored, to a pipelined batch; take gets it.
func QueueOrgInputs(batch *pgx.Batch, orgID uuid.UUID, now time.Time, take func(OrgInputs)) {
	queueOrgInputs(batch, lockedWindowsSQL, orgID, now, now, take)
}

// QueueProspects is QueueOrgInputs for what is only foreseen: it locks nothing, and gives
// the work that is planned for later as well.
func QueueProspects(batch *pgx.Batch, orgID uuid.UUID, now time.Time, take func(OrgInputs)) {
	queueOrgInputs(batch, windowsSQL, orgID, now, now.AddDate(10, 0, 0), take)
}

func queueOrgInputs(batch *pgx.Batch, sql string, orgID uuid.UUID, now, through time.Time, take func(OrgInputs)) {
	batch.Queue(sql, orgID, now, through).Query(func(rows pgx.Rows) error {
		var org OrgInputs
		var owners, services []uuid.UUID
		var window *uuid.UUID
		var description *string
		var start, end *time.Time
		var changing *bool
		_, err := pgx.ForEachRow(rows, []any{&owners, &window, &description, &start, &end, &changing, &services}, func() error {
			org.Owners = append([]uuid.UUID(nil), owners...)
			if window != nil {
				org.Maintenance = append(org.Maintenance, escalation.Maintenance{
					ID: *window, Description: *description, Start: start.UTC(), End: end.UTC(), Changing: *changing,
					Services: append([]uuid.UUID(nil), services...),
				})
			}
			return nil
		})
		take(org)
		return err
	})
}
