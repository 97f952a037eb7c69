package catalogrpc

import (
	"cmp"
	"context"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"
	"google.golang.org/protobuf/types/known/timestamppb"

	nightbellv1 "github.com/nightbell/nightbell/api/gen/nightbell/v1"
	"github.com/nightbell/nightbell/api/internal/auth"
	"github.com/nightbell/nightbell/api/internal/catalog/catalogdb"
	"github.com/nightbell/nightbell/api/internal/kernel/fault"
	"github.com/nightbell/nightbell/api/internal/kernel/id"
	"github.com/nightbell/nightbell/api/internal/platform/postgres"
)

var errNoSuchService = fault.InvalidField("service_id", fault.Missing, "Service not found")

// GetSenders says what calls about services, and when it did last.
func (h *Handler) GetSenders(ctx context.Context, request *nightbellv1.GetSendersRequest) (*nightbellv1.GetSendersResponse, error) {
	caller, _ := auth.ActorFrom(ctx)
	serviceID, _ := id.Parse(request.GetServiceId())
	response := &nightbellv1.GetSendersResponse{}
	err := h.db.InTenant(ctx, caller.OrgID, func(ctx context.Context, tx pgx.Tx) error {
		now, err := postgres.Now(ctx, tx)
		if err != nil {
			return err
		}
		if serviceID != uuid.Nil {
			if exists, err := catalogdb.ServiceExists(ctx, tx, caller.OrgID, serviceID); err != nil || !exists {
				return cmp.Or(err, error(errNoSuchService))
			}
		}
		senders, err := catalogdb.Senders(ctx, tx, caller.OrgID, serviceID, now)
		for _, one := range senders {
			response.Senders = append(response.Senders, &nightbellv1.Sender{
				Kind: string(one.Kind), Connected: one.Connected(now), ServiceCount: int32(one.ServiceCount),
				FirstCalledAt: timestamppb.New(one.FirstAt), LastCalledAt: timestamppb.New(one.LastAt),
			})
		}
		return err
	}, postgres.ReadOnly())
	return response, err
}
