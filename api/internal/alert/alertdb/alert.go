// Package alertdb stores alerts. Its statements take arrays, because alerts come in
// batches; one alert is a batch of one. They are written by hand for pgx, as sqlc
// cannot read unnest with several arguments.
package alertdb

import (
	"bytes"
	"cmp"
	"context"
	"encoding/json"
	"slices"
	"time"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"

	"github.com/nightbell/nightbell/api/internal/alert"
	"github.com/nightbell/nightbell/api/internal/kernel/id"
)

// Arrival is one alert on its way into the database.
type Arrival struct {
	OrgID     uuid.UUID
	ServiceID uuid.UUID
	alert.Received
}

// Row is an alert as it stands after it absorbed an arrival.
type Row struct {
	alert.Stored
	OrgID     uuid.UUID
	ServiceID uuid.UUID
	Key       string
}

// upsertSQL keeps the maximum of (starts_at, resolved after firing), as alert.Absorb
// does: a message that arrives late or twice counts, but never turns the state back.
// A repeat always writes (design rule 3). Whether the incident is open is asked of the one
// row: EXISTS may be answered by gathering every open incident there is. OFFSET 0 keeps
// what is computed once from being written out for each column.
const upsertSQL = `
INSERT INTO alert (org_id, id, service_id, alert_key, status, severity, source, title, description,
                   labels, annotations, link, starts_at, start_known, ends_at, occurrence_count, first_seen_at, last_seen_at)
SELECT unnest($1::uuid[]), unnest($2::uuid[]), unnest($3::uuid[]), unnest($4::text[]),
       unnest($5::text[]), unnest($6::text[]), unnest($7::text[]), unnest($8::text[]), unnest($9::text[]),
       unnest($10::jsonb[]), unnest($11::jsonb[]), unnest($12::text[]), unnest($13::timestamptz[]), unnest($14::boolean[]),
       unnest($15::timestamptz[]), unnest($16::integer[]), $17::timestamptz, $17::timestamptz
ON CONFLICT (service_id, alert_key) DO UPDATE SET
    occurrence_count = alert.occurrence_count + excluded.occurrence_count,
    last_seen_at     = greatest(alert.last_seen_at, excluded.last_seen_at),
    (status, starts_at, start_known, ends_at, severity, source, title, description, labels, annotations, link) = (
        SELECT CASE WHEN newer THEN excluded.status ELSE alert.status END,
               greatest(alert.starts_at, start),
               CASE WHEN newer THEN excluded.start_known ELSE alert.start_known END,
               CASE WHEN newer THEN excluded.ends_at ELSE alert.ends_at END,
               CASE WHEN newer THEN excluded.severity ELSE alert.severity END,
               CASE WHEN newer THEN excluded.source ELSE alert.source END,
               CASE WHEN newer THEN excluded.title ELSE alert.title END,
               CASE WHEN newer THEN excluded.description ELSE alert.description END,
               CASE WHEN newer THEN excluded.labels ELSE alert.labels END,
               CASE WHEN newer THEN excluded.annotations ELSE alert.annotations END,
               CASE WHEN newer THEN excluded.link ELSE alert.link END
        FROM (SELECT start, (start, excluded.status = 'resolved') >= (alert.starts_at, alert.status = 'resolved') AS newer
              FROM (SELECT CASE
                        WHEN excluded.start_known THEN excluded.starts_at
                        WHEN excluded.status = 'resolved' THEN alert.starts_at
                        WHEN alert.status = 'firing' AND (
                            SELECT i.status <> 'resolved' FROM incident i WHERE i.org_id = alert.org_id AND i.id = alert.incident_id)
                        THEN alert.starts_at
                        ELSE greatest(excluded.starts_at, alert.starts_at + interval '1 microsecond') END AS start OFFSET 0) known OFFSET 0) compared)
RETURNING org_id, id, service_id, alert_key, status, starts_at, incident_id, incident_starts_at,
    coalesce((SELECT i.status <> 'resolved' FROM incident i WHERE i.org_id = alert.org_id AND i.id = alert.incident_id), false)`

// Sort puts arrivals in the order in which every batch locks their rows, so that two
// batches cannot deadlock.
func Sort(arrivals []Arrival) {
	slices.SortFunc(arrivals, func(a, b Arrival) int {
		return cmp.Or(bytes.Compare(a.ServiceID[:], b.ServiceID[:]), cmp.Compare(a.Key, b.Key))
	})
}

// Upsert stores sorted arrivals, at most one for each service and key, and answers with the
// rows as they are now, locked until the transaction ends. IncidentOpen is as of the
// beginning of the statement: who acts on it locks the incident and looks again.
func Upsert(ctx context.Context, tx pgx.Tx, arrivals []Arrival, now time.Time) ([]Row, error) {
	columns, _ := columnsOf(arrivals, now)
	rows, err := tx.Query(ctx, upsertSQL, columns...)
	if err != nil {
		return nil, err
	}
	return pgx.CollectRows(rows, scanRow)
}

func columnsOf(arrivals []Arrival, now time.Time) (columns []any, ids []uuid.UUID) {
	n := len(arrivals)
	orgs, services := make([]uuid.UUID, n), make([]uuid.UUID, n)
	ids = make([]uuid.UUID, n)
	keys, statuses, severities, sources := make([]string, n), make([]string, n), make([]string, n), make([]string, n)
	titles, descriptions, links := make([]string, n), make([]string, n), make([]string, n)
	labels, annotations := make([][]byte, n), make([][]byte, n)
	starts, known, ends, counts := make([]time.Time, n), make([]bool, n), make([]*time.Time, n), make([]int32, n)
	for i, a := range arrivals {
		orgs[i], ids[i], services[i] = a.OrgID, id.New(), a.ServiceID
		keys[i], statuses[i], severities[i], sources[i] = a.Key, string(a.Status), string(a.Severity), a.Source
		titles[i], descriptions[i], links[i] = a.Title, a.Description, a.Link
		labels[i], annotations[i] = object(a.Labels), object(a.Annotations)
		starts[i], known[i] = alert.StartOf(a.Received, now), alert.StartKnown(a.Received, now)
		if !a.EndsAt.IsZero() {
			ends[i] = &arrivals[i].EndsAt
		}
		counts[i] = int32(max(1, a.Count))
	}
	return []any{
		orgs, ids, services, keys, statuses, severities, sources, titles, descriptions,
		labels, annotations, links, starts, known, ends, counts, now,
	}, ids
}

// object encodes a map of strings; it cannot fail.
func object(values map[string]string) []byte {
	if len(values) == 0 {
		return []byte("{}")
	}
	encoded, _ := json.Marshal(values)
	return encoded
}

func scanRow(row pgx.CollectableRow) (Row, error) {
	var r Row
	var status string
	var incident *uuid.UUID
	var incidentStart *time.Time
	err := row.Scan(&r.OrgID, &r.ID, &r.ServiceID, &r.Key, &status, &r.StartsAt, &incident, &incidentStart, &r.IncidentOpen)
	r.Status = alert.Status(status)
	if incident != nil {
		r.IncidentID = *incident
	}
	if incidentStart != nil {
		r.IncidentStartsAt = *incidentStart
	}
	return r, err
}

// Link says that an alert opened or joined an incident.
type Link struct {
	OrgID, AlertID, IncidentID uuid.UUID
	StartsAt                   time.Time
}

const linkSQL = `
UPDATE alert SET incident_id = link.incident_id, incident_starts_at = link.starts_at
FROM (SELECT unnest($1::uuid[]) AS org_id, unnest($2::uuid[]) AS id, unnest($3::uuid[]) AS incident_id, unnest($4::timestamptz[]) AS starts_at) link
WHERE alert.org_id = link.org_id AND alert.id = link.id`

// QueueLinks adds the statement that stores links to a pipelined batch.
func QueueLinks(batch *pgx.Batch, links []Link) {
	if len(links) == 0 {
		return
	}
	n := len(links)
	orgs, alerts, incidents, starts := make([]uuid.UUID, n), make([]uuid.UUID, n), make([]uuid.UUID, n), make([]time.Time, n)
	for i, l := range links {
		orgs[i], alerts[i], incidents[i], starts[i] = l.OrgID, l.AlertID, l.IncidentID, l.StartsAt
	}
	batch.Queue(linkSQL, orgs, alerts, incidents, starts)
}

// Event is one line of the record of what was received.
type Event struct {
	OrgID, AlertID, IncidentID uuid.UUID
	Status                     alert.Status
	Occurrences                int
}

const eventSQL = `
INSERT INTO alert_event (org_id, alert_id, incident_id, status, occurrences, received_at)
SELECT unnest($1::uuid[]), unnest($2::uuid[]), nullif(unnest($3::uuid[]), '00000000-0000-0000-0000-000000000000'),
       unnest($4::text[]), unnest($5::integer[]), $6::timestamptz`

// QueueEvents adds the statement that records what was received to a pipelined batch.
func QueueEvents(batch *pgx.Batch, events []Event, now time.Time) {
	n := len(events)
	orgs, alerts, incidents := make([]uuid.UUID, n), make([]uuid.UUID, n), make([]uuid.UUID, n)
	statuses, counts := make([]string, n), make([]int32, n)
	for i, e := range events {
		orgs[i], alerts[i], incidents[i] = e.OrgID, e.AlertID, e.IncidentID
		statuses[i], counts[i] = string(e.Status), int32(e.Occurrences)
	}
	batch.Queue(eventSQL, orgs, alerts, incidents, statuses, counts, now)
}

// StillFiring tells which of the incidents have an alert that fires.
func StillFiring(ctx context.Context, tx pgx.Tx, orgs, incidents []uuid.UUID) ([]uuid.UUID, error) {
	rows, err := tx.Query(ctx, `
		SELECT i.id FROM (SELECT unnest($1::uuid[]) AS org_id, unnest($2::uuid[]) AS id) i
		WHERE EXISTS (SELECT FROM alert a WHERE a.org_id = i.org_id AND a.incident_id = i.id AND a.status = 'firing')`,
		orgs, incidents)
	if err != nil {
		return nil, err
	}
	return pgx.CollectRows(rows, pgx.RowTo[uuid.UUID])
}
