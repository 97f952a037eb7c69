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
	"github.com/nightbell/nightbell/api/internal/platform/postgres"
)

// Change is what one alert that arrives makes of its row.
type Change struct {
	OrgID     uuid.UUID
	ServiceID uuid.UUID
	Received  alert.Received
	// Known is set when the alert is stored already.
	Known bool
	// Newer is set when the message says something newer than what is stored; only then
	// do its words replace the stored ones.
	Newer bool
	// Stored is the row after the change.
	Stored alert.Stored
}

// Key is what the index on service_id and alert_key holds.
type Key struct {
	ServiceID uuid.UUID
	AlertKey  string
}

// Key names the row.
func (c Change) Key() Key { return Key{c.ServiceID, c.Received.Key} }

// Sort puts changes in the order in which every batch locks their rows, so that two
// batches cannot deadlock.
func Sort(changes []Change) {
	slices.SortFunc(changes, func(a, b Change) int {
		return cmp.Or(bytes.Compare(a.ServiceID[:], b.ServiceID[:]), cmp.Compare(a.Received.Key, b.Received.Key))
	})
}

// Holds is SQL for whether an open incident, o, holds the alerts that were merged into it: one that somebody
// declared does only while one of its alerts fires. What fires later is new trouble, and whoever forgot to
// resolve it must not sleep through that.
const Holds = `(o.incident_key IS NOT NULL OR EXISTS (SELECT FROM alert f WHERE f.incident_id = o.id AND f.status = 'firing'))`

// lockSQL: a subquery with FOR UPDATE cannot be flattened into a join, so each key is one
// look into the unique index, in the order of the arrays, however new the statistics are.
const lockSQL = `
SELECT a.service_id, a.alert_key, a.id, a.status, a.starts_at, a.incident_id, a.incident_starts_at,
       CASE WHEN i.ended_at IS NULL THEN coalesce(i.severity, '') ELSE '' END, coalesce(i.number, 0), i.ended_at, a.severity,
       a.last_seen_at, coalesce(i.resolved_by IS NOT NULL AND i.resolved_at < a.last_seen_at, false),
       a.said_at, a.clock_off
FROM unnest($1::uuid[], $2::text[]) AS wanted(service_id, alert_key)
CROSS JOIN LATERAL (
    SELECT * FROM alert WHERE alert.service_id = wanted.service_id AND alert.alert_key = wanted.alert_key FOR NO KEY UPDATE) a
LEFT JOIN LATERAL (
    SELECT o.severity, o.number, o.resolved_at, o.resolved_by, CASE WHEN o.resolved_at IS NULL AND NOT ` + Holds + ` THEN o.triggered_at ELSE o.resolved_at END AS ended_at
    FROM incident o WHERE o.org_id = a.org_id AND o.id = a.incident_id LIMIT 1) i ON true`

// QueueLock adds the statement that locks the stored ones of sorted alerts until the
// transaction ends; take gets each. IncidentOpen is as of the beginning of the statement:
// who acts on it locks the incident and looks again.
func QueueLock(batch *pgx.Batch, changes []Change, take func(Key, alert.Stored)) {
	services, keys := make([]uuid.UUID, len(changes)), make([]string, len(changes))
	for i, c := range changes {
		services[i], keys[i] = c.ServiceID, c.Received.Key
	}
	batch.Queue(lockSQL, services, keys).Query(func(rows pgx.Rows) error {
		var key Key
		var stored alert.Stored
		var incident *uuid.UUID
		var incidentStart, incidentEnd, said *time.Time
		var clockOff int64
		into := []any{
			&key.ServiceID, &key.AlertKey, &stored.ID, &stored.Status, &stored.StartsAt, &incident, &incidentStart,
			&stored.IncidentSeverity, &stored.IncidentNumber, &incidentEnd, &stored.Severity,
			&stored.LastSeenAt, &stored.AnsweredFiring, &said, &clockOff,
		}
		_, err := pgx.ForEachRow(rows, into, func() error {
			stored.IncidentID, stored.IncidentStartsAt = postgres.Value(incident), postgres.Value(incidentStart)
			stored.IncidentOpen, stored.IncidentResolvedAt = stored.IncidentSeverity != "", postgres.Value(incidentEnd)
			stored.Said, stored.ClockOff = postgres.Value(said), time.Duration(clockOff)
			take(key, stored)
			return nil
		})
		return err
	})
}

// ConstraintKey is the unique index that a new alert breaks when another transaction has
// stored it meanwhile.
const ConstraintKey = "alert_key_key"

const insertSQL = `
INSERT INTO alert (org_id, id, service_id, alert_key, last_seen_at, occurrence_count, status, starts_at, incident_id, incident_starts_at,
                   start_known, ends_at, severity, source, title, description, link, labels, annotations, details, said_at, clock_off, first_seen_at)
SELECT unnest($1::uuid[]), unnest($2::uuid[]), unnest($3::uuid[]), unnest($4::text[]), $5::timestamptz, unnest($6::integer[]),
       unnest($7::text[]), unnest($8::timestamptz[]), unnest($9::uuid[]), unnest($10::timestamptz[]),
       unnest($11::boolean[]), unnest($12::timestamptz[]), unnest($13::text[]), unnest($14::text[]), unnest($15::text[]),
       unnest($16::text[]), unnest($17::text[]), unnest($18::jsonb[]), unnest($19::jsonb[]), unnest($20::jsonb[]), unnest($21::timestamptz[]), unnest($22::bigint[]), $5`

// updateSQL writes every alert that was received, repeats too (design rule 3). What an
// older message says does not replace what is stored. While an alert is over, last_seen_at stays when that was heard.
// A count that is full stays so: the error of its overflow would refuse every later alert.
const updateSQL = `
UPDATE alert a SET
    last_seen_at       = CASE WHEN a.status = 'resolved' AND u.status = 'resolved' AND a.starts_at = u.starts_at THEN a.last_seen_at
                              ELSE greatest(a.last_seen_at, $5::timestamptz) END,
    occurrence_count   = least(2147483647, a.occurrence_count::bigint + u.occurrences),
    status             = u.status,
    starts_at          = u.starts_at,
    incident_id        = u.incident_id,
    incident_starts_at = u.incident_starts_at,
    said_at            = u.said_at,
    clock_off          = u.clock_off,
    start_known        = CASE WHEN u.newer THEN u.start_known ELSE a.start_known END,
    ends_at            = CASE WHEN u.newer THEN u.ends_at ELSE a.ends_at END,
    severity           = CASE WHEN u.worded THEN u.severity ELSE a.severity END,
    source             = CASE WHEN u.worded THEN u.source ELSE a.source END,
    title              = CASE WHEN u.worded THEN u.title ELSE a.title END,
    description        = CASE WHEN u.worded THEN u.description ELSE a.description END,
    link               = CASE WHEN u.worded THEN u.link ELSE a.link END,
    labels             = CASE WHEN u.worded THEN u.labels ELSE a.labels END,
    annotations        = CASE WHEN u.worded THEN u.annotations ELSE a.annotations END,
    details            = CASE WHEN u.worded THEN u.details ELSE a.details END
FROM unnest($1::uuid[], $2::uuid[], $3::uuid[], $4::text[], $6::integer[], $7::text[], $8::timestamptz[], $9::uuid[], $10::timestamptz[],
            $11::boolean[], $12::timestamptz[], $13::text[], $14::text[], $15::text[], $16::text[], $17::text[], $18::jsonb[], $19::jsonb[], $20::jsonb[], $21::timestamptz[], $22::bigint[],
            $23::boolean[], $24::boolean[])
    AS u(org_id, id, service_id, alert_key, occurrences, status, starts_at, incident_id, incident_starts_at,
         start_known, ends_at, severity, source, title, description, link, labels, annotations, details, said_at, clock_off, newer, worded)
WHERE a.org_id = u.org_id AND a.id = u.id`

// QueueChanges adds the statements that store sorted changes to a pipelined batch. It
// breaks ConstraintKey when an alert that was not Known is stored by now.
func QueueChanges(batch *pgx.Batch, changes []Change, now time.Time) {
	var fresh, known []Change
	for _, c := range changes {
		if c.Known {
			known = append(known, c)
		} else {
			fresh = append(fresh, c)
		}
	}
	if len(fresh) > 0 {
		columns, _ := columnsOf(fresh, now)
		batch.Queue(insertSQL, columns...)
	}
	if len(known) > 0 {
		columns, newer := columnsOf(known, now)
		worded := slices.Clone(newer)
		for i, c := range known {
			worded[i] = newer[i] && !c.onlyEnds()
		}
		batch.Queue(updateSQL, append(columns, newer, worded)...)
	}
}

// onlyEnds reports whether this says that a known alert is over, and not what it was: it replaces no
// words and is no occurrence.
func (c Change) onlyEnds() bool {
	return c.Known && c.Received.Event != nil && c.Received.Event.Action == alert.Resolve
}

func columnsOf(changes []Change, now time.Time) (columns []any, newer []bool) {
	n := len(changes)
	orgs, ids, services, keys := make([]uuid.UUID, n), make([]uuid.UUID, n), make([]uuid.UUID, n), make([]string, n)
	counts, statuses, starts := make([]int32, n), make([]string, n), make([]time.Time, n)
	incidents, incidentStarts := make([]*uuid.UUID, n), make([]*time.Time, n)
	known, ends, severities, sources := make([]bool, n), make([]*time.Time, n), make([]string, n), make([]string, n)
	titles, descriptions, links := make([]string, n), make([]string, n), make([]string, n)
	labels, annotations, details := make([][]byte, n), make([][]byte, n), make([][]byte, n)
	saids, clocksOff := make([]*time.Time, n), make([]int64, n)
	newer = make([]bool, n)
	for i, c := range changes {
		r := c.Received
		orgs[i], ids[i], services[i], keys[i] = c.OrgID, c.Stored.ID, c.ServiceID, r.Key
		counts[i], statuses[i], starts[i] = int32(max(1, r.Count)), string(c.Stored.Status), c.Stored.StartsAt
		incidents[i], incidentStarts[i] = postgres.Null(c.Stored.IncidentID), postgres.Null(c.Stored.IncidentStartsAt)
		known[i], ends[i], severities[i], sources[i] = alert.StartKnown(r, now), postgres.Null(r.EndsAt), string(r.Severity), r.Source
		titles[i], descriptions[i], links[i] = r.Title, r.Description, r.Link
		labels[i], annotations[i] = object(r.Labels), object(r.Annotations)
		if r.Event != nil {
			details[i] = r.Event.AlertDetails
		}
		if c.onlyEnds() {
			counts[i]--
		}
		saids[i], clocksOff[i] = postgres.Null(c.Stored.Said), int64(c.Stored.ClockOff)
		newer[i] = c.Newer
	}
	return []any{
		orgs, ids, services, keys, now, counts, statuses, starts, incidents, incidentStarts,
		known, ends, severities, sources, titles, descriptions, links, labels, annotations, details, saids, clocksOff,
	}, newer
}

// object encodes a map of strings; it cannot fail.
func object(values map[string]string) []byte {
	if len(values) == 0 {
		return []byte("{}")
	}
	encoded, _ := json.Marshal(values)
	return encoded
}

// StillFiring tells which of the incidents have an alert that fires, besides alerts.
func StillFiring(ctx context.Context, tx pgx.Tx, orgs, incidents, alerts []uuid.UUID) ([]uuid.UUID, error) {
	rows, err := tx.Query(ctx, `
		SELECT i.id FROM unnest($1::uuid[], $2::uuid[]) AS i(org_id, id)
		WHERE EXISTS (SELECT FROM alert a WHERE a.org_id = i.org_id AND a.incident_id = i.id AND a.status = 'firing' AND a.id <> ALL ($3::uuid[]))`,
		orgs, incidents, alerts)
	if err != nil {
		return nil, err
	}
	return pgx.CollectRows(rows, pgx.RowTo[uuid.UUID])
}
