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

const claimTimersSQL = `
SELECT t.org_id, t.incident_id, t.due_at, i.triggered_at, coalesce(u.name, '')
FROM incident_timer t JOIN incident i ON i.org_id = t.org_id AND i.id = t.incident_id
LEFT JOIN users u ON u.id = i.acknowledged_by
WHERE t.kind = $1 AND t.due_at <= $2 ORDER BY t.due_at LIMIT $3 FOR UPDATE OF t SKIP LOCKED`

// DueTimer is a timer that is due, with what its incident says of itself: as it was when
// the timer was claimed, so that who acts on it locks the incident and looks again.
type DueTimer struct {
	Timer
	TriggeredAt    time.Time
	AcknowledgedBy string
}

// ClaimTimers takes up to limit timers of a kind that are due, the longest overdue
// first, and locks them until the transaction ends. What another replica holds is skipped.
func ClaimTimers(ctx context.Context, tx pgx.Tx, kind escalation.TimerKind, now time.Time, limit int) ([]DueTimer, error) {
	rows, err := tx.Query(ctx, claimTimersSQL, string(kind), now, limit)
	if err != nil {
		return nil, err
	}
	return pgx.CollectRows(rows, func(row pgx.CollectableRow) (DueTimer, error) {
		t := DueTimer{Timer: Timer{Kind: kind}}
		err := row.Scan(&t.OrgID, &t.IncidentID, &t.DueAt, &t.TriggeredAt, &t.AcknowledgedBy)
		return t, err
	})
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
