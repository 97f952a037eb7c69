// Package incidentdb stores incidents and their timeline. What the page path writes
// takes arrays and can be pipelined; what screens read is in incident.sql.
package incidentdb

import (
	"context"
	"encoding/json"
	"time"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"

	"github.com/nightbell/nightbell/api/internal/incident"
	"github.com/nightbell/nightbell/api/internal/kernel/id"
	"github.com/nightbell/nightbell/api/internal/platform/postgres"
)

// Record is an incident as the page path sees it.
type Record struct {
	incident.Incident
	Number    int
	ServiceID uuid.UUID
	Key       string
	PolicyID  uuid.UUID
	Title     string
	Urgency   incident.Urgency
	// PagingOver is set when no step follows. RanOut is when paging ran out that nobody answered, zero where nobody
	// was paged, or where confirming a restored copy stopped it.
	PagingOver bool
	RanOut     time.Time
}

// Ref names incidents of several organizations; the slices run in parallel.
type Ref struct{ Orgs, IDs []uuid.UUID }

// Add appends an incident.
func (r *Ref) Add(orgID, incidentID uuid.UUID) {
	r.Orgs, r.IDs = append(r.Orgs, orgID), append(r.IDs, incidentID)
}

const recordColumns = `i.org_id, i.id, i.number, i.service_id, i.incident_key, i.escalation_policy_id, i.title, i.status, i.severity,
	i.urgency, i.assignee_id, i.acknowledged_by, i.acknowledged_at, i.confirmed_at, coalesce(i.acknowledged_severity, ''), i.resolved_by, i.resolved_at, i.version,
	i.snoozed_until, i.lowered, i.merged_into_id, coalesce(i.paging_status <> 'active', false),
	CASE WHEN i.paging_status = 'exhausted' AND i.paging_severity IS NOT NULL THEN i.paging_updated_at END`

// Lock reads incidents and locks them until the transaction ends, in the order of their ids: two batches cannot
// deadlock. FOR NO KEY UPDATE: recording a delivery, whose rows reference the incident, must not block on an
// acknowledgement's row lock.
func Lock(ctx context.Context, tx pgx.Tx, ref Ref) ([]Record, error) {
	return lock(ctx, tx, `JOIN (SELECT DISTINCT unnest($1::uuid[]) AS org_id, unnest($2::uuid[]) AS id) wanted USING (org_id, id)`, ref.Orgs, ref.IDs)
}

// LockIn is Lock for incidents of one organization. Under row-level security Lock would
// read all that the organization has: there a join's keys are used for no index.
func LockIn(ctx context.Context, tx pgx.Tx, orgID uuid.UUID, ids []uuid.UUID) ([]Record, error) {
	return lock(ctx, tx, `WHERE i.org_id = $1 AND i.id = ANY($2)`, orgID, ids)
}

func lock(ctx context.Context, tx pgx.Tx, which string, args ...any) ([]Record, error) {
	rows, err := tx.Query(ctx, `SELECT `+recordColumns+` FROM incident i `+which+` ORDER BY i.id FOR NO KEY UPDATE OF i`, args...)
	if err != nil {
		return nil, err
	}
	return pgx.CollectRows(rows, scanRecord)
}

func scanRecord(row pgx.CollectableRow) (Record, error) {
	var r Record
	var service, policy, assignee, acknowledgedBy, resolvedBy, mergedInto *uuid.UUID
	var key *string
	var acknowledgedAt, confirmedAt, resolvedAt, snoozedUntil, ranOut *time.Time
	err := row.Scan(&r.OrgID, &r.ID, &r.Number, &service, &key, &policy, &r.Title, &r.Status, &r.Severity,
		&r.Urgency, &assignee, &acknowledgedBy, &acknowledgedAt, &confirmedAt, &r.AcknowledgedSeverity, &resolvedBy, &resolvedAt, &r.Version,
		&snoozedUntil, &r.Lowered, &mergedInto, &r.PagingOver, &ranOut)
	r.ServiceID, r.PolicyID, r.AssigneeID = postgres.Value(service), postgres.Value(policy), postgres.Value(assignee)
	r.AcknowledgedBy, r.ResolvedBy = postgres.Value(acknowledgedBy), postgres.Value(resolvedBy)
	r.AcknowledgedAt, r.ConfirmedAt, r.ResolvedAt = postgres.Value(acknowledgedAt), postgres.Value(confirmedAt), postgres.Value(resolvedAt)
	r.Key, r.SnoozedUntil, r.MergedIntoID = postgres.Value(key), postgres.Value(snoozedUntil), postgres.Value(mergedInto)
	r.RanOut = postgres.Value(ranOut)
	return r, err
}

// Joined is what alerts add to an open incident.
type Joined struct {
	OrgID, IncidentID uuid.UUID
	Alerts            int
	Truncated         int
}

// QueueJoined adds the statement that stores what joined to a pipelined batch.
func QueueJoined(batch *pgx.Batch, joined []Joined, now time.Time) {
	if len(joined) == 0 {
		return
	}
	n := len(joined)
	orgs, ids, alerts, truncated := make([]uuid.UUID, n), make([]uuid.UUID, n), make([]int32, n), make([]int32, n)
	for i, j := range joined {
		orgs[i], ids[i], alerts[i], truncated[i] = j.OrgID, j.IncidentID, int32(j.Alerts), int32(j.Truncated)
	}
	batch.Queue(`UPDATE incident i SET alert_count = i.alert_count + j.alerts, truncated_alerts = greatest(i.truncated_alerts, j.truncated),
			version = i.version + 1, updated_at = $5
		FROM (SELECT unnest($1::uuid[]) AS org_id, unnest($2::uuid[]) AS id, unnest($3::integer[]) AS alerts, unnest($4::integer[]) AS truncated) j
		WHERE i.org_id = j.org_id AND i.id = j.id`, orgs, ids, alerts, truncated, now)
}

// QueueSave adds the statement that stores the outcome of a command. The incident
// must be locked by this transaction.
func QueueSave(batch *pgx.Batch, next incident.Incident, now time.Time) {
	batch.Queue(`UPDATE incident SET status = $3, severity = $4, urgency = $5, assignee_id = $6, acknowledged_by = $7, acknowledged_at = $8,
			resolved_by = $9, resolved_at = $10, version = $11, updated_at = $12, acknowledged_severity = $13, confirmed_at = $14,
			snoozed_until = $15, lowered = $16, merged_into_id = $17
		WHERE org_id = $1 AND id = $2`,
		next.OrgID, next.ID, string(next.Status), string(next.Severity), string(incident.UrgencyOf(next.Severity)),
		postgres.Null(next.AssigneeID), postgres.Null(next.AcknowledgedBy), postgres.Null(next.AcknowledgedAt),
		postgres.Null(next.ResolvedBy), postgres.Null(next.ResolvedAt), next.Version, now, postgres.Null(string(next.AcknowledgedSeverity)), postgres.Null(next.ConfirmedAt),
		postgres.Null(next.SnoozedUntil), next.Lowered, postgres.Null(next.MergedIntoID))
}

// TimelineEntry is an event of one incident.
type TimelineEntry struct {
	OrgID, IncidentID uuid.UUID
	incident.Event
}

const timelineSQL = `
INSERT INTO timeline_event (org_id, id, incident_id, kind, actor_kind, actor_id, actor_name, message, data, at)
SELECT unnest($1::uuid[]), unnest($2::uuid[]), unnest($3::uuid[]), unnest($4::text[]), unnest($5::text[]), unnest($6::uuid[]),
       unnest($7::text[]), unnest($8::text[]), unnest($9::jsonb[]), $10::timestamptz`

// QueueTimeline adds the statement that appends events to a pipelined batch, in order.
func QueueTimeline(batch *pgx.Batch, entries []TimelineEntry, now time.Time) {
	if len(entries) == 0 {
		return
	}
	n := len(entries)
	orgs, ids, incidents, actors := make([]uuid.UUID, n), make([]uuid.UUID, n), make([]uuid.UUID, n), make([]*uuid.UUID, n)
	kinds, actorKinds, names, messages, data := make([]string, n), make([]string, n), make([]string, n), make([]string, n), make([][]byte, n)
	for i, e := range entries {
		orgs[i], ids[i], incidents[i], actors[i] = e.OrgID, id.New(), e.IncidentID, postgres.Null(e.Actor.ID)
		kinds[i], actorKinds[i], names[i], messages[i] = e.Kind, string(e.Actor.Kind), e.Actor.Name, e.Message
		if actorKinds[i] == "" {
			actorKinds[i] = string(incident.System)
		}
		data[i] = []byte("{}")
		if len(e.Data) > 0 {
			data[i], _ = json.Marshal(e.Data)
		}
	}
	batch.Queue(timelineSQL, orgs, ids, incidents, kinds, actorKinds, actors, names, messages, data, now)
}
