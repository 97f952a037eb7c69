// Package escalationrpc answers the calls about escalation policies.
package escalationrpc

import (
	"context"
	"errors"
	"time"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"

	nightbellv1 "github.com/nightbell/nightbell/api/gen/nightbell/v1"
	"github.com/nightbell/nightbell/api/gen/nightbell/v1/nightbellv1connect"
	"github.com/nightbell/nightbell/api/internal/auth"
	"github.com/nightbell/nightbell/api/internal/escalation/escalationdb"
	"github.com/nightbell/nightbell/api/internal/kernel/fault"
	"github.com/nightbell/nightbell/api/internal/kernel/id"
	"github.com/nightbell/nightbell/api/internal/kernel/page"
	"github.com/nightbell/nightbell/api/internal/platform/postgres"
	"github.com/nightbell/nightbell/api/internal/platform/rpcserver/edit"
)

var (
	errNoPolicy  = fault.New(fault.NotFound, "escalation_policy_not_found", "Escalation policy not found")
	errNameTaken = fault.New(fault.Conflict, "escalation_policy_name_taken", "There is an escalation policy of this name already. Choose another name.")
	errInUse     = fault.New(fault.Conflict, "escalation_policy_in_use", "A service uses this escalation policy. Give the service another policy first.")
	errPages     = fault.New(fault.Conflict, "escalation_policy_pages", "An open incident is paged by this escalation policy. Resolve the incident first.")
	errIsDefault = fault.New(fault.Conflict, "escalation_policy_is_default", "This is the policy of services that name none. Make another one the default first.")
)

// Handler implements nightbellv1connect.EscalationServiceHandler.
type Handler struct {
	nightbellv1connect.UnimplementedEscalationServiceHandler

	db         *postgres.DB
	verifyMail bool
}

// New makes a handler. verifyMail says that e-mail addresses are paged only once they are
// confirmed, which Explain tells.
func New(db *postgres.DB, verifyMail bool) *Handler { return &Handler{db: db, verifyMail: verifyMail} }

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
	checked, err := checkPolicy(request)
	if err != nil {
		return nil, err
	}
	err = h.in(ctx, func(ctx context.Context, q *escalationdb.Queries, orgID uuid.UUID, now time.Time) error {
		policyID := id.New()
		err := q.InsertPolicy(ctx, escalationdb.InsertPolicyParams{
			OrgID: orgID, ID: policyID, Name: request.GetName(),
			Description: request.GetDescription(), Repeats: request.GetRepeatCount(), Now: now,
			AckTimeoutSeconds: request.GetAckTimeoutSeconds(), AutoResolveSeconds: request.GetAutoResolveSeconds(), Timezone: checked.timezone,
			LastResort: checked.lastResort, Quiet: checked.quiet,
		})
		if err != nil {
			return err
		}
		w := writer{q: q, org: orgID, policy: policyID, revision: 1}
		if err := w.all(ctx, nil, request); err != nil {
			return err
		}
		response.EscalationPolicy, err = find(ctx, q, orgID, policyID.String())
		return err
	})
	return response, err
}

// ListEscalationPolicies gives policies with their steps.
func (h *Handler) ListEscalationPolicies(ctx context.Context, request *nightbellv1.ListEscalationPoliciesRequest) (*nightbellv1.ListEscalationPoliciesResponse, error) {
	response := &nightbellv1.ListEscalationPoliciesResponse{}
	err := h.in(ctx, func(ctx context.Context, q *escalationdb.Queries, orgID uuid.UUID, _ time.Time) (err error) {
		at, err := page.ByName(orgID, "escalation_policies", request.GetLimit(), request.GetCursor())
		if err != nil {
			return err
		}
		policies, err := list(ctx, q, escalationdb.ListPoliciesParams{OrgID: orgID, AfterName: at.AfterName, AfterID: (*uuid.UUID)(at.AfterID), Most: at.Most()})
		response.EscalationPolicies, response.NextCursor = page.Next(policies, at.Limit, func(last *nightbellv1.EscalationPolicy) string {
			return page.Mark(orgID, "escalation_policies", last.GetName(), last.GetId())
		})
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

// UpdateEscalationPolicy changes the fields that the request names. Steps that are sent back keep
// their identity.
func (h *Handler) UpdateEscalationPolicy(ctx context.Context, request *nightbellv1.UpdateEscalationPolicyRequest) (*nightbellv1.UpdateEscalationPolicyResponse, error) {
	response := &nightbellv1.UpdateEscalationPolicyResponse{}
	policyID, _ := id.Parse(request.GetId())
	err := h.in(ctx, func(ctx context.Context, q *escalationdb.Queries, orgID uuid.UUID, now time.Time) error {
		err := lockPolicy(ctx, q, orgID, policyID)
		if err != nil {
			return err
		}
		read := func() (*nightbellv1.EscalationPolicy, error) { return find(ctx, q, orgID, request.GetId()) }
		response.EscalationPolicy, err = edit.Apply(request, read, func(whole *nightbellv1.UpdateEscalationPolicyRequest) error {
			return update(ctx, q, orgID, policyID, now, whole)
		})
		return err
	})
	return response, edit.Done(err)
}

func lockPolicy(ctx context.Context, q *escalationdb.Queries, orgID, policyID uuid.UUID) error {
	_, err := q.LockPolicy(ctx, orgID, policyID)
	if errors.Is(err, pgx.ErrNoRows) {
		return errNoPolicy
	}
	return err
}

// update stores a policy; whoever changes neither its steps nor its last resort leaves them alone.
func update(ctx context.Context, q *escalationdb.Queries, orgID, policyID uuid.UUID, now time.Time, whole *nightbellv1.UpdateEscalationPolicyRequest) error {
	agreeOnLastResort(whole)
	checked, err := checkPolicy(whole)
	if err != nil {
		return err
	}
	revision, err := q.UpdatePolicy(ctx, escalationdb.UpdatePolicyParams{
		Name: whole.GetName(), Description: whole.GetDescription(),
		Repeats: whole.GetRepeatCount(), Now: now, OrgID: orgID, ID: policyID,
		AckTimeoutSeconds: whole.GetAckTimeoutSeconds(), AutoResolveSeconds: whole.GetAutoResolveSeconds(), Timezone: checked.timezone,
		LastResort: checked.lastResort, Quiet: checked.quiet,
	})
	if err == nil && (edit.Names(whole, "quiet") || edit.Names(whole, "timezone")) {
		err = release(ctx, q, orgID, policyID, now)
	}
	if err != nil || !edit.Names(whole, "steps") && !edit.Names(whole, "last_resort") && !edit.Names(whole, "last_resort_target") {
		return err
	}
	before, err := q.ListTargets(ctx, orgID, &policyID)
	if err != nil {
		return err
	}
	if err := q.DeleteSteps(ctx, orgID, policyID); err != nil {
		return err
	}
	w := writer{q: q, org: orgID, policy: policyID, revision: revision}
	return w.all(ctx, identitiesOf(before), whole)
}

// release makes due what waits for the end of a quiet time that may be another one now.
func release(ctx context.Context, q *escalationdb.Queries, orgID, policyID uuid.UUID, now time.Time) error {
	if err := q.ReleaseQuiet(ctx, &now, orgID, policyID); err != nil {
		return err
	}
	return q.ReleaseQuietTimers(ctx, now, policyID, orgID)
}

// agreeOnLastResort lets an update name one of last_resort and last_resort_target: the other
// follows.
func agreeOnLastResort(whole *nightbellv1.UpdateEscalationPolicyRequest) {
	word, target := edit.Names(whole, "last_resort"), edit.Names(whole, "last_resort_target")
	switch {
	case word && !target && whole.GetLastResort() != "target":
		whole.LastResortTarget = nil
	case target && !word && whole.GetLastResortTarget() != nil:
		whole.LastResort = "target"
	case target && !word && whole.GetLastResort() == "target":
		whole.LastResort = "owners"
	}
}

// DeleteEscalationPolicy removes a policy that nothing uses.
func (h *Handler) DeleteEscalationPolicy(ctx context.Context, request *nightbellv1.DeleteEscalationPolicyRequest) (*nightbellv1.DeleteEscalationPolicyResponse, error) {
	policyID, _ := id.Parse(request.GetId())
	err := h.in(ctx, func(ctx context.Context, q *escalationdb.Queries, orgID uuid.UUID, _ time.Time) error {
		if err := lockPolicy(ctx, q, orgID, policyID); err != nil {
			return err
		}
		read := func() (*nightbellv1.EscalationPolicy, error) { return find(ctx, q, orgID, request.GetId()) }
		if err := edit.IfMatch[*nightbellv1.UpdateEscalationPolicyRequest](request.GetEtag(), read); err != nil {
			return err
		}
		use, err := q.PolicyUse(ctx, orgID, &policyID)
		switch {
		case err != nil:
			return err
		case use.ByService:
			return errInUse
		case use.ByIncident:
			return errPages
		case use.AsDefault:
			return errIsDefault
		}
		_, err = q.DeletePolicy(ctx, orgID, policyID)
		return err
	})
	return &nightbellv1.DeleteEscalationPolicyResponse{}, err
}

// MakeDefaultEscalationPolicy makes a policy the one of services that name none.
func (h *Handler) MakeDefaultEscalationPolicy(ctx context.Context, request *nightbellv1.MakeDefaultEscalationPolicyRequest) (*nightbellv1.MakeDefaultEscalationPolicyResponse, error) {
	response := &nightbellv1.MakeDefaultEscalationPolicyResponse{}
	policyID, _ := id.Parse(request.GetId())
	err := h.in(ctx, func(ctx context.Context, q *escalationdb.Queries, orgID uuid.UUID, _ time.Time) error {
		changed, err := q.MakeDefaultPolicy(ctx, policyID, orgID)
		if err != nil {
			return err
		}
		if changed == 0 {
			return errNoPolicy
		}
		response.EscalationPolicy, err = find(ctx, q, orgID, request.GetId())
		return err
	})
	return response, err
}
