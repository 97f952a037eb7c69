package escalationrpc

import (
	"cmp"
	"context"
	"errors"
	"time"

	"github.com/jackc/pgx/v5"

	nightbellv1 "github.com/nightbell/nightbell/api/gen/nightbell/v1"
	"github.com/nightbell/nightbell/api/internal/alert"
	"github.com/nightbell/nightbell/api/internal/auth"
	"github.com/nightbell/nightbell/api/internal/kernel/fault"
	"github.com/nightbell/nightbell/api/internal/kernel/id"
	"github.com/nightbell/nightbell/api/internal/paging"
	"github.com/nightbell/nightbell/api/internal/platform/postgres"
	"github.com/nightbell/nightbell/api/internal/view/explain"
)

// farthest is how far from now an explanation may be asked for: beyond, schedules mean
// nothing that anybody has planned.
const farthest = 5 * 366 * 24 * time.Hour

var (
	errWhichService = fault.InvalidField("service_id", fault.Missing, "Service not found")
	errWhichPolicy  = fault.InvalidField("escalation_policy_id", fault.Missing, "Escalation policy not found")
)

// Explain tells who would be paged, by the rules that page.
func (h *Handler) Explain(ctx context.Context, request *nightbellv1.ExplainRequest) (response *nightbellv1.ExplainResponse, err error) {
	caller, _ := auth.ActorFrom(ctx)
	serviceID, ok := id.Parse(request.GetServiceId())
	if !ok && request.GetServiceId() != "" {
		return nil, errWhichService
	}
	policyID, ok := id.Parse(request.GetEscalationPolicyId())
	if !ok && request.GetEscalationPolicyId() != "" {
		return nil, errWhichPolicy
	}
	severity := alert.Severity(cmp.Or(request.GetSeverity(), string(alert.Critical)))
	err = h.db.InTenant(ctx, caller.OrgID, func(ctx context.Context, tx pgx.Tx) error {
		at, err := postgres.Now(ctx, tx)
		if err != nil {
			return err
		}
		if asked := request.GetAt(); asked != nil {
			if at, err = moment(asked.AsTime(), at); err != nil {
				return err
			}
		}
		foreseen, err := paging.Foresee(ctx, tx, caller.OrgID, serviceID, policyID, severity, at)
		if err != nil {
			return err
		}
		response, err = explain.Answer(ctx, tx, caller.OrgID, foreseen, h.verifyMail)
		return err
	}, postgres.ReadOnly())
	if errors.Is(err, paging.ErrNoService) {
		err = errWhichService
	}
	if errors.Is(err, paging.ErrNoPolicy) {
		err = errWhichPolicy
	}
	return response, err
}

// moment refuses times about which nobody has planned anything. Finer than microseconds
// nothing is decided.
func moment(at, now time.Time) (time.Time, error) {
	if at.Sub(now).Abs() > farthest {
		return at, fault.InvalidField("at", fault.OutOfRange, "Ask about a time within five years from now.")
	}
	return at.Truncate(time.Microsecond), nil
}
