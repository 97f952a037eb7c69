package incidentrpc

import (
	"context"
	"time"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"

	nightbellv1 "github.com/nightbell/nightbell/api/gen/nightbell/v1"
	"github.com/nightbell/nightbell/api/internal/alert"
	"github.com/nightbell/nightbell/api/internal/incident"
	"github.com/nightbell/nightbell/api/internal/kernel/fault"
	"github.com/nightbell/nightbell/api/internal/kernel/id"
	"github.com/nightbell/nightbell/api/internal/platform/postgres"
	"github.com/nightbell/nightbell/api/internal/respond"
	"github.com/nightbell/nightbell/api/internal/view/incidents"
)

var (
	errWhich = fault.InvalidField("ids", fault.Required,
		"Say which incidents: give ids, or a filter with triggered_before.")
	errAssignee = fault.InvalidField("assignee_id", fault.Unknown,
		"assignee_id belongs to the action assign. Leave it out.")
)

// matchingPatience is how long one may look for what a filter names on a connection of answers: 50,000 take
// a fraction of it.
const matchingPatience = time.Second

// ChangeIncidents acknowledges, resolves, escalates or assigns many incidents by one call.
func (h *Handler) ChangeIncidents(ctx context.Context, request *nightbellv1.ChangeIncidentsRequest) (*nightbellv1.ChangeIncidentsResponse, error) {
	if len(request.GetIds()) == 0 && request.GetFilter() == nil {
		return nil, errWhich
	}
	command, err := h.commandOf(ctx, request)
	if err != nil {
		return nil, err
	}
	meant, err := h.meant(ctx, request)
	if err != nil {
		return nil, err
	}
	orgID, actor := actorOf(ctx)
	results, err := h.responder.RespondToMany(ctx, orgID, actor.Kind, meant.ids, command)
	if err != nil {
		return nil, err
	}
	response := &nightbellv1.ChangeIncidentsResponse{More: meant.more}
	for _, result := range results {
		response.Results = append(response.Results, &nightbellv1.IncidentResult{
			Id: result.IncidentID.String(), Status: postgres.Null(string(result.Status)), Error: resultError(result.Err),
		})
	}
	for _, text := range meant.unreadable {
		response.Results = append(response.Results, &nightbellv1.IncidentResult{Id: text, Error: resultError(respond.ErrNoIncident)})
	}
	return response, nil
}

// commandOf is what is to be done with each of them.
func (h *Handler) commandOf(ctx context.Context, request *nightbellv1.ChangeIncidentsRequest) (incident.Command, error) {
	_, actor := actorOf(ctx)
	if request.GetAssigneeId() != "" && request.GetAction() != "assign" {
		return nil, errAssignee
	}
	switch request.GetAction() {
	case "resolve":
		return incident.Resolve{By: actor, Message: request.GetMessage()}, nil
	case "escalate":
		return incident.Escalate{By: actor}, nil
	case "assign":
		to, err := h.user(ctx, request.GetAssigneeId())
		return incident.Assign{By: actor, To: to.id, ToName: to.name}, err
	}
	return incident.Acknowledge{By: actor, Message: request.GetMessage(), Seen: seen(request.GetSeen()...)}, nil
}

// seen is how severe a caller saw incidents; an id that is none names nothing.
func seen(list ...*nightbellv1.SeveritySeen) map[uuid.UUID]alert.Severity {
	all := make(map[uuid.UUID]alert.Severity, len(list))
	for _, one := range list {
		if incidentID, ok := id.Parse(one.GetId()); ok {
			all[incidentID] = alert.Severity(one.GetSeverity())
		}
	}
	return all
}

// selection is the incidents that a request means.
type selection struct {
	ids []uuid.UUID
	// unreadable are texts among its ids that are none.
	unreadable []string
	more       bool
}

func (h *Handler) meant(ctx context.Context, request *nightbellv1.ChangeIncidentsRequest) (meant selection, err error) {
	for _, text := range request.GetIds() {
		if incidentID, ok := id.Parse(text); ok {
			meant.ids = append(meant.ids, incidentID)
		} else {
			meant.unreadable = append(meant.unreadable, text)
		}
	}
	if request.GetFilter() == nil {
		return meant, nil
	}
	find := func(transact postgres.Transact, options ...postgres.TxOption) (selection, error) {
		return readBy(ctx, transact, func(ctx context.Context, tx pgx.Tx, orgID uuid.UUID) (selection, error) {
			matching, more, err := incidents.Matching(ctx, tx, orgID, request.GetAction(), request.GetFilter())
			return selection{append(meant.ids, matching...), meant.unreadable, more}, err
		}, append(options, postgres.InOrder())...)
	}
	// A person's "acknowledge all" waits for nobody's lists. What takes longer than an answer may, and what
	// programs ask for in a loop, is read as lists are, so that it keeps no answer waiting.
	if _, actor := actorOf(ctx); actor.Kind == incident.User {
		if found, err := find(h.db.InAnswer, postgres.StatementTimeout(matchingPatience)); !postgres.IsStatementTimeout(err) {
			return found, err
		}
	}
	return find(h.db.InTenant)
}

// resultError is what a caller is told of an error; nil for none.
func resultError(err error) *nightbellv1.ResultError {
	known, ok := fault.Of(err)
	if !ok {
		return nil
	}
	return &nightbellv1.ResultError{
		Code: known.Code, Message: known.Message, Retryable: known.Kind == fault.Unavailable || known.Kind == fault.Limited,
	}
}
