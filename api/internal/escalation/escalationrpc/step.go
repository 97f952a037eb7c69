package escalationrpc

import (
	"cmp"
	"context"
	"fmt"
	"time"

	"github.com/google/uuid"

	nightbellv1 "github.com/nightbell/nightbell/api/gen/nightbell/v1"
	"github.com/nightbell/nightbell/api/internal/escalation/escalationdb"
	"github.com/nightbell/nightbell/api/internal/kernel/fault"
	"github.com/nightbell/nightbell/api/internal/kernel/id"
	"github.com/nightbell/nightbell/api/internal/oncall/oncalldb"
	"github.com/nightbell/nightbell/api/internal/org"
)

// How long a policy may let the clock wait, besides never.
const (
	shortestAckTimeout  = time.Minute
	longestAckTimeout   = 7 * 24 * time.Hour
	shortestAutoResolve = 5 * time.Minute
	longestAutoResolve  = 30 * 24 * time.Hour
)

// clocked is what a policy asks of the clock, new or changed.
type clocked interface {
	GetTimezone() string
	GetAckTimeoutSeconds() int32
	GetAutoResolveSeconds() int32
}

// checkPolicy gives the name of the time zone to store, and refuses what the contract's
// field rules cannot say.
func checkPolicy(request clocked) (timezone string, err error) {
	zone, err := org.Zone("timezone", request.GetTimezone())
	if err != nil {
		return "", err
	}
	if outside(request.GetAckTimeoutSeconds(), shortestAckTimeout, longestAckTimeout) {
		return "", org.Refuse("ack_timeout_seconds", "Page again one minute to seven days after the acknowledgement, or never: use 60 to 604800 seconds, or 0.")
	}
	if outside(request.GetAutoResolveSeconds(), shortestAutoResolve, longestAutoResolve) {
		return "", org.Refuse("auto_resolve_seconds", "Resolve five minutes to thirty days after the last news, or never: use 300 to 2592000 seconds, or 0.")
	}
	return zone.String(), nil
}

func outside(seconds int32, shortest, longest time.Duration) bool {
	wait := time.Duration(seconds) * time.Second
	return wait != 0 && (wait < shortest || wait > longest)
}

func writeSteps(ctx context.Context, q *escalationdb.Queries, orgID, policyID uuid.UUID, steps []*nightbellv1.EscalationStep) error {
	for i, step := range steps {
		err := q.InsertStep(ctx, escalationdb.InsertStepParams{
			OrgID: orgID, PolicyID: policyID, Position: int32(i), DelaySeconds: step.GetDelaySeconds(),
			Assignment: cmp.Or(step.GetAssignment(), "everyone"), Severities: append([]string{}, step.GetSeverities()...),
			Windows: oncalldb.StoreWindows(windowsOf(step.GetWindows())),
		})
		if err != nil {
			return err
		}
		if err := writeTargets(ctx, q, orgID, policyID, i, step.GetTargets()); err != nil {
			return err
		}
	}
	return nil
}

func writeTargets(ctx context.Context, q *escalationdb.Queries, orgID, policyID uuid.UUID, step int, targets []*nightbellv1.EscalationTarget) error {
	for i, target := range targets {
		targetID, _ := id.Parse(target.GetId())
		written, err := q.InsertTarget(ctx, escalationdb.InsertTargetParams{
			OrgID: orgID, PolicyID: policyID,
			StepPosition: int32(step), Position: int32(i), Kind: target.GetKind(), TargetID: targetID,
		})
		if err != nil {
			return err
		}
		if written == 0 {
			return noTarget(step, i, target.GetKind())
		}
	}
	return nil
}

func noTarget(step, target int, kind string) error {
	missing := fault.Newf(fault.NotFound, "escalation_target_not_found", "Step %d names a %s that does not exist.", step+1, kind)
	missing.Fields = []fault.Field{{Path: fmt.Sprintf("steps[%d].targets[%d].id", step, target), Message: "does not exist"}}
	return missing
}

func find(ctx context.Context, q *escalationdb.Queries, orgID uuid.UUID, text string) (*nightbellv1.EscalationPolicy, error) {
	policyID, _ := id.Parse(text)
	policies, err := list(ctx, q, orgID, &policyID)
	if err != nil {
		return nil, err
	}
	if len(policies) == 0 {
		return nil, errNoPolicy
	}
	return policies[0], nil
}

// list reads every policy, or the one with the id.
func list(ctx context.Context, q *escalationdb.Queries, orgID uuid.UUID, only *uuid.UUID) ([]*nightbellv1.EscalationPolicy, error) {
	rows, err := q.ListPolicies(ctx, orgID, only)
	if err != nil {
		return nil, err
	}
	targets, err := q.ListTargets(ctx, orgID, only)
	if err != nil {
		return nil, err
	}
	steps := map[uuid.UUID][]*nightbellv1.EscalationStep{}
	last := map[uuid.UUID]int32{}
	for _, row := range targets {
		if at, begun := last[row.PolicyID]; !begun || at != row.StepPosition {
			steps[row.PolicyID] = append(steps[row.PolicyID], stepMessage(row))
			last[row.PolicyID] = row.StepPosition
		}
		if row.Kind != "" {
			step := steps[row.PolicyID][len(steps[row.PolicyID])-1]
			step.Targets = append(step.Targets, &nightbellv1.EscalationTarget{Kind: row.Kind, Id: row.TargetID.String(), Name: row.Name})
		}
	}
	policies := make([]*nightbellv1.EscalationPolicy, len(rows))
	for i, row := range rows {
		policies[i] = &nightbellv1.EscalationPolicy{
			Id: row.ID.String(), Name: row.Name, Description: row.Description,
			Repeats: row.Repeats, Steps: steps[row.ID], IsDefault: row.IsDefault,
			AckTimeoutSeconds: row.AckTimeoutSeconds, AutoResolveSeconds: row.AutoResolveSeconds, Timezone: row.Timezone, UsedBy: row.UsedBy,
		}
	}
	return policies, nil
}

// stepMessage is a step without its targets; it may have lost all of them.
func stepMessage(row escalationdb.ListTargetsRow) *nightbellv1.EscalationStep {
	// Windows that cannot be read page always, and that is what is shown.
	windows, _ := oncalldb.ReadWindows(row.Windows)
	return &nightbellv1.EscalationStep{
		DelaySeconds: row.DelaySeconds, Assignment: row.Assignment, Severities: row.Severities, Windows: windowMessages(windows),
	}
}
