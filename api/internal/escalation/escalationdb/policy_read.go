package escalationdb

import (
	"errors"
	"time"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"

	"github.com/nightbell/nightbell/api/internal/alert"
	"github.com/nightbell/nightbell/api/internal/escalation"
	"github.com/nightbell/nightbell/api/internal/oncall/oncalldb"
	"github.com/nightbell/nightbell/api/internal/platform/postgres"
)

// policySQL reads a policy with all that its targets mean: a user is itself, a team its
// members, a schedule all that oncall needs to know who is on call at $3 or later. Only
// people who can sign in and channels that are not disabled count.
var policySQL = `
SELECT p.name, p.repeats, p.ack_timeout_seconds, p.auto_resolve_seconds, p.timezone, p.next_turn,
       p.revision, p.last_resort, p.quiet, s.id, s.changed_in, s.position, s.delay_seconds, s.assignment, s.severities, s.windows,
       t.kind, coalesce(t.user_id, t.schedule_id, t.team_id, t.contact_method_id), coalesce(u.name, team.name, sch.name, c.name, ''),
       CASE WHEN c.disabled_at IS NULL THEN c.kind END,
       CASE t.kind
           WHEN 'user' THEN ARRAY(SELECT m.user_id FROM membership m JOIN users x ON x.id = m.user_id AND x.disabled_at IS NULL
                                  WHERE m.org_id = t.org_id AND m.user_id = t.user_id)
           WHEN 'team' THEN ARRAY(SELECT tm.user_id FROM team_member tm JOIN users x ON x.id = tm.user_id AND x.disabled_at IS NULL
                                  WHERE tm.org_id = t.org_id AND tm.team_id = t.team_id ORDER BY tm.created_at, tm.user_id)
           ELSE ARRAY[]::uuid[] END,
       CASE WHEN t.kind = 'schedule' THEN ` + oncalldb.DefinitionSQL("sch", "$3") + ` END
FROM escalation_policy p
LEFT JOIN escalation_step s ON s.org_id = p.org_id AND s.policy_id = p.id
LEFT JOIN escalation_target t ON t.org_id = s.org_id AND t.policy_id = s.policy_id AND t.step_position = s.position
LEFT JOIN users u ON u.id = t.user_id
LEFT JOIN team ON team.org_id = t.org_id AND team.id = t.team_id
LEFT JOIN schedule sch ON sch.org_id = t.org_id AND sch.id = t.schedule_id
LEFT JOIN contact_method c ON c.org_id = t.org_id AND c.id = t.contact_method_id
WHERE p.org_id = $1 AND p.id = $2
ORDER BY s.position, t.position`

// QueuePolicy queues the statement that reads a policy, for decisions at since or later; take gets it. A policy that
// does not exist has no steps, which means the last resort, and what cannot be read of it is its Flaw. Overrides are
// read from escalation.ShiftKnown before since, so that a shift begins where one ended.
func QueuePolicy(batch *pgx.Batch, orgID, policyID uuid.UUID, since time.Time, take func(escalation.Policy)) {
	batch.Queue(policySQL, orgID, policyID, since.Add(-escalation.ShiftKnown)).Query(func(rows pgx.Rows) error {
		policy, err := scanPolicy(rows, policyID)
		take(policy)
		return err
	})
}

// policyRow is one target of a policy; the columns of a step or a target that is not
// there are nil.
type policyRow struct {
	ackTimeout, autoResolve       int
	timezone, lastResort          string
	quiet                         []byte
	stepID                        *uuid.UUID
	changedIn, position, delay    *int
	assignment                    *string
	severities                    []string
	windows                       []byte
	kind, targetName, channelKind *string
	targetID                      *uuid.UUID
	people                        []uuid.UUID
	definition                    []byte
}

func scanPolicy(rows pgx.Rows, policyID uuid.UUID) (escalation.Policy, error) {
	policy := escalation.Policy{ID: policyID}
	var r policyRow
	last := -2
	_, err := pgx.ForEachRow(rows, []any{
		&policy.Name, &policy.Repeats, &r.ackTimeout, &r.autoResolve, &r.timezone, &policy.NextTurn,
		&policy.Revision, &r.lastResort, &r.quiet, &r.stepID, &r.changedIn, &r.position, &r.delay, &r.assignment, &r.severities, &r.windows,
		&r.kind, &r.targetID, &r.targetName, &r.channelKind, &r.people, &r.definition,
	}, func() error {
		if policy.Zone == nil {
			r.addRules(&policy)
		}
		step := &policy.LastResort
		switch {
		case r.position == nil:
			return nil
		case *r.position >= 0 && *r.position != last:
			last = *r.position
			r.addStep(&policy)
			fallthrough
		case *r.position >= 0:
			step = &policy.Steps[len(policy.Steps)-1]
		}
		if r.kind != nil {
			step.Targets = append(step.Targets, r.target(&policy))
		}
		return nil
	})
	return policy, err
}

// addRules reads what the policy says besides its steps.
func (r policyRow) addRules(policy *escalation.Policy) {
	policy.AckTimeout, policy.AutoResolve = seconds(r.ackTimeout), seconds(r.autoResolve)
	policy.NoLastResort = r.lastResort == "nobody"
	var zone, quiet error
	policy.Zone, zone = oncalldb.Zone(r.timezone)
	policy.Quiet, quiet = ReadQuiet(r.quiet)
	policy.Flaw = errors.Join(policy.Flaw, zone, quiet)
}

func (r policyRow) addStep(policy *escalation.Policy) {
	step := escalation.Step{ID: postgres.Value(r.stepID), ChangedIn: postgres.Value(r.changedIn), Delay: seconds(*r.delay), RoundRobin: *r.assignment == "round_robin"}
	for _, severity := range r.severities {
		step.Severities = append(step.Severities, alert.Severity(severity))
	}
	var flaw error
	step.Windows, flaw = oncalldb.ReadWindows(r.windows)
	policy.Flaw = errors.Join(policy.Flaw, flaw)
	policy.Steps = append(policy.Steps, step)
}

func (r policyRow) target(policy *escalation.Policy) escalation.Target {
	target := escalation.Target{
		Kind: escalation.TargetKind(*r.kind), ID: postgres.Value(r.targetID), Name: postgres.Value(r.targetName),
		People: append([]uuid.UUID(nil), r.people...),
	}
	switch target.Kind {
	case escalation.Channel:
		if r.channelKind != nil {
			target.Channel, target.ChannelKind = target.ID, *r.channelKind
		} else {
			target.Name += " (disabled)"
		}
	case escalation.Schedule:
		schedule, flaw := oncalldb.Parse(r.definition)
		policy.Flaw = errors.Join(policy.Flaw, flaw)
		target.Schedule = &schedule
	case escalation.User, escalation.Team, escalation.Owner:
	}
	return target
}

func seconds(n int) time.Duration { return time.Duration(n) * time.Second }
