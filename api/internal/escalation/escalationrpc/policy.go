// Package escalationrpc answers the calls about escalation policies.
package escalationrpc

import (
	"context"
	"fmt"
	"time"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"

	nightbellv1 "github.com/nightbell/nightbell/api/gen/nightbell/v1"
	"github.com/nightbell/nightbell/api/gen/nightbell/v1/nightbellv1connect"
	"github.com/nightbell/nightbell/api/internal/auth"
	"github.com/nightbell/nightbell/api/internal/escalation/escalationdb"
	"github.com/nightbell/nightbell/api/internal/kernel/fault"
	"github.com/nightbell/nightbell/api/internal/kernel/id"
	"github.com/nightbell/nightbell/api/internal/platform/postgres"
)

var (
	errNoPolicy  = fault.New(fault.NotFound, "escalation_policy_not_found", "Escalation policy not found")
	errNameTaken = fault.New(fault.Conflict, "escalation_policy_name_taken", "There is an escalation policy of this name already. Choose another name.")
	errInUse     = fault.New(fault.Conflict, "escalation_policy_in_use", "A service uses this escalation policy. Give the service another policy first.")
	errIsDefault = fault.New(fault.Conflict, "escalation_policy_is_default", "This is the policy of services that name none. Make another one the default first.")
)

// Handler implements nightbellv1connect.EscalationServiceHandler.
type Handler struct {
	nightbellv1connect.UnimplementedEscalationServiceHandler

	db *postgres.DB
}

// New makes a handler.
func New(db *postgres.DB) *Handler { return &Handler{db: db} }

// work is what a call does in its transaction.
type work func(ctx context.Context, q *escalationdb.Queries, orgID uuid.UUID, now time.Time) error

func (h *Handler) in(ctx context.Context, do work, options ...postgres.TxOption) error {
	caller, _ := auth.ActorFrom(ctx)
	err := h.db.InTenant(ctx, caller.OrgID, func(ctx context.Context, tx pgx.Tx) error {
		now, err := postgres.Now(ctx, tx)
		if err != nil {
			return err
		}
		return do(ctx, escalationdb.New(tx), caller.OrgID, now)
	}, options...)
	if postgres.ConstraintName(err) == "escalation_policy_name_key" {
		return errNameTaken.Because(err)
	}
	return err
}

// CreateEscalationPolicy adds a policy with its steps.
func (h *Handler) CreateEscalationPolicy(ctx context.Context, request *nightbellv1.CreateEscalationPolicyRequest) (*nightbellv1.CreateEscalationPolicyResponse, error) {
	response := &nightbellv1.CreateEscalationPolicyResponse{}
	err := h.in(ctx, func(ctx context.Context, q *escalationdb.Queries, orgID uuid.UUID, now time.Time) error {
		policyID := id.New()
		err := q.InsertPolicy(ctx, escalationdb.InsertPolicyParams{
			OrgID: orgID, ID: policyID, Name: request.GetName(),
			Description: request.GetDescription(), Repeats: request.GetRepeats(), Now: now,
		})
		if err != nil {
			return err
		}
		if err := writeSteps(ctx, q, orgID, policyID, request.GetSteps()); err != nil {
			return err
		}
		response.EscalationPolicy, err = find(ctx, q, orgID, policyID.String())
		return err
	})
	return response, err
}

func writeSteps(ctx context.Context, q *escalationdb.Queries, orgID, policyID uuid.UUID, steps []*nightbellv1.EscalationStep) error {
	for i, step := range steps {
		err := q.InsertStep(ctx, escalationdb.InsertStepParams{OrgID: orgID, PolicyID: policyID, Position: int32(i), DelaySeconds: step.GetDelaySeconds()})
		if err != nil {
			return err
		}
		for j, target := range step.GetTargets() {
			targetID, _ := id.Parse(target.GetId())
			written, err := q.InsertTarget(ctx, escalationdb.InsertTargetParams{
				OrgID: orgID, PolicyID: policyID,
				StepPosition: int32(i), Position: int32(j), Kind: target.GetKind(), TargetID: targetID,
			})
			if err != nil {
				return err
			}
			if written == 0 {
				return noTarget(i, j, target.GetKind())
			}
		}
	}
	return nil
}

func noTarget(step, target int, kind string) error {
	missing := fault.Newf(fault.NotFound, "escalation_target_not_found", "Step %d names a %s that does not exist.", step+1, kind)
	missing.Fields = []fault.Field{{Path: fmt.Sprintf("steps[%d].targets[%d].id", step, target), Message: "does not exist"}}
	return missing
}

// ListEscalationPolicies gives every policy with its steps.
func (h *Handler) ListEscalationPolicies(ctx context.Context, _ *nightbellv1.ListEscalationPoliciesRequest) (*nightbellv1.ListEscalationPoliciesResponse, error) {
	response := &nightbellv1.ListEscalationPoliciesResponse{}
	err := h.in(ctx, func(ctx context.Context, q *escalationdb.Queries, orgID uuid.UUID, _ time.Time) (err error) {
		response.EscalationPolicies, err = list(ctx, q, orgID, nil)
		return err
	}, postgres.ReadOnly())
	return response, err
}

// GetEscalationPolicy gives one policy.
func (h *Handler) GetEscalationPolicy(ctx context.Context, request *nightbellv1.GetEscalationPolicyRequest) (*nightbellv1.GetEscalationPolicyResponse, error) {
	response := &nightbellv1.GetEscalationPolicyResponse{}
	err := h.in(ctx, func(ctx context.Context, q *escalationdb.Queries, orgID uuid.UUID, _ time.Time) (err error) {
		response.EscalationPolicy, err = find(ctx, q, orgID, request.GetId())
		return err
	}, postgres.ReadOnly())
	return response, err
}

// UpdateEscalationPolicy replaces a policy and all of its steps.
func (h *Handler) UpdateEscalationPolicy(ctx context.Context, request *nightbellv1.UpdateEscalationPolicyRequest) (*nightbellv1.UpdateEscalationPolicyResponse, error) {
	response := &nightbellv1.UpdateEscalationPolicyResponse{}
	policyID, _ := id.Parse(request.GetId())
	err := h.in(ctx, func(ctx context.Context, q *escalationdb.Queries, orgID uuid.UUID, now time.Time) error {
		changed, err := q.UpdatePolicy(ctx, escalationdb.UpdatePolicyParams{
			Name: request.GetName(), Description: request.GetDescription(),
			Repeats: request.GetRepeats(), Now: now, OrgID: orgID, ID: policyID,
		})
		if err != nil {
			return err
		}
		if changed == 0 {
			return errNoPolicy
		}
		if err := q.DeleteSteps(ctx, orgID, policyID); err != nil {
			return err
		}
		if err := writeSteps(ctx, q, orgID, policyID, request.GetSteps()); err != nil {
			return err
		}
		response.EscalationPolicy, err = find(ctx, q, orgID, request.GetId())
		return err
	})
	return response, err
}

// DeleteEscalationPolicy removes a policy that nothing uses.
func (h *Handler) DeleteEscalationPolicy(ctx context.Context, request *nightbellv1.DeleteEscalationPolicyRequest) (*nightbellv1.DeleteEscalationPolicyResponse, error) {
	policyID, _ := id.Parse(request.GetId())
	err := h.in(ctx, func(ctx context.Context, q *escalationdb.Queries, orgID uuid.UUID, _ time.Time) error {
		use, err := q.PolicyUse(ctx, orgID, &policyID)
		switch {
		case err != nil:
			return err
		case use.ByService:
			return errInUse
		case use.AsDefault:
			return errIsDefault
		}
		deleted, err := q.DeletePolicy(ctx, orgID, policyID)
		if err == nil && deleted == 0 {
			return errNoPolicy
		}
		return err
	})
	return &nightbellv1.DeleteEscalationPolicyResponse{}, err
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
	for _, target := range targets {
		steps[target.PolicyID] = add(steps[target.PolicyID], target)
	}
	policies := make([]*nightbellv1.EscalationPolicy, len(rows))
	for i, row := range rows {
		policies[i] = &nightbellv1.EscalationPolicy{
			Id: row.ID.String(), Name: row.Name, Description: row.Description,
			Repeats: row.Repeats, Steps: steps[row.ID], IsDefault: row.IsDefault,
		}
	}
	return policies, nil
}

// add puts a target into its step; the rows come in the order of steps. A step may
// have lost all of its targets and then has none.
func add(steps []*nightbellv1.EscalationStep, row escalationdb.ListTargetsRow) []*nightbellv1.EscalationStep {
	if int(row.StepPosition) >= len(steps) {
		steps = append(steps, &nightbellv1.EscalationStep{DelaySeconds: row.DelaySeconds})
	}
	if row.Kind != "" {
		last := steps[len(steps)-1]
		last.Targets = append(last.Targets, &nightbellv1.EscalationTarget{Kind: row.Kind, Id: row.TargetID.String(), Name: row.Name})
	}
	return steps
}
