package app

import (
	"context"
	"net/http"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"
	"google.golang.org/protobuf/encoding/protojson"

	nightbellv1 "github.com/nightbell/nightbell/api/gen/nightbell/v1"
	"github.com/nightbell/nightbell/api/internal/auth"
	"github.com/nightbell/nightbell/api/internal/auth/authrpc"
	"github.com/nightbell/nightbell/api/internal/platform/live"
	"github.com/nightbell/nightbell/api/internal/platform/postgres"
	"github.com/nightbell/nightbell/api/internal/platform/rpcserver"
	"github.com/nightbell/nightbell/api/internal/view/incidents"
)

// newHub makes the live feed: the timeline of an organization, as it grows.
func (s *server) newHub() *live.Hub {
	return live.New(live.Source{Read: s.readFeed, Newest: s.newestInFeed, Allowed: s.mayFollow}, s.logger)
}

func (s *server) readFeed(ctx context.Context, orgID uuid.UUID, after int64, limit int) ([]live.Event, error) {
	var events []live.Event
	err := s.inFeed(ctx, orgID, func(ctx context.Context, tx pgx.Tx) error {
		rows, err := incidents.Feed(ctx, tx, orgID, after, limit)
		for _, row := range rows {
			event, err := feedEvent(row)
			if err != nil {
				return err
			}
			events = append(events, event)
		}
		return err
	})
	return events, err
}

func feedEvent(row *nightbellv1.TimelineEvent) (live.Event, error) {
	data, err := protojson.MarshalOptions{UseProtoNames: true}.Marshal(row)
	return live.Event{Seq: int64(row.GetSeq()), Kind: row.GetKind(), Data: data}, err
}

func (s *server) newestInFeed(ctx context.Context, orgID uuid.UUID) (newest int64, err error) {
	err = s.inFeed(ctx, orgID, func(ctx context.Context, tx pgx.Tx) error {
		rows, err := incidents.Feed(ctx, tx, orgID, -1, 1)
		if len(rows) > 0 {
			newest = int64(rows[0].GetSeq())
		}
		return err
	})
	return newest, err
}

func (s *server) inFeed(ctx context.Context, orgID uuid.UUID, read func(context.Context, pgx.Tx) error) error {
	return s.db.InTenant(ctx, orgID, read, postgres.ReadOnly())
}

// mayFollow asks whether the person who opened a stream still belongs to the
// organization.
func (s *server) mayFollow(ctx context.Context, orgID uuid.UUID) error {
	caller, _ := auth.ActorFrom(ctx)
	if caller.Kind != auth.User {
		return nil
	}
	member, err := s.memberOf(ctx, orgID, caller.UserID)
	if err == nil && !member {
		return auth.ErrTokenExpired
	}
	return err
}

// stream serves the live feed to a signed-in caller.
func (s *server) stream(callers *authrpc.Authenticator) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		caller, err := callers.FromRequest(r)
		if err != nil {
			rpcserver.WriteError(w, r, err)
			return
		}
		s.hub.Serve(w, r.WithContext(auth.WithActor(r.Context(), caller)), caller.OrgID)
	})
}

// listenAcrossReplicas connects the hubs of all replicas. One process alone has
// nobody to listen to.
func (s *server) listenAcrossReplicas(ctx context.Context) {
	if s.embedded() {
		return
	}
	s.hub.Listen(ctx,
		func(ctx context.Context) (*pgx.Conn, error) { return s.db.Dedicated(ctx, postgres.Background) },
		func(ctx context.Context, channel, payload string) error {
			return s.db.InSystem(ctx, postgres.Background, func(ctx context.Context, tx pgx.Tx) error {
				_, err := tx.Exec(ctx, `SELECT pg_notify($1, $2)`, channel, payload)
				return err
			})
		})
}
