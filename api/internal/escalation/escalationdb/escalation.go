// Package escalationdb stores where the paging of each incident stands and reads the
// policies that say what comes next.
package escalationdb

import (
	"context"
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

const saveSQL = `
INSERT INTO escalation_state (org_id, incident_id, policy_id, cycle, round, step, status, next_due_at, reason, updated_at)
SELECT unnest($1::uuid[]), unnest($2::uuid[]), unnest($3::uuid[]), unnest($4::integer[]), unnest($5::integer[]), unnest($6::integer[]),
       unnest($7::text[]), unnest($8::timestamptz[]), unnest($9::text[]), $10::timestamptz
ON CONFLICT (org_id, incident_id) DO UPDATE SET policy_id = excluded.policy_id, cycle = excluded.cycle, round = excluded.round,
    step = excluded.step, status = excluded.status, next_due_at = excluded.next_due_at, reason = excluded.reason,
    version = escalation_state.version + 1, updated_at = excluded.updated_at`

// QueueSave adds the statement that stores states, at most one for each incident, to a
// pipelined batch.
func QueueSave(batch *pgx.Batch, pagings []Paging, now time.Time) {
	if len(pagings) == 0 {
		return
	}
	n := len(pagings)
	orgs, incidents, policies, due := make([]uuid.UUID, n), make([]uuid.UUID, n), make([]*uuid.UUID, n), make([]*time.Time, n)
	cycles, rounds, steps := make([]int32, n), make([]int32, n), make([]int32, n)
	statuses, reasons := make([]string, n), make([]string, n)
	for i, p := range pagings {
		orgs[i], incidents[i], policies[i], due[i] = p.OrgID, p.IncidentID, nullID(p.PolicyID), nullTime(p.NextDueAt)
		cycles[i], rounds[i], steps[i] = int32(p.Cycle), int32(p.Round), int32(p.Step)
		statuses[i], reasons[i] = string(p.Status), p.Reason
	}
	batch.Queue(saveSQL, orgs, incidents, policies, cycles, rounds, steps, statuses, due, reasons, now)
}

func nullID(id uuid.UUID) *uuid.UUID {
	if id == uuid.Nil {
		return nil
	}
	return &id
}

func nullTime(t time.Time) *time.Time {
	if t.IsZero() {
		return nil
	}
	return &t
}

const pagingColumns = `e.org_id, e.incident_id, e.policy_id, e.cycle, e.round, e.step, e.status, e.next_due_at, e.reason`

func scanPaging(row pgx.CollectableRow) (Paging, error) {
	var p Paging
	var policy *uuid.UUID
	var due *time.Time
	err := row.Scan(&p.OrgID, &p.IncidentID, &policy, &p.Cycle, &p.Round, &p.Step, &p.Status, &due, &p.Reason)
	if policy != nil {
		p.PolicyID = *policy
	}
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
		ORDER BY e.next_due_at LIMIT $2 FOR UPDATE SKIP LOCKED`, now, limit)
	if err != nil {
		return nil, err
	}
	return pgx.CollectRows(rows, scanPaging)
}

// Get reads the state of one incident; found is false when it never paged.
func Get(ctx context.Context, tx pgx.Tx, orgID, incidentID uuid.UUID) (paging Paging, found bool, err error) {
	rows, err := tx.Query(ctx, `SELECT `+pagingColumns+` FROM escalation_state e WHERE e.org_id = $1 AND e.incident_id = $2`, orgID, incidentID)
	if err != nil {
		return Paging{}, false, err
	}
	pagings, err := pgx.CollectRows(rows, scanPaging)
	if err != nil || len(pagings) == 0 {
		return Paging{}, false, err
	}
	return pagings[0], true, nil
}

// targetSQL resolves each target of a policy to people: a user is itself, a team its
// members. Only people who can sign in count. A schedule means nobody until it has
// rotations.
const targetSQL = `
SELECT p.name, p.repeats, s.position, s.delay_seconds, t.kind, t.contact_method_id,
       coalesce(u.name, team.name, sch.name, c.name, '') AS target_name,
       CASE t.kind
           WHEN 'user' THEN ARRAY(SELECT m.user_id FROM membership m JOIN users x ON x.id = m.user_id AND x.disabled_at IS NULL
                                  WHERE m.org_id = t.org_id AND m.user_id = t.user_id)
           WHEN 'team' THEN ARRAY(SELECT tm.user_id FROM team_member tm JOIN users x ON x.id = tm.user_id AND x.disabled_at IS NULL
                                  WHERE tm.org_id = t.org_id AND tm.team_id = t.team_id ORDER BY tm.created_at, tm.user_id)
           ELSE ARRAY[]::uuid[] END AS people
FROM escalation_policy p
LEFT JOIN escalation_step s ON s.org_id = p.org_id AND s.policy_id = p.id
LEFT JOIN escalation_target t ON t.org_id = s.org_id AND t.policy_id = s.policy_id AND t.step_position = s.position
LEFT JOIN users u ON u.id = t.user_id
LEFT JOIN team ON team.org_id = t.org_id AND team.id = t.team_id
LEFT JOIN schedule sch ON sch.org_id = t.org_id AND sch.id = t.schedule_id
LEFT JOIN contact_method c ON c.org_id = t.org_id AND c.id = t.contact_method_id
WHERE p.org_id = $1 AND p.id = $2
ORDER BY s.position, t.position`

// QueuePolicy adds the statement that reads a policy, with its targets resolved to
// people, to a pipelined batch; take gets it. A policy that does not exist (any more)
// comes without steps, which means the last resort.
func QueuePolicy(batch *pgx.Batch, orgID, policyID uuid.UUID, take func(escalation.Policy)) {
	batch.Queue(targetSQL, orgID, policyID).Query(func(rows pgx.Rows) error {
		policy, err := scanPolicy(rows, policyID)
		take(policy)
		return err
	})
}

func scanPolicy(rows pgx.Rows, policyID uuid.UUID) (escalation.Policy, error) {
	policy := escalation.Policy{ID: policyID}
	var position, delay *int
	var kind *string
	var channel *uuid.UUID
	var name string
	var people []uuid.UUID
	last := -1
	_, err := pgx.ForEachRow(rows, []any{&policy.Name, &policy.Repeats, &position, &delay, &kind, &channel, &name, &people}, func() error {
		if position == nil {
			return nil
		}
		if *position != last {
			policy.Steps = append(policy.Steps, escalation.Step{Delay: time.Duration(*delay) * time.Second})
			last = *position
		}
		if kind != nil {
			target := escalation.Target{Name: name, People: append([]uuid.UUID(nil), people...)}
			if channel != nil {
				target.Channel = *channel
			}
			step := &policy.Steps[len(policy.Steps)-1]
			step.Targets = append(step.Targets, target)
		}
		return nil
	})
	return policy, err
}

// QueueOwners adds the statement that reads the last resort of an organization, its
// owners in the order of joining, to a pipelined batch; take gets them.
func QueueOwners(batch *pgx.Batch, orgID uuid.UUID, take func([]uuid.UUID)) {
	batch.Queue(`SELECT m.user_id FROM membership m JOIN users u ON u.id = m.user_id AND u.disabled_at IS NULL
		WHERE m.org_id = $1 AND m.role = 'owner' ORDER BY m.created_at, m.user_id`, orgID).Query(func(rows pgx.Rows) error {
		owners, err := pgx.CollectRows(rows, pgx.RowTo[uuid.UUID])
		take(owners)
		return err
	})
}
