// Package incidentdb stores incidents and their timeline. What the page path writes
// takes arrays and can be pipelined; what screens read is in incident.sql.
package incidentdb

import (
	"context"
	"encoding/json"
	"time"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"

	"github.com/nightbell/nightbell/api/internal/alert"
	"github.com/nightbell/nightbell/api/internal/incident"
	"github.com/nightbell/nightbell/api/internal/kernel/id"
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
}

// Ref names incidents of several organizations; the slices run in parallel.
type Ref struct{ Orgs, IDs []uuid.UUID }

// Add appends an incident.
func (r *Ref) Add(orgID, incidentID uuid.UUID) {
	r.Orgs, r.IDs = append(r.Orgs, orgID), append(r.IDs, incidentID)
}

const recordColumns = `i.org_id, i.id, i.number, i.service_id, i.incident_key, i.escalation_policy_id, i.title, i.status, i.severity,
	i.urgency, i.assignee_id, i.acknowledged_by, i.acknowledged_at, i.resolved_by, i.resolved_at, i.version`

// Lock reads incidents and keeps others from changing them until the transaction
// ends. They are locked in the order of their ids, so that two batches cannot deadlock.
// Rows that point at them may be written meanwhile: who records how a page went never
// waits for who answers it.
func Lock(ctx context.Context, tx pgx.Tx, ref Ref) ([]Record, error) {
	rows, err := tx.Query(ctx, `SELECT `+recordColumns+`
		FROM incident i JOIN (SELECT DISTINCT unnest($1::uuid[]) AS org_id, unnest($2::uuid[]) AS id) wanted USING (org_id, id)
		ORDER BY i.id FOR NO KEY UPDATE OF i`, ref.Orgs, ref.IDs)
	if err != nil {
		return nil, err
	}
	return pgx.CollectRows(rows, scanRecord)
}

func scanRecord(row pgx.CollectableRow) (Record, error) {
	var r Record
	var service, policy, assignee, acknowledgedBy, resolvedBy *uuid.UUID
	var key *string
	var acknowledgedAt, resolvedAt *time.Time
	err := row.Scan(&r.OrgID, &r.ID, &r.Number, &service, &key, &policy, &r.Title, &r.Status, &r.Severity,
		&r.Urgency, &assignee, &acknowledgedBy, &acknowledgedAt, &resolvedBy, &resolvedAt, &r.Version)
	r.ServiceID, r.PolicyID, r.AssigneeID = value(service), value(policy), value(assignee)
	r.AcknowledgedBy, r.ResolvedBy = value(acknowledgedBy), value(resolvedBy)
	r.AcknowledgedAt, r.ResolvedAt = value(acknowledgedAt), value(resolvedAt)
	r.Key = value(key)
	return r, err
}

// value is what a nullable column holds, or the zero value.
func value[T any](pointer *T) (zero T) {
	if pointer == nil {
		return zero
	}
	return *pointer
}

// null turns a zero value into NULL.
func null[T comparable](v T) *T {
	var zero T
	if v == zero {
		return nil
	}
	return &v
}

// Subject is what an incident of a service is about.
type Subject struct {
	ServiceID uuid.UUID
	Key       string
}

const lockForSQL = `SELECT ` + recordColumns + ` FROM incident i
	WHERE (i.org_id, i.id) IN (
	    SELECT unnest($1::uuid[]), unnest($2::uuid[])
	    UNION
	    SELECT o.org_id, o.id FROM (SELECT unnest($3::uuid[]) AS service_id, unnest($4::text[]) AS incident_key) about
	    JOIN incident o USING (service_id, incident_key)
	    WHERE o.status <> 'resolved' AND o.incident_key IS NOT NULL)
	ORDER BY i.id FOR NO KEY UPDATE OF i`

// LockFor reads and locks the incidents named by ref and the open ones about the
// subjects, as Lock does. One that was open a moment ago may be resolved by now.
func LockFor(ctx context.Context, tx pgx.Tx, ref Ref, subjects []Subject) ([]Record, error) {
	services, keys := make([]uuid.UUID, len(subjects)), make([]string, len(subjects))
	for i, s := range subjects {
		services[i], keys[i] = s.ServiceID, s.Key
	}
	rows, err := tx.Query(ctx, lockForSQL, ref.Orgs, ref.IDs, services, keys)
	if err != nil {
		return nil, err
	}
	return pgx.CollectRows(rows, scanRecord)
}

// Opening is an incident about to exist.
type Opening struct {
	OrgID           uuid.UUID
	ServiceID       uuid.UUID // Nil when it has no service
	Key             string    // empty when nothing joins it
	PolicyID        uuid.UUID // Nil when nobody is paged by a policy
	Title           string
	Description     string
	Severity        alert.Severity
	Source          string
	AssigneeID      uuid.UUID
	CreatedBy       uuid.UUID
	AlertCount      int
	TruncatedAlerts int
	Details         []byte // a JSON object; empty for none
}

// Opened is what became of an opening.
type Opened struct {
	Record
	// Fresh is false when another transaction opened an incident about the same
	// subject first; the opening has then joined it.
	Fresh bool
}

// openSQL numbers the incidents of each organization one after the other. An open
// incident about the same subject is written to, not skipped (design rule 3).
const openSQL = `
WITH wanted AS (
    SELECT *, row_number() OVER (PARTITION BY org_id ORDER BY place) AS nth FROM (
        SELECT unnest($1::uuid[]) AS org_id, unnest($2::uuid[]) AS id, unnest($3::uuid[]) AS service_id, unnest($4::text[]) AS incident_key,
               unnest($5::uuid[]) AS policy_id, unnest($6::text[]) AS title, unnest($7::text[]) AS description,
               unnest($8::text[]) AS severity, unnest($9::text[]) AS urgency, unnest($10::text[]) AS source,
               unnest($11::uuid[]) AS assignee_id, unnest($12::uuid[]) AS created_by,
               unnest($13::integer[]) AS alert_count, unnest($14::integer[]) AS truncated_alerts,
               unnest($15::jsonb[]) AS details, unnest($16::integer[]) AS place) listed
), locked AS (
    SELECT id, last_incident_number FROM org WHERE id IN (SELECT org_id FROM wanted) ORDER BY id FOR NO KEY UPDATE
), counted AS (
    UPDATE org SET last_incident_number = org.last_incident_number + wanting.n
    FROM (SELECT org_id, count(*) AS n FROM wanted GROUP BY org_id) wanting, locked
    WHERE org.id = wanting.org_id AND locked.id = org.id
    RETURNING org.id, org.last_incident_number - wanting.n AS before
)
INSERT INTO incident AS i (org_id, id, number, service_id, incident_key, escalation_policy_id, title, description, status, severity, urgency,
                      source, assignee_id, created_by, alert_count, truncated_alerts, details, triggered_at, updated_at)
SELECT w.org_id, w.id, counted.before + w.nth, w.service_id, w.incident_key, w.policy_id, w.title, w.description, 'triggered', w.severity, w.urgency,
       w.source, w.assignee_id, w.created_by, w.alert_count, w.truncated_alerts, w.details, $17, $17
FROM wanted w JOIN counted ON counted.id = w.org_id
ORDER BY w.service_id, w.incident_key
ON CONFLICT (service_id, incident_key) WHERE status <> 'resolved' AND incident_key IS NOT NULL
    DO UPDATE SET updated_at = excluded.updated_at, alert_count = i.alert_count + excluded.alert_count
RETURNING ` + recordColumns

// Open writes openings, at most one for each subject, and answers with the incidents
// in no particular order.
func Open(ctx context.Context, tx pgx.Tx, openings []Opening, now time.Time) (opened []Opened, err error) {
	batch := &pgx.Batch{}
	QueueOpen(batch, openings, now, func(all []Opened) { opened = all })
	return opened, tx.SendBatch(ctx, batch).Close()
}

// QueueOpen is Open as part of a pipelined batch; take gets the incidents.
func QueueOpen(batch *pgx.Batch, openings []Opening, now time.Time, take func([]Opened)) {
	arguments, ids := openColumns(openings, now)
	batch.Queue(openSQL, arguments...).Query(func(rows pgx.Rows) error {
		opened, err := pgx.CollectRows(rows, func(row pgx.CollectableRow) (Opened, error) {
			record, err := scanRecord(row)
			return Opened{Record: record, Fresh: ids[record.ID]}, err
		})
		take(opened)
		return err
	})
}

func openColumns(openings []Opening, now time.Time) ([]any, map[uuid.UUID]bool) {
	n := len(openings)
	fresh := make(map[uuid.UUID]bool, n)
	orgs, ids := make([]uuid.UUID, n), make([]uuid.UUID, n)
	services, policies, assignees, creators := make([]*uuid.UUID, n), make([]*uuid.UUID, n), make([]*uuid.UUID, n), make([]*uuid.UUID, n)
	keys, titles, descriptions := make([]*string, n), make([]string, n), make([]string, n)
	severities, urgencies, sources := make([]string, n), make([]string, n), make([]string, n)
	alerts, truncated, places, details := make([]int32, n), make([]int32, n), make([]int32, n), make([][]byte, n)
	for i, o := range openings {
		orgs[i], ids[i] = o.OrgID, id.New()
		fresh[ids[i]] = true
		services[i], policies[i], assignees[i], creators[i] = null(o.ServiceID), null(o.PolicyID), null(o.AssigneeID), null(o.CreatedBy)
		keys[i], titles[i], descriptions[i] = null(o.Key), o.Title, o.Description
		severities[i], urgencies[i], sources[i] = string(o.Severity), string(incident.UrgencyOf(o.Severity)), o.Source
		alerts[i], truncated[i], places[i], details[i] = int32(o.AlertCount), int32(o.TruncatedAlerts), int32(i), o.Details
		if len(o.Details) == 0 {
			details[i] = []byte("{}")
		}
	}
	return []any{
		orgs, ids, services, keys, policies, titles, descriptions, severities, urgencies, sources,
		assignees, creators, alerts, truncated, details, places, now,
	}, fresh
}

// Joined is what alerts add to an open incident.
type Joined struct {
	OrgID, IncidentID uuid.UUID
	Alerts            int
	Truncated         int
	// Severity replaces the incident's when it is worse.
	Severity alert.Severity
}

// QueueJoined adds the statement that stores what joined to a pipelined batch.
func QueueJoined(batch *pgx.Batch, joined []Joined, now time.Time) {
	if len(joined) == 0 {
		return
	}
	n := len(joined)
	orgs, ids := make([]uuid.UUID, n), make([]uuid.UUID, n)
	alerts, truncated, severities, urgencies := make([]int32, n), make([]int32, n), make([]string, n), make([]string, n)
	for i, j := range joined {
		orgs[i], ids[i], alerts[i], truncated[i] = j.OrgID, j.IncidentID, int32(j.Alerts), int32(j.Truncated)
		severities[i], urgencies[i] = string(j.Severity), string(incident.UrgencyOf(j.Severity))
	}
	batch.Queue(`UPDATE incident i SET alert_count = i.alert_count + j.alerts, truncated_alerts = greatest(i.truncated_alerts, j.truncated),
			severity = j.severity, urgency = j.urgency, version = i.version + 1, updated_at = $7
		FROM (SELECT unnest($1::uuid[]) AS org_id, unnest($2::uuid[]) AS id, unnest($3::integer[]) AS alerts, unnest($4::integer[]) AS truncated,
		             unnest($5::text[]) AS severity, unnest($6::text[]) AS urgency) j
		WHERE i.org_id = j.org_id AND i.id = j.id`, orgs, ids, alerts, truncated, severities, urgencies, now)
}

// QueueSave adds the statement that stores the outcome of a command. The incident
// must be locked by this transaction.
func QueueSave(batch *pgx.Batch, next incident.Incident, now time.Time) {
	batch.Queue(`UPDATE incident SET status = $3, severity = $4, urgency = $5, assignee_id = $6, acknowledged_by = $7, acknowledged_at = $8,
			resolved_by = $9, resolved_at = $10, version = $11, updated_at = $12
		WHERE org_id = $1 AND id = $2`,
		next.OrgID, next.ID, string(next.Status), string(next.Severity), string(incident.UrgencyOf(next.Severity)),
		null(next.AssigneeID), null(next.AcknowledgedBy), nullTime(next.AcknowledgedAt),
		null(next.ResolvedBy), nullTime(next.ResolvedAt), next.Version, now)
}

func nullTime(t time.Time) *time.Time {
	if t.IsZero() {
		return nil
	}
	return &t
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
		orgs[i], ids[i], incidents[i], actors[i] = e.OrgID, id.New(), e.IncidentID, null(e.Actor.ID)
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
