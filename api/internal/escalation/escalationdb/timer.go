package escalationdb

import (
	"context"
	"time"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"

	"github.com/nightbell/nightbell/api/internal/escalation"
)

// Timer is when the clock does something to an incident. Timers are written by who
// holds the incident, so that an incident has what its state asks for; one that was left
// behind does nothing but end.
type Timer struct {
	OrgID, IncidentID uuid.UUID
	Kind              escalation.TimerKind
	DueAt             time.Time
	// Held is set when DueAt is the end of maintenance or of a quiet time.
	Held bool
}

const setTimersSQL = `
INSERT INTO incident_timer (org_id, incident_id, kind, due_at, held)
SELECT unnest($1::uuid[]), unnest($2::uuid[]), unnest($3::text[]), unnest($4::timestamptz[]), unnest($5::boolean[])
ON CONFLICT (org_id, incident_id, kind) DO UPDATE SET due_at = excluded.due_at, held = excluded.held`

// QueueTimers adds the statement that sets timers, at most one of a kind for each
// incident, to a pipelined batch.
func QueueTimers(batch *pgx.Batch, timers []Timer) {
	if len(timers) == 0 {
		return
	}
	n := len(timers)
	orgs, incidents, kinds, due, held := make([]uuid.UUID, n), make([]uuid.UUID, n), make([]string, n), make([]time.Time, n), make([]bool, n)
	for i, t := range timers {
		orgs[i], incidents[i], kinds[i], due[i], held[i] = t.OrgID, t.IncidentID, string(t.Kind), t.DueAt, t.Held
	}
	batch.Queue(setTimersSQL, orgs, incidents, kinds, due, held)
}

// QueueDropTimers adds the statement that removes the timers of an incident to a
// pipelined batch that are of these kinds. One that a sweep is just looking at is left to
// it; it waits for the incident and finds out.
func QueueDropTimers(batch *pgx.Batch, orgID, incidentID uuid.UUID, kinds ...escalation.TimerKind) {
	batch.Queue(`DELETE FROM incident_timer WHERE (org_id, incident_id, kind) IN (
		SELECT t.org_id, t.incident_id, t.kind FROM incident_timer t
		WHERE t.org_id = $1 AND t.incident_id = $2 AND t.kind = ANY($3) FOR UPDATE SKIP LOCKED)`, orgID, incidentID, kinds)
}

// claimTimersSQL lets organizations take turns as claimDueSQL does: behind a backlog the primary key leads from
// one organization with timers to the next, and those that the oldest do not show are looked up. OFFSET 0
// keeps the planner from looking for each of them among all that is due.
const claimTimersSQL = `
WITH RECURSIVE oldest AS MATERIALIZED (
    SELECT org_id, incident_id, due_at FROM incident_timer WHERE kind = $1 AND due_at <= $2 ORDER BY due_at LIMIT 4000
), timed_orgs AS (
    SELECT first.* FROM (SELECT count(*) FROM oldest HAVING count(*) = 4000) backlog, LATERAL (
        SELECT org_id FROM incident_timer ORDER BY org_id LIMIT 1) first
    UNION ALL
    SELECT next.* FROM timed_orgs o, LATERAL (
        SELECT org_id FROM incident_timer WHERE org_id > o.org_id ORDER BY org_id LIMIT 1) next
), behind AS (
    SELECT due.* FROM timed_orgs o, LATERAL (
        SELECT org_id, incident_id, due_at FROM (SELECT * FROM incident_timer WHERE org_id = o.org_id OFFSET 0) own
        WHERE kind = $1 AND due_at <= $2 AND incident_id <> ALL($4) ORDER BY due_at LIMIT $3) due
    WHERE o.org_id NOT IN (SELECT org_id FROM oldest)
), turns AS MATERIALIZED (
    SELECT org_id, incident_id, due_at, row_number() OVER (PARTITION BY org_id ORDER BY due_at) AS place
    FROM (SELECT * FROM oldest UNION ALL SELECT * FROM behind) due WHERE incident_id <> ALL($4)
)
SELECT t.org_id, t.incident_id, t.due_at, i.triggered_at, coalesce(u.name, '')
FROM (SELECT * FROM turns ORDER BY place, due_at LIMIT 4 * $3) d
JOIN incident_timer t ON t.org_id = d.org_id AND t.incident_id = d.incident_id AND t.kind = $1
JOIN incident i ON i.org_id = t.org_id AND i.id = t.incident_id
LEFT JOIN users u ON u.id = i.acknowledged_by
WHERE t.due_at <= $2 ORDER BY d.place, d.due_at LIMIT $3 FOR UPDATE OF t SKIP LOCKED`

// DueTimer is a timer that is due, with what its incident says of itself: as it was when
// the timer was claimed, so that who acts on it locks the incident and looks again.
type DueTimer struct {
	Timer
	TriggeredAt    time.Time
	AcknowledgedBy string
}

// ClaimTimers takes up to limit timers of a kind that are due, the longest overdue of each organization
// first, and locks them until the transaction ends. What another replica holds is skipped, and incidents in without
// are left alone.
func ClaimTimers(ctx context.Context, tx pgx.Tx, kind escalation.TimerKind, now time.Time, limit int, without []uuid.UUID) ([]DueTimer, error) {
	rows, err := tx.Query(ctx, claimTimersSQL, string(kind), now, limit, append([]uuid.UUID{}, without...))
	if err != nil {
		return nil, err
	}
	return pgx.CollectRows(rows, func(row pgx.CollectableRow) (DueTimer, error) {
		t := DueTimer{Timer: Timer{Kind: kind}}
		err := row.Scan(&t.OrgID, &t.IncidentID, &t.DueAt, &t.TriggeredAt, &t.AcknowledgedBy)
		return t, err
	})
}

// AnyTimer reports whether any incident has a timer of a kind.
func AnyTimer(ctx context.Context, tx pgx.Tx, kind escalation.TimerKind) (exists bool, err error) {
	err = tx.QueryRow(ctx, `SELECT EXISTS (SELECT FROM incident_timer WHERE kind = $1)`, string(kind)).Scan(&exists)
	return exists, err
}

// QueueEndTimers adds the statement that removes claimed timers to a pipelined batch.
func QueueEndTimers(batch *pgx.Batch, timers []Timer) {
	if len(timers) == 0 {
		return
	}
	n := len(timers)
	orgs, incidents, kinds := make([]uuid.UUID, n), make([]uuid.UUID, n), make([]string, n)
	for i, t := range timers {
		orgs[i], incidents[i], kinds[i] = t.OrgID, t.IncidentID, string(t.Kind)
	}
	batch.Queue(`DELETE FROM incident_timer t USING (SELECT unnest($1::uuid[]) AS org_id, unnest($2::uuid[]) AS incident_id, unnest($3::text[]) AS kind) over
		WHERE t.org_id = over.org_id AND t.incident_id = over.incident_id AND t.kind = over.kind`, orgs, incidents, kinds)
}
