package rpcserver

import (
	"context"
	"fmt"
	"maps"
	"net/http"

	"connectrpc.com/connect"
	"google.golang.org/protobuf/proto"
	"google.golang.org/protobuf/reflect/protoreflect"
	"google.golang.org/protobuf/reflect/protoregistry"
	"google.golang.org/protobuf/types/known/emptypb"

	"github.com/nightbell/nightbell/api/internal/kernel/fault"
)

// policy runs the steps for Connect, gRPC and gRPC-Web.
type policy struct {
	server *Server
}

func (p *policy) call(ctx context.Context, spec connect.Spec, peer connect.Peer, header http.Header) (*Call, error) {
	known, ok := p.server.methods[spec.Procedure]
	if !ok {
		return nil, fmt.Errorf("%s was served without being mounted", spec.Procedure)
	}
	transport := Transport(peer.Protocol)
	switch peer.Protocol {
	case connect.ProtocolGRPC:
		transport = GRPC
	case connect.ProtocolGRPCWeb:
		transport = GRPCWeb
	}
	return known.call(ctx, transport, header), nil
}

// WrapUnary implements connect.Interceptor.
func (p *policy) WrapUnary(next connect.UnaryFunc) connect.UnaryFunc {
	return func(ctx context.Context, req connect.AnyRequest) (connect.AnyResponse, error) {
		requestFrom(ctx).large.end() // the library has parsed it
		call, err := p.call(ctx, req.Spec(), req.Peer(), req.Header())
		if err != nil {
			return nil, connectError(ctx, settled(ctx, err), nil)
		}
		message, _ := req.Any().(proto.Message)
		var reply connect.AnyResponse
		answer, err := run(withCall(ctx, call), p.server.steps, call, message,
			func(ctx context.Context, asked proto.Message) (proto.Message, error) {
				if asked != message {
					return nil, fmt.Errorf("%s: a step replaced the request; it may only change it", call.Procedure)
				}
				var err error
				if reply, err = next(ctx, req); err != nil {
					return nil, err
				}
				produced, ok := reply.Any().(proto.Message)
				if !ok || !produced.ProtoReflect().IsValid() {
					return nil, errNoAnswer(call.Procedure)
				}
				return produced, nil
			})
		if err != nil {
			return nil, connectError(ctx, settled(ctx, err), call.ResponseHeader)
		}
		return answered(reply, answer, call.ResponseHeader), nil
	}
}

// answered is the reply with the message that the steps settled on, which need not come from the
// method.
func answered(reply connect.AnyResponse, message proto.Message, header http.Header) connect.AnyResponse {
	if reply == nil {
		reply = connect.NewResponse(&emptypb.Empty{})
	}
	maps.Copy(reply.Header(), header)
	if reply.Any() == any(message) {
		return reply
	}
	return replaced{reply, message}
}

type replaced struct {
	connect.AnyResponse
	message proto.Message
}

func (r replaced) Any() any { return r.message }

// WrapStreamingClient implements connect.Interceptor; the server is no client.
func (p *policy) WrapStreamingClient(next connect.StreamingClientFunc) connect.StreamingClientFunc {
	return next
}

// WrapStreamingHandler implements connect.Interceptor. Only server streams can be mounted, so the
// request is one message: it is read here, goes through the steps, and is handed on.
func (p *policy) WrapStreamingHandler(next connect.StreamingHandlerFunc) connect.StreamingHandlerFunc {
	return func(ctx context.Context, conn connect.StreamingHandlerConn) error {
		call, err := p.call(ctx, conn.Spec(), conn.Peer(), conn.RequestHeader())
		if err != nil {
			return connectError(ctx, settled(ctx, err), nil)
		}
		call.ResponseHeader = conn.ResponseHeader()
		message, err := receive(conn, call.Method.Input())
		requestFrom(ctx).large.end()
		if err != nil {
			return err
		}
		_, err = run(withCall(ctx, call), p.server.steps, call, message,
			func(ctx context.Context, message proto.Message) (proto.Message, error) {
				return nil, next(ctx, &received{StreamingHandlerConn: conn, message: message})
			})
		if err != nil {
			return connectError(ctx, settled(ctx, err), nil)
		}
		return nil
	}
}

func receive(conn connect.StreamingHandlerConn, kind protoreflect.MessageDescriptor) (proto.Message, error) {
	known, err := protoregistry.GlobalTypes.FindMessageByName(kind.FullName())
	if err != nil {
		return nil, fmt.Errorf("find the type of a request: %w", err)
	}
	message := known.New().Interface()
	return message, conn.Receive(message)
}

// received gives the first message again.
type received struct {
	connect.StreamingHandlerConn
	message proto.Message
}

func (r *received) Receive(into any) error {
	if r.message == nil {
		return r.StreamingHandlerConn.Receive(into)
	}
	target, ok := into.(proto.Message)
	if !ok {
		return fmt.Errorf("%T is not a message", into)
	}
	proto.Reset(target)
	proto.Merge(target, r.message)
	r.message = nil
	return nil
}

// jsonCodec makes Connect's JSON the same as REST's: snake_case, empty lists present.
type jsonCodec struct{ name string }

func (c jsonCodec) Name() string { return c.name }

func (jsonCodec) Marshal(value any) ([]byte, error) {
	message, ok := value.(proto.Message)
	if !ok {
		return nil, fmt.Errorf("%T is not a message", value)
	}
	return marshalJSON(message)
}

func (jsonCodec) Unmarshal(data []byte, value any) error {
	message, ok := value.(proto.Message)
	if !ok {
		return fmt.Errorf("%T is not a message", value)
	}
	if err := readJSON(data, message); err != nil {
		seen, _ := fault.Of(err)
		return fmt.Errorf("%s", seen.Message)
	}
	return nil
}
