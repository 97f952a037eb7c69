package alertdb

import (
	"crypto/sha256"
	"time"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"

	"github.com/nightbell/nightbell/api/internal/alert"
	"github.com/nightbell/nightbell/api/internal/platform/postgres"
)

// Event is one line of the record of what was received. AlertID is Nil for an acknowledgement.
type Event struct {
	OrgID, AlertID, IncidentID uuid.UUID
	Status                     alert.Status
	Occurrences                int
	// Call is set for what came as an event and is remembered under its id.
	Call      *alert.Event
	ServiceID uuid.UUID
}

// Acknowledged is the status of an event that acknowledges, in the record only.
const Acknowledged alert.Status = "acknowledged"

const eventSQL = `
INSERT INTO alert_event (org_id, alert_id, incident_id, status, occurrences, received_at, event_id, service_id, event_hash, event_status, incident_number)
SELECT unnest($1::uuid[]), unnest($2::uuid[]), unnest($3::uuid[]), unnest($4::text[]), unnest($5::integer[]), $6::timestamptz,
       unnest($7::uuid[]), unnest($8::uuid[]), unnest($9::bytea[]), unnest($10::text[]), unnest($11::integer[])`

// QueueEvents adds the statement that records what was received to a pipelined batch.
func QueueEvents(batch *pgx.Batch, events []Event, now time.Time) {
	if len(events) == 0 {
		return
	}
	n := len(events)
	orgs, alerts, incidents := make([]uuid.UUID, n), make([]*uuid.UUID, n), make([]*uuid.UUID, n)
	statuses, counts := make([]string, n), make([]int32, n)
	calls, services, hashes := make([]*uuid.UUID, n), make([]*uuid.UUID, n), make([][]byte, n)
	outcomes, numbers := make([]*string, n), make([]*int32, n)
	for i, e := range events {
		orgs[i], alerts[i], incidents[i] = e.OrgID, postgres.Null(e.AlertID), postgres.Null(e.IncidentID)
		statuses[i], counts[i] = string(e.Status), int32(e.Occurrences)
		if e.Call != nil {
			calls[i], services[i], hashes[i] = &e.Call.ID, &e.ServiceID, e.Call.Hash[:]
			outcomes[i], numbers[i] = postgres.Null(string(e.Call.Outcome.Status)), postgres.Null(int32(e.Call.Outcome.Number))
			incidents[i] = postgres.Null(e.Call.Outcome.IncidentID)
		}
	}
	batch.Queue(eventSQL, orgs, alerts, incidents, statuses, counts, now, calls, services, hashes, outcomes, numbers)
}

// Call names one call of an event: ids are the senders' own, so each service has its own.
type Call struct{ ServiceID, EventID uuid.UUID }

// Known is what is remembered of a call.
type Known struct {
	Hash    [sha256.Size]byte
	Outcome alert.Outcome
}

const findCallsSQL = `
SELECT call.service_id, call.event_id, e.event_hash, e.event_status, coalesce(e.incident_id, '00000000-0000-0000-0000-000000000000'), coalesce(e.incident_number, 0)
FROM unnest($1::uuid[], $2::uuid[]) AS call(service_id, event_id)
CROSS JOIN LATERAL (
    SELECT * FROM alert_event WHERE alert_event.service_id = call.service_id AND alert_event.event_id = call.event_id
        AND alert_event.received_at > nightbell_now() - interval '72 hours' LIMIT 1) e`

// QueueFindCalls adds the statement that finds the calls that were made before; take gets each.
// The alerts of the calls must be locked first: a call that another transaction is storing is
// then found, or breaks ConstraintKey.
func QueueFindCalls(batch *pgx.Batch, calls []Call, take func(Call, Known)) {
	services, events := make([]uuid.UUID, len(calls)), make([]uuid.UUID, len(calls))
	for i, c := range calls {
		services[i], events[i] = c.ServiceID, c.EventID
	}
	batch.Queue(findCallsSQL, services, events).Query(func(rows pgx.Rows) error {
		var call Call
		var known Known
		var hash []byte
		into := []any{&call.ServiceID, &call.EventID, &hash, &known.Outcome.Status, &known.Outcome.IncidentID, &known.Outcome.Number}
		_, err := pgx.ForEachRow(rows, into, func() error {
			copy(known.Hash[:], hash)
			take(call, known)
			return nil
		})
		return err
	})
}
