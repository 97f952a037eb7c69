package notifydb

import (
	"context"
	"time"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"
)

// Result is how one page of a claim ended.
type Result struct {
	PageID, IncidentID uuid.UUID
	// State is pending (tried again at NextTryAt), sent, failed or cancelled.
	State     string
	NextTryAt time.Time
	// Reason says in words why it failed or was cancelled.
	Reason string
	// Fault is set when the try failed by our own mistake or for what the message says, Unknown when the provider may
	// have taken the message, Blocked when this installation's own failure keeps it.
	Fault, Unknown, Blocked bool
	// Hopeless is set when it is kept, and the next step is not to wait for it.
	Hopeless bool
	// Lost is set when it failed although its provider was called, or by our own mistake.
	Lost bool
}

// Delivery is how one try ended.
type Delivery struct {
	// Outcome is accepted, temporary_failure, permanent_failure or skipped.
	Outcome    string
	Detail     string
	ProviderID string
	Incidents  int
}

const settlePagesSQL = `
UPDATE notification n
SET state = r.state, lease_token = NULL, lease_until = NULL, orphaned = 0, next_try_at = coalesce(r.next_try_at, n.next_try_at),
    finished_at = CASE WHEN r.state = 'pending' THEN NULL ELSE $3::timestamptz END, finished_for = r.reason, faults = n.faults + r.fault::integer,
    unknowns = n.unknowns + r.unknown::integer, blocked_since = CASE WHEN r.blocked THEN coalesce(n.blocked_since, $3) END,
    lost_at = CASE WHEN r.lost THEN $3 END
FROM (SELECT $1::uuid AS org_id, unnest($4::uuid[]) AS id, unnest($5::text[]) AS state, unnest($6::timestamptz[]) AS next_try_at,
             unnest($7::text[]) AS reason, unnest($8::boolean[]) AS fault, unnest($9::boolean[]) AS unknown, unnest($10::boolean[]) AS blocked,
             unnest($11::boolean[]) AS lost) r
WHERE n.org_id = r.org_id AND n.id = r.id AND n.lease_token = $2
RETURNING n.id`

// SettlePages records how the pages of a claim ended and returns those for which that
// was still this claim's to say: a worker that lost its lease changes nothing. Those in held wait for the
// end of maintenance.
func SettlePages(ctx context.Context, tx pgx.Tx, claim Claim, held []uuid.UUID, results []Result, now time.Time) (settled []uuid.UUID, err error) {
	if err := holdPages(ctx, tx, claim, held, now); err != nil {
		return nil, err
	}
	n := len(results)
	pages := make([]uuid.UUID, n)
	states, reasons := make([]string, n), make([]string, n)
	next := make([]*time.Time, n)
	faults, unknown, blocked, lost := make([]bool, n), make([]bool, n), make([]bool, n), make([]bool, n)
	for i, r := range results {
		pages[i], states[i], reasons[i] = r.PageID, r.State, r.Reason
		if !r.NextTryAt.IsZero() {
			next[i] = &results[i].NextTryAt
		}
		faults[i], unknown[i], blocked[i], lost[i] = r.Fault, r.Unknown, r.Blocked, r.Lost
	}
	rows, err := tx.Query(ctx, settlePagesSQL, claim.OrgID, claim.DeliveryID, now, pages, states, next, reasons, faults, unknown, blocked, lost)
	if err != nil {
		return nil, err
	}
	return pgx.CollectRows(rows, pgx.RowTo[uuid.UUID])
}

// QueueSettleDelivery adds the statement that closes the try in the delivery log.
func QueueSettleDelivery(batch *pgx.Batch, claim Claim, d Delivery, now time.Time) {
	batch.Queue(`UPDATE delivery SET outcome = $3, detail = $4, provider_id = $5, incident_count = $6, finished_at = $7
		WHERE org_id = $1 AND id = $2 AND outcome = 'sending'`,
		claim.OrgID, claim.DeliveryID, d.Outcome, d.Detail, d.ProviderID, d.Incidents, now)
}
