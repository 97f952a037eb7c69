package incidentrpc

import (
	"context"
	"slices"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"

	nightbellv1 "github.com/nightbell/nightbell/api/gen/nightbell/v1"
	"github.com/nightbell/nightbell/api/internal/incident"
	"github.com/nightbell/nightbell/api/internal/kernel/id"
	"github.com/nightbell/nightbell/api/internal/respond"
	"github.com/nightbell/nightbell/api/internal/view/incidents"
)

// AddComment adds a line to the timeline.
func (h *Handler) AddComment(ctx context.Context, request *nightbellv1.AddCommentRequest) (*nightbellv1.AddCommentResponse, error) {
	_, err := h.respond(ctx, request.GetId(), func(by incident.Actor) incident.Command {
		return incident.Comment{By: by, Message: request.GetMessage()}
	})
	if err != nil {
		return nil, err
	}
	entries, err := h.timeline(ctx, request.GetId())
	if err != nil {
		return nil, err
	}
	_, by := actorOf(ctx)
	for _, entry := range slices.Backward(entries) {
		if entry.GetKind() == "comment" && entry.GetActor().GetId() == by.ID.String() {
			return &nightbellv1.AddCommentResponse{Entry: entry}, nil
		}
	}
	return &nightbellv1.AddCommentResponse{}, nil
}

// ofIncident reads something that belongs to an incident, or says that there is no
// such incident.
func ofIncident[T any](ctx context.Context, h *Handler, text string, query func(context.Context, pgx.Tx, uuid.UUID, uuid.UUID) (T, error)) (T, error) {
	incidentID, _ := id.Parse(text)
	return read(ctx, h, func(ctx context.Context, tx pgx.Tx, orgID uuid.UUID) (answer T, err error) {
		var exists bool
		err = tx.QueryRow(ctx, `SELECT EXISTS (SELECT FROM incident WHERE org_id = $1 AND id = $2)`, orgID, incidentID).Scan(&exists)
		if err != nil {
			return answer, err
		}
		if !exists {
			return answer, respond.ErrNoIncident
		}
		return query(ctx, tx, orgID, incidentID)
	})
}

func (h *Handler) timeline(ctx context.Context, text string) ([]*nightbellv1.TimelineEntry, error) {
	return ofIncident(ctx, h, text, incidents.Timeline)
}

// ListTimeline gives the history of an incident.
func (h *Handler) ListTimeline(ctx context.Context, request *nightbellv1.ListTimelineRequest) (*nightbellv1.ListTimelineResponse, error) {
	entries, err := h.timeline(ctx, request.GetId())
	return &nightbellv1.ListTimelineResponse{Entries: entries}, err
}

// ListNotifications tells who was paged.
func (h *Handler) ListNotifications(ctx context.Context, request *nightbellv1.ListNotificationsRequest) (*nightbellv1.ListNotificationsResponse, error) {
	pages, err := ofIncident(ctx, h, request.GetId(), incidents.Notifications)
	return &nightbellv1.ListNotificationsResponse{Notifications: pages}, err
}

// ListIncidentAlerts gives the alerts of an incident.
func (h *Handler) ListIncidentAlerts(ctx context.Context, request *nightbellv1.ListIncidentAlertsRequest) (*nightbellv1.ListIncidentAlertsResponse, error) {
	return ofIncident(ctx, h, request.GetId(), func(ctx context.Context, tx pgx.Tx, orgID, incidentID uuid.UUID) (*nightbellv1.ListIncidentAlertsResponse, error) {
		return incidents.Alerts(ctx, tx, orgID, incidentID, slices.Contains(request.GetInclude(), "details"))
	})
}
