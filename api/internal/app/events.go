package app

import (
	"context"
	"errors"
	"net/http"
	"time"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"

	"github.com/nightbell/nightbell/api/internal/auth"
	"github.com/nightbell/nightbell/api/internal/auth/authrpc"
	"github.com/nightbell/nightbell/api/internal/catalog/catalogdb"
	"github.com/nightbell/nightbell/api/internal/ingest"
	"github.com/nightbell/nightbell/api/internal/ingest/event"
	"github.com/nightbell/nightbell/api/internal/kernel/fault"
	"github.com/nightbell/nightbell/api/internal/platform/callquota"
	"github.com/nightbell/nightbell/api/internal/platform/postgres"
	"github.com/nightbell/nightbell/api/internal/subscription"
	"github.com/nightbell/nightbell/api/internal/subscription/subscriptiondb"
)

// events is what programs report to, on the path of the webhooks.
func (s *server) events(handler *ingest.Handler, keys ingest.Keys, callers *authrpc.Authenticator) ingest.Events {
	return ingest.Events{
		Handler: handler, Senders: ingest.Senders{Keys: keys, APIKeys: senderKeys{s.db, callers}},
		IncidentURL: func(incidentID uuid.UUID) string { return s.PublicURL + "/incidents/" + incidentID.String() },
		Quotas: ingest.Quotas{
			Events: s.sentQuota("events"), Changes: s.sentQuota("changes"), Samples: s.sentQuota("samples"), Pings: s.sentQuota("pings"),
		},
	}
}

// sentQuota counts apart what programs send of each kind: a loop that sends events must not keep
// back the pings of its service.
func (s *server) sentQuota(kind string) *callquota.Quota {
	return callquota.New(kind, s.quotas.SentPerMinute, time.Now)
}

// senderKeys lets API keys send what service keys send.
type senderKeys struct {
	db      *postgres.DB
	callers *authrpc.Authenticator
}

// Identify implements ingest.APIKeys.
func (k senderKeys) Identify(r *http.Request) (orgID uuid.UUID, name string, keyID uuid.UUID, err error) {
	actor, err := k.callers.FromRequest(r)
	switch {
	case err != nil:
		return uuid.Nil, "", uuid.Nil, err
	case actor.Kind != auth.APIKey:
		return uuid.Nil, "", uuid.Nil, fault.New(fault.Unauthenticated, "wrong_key_kind",
			"This is the token of a signed-in person. Programs send events with a service key or an API key.")
	}
	return actor.OrgID, actor.Name, actor.APIKeyID, actor.Holds(auth.EventsWrite)
}

// DefaultRoute implements ingest.APIKeys.
func (k senderKeys) DefaultRoute(ctx context.Context, orgID uuid.UUID) (route ingest.Route, err error) {
	err = k.db.InSystem(ctx, postgres.Identity, func(ctx context.Context, tx pgx.Tx) error {
		route, err = catalogdb.DefaultRoute(ctx, tx, orgID)
		return err
	})
	return route, err
}

// NamedRoute implements ingest.APIKeys.
func (k senderKeys) NamedRoute(ctx context.Context, orgID uuid.UUID, service string) (route ingest.Route, err error) {
	err = k.db.InTenant(ctx, orgID, func(ctx context.Context, tx pgx.Tx) error {
		route, err = catalogdb.NamedRoute(ctx, tx, orgID, service)
		if errors.Is(err, pgx.ErrNoRows) {
			return ingest.ErrUnknownKey
		}
		return err
	}, postgres.ReadOnly())
	return route, err
}

// changeStore keeps changes in the database.
type changeStore struct{ db *postgres.DB }

// KeepChange implements ingest.ChangeStore.
func (c changeStore) KeepChange(ctx context.Context, route ingest.Route, change event.Change) (replayed, mismatch bool, err error) {
	err = c.db.InTenant(ctx, route.OrgID, func(ctx context.Context, tx pgx.Tx) (err error) {
		replayed, mismatch, err = catalogdb.KeepChange(ctx, tx, route.OrgID, catalogdb.Change{
			ID: change.ID, ServiceID: route.ServiceID, Kind: change.Kind, Summary: change.Summary, Link: change.Link, Version: change.Version,
			Environment: change.Environment, Author: change.Author, Links: change.Links, Metadata: change.Metadata, OccurredAt: change.OccurredAt,
		}, change.Hash)
		if err != nil || replayed || mismatch {
			return err
		}
		return noteChange(ctx, tx, route, change)
	})
	return replayed, mismatch, err
}

// samplesLock is how long samples wait for others of the same minute.
const samplesLock = 2 * time.Second

// sampleStore keeps samples in the database.
type sampleStore struct{ db *postgres.DB }

// KeepSamples implements ingest.SampleStore.
func (s sampleStore) KeepSamples(ctx context.Context, route ingest.Route, samples event.Samples) (replayed, mismatch bool, err error) {
	err = s.db.InTenant(ctx, route.OrgID, func(ctx context.Context, tx pgx.Tx) error {
		now, err := postgres.Now(ctx, tx)
		if err != nil {
			return err
		}
		replayed, mismatch, err = catalogdb.KeepSamples(ctx, tx, route.OrgID, catalogdb.Samples{
			ServiceID: route.ServiceID, CallID: samples.ID, Hash: samples.Hash, Name: samples.Name, Unit: samples.Unit, Points: samples.Points,
		}, now)
		return err
	}, postgres.LockTimeout(samplesLock))
	return replayed, mismatch, err
}

// noteChange tells the live stream and webhook subscriptions of a new change.
func noteChange(ctx context.Context, tx pgx.Tx, route ingest.Route, change event.Change) error {
	now, err := postgres.Now(ctx, tx)
	if err != nil {
		return err
	}
	occurredAt := now
	if !change.OccurredAt.IsZero() && change.OccurredAt.Before(now) {
		occurredAt = change.OccurredAt
	}
	batch := &pgx.Batch{}
	err = subscriptiondb.QueueNews(batch, []subscription.News{{
		OrgID: route.OrgID, Type: subscription.ChangeCreated, Message: change.Summary, Subject: subscription.Subject{
			Service: &subscription.Named{ID: route.ServiceID, Name: route.ServiceName},
			Change: &subscription.Change{
				ID: change.ID, Summary: change.Summary, Kind: change.Kind, Version: change.Version, Environment: change.Environment,
				Author: change.Author, Links: change.Links, OccurredAt: occurredAt.UTC(),
			},
		},
	}}, now)
	if err != nil {
		return err
	}
	return tx.SendBatch(ctx, batch).Close()
}
