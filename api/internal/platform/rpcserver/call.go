package rpcserver

import (
	"context"
	"net/http"
	"net/netip"

	"google.golang.org/protobuf/proto"
	"google.golang.org/protobuf/reflect/protoreflect"

	nightbellv1 "github.com/nightbell/nightbell/api/gen/nightbell/v1"
)

// Transport is how a call came in.
type Transport string

// The transports. A step that treats them differently is almost surely wrong.
const (
	Connect Transport = "connect"
	GRPC    Transport = "grpc"
	GRPCWeb Transport = "grpc-web"
	REST    Transport = "rest"
)

// Call is what is known about one RPC besides its message.
type Call struct {
	// Procedure is "/nightbell.v1.IncidentService/GetIncident".
	Procedure string
	Method    protoreflect.MethodDescriptor
	// Authz is never nil: a method without the option cannot be mounted.
	Authz *nightbellv1.Authz
	// Header is the request's.
	Header http.Header
	// ResponseHeader is sent with the answer, also when it is a refusal.
	ResponseHeader http.Header
	// Peer is the caller's address as far as trusted proxies vouch for it; invalid when unknown.
	Peer netip.Addr
	// Share is set by Admit.
	Share     Share
	RequestID string
	Transport Transport
	// Stream is true when the answer is a stream of messages.
	Stream bool
}

// Next continues with the following step and at last calls the method.
type Next func(ctx context.Context, message proto.Message) (proto.Message, error)

// Step is one rule that every call obeys, whatever its transport. It may refuse by returning a
// fault, change the message in place, answer itself, or add to the context. For a stream the
// message is the request and the message that next returns is nil.
type Step func(ctx context.Context, call *Call, message proto.Message, next Next) (proto.Message, error)

// run sends a message through the steps and then to the method.
func run(ctx context.Context, steps []Step, call *Call, message proto.Message, method Next) (proto.Message, error) {
	if len(steps) == 0 {
		return method(ctx, message)
	}
	return steps[0](ctx, call, message, func(ctx context.Context, message proto.Message) (proto.Message, error) {
		return run(ctx, steps[1:], call, message, method)
	})
}

type callKey struct{}

func withCall(ctx context.Context, call *Call) context.Context {
	return context.WithValue(ctx, callKey{}, call)
}

// CallFrom gives a method its own call, to read a request header or set one of the answer. It is
// nil outside of a mounted method.
func CallFrom(ctx context.Context) *Call {
	call, _ := ctx.Value(callKey{}).(*Call)
	return call
}
