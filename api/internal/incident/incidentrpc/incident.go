// Package incidentrpc answers the calls about incidents. Handlers read through
// view/incidents and write through respond.
package incidentrpc

import (
	"cmp"
	"context"
	"errors"
	"time"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"

	nightbellv1 "github.com/nightbell/nightbell/api/gen/nightbell/v1"
	"github.com/nightbell/nightbell/api/internal/alert"
	"github.com/nightbell/nightbell/api/internal/auth"
	"github.com/nightbell/nightbell/api/internal/incident"
	"github.com/nightbell/nightbell/api/internal/kernel/fault"
	"github.com/nightbell/nightbell/api/internal/kernel/id"
	"github.com/nightbell/nightbell/api/internal/paging"
	"github.com/nightbell/nightbell/api/internal/platform/postgres"
	"github.com/nightbell/nightbell/api/internal/respond"
	"github.com/nightbell/nightbell/api/internal/view/incidents"
)

// Handler implements nightbellv1connect.IncidentServiceHandler.
type Handler struct {
	db        *postgres.DB
	responder *respond.Responder
	counter   incidents.Counter
}

// New makes a handler.
func New(db *postgres.DB, responder *respond.Responder) *Handler {
	return &Handler{db: db, responder: responder}
}

// actorOf names the caller for the timeline.
func actorOf(ctx context.Context) (orgID uuid.UUID, actor incident.Actor) {
	caller, _ := auth.ActorFrom(ctx)
	actor = incident.Actor{Kind: incident.ActorKind(caller.Kind), Name: caller.Name}
	if key := caller.ID(); key != nil {
		actor.ID = *key
	}
	return caller.OrgID, actor
}

// read runs a query as the caller's organization. Text that is no id, and an id that
// is nobody's, are both an incident that does not exist.
func read[T any](ctx context.Context, h *Handler, query func(context.Context, pgx.Tx, uuid.UUID) (T, error), options ...postgres.TxOption) (answer T, err error) {
	return readBy(ctx, h.db.InTenant, query, options...)
}

// readBy is read by InTenant, or by InAnswer: what answering an incident takes does not wait for anybody's lists.
func readBy[T any](ctx context.Context, transact postgres.Transact, query func(context.Context, pgx.Tx, uuid.UUID) (T, error), options ...postgres.TxOption) (answer T, err error) {
	caller, _ := auth.ActorFrom(ctx)
	err = transact(ctx, caller.OrgID, func(ctx context.Context, tx pgx.Tx) error {
		answer, err = query(ctx, tx, caller.OrgID)
		return err
	}, append(options, postgres.ReadOnly())...)
	if errors.Is(err, pgx.ErrNoRows) {
		err = respond.ErrNoIncident
	}
	return answer, err
}

// ListIncidents gives a page of incidents.
func (h *Handler) ListIncidents(ctx context.Context, request *nightbellv1.ListIncidentsRequest) (*nightbellv1.ListIncidentsResponse, error) {
	return read(ctx, h, func(ctx context.Context, tx pgx.Tx, orgID uuid.UUID) (*nightbellv1.ListIncidentsResponse, error) {
		return incidents.List(ctx, tx, orgID, request)
	}, postgres.InOrder())
}

// CountIncidents gives the number of incidents in each status.
func (h *Handler) CountIncidents(ctx context.Context, _ *nightbellv1.CountIncidentsRequest) (*nightbellv1.CountIncidentsResponse, error) {
	return read(ctx, h, func(ctx context.Context, tx pgx.Tx, orgID uuid.UUID) (*nightbellv1.CountIncidentsResponse, error) {
		now, err := postgres.Now(ctx, tx)
		if err != nil {
			return nil, err
		}
		return h.counter.Count(ctx, tx, orgID, now)
	})
}

// GetIncidentMetrics compares the last days with those before.
func (h *Handler) GetIncidentMetrics(ctx context.Context, request *nightbellv1.GetIncidentMetricsRequest) (*nightbellv1.GetIncidentMetricsResponse, error) {
	days := int(cmp.Or(request.GetDays(), defaultPeriod))
	return read(ctx, h, func(ctx context.Context, tx pgx.Tx, orgID uuid.UUID) (*nightbellv1.GetIncidentMetricsResponse, error) {
		now, err := postgres.Now(ctx, tx)
		if err != nil {
			return nil, err
		}
		return incidents.Compare(ctx, tx, orgID, days, now)
	})
}

// defaultPeriod is a week (specification, section 2: "change from last week").
const defaultPeriod = 7

// GetIncident gives one incident.
func (h *Handler) GetIncident(ctx context.Context, request *nightbellv1.GetIncidentRequest) (*nightbellv1.GetIncidentResponse, error) {
	found, err := get(ctx, h.db.InTenant, request.GetId())
	return &nightbellv1.GetIncidentResponse{Incident: found}, err
}

func get(ctx context.Context, transact postgres.Transact, text string) (*nightbellv1.Incident, error) {
	incidentID, _ := id.Parse(text)
	return readBy(ctx, transact, func(ctx context.Context, tx pgx.Tx, orgID uuid.UUID) (*nightbellv1.Incident, error) {
		found, err := incidents.Get(ctx, tx, orgID, incidentID)
		if err != nil || found.GetEscalation().GetNextDueAt() == nil {
			return found, err
		}
		now, err := postgres.Now(ctx, tx)
		if err != nil {
			return nil, err
		}
		found.Escalation.NextTargets, err = paging.NextPaged(ctx, tx, orgID, incidentID, now)
		return found, err
	})
}

// CreateIncident declares an incident.
func (h *Handler) CreateIncident(ctx context.Context, request *nightbellv1.CreateIncidentRequest) (*nightbellv1.CreateIncidentResponse, error) {
	orgID, actor := actorOf(ctx)
	declaration := respond.Declaration{
		OrgID: orgID, By: actor, Title: request.GetTitle(), Description: request.GetDescription(),
		Severity: alert.Severity(request.GetSeverity()), Tags: request.GetTags(), Metadata: request.GetMetadata().AsMap(),
	}
	if declaration.Severity == "" {
		declaration.Severity = alert.Medium
	}
	var err error
	if declaration.ServiceID, err = reference(request.GetServiceId(), "service_id", "Service"); err != nil {
		return nil, err
	}
	if declaration.AssigneeID, err = reference(request.GetAssigneeId(), "assignee_id", "User"); err != nil {
		return nil, err
	}
	incidentID, err := h.responder.DeclareIncident(ctx, declaration)
	if errors.Is(err, paging.ErrNoService) {
		err = fault.InvalidField("service_id", fault.Missing, "Service not found")
	}
	if err != nil {
		return nil, err
	}
	made, err := h.readBack(ctx, incidentID, incident.Triggered)
	return &nightbellv1.CreateIncidentResponse{Incident: made}, err
}

// reference reads an optional id. Text that is no id is something that does not exist.
func reference(text, path, noun string) (uuid.UUID, error) {
	if text == "" {
		return uuid.Nil, nil
	}
	key, ok := id.Parse(text)
	if !ok {
		return uuid.Nil, fault.InvalidField(path, fault.Missing, noun+" not found")
	}
	return key, nil
}

// respond carries out a command and reads the incident as it is then.
func (h *Handler) respond(ctx context.Context, text string, command func(incident.Actor) incident.Command) (*nightbellv1.Incident, error) {
	orgID, actor := actorOf(ctx)
	incidentID, ok := id.Parse(text)
	if !ok {
		return nil, respond.ErrNoIncident
	}
	status, err := h.responder.RespondTo(ctx, orgID, incidentID, command(actor))
	if err != nil {
		return nil, err
	}
	return h.readBack(ctx, incidentID, status)
}

// readBackTime is how long an accepted answer may wait for a connection that reads what it made.
const readBackTime = 2 * time.Second

// readBack is the incident after an answer that is committed, or its id and status alone where the database is
// too busy: a caller who is told that an answer failed gives it again, and wakes somebody else.
func (h *Handler) readBack(ctx context.Context, incidentID uuid.UUID, status incident.Status) (*nightbellv1.Incident, error) {
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), readBackTime)
	defer cancel()
	found, err := get(ctx, h.db.InAnswer, incidentID.String())
	if postgres.IsUnavailable(err) {
		return &nightbellv1.Incident{Id: incidentID.String(), Status: string(status)}, nil
	}
	return found, err
}

// AcknowledgeIncident stops the paging.
func (h *Handler) AcknowledgeIncident(ctx context.Context, request *nightbellv1.AcknowledgeIncidentRequest) (*nightbellv1.AcknowledgeIncidentResponse, error) {
	next, err := h.respond(ctx, request.GetId(), func(by incident.Actor) incident.Command {
		return incident.Acknowledge{By: by, Message: request.GetMessage(), Seen: seen(&nightbellv1.SeveritySeen{
			Id: request.GetId(), Severity: request.GetSeveritySeen(),
		})}
	})
	return &nightbellv1.AcknowledgeIncidentResponse{Incident: next}, err
}

// ResolveIncident closes the incident.
func (h *Handler) ResolveIncident(ctx context.Context, request *nightbellv1.ResolveIncidentRequest) (*nightbellv1.ResolveIncidentResponse, error) {
	next, err := h.respond(ctx, request.GetId(), func(by incident.Actor) incident.Command {
		return incident.Resolve{By: by, Message: request.GetMessage()}
	})
	return &nightbellv1.ResolveIncidentResponse{Incident: next}, err
}

// AssignIncident gives the incident to a user, or to nobody.
func (h *Handler) AssignIncident(ctx context.Context, request *nightbellv1.AssignIncidentRequest) (*nightbellv1.AssignIncidentResponse, error) {
	to, err := h.user(ctx, request.GetAssigneeId())
	if err != nil {
		return nil, err
	}
	next, err := h.respond(ctx, request.GetId(), func(by incident.Actor) incident.Command {
		return incident.Assign{By: by, To: to.id, ToName: to.name}
	})
	return &nightbellv1.AssignIncidentResponse{Incident: next}, err
}

type user struct {
	id   uuid.UUID
	name string
}

// user finds who is meant in the caller's organization; nobody for empty text.
func (h *Handler) user(ctx context.Context, text string) (user, error) {
	userID, err := reference(text, "assignee_id", "User")
	if err != nil || userID == uuid.Nil {
		return user{}, err
	}
	found, err := readBy(ctx, h.db.InAnswer, func(ctx context.Context, tx pgx.Tx, orgID uuid.UUID) (user, error) {
		u := user{id: userID}
		err := tx.QueryRow(ctx, `SELECT u.name FROM membership m JOIN users u ON u.id = m.user_id
			WHERE m.org_id = $1 AND m.user_id = $2 AND u.disabled_at IS NULL`, orgID, userID).Scan(&u.name)
		return u, err
	})
	if errors.Is(err, respond.ErrNoIncident) {
		err = fault.InvalidField("assignee_id", fault.Missing, "User not found")
	}
	return found, err
}

// EscalateIncident pages the next step now.
func (h *Handler) EscalateIncident(ctx context.Context, request *nightbellv1.EscalateIncidentRequest) (*nightbellv1.EscalateIncidentResponse, error) {
	next, err := h.respond(ctx, request.GetId(), func(by incident.Actor) incident.Command { return incident.Escalate{By: by} })
	return &nightbellv1.EscalateIncidentResponse{Incident: next}, err
}

// SnoozeIncident acknowledges the incident for a time.
func (h *Handler) SnoozeIncident(ctx context.Context, request *nightbellv1.SnoozeIncidentRequest) (*nightbellv1.SnoozeIncidentResponse, error) {
	next, err := h.respond(ctx, request.GetId(), func(by incident.Actor) incident.Command {
		return incident.Snooze{By: by, For: time.Duration(request.GetDurationSeconds()) * time.Second, Seen: seen(&nightbellv1.SeveritySeen{
			Id: request.GetId(), Severity: request.GetSeveritySeen(),
		})}
	})
	return &nightbellv1.SnoozeIncidentResponse{Incident: next}, err
}

// ChangeIncidentSeverity makes the incident worse, or less bad.
func (h *Handler) ChangeIncidentSeverity(ctx context.Context, request *nightbellv1.ChangeIncidentSeverityRequest) (*nightbellv1.ChangeIncidentSeverityResponse, error) {
	next, err := h.respond(ctx, request.GetId(), func(by incident.Actor) incident.Command {
		return incident.ChangeSeverity{By: by, To: alert.Severity(request.GetSeverity())}
	})
	return &nightbellv1.ChangeIncidentSeverityResponse{Incident: next}, err
}
