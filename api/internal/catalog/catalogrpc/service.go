// Package catalogrpc answers the calls about services.
package catalogrpc

import (
	"context"
	"time"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"
	"google.golang.org/protobuf/types/known/timestamppb"

	nightbellv1 "github.com/nightbell/nightbell/api/gen/nightbell/v1"
	"github.com/nightbell/nightbell/api/internal/auth"
	"github.com/nightbell/nightbell/api/internal/catalog"
	"github.com/nightbell/nightbell/api/internal/catalog/catalogdb"
	"github.com/nightbell/nightbell/api/internal/incident"
	"github.com/nightbell/nightbell/api/internal/kernel/fault"
	"github.com/nightbell/nightbell/api/internal/kernel/id"
	"github.com/nightbell/nightbell/api/internal/kernel/page"
	"github.com/nightbell/nightbell/api/internal/platform/postgres"
	"github.com/nightbell/nightbell/api/internal/platform/secret"
)

// overlap is how long a rotated key still works, so that no alert is lost while
// senders are changed.
const overlap = time.Hour

var (
	errNoService = fault.New(fault.NotFound, "service_not_found", "Service not found")
	// errNoServiceKey also stands for a key that was sealed with another data key.
	errNoServiceKey = fault.New(fault.NotFound, "service_key_not_found", "This service has no key that works. Rotate its key to get one.")
	errNameTaken    = fault.New(fault.Conflict, "service_name_taken", "There is a service of this name already. Choose another name.")
)

// Handler implements nightbellv1connect.CatalogServiceHandler.
type Handler struct {
	db               *postgres.DB
	box              *secret.Box
	publicURL        string
	deleteHeartbeats DeleteHeartbeats
}

// DeleteHeartbeats removes the heartbeats of a service with what they have opened, in a transaction
// that it ends. Tell gives the signals that follow; it is for after the commit.
type DeleteHeartbeats func(ctx context.Context, tx pgx.Tx, orgID, serviceID uuid.UUID, now time.Time) (tell func(), err error)

// New makes a handler. publicURL is where senders reach Nightbell, without a slash at
// the end.
func New(db *postgres.DB, box *secret.Box, publicURL string, deleteHeartbeats DeleteHeartbeats) *Handler {
	return &Handler{db: db, box: box, publicURL: publicURL, deleteHeartbeats: deleteHeartbeats}
}

// write runs a change as the caller's organization, with the time of the database.
func (h *Handler) write(ctx context.Context, change func(context.Context, *catalogdb.Queries, auth.Actor, time.Time) error) error {
	return h.writeIn(ctx, func(ctx context.Context, tx pgx.Tx, caller auth.Actor, now time.Time) error {
		return change(ctx, catalogdb.New(tx), caller, now)
	})
}

// writeIn is write with the transaction itself.
func (h *Handler) writeIn(ctx context.Context, change func(context.Context, pgx.Tx, auth.Actor, time.Time) error) error {
	caller, _ := auth.ActorFrom(ctx)
	err := h.db.InTenant(ctx, caller.OrgID, func(ctx context.Context, tx pgx.Tx) error {
		now, err := postgres.Now(ctx, tx)
		if err != nil {
			return err
		}
		return change(ctx, tx, caller, now)
	})
	if postgres.ConstraintName(err) == "service_name_key" {
		return errNameTaken.Because(err)
	}
	return err
}

// CreateService adds a service with its first key.
func (h *Handler) CreateService(ctx context.Context, request *nightbellv1.CreateServiceRequest) (*nightbellv1.CreateServiceResponse, error) {
	response := &nightbellv1.CreateServiceResponse{}
	if err := catalog.CheckURLs(request.GetRepoUrl(), request.GetRunbookUrl()); err != nil {
		return nil, err
	}
	err := h.write(ctx, func(ctx context.Context, q *catalogdb.Queries, caller auth.Actor, now time.Time) error {
		refs, err := references(ctx, q, caller.OrgID, request)
		if err != nil {
			return err
		}
		serviceID := id.New()
		err = q.InsertService(ctx, catalogdb.InsertServiceParams{
			OrgID: caller.OrgID, ID: serviceID, Name: request.GetName(), Description: request.GetDescription(),
			TeamID: refs.TeamID, OwnerUserID: refs.OwnerUserID, EscalationPolicyID: refs.PolicyID,
			RepoUrl: request.GetRepoUrl(), RunbookUrl: request.GetRunbookUrl(), Tier: int16(or(request.GetTier(), 3)), Grouping: or(request.GetGrouping(), string(catalog.ByGroup)), Now: now,
		})
		if err != nil {
			return err
		}
		if err := setDependencies(ctx, q, caller.OrgID, serviceID, request.GetDependsOnIds()); err != nil {
			return err
		}
		if response.ServiceKey, err = h.addKey(ctx, q, caller.OrgID, serviceID, now); err != nil {
			return err
		}
		response.WebhookUrl = h.webhookURL(response.GetServiceKey())
		response.Service, err = h.find(ctx, q, caller, serviceID.String())
		return err
	})
	return response, err
}

func or[T comparable](value, otherwise T) T {
	var zero T
	if value == zero {
		return otherwise
	}
	return value
}

// addKey makes a key and returns it.
func (h *Handler) addKey(ctx context.Context, q *catalogdb.Queries, orgID, serviceID uuid.UUID, now time.Time) (string, error) {
	key := catalog.NewKey()
	return key, q.InsertServiceKey(ctx, catalogdb.InsertServiceKeyParams{
		Hash: catalog.HashKey(key), OrgID: orgID, ServiceID: serviceID,
		Sealed: h.box.Seal([]byte(key), catalog.KeyPlace(orgID, serviceID)), Now: now,
	})
}

// ListServices gives services with their health.
func (h *Handler) ListServices(ctx context.Context, request *nightbellv1.ListServicesRequest) (*nightbellv1.ListServicesResponse, error) {
	response := &nightbellv1.ListServicesResponse{}
	caller, _ := auth.ActorFrom(ctx)
	err := h.db.InTenant(ctx, caller.OrgID, func(ctx context.Context, tx pgx.Tx) error {
		at, err := page.ByName(caller.OrgID, "services", request.GetLimit(), request.GetCursor())
		if err != nil {
			return err
		}
		rows, err := catalogdb.New(tx).ListServices(ctx, catalogdb.ListServicesParams{
			OrgID: caller.OrgID, AfterName: at.AfterName, AfterID: (*uuid.UUID)(at.AfterID), Most: at.Most(),
		})
		rows, response.NextCursor = page.Next(rows, at.Limit, func(last catalogdb.ListServicesRow) string {
			return page.Mark(caller.OrgID, "services", last.Name, last.ID.String())
		})
		for _, row := range rows {
			response.Services = append(response.Services, h.message(caller.OrgID, row))
		}
		return err
	}, postgres.ReadOnly())
	return response, err
}

// GetService gives one service.
func (h *Handler) GetService(ctx context.Context, request *nightbellv1.GetServiceRequest) (*nightbellv1.GetServiceResponse, error) {
	response := &nightbellv1.GetServiceResponse{}
	caller, _ := auth.ActorFrom(ctx)
	err := h.db.InTenant(ctx, caller.OrgID, func(ctx context.Context, tx pgx.Tx) (err error) {
		response.Service, err = h.find(ctx, catalogdb.New(tx), caller, request.GetId())
		return err
	}, postgres.ReadOnly())
	return response, err
}

// find reads one service. Text that is no id is a service that does not exist.
func (h *Handler) find(ctx context.Context, q *catalogdb.Queries, caller auth.Actor, text string) (*nightbellv1.Service, error) {
	serviceID, ok := id.Parse(text)
	if !ok {
		return nil, errNoService
	}
	rows, err := q.ListServices(ctx, catalogdb.ListServicesParams{OrgID: caller.OrgID, ID: &serviceID})
	if err != nil {
		return nil, err
	}
	if len(rows) == 0 {
		return nil, errNoService
	}
	return h.message(caller.OrgID, rows[0]), nil
}

// message turns a row into the contract's words.
func (h *Handler) message(orgID uuid.UUID, row catalogdb.ListServicesRow) *nightbellv1.Service {
	service := &nightbellv1.Service{
		Id: row.ID.String(), Name: row.Name, Description: row.Description, Health: string(incident.HealthOf(severityOf(row))),
		OpenIncidentCount: row.OpenIncidents,
		Team:              reference(row.TeamID, row.Team), Owner: reference(row.OwnerUserID, row.Owner), EscalationPolicy: reference(row.EscalationPolicyID, row.PolicyName),
		TeamId: id.Text(row.TeamID), OwnerId: id.Text(row.OwnerUserID), EscalationPolicyId: id.Text(row.EscalationPolicyID),
		RepoUrl: postgres.Null(row.RepoUrl), RunbookUrl: postgres.Null(row.RunbookUrl), Tier: int32(row.Tier), Grouping: row.Grouping,
		CreatedAt: timestamppb.New(row.CreatedAt), UpdatedAt: timestamppb.New(row.UpdatedAt),
	}
	for _, needed := range row.DependsOnIds {
		service.DependsOnIds = append(service.DependsOnIds, needed.String())
	}
	if row.LastIncidentAt.Unix() > 0 {
		service.LastIncidentAt = timestamppb.New(row.LastIncidentAt)
	}
	if key := h.keyOf(orgID, row); key != "" {
		service.ServiceKeyHint = new(key[:shownOfKey] + "…")
	}
	return service
}

// shownOfKey is how many characters of a key tell it from others: its prefix and four.
const shownOfKey = 8

// keyOf opens the key in force. One that does not open (another data key) is as good as none;
// rotating it fixes that.
func (h *Handler) keyOf(orgID uuid.UUID, row catalogdb.ListServicesRow) string {
	key, err := h.box.Open(row.SealedKey, catalog.KeyPlace(orgID, row.ID))
	if err != nil || len(key) < shownOfKey {
		return ""
	}
	return string(key)
}

func (h *Handler) webhookURL(key string) string {
	return h.publicURL + "/v1/webhooks/prometheus/" + key
}

// GetServiceKey shows the key of a service.
func (h *Handler) GetServiceKey(ctx context.Context, request *nightbellv1.GetServiceKeyRequest) (*nightbellv1.GetServiceKeyResponse, error) {
	response := &nightbellv1.GetServiceKeyResponse{}
	caller, _ := auth.ActorFrom(ctx)
	serviceID, _ := id.Parse(request.GetId())
	err := h.db.InTenant(ctx, caller.OrgID, func(ctx context.Context, tx pgx.Tx) error {
		rows, err := catalogdb.New(tx).ListServices(ctx, catalogdb.ListServicesParams{OrgID: caller.OrgID, ID: &serviceID})
		switch {
		case err != nil:
			return err
		case len(rows) == 0:
			return errNoService
		}
		key := h.keyOf(caller.OrgID, rows[0])
		if key == "" {
			return errNoServiceKey
		}
		response.ServiceKey, response.WebhookUrl = key, h.webhookURL(key)
		return nil
	}, postgres.ReadOnly())
	return response, err
}

// reference is absent for no id.
func reference(key *uuid.UUID, name string) *nightbellv1.Reference {
	if key == nil {
		return nil
	}
	return &nightbellv1.Reference{Id: key.String(), Name: name}
}
