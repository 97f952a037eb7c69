package app

import (
	"context"
	"net/http"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"

	"github.com/nightbell/nightbell/api/internal/auth"
	"github.com/nightbell/nightbell/api/internal/auth/authrpc"
	"github.com/nightbell/nightbell/api/internal/catalog/catalogdb"
	"github.com/nightbell/nightbell/api/internal/ingest"
	"github.com/nightbell/nightbell/api/internal/ingest/event"
	"github.com/nightbell/nightbell/api/internal/kernel/fault"
	"github.com/nightbell/nightbell/api/internal/platform/postgres"
)

// events is what programs report to, on the path of the webhooks.
func (s *server) events(handler *ingest.Handler, keys ingest.Keys, callers *authrpc.Authenticator) ingest.Events {
	return ingest.Events{
		Handler: handler, Senders: ingest.Senders{Keys: keys, APIKeys: senderKeys{s.db, callers}},
		IncidentURL: func(incidentID uuid.UUID) string { return s.PublicURL + "/incidents/" + incidentID.String() },
	}
}

// senderKeys lets API keys send what service keys send.
type senderKeys struct {
	db      *postgres.DB
	callers *authrpc.Authenticator
}

// Identify implements ingest.APIKeys.
func (k senderKeys) Identify(r *http.Request) (orgID uuid.UUID, name string, err error) {
	actor, err := k.callers.FromRequest(r)
	switch {
	case err != nil:
		return uuid.Nil, "", err
	case actor.Kind != auth.APIKey:
		return uuid.Nil, "", fault.New(fault.Unauthenticated, "wrong_key_kind",
			"This is the token of a signed-in person. Programs send events with a service key or an API key.")
	}
	return actor.OrgID, actor.Name, actor.Holds(auth.EventsWrite)
}

// DefaultRoute implements ingest.APIKeys.
func (k senderKeys) DefaultRoute(ctx context.Context, orgID uuid.UUID) (route ingest.Route, err error) {
	err = k.db.InSystem(ctx, postgres.Identity, func(ctx context.Context, tx pgx.Tx) error {
		route, err = catalogdb.DefaultRoute(ctx, tx, orgID)
		return err
	})
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
		return err
	})
	return replayed, mismatch, err
}
