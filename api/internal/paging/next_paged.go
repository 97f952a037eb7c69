package paging

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"

	"github.com/nightbell/nightbell/api/internal/alert"
	"github.com/nightbell/nightbell/api/internal/escalation"
	"github.com/nightbell/nightbell/api/internal/escalation/escalationdb"
	"github.com/nightbell/nightbell/api/internal/notify"
	"github.com/nightbell/nightbell/api/internal/platform/postgres"
)

// NextPaged names who is paged next for an incident if nobody answers, by the rules that
// page: whom schedules mean at that time, steps that are skipped passed over. It is empty
// when nobody follows. It writes nothing.
func NextPaged(ctx context.Context, tx pgx.Tx, orgID, incidentID uuid.UUID, now time.Time) (names []string, err error) {
	var policyID, serviceID *uuid.UUID
	var severity alert.Severity
	err = tx.QueryRow(ctx, `SELECT escalation_policy_id, service_id, severity FROM incident WHERE org_id = $1 AND id = $2`,
		orgID, incidentID).Scan(&policyID, &serviceID, &severity)
	if err != nil {
		return nil, err
	}
	paging, found, err := escalationdb.Get(ctx, tx, orgID, incidentID, postgres.Value(policyID))
	if err != nil || !found || paging.Status != escalation.Active {
		return nil, err
	}
	next, err := nextPages(ctx, tx, following{
		orgID: orgID, incidentID: incidentID, policyID: postgres.Value(policyID), serviceID: postgres.Value(serviceID), severity: severity, state: paging.State,
	}, now)
	if err != nil {
		return nil, err
	}
	return namesOf(ctx, tx, next)
}

// following is an incident whose paging goes on, as far as it decides who follows.
type following struct {
	orgID, incidentID, policyID, serviceID uuid.UUID
	severity                               alert.Severity
	state                                  escalation.State
}

// nextPages are the pages that follow for an incident if nobody answers; none when nobody follows.
func nextPages(ctx context.Context, tx pgx.Tx, of following, now time.Time) ([]escalation.Effect, error) {
	s := newInputs(tx, now)
	prospect, err := s.prospect(ctx, of.orgID, of.policyID)
	if err != nil {
		return nil, err
	}
	prospect.Severity, prospect.Service = of.severity, of.serviceID
	if escalation.NeedsPaged(of.state, prospect.Policy, of.severity) {
		if prospect.Paged, err = escalationdb.LoadPaged(ctx, tx, of.orgID, of.incidentID, of.state.Cycle, of.severity); err != nil {
			return nil, fmt.Errorf("read who was paged: %w", err)
		}
	}
	// Where nothing gets through, the last resort is paged a round earlier.
	prospect.Unreached, err = escalationdb.Unreached(ctx, tx, of.orgID, of.incidentID, of.state.Cycle, notify.ProbeAfter, notify.MostFaults)
	if err != nil {
		return nil, fmt.Errorf("read whether anybody was reached: %w", err)
	}
	return prospect.Next(of.state, now), nil
}

// namesOf are the names of those whom effects page, each once, in their order.
func namesOf(ctx context.Context, tx pgx.Tx, effects []escalation.Effect) (names []string, err error) {
	for _, effect := range effects {
		name := effect.Why.TargetName
		if effect.Kind == escalation.PagePerson {
			err = tx.QueryRow(ctx, `SELECT name FROM users WHERE id = $1`, effect.UserID).Scan(&name)
			if errors.Is(err, pgx.ErrNoRows) {
				continue // left the organization since the policy was read
			}
			if err != nil {
				return nil, fmt.Errorf("read who is paged next: %w", err)
			}
		}
		names = append(names, name)
	}
	return names, nil
}
