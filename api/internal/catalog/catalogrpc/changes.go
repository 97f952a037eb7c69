package catalogrpc

import (
	"cmp"
	"context"
	"encoding/json"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"
	"google.golang.org/protobuf/encoding/protojson"
	"google.golang.org/protobuf/types/known/structpb"
	"google.golang.org/protobuf/types/known/timestamppb"

	nightbellv1 "github.com/nightbell/nightbell/api/gen/nightbell/v1"
	"github.com/nightbell/nightbell/api/internal/auth"
	"github.com/nightbell/nightbell/api/internal/catalog/catalogdb"
	"github.com/nightbell/nightbell/api/internal/kernel/fault"
	"github.com/nightbell/nightbell/api/internal/kernel/id"
	"github.com/nightbell/nightbell/api/internal/kernel/page"
	"github.com/nightbell/nightbell/api/internal/platform/postgres"
	"github.com/nightbell/nightbell/api/internal/view/activity"
)

var errNoChange = fault.New(fault.NotFound, "change_not_found", "Change not found")

// shownAtOnce is a list's page when the caller does not say.
const shownAtOnce = 50

// Changes implements nightbellv1connect.ChangeServiceHandler.
type Changes struct{ db *postgres.DB }

// NewChanges makes the handler.
func NewChanges(db *postgres.DB) *Changes { return &Changes{db} }

// ListChanges gives what occurred last first.
func (h *Changes) ListChanges(ctx context.Context, request *nightbellv1.ListChangesRequest) (*nightbellv1.ListChangesResponse, error) {
	caller, _ := auth.ActorFrom(ctx)
	filter := catalogdb.ChangeFilter{Kinds: request.GetKind(), Metadata: len(request.GetInclude()) > 0}
	for _, text := range request.GetServiceId() {
		serviceID, _ := id.Parse(text) // text that is no id names no service
		filter.ServiceIDs = append(filter.ServiceIDs, serviceID)
	}
	if request.Since != nil {
		filter.Since = new(request.GetSince().AsTime())
	}
	if request.Until != nil {
		filter.Until = new(request.GetUntil().AsTime())
	}
	limit, err := h.place(caller.OrgID, request.GetLimit(), request.GetCursor(), &filter)
	if err != nil {
		return nil, err
	}
	response := &nightbellv1.ListChangesResponse{}
	err = h.db.InTenant(ctx, caller.OrgID, func(ctx context.Context, tx pgx.Tx) error {
		changes, err := catalogdb.Changes(ctx, tx, caller.OrgID, filter, limit+1)
		if err != nil {
			return err
		}
		changes, response.NextCursor = page.Next(changes, limit, func(last catalogdb.Change) string {
			return page.Encode(caller.OrgID, last.OccurredAt, last.ID)
		})
		response.Changes = make([]*nightbellv1.Change, len(changes))
		for i, change := range changes {
			if response.Changes[i], err = changeMessage(change); err != nil {
				return err
			}
		}
		return nil
	}, postgres.ReadOnly(), postgres.InOrder())
	return response, err
}

// place reads how many are wanted, and after which.
func (h *Changes) place(orgID uuid.UUID, wanted int32, cursor string, filter *catalogdb.ChangeFilter) (limit int, err error) {
	limit = int(or(wanted, shownAtOnce))
	if cursor != "" {
		filter.BeforeAt, filter.BeforeID, err = page.Decode(orgID, cursor)
	}
	return limit, err
}

// GetChange gives one change with all that was sent.
func (h *Changes) GetChange(ctx context.Context, request *nightbellv1.GetChangeRequest) (*nightbellv1.GetChangeResponse, error) {
	caller, _ := auth.ActorFrom(ctx)
	changeID, ok := id.Parse(request.GetId())
	if !ok {
		return nil, errNoChange
	}
	response := &nightbellv1.GetChangeResponse{}
	err := h.db.InTenant(ctx, caller.OrgID, func(ctx context.Context, tx pgx.Tx) error {
		found, err := catalogdb.Changes(ctx, tx, caller.OrgID, catalogdb.ChangeFilter{ID: changeID, Metadata: true}, 1)
		if err != nil {
			return err
		}
		if len(found) == 0 {
			return errNoChange
		}
		response.Change, err = changeMessage(found[0])
		return err
	}, postgres.ReadOnly())
	return response, err
}

// ListServiceActivity gives what happened about a service, the newest first.
func (h *Changes) ListServiceActivity(ctx context.Context, request *nightbellv1.ListServiceActivityRequest) (*nightbellv1.ListServiceActivityResponse, error) {
	caller, _ := auth.ActorFrom(ctx)
	serviceID, _ := id.Parse(request.GetId())
	var place catalogdb.ChangeFilter
	limit, err := h.place(caller.OrgID, request.GetLimit(), request.GetCursor(), &place)
	if err != nil {
		return nil, err
	}
	response := &nightbellv1.ListServiceActivityResponse{}
	err = h.db.InTenant(ctx, caller.OrgID, func(ctx context.Context, tx pgx.Tx) error {
		if exists, err := catalogdb.ServiceExists(ctx, tx, caller.OrgID, serviceID); err != nil || !exists {
			return cmp.Or(err, error(errNoService))
		}
		entries, err := activity.OfService(ctx, tx, caller.OrgID, serviceID, place.BeforeAt, place.BeforeID, limit+1)
		response.Activity, response.NextCursor = page.Next(entries, limit, func(last *nightbellv1.ServiceActivity) string {
			return page.Encode(caller.OrgID, last.GetAt().AsTime(), uuid.MustParse(last.GetId()))
		})
		return err
	}, postgres.ReadOnly(), postgres.InOrder())
	return response, err
}

func changeMessage(change catalogdb.Change) (*nightbellv1.Change, error) {
	message := &nightbellv1.Change{
		Id: change.ID.String(), Kind: change.Kind, Summary: change.Summary,
		Service: &nightbellv1.Reference{Id: change.ServiceID.String(), Name: change.ServiceName},
		Version: known(change.Version), Environment: known(change.Environment), Author: known(change.Author),
		OccurredAt: timestamppb.New(change.OccurredAt),
	}
	var links []struct{ Href, Text string }
	if err := json.Unmarshal(change.Links, &links); err != nil {
		return nil, err
	}
	for _, link := range links {
		message.Links = append(message.Links, &nightbellv1.ChangeLink{Href: link.Href, Text: known(link.Text)})
	}
	if change.Metadata != nil {
		message.Metadata = &structpb.Struct{}
		return message, protojson.Unmarshal(change.Metadata, message.Metadata)
	}
	return message, nil
}

// known is text, or absent when it is empty.
func known(text string) *string {
	if text == "" {
		return nil
	}
	return &text
}
