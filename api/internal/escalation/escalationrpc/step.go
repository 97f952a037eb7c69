package escalationrpc

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"strconv"
	"strings"
	"time"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"

	nightbellv1 "github.com/nightbell/nightbell/api/gen/nightbell/v1"
	"github.com/nightbell/nightbell/api/internal/alert"
	"github.com/nightbell/nightbell/api/internal/escalation"
	"github.com/nightbell/nightbell/api/internal/escalation/escalationdb"
	"github.com/nightbell/nightbell/api/internal/kernel/fault"
	"github.com/nightbell/nightbell/api/internal/kernel/id"
	"github.com/nightbell/nightbell/api/internal/oncall/oncalldb"
	"github.com/nightbell/nightbell/api/internal/org"
	"github.com/nightbell/nightbell/api/internal/platform/postgres"
)

// How long a policy may let the clock wait, besides never.
const (
	shortestAckTimeout  = time.Minute
	longestAckTimeout   = 7 * 24 * time.Hour
	shortestAutoResolve = 5 * time.Minute
	longestAutoResolve  = 30 * 24 * time.Hour
)

// policyRequest is a policy that is new or changed.
type policyRequest interface {
	GetTimezone() string
	GetAckTimeoutSeconds() int32
	GetAutoResolveSeconds() int32
	GetLastResort() string
	GetLastResortTarget() *nightbellv1.EscalationTarget
	GetQuiet() []*nightbellv1.EscalationQuiet
	GetSteps() []*nightbellv1.EscalationStep
}

// checkedPolicy is what checkPolicy makes of a request.
type checkedPolicy struct {
	timezone, lastResort string
	quiet                []byte
}

// checkPolicy refuses what the contract's field rules cannot say.
func checkPolicy(request policyRequest) (checked checkedPolicy, err error) {
	zone, err := org.Zone("timezone", request.GetTimezone())
	if err != nil {
		return checked, err
	}
	if outside(request.GetAckTimeoutSeconds(), shortestAckTimeout, longestAckTimeout) {
		return checked, fault.InvalidField("ack_timeout_seconds", fault.OutOfRange, "Page again one minute to seven days after the acknowledgement, or never: use 60 to 604800 seconds, or 0.")
	}
	if outside(request.GetAutoResolveSeconds(), shortestAutoResolve, longestAutoResolve) {
		return checked, fault.InvalidField("auto_resolve_seconds", fault.OutOfRange, "Resolve five minutes to thirty days after the last news, or never: use 300 to 2592000 seconds, or 0.")
	}
	checked.lastResort = cmp.Or(request.GetLastResort(), "owners")
	if request.GetLastResort() == "" && request.GetLastResortTarget() != nil {
		checked.lastResort = "target"
	}
	if (checked.lastResort == "target") != (request.GetLastResortTarget() != nil) {
		return checked, fault.InvalidField("last_resort_target", fault.BadFormat, "Send last_resort_target together with last_resort \"target\", and only then.")
	}
	var rules []escalation.Quiet
	for i, message := range request.GetQuiet() {
		if len(message.GetSeverities())+len(message.GetWindows()) == 0 {
			return checked, fault.InvalidField(fmt.Sprintf("quiet[%d]", i), fault.Required, "Say for which severities or at which times nobody is paged: without both, the policy would never page.")
		}
		rule := escalation.Quiet{Windows: windowsOf(message.GetWindows())}
		for _, severity := range message.GetSeverities() {
			rule.Severities = append(rule.Severities, alert.Severity(severity))
		}
		rules = append(rules, rule)
	}
	if escalation.IsNeverOn(rules) {
		return checked, fault.InvalidField("quiet", fault.OutOfRange, "These quiet times leave the policy no severity that it ever pages. Leave out a severity, or some hours of the day.")
	}
	checked.timezone = zone.String()
	checked.quiet, err = escalationdb.StoreQuiet(rules)
	return checked, err
}

func quietMessages(stored []byte) (messages []*nightbellv1.EscalationQuiet) {
	rules, _ := escalationdb.ReadQuiet(stored) // what cannot be read does not count
	for _, rule := range rules {
		message := &nightbellv1.EscalationQuiet{Windows: windowMessages(rule.Windows)}
		for _, severity := range rule.Severities {
			message.Severities = append(message.Severities, string(severity))
		}
		messages = append(messages, message)
	}
	return messages
}

func outside(seconds int32, shortest, longest time.Duration) bool {
	wait := time.Duration(seconds) * time.Second
	return wait != 0 && (wait < shortest || wait > longest)
}

const roundRobin = "round_robin"

// writer stores the steps of one policy.
type writer struct {
	q           *escalationdb.Queries
	org, policy uuid.UUID
	revision    int32
}

// all stores the steps of a request and its last resort.
func (w writer) all(ctx context.Context, before []identity, request policyRequest) error {
	if target := request.GetLastResortTarget(); target != nil {
		if err := w.resolve(ctx, []*nightbellv1.EscalationTarget{target}, "last_resort_target"); err != nil {
			return err
		}
	}
	if err := w.steps(ctx, before, request.GetSteps()); err != nil {
		return err
	}
	return w.lastResort(ctx, request.GetLastResortTarget())
}

// steps stores the steps of an edit; before are the identities of those that it replaces.
func (w writer) steps(ctx context.Context, before []identity, steps []*nightbellv1.EscalationStep) error {
	for i, step := range steps {
		if err := w.resolve(ctx, step.GetTargets(), fmt.Sprintf("steps[%d].targets", i)); err != nil {
			return err
		}
	}
	identities, err := identify(before, steps, w.revision)
	if err != nil {
		return err
	}
	for i, step := range steps {
		if err := w.step(ctx, i, identities[i], step); err != nil {
			return err
		}
	}
	return nil
}

// lastResort stores the target of the last resort; none stores nothing.
func (w writer) lastResort(ctx context.Context, target *nightbellv1.EscalationTarget) error {
	if target == nil {
		return nil
	}
	step := &nightbellv1.EscalationStep{DelaySeconds: int32(escalation.DefaultDelay.Seconds()), Targets: []*nightbellv1.EscalationTarget{target}}
	return w.step(ctx, lastResortPosition, identity{id: id.New(), changedIn: w.revision}, step)
}

// lastResortPosition is where the targets of the last resort are stored.
const lastResortPosition = -1

func (w writer) step(ctx context.Context, position int, own identity, step *nightbellv1.EscalationStep) error {
	err := w.q.InsertStep(ctx, escalationdb.InsertStepParams{
		OrgID: w.org, PolicyID: w.policy, Position: int32(position), ID: own.id, ChangedIn: own.changedIn, DelaySeconds: step.GetDelaySeconds(),
		Assignment: cmp.Or(step.GetAssignment(), "everyone"), Severities: append([]string{}, step.GetSeverities()...),
		Windows: oncalldb.StoreWindows(windowsOf(step.GetWindows())),
	})
	if err != nil {
		return err
	}
	for i, target := range step.GetTargets() {
		targetID, _ := id.Parse(target.GetId())
		written, err := w.q.InsertTarget(ctx, escalationdb.InsertTargetParams{
			OrgID: w.org, PolicyID: w.policy,
			StepPosition: int32(position), Position: int32(i), Kind: target.GetKind(), TargetID: targetID,
		})
		if err != nil {
			return err
		}
		if written == 0 {
			return noTarget(position, i, target.GetKind())
		}
	}
	return nil
}

// resolve puts the ids of people in the place of their e-mail addresses. path names the
// targets for the refusal.
func (w writer) resolve(ctx context.Context, targets []*nightbellv1.EscalationTarget, path string) error {
	for i, target := range targets {
		field := fmt.Sprintf("%s[%d].email", path, i)
		switch {
		case target.GetEmail() == "":
			continue
		case target.GetKind() != string(escalation.User) || target.GetId() != "":
			return fault.InvalidField(field, fault.BadFormat, "Only a user is named by an e-mail address, and then without an id.")
		}
		userID, err := w.q.FindMember(ctx, w.org, strings.TrimSpace(target.GetEmail()))
		if errors.Is(err, pgx.ErrNoRows) {
			return fault.InvalidField(field, fault.Missing, "Nobody in this workspace has the e-mail address "+strconv.Quote(target.GetEmail())+".")
		}
		if err != nil {
			return err
		}
		target.Id, target.Email = userID.String(), nil
	}
	return nil
}

func noTarget(step, target int, kind string) error {
	where, path := fmt.Sprintf("Step %d", step+1), fmt.Sprintf("steps[%d].targets[%d].id", step, target)
	if step == lastResortPosition {
		where, path = "The last resort", "last_resort_target.id"
	}
	return fault.InvalidFields(fmt.Sprintf("%s names a %s that does not exist.", where, kind),
		fault.Field{Path: path, Code: fault.Missing, Message: "does not exist"})
}

func find(ctx context.Context, q *escalationdb.Queries, orgID uuid.UUID, text string) (*nightbellv1.EscalationPolicy, error) {
	policyID, _ := id.Parse(text)
	policies, err := list(ctx, q, escalationdb.ListPoliciesParams{OrgID: orgID, ID: &policyID})
	if err != nil {
		return nil, err
	}
	if len(policies) == 0 {
		return nil, errNoPolicy
	}
	return policies[0], nil
}

// list reads every policy, or the one with the id.
func list(ctx context.Context, q *escalationdb.Queries, asked escalationdb.ListPoliciesParams) ([]*nightbellv1.EscalationPolicy, error) {
	rows, err := q.ListPolicies(ctx, asked)
	if err != nil {
		return nil, err
	}
	targets, err := q.ListTargets(ctx, asked.OrgID, asked.ID)
	if err != nil {
		return nil, err
	}
	steps, lastResorts := map[uuid.UUID][]*nightbellv1.EscalationStep{}, map[uuid.UUID]*nightbellv1.EscalationTarget{}
	for _, group := range groups(targets) {
		steps[group.row.PolicyID] = append(steps[group.row.PolicyID], group.step)
	}
	for _, row := range targets {
		if row.StepPosition == lastResortPosition && row.Kind != "" {
			lastResorts[row.PolicyID] = targetMessage(row)
		}
	}
	policies := make([]*nightbellv1.EscalationPolicy, len(rows))
	for i, row := range rows {
		policies[i] = &nightbellv1.EscalationPolicy{
			Id: row.ID.String(), Name: row.Name, Description: row.Description,
			RepeatCount: row.Repeats, Steps: steps[row.ID], IsDefault: row.IsDefault,
			AckTimeoutSeconds: postgres.Null(row.AckTimeoutSeconds), AutoResolveSeconds: postgres.Null(row.AutoResolveSeconds), Timezone: row.Timezone,
			LastResort: row.LastResort, LastResortTarget: lastResorts[row.ID], Quiet: quietMessages(row.Quiet),
		}
		for n, service := range row.UsedBy {
			policies[i].UsedBy = append(policies[i].UsedBy, &nightbellv1.Reference{Id: service.String(), Name: row.UsedByNames[n]})
		}
	}
	return policies, nil
}

// stepGroup is a step with one of its rows.
type stepGroup struct {
	row  escalationdb.ListTargetsRow
	step *nightbellv1.EscalationStep
}

// groups are the steps of policies, with their targets: a step may have lost all of them.
func groups(rows []escalationdb.ListTargetsRow) (list []stepGroup) {
	for _, row := range rows {
		if row.StepPosition == lastResortPosition {
			continue
		}
		if len(list) == 0 || list[len(list)-1].row.StepID != row.StepID {
			list = append(list, stepGroup{row, stepMessage(row)})
		}
		if row.Kind != "" {
			step := list[len(list)-1].step
			step.Targets = append(step.Targets, targetMessage(row))
		}
	}
	return list
}

func targetMessage(row escalationdb.ListTargetsRow) *nightbellv1.EscalationTarget {
	return &nightbellv1.EscalationTarget{Kind: row.Kind, Id: row.TargetID.String(), Name: row.Name}
}

// stepMessage is a step without its targets.
func stepMessage(row escalationdb.ListTargetsRow) *nightbellv1.EscalationStep {
	// Windows that cannot be read page always, and that is what is shown.
	windows, _ := oncalldb.ReadWindows(row.Windows)
	return &nightbellv1.EscalationStep{
		Id: row.StepID.String(), DelaySeconds: row.DelaySeconds, Assignment: row.Assignment, Severities: row.Severities, Windows: windowMessages(windows),
	}
}
