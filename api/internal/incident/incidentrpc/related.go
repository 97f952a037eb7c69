package incidentrpc

import (
	"context"

	"github.com/google/uuid"

	nightbellv1 "github.com/nightbell/nightbell/api/gen/nightbell/v1"
	"github.com/nightbell/nightbell/api/internal/auth"
	"github.com/nightbell/nightbell/api/internal/incident"
	"github.com/nightbell/nightbell/api/internal/kernel/fault"
	"github.com/nightbell/nightbell/api/internal/kernel/id"
	"github.com/nightbell/nightbell/api/internal/respond"
)

// MergeIncident ends an incident in another one.
func (h *Handler) MergeIncident(ctx context.Context, request *nightbellv1.MergeIncidentRequest) (*nightbellv1.MergeIncidentResponse, error) {
	merged, err := relate(ctx, request.GetId(), "into_id", request.GetIntoId(), h.responder.Merge)
	if err != nil {
		return nil, err
	}
	next, err := h.readBack(ctx, merged, incident.Resolved)
	return &nightbellv1.MergeIncidentResponse{Incident: next}, err
}

// LinkIncident says that two incidents have to do with each other.
func (h *Handler) LinkIncident(ctx context.Context, request *nightbellv1.LinkIncidentRequest) (*nightbellv1.LinkIncidentResponse, error) {
	if _, err := relate(ctx, request.GetId(), "linked_id", request.GetLinkedId(), h.responder.Link); err != nil {
		return nil, err
	}
	next, err := get(ctx, h.db.InTenant, request.GetId())
	return &nightbellv1.LinkIncidentResponse{Incident: next}, err
}

// UnlinkIncident takes that back. What is no id was never linked.
func (h *Handler) UnlinkIncident(ctx context.Context, request *nightbellv1.UnlinkIncidentRequest) (*nightbellv1.UnlinkIncidentResponse, error) {
	if _, ok := id.Parse(request.GetLinkedId()); !ok {
		request.LinkedId = uuid.Nil.String()
	}
	if _, err := relate(ctx, request.GetId(), "linked_id", request.GetLinkedId(), h.responder.Unlink); err != nil {
		return nil, err
	}
	next, err := get(ctx, h.db.InTenant, request.GetId())
	return &nightbellv1.UnlinkIncidentResponse{Incident: next}, err
}

// relate changes what an incident has to do with another one, and gives its id.
func relate(ctx context.Context, text, field, other string,
	change func(ctx context.Context, orgID, incidentID, otherID uuid.UUID, by incident.Actor) error,
) (uuid.UUID, error) {
	orgID, actor := actorOf(ctx)
	incidentID, ok := id.Parse(text)
	if !ok {
		return uuid.Nil, respond.ErrNoIncident
	}
	otherID, err := reference(other, field, "Incident")
	if err != nil {
		return uuid.Nil, err
	}
	return incidentID, change(ctx, orgID, incidentID, otherID, actor)
}

var errOthersSubscription = fault.New(fault.Denied, "others_subscription", "You can subscribe yourself only. Ask a responder to subscribe others.")

// SubscribeToIncident mails the caller, or somebody else, what happens to the incident.
func (h *Handler) SubscribeToIncident(ctx context.Context, request *nightbellv1.SubscribeToIncidentRequest) (*nightbellv1.SubscribeToIncidentResponse, error) {
	next, err := h.changeSubscriber(ctx, request.GetId(), request.GetUserId(), h.responder.Subscribe)
	return &nightbellv1.SubscribeToIncidentResponse{Incident: next}, err
}

// UnsubscribeFromIncident ends it.
func (h *Handler) UnsubscribeFromIncident(ctx context.Context, request *nightbellv1.UnsubscribeFromIncidentRequest) (*nightbellv1.UnsubscribeFromIncidentResponse, error) {
	if _, ok := id.Parse(request.GetUserId()); !ok {
		request.UserId = uuid.Nil.String()
	}
	next, err := h.changeSubscriber(ctx, request.GetId(), request.GetUserId(), h.responder.Unsubscribe)
	return &nightbellv1.UnsubscribeFromIncidentResponse{Incident: next}, err
}

func (h *Handler) changeSubscriber(ctx context.Context, text, who string,
	change func(ctx context.Context, orgID, incidentID, userID uuid.UUID) error,
) (*nightbellv1.Incident, error) {
	caller, _ := auth.ActorFrom(ctx)
	incidentID, ok := id.Parse(text)
	if !ok {
		return nil, respond.ErrNoIncident
	}
	userID, err := reference(who, "user_id", "User")
	switch {
	case err != nil:
		return nil, err
	case who == "" && caller.Kind != auth.User:
		return nil, fault.InvalidField("user_id", fault.Required, "Say who is to be mailed: an API key has no address.")
	case who == "":
		userID = caller.UserID
	case userID != caller.UserID && caller.Role == auth.Viewer:
		return nil, errOthersSubscription
	}
	if err := change(ctx, caller.OrgID, incidentID, userID); err != nil {
		return nil, err
	}
	return get(ctx, h.db.InTenant, text)
}
