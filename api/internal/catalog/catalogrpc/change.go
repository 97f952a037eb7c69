package catalogrpc

import (
	"context"
	"errors"
	"slices"
	"time"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"
	"google.golang.org/protobuf/types/known/timestamppb"

	nightbellv1 "github.com/nightbell/nightbell/api/gen/nightbell/v1"
	"github.com/nightbell/nightbell/api/internal/alert"
	"github.com/nightbell/nightbell/api/internal/auth"
	"github.com/nightbell/nightbell/api/internal/catalog"
	"github.com/nightbell/nightbell/api/internal/catalog/catalogdb"
	"github.com/nightbell/nightbell/api/internal/kernel/fault"
	"github.com/nightbell/nightbell/api/internal/kernel/id"
	"github.com/nightbell/nightbell/api/internal/platform/rpcserver/edit"
)

func severityOf(row catalogdb.ListServicesRow) alert.Severity {
	return alert.Severity(row.WorstSeverity)
}

// UpdateService changes the fields that the request names.
func (h *Handler) UpdateService(ctx context.Context, request *nightbellv1.UpdateServiceRequest) (*nightbellv1.UpdateServiceResponse, error) {
	response := &nightbellv1.UpdateServiceResponse{}
	serviceID, _ := id.Parse(request.GetId())
	err := h.write(ctx, func(ctx context.Context, q *catalogdb.Queries, caller auth.Actor, now time.Time) error {
		err := lockService(ctx, q, caller.OrgID, serviceID)
		if err != nil {
			return err
		}
		read := func() (*nightbellv1.Service, error) { return h.find(ctx, q, caller, request.GetId()) }
		response.Service, err = edit.Apply(request, read, func(whole *nightbellv1.UpdateServiceRequest) error {
			return update(ctx, q, caller.OrgID, serviceID, now, whole)
		})
		return err
	})
	return response, edit.Done(err)
}

func lockService(ctx context.Context, q *catalogdb.Queries, orgID, serviceID uuid.UUID) error {
	_, err := q.LockService(ctx, orgID, serviceID)
	if errors.Is(err, pgx.ErrNoRows) {
		return errNoService
	}
	return err
}

func update(ctx context.Context, q *catalogdb.Queries, orgID, serviceID uuid.UUID, now time.Time, whole *nightbellv1.UpdateServiceRequest) error {
	if err := catalog.CheckURLs(whole.GetRepoUrl(), whole.GetRunbookUrl()); err != nil {
		return err
	}
	refs, err := references(ctx, q, orgID, whole)
	if err != nil {
		return err
	}
	err = q.UpdateService(ctx, catalogdb.UpdateServiceParams{
		Name: whole.GetName(), Description: whole.GetDescription(), TeamID: refs.TeamID, OwnerUserID: refs.OwnerUserID,
		EscalationPolicyID: refs.PolicyID, RepoUrl: whole.GetRepoUrl(), RunbookUrl: whole.GetRunbookUrl(),
		Tier: int16(or(whole.GetTier(), 3)), Grouping: or(whole.GetGrouping(), string(catalog.ByGroup)),
		Now: now, OrgID: orgID, ID: serviceID,
	})
	if err != nil {
		return err
	}
	return setDependencies(ctx, q, orgID, serviceID, whole.GetDependsOnIds())
}

var (
	errDependsOnNothing = fault.InvalidField("depends_on_ids", fault.Missing, "Service not found")
	errDependsOnItself  = fault.InvalidField("depends_on_ids", fault.NotOneOf, "A service does not depend on itself. Take it off the list.")
)

// setDependencies makes a service depend on these, each named once or more, and on no others.
func setDependencies(ctx context.Context, q *catalogdb.Queries, orgID, serviceID uuid.UUID, texts []string) error {
	needed := []uuid.UUID{}
	for _, text := range texts {
		one, ok := id.Parse(text)
		switch {
		case !ok:
			return errDependsOnNothing
		case one == serviceID:
			return errDependsOnItself
		case !slices.Contains(needed, one):
			needed = append(needed, one)
		}
	}
	if found, err := q.CountServices(ctx, orgID, needed); err != nil {
		return err
	} else if int(found) < len(needed) {
		return errDependsOnNothing
	}
	return q.SetDependencies(ctx, orgID, serviceID, needed)
}

// DeleteService hides a service and refuses its keys from then on. Its heartbeats go with it.
func (h *Handler) DeleteService(ctx context.Context, request *nightbellv1.DeleteServiceRequest) (*nightbellv1.DeleteServiceResponse, error) {
	serviceID, _ := id.Parse(request.GetId())
	var tell func()
	err := h.writeIn(ctx, func(ctx context.Context, tx pgx.Tx, caller auth.Actor, now time.Time) error {
		q := catalogdb.New(tx)
		read := func() (*nightbellv1.Service, error) { return h.find(ctx, q, caller, request.GetId()) }
		if err := lockService(ctx, q, caller.OrgID, serviceID); err != nil {
			return err
		}
		if err := edit.IfMatch[*nightbellv1.UpdateServiceRequest](request.GetEtag(), read); err != nil {
			return err
		}
		deleted, err := q.DeleteService(ctx, now, caller.OrgID, serviceID)
		if err != nil {
			return err
		}
		if deleted == 0 {
			return errNoService
		}
		if err := q.DeleteServiceKeys(ctx, caller.OrgID, serviceID); err != nil {
			return err
		}
		tell, err = h.deleteHeartbeats(ctx, tx, caller.OrgID, serviceID, now)
		return err
	})
	if err == nil {
		tell()
	}
	return &nightbellv1.DeleteServiceResponse{}, err
}

// RotateServiceKey makes a new key and lets the old one end after the overlap.
func (h *Handler) RotateServiceKey(ctx context.Context, request *nightbellv1.RotateServiceKeyRequest) (*nightbellv1.RotateServiceKeyResponse, error) {
	response := &nightbellv1.RotateServiceKeyResponse{}
	err := h.write(ctx, func(ctx context.Context, q *catalogdb.Queries, caller auth.Actor, now time.Time) error {
		service, err := h.find(ctx, q, caller, request.GetId())
		if err != nil {
			return err
		}
		serviceID := uuid.MustParse(service.GetId())
		ends := now.Add(overlap)
		if err := q.ExpireServiceKeys(ctx, ends, caller.OrgID, serviceID); err != nil {
			return err
		}
		if response.ServiceKey, err = h.addKey(ctx, q, caller.OrgID, serviceID, now); err != nil {
			return err
		}
		response.WebhookUrl = h.webhookURL(response.GetServiceKey())
		response.PreviousKeyExpiresAt = timestamppb.New(ends)
		response.Service, err = h.find(ctx, q, caller, request.GetId())
		return err
	})
	return response, err
}

// pointing is what creating and updating a service have in common.
type pointing interface {
	GetTeamId() string
	GetOwnerId() string
	GetEscalationPolicyId() string
}

// references reads the ids that a service points at and refuses what does not exist
// in this organization.
func references(ctx context.Context, q *catalogdb.Queries, orgID uuid.UUID, request pointing) (catalogdb.ReferencesParams, error) {
	refs := catalogdb.ReferencesParams{
		OrgID:  orgID,
		TeamID: id.Optional(request.GetTeamId()), OwnerUserID: id.Optional(request.GetOwnerId()), PolicyID: id.Optional(request.GetEscalationPolicyId()),
	}
	exist, err := q.References(ctx, refs)
	switch {
	case err != nil:
		return refs, err
	case !exist.Team:
		return refs, fault.InvalidField("team_id", fault.Missing, "Team not found")
	case !exist.Owner:
		return refs, fault.InvalidField("owner_id", fault.Missing, "User not found")
	case !exist.Policy:
		return refs, fault.InvalidField("escalation_policy_id", fault.Missing, "Escalation policy not found")
	}
	return refs, nil
}
