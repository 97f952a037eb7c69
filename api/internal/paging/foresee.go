package paging

import (
	"context"
	"fmt"
	"slices"
	"time"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"

	"github.com/nightbell/nightbell/api/internal/alert"
	"github.com/nightbell/nightbell/api/internal/escalation"
	"github.com/nightbell/nightbell/api/internal/escalation/escalationdb"
	"github.com/nightbell/nightbell/api/internal/incident"
	"github.com/nightbell/nightbell/api/internal/kernel/fault"
	"github.com/nightbell/nightbell/api/internal/notify"
)

// ErrNoService is the answer for a service that does not exist in the caller's
// organization.
var ErrNoService = fault.New(fault.NotFound, "service_not_found", "Service not found")

// ErrNoPolicy is the answer for an escalation policy that does not exist in the caller's
// organization.
var ErrNoPolicy = fault.New(fault.NotFound, "escalation_policy_not_found", "Escalation policy not found")

// Foresight is who would be paged for an incident that nobody answers.
type Foresight struct {
	ServiceID   uuid.UUID
	ServiceName string
	Severity    alert.Severity
	At          time.Time
	// Policy is as it was read; its ID is Nil when nobody chose one.
	Policy escalation.Policy
	// Hold is the maintenance under way at At; zero when there is none.
	Hold  escalation.Hold
	Ahead []escalation.Foreseen
	// Ends is false when what follows after Ahead was left out.
	Ends bool
	// Due is when a page is sent that was decided at an instant and planned for a later one: maintenance that
	// begins in between holds it.
	Due func(decided, planned time.Time) time.Time
	// Rules tell how the one is reached whom an effect pages.
	Rules func(escalation.Effect) []notify.Rule
}

// Foresee tells who would be paged for an incident of a service, or of none, that opens at an instant: the rules that
// page, with what they read, asked about that time. A policyID other than Nil stands in for the service's. It writes
// nothing. The refusals are ErrNoService and ErrNoPolicy.
func Foresee(ctx context.Context, tx pgx.Tx, orgID, serviceID, policyID uuid.UUID, severity alert.Severity, at time.Time) (Foresight, error) {
	service, err := FindService(ctx, tx, orgID, serviceID)
	if err != nil {
		return Foresight{}, err
	}
	if policyID != uuid.Nil {
		service.PolicyID = policyID
	}
	s := newInputs(tx, at)
	prospect, err := s.prospect(ctx, orgID, service.PolicyID)
	if err != nil {
		return Foresight{}, err
	}
	// A policy that does not exist is read as one without a name.
	if policyID != uuid.Nil && prospect.Policy.Name == "" {
		return Foresight{}, ErrNoPolicy
	}
	prospect.Severity, prospect.Service = severity, serviceID
	foresight := Foresight{
		ServiceID: serviceID, ServiceName: service.Name, Severity: severity, At: at, Policy: prospect.Policy,
		Hold: escalation.HoldAt(prospect.Maintenance, serviceID, at),
		Due: func(decided, planned time.Time) time.Time {
			later := slices.DeleteFunc(slices.Clone(prospect.Maintenance), func(w escalation.Maintenance) bool { return !w.Start.After(decided) })
			if hold := escalation.HoldAt(later, serviceID, planned); hold.Until.After(planned) {
				return hold.Until
			}
			return planned
		},
		Rules: func(effect escalation.Effect) []notify.Rule {
			return s.rules(orgID, incident.UrgencyOf(severity), effect)
		},
	}
	foresight.Ahead, foresight.Ends = prospect.Foresee(at)
	return foresight, nil
}

// prospect reads what decides about pages at the time of the inputs and later: of
// everybody who may ever be meant, how they are reached.
func (s *inputs) prospect(ctx context.Context, orgID, policyID uuid.UUID) (escalation.Prospect, error) {
	batch := &pgx.Batch{}
	s.queuePolicy(batch, orgID, policyID)
	escalationdb.QueueProspects(batch, orgID, s.now, func(org escalationdb.OrgInputs) { s.orgs[orgID] = org })
	if err := s.tx.SendBatch(ctx, batch).Close(); err != nil {
		return escalation.Prospect{}, fmt.Errorf("read the escalation policy and the maintenance ahead: %w", err)
	}
	policy, org := s.read[[2]uuid.UUID{orgID, policyID}], s.orgs[orgID]
	if err := s.loadReach(ctx, orgID, slices.Concat(policy.Everybody(), org.Owners)); err != nil {
		return escalation.Prospect{}, err
	}
	return escalation.Prospect{
		Policy: policy, Owners: s.haveContacts(orgID, org.Owners), Maintenance: org.Maintenance, Reachable: s.canReach(orgID),
	}, nil
}

// Service is a service with the policy that pages for it; the zero value is none, paged
// for by nobody in particular.
type Service struct {
	Name     string
	PolicyID uuid.UUID
}

// FindService finds who is paged for a service, or for none when the id is Nil. The
// refusal is ErrNoService.
func FindService(ctx context.Context, tx pgx.Tx, orgID, serviceID uuid.UUID) (Service, error) {
	var name *string
	var policy *uuid.UUID
	err := tx.QueryRow(ctx, `
		SELECT s.name, coalesce(s.escalation_policy_id, o.default_policy_id)
		FROM org o LEFT JOIN service s ON s.org_id = o.id AND s.id = $2 AND s.deleted_at IS NULL
		WHERE o.id = $1`, orgID, serviceID).Scan(&name, &policy)
	if err != nil {
		return Service{}, err
	}
	var found Service
	if policy != nil {
		found.PolicyID = *policy
	}
	if name != nil {
		found.Name = *name
	} else if serviceID != uuid.Nil {
		return Service{}, ErrNoService
	}
	return found, nil
}
