package incidentrpc

import (
	"context"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"

	nightbellv1 "github.com/nightbell/nightbell/api/gen/nightbell/v1"
	"github.com/nightbell/nightbell/api/internal/incident"
	"github.com/nightbell/nightbell/api/internal/kernel/fault"
	"github.com/nightbell/nightbell/api/internal/kernel/id"
	"github.com/nightbell/nightbell/api/internal/platform/postgres"
	"github.com/nightbell/nightbell/api/internal/respond"
	"github.com/nightbell/nightbell/api/internal/view/incidents"
)

var errWhich = fault.InvalidField("ids", fault.Required,
	"Say which incidents: give ids, or a filter with triggered_before.")

// ChangeIncidents acknowledges or resolves many incidents by one call.
func (h *Handler) ChangeIncidents(ctx context.Context, request *nightbellv1.ChangeIncidentsRequest) (*nightbellv1.ChangeIncidentsResponse, error) {
	if len(request.GetIds()) == 0 && request.GetFilter() == nil {
		return nil, errWhich
	}
	ids, unreadable, err := h.meant(ctx, request)
	if err != nil {
		return nil, err
	}
	orgID, actor := actorOf(ctx)
	var command incident.Command = incident.Acknowledge{By: actor, Message: request.GetMessage()}
	if request.GetAction() == "resolve" {
		command = incident.Resolve{By: actor, Message: request.GetMessage()}
	}
	results, err := h.responder.RespondToMany(ctx, orgID, ids, command)
	if err != nil {
		return nil, err
	}
	response := &nightbellv1.ChangeIncidentsResponse{}
	for _, result := range results {
		response.Results = append(response.Results, &nightbellv1.IncidentResult{
			Id: result.IncidentID.String(), Status: postgres.Null(string(result.Status)), Error: sentence(result.Err),
		})
	}
	for _, text := range unreadable {
		response.Results = append(response.Results, &nightbellv1.IncidentResult{Id: text, Error: sentence(respond.ErrNoIncident)})
	}
	return response, nil
}

// meant lists the incidents that a request means, and the ids of it that are none.
func (h *Handler) meant(ctx context.Context, request *nightbellv1.ChangeIncidentsRequest) (ids []uuid.UUID, unreadable []string, err error) {
	for _, text := range request.GetIds() {
		if incidentID, ok := id.Parse(text); ok {
			ids = append(ids, incidentID)
		} else {
			unreadable = append(unreadable, text)
		}
	}
	if request.GetFilter() == nil {
		return ids, unreadable, nil
	}
	matching, err := read(ctx, h, func(ctx context.Context, tx pgx.Tx, orgID uuid.UUID) ([]uuid.UUID, error) {
		return incidents.Matching(ctx, tx, orgID, request.GetAction(), request.GetFilter())
	}, postgres.InOrder())
	return append(ids, matching...), unreadable, err
}

// sentence is what a caller is told of an error; nil for none.
func sentence(err error) *string {
	if known, ok := fault.Of(err); ok {
		return new(known.Message)
	}
	return nil
}
