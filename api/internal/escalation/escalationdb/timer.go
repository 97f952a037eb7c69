package escalationdb

import (
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
}

const setTimersSQL = `
INSERT INTO incident_timer (org_id, incident_id, kind, due_at)
SELECT unnest($1::uuid[]), unnest($2::uuid[]), unnest($3::text[]), unnest($4::timestamptz[])
ON CONFLICT (org_id, incident_id, kind) DO UPDATE SET due_at = excluded.due_at`

// QueueTimers adds the statement that sets timers, at most one of a kind for each
// incident, to a pipelined batch.
func QueueTimers(batch *pgx.Batch, timers []Timer) {
	if len(timers) == 0 {
		return
	}
	n := len(timers)
	orgs, incidents, kinds, due := make([]uuid.UUID, n), make([]uuid.UUID, n), make([]string, n), make([]time.Time, n)
	for i, t := range timers {
		orgs[i], incidents[i], kinds[i], due[i] = t.OrgID, t.IncidentID, string(t.Kind), t.DueAt
	}
	batch.Queue(setTimersSQL, orgs, incidents, kinds, due)
}

// QueueDropTimers adds the statement that removes the timers of an incident to a
// pipelined batch: those of one kind, or all when kind is empty. One that a sweep is just
// looking at is left to it; it waits for the incident and finds out.
func QueueDropTimers(batch *pgx.Batch, orgID, incidentID uuid.UUID, kind escalation.TimerKind) {
	batch.Queue(`DELETE FROM incident_timer WHERE (org_id, incident_id, kind) IN (
		SELECT t.org_id, t.incident_id, t.kind FROM incident_timer t
		WHERE t.org_id = $1 AND t.incident_id = $2 AND ($3 = '' OR t.kind = $3) FOR UPDATE SKIP LOCKED)`, orgID, incidentID, string(kind))
}
