package subscriptionrpc

import (
	"context"
	"errors"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"
	"google.golang.org/protobuf/types/known/timestamppb"

	nightbellv1 "github.com/nightbell/nightbell/api/gen/nightbell/v1"
	"github.com/nightbell/nightbell/api/internal/kernel/fault"
	"github.com/nightbell/nightbell/api/internal/kernel/id"
	"github.com/nightbell/nightbell/api/internal/kernel/page"
	"github.com/nightbell/nightbell/api/internal/platform/postgres"
	"github.com/nightbell/nightbell/api/internal/subscription"
	"github.com/nightbell/nightbell/api/internal/subscription/subscriptiondb"
)

func readDelivery(ctx context.Context, c call, subscriptionID, deliveryID uuid.UUID) (*nightbellv1.WebhookDelivery, error) {
	own, err := subscriptiondb.GetDelivery(ctx, c.tx, c.caller.OrgID, subscriptionID, deliveryID)
	if errors.Is(err, pgx.ErrNoRows) {
		return nil, errNoDelivery
	}
	return deliveryMessage(own), err
}

// ListWebhookDeliveries gives the newest first.
func (h *Handler) ListWebhookDeliveries(ctx context.Context, request *nightbellv1.ListWebhookDeliveriesRequest) (*nightbellv1.ListWebhookDeliveriesResponse, error) {
	response := &nightbellv1.ListWebhookDeliveriesResponse{}
	subscriptionID, _ := id.Parse(request.GetId())
	err := h.in(ctx, func(ctx context.Context, c call) error {
		if _, err := h.read(ctx, c, subscriptionID); err != nil {
			return err
		}
		most, before, err := place(c, request.GetLimit(), request.GetCursor())
		if err != nil {
			return err
		}
		list, err := subscriptiondb.ListDeliveries(ctx, c.tx, c.caller.OrgID, subscriptionID, request.GetStatus(), before, most+1)
		list, response.NextCursor = page.Next(list, most, func(last subscriptiondb.Delivery) string {
			return page.Encode(c.caller.OrgID, last.CreatedAt, last.ID)
		})
		for _, own := range list {
			response.WebhookDeliveries = append(response.WebhookDeliveries, deliveryMessage(own))
		}
		return err
	}, postgres.ReadOnly())
	return response, err
}

// RedeliverWebhook makes a delivery due again.
func (h *Handler) RedeliverWebhook(ctx context.Context, request *nightbellv1.RedeliverWebhookRequest) (*nightbellv1.RedeliverWebhookResponse, error) {
	response := &nightbellv1.RedeliverWebhookResponse{}
	subscriptionID, _ := id.Parse(request.GetId())
	deliveryID, _ := id.Parse(request.GetDeliveryId())
	err := h.in(ctx, func(ctx context.Context, c call) error {
		if err := h.enabled(ctx, c, subscriptionID); err != nil {
			return err
		}
		own, err := readDelivery(ctx, c, subscriptionID, deliveryID)
		if err == nil {
			err = mayTell(c.caller, []string{own.GetEventType()})
		}
		if err != nil {
			return err
		}
		if err := subscriptiondb.Redeliver(ctx, c.tx, c.caller.OrgID, subscriptionID, deliveryID, c.now); err != nil {
			return err
		}
		response.WebhookDelivery, err = readDelivery(ctx, c, subscriptionID, deliveryID)
		return err
	})
	if err == nil {
		h.wake()
	}
	return response, err
}

// ReplayWebhookEvents moves the cursor of a subscription back.
func (h *Handler) ReplayWebhookEvents(ctx context.Context, request *nightbellv1.ReplayWebhookEventsRequest) (*nightbellv1.ReplayWebhookEventsResponse, error) {
	response := &nightbellv1.ReplayWebhookEventsResponse{}
	subscriptionID, _ := id.Parse(request.GetId())
	err := h.in(ctx, func(ctx context.Context, c call) error {
		if err := h.enabled(ctx, c, subscriptionID); err != nil {
			return err
		}
		if request.GetSince() == nil {
			return fault.InvalidField("since", fault.Required, "Say since when events are to be delivered again.")
		}
		since := request.GetSince().AsTime()
		if since.After(c.now) || c.now.Sub(since) > subscription.LongestReplay {
			return fault.InvalidField("since", fault.OutOfRange, "Choose a time of the last 30 days.")
		}
		replayed, err := subscriptiondb.Replay(ctx, c.tx, c.caller.OrgID, subscriptionID, since)
		if err := orMissing(replayed, err); err != nil {
			return err
		}
		response.WebhookSubscription, err = h.read(ctx, c, subscriptionID)
		return err
	})
	if err == nil {
		h.wake()
	}
	return response, err
}

func deliveryMessage(own subscriptiondb.Delivery) *nightbellv1.WebhookDelivery {
	m := &nightbellv1.WebhookDelivery{
		Id: own.ID.String(), EventId: own.EventID.String(), EventType: own.EventType, Status: own.Status, AttemptCount: int32(own.Attempts),
		ResponseStatus: own.ResponseStatus, Detail: own.Detail, CreatedAt: timestamppb.New(own.CreatedAt), FinishedAt: moment(own.FinishedAt),
	}
	if own.FinishedAt == nil {
		m.NextTryAt = timestamppb.New(own.NextTryAt)
	}
	return m
}
