package rpcserver

import (
	"bytes"
	"context"
	"io"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"connectrpc.com/connect"
	"google.golang.org/genproto/googleapis/api/annotations"
	"google.golang.org/protobuf/proto"
	"google.golang.org/protobuf/reflect/protoreflect"
	"google.golang.org/protobuf/reflect/protoregistry"

	nightbellv1 "github.com/nightbell/nightbell/api/gen/nightbell/v1"
	"github.com/nightbell/nightbell/api/gen/nightbell/v1/nightbellv1connect"
	"github.com/nightbell/nightbell/api/internal/kernel/fault"
)

type mounting struct {
	impl    any
	handler func(...connect.HandlerOption) (string, http.Handler)
}

func stub[T any](impl T, construct func(T, ...connect.HandlerOption) (string, http.Handler)) mounting {
	return mounting{impl, func(options ...connect.HandlerOption) (string, http.Handler) { return construct(impl, options...) }}
}

// stubs has one entry for each service of the contract; a missing one fails the tests below.
func stubs() map[protoreflect.FullName]mounting {
	return map[protoreflect.FullName]mounting{
		nightbellv1connect.AiServiceName:                  stub[nightbellv1connect.AiServiceHandler](nightbellv1connect.UnimplementedAiServiceHandler{}, nightbellv1connect.NewAiServiceHandler),
		nightbellv1connect.AnalyticsServiceName:           stub[nightbellv1connect.AnalyticsServiceHandler](nightbellv1connect.UnimplementedAnalyticsServiceHandler{}, nightbellv1connect.NewAnalyticsServiceHandler),
		nightbellv1connect.ApiKeyServiceName:              stub[nightbellv1connect.ApiKeyServiceHandler](nightbellv1connect.UnimplementedApiKeyServiceHandler{}, nightbellv1connect.NewApiKeyServiceHandler),
		nightbellv1connect.AuditServiceName:               stub[nightbellv1connect.AuditServiceHandler](nightbellv1connect.UnimplementedAuditServiceHandler{}, nightbellv1connect.NewAuditServiceHandler),
		nightbellv1connect.AccountServiceName:             stub[nightbellv1connect.AccountServiceHandler](nightbellv1connect.UnimplementedAccountServiceHandler{}, nightbellv1connect.NewAccountServiceHandler),
		nightbellv1connect.AuthServiceName:                stub[nightbellv1connect.AuthServiceHandler](nightbellv1connect.UnimplementedAuthServiceHandler{}, nightbellv1connect.NewAuthServiceHandler),
		nightbellv1connect.CatalogServiceName:             stub[nightbellv1connect.CatalogServiceHandler](nightbellv1connect.UnimplementedCatalogServiceHandler{}, nightbellv1connect.NewCatalogServiceHandler),
		nightbellv1connect.ChangeServiceName:              stub[nightbellv1connect.ChangeServiceHandler](nightbellv1connect.UnimplementedChangeServiceHandler{}, nightbellv1connect.NewChangeServiceHandler),
		nightbellv1connect.ContactServiceName:             stub[nightbellv1connect.ContactServiceHandler](nightbellv1connect.UnimplementedContactServiceHandler{}, nightbellv1connect.NewContactServiceHandler),
		nightbellv1connect.EscalationServiceName:          stub[nightbellv1connect.EscalationServiceHandler](nightbellv1connect.UnimplementedEscalationServiceHandler{}, nightbellv1connect.NewEscalationServiceHandler),
		nightbellv1connect.HeartbeatServiceName:           stub[nightbellv1connect.HeartbeatServiceHandler](nightbellv1connect.UnimplementedHeartbeatServiceHandler{}, nightbellv1connect.NewHeartbeatServiceHandler),
		nightbellv1connect.InboxServiceName:               stub[nightbellv1connect.InboxServiceHandler](nightbellv1connect.UnimplementedInboxServiceHandler{}, nightbellv1connect.NewInboxServiceHandler),
		nightbellv1connect.EnquiryServiceName:             stub[nightbellv1connect.EnquiryServiceHandler](nightbellv1connect.UnimplementedEnquiryServiceHandler{}, nightbellv1connect.NewEnquiryServiceHandler),
		nightbellv1connect.InstallationServiceName:        stub[nightbellv1connect.InstallationServiceHandler](nightbellv1connect.UnimplementedInstallationServiceHandler{}, nightbellv1connect.NewInstallationServiceHandler),
		nightbellv1connect.IncidentServiceName:            stub[nightbellv1connect.IncidentServiceHandler](nightbellv1connect.UnimplementedIncidentServiceHandler{}, nightbellv1connect.NewIncidentServiceHandler),
		nightbellv1connect.InvitationServiceName:          stub[nightbellv1connect.InvitationServiceHandler](nightbellv1connect.UnimplementedInvitationServiceHandler{}, nightbellv1connect.NewInvitationServiceHandler),
		nightbellv1connect.MaintenanceServiceName:         stub[nightbellv1connect.MaintenanceServiceHandler](nightbellv1connect.UnimplementedMaintenanceServiceHandler{}, nightbellv1connect.NewMaintenanceServiceHandler),
		nightbellv1connect.OnCallServiceName:              stub[nightbellv1connect.OnCallServiceHandler](nightbellv1connect.UnimplementedOnCallServiceHandler{}, nightbellv1connect.NewOnCallServiceHandler),
		nightbellv1connect.OrgServiceName:                 stub[nightbellv1connect.OrgServiceHandler](nightbellv1connect.UnimplementedOrgServiceHandler{}, nightbellv1connect.NewOrgServiceHandler),
		nightbellv1connect.SampleServiceName:              stub[nightbellv1connect.SampleServiceHandler](nightbellv1connect.UnimplementedSampleServiceHandler{}, nightbellv1connect.NewSampleServiceHandler),
		nightbellv1connect.SlackServiceName:               stub[nightbellv1connect.SlackServiceHandler](nightbellv1connect.UnimplementedSlackServiceHandler{}, nightbellv1connect.NewSlackServiceHandler),
		nightbellv1connect.WebhookSubscriptionServiceName: stub[nightbellv1connect.WebhookSubscriptionServiceHandler](nightbellv1connect.UnimplementedWebhookSubscriptionServiceHandler{}, nightbellv1connect.NewWebhookSubscriptionServiceHandler),
	}
}

// contract calls use for each service that is linked into the test.
func contract(t *testing.T, use func(protoreflect.ServiceDescriptor)) {
	t.Helper()
	protoregistry.GlobalFiles.RangeFilesByPackage("nightbell.v1", func(file protoreflect.FileDescriptor) bool {
		for i := range file.Services().Len() {
			use(file.Services().Get(i))
		}
		return true
	})
}

func mountAll(t *testing.T, server *Server) (methods []protoreflect.MethodDescriptor) {
	t.Helper()
	known := stubs()
	contract(t, func(service protoreflect.ServiceDescriptor) {
		one, ok := known[service.FullName()]
		if !ok {
			t.Fatalf("%s has no stub in this test; add it to stubs", service.FullName())
		}
		if err := server.Mount(service, one.impl, one.handler); err != nil {
			t.Fatal(err)
		}
		for i := range service.Methods().Len() {
			methods = append(methods, service.Methods().Get(i))
		}
	})
	return methods
}

// quiet keeps a passing test's output short.
func quiet() *slog.Logger { return slog.New(slog.DiscardHandler) }

func TestEveryMethodIsBoundOnEveryTransport(t *testing.T) {
	var seen *Call
	server := New(quiet(), Recover(), MapFaults(nil),
		func(_ context.Context, call *Call, _ proto.Message, _ Next) (proto.Message, error) {
			seen = call
			return nil, fault.New(fault.Conflict, "seen", "The step was here.")
		})
	methods := mountAll(t, server)
	front := httptest.NewServer(server.Handler())
	defer front.Close()

	for _, method := range methods {
		t.Run(string(method.FullName()), func(t *testing.T) {
			procedure := "/" + string(method.Parent().FullName()) + "/" + string(method.Name())
			for _, content := range []string{"application/json", "application/proto"} {
				seen = nil
				expectSeen(t, front.URL, http.MethodPost, procedure, content, http.StatusBadRequest)
				expectCall(t, seen, method, Connect)
			}
			for content, transport := range map[string]Transport{"application/grpc-web+proto": GRPCWeb, "application/grpc+proto": GRPC} {
				seen = nil
				post(t, front.URL+procedure, content, string(make([]byte, 5)))
				expectCall(t, seen, method, transport)
			}
			rule := proto.GetExtension(method.Options(), annotations.E_Http).(*annotations.HttpRule)
			verb, path := verbAndPath(rule)
			seen = nil
			expectSeen(t, front.URL, verb, variable.ReplaceAllString(path, "x"), "application/json", http.StatusConflict)
			expectCall(t, seen, method, REST)
		})
	}
	t.Logf("%d methods, each over Connect JSON and binary, gRPC-Web, gRPC and REST", len(methods))
}

func expectSeen(t *testing.T, base, verb, path, content string, status int) {
	t.Helper()
	body := "{}"
	if content == "application/proto" {
		body = ""
	}
	req, err := http.NewRequestWithContext(t.Context(), verb, base+path, strings.NewReader(body))
	if err != nil {
		t.Fatal(err)
	}
	req.Header.Set("Content-Type", content)
	res, err := http.DefaultClient.Do(req)
	if err != nil {
		t.Fatal(err)
	}
	defer res.Body.Close()
	answer, _ := io.ReadAll(res.Body)
	if res.StatusCode != status || !bytes.Contains(answer, []byte("The step was here.")) {
		t.Errorf("%s %s as %s: %d %s, want %d", verb, path, content, res.StatusCode, answer, status)
	}
}

func post(t *testing.T, url, content, body string) {
	t.Helper()
	res, err := http.Post(url, content, strings.NewReader(body))
	if err != nil {
		t.Fatal(err)
	}
	_ = res.Body.Close()
}

func expectCall(t *testing.T, call *Call, method protoreflect.MethodDescriptor, transport Transport) {
	t.Helper()
	if call == nil {
		t.Fatalf("no step ran over %s", transport)
	}
	if call.Method.FullName() != method.FullName() || call.Transport != transport || call.Authz == nil || call.RequestID == "" || !call.Peer.IsValid() {
		t.Errorf("over %s the step saw %+v", transport, call)
	}
}

// The calls that the site and SDKs depend on keep their paths.
func TestRESTPathsPreferLiterals(t *testing.T) {
	var procedure string
	server := New(quiet(), func(_ context.Context, call *Call, _ proto.Message, _ Next) (proto.Message, error) {
		procedure = call.Procedure
		return &nightbellv1.CountIncidentsResponse{}, nil
	})
	mountAll(t, server)
	handler := server.Handler()
	for path, want := range map[string]string{
		"/v1/incidents/counts":  nightbellv1connect.IncidentServiceCountIncidentsProcedure,
		"/v1/incidents/0198":    nightbellv1connect.IncidentServiceGetIncidentProcedure,
		"/v1/incidents/a%2Fb":   nightbellv1connect.IncidentServiceGetIncidentProcedure,
		"/v1/incidents":         nightbellv1connect.IncidentServiceListIncidentsProcedure,
		"/v1/incidents/":        nightbellv1connect.IncidentServiceListIncidentsProcedure,
		"/v1/incidents/counts/": nightbellv1connect.IncidentServiceCountIncidentsProcedure,
	} {
		handler.ServeHTTP(httptest.NewRecorder(), httptest.NewRequest(http.MethodGet, path, nil))
		if procedure != want {
			t.Errorf("GET %s reached %s, want %s", path, procedure, want)
		}
	}
}
