package authrpc

import (
	"context"

	"google.golang.org/protobuf/proto"

	nightbellv1 "github.com/nightbell/nightbell/api/gen/nightbell/v1"
	"github.com/nightbell/nightbell/api/internal/auth"
	"github.com/nightbell/nightbell/api/internal/platform/rpcserver"
)

// Authorize is the step that lets only those call a method whom the method's own
// option names (nightbell.v1.authz). A method without the option is closed to all.
func Authorize(ctx context.Context, call *rpcserver.Call, message proto.Message, next rpcserver.Next) (proto.Message, error) {
	actor, _ := auth.ActorFrom(ctx)
	if err := auth.Allow(ruleOf(call.Authz), actor); err != nil {
		return nil, err
	}
	return next(ctx, message)
}

func ruleOf(option *nightbellv1.Authz) *auth.Rule {
	if option == nil {
		return nil
	}
	return &auth.Rule{Public: option.GetPublic(), Role: auth.Role(option.GetRole()), Scope: auth.Scope(option.GetScope())}
}
