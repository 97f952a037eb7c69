package authrpc

import (
	"context"
	"errors"
	"time"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"
	"google.golang.org/protobuf/proto"
	"google.golang.org/protobuf/types/descriptorpb"

	nightbellv1 "github.com/nightbell/nightbell/api/gen/nightbell/v1"
	"github.com/nightbell/nightbell/api/internal/auth"
	"github.com/nightbell/nightbell/api/internal/kernel/fault"
	"github.com/nightbell/nightbell/api/internal/platform/rpcserver"
)

// Guest is the account with which anybody may look around.
type Guest struct{ UserID, OrgID uuid.UUID }

var (
	errNoDemo    = fault.New(fault.NotFound, "no_demo", "There is no demo workspace to look around here. Register to make one of your own.")
	errOnlyLooks = fault.New(fault.Denied, "only_looks", "Guests of the demo look around and change nothing. Register to have a workspace of your own.")
)

// OnlyLooks is the step that keeps one account, whatever its role, to what a viewer sees. Logging
// out and refreshing need no account, so they work. It follows Authenticate.
func OnlyLooks(account uuid.UUID) rpcserver.Step {
	return func(ctx context.Context, call *rpcserver.Call, message proto.Message, next rpcserver.Next) (proto.Message, error) {
		actor, ok := auth.ActorFrom(ctx)
		if !ok || actor.Kind != auth.User || actor.UserID != account || call.Authz.GetPublic() {
			return next(ctx, message)
		}
		options, _ := call.Method.Options().(*descriptorpb.MethodOptions)
		if options.GetIdempotencyLevel() != descriptorpb.MethodOptions_NO_SIDE_EFFECTS {
			return nil, errOnlyLooks
		}
		actor.Role = auth.Viewer
		return next(auth.WithActor(ctx, actor), message)
	}
}

// CountedAs is for whom calls and streams of an actor count; nil for nobody. One visitor must not use up the
// share of all guests, who have one account: each network has its own and, where everybody behind a proxy on
// this machine looks the same, each sign-in.
func CountedAs(ctx context.Context, actor auth.Actor, guest uuid.UUID) *uuid.UUID {
	if actor.Kind != auth.User || actor.UserID != guest {
		return actor.ID()
	}
	peer := rpcserver.Peer(ctx)
	if peer.IsLoopback() || !peer.IsValid() {
		return &actor.SessionID
	}
	return new(networkID(peer))
}

// EnterDemo signs a guest in.
func (s *AuthServer) EnterDemo(ctx context.Context, _ *nightbellv1.EnterDemoRequest) (*nightbellv1.EnterDemoResponse, error) {
	if s.guest == nil {
		return nil, errNoDemo
	}
	var answer signedIn
	err := s.atNow(ctx, func(ctx context.Context, tx pgx.Tx, now time.Time) (err error) {
		if err := s.limits.stranger(ctx, tx, "guests", rpcserver.Peer(ctx), now); err != nil {
			return err
		}
		grant := auth.Grant{UserID: s.guest.UserID, OrgID: s.guest.OrgID, Role: auth.Viewer}
		answer, err = s.sessions.beginBeside(ctx, tx, grant, userAgent(ctx), now, now)
		return err
	})
	if errors.Is(err, pgx.ErrNoRows) {
		return nil, errNoDemo // an owner of the workspace has removed them
	}
	if err != nil {
		return nil, err
	}
	return &nightbellv1.EnterDemoResponse{User: answer.user, Tokens: answer.tokens}, nil
}
