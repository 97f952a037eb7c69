// Package escalationdb stores where the paging of each incident stands and reads the
// policies that say what comes next.
package escalationdb

import (
	"context"
	"errors"
	"time"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"

	"github.com/nightbell/nightbell/api/internal/escalation"
)

// Paging is the escalation state of one incident.
type Paging struct {
	OrgID, IncidentID, PolicyID uuid.UUID
	escalation.State
}

// Under is the state for a decision by a policy. A place in another one, which was
// deleted since, means nothing: the first step follows.
func (p Paging) Under(policyID uuid.UUID) escalation.State {
	state := p.State
	if p.PolicyID != policyID {
		state.Round, state.Step = state.Round+1, 0
	}
	return state
}

const saveSQL = `
INSERT INTO escalation_state (org_id, incident_id, policy_id, cycle, round, step, turn, status, next_due_at, held_by, reason, updated_at)
SELECT unnest($1::uuid[]), unnest($2::uuid[]), unnest($3::uuid[]), unnest($4::integer[]), unnest($5::integer[]), unnest($6::integer[]),
       unnest($7::integer[]), unnest($8::text[]), unnest($9::timestamptz[]), unnest($10::uuid[]), unnest($11::text[]), $12::timestamptz
ON CONFLICT (org_id, incident_id) DO UPDATE SET policy_id = excluded.policy_id, cycle = excluded.cycle, round = excluded.round,
    step = excluded.step, turn = excluded.turn, status = excluded.status, next_due_at = excluded.next_due_at,
    held_by = excluded.held_by, reason = excluded.reason, version = escalation_state.version + 1, updated_at = excluded.updated_at`

// QueueSave adds the statement that stores states, at most one for each incident, to a
// pipelined batch.
func QueueSave(batch *pgx.Batch, pagings []Paging, now time.Time) {
	if len(pagings) == 0 {
		return
	}
	n := len(pagings)
	orgs, incidents, policies, due := make([]uuid.UUID, n), make([]uuid.UUID, n), make([]*uuid.UUID, n), make([]*time.Time, n)
	cycles, rounds, steps, turns := make([]int32, n), make([]int32, n), make([]int32, n), make([]int32, n)
	held, statuses, reasons := make([]*uuid.UUID, n), make([]string, n), make([]string, n)
	for i, p := range pagings {
		orgs[i], incidents[i], policies[i], due[i] = p.OrgID, p.IncidentID, nullID(p.PolicyID), nullTime(p.NextDueAt)
		cycles[i], rounds[i], steps[i], turns[i] = int32(p.Cycle), int32(p.Round), int32(p.Step), int32(p.Turn)
		held[i], statuses[i], reasons[i] = nullID(p.HeldBy), string(p.Status), p.Reason
	}
	batch.Queue(saveSQL, orgs, incidents, policies, cycles, rounds, steps, turns, statuses, due, held, reasons, now)
}

func nullID(id uuid.UUID) *uuid.UUID {
	if id == uuid.Nil {
		return nil
	}
	return &id
}

// value is what a nullable column holds, or the zero value.
func value[T any](pointer *T) (zero T) {
	if pointer == nil {
		return zero
	}
	return *pointer
}

func nullTime(t time.Time) *time.Time {
	if t.IsZero() {
		return nil
	}
	return &t
}

const pagingColumns = `e.org_id, e.incident_id, e.policy_id, e.cycle, e.round, e.step, e.turn, e.status, e.next_due_at, e.held_by, e.reason`

// scanPaging reads pagingColumns, and what follows them into more.
func scanPaging(row pgx.CollectableRow, more ...any) (Paging, error) {
	var p Paging
	var policy, held *uuid.UUID
	var due *time.Time
	err := row.Scan(append([]any{&p.OrgID, &p.IncidentID, &policy, &p.Cycle, &p.Round, &p.Step, &p.Turn, &p.Status, &due, &held, &p.Reason}, more...)...)
	p.PolicyID, p.HeldBy = value(policy), value(held)
	if due != nil {
		p.NextDueAt = due.UTC()
	}
	return p, err
}

// ClaimDue takes up to limit states whose next step is due and whose incident is
// still triggered, the longest overdue first, and locks them and their incidents
// until the transaction ends. What another replica holds is skipped.
func ClaimDue(ctx context.Context, tx pgx.Tx, now time.Time, limit int) ([]Paging, error) {
	rows, err := tx.Query(ctx, `SELECT `+pagingColumns+`
		FROM escalation_state e JOIN incident i ON i.org_id = e.org_id AND i.id = e.incident_id
		WHERE e.status = 'active' AND e.next_due_at <= $1
		ORDER BY e.next_due_at LIMIT $2 FOR NO KEY UPDATE SKIP LOCKED`, now, limit)
	if err != nil {
		return nil, err
	}
	return pgx.CollectRows(rows, func(row pgx.CollectableRow) (Paging, error) { return scanPaging(row) })
}

// NextDue is when the first step after now is due; soon is false when none is before
// the limit. Steps that are overdue do not count, for they are another replica's.
func NextDue(ctx context.Context, tx pgx.Tx, now, limit time.Time) (due time.Time, soon bool, err error) {
	err = tx.QueryRow(ctx, `SELECT next_due_at FROM escalation_state
		WHERE status = 'active' AND next_due_at > $1 AND next_due_at < $2 ORDER BY next_due_at LIMIT 1`, now, limit).Scan(&due)
	if errors.Is(err, pgx.ErrNoRows) {
		return time.Time{}, false, nil
	}
	return due.UTC(), err == nil, err
}

// Standing is the state of one incident with what the clock has to do with it.
type Standing struct {
	Paging
	// AckTimeout is what its policy gives those who acknowledge; zero is forever.
	AckTimeout time.Duration
	// Timed tells whether a timer runs, and AckTimed whether that of an acknowledgement does.
	Timed, AckTimed bool
}

const getSQL = `
SELECT ` + pagingColumns + `,
    coalesce((SELECT p.ack_timeout_seconds FROM escalation_policy p WHERE p.org_id = e.org_id AND p.id = $3), 0),
    EXISTS (SELECT FROM incident_timer t WHERE t.org_id = e.org_id AND t.incident_id = e.incident_id),
    EXISTS (SELECT FROM incident_timer t WHERE t.org_id = e.org_id AND t.incident_id = e.incident_id AND t.kind = 'ack_timeout')
FROM escalation_state e WHERE e.org_id = $1 AND e.incident_id = $2`

// Get reads the state of one incident that is paged for by a policy; found is false when
// it never paged.
func Get(ctx context.Context, tx pgx.Tx, orgID, incidentID, policyID uuid.UUID) (standing Standing, found bool, err error) {
	rows, err := tx.Query(ctx, getSQL, orgID, incidentID, policyID)
	if err != nil {
		return Standing{}, false, err
	}
	list, err := pgx.CollectRows(rows, func(row pgx.CollectableRow) (Standing, error) {
		var s Standing
		var timeout int
		paging, err := scanPaging(row, &timeout, &s.Timed, &s.AckTimed)
		s.Paging, s.AckTimeout = paging, seconds(timeout)
		return s, err
	})
	if err != nil || len(list) == 0 {
		return Standing{}, false, err
	}
	return list[0], true, nil
}
