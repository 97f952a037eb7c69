// Package rpcserver serves one definition on four transports: Connect, gRPC, gRPC-Web and REST.
//
// What must hold for every call (authentication, validation, fault mapping, audit) is a list of
// steps that all transports run, because Connect interceptors do not see REST. Routes that are no
// RPC (webhooks, live stream, health) are plain handlers in the same table. Every request passes
// the same front door: request id, caller's address, time limits, access log.
package rpcserver

import (
	"context"
	"fmt"
	"log/slog"
	"net/http"
	"net/netip"
	"path"
	"reflect"
	"slices"
	"sync"
	"time"

	"connectrpc.com/connect"
	"github.com/klauspost/compress/gzhttp"
	"github.com/klauspost/compress/gzip"
	"google.golang.org/protobuf/reflect/protoreflect"
)

// Server holds the routes. Set its fields and mount everything before Handler is called.
type Server struct {
	// TrustedProxies are the addresses whose X-Forwarded-For is believed; nobody's by default.
	TrustedProxies []netip.Prefix
	// HTTPS tells browsers to use nothing else from now on; set it when the public URL is https.
	HTTPS bool
	// BodyTimeout is how long a request body may take; 15 s when zero.
	BodyTimeout time.Duration
	// Admit refuses a call by its headers and address, before its body is read; nobody when nil.
	Admit func(context.Context, *Call) error
	// Observers are told about every finished request.
	Observers []func(context.Context, Observation)
	// Fallback serves every path that is not ours, such as the site; a JSON 404 when nil.
	Fallback http.Handler

	// strangeProxy is logged once.
	strangeProxy sync.Once

	logger  *slog.Logger
	large   largeBodies
	steps   []Step
	methods map[string]*method
	// editable finds the request that updates a resource, by the resource's name.
	editable map[protoreflect.FullName]protoreflect.MessageDescriptor
	table    *table
}

// New makes a server whose calls run through the steps in the given order. Recover and MapFaults
// belong first.
func New(logger *slog.Logger, steps ...Step) *Server {
	server := &Server{
		logger: logger, large: newLargeBodies(), methods: map[string]*method{}, table: newTable(),
		editable: map[protoreflect.FullName]protoreflect.MessageDescriptor{},
	}
	server.steps = slices.Concat([]Step{server.showVersion}, steps, []Step{server.versions})
	return server
}

// Mount serves a service as Connect, gRPC, gRPC-Web and, by each method's google.api.http option, REST. impl has the
// generated interface (simple signatures); connectHandler returns nightbellv1connect.NewAuthServiceHandler(impl,
// options...). It fails when a method has no authz option, no Go method or no REST route.
func (s *Server) Mount(descriptor protoreflect.ServiceDescriptor, impl any, connectHandler func(...connect.HandlerOption) (string, http.Handler)) error {
	_, handler := connectHandler(
		connect.WithInterceptors(&policy{server: s}),
		connect.WithConditionalHandlerOptions(func(spec connect.Spec) []connect.HandlerOption {
			return []connect.HandlerOption{connect.WithReadMaxBytes(int(mostOf(descriptor.Methods().ByName(protoreflect.Name(path.Base(spec.Procedure))))))}
		}),
		connect.WithCodec(jsonCodec{"json"}),
		connect.WithCodec(jsonCodec{"json; charset=utf-8"}),
	)
	// A list of incidents shrinks to a tenth. The size of an answer gives nothing away: there are
	// no cookies, so no stranger's page can make a browser ask in somebody's name.
	compress, err := gzhttp.NewWrapper(gzhttp.MinSize(2<<10), gzhttp.CompressionLevel(gzip.BestSpeed), gzhttp.EnableZstd(false))
	if err != nil {
		return err
	}
	methods := descriptor.Methods()
	for i := range methods.Len() {
		if err := s.mountMethod(methods.Get(i), reflect.ValueOf(impl), handler, compress); err != nil {
			return fmt.Errorf("mount %s: %w", descriptor.FullName(), err)
		}
	}
	return nil
}

func (s *Server) mountMethod(descriptor protoreflect.MethodDescriptor, impl reflect.Value, handler http.Handler, compress func(http.Handler) http.HandlerFunc) error {
	known, err := newMethod(descriptor, impl)
	if err != nil {
		return err
	}
	if err := s.learnEditable(descriptor); err != nil {
		return err
	}
	routes, err := restRoutes(s, known)
	if err != nil {
		return err
	}
	s.methods[known.procedure] = known
	for _, route := range routes {
		if err := s.table.add(Route{route.verb, route.path, known.procedure, true}, compress(route)); err != nil {
			return err
		}
	}
	if err := s.table.add(Route{http.MethodPost, known.procedure, known.procedure, false}, checkProcedureType(s.door(known, readCall(known.most, handler)))); err != nil {
		return err
	}
	if !isReadOnly(descriptor) {
		return nil
	}
	return s.table.add(Route{http.MethodGet, known.procedure, known.procedure, false}, s.door(known, readCall(known.most, handler)))
}

// Handle adds a route that is no RPC, such as a webhook: verb "POST", path
// "/v1/webhooks/prometheus/{service_key}". The steps do not run for it.
func (s *Server) Handle(verb, path string, handler http.Handler) error {
	return s.table.add(Route{Verb: verb, Path: path}, handler)
}

// Routes lists everything that is served besides the fallback, in the order it was added.
func (s *Server) Routes() []Route { return s.table.list }

// Handler is the whole server. Nothing may be mounted afterwards.
func (s *Server) Handler() http.Handler {
	s.table.mux.Handle("/", http.HandlerFunc(s.otherwise))
	return http.HandlerFunc(s.serve)
}
