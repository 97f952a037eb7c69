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

// KeepChange implements ingest.ChangeStore. A repeated call writes too (design rule 3).
func (c changeStore) KeepChange(ctx context.Context, route ingest.Route, change event.Change) (replayed, mismatch bool, err error) {
	err = c.db.InTenant(ctx, route.OrgID, func(ctx context.Context, tx pgx.Tx) error {
		return tx.QueryRow(ctx, `
			INSERT INTO change_event AS c (org_id, id, service_id, kind, description, link, version, environment, author, links, metadata, request_hash, occurred_at)
			VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, least(coalesce($13, nightbell_now()), nightbell_now()))
			ON CONFLICT (org_id, id) DO UPDATE SET occurred_at = c.occurred_at
			RETURNING xmax <> 0, c.request_hash IS DISTINCT FROM $12 OR c.service_id <> $3`,
			route.OrgID, change.ID, route.ServiceID, change.Kind, change.Summary, change.Link, change.Version, change.Environment, change.Author,
			change.Links, change.Metadata, change.Hash[:], postgres.Null(change.OccurredAt)).Scan(&replayed, &mismatch)
	})
	return replayed, mismatch, err
}
