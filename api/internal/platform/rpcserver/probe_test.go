package rpcserver

import (
	"context"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"connectrpc.com/connect"
	"google.golang.org/genproto/googleapis/api/annotations"
	"google.golang.org/protobuf/proto"
	"google.golang.org/protobuf/reflect/protodesc"
	"google.golang.org/protobuf/reflect/protoreflect"
	"google.golang.org/protobuf/reflect/protoregistry"
	"google.golang.org/protobuf/types/descriptorpb"

	nightbellv1 "github.com/nightbell/nightbell/api/gen/nightbell/v1"
	"github.com/nightbell/nightbell/api/gen/nightbell/v1/nightbellv1connect"
)

// probe answers incident calls with whatever a test wants, and streams.
type probe struct {
	nightbellv1connect.UnimplementedIncidentServiceHandler
	get    func(context.Context, *nightbellv1.GetIncidentRequest) (*nightbellv1.GetIncidentResponse, error)
	create func(context.Context, *nightbellv1.CreateIncidentRequest) (*nightbellv1.CreateIncidentResponse, error)
	list   func(context.Context, *nightbellv1.ListIncidentsRequest) (*nightbellv1.ListIncidentsResponse, error)
}

func (p *probe) GetIncident(ctx context.Context, req *nightbellv1.GetIncidentRequest) (*nightbellv1.GetIncidentResponse, error) {
	return p.get(ctx, req)
}

func (p *probe) CreateIncident(ctx context.Context, req *nightbellv1.CreateIncidentRequest) (*nightbellv1.CreateIncidentResponse, error) {
	return p.create(ctx, req)
}

func (p *probe) ListIncidents(ctx context.Context, req *nightbellv1.ListIncidentsRequest) (*nightbellv1.ListIncidentsResponse, error) {
	return p.list(ctx, req)
}

// Watch streams one answer, or get's error.
func (p *probe) Watch(ctx context.Context, req *nightbellv1.GetIncidentRequest, stream *connect.ServerStream[nightbellv1.GetIncidentResponse]) error {
	answer, err := p.get(ctx, req)
	if err != nil {
		return err
	}
	return stream.Send(answer)
}

func incidentService() protoreflect.ServiceDescriptor {
	return nightbellv1.File_nightbell_v1_incident_service_proto.Services().ByName("IncidentService")
}

// mountProbe mounts the incident service and a service with one stream.
func mountProbe(tb testing.TB, server *Server, impl *probe) {
	tb.Helper()
	err := server.Mount(incidentService(), impl, func(options ...connect.HandlerOption) (string, http.Handler) {
		return nightbellv1connect.NewIncidentServiceHandler(impl, options...)
	})
	if err != nil {
		tb.Fatal(err)
	}
	watcher := service(tb, streaming(public("Watch")))
	err = server.Mount(watcher, impl, func(options ...connect.HandlerOption) (string, http.Handler) {
		options = append(options, connect.WithSchema(watcher.Methods().Get(0)))
		return "/nightbell.test.Probe/", connect.NewServerStreamHandlerSimple("/nightbell.test.Probe/Watch", impl.Watch, options...)
	})
	if err != nil {
		tb.Fatal(err)
	}
}

// service makes a descriptor that no file on disk has.
func service(tb testing.TB, methods ...*descriptorpb.MethodDescriptorProto) protoreflect.ServiceDescriptor {
	tb.Helper()
	file, err := protodesc.NewFile(&descriptorpb.FileDescriptorProto{
		Name:       new("probe.proto"),
		Package:    new("nightbell.test"),
		Syntax:     new("proto3"),
		Dependency: []string{"nightbell/v1/incident_service.proto"},
		Service:    []*descriptorpb.ServiceDescriptorProto{{Name: new("Probe"), Method: methods}},
	}, protoregistry.GlobalFiles)
	if err != nil {
		tb.Fatal(err)
	}
	return file.Services().Get(0)
}

func public(name string) *descriptorpb.MethodDescriptorProto {
	return declare(name, "GetIncident", &nightbellv1.Authz{Public: true}, nil)
}

func streaming(method *descriptorpb.MethodDescriptorProto) *descriptorpb.MethodDescriptorProto {
	method.ServerStreaming = new(true)
	return method
}

func declare(name, messages string, authz *nightbellv1.Authz, rule *annotations.HttpRule) *descriptorpb.MethodDescriptorProto {
	options := &descriptorpb.MethodOptions{}
	if authz != nil {
		proto.SetExtension(options, nightbellv1.E_Authz, authz)
	}
	if rule != nil {
		proto.SetExtension(options, annotations.E_Http, rule)
	}
	return &descriptorpb.MethodDescriptorProto{
		Name:       new(name),
		InputType:  new(".nightbell.v1." + messages + "Request"),
		OutputType: new(".nightbell.v1." + messages + "Response"),
		Options:    options,
	}
}

// answer is what came back over REST.
type answer struct {
	status int
	header http.Header
	body   string
}

func rest(handler http.Handler, verb, target, body string, header ...string) answer {
	r := httptest.NewRequest(verb, target, strings.NewReader(body))
	if body == "" {
		r = httptest.NewRequest(verb, target, nil)
	}
	for i := 0; i+1 < len(header); i += 2 {
		r.Header.Set(header[i], header[i+1])
	}
	w := httptest.NewRecorder()
	handler.ServeHTTP(w, r)
	content, _ := io.ReadAll(w.Body)
	return answer{w.Code, w.Header(), string(content)}
}

// listen serves as the binary does, and gives the address.
func listen(t *testing.T, handler http.Handler) string {
	t.Helper()
	front := httptest.NewUnstartedServer(nil)
	front.Config = NewHTTPServer(handler, quiet())
	front.Start()
	t.Cleanup(front.Close)
	return front.URL
}

// clients are ways to call GetIncident, or Watch, without REST.
func clients(t *testing.T, handler http.Handler) map[string]func(context.Context) (http.Header, error) {
	t.Helper()
	base := listen(t, handler)
	return map[string]func(context.Context) (http.Header, error){
		"connect":      unary(base, http.DefaultClient),
		"connect json": unary(base, http.DefaultClient, connect.WithProtoJSON()),
		"grpc-web":     unary(base, http.DefaultClient, connect.WithGRPCWeb()),
		"grpc":         unary(base, cleartextHTTP2(), connect.WithGRPC()),
		"stream":       watch(base, http.DefaultClient),
		"grpc stream":  watch(base, cleartextHTTP2(), connect.WithGRPC()),
	}
}

func unary(base string, through connect.HTTPClient, options ...connect.ClientOption) func(context.Context) (http.Header, error) {
	client := connect.NewClient[nightbellv1.GetIncidentRequest, nightbellv1.GetIncidentResponse](through, base+nightbellv1connect.IncidentServiceGetIncidentProcedure, options...)
	return func(ctx context.Context) (http.Header, error) {
		res, err := client.CallUnary(ctx, connect.NewRequest(&nightbellv1.GetIncidentRequest{Id: "asked"}))
		if err != nil {
			return nil, err
		}
		return res.Header(), nil
	}
}

func watch(base string, through connect.HTTPClient, options ...connect.ClientOption) func(context.Context) (http.Header, error) {
	client := connect.NewClient[nightbellv1.GetIncidentRequest, nightbellv1.GetIncidentResponse](through, base+"/nightbell.test.Probe/Watch", options...)
	return func(ctx context.Context) (http.Header, error) {
		stream, err := client.CallServerStream(ctx, connect.NewRequest(&nightbellv1.GetIncidentRequest{Id: "asked"}))
		if err != nil {
			return nil, err
		}
		defer stream.Close()
		for stream.Receive() {
			continue
		}
		return stream.ResponseHeader(), stream.Err()
	}
}

// cleartextHTTP2 is what a gRPC client speaks when there is no TLS.
func cleartextHTTP2() *http.Client {
	var protocols http.Protocols
	protocols.SetUnencryptedHTTP2(true)
	return &http.Client{Transport: &http.Transport{Protocols: &protocols}}
}
