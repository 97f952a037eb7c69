package incidentdb

import (
	"time"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"

	"github.com/nightbell/nightbell/api/internal/incident"
)

// ConstraintOpen is the unique index that a second open incident about one subject breaks.
const ConstraintOpen = "incident_open_key"

const openSubjectsSQL = `
SELECT i.service_id, i.incident_key FROM (SELECT unnest($1::uuid[]) AS service_id, unnest($2::text[]) AS incident_key) about
JOIN incident i USING (service_id, incident_key) WHERE i.status <> 'resolved' AND i.incident_key IS NOT NULL`

// QueueOpenSubjects adds the statement that tells which of the subjects have an open
// incident to a pipelined batch; take is called for each. It locks nothing.
func QueueOpenSubjects(batch *pgx.Batch, subjects []Subject, take func(Subject)) {
	services, keys := make([]uuid.UUID, len(subjects)), make([]string, len(subjects))
	for i, s := range subjects {
		services[i], keys[i] = s.ServiceID, s.Key
	}
	batch.Queue(openSubjectsSQL, services, keys).Query(func(rows pgx.Rows) error {
		var subject Subject
		_, err := pgx.ForEachRow(rows, []any{&subject.ServiceID, &subject.Key}, func() error {
			take(subject)
			return nil
		})
		return err
	})
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
                      source, assignee_id, created_by, alert_count, truncated_alerts, details, triggered_at, updated_at)
SELECT unnest($1::uuid[]), unnest($2::uuid[]), unnest($16::integer[]), unnest($3::uuid[]), unnest($4::text[]), unnest($5::uuid[]),
       unnest($6::text[]), unnest($7::text[]), 'triggered', unnest($8::text[]), unnest($9::text[]), unnest($10::text[]),
       unnest($11::uuid[]), unnest($12::uuid[]), unnest($13::integer[]), unnest($14::integer[]), unnest($15::jsonb[]), $17::timestamptz, $17`

// QueueInsert adds the statement that stores incidents as they are to a pipelined batch:
// records[i] is what openings[i] becomes, under its number. It breaks ConstraintOpen when
// somebody opened an incident about one of the subjects.
func QueueInsert(batch *pgx.Batch, openings []Opening, records []Record, now time.Time) {
	if len(openings) == 0 {
		return
	}
	columns, _ := openColumns(openings, now)
	ids, numbers := make([]uuid.UUID, len(records)), make([]int32, len(records))
	for i, r := range records {
		ids[i], numbers[i] = r.ID, int32(r.Number)
	}
	columns[1], columns[15] = ids, numbers
	batch.Queue(insertSQL, columns...)
}

// Becomes is the incident that the opening opens under an id.
func (o Opening) Becomes(incidentID uuid.UUID) Record {
	return Record{
		Incident: incident.Incident{
			OrgID: o.OrgID, ID: incidentID, Status: incident.Triggered, Severity: o.Severity, AssigneeID: o.AssigneeID, Version: 1,
		},
		ServiceID: o.ServiceID, Key: o.Key, PolicyID: o.PolicyID, Title: o.Title, Urgency: incident.UrgencyOf(o.Severity),
	}
}
