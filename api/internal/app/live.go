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
	"github.com/nightbell/nightbell/api/internal/demo"
	"github.com/nightbell/nightbell/api/internal/platform/callquota"
	"github.com/nightbell/nightbell/api/internal/platform/live"
	"github.com/nightbell/nightbell/api/internal/platform/postgres"
	"github.com/nightbell/nightbell/api/internal/platform/rpcserver"
	"github.com/nightbell/nightbell/api/internal/subscription"
	"github.com/nightbell/nightbell/api/internal/view/incidents"
)

// newHub makes the live feed: the timeline of an organization, as it grows.
func (s *server) newHub() *live.Hub {
	hub := live.New(live.Source{Read: s.readFeed, Newest: s.newestInFeed, Allowed: s.mayFollow}, s.logger)
	hub.PerOrg = s.quotas.Streams
	return hub
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

// feedEvent names an entry as webhook subscriptions know it.
func feedEvent(row *nightbellv1.TimelineEntry) (live.Event, error) {
	data, err := protojson.MarshalOptions{UseProtoNames: true}.Marshal(row)
	return live.Event{Seq: int64(row.GetSeq()), Kind: subscription.StreamName(row.GetKind()), Data: data}, err
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

// followerKey is where the context of a stream has the question whether its caller may
// still call.
type followerKey struct{}

// mayFollow asks whether token, session and membership of the caller who opened a stream
// still hold. A database that is away ends no stream.
func (s *server) mayFollow(ctx context.Context, _ uuid.UUID) error {
	ask, ok := ctx.Value(followerKey{}).(func() (auth.Actor, error))
	if !ok {
		return auth.ErrNoToken
	}
	_, err := ask()
	if away := classify(err); away != nil {
		return away
	}
	return err
}

// stream serves the live feed to a signed-in caller.
func (s *server) stream(callers *authrpc.Authenticator, calls *callquota.Quota) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		ask := func() (auth.Actor, error) {
			caller, err := callers.FromRequest(r)
			if err != nil {
				return caller, err
			}
			return caller, caller.Holds(auth.IncidentsRead)
		}
		caller, err := ask()
		counted := authrpc.CountedAs(r.Context(), caller, demo.GuestID())
		if err == nil {
			err = calls.Count(*counted, w.Header())
		}
		if err != nil {
			rpcserver.WriteError(w, r, err)
			return
		}
		s.hub.Serve(w, r.WithContext(context.WithValue(r.Context(), followerKey{}, ask)), caller.OrgID, *counted)
	})
}

// listenAcrossReplicas connects the hubs of all replicas. One process alone has
// nobody to listen to; behind a connection pooler nothing would be heard, and screens look
// for what other replicas did every two seconds.
func (s *server) listenAcrossReplicas(ctx context.Context) {
	switch {
	case s.embedded():
		return
	case s.db.Pooled():
		s.logger.InfoContext(ctx, "DATABASE_URL leads through a connection pooler: what happens on another replica is shown up to two seconds later")
		return
	}
	s.hub.Listen(ctx, s.db.Dedicated,
		func(ctx context.Context, channel, payload string) error {
			return s.db.InSystem(ctx, postgres.Background, func(ctx context.Context, tx pgx.Tx) error {
				_, err := tx.Exec(ctx, `SELECT pg_notify($1, $2)`, channel, payload)
				return err
			})
		})
}
