package rpcserver

import (
	"context"
	"mime"
	"net/http"
	"strings"

	"connectrpc.com/connect"
	"google.golang.org/protobuf/proto"
	"google.golang.org/protobuf/reflect/protoreflect"

	nightbellv1 "github.com/nightbell/nightbell/api/gen/nightbell/v1"
)

// mostOf is the largest request of a method, in bytes.
func mostOf(descriptor protoreflect.MethodDescriptor) int64 {
	if authz, _ := proto.GetExtension(descriptor.Options(), nightbellv1.E_Authz).(*nightbellv1.Authz); authz.GetPublic() {
		return maxPublicBody
	}
	return maxBody
}

func (s *Server) admit(ctx context.Context, call *Call) error {
	if s.Admit != nil {
		if err := s.Admit(ctx, call); err != nil {
			return err
		}
	}
	requestFrom(ctx).large = s.large.reading(call.Share)
	return nil
}

// door asks Admit before Connect reads the request: unpacking and parsing is work that nobody has
// been counted for.
func (s *Server) door(known *method, next http.Handler) http.Handler {
	refusals := connect.NewErrorWriter()
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		ctx := r.Context()
		call := known.call(ctx, transportOf(r.Header), r.Header)
		if err := s.admit(ctx, call); err != nil {
			_ = refusals.Write(w, r, connectError(ctx, settled(ctx, refusal(ctx, err, nil)), call.ResponseHeader))
			return
		}
		next.ServeHTTP(w, r)
	})
}

func transportOf(header http.Header) Transport {
	switch kind, _, _ := mime.ParseMediaType(header.Get("Content-Type")); {
	case strings.HasPrefix(kind, "application/grpc-web"):
		return GRPCWeb
	case strings.HasPrefix(kind, "application/grpc"):
		return GRPC
	}
	return Connect
}
