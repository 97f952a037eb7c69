package incidentdb

import (
	"context"
	"time"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"

	"github.com/nightbell/nightbell/api/internal/alert"
	"github.com/nightbell/nightbell/api/internal/alert/alertdb"
	"github.com/nightbell/nightbell/api/internal/incident"
	"github.com/nightbell/nightbell/api/internal/kernel/id"
	"github.com/nightbell/nightbell/api/internal/platform/postgres"
)

// Subject is what an incident of a service is about.
type Subject struct {
	ServiceID uuid.UUID
	Key       string
}

// ConstraintOpen is the unique index that a second open incident about one subject breaks.
const ConstraintOpen = "incident_open_key"

// findOpenSQL: LIMIT keeps the planner from flattening the subqueries into joins: each subject is one lookup in a
// partial index, whatever the statistics say. Where nothing is open, the second finds the open incident that took in
// one about the subject and still holds its alerts, unless another service's maintenance keeps that one from paging.
const findOpenSQL = `
SELECT about.service_id, about.incident_key, i.id FROM unnest($1::uuid[], $2::text[]) AS about(service_id, incident_key)
CROSS JOIN LATERAL (
    (SELECT o.id FROM incident o
    WHERE o.service_id = about.service_id AND o.incident_key = about.incident_key AND o.status <> 'resolved' AND o.incident_key IS NOT NULL
    LIMIT 1)
    UNION ALL
    (SELECT o.id FROM incident m JOIN incident o ON o.org_id = m.org_id AND o.id = m.merged_into_id AND o.status <> 'resolved'
    WHERE m.service_id = about.service_id AND m.incident_key = about.incident_key AND m.merged_into_id IS NOT NULL AND m.incident_key IS NOT NULL
      AND (o.paging_held_by IS NULL OR o.service_id = m.service_id)
      AND ` + alertdb.Holds + `
    LIMIT 1)
    LIMIT 1) i`

// QueueFindOpen adds the statement that finds the open incidents about subjects to a
// pipelined batch; take gets each. It locks nothing.
func QueueFindOpen(batch *pgx.Batch, subjects []Subject, take func(Subject, uuid.UUID)) {
	services, keys := make([]uuid.UUID, len(subjects)), make([]string, len(subjects))
	for i, s := range subjects {
		services[i], keys[i] = s.ServiceID, s.Key
	}
	batch.Queue(findOpenSQL, services, keys).Query(func(rows pgx.Rows) error {
		var subject Subject
		var open uuid.UUID
		_, err := pgx.ForEachRow(rows, []any{&subject.ServiceID, &subject.Key, &open}, func() error {
			take(subject, open)
			return nil
		})
		return err
	})
}

// Opening is an incident about to exist.
type Opening struct {
	OrgID           uuid.UUID
	ID              uuid.UUID // Nil for a new one
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

// Record is the incident that the opening opens.
func (o Opening) Record() Record {
	return Record{
		Incident: incident.Incident{
			OrgID: o.OrgID, ID: o.id(), Status: incident.Triggered, Severity: o.Severity, AssigneeID: o.AssigneeID, Version: 1,
		},
		ServiceID: o.ServiceID, Key: o.Key, PolicyID: o.PolicyID, Title: o.Title, Urgency: incident.UrgencyOf(o.Severity),
	}
}

func (o Opening) id() uuid.UUID {
	if o.ID != uuid.Nil {
		return o.ID
	}
	return id.New()
}

// QueueNumbers adds the statement that reserves n numbers for incidents of an organization
// to a pipelined batch; take gets the first. Organizations are locked by it, so they
// come in the order of their ids.
func QueueNumbers(batch *pgx.Batch, orgID uuid.UUID, n int, take func(first int)) {
	batch.Queue(`UPDATE org SET last_incident_number = last_incident_number + $2 WHERE id = $1
		RETURNING last_incident_number - $2 + 1`, orgID, n).QueryRow(func(row pgx.Row) error {
		var first int
		err := row.Scan(&first)
		take(first)
		return err
	})
}

const insertSQL = `
INSERT INTO incident (org_id, id, number, service_id, incident_key, escalation_policy_id, title, description, status, severity, urgency,
                      source, assignee_id, created_by, alert_count, truncated_alerts, details, triggered_at, updated_at,
                      paging_policy_id, paging_cycle, paging_round, paging_passed, paging_revision, paging_severity, paging_turn,
                      paging_status, paging_due_at, paging_held_by, paging_reason, paging_updated_at)
SELECT unnest($1::uuid[]), unnest($2::uuid[]), unnest($16::integer[]), unnest($3::uuid[]), unnest($4::text[]), unnest($5::uuid[]),
       unnest($6::text[]), unnest($7::text[]), 'triggered', unnest($8::text[]), unnest($9::text[]), unnest($10::text[]),
       unnest($11::uuid[]), unnest($12::uuid[]), unnest($13::integer[]), unnest($14::integer[]), unnest($15::jsonb[]), $17::timestamptz, $17,
       unnest($18::uuid[]), unnest($19::integer[]), unnest($20::integer[]), unnest($21::text[])::uuid[], unnest($22::integer[]), unnest($23::text[]),
       unnest($24::integer[]), unnest($25::text[]), unnest($26::timestamptz[]), unnest($27::uuid[]), unnest($28::text[]), $17`

// QueueInsert queues the INSERT of incidents: records[i] is what openings[i] becomes, under its reserved number, and
// paging says where its paging stands (escalationdb.Columns). It breaks ConstraintOpen when somebody opened an incident
// about one of the subjects.
func QueueInsert(batch *pgx.Batch, openings []Opening, records []Record, paging []any, now time.Time) {
	if len(openings) == 0 {
		return
	}
	columns, _ := openColumns(openings, now)
	ids, numbers := make([]uuid.UUID, len(records)), make([]int32, len(records))
	for i, r := range records {
		ids[i], numbers[i] = r.ID, int32(r.Number)
	}
	columns[1], columns[15] = ids, numbers
	batch.Queue(insertSQL, append(columns, paging...)...)
}

// openSQL numbers and inserts in one statement, for callers without a batch (declared and undecodable); alerts use
// insertSQL, under numbers reserved before (QueueNumbers). ON CONFLICT joins the open incident about the same subject:
// it is written to, not skipped (design rule 3).
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
func Open(ctx context.Context, tx pgx.Tx, openings []Opening, now time.Time) ([]Opened, error) {
	arguments, ids := openColumns(openings, now)
	rows, err := tx.Query(ctx, openSQL, arguments...)
	if err != nil {
		return nil, err
	}
	return pgx.CollectRows(rows, func(row pgx.CollectableRow) (Opened, error) {
		record, err := scanRecord(row)
		return Opened{Record: record, Fresh: ids[record.ID]}, err
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
		orgs[i], ids[i] = o.OrgID, o.id()
		fresh[ids[i]] = true
		services[i], policies[i], assignees[i], creators[i] = postgres.Null(o.ServiceID), postgres.Null(o.PolicyID), postgres.Null(o.AssigneeID), postgres.Null(o.CreatedBy)
		keys[i], titles[i], descriptions[i] = postgres.Null(o.Key), o.Title, o.Description
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
