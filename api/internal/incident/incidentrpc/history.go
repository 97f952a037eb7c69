package incidentrpc

import (
	"cmp"
	"context"
	"errors"
	"slices"
	"strconv"
	"time"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"

	nightbellv1 "github.com/nightbell/nightbell/api/gen/nightbell/v1"
	"github.com/nightbell/nightbell/api/internal/incident"
	"github.com/nightbell/nightbell/api/internal/kernel/fault"
	"github.com/nightbell/nightbell/api/internal/kernel/id"
	"github.com/nightbell/nightbell/api/internal/kernel/page"
	"github.com/nightbell/nightbell/api/internal/respond"
	"github.com/nightbell/nightbell/api/internal/view/incidents"
)

// AddComment adds a line to the timeline.
func (h *Handler) AddComment(ctx context.Context, request *nightbellv1.AddCommentRequest) (*nightbellv1.AddCommentResponse, error) {
	orgID, by := actorOf(ctx)
	incidentID, ok := id.Parse(request.GetId())
	if !ok {
		return nil, respond.ErrNoIncident
	}
	if err := h.responder.Comment(ctx, orgID, incidentID, incident.Comment{By: by, Message: request.GetMessage()}); err != nil {
		return nil, err
	}
	entry, err := ofIncident(ctx, h, request.GetId(), func(ctx context.Context, tx pgx.Tx, orgID, incidentID uuid.UUID) (*nightbellv1.TimelineEntry, error) {
		return incidents.LastComment(ctx, tx, orgID, incidentID, by.ID)
	})
	return &nightbellv1.AddCommentResponse{Entry: entry}, err
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

// timeline reads what is after a place.
func (h *Handler) timeline(ctx context.Context, text string, after int64, most int) ([]*nightbellv1.TimelineEntry, error) {
	return ofIncident(ctx, h, text, func(ctx context.Context, tx pgx.Tx, orgID, incidentID uuid.UUID) ([]*nightbellv1.TimelineEntry, error) {
		return incidents.Timeline(ctx, tx, orgID, incidentID, after, most)
	})
}

// Details of an event are up to 64 KiB: fewer alerts are listed with them.
const detailsShown = 50

// ListTimeline gives the history of an incident.
func (h *Handler) ListTimeline(ctx context.Context, request *nightbellv1.ListTimelineRequest) (*nightbellv1.ListTimelineResponse, error) {
	orgID, _ := actorOf(ctx)
	limit, after := cmp.Or(int(request.GetLimit()), page.Longest), int64(-1)
	place, err := page.Read(orgID, "timeline", request.GetCursor(), 1)
	if err != nil {
		return nil, err
	}
	if place != nil {
		if after, err = strconv.ParseInt(place[0], 10, 64); err != nil {
			return nil, page.ErrCursor
		}
	}
	entries, err := h.timeline(ctx, request.GetId(), after, limit+1)
	response := &nightbellv1.ListTimelineResponse{}
	response.Entries, response.NextCursor = page.Next(entries, limit, func(last *nightbellv1.TimelineEntry) string {
		return page.Mark(orgID, "timeline", strconv.FormatInt(int64(last.GetSeq()), 10))
	})
	return response, err
}

// ListNotifications tells who was paged.
func (h *Handler) ListNotifications(ctx context.Context, request *nightbellv1.ListNotificationsRequest) (*nightbellv1.ListNotificationsResponse, error) {
	orgID, _ := actorOf(ctx)
	limit, dueAfter, after := cmp.Or(int(request.GetLimit()), page.Longest), time.Time{}, uuid.Nil
	if cursor := request.GetCursor(); cursor != "" {
		var err error
		if dueAfter, after, err = page.Decode(orgID, cursor); err != nil {
			return nil, err
		}
	}
	pages, err := ofIncident(ctx, h, request.GetId(), func(ctx context.Context, tx pgx.Tx, orgID, incidentID uuid.UUID) ([]*nightbellv1.Notification, error) {
		return incidents.Notifications(ctx, tx, orgID, incidentID, dueAfter, after, limit+1)
	})
	response := &nightbellv1.ListNotificationsResponse{}
	response.Notifications, response.NextCursor = page.Next(pages, limit, func(last *nightbellv1.Notification) string {
		return page.Encode(orgID, last.GetDueAt().AsTime(), uuid.MustParse(last.GetId()))
	})
	return response, err
}

// ListIncidentAlerts gives the alerts of an incident.
func (h *Handler) ListIncidentAlerts(ctx context.Context, request *nightbellv1.ListIncidentAlertsRequest) (*nightbellv1.ListIncidentAlertsResponse, error) {
	orgID, _ := actorOf(ctx)
	limit, before := cmp.Or(int(request.GetLimit()), page.Longest), uuid.Max
	details := slices.Contains(request.GetInclude(), "details")
	if details {
		limit = min(limit, detailsShown)
	}
	place, err := page.Read(orgID, "alerts", request.GetCursor(), 1)
	if err != nil {
		return nil, err
	}
	if place != nil {
		before, _ = id.Parse(place[0])
	}
	response, err := ofIncident(ctx, h, request.GetId(), func(ctx context.Context, tx pgx.Tx, orgID, incidentID uuid.UUID) (*nightbellv1.ListIncidentAlertsResponse, error) {
		return incidents.Alerts(ctx, tx, orgID, incidentID, details, before, limit+1)
	})
	if err != nil {
		return nil, err
	}
	response.Alerts, response.NextCursor = page.Next(response.GetAlerts(), limit, func(last *nightbellv1.Alert) string {
		return page.Mark(orgID, "alerts", last.GetId())
	})
	return response, nil
}

var errNoAlert = fault.New(fault.NotFound, "alert_not_found", "Alert not found")

// GetIncidentAlert gives an alert of an incident with what programs reported about it.
func (h *Handler) GetIncidentAlert(ctx context.Context, request *nightbellv1.GetIncidentAlertRequest) (*nightbellv1.GetIncidentAlertResponse, error) {
	alertID, _ := id.Parse(request.GetAlertId())
	return ofIncident(ctx, h, request.GetId(), func(ctx context.Context, tx pgx.Tx, orgID, incidentID uuid.UUID) (*nightbellv1.GetIncidentAlertResponse, error) {
		found, err := incidents.Alert(ctx, tx, orgID, incidentID, alertID)
		if errors.Is(err, pgx.ErrNoRows) {
			err = errNoAlert
		}
		return found, err
	})
}
