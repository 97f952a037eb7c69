// Package escalationdb stores where the paging of each incident stands and reads the
// policies that say what comes next.
package escalationdb

import (
	"context"
	"errors"
	"slices"
	"strings"
	"time"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"

	"github.com/nightbell/nightbell/api/internal/alert"
	"github.com/nightbell/nightbell/api/internal/escalation"
	"github.com/nightbell/nightbell/api/internal/platform/postgres"
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
		state.Round, state.Passed = state.Round+1, nil
	}
	return state
}

// saveSQL keeps the instant at which paging was over, whatever is stored beside it: from there new trouble counts
// the hour (escalation.IsForAgain).
const saveSQL = `
UPDATE incident i SET paging_policy_id = e.policy_id, paging_cycle = e.cycle, paging_round = e.round, paging_passed = e.passed::uuid[],
    paging_revision = e.revision, paging_severity = e.severity, paging_turn = e.turn, paging_status = e.status,
    paging_due_at = e.due_at, paging_own_due_at = e.own_due_at, paging_held_by = e.held_by, paging_reason = e.reason,
    paging_updated_at = CASE WHEN e.status <> 'active' AND i.paging_status = e.status AND i.paging_cycle = e.cycle THEN i.paging_updated_at ELSE $1 END
FROM (SELECT unnest($2::uuid[]) AS org_id, unnest($3::uuid[]) AS incident_id, unnest($4::uuid[]) AS policy_id, unnest($5::integer[]) AS cycle,
             unnest($6::integer[]) AS round, unnest($7::text[]) AS passed, unnest($8::integer[]) AS revision, unnest($9::text[]) AS severity,
             unnest($10::integer[]) AS turn, unnest($11::text[]) AS status, unnest($12::timestamptz[]) AS due_at, unnest($13::uuid[]) AS held_by,
             unnest($14::text[]) AS reason, unnest($15::timestamptz[]) AS own_due_at) e
WHERE i.org_id = e.org_id AND i.id = e.incident_id`

// saveInOneSQL names the incidents of one organization again: under row-level security
// PostgreSQL finds them by no index that a join's keys would need, and reads all that the
// organization has.
const saveInOneSQL = saveSQL + ` AND i.id = ANY($3::uuid[])`

// QueueSave adds the statement that stores states, at most one for each incident, to a
// pipelined batch.
func QueueSave(batch *pgx.Batch, pagings []Paging, now time.Time) {
	if len(pagings) == 0 {
		return
	}
	orgs, incidents, own := make([]uuid.UUID, len(pagings)), make([]uuid.UUID, len(pagings)), make([]*time.Time, len(pagings))
	sql := saveInOneSQL
	for i, p := range pagings {
		orgs[i], incidents[i], own[i] = p.OrgID, p.IncidentID, postgres.Null(p.OwnDueAt)
		if p.OrgID != orgs[0] {
			sql = saveSQL
		}
	}
	batch.Queue(sql, append(append([]any{now, orgs, incidents}, Columns(pagings)...), own)...)
}

// Columns are the states as arrays, one for each of the columns paging_policy_id, _cycle,
// _round, _passed (as text), _revision, _severity, _turn, _status, _due_at, _held_by and
// _reason. What just began was never hurried.
func Columns(pagings []Paging) []any {
	n := len(pagings)
	policies, due, held := make([]*uuid.UUID, n), make([]*time.Time, n), make([]*uuid.UUID, n)
	cycles, rounds, revisions, turns := make([]int32, n), make([]int32, n), make([]int32, n), make([]int32, n)
	passed, severities, statuses, reasons := make([]string, n), make([]*string, n), make([]string, n), make([]string, n)
	for i, p := range pagings {
		policies[i], due[i], held[i] = postgres.Null(p.PolicyID), postgres.Null(p.NextDueAt), postgres.Null(p.HeldBy)
		cycles[i], rounds[i], revisions[i], turns[i] = int32(p.Cycle), int32(p.Round), int32(p.Revision), int32(p.Turn)
		passed[i], severities[i], statuses[i], reasons[i] = arrayText(p.Passed), postgres.Null(string(p.Severity)), string(p.Status), p.Reason
	}
	return []any{policies, cycles, rounds, passed, revisions, severities, turns, statuses, due, held, reasons}
}

// arrayText is the text form of a uuid[]: unnest would take an array of arrays apart to
// its elements, and a row has a whole one.
func arrayText(ids []uuid.UUID) string {
	texts := make([]string, len(ids))
	for i, id := range ids {
		texts[i] = id.String()
	}
	return "{" + strings.Join(texts, ",") + "}"
}

const pagingColumns = `i.org_id, i.id, i.paging_policy_id, i.paging_cycle, i.paging_round, i.paging_passed, i.paging_revision,
	coalesce(i.paging_severity, ''), i.paging_turn, i.paging_status, i.paging_due_at, i.paging_own_due_at, i.paging_held_by, i.paging_reason`

// scanPaging reads pagingColumns, and what follows them into more.
func scanPaging(row pgx.CollectableRow, more ...any) (Paging, error) {
	var p Paging
	var policy, held *uuid.UUID
	var due, own *time.Time
	err := row.Scan(append([]any{&p.OrgID, &p.IncidentID, &policy, &p.Cycle, &p.Round, &p.Passed, &p.Revision, &p.Severity, &p.Turn, &p.Status, &due, &own, &held, &p.Reason}, more...)...)
	p.PolicyID, p.HeldBy = postgres.Value(policy), postgres.Value(held)
	if due != nil {
		p.NextDueAt = due.UTC()
	}
	if own != nil {
		p.OwnDueAt = own.UTC()
	}
	return p, err
}

// claimDueSQL gives organizations turns: the longest overdue of each before the second of any. It reads both ends of
// what is due; behind a backlog a loose index scan finds the organizations that neither shows. Four times LIMIT are
// looked up: SKIP LOCKED drops some. IS NOT DISTINCT FROM hides the partial index of all active incidents.
const claimDueSQL = `
WITH RECURSIVE oldest AS MATERIALIZED (
    SELECT org_id, id, paging_due_at FROM incident WHERE paging_status = 'active' AND paging_due_at <= $1 ORDER BY paging_due_at LIMIT 4000
), ends AS MATERIALIZED (
    SELECT * FROM oldest
    UNION
    (SELECT org_id, id, paging_due_at FROM incident WHERE paging_status = 'active' AND paging_due_at <= $1 ORDER BY paging_due_at DESC LIMIT 1000)
), open_orgs AS (
    SELECT first.* FROM (SELECT count(*) FROM oldest HAVING count(*) = 4000) backlog, LATERAL (
        SELECT org_id FROM incident WHERE status <> 'resolved' ORDER BY org_id, service_id, severity LIMIT 1) first
    UNION ALL
    SELECT next.* FROM open_orgs o, LATERAL (
        SELECT org_id FROM incident WHERE status <> 'resolved' AND org_id > o.org_id ORDER BY org_id, service_id, severity LIMIT 1) next
), between_ends AS (
    SELECT due.* FROM open_orgs o, LATERAL (
        SELECT org_id, id, paging_due_at FROM incident
        WHERE org_id = o.org_id AND status <> 'resolved' AND paging_status IS NOT DISTINCT FROM 'active' AND paging_due_at <= $1 AND id <> ALL($3)
        ORDER BY paging_due_at LIMIT $2) due
    WHERE o.org_id NOT IN (SELECT org_id FROM ends)
), turns AS MATERIALIZED (
    SELECT org_id, id, paging_due_at, row_number() OVER (PARTITION BY org_id ORDER BY paging_due_at) AS place
    FROM (SELECT * FROM ends UNION ALL SELECT * FROM between_ends) due WHERE id <> ALL($3)
)
SELECT ` + pagingColumns + `
FROM (SELECT * FROM turns ORDER BY place, paging_due_at LIMIT 4 * $2) t JOIN incident i ON i.org_id = t.org_id AND i.id = t.id
WHERE i.paging_status IS NOT DISTINCT FROM 'active' AND i.paging_due_at <= $1
ORDER BY t.place, t.paging_due_at LIMIT $2 FOR NO KEY UPDATE OF i SKIP LOCKED`

// ClaimDue takes up to limit incidents whose next step is due, the longest overdue of each organization first,
// and locks them until the transaction ends. What another replica holds is skipped, and those in without are left alone.
func ClaimDue(ctx context.Context, tx pgx.Tx, now time.Time, limit int, without []uuid.UUID) ([]Paging, error) {
	rows, err := tx.Query(ctx, claimDueSQL, now, limit, append([]uuid.UUID{}, without...))
	if err != nil {
		return nil, err
	}
	return pgx.CollectRows(rows, func(row pgx.CollectableRow) (Paging, error) { return scanPaging(row) })
}

// NextDue is when the first step after now is due; soon is false when none is before
// the limit. Steps that are overdue do not count, for they are another replica's.
func NextDue(ctx context.Context, tx pgx.Tx, now, limit time.Time) (due time.Time, soon bool, err error) {
	err = tx.QueryRow(ctx, `SELECT paging_due_at FROM incident
		WHERE paging_status = 'active' AND paging_due_at > $1 AND paging_due_at < $2 ORDER BY paging_due_at LIMIT 1`, now, limit).Scan(&due)
	if errors.Is(err, pgx.ErrNoRows) {
		return time.Time{}, false, nil
	}
	return due.UTC(), err == nil, err
}

// TimedPaging is the paging of one incident, and which of its timers run.
type TimedPaging struct {
	Paging
	// AckTimeout is what its policy gives those who acknowledge; zero is forever.
	AckTimeout time.Duration
	// Timers are those that run.
	Timers []escalation.TimerKind
}

// Timed reports whether one of these timers runs.
func (p TimedPaging) Timed(kinds ...escalation.TimerKind) bool {
	return slices.ContainsFunc(p.Timers, func(kind escalation.TimerKind) bool { return slices.Contains(kinds, kind) })
}

const getSQL = `
SELECT ` + pagingColumns + `,
    coalesce((SELECT p.ack_timeout_seconds FROM escalation_policy p WHERE p.org_id = i.org_id AND p.id = $3), 0),
    ARRAY(SELECT t.kind FROM incident_timer t WHERE t.org_id = i.org_id AND t.incident_id = i.id)
FROM incident i WHERE i.org_id = $1 AND i.id = $2 AND i.paging_status IS NOT NULL`

// Get reads the state of one incident that is paged for by a policy; found is false when
// it never paged.
func Get(ctx context.Context, tx pgx.Tx, orgID, incidentID, policyID uuid.UUID) (timed TimedPaging, found bool, err error) {
	rows, err := tx.Query(ctx, getSQL, orgID, incidentID, policyID)
	if err != nil {
		return TimedPaging{}, false, err
	}
	list, err := pgx.CollectRows(rows, func(row pgx.CollectableRow) (TimedPaging, error) {
		var s TimedPaging
		var timeout int
		paging, err := scanPaging(row, &timeout, &s.Timers)
		s.Paging, s.AckTimeout = paging, seconds(timeout)
		return s, err
	})
	if err != nil || len(list) == 0 {
		return TimedPaging{}, false, err
	}
	return list[0], true, nil
}

const pagedSQL = `
SELECT DISTINCT CASE WHEN n.cycle = $3 THEN n.round ELSE $4 END, n.user_id, CASE WHEN n.user_id IS NULL THEN n.contact_method_id END, CASE WHEN n.user_id IS NULL THEN c.kind END,
  EXISTS (SELECT FROM notification q WHERE q.org_id = n.org_id AND q.incident_id = n.incident_id AND q.cycle = n.cycle AND q.user_id = n.user_id AND q.confirms AND q.severity_rank <= $5
    AND q.created_at = (SELECT max(l.created_at) FROM notification l WHERE l.org_id = $1 AND l.incident_id = $2 AND l.confirms))
FROM notification n JOIN contact_method c ON c.org_id = n.org_id AND c.id = n.contact_method_id
WHERE n.org_id = $1 AND n.incident_id = $2
  AND n.cycle = (SELECT max(l.cycle) FROM notification l WHERE l.org_id = $1 AND l.incident_id = $2 AND l.cycle <= $3)
  AND CASE WHEN n.user_id IS NULL THEN c.disabled_at IS NULL
           ELSE EXISTS (SELECT FROM membership m WHERE m.org_id = n.org_id AND m.user_id = n.user_id) END`

// LoadPaged reads who was paged for an incident in a cycle, or in the last one before it that paged
// anybody, and still belongs to the organization. The severity is that of the incident now.
func LoadPaged(ctx context.Context, tx pgx.Tx, orgID, incidentID uuid.UUID, cycle int, severity alert.Severity) ([]escalation.Paged, error) {
	rows, err := tx.Query(ctx, pagedSQL, orgID, incidentID, cycle, escalation.EarlierCycle, severity.Rank())
	if err != nil {
		return nil, err
	}
	return pgx.CollectRows(rows, func(row pgx.CollectableRow) (escalation.Paged, error) {
		var person, channel *uuid.UUID
		var kind *string
		paged := escalation.Paged{Kind: escalation.PagePerson}
		err := row.Scan(&paged.Round, &person, &channel, &kind, &paged.Asked)
		paged.ID, paged.ChannelKind = postgres.Value(person), postgres.Value(kind)
		if channel != nil {
			paged.Kind, paged.ID = escalation.PageChannel, *channel
		}
		return paged, err
	})
}

// IS NOT DISTINCT FROM hides the organization from the planner, which would AND two indexes.
// unreachedSQL is about the incidents that come as d; a page waits for a contact that failed $4 times in a row, or was
// refused $5 times.
const unreachedSQL = `
SELECT d.id FROM (SELECT unnest($1::uuid[]) AS org_id, unnest($2::uuid[]) AS id, unnest($3::integer[]) AS cycle) d, LATERAL (
    SELECT count(*) > 0 AND NOT coalesce(bool_or(n.state = 'sent' OR n.finished_at IS NULL AND c.failures < $4 AND n.faults < $5), false) AS unreached
    FROM notification n LEFT JOIN contact_method c ON c.org_id = n.org_id AND c.id = n.contact_method_id
    WHERE n.org_id IS NOT DISTINCT FROM d.org_id AND n.incident_id = d.id AND n.cycle = d.cycle OFFSET 0) pages
WHERE pages.unreached`

// UnreachedAmong are the incidents that were paged for in their cycle and nothing got through: each page
// failed, waits for a contact that has failed so many times in a row, or was itself at fault so many times.
func UnreachedAmong(ctx context.Context, tx pgx.Tx, of []Paging, failures, faults int) (map[uuid.UUID]bool, error) {
	orgs, ids, cycles := make([]uuid.UUID, len(of)), make([]uuid.UUID, len(of)), make([]int, len(of))
	for i, p := range of {
		orgs[i], ids[i], cycles[i] = p.OrgID, p.IncidentID, p.Cycle
	}
	rows, err := tx.Query(ctx, unreachedSQL, orgs, ids, cycles, failures, faults)
	if err != nil {
		return nil, err
	}
	unreached := map[uuid.UUID]bool{}
	var incidentID uuid.UUID
	_, err = pgx.ForEachRow(rows, []any{&incidentID}, func() error {
		unreached[incidentID] = true
		return nil
	})
	return unreached, err
}

// Unreached reports it of one incident.
func Unreached(ctx context.Context, tx pgx.Tx, orgID, incidentID uuid.UUID, cycle, failures, faults int) (bool, error) {
	of := Paging{OrgID: orgID, IncidentID: incidentID, State: escalation.State{Cycle: cycle}}
	unreached, err := UnreachedAmong(ctx, tx, []Paging{of}, failures, faults)
	return unreached[incidentID], err
}
