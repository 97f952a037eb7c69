package alertdb

import (
	"time"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"

	"github.com/nightbell/nightbell/api/internal/alert"
)

// Most alerts are either all known (Alertmanager repeats them) or were never seen (they
// have just begun). Those of the second kind are decided without asking the database
// more than whether it knows them, and written once, with their incident.

// ConstraintKey is the unique index that an alert breaks which is stored already.
const ConstraintKey = "alert_key_key"

const knownSQL = `
SELECT a.service_id, a.alert_key FROM (SELECT unnest($1::uuid[]) AS service_id, unnest($2::text[]) AS alert_key) arrival
JOIN alert a USING (service_id, alert_key)`

// QueueKnown adds the statement that tells which of the arrivals are stored alerts to a
// pipelined batch; take is called for each. It locks nothing.
func QueueKnown(batch *pgx.Batch, arrivals []Arrival, take func(serviceID uuid.UUID, key string)) {
	services, keys := make([]uuid.UUID, len(arrivals)), make([]string, len(arrivals))
	for i, a := range arrivals {
		services[i], keys[i] = a.ServiceID, a.Key
	}
	batch.Queue(knownSQL, services, keys).Query(func(rows pgx.Rows) error {
		var service uuid.UUID
		var key string
		_, err := pgx.ForEachRow(rows, []any{&service, &key}, func() error {
			take(service, key)
			return nil
		})
		return err
	})
}

const insertSQL = `
INSERT INTO alert (org_id, id, service_id, alert_key, status, severity, source, title, description,
                   labels, annotations, link, starts_at, start_known, ends_at, occurrence_count, first_seen_at, last_seen_at,
                   incident_id, incident_starts_at)
SELECT unnest($1::uuid[]), unnest($2::uuid[]), unnest($3::uuid[]), unnest($4::text[]),
       unnest($5::text[]), unnest($6::text[]), unnest($7::text[]), unnest($8::text[]), unnest($9::text[]),
       unnest($10::jsonb[]), unnest($11::jsonb[]), unnest($12::text[]), unnest($13::timestamptz[]), unnest($14::boolean[]),
       unnest($15::timestamptz[]), unnest($16::integer[]), $17::timestamptz, $17::timestamptz,
       unnest($18::uuid[]), unnest($19::timestamptz[])`

// Newcomers are sorted arrivals that were never seen, and the rows they will be.
type Newcomers struct {
	Rows    []Row
	columns []any
}

// NewNewcomers prepares arrivals for Queue, at most one for each service and key.
func NewNewcomers(arrivals []Arrival, now time.Time) *Newcomers {
	if len(arrivals) == 0 {
		return &Newcomers{}
	}
	columns, ids := columnsOf(arrivals, now)
	n := &Newcomers{Rows: make([]Row, len(arrivals)), columns: columns}
	for i, a := range arrivals {
		n.Rows[i] = Row{Stored: alert.Absorb(nil, a.Received, now), OrgID: a.OrgID, ServiceID: a.ServiceID, Key: a.Key}
		n.Rows[i].ID = ids[i]
	}
	return n
}

// Queue adds the statement that stores the alerts to a pipelined batch; incidents are
// those that they opened or joined, in the order of Rows, Nil for none. It breaks
// ConstraintKey when one of them is stored by now.
func (n *Newcomers) Queue(batch *pgx.Batch, incidents []uuid.UUID) {
	if len(n.Rows) == 0 {
		return
	}
	linked, starts := make([]*uuid.UUID, len(incidents)), make([]*time.Time, len(incidents))
	for i := range incidents {
		if incidents[i] != uuid.Nil {
			linked[i], starts[i] = &incidents[i], &n.Rows[i].StartsAt
		}
	}
	batch.Queue(insertSQL, append(n.columns, linked, starts)...)
	n.Rows = nil
}
