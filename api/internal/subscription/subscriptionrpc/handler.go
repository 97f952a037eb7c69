// Package subscriptionrpc answers the calls about webhook subscriptions and their deliveries.
package subscriptionrpc

import (
	"context"
	"errors"
	"slices"
	"strings"
	"time"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"
	"google.golang.org/protobuf/types/known/timestamppb"

	nightbellv1 "github.com/nightbell/nightbell/api/gen/nightbell/v1"
	"github.com/nightbell/nightbell/api/internal/auth"
	"github.com/nightbell/nightbell/api/internal/kernel/fault"
	"github.com/nightbell/nightbell/api/internal/kernel/id"
	"github.com/nightbell/nightbell/api/internal/kernel/page"
	"github.com/nightbell/nightbell/api/internal/kernel/plaintext"
	"github.com/nightbell/nightbell/api/internal/notify"
	"github.com/nightbell/nightbell/api/internal/platform/postgres"
	"github.com/nightbell/nightbell/api/internal/platform/rpcserver/edit"
	"github.com/nightbell/nightbell/api/internal/platform/secret"
	"github.com/nightbell/nightbell/api/internal/subscription"
	"github.com/nightbell/nightbell/api/internal/subscription/subscriptiondb"
)

var (
	errNotFound   = fault.New(fault.NotFound, "webhook_subscription_not_found", "Webhook subscription not found")
	errNoDelivery = fault.New(fault.NotFound, "webhook_delivery_not_found", "Webhook delivery not found")
	errTooMany    = fault.Newf(fault.Conflict, "too_many_webhook_subscriptions",
		"Your organization has %d webhook subscriptions, and may have no more. Delete one that nobody uses.", subscription.MostOfOrg)
	errLostKey = fault.New(fault.Conflict, "sealed_with_another_key",
		"The data key that sealed this address is lost, so that only its host is known. Enter the address again.")
	errDisabled = fault.New(fault.Conflict, "webhook_subscription_disabled", "The subscription is disabled, so nothing is delivered. Enable it first.")
)

// shownAtOnce is a list's page when the caller does not say.
const shownAtOnce = 50

// Handler implements nightbellv1connect.WebhookSubscriptionServiceHandler.
type Handler struct {
	db       *postgres.DB
	box      *secret.Box
	checkURL func(url string) error
	wake     func()
}

// New makes a handler. CheckURL says whether an address that a tenant gave may be called; wake is
// called when something is due.
func New(db *postgres.DB, box *secret.Box, checkURL func(url string) error, wake func()) *Handler {
	return &Handler{db: db, box: box, checkURL: checkURL, wake: wake}
}

type call struct {
	tx     pgx.Tx
	caller auth.Actor
	now    time.Time
}

func (h *Handler) in(ctx context.Context, do func(context.Context, call) error, options ...postgres.TxOption) error {
	caller, _ := auth.ActorFrom(ctx)
	return h.db.InTenant(ctx, caller.OrgID, func(ctx context.Context, tx pgx.Tx) error {
		now, err := postgres.Now(ctx, tx)
		if err != nil {
			return err
		}
		return do(ctx, call{tx, caller, now})
	}, options...)
}

// CreateWebhookSubscription adds one that is told what happens from now on.
func (h *Handler) CreateWebhookSubscription(ctx context.Context, request *nightbellv1.CreateWebhookSubscriptionRequest) (*nightbellv1.CreateWebhookSubscriptionResponse, error) {
	caller, _ := auth.ActorFrom(ctx)
	own, err := h.asked(request, caller.OrgID, id.New())
	if err == nil {
		err = mayTell(caller, own.Types)
	}
	if err != nil {
		return nil, err
	}
	signing, text := notify.NewSigningSecret()
	response := &nightbellv1.CreateWebhookSubscriptionResponse{Secret: text}
	err = h.in(ctx, func(ctx context.Context, c call) error {
		if n, err := subscriptiondb.Count(ctx, c.tx, c.caller.OrgID); err != nil {
			return err
		} else if n >= subscription.MostOfOrg {
			return errTooMany
		}
		if err := known(ctx, c, own.Filter); err != nil {
			return err
		}
		if err := noteHealth(ctx, c, own.Filter); err != nil {
			return err
		}
		sealed := h.box.Seal(signing, subscription.SecretPlace(c.caller.OrgID, own.ID))
		if err := subscriptiondb.Insert(ctx, c.tx, c.caller.OrgID, own, sealed, c.now); err != nil {
			return err
		}
		response.WebhookSubscription, err = h.read(ctx, c, own.ID)
		return err
	})
	if err == nil {
		h.wake()
	}
	return response, err
}

// UpdateWebhookSubscription changes what the request names.
func (h *Handler) UpdateWebhookSubscription(ctx context.Context, request *nightbellv1.UpdateWebhookSubscriptionRequest) (*nightbellv1.UpdateWebhookSubscriptionResponse, error) {
	response := &nightbellv1.UpdateWebhookSubscriptionResponse{}
	subscriptionID, _ := id.Parse(request.GetId())
	err := h.in(ctx, func(ctx context.Context, c call) error {
		locked, err := subscriptiondb.Lock(ctx, c.tx, c.caller.OrgID, subscriptionID)
		if err := orMissing(locked, err); err != nil {
			return err
		}
		current := func() (*nightbellv1.WebhookSubscription, error) { return h.read(ctx, c, subscriptionID) }
		response.WebhookSubscription, err = edit.Apply(request, current, func(whole *nightbellv1.UpdateWebhookSubscriptionRequest) error {
			return h.change(ctx, c, subscriptionID, whole)
		})
		return err
	})
	if err = edit.Done(err); err == nil {
		h.wake()
	}
	return response, err
}

// change stores the completed request of an update.
func (h *Handler) change(ctx context.Context, c call, subscriptionID uuid.UUID, whole *nightbellv1.UpdateWebhookSubscriptionRequest) error {
	before, err := subscriptiondb.Get(ctx, c.tx, c.caller.OrgID, subscriptionID)
	if err != nil {
		return err
	}
	url, err := h.open(c.caller.OrgID, before)
	if err != nil && whole.GetUrl() == before.Hint && whole.Enabled != nil && !whole.GetEnabled() {
		before.Enabled = false
		return subscriptiondb.Update(ctx, c.tx, c.caller.OrgID, before, false, c.now)
	}
	if err != nil && whole.GetUrl() == before.Hint {
		return fault.InvalidField("url", fault.Required, "The data key that sealed the address is lost. Send the whole address, too, and make a new secret.")
	}
	next, err := h.asked(whole, c.caller.OrgID, subscriptionID)
	if err == nil {
		err = mayTell(c.caller, next.Types)
	}
	if err != nil {
		return err
	}
	moved := strings.TrimSpace(whole.GetUrl()) != url
	if moved { // what waits goes to the new address, whatever is told from now on
		waiting, err := subscriptiondb.WaitingTypes(ctx, c.tx, c.caller.OrgID, subscriptionID)
		if err == nil {
			err = mayTell(c.caller, append(waiting, before.Types...))
		}
		if err != nil {
			return err
		}
	}
	// What the filter names already may have been deleted since; that refuses no other edit.
	if err := known(ctx, c, next.Without(before.Filter)); err != nil {
		return err
	}
	if err := noteHealth(ctx, c, next.Filter); err != nil {
		return err
	}
	next.Enabled = whole.GetEnabled()
	if whole.Enabled == nil && edit.Names(whole, "enabled") {
		next.Enabled = true // null clears, and a subscription of which nothing is said is enabled
	}
	return subscriptiondb.Update(ctx, c.tx, c.caller.OrgID, next, moved, c.now)
}

// configured is what creating and updating have in common.
type configured interface {
	GetName() string
	GetUrl() string
	GetEventTypes() []string
	GetFilter() *nightbellv1.WebhookFilter
}

// asked checks what can be checked without the database, and seals the address.
func (h *Handler) asked(request configured, orgID, subscriptionID uuid.UUID) (subscriptiondb.Subscription, error) {
	url := strings.TrimSpace(request.GetUrl())
	own := subscriptiondb.Subscription{
		ID: subscriptionID, Name: strings.TrimSpace(request.GetName()),
		URLSealed: h.box.Seal([]byte(url), subscription.URLPlace(orgID, subscriptionID)), Hint: edit.Shorten(url),
	}
	if own.Name == "" || plaintext.Check(own.Name) != "" {
		return own, fault.InvalidField("name", fault.BadFormat, "Give it a name without control and invisible characters.")
	}
	if edit.IsShortened(url) {
		return own, fault.InvalidField("url", fault.BadFormat, "This is an address as it is shown, with its host only. Send the whole of it, or leave it out.")
	}
	if err := h.checkURL(url); err != nil {
		return own, fault.InvalidField("url", fault.BadFormat, err.Error())
	}
	own.Types = slices.Compact(slices.Sorted(slices.Values(request.GetEventTypes())))
	for _, eventType := range own.Types {
		if !slices.Contains(subscription.Types(), eventType) {
			return own, fault.InvalidField("event_types", fault.NotOneOf, "There is no such type of event. Choose among "+strings.Join(subscription.Types(), ", ")+".")
		}
	}
	filter := request.GetFilter()
	own.Services, own.Teams, own.Severities = keys(filter.GetServiceIds()), keys(filter.GetTeamIds()), filter.GetSeverities()
	return own, nil
}

// mayTell refuses a key that would read of incidents by events what it may not read by calls.
func mayTell(caller auth.Actor, eventTypes []string) error {
	if slices.ContainsFunc(eventTypes, subscription.OfIncident) {
		return caller.MayTell(auth.IncidentsRead)
	}
	return nil
}

// keys reads ids, each once; text that is no id names nothing.
func keys(texts []string) []uuid.UUID {
	list := make([]uuid.UUID, len(texts))
	for i, text := range texts {
		list[i], _ = id.Parse(text)
	}
	slices.SortFunc(list, func(a, b uuid.UUID) int { return slices.Compare(a[:], b[:]) })
	return slices.Compact(list)
}

func known(ctx context.Context, c call, filter subscription.Filter) error {
	services, teams, err := subscriptiondb.Unknown(ctx, c.tx, c.caller.OrgID, filter)
	switch {
	case err != nil:
		return err
	case services > 0:
		return fault.InvalidField("filter.service_ids", fault.Missing, "One of these services does not exist.")
	case teams > 0:
		return fault.InvalidField("filter.team_ids", fault.Missing, "One of these teams does not exist.")
	default:
		return nil
	}
}

// noteHealth says how services are before somebody is told of changes of their health.
func noteHealth(ctx context.Context, c call, filter subscription.Filter) error {
	if !slices.Contains(filter.Types, subscription.HealthChanged) {
		return nil
	}
	return subscriptiondb.NoteHealth(ctx, c.tx, c.caller.OrgID, c.now)
}

// open gives the address of a subscription, which does not open once the data key is lost.
func (h *Handler) open(orgID uuid.UUID, own subscriptiondb.Subscription) (url string, err error) {
	opened, err := h.box.Open(own.URLSealed, subscription.URLPlace(orgID, own.ID))
	return string(opened), err
}

func (h *Handler) read(ctx context.Context, c call, subscriptionID uuid.UUID) (*nightbellv1.WebhookSubscription, error) {
	own, err := subscriptiondb.Get(ctx, c.tx, c.caller.OrgID, subscriptionID)
	switch {
	case errors.Is(err, pgx.ErrNoRows):
		return nil, errNotFound
	case err != nil:
		return nil, err
	}
	return h.message(c, own), nil
}

// ListWebhookSubscriptions gives the newest first.
func (h *Handler) ListWebhookSubscriptions(ctx context.Context, request *nightbellv1.ListWebhookSubscriptionsRequest) (*nightbellv1.ListWebhookSubscriptionsResponse, error) {
	response := &nightbellv1.ListWebhookSubscriptionsResponse{}
	err := h.in(ctx, func(ctx context.Context, c call) error {
		most, before, err := place(c, request.GetLimit(), request.GetCursor())
		if err != nil {
			return err
		}
		list, err := subscriptiondb.List(ctx, c.tx, c.caller.OrgID, before, most+1)
		list, response.NextCursor = page.Next(list, most, func(last subscriptiondb.Subscription) string {
			return page.Encode(c.caller.OrgID, last.CreatedAt, last.ID)
		})
		for _, own := range list {
			response.WebhookSubscriptions = append(response.WebhookSubscriptions, h.message(c, own))
		}
		return err
	}, postgres.ReadOnly())
	return response, err
}

// place is how many to list, and the id that all of them are less than: keys are made in the order
// of time.
func place(c call, limit int32, cursor string) (most int, before uuid.UUID, err error) {
	if most = int(limit); most == 0 {
		most = shownAtOnce
	}
	if cursor == "" {
		return most, uuid.Max, nil
	}
	_, key, err := page.Decode(c.caller.OrgID, cursor)
	return most, key, err
}

// GetWebhookSubscription reads one.
func (h *Handler) GetWebhookSubscription(ctx context.Context, request *nightbellv1.GetWebhookSubscriptionRequest) (*nightbellv1.GetWebhookSubscriptionResponse, error) {
	response := &nightbellv1.GetWebhookSubscriptionResponse{}
	subscriptionID, _ := id.Parse(request.GetId())
	err := h.in(ctx, func(ctx context.Context, c call) (err error) {
		response.WebhookSubscription, err = h.read(ctx, c, subscriptionID)
		return err
	}, postgres.ReadOnly())
	return response, err
}

// GetWebhookSubscriptionKey shows the whole address.
func (h *Handler) GetWebhookSubscriptionKey(ctx context.Context, request *nightbellv1.GetWebhookSubscriptionKeyRequest) (*nightbellv1.GetWebhookSubscriptionKeyResponse, error) {
	response := &nightbellv1.GetWebhookSubscriptionKeyResponse{}
	subscriptionID, _ := id.Parse(request.GetId())
	err := h.in(ctx, func(ctx context.Context, c call) error {
		own, err := h.read(ctx, c, subscriptionID)
		if err == nil && edit.IsShortened(own.GetUrl()) {
			return errLostKey
		}
		response.Url = own.GetUrl()
		return err
	}, postgres.ReadOnly())
	return response, err
}

// DeleteWebhookSubscription removes one with its deliveries.
func (h *Handler) DeleteWebhookSubscription(ctx context.Context, request *nightbellv1.DeleteWebhookSubscriptionRequest) (*nightbellv1.DeleteWebhookSubscriptionResponse, error) {
	subscriptionID, _ := id.Parse(request.GetId())
	err := h.in(ctx, func(ctx context.Context, c call) error {
		locked, err := subscriptiondb.Lock(ctx, c.tx, c.caller.OrgID, subscriptionID)
		if err := orMissing(locked, err); err != nil {
			return err
		}
		current := func() (*nightbellv1.WebhookSubscription, error) { return h.read(ctx, c, subscriptionID) }
		if err := edit.IfMatch[*nightbellv1.UpdateWebhookSubscriptionRequest](request.GetEtag(), current); err != nil {
			return err
		}
		deleted, err := subscriptiondb.Delete(ctx, c.tx, c.caller.OrgID, subscriptionID)
		return orMissing(deleted, err)
	})
	return &nightbellv1.DeleteWebhookSubscriptionResponse{}, err
}

func orMissing(found bool, err error) error {
	if err == nil && !found {
		return errNotFound
	}
	return err
}

// RotateWebhookSecret makes a new secret; the old one signs for 24 hours, too.
func (h *Handler) RotateWebhookSecret(ctx context.Context, request *nightbellv1.RotateWebhookSecretRequest) (*nightbellv1.RotateWebhookSecretResponse, error) {
	signing, text := notify.NewSigningSecret()
	response := &nightbellv1.RotateWebhookSecretResponse{Secret: text}
	subscriptionID, _ := id.Parse(request.GetId())
	err := h.in(ctx, func(ctx context.Context, c call) error {
		sealed := h.box.Seal(signing, subscription.SecretPlace(c.caller.OrgID, subscriptionID))
		rotated, err := subscriptiondb.Rotate(ctx, c.tx, c.caller.OrgID, subscriptionID, sealed, c.now.Add(subscription.BothSecrets), c.now)
		if err := orMissing(rotated, err); err != nil {
			return err
		}
		response.WebhookSubscription, err = h.read(ctx, c, subscriptionID)
		return err
	})
	return response, err
}

// TestWebhookSubscription queues an event that is none.
func (h *Handler) TestWebhookSubscription(ctx context.Context, request *nightbellv1.TestWebhookSubscriptionRequest) (*nightbellv1.TestWebhookSubscriptionResponse, error) {
	response := &nightbellv1.TestWebhookSubscriptionResponse{}
	subscriptionID, _ := id.Parse(request.GetId())
	err := h.in(ctx, func(ctx context.Context, c call) error {
		if err := h.enabled(ctx, c, subscriptionID); err != nil {
			return err
		}
		payload, err := subscription.TestPayload(subscription.Actor{Kind: string(c.caller.Kind), ID: c.caller.ID()}, c.now)
		if err != nil {
			return err
		}
		event, deliveryID := subscriptiondb.Event{ID: id.New(), Type: subscription.Test, Payload: payload}, id.New()
		if err := subscriptiondb.InsertTest(ctx, c.tx, c.caller.OrgID, subscriptionID, deliveryID, event, c.now); err != nil {
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

func (h *Handler) enabled(ctx context.Context, c call, subscriptionID uuid.UUID) error {
	own, err := h.read(ctx, c, subscriptionID)
	if err == nil && !own.GetEnabled() {
		return errDisabled
	}
	return err
}

func (h *Handler) message(c call, own subscriptiondb.Subscription) *nightbellv1.WebhookSubscription {
	url, err := h.open(c.caller.OrgID, own)
	if err != nil {
		url = own.Hint
	}
	m := &nightbellv1.WebhookSubscription{
		Id: own.ID.String(), Name: own.Name, Url: url, EventTypes: own.Types, Filter: &nightbellv1.WebhookFilter{Severities: own.Severities},
		Enabled: own.Enabled, DisabledReason: postgres.Null(own.DisabledReason), FailingSinceAt: moment(own.FailingSince),
		CreatedAt: timestamppb.New(own.CreatedAt), UpdatedAt: timestamppb.New(own.UpdatedAt),
	}
	if own.OldSecretUntil != nil && own.OldSecretUntil.After(c.now) {
		m.OldSecretExpiresAt = moment(own.OldSecretUntil)
	}
	for _, service := range own.Services {
		m.Filter.ServiceIds = append(m.Filter.ServiceIds, service.String())
	}
	for _, team := range own.Teams {
		m.Filter.TeamIds = append(m.Filter.TeamIds, team.String())
	}
	return m
}

func moment(at *time.Time) *timestamppb.Timestamp {
	if at == nil {
		return nil
	}
	return timestamppb.New(*at)
}
