package app

import (
	"fmt"
	"net/http"
	"strings"
	"time"

	"connectrpc.com/connect"
	"google.golang.org/protobuf/reflect/protoreflect"

	nightbellv1 "github.com/nightbell/nightbell/api/gen/nightbell/v1"
	"github.com/nightbell/nightbell/api/gen/nightbell/v1/nightbellv1connect"
	"github.com/nightbell/nightbell/api/gen/openapi"
	"github.com/nightbell/nightbell/api/internal/ai/airpc"
	"github.com/nightbell/nightbell/api/internal/analytics/analyticsrpc"
	"github.com/nightbell/nightbell/api/internal/auth"
	"github.com/nightbell/nightbell/api/internal/auth/authrpc"
	"github.com/nightbell/nightbell/api/internal/catalog/catalogrpc"
	"github.com/nightbell/nightbell/api/internal/demo"
	"github.com/nightbell/nightbell/api/internal/enquiry"
	"github.com/nightbell/nightbell/api/internal/escalation/escalationrpc"
	"github.com/nightbell/nightbell/api/internal/heartbeat/heartbeatrpc"
	"github.com/nightbell/nightbell/api/internal/incident/incidentrpc"
	"github.com/nightbell/nightbell/api/internal/ingest"
	"github.com/nightbell/nightbell/api/internal/installation"
	"github.com/nightbell/nightbell/api/internal/integration/integrationrpc"
	"github.com/nightbell/nightbell/api/internal/kernel/fault"
	"github.com/nightbell/nightbell/api/internal/notify/notifyrpc"
	"github.com/nightbell/nightbell/api/internal/oncall/oncallrpc"
	"github.com/nightbell/nightbell/api/internal/org/orgrpc"
	"github.com/nightbell/nightbell/api/internal/platform/callquota"
	"github.com/nightbell/nightbell/api/internal/platform/postgres"
	"github.com/nightbell/nightbell/api/internal/platform/rpcserver"
	"github.com/nightbell/nightbell/api/internal/platform/telemetry"
	"github.com/nightbell/nightbell/api/internal/platform/web"
	"github.com/nightbell/nightbell/api/internal/subscription/subscriptionrpc"
)

// callTimeout is the longest that an RPC may take.
const callTimeout = 10 * time.Second

var errDatabaseAway = fault.New(fault.Unavailable, "database_unavailable",
	"Nightbell cannot reach its database right now. Try again in a few seconds.").After(5)

// errTooSlow is the answer to what one statement cannot do in the time it has.
var errTooSlow = fault.New(fault.Unavailable, "took_too_long",
	"This takes longer than Nightbell allows. Ask for less at once, or try again in a few seconds.").After(5)

// classify turns what the database says into what callers can act on.
func classify(err error) *fault.Error {
	switch {
	case postgres.IsStatementTimeout(err):
		return errTooSlow.Because(err)
	case postgres.IsUnavailable(err):
		return errDatabaseAway.Because(err)
	case postgres.IsRefusedData(err):
		return fault.InvalidFields("A value of this request cannot be stored. Check its text for characters that do not belong there.").Because(err)
	default:
		return nil
	}
}

// routes builds everything that is served.
func (s *server) routes() (*rpcserver.Server, error) {
	tokens, err := auth.NewAccessTokens(s.jwtSecret)
	if err != nil {
		return nil, fmt.Errorf("NIGHTBELL_JWT_SECRET: %w", err)
	}
	callers := authrpc.NewAuthenticator(s.db, tokens)
	calls := callquota.New("requests", s.quotas.RequestsPerMinute, time.Now)
	server := rpcserver.New(s.logger, rpcserver.Recover(), rpcserver.MapFaults(classify), authrpc.FinishAnswers(), rpcserver.Timeout(callTimeout),
		authrpc.SpentQuota(callers, calls, demo.GuestID()), callers.Authenticate, authrpc.OnlyLooks(demo.GuestID()), authrpc.RequestQuota(calls, demo.GuestID()), authrpc.Audit(s.db, s.logger, s.storage), authrpc.Authorize, rpcserver.Validate(),
		authrpc.Idempotency(s.db, s.box, s.logger))
	server.Admit = authrpc.Admit(callers, calls, demo.GuestID())
	server.TrustedProxies = s.trustedProxies
	server.HTTPS = strings.HasPrefix(s.PublicURL, "https://")
	server.Observers = append(server.Observers, s.metrics.RequestFinished, s.tracing.RequestFinished)
	for _, add := range []func(*rpcserver.Server) error{
		func(server *rpcserver.Server) error { return s.mountServices(server, callers, tokens) },
		func(server *rpcserver.Server) error { return s.addPlainRoutes(server, callers, calls) },
		s.addSite,
	} {
		if err := add(server); err != nil {
			return nil, err
		}
	}
	return server, nil
}

// mount is one service of the contract with what implements it.
type mount struct {
	file    protoreflect.FileDescriptor
	impl    any
	connect func(...connect.HandlerOption) (string, http.Handler)
}

// passwordHasher is made when it is needed first.
func (s *server) passwordHasher() (*auth.Hasher, error) {
	if s.hasher != nil {
		return s.hasher, nil
	}
	hasher, err := auth.NewHasher(auth.RecommendedHashCost())
	s.hasher = hasher
	return hasher, err
}

// mountServices binds every service of the contract on all transports.
func (s *server) mountServices(server *rpcserver.Server, callers *authrpc.Authenticator, tokens *auth.AccessTokens) error {
	hasher, err := s.passwordHasher()
	if err != nil {
		return err
	}
	accounts, err := authrpc.NewAuthServer(authrpc.AuthConfig{
		DB: s.db, Secret: s.jwtSecret, Tokens: tokens, Callers: callers, Hasher: hasher, Logger: s.logger,
		Registration: auth.RegistrationMode(s.Registration), VerifyMail: s.hasMailServer(), ResetKey: s.box.Derive(resetLinks), Guest: s.demoGuest(),
	})
	if err != nil {
		return err
	}
	for _, m := range s.services(accounts, callers) {
		services := m.file.Services()
		for i := range services.Len() {
			if err := server.Mount(services.Get(i), m.impl, m.connect); err != nil {
				return err
			}
		}
	}
	return nil
}

// services lists the services of the contract.
func (s *server) services(accounts *authrpc.AuthServer, callers *authrpc.Authenticator) []mount {
	organizations := orgrpc.NewServer(s.db, s.hasMailServer()).Telling(orgrpc.Departures{Signals: s.signals(), Changed: callers.ForgetPerson})
	invitations := orgrpc.NewInvitations(s.db, s.box.Derive(invitationLinks), s.PublicURL, s.hasMailServer())
	catalog := catalogrpc.New(s.db, s.box, s.PublicURL, s.heartbeats.DeleteOfService)
	serviceChanges, samples := catalogrpc.NewChanges(s.db), catalogrpc.NewSamples(s.db)
	incidents, helper := incidentrpc.New(s.db, s.responder), airpc.New(s.db)
	policies, maintenance := escalationrpc.New(s.db, s.hasMailServer()), escalationrpc.NewMaintenance(s.db)
	own := installation.NewHandler(s.db, s.copied.Load, s.problems, s.mailPlace())
	schedules := oncallrpc.New(s.db, s.box, s.PublicURL)
	contacts := notifyrpc.New(s.db, s.box, s.egress.CheckURL, s.hasMailServer(), s.quotas.Contacts).Waking(s.wakeTests.Wake)
	inbox, figures := notifyrpc.NewInbox(s.db, s.box), analyticsrpc.New(s.db, s.RetentionDays)
	enquiries := enquiry.NewHandler(s.db, time.Now)
	slack := integrationrpc.NewSlack(s.db, s.box, s.egress.CheckURL, s.postToSlack)
	subscriptions := subscriptionrpc.New(s.db, s.box, s.egress.CheckURL, s.wakeWebhooks)
	heartbeats := heartbeatrpc.New(s.db, s.heartbeats.Delete, s.heartbeats.Wake)
	return append(s.accountServices(accounts, callers), []mount{
		{nightbellv1.File_nightbell_v1_enquiry_service_proto, enquiries, func(o ...connect.HandlerOption) (string, http.Handler) {
			return nightbellv1connect.NewEnquiryServiceHandler(enquiries, o...)
		}},
		{nightbellv1.File_nightbell_v1_org_service_proto, organizations, func(o ...connect.HandlerOption) (string, http.Handler) {
			return nightbellv1connect.NewOrgServiceHandler(organizations, o...)
		}},
		{nightbellv1.File_nightbell_v1_invitation_service_proto, invitations, func(o ...connect.HandlerOption) (string, http.Handler) {
			return nightbellv1connect.NewInvitationServiceHandler(invitations, o...)
		}},
		{nightbellv1.File_nightbell_v1_catalog_service_proto, catalog, func(o ...connect.HandlerOption) (string, http.Handler) {
			return nightbellv1connect.NewCatalogServiceHandler(catalog, o...)
		}},
		{nightbellv1.File_nightbell_v1_change_service_proto, serviceChanges, func(o ...connect.HandlerOption) (string, http.Handler) {
			return nightbellv1connect.NewChangeServiceHandler(serviceChanges, o...)
		}},
		{nightbellv1.File_nightbell_v1_sample_service_proto, samples, func(o ...connect.HandlerOption) (string, http.Handler) {
			return nightbellv1connect.NewSampleServiceHandler(samples, o...)
		}},
		{nightbellv1.File_nightbell_v1_incident_service_proto, incidents, func(o ...connect.HandlerOption) (string, http.Handler) {
			return nightbellv1connect.NewIncidentServiceHandler(incidents, o...)
		}},
		{nightbellv1.File_nightbell_v1_escalation_service_proto, policies, func(o ...connect.HandlerOption) (string, http.Handler) {
			return nightbellv1connect.NewEscalationServiceHandler(policies, o...)
		}},
		{nightbellv1.File_nightbell_v1_maintenance_service_proto, maintenance, func(o ...connect.HandlerOption) (string, http.Handler) {
			return nightbellv1connect.NewMaintenanceServiceHandler(maintenance, o...)
		}},
		{nightbellv1.File_nightbell_v1_oncall_service_proto, schedules, func(o ...connect.HandlerOption) (string, http.Handler) {
			return nightbellv1connect.NewOnCallServiceHandler(schedules, o...)
		}},
		{nightbellv1.File_nightbell_v1_contact_service_proto, contacts, func(o ...connect.HandlerOption) (string, http.Handler) {
			return nightbellv1connect.NewContactServiceHandler(contacts, o...)
		}},
		{nightbellv1.File_nightbell_v1_webhook_subscription_service_proto, subscriptions, func(o ...connect.HandlerOption) (string, http.Handler) {
			return nightbellv1connect.NewWebhookSubscriptionServiceHandler(subscriptions, o...)
		}},
		{nightbellv1.File_nightbell_v1_heartbeat_service_proto, heartbeats, func(o ...connect.HandlerOption) (string, http.Handler) {
			return nightbellv1connect.NewHeartbeatServiceHandler(heartbeats, o...)
		}},
		{nightbellv1.File_nightbell_v1_installation_service_proto, own, func(o ...connect.HandlerOption) (string, http.Handler) {
			return nightbellv1connect.NewInstallationServiceHandler(own, o...)
		}},
		{nightbellv1.File_nightbell_v1_inbox_service_proto, inbox, func(o ...connect.HandlerOption) (string, http.Handler) {
			return nightbellv1connect.NewInboxServiceHandler(inbox, o...)
		}},
		{nightbellv1.File_nightbell_v1_slack_service_proto, slack, func(o ...connect.HandlerOption) (string, http.Handler) {
			return nightbellv1connect.NewSlackServiceHandler(slack, o...)
		}},
		{nightbellv1.File_nightbell_v1_analytics_service_proto, figures, func(o ...connect.HandlerOption) (string, http.Handler) {
			return nightbellv1connect.NewAnalyticsServiceHandler(figures, o...)
		}},
		{nightbellv1.File_nightbell_v1_ai_service_proto, helper, func(o ...connect.HandlerOption) (string, http.Handler) {
			return nightbellv1connect.NewAiServiceHandler(helper, o...)
		}},
	}...)
}

// accountServices are those about who calls.
func (s *server) accountServices(accounts *authrpc.AuthServer, callers *authrpc.Authenticator) []mount {
	apiKeys, audit := authrpc.NewAPIKeyServer(s.db, callers), authrpc.NewAuditServer(s.db)
	deletion := authrpc.NewAccountServer(accounts, authrpc.Ended{Signals: s.signals(), Organization: s.serviceKeys.Forget})
	return []mount{
		{nightbellv1.File_nightbell_v1_account_service_proto, deletion, func(o ...connect.HandlerOption) (string, http.Handler) {
			return nightbellv1connect.NewAccountServiceHandler(deletion, o...)
		}},
		{nightbellv1.File_nightbell_v1_auth_service_proto, accounts, func(o ...connect.HandlerOption) (string, http.Handler) {
			return nightbellv1connect.NewAuthServiceHandler(accounts, o...)
		}},
		{nightbellv1.File_nightbell_v1_api_key_service_proto, apiKeys, func(o ...connect.HandlerOption) (string, http.Handler) {
			return nightbellv1connect.NewApiKeyServiceHandler(apiKeys, o...)
		}},
		{nightbellv1.File_nightbell_v1_audit_service_proto, audit, func(o ...connect.HandlerOption) (string, http.Handler) {
			return nightbellv1connect.NewAuditServiceHandler(audit, o...)
		}},
	}
}

type plainRoute struct {
	verb, path string
	handler    http.Handler
}

// addPlainRoutes adds what is no RPC. This is the whole list.
func (s *server) addPlainRoutes(server *rpcserver.Server, callers *authrpc.Authenticator, calls *callquota.Quota) error {
	keys := s.serviceKeys
	webhooks := http.NewServeMux()
	alerts := ingest.NewHandler(keys, acceptor{s.intake, s.metrics, &s.refused, s.storage}, rpcserver.WriteError, s.logger).Noting(s.senders)
	alerts.Register(webhooks)
	events := s.events(alerts, keys, callers)
	acknowledge, verify := s.acknowledgePages(), s.verifyPages()
	routes := []plainRoute{
		{"GET", "/v1/stream", s.stream(callers, calls)},
		{"POST", "/v1/events", s.announced(events.One())},
		{"POST", "/v1/changes", ingest.Changes{Events: events, Store: changeStore{s.db}}},
		{"POST", "/v1/samples", ingest.NewSamples(events, sampleStore{s.db})},
		{"POST", "/v1/events/batch", s.announced(events.Batch())},
		{"GET", "/v1/openapi.yaml", openAPI()},
		{"GET", "/v1/account/export", s.newExports(callers, calls).account()},
		{"GET", "/ack/{token}", acknowledge},
		{"POST", "/ack/{token}", acknowledge},
		{"GET", "/ack/style.css", acknowledge},
		{"GET", "/verify/{token}", verify},
		{"POST", "/verify/{token}", verify},
		{"GET", oncallrpc.FeedPath, oncallrpc.NewFeeds(s.db, s.PublicURL, rpcserver.WriteError)},
		{"GET", "/healthz", telemetry.Alive()},
	}
	if s.OpsListen == "" {
		routes = append(routes, s.opsRoutes()...)
	}
	for _, path := range ingest.Paths() {
		for _, verb := range ingest.Verbs {
			routes = append(routes, plainRoute{verb, path, s.announced(webhooks)})
		}
	}
	for _, path := range ingest.PingPaths {
		for _, verb := range ingest.PingVerbs {
			routes = append(routes, plainRoute{verb, path, ingest.Pings{Events: events, Taker: s.heartbeats}})
		}
	}
	for _, route := range routes {
		s.secretBehind = append(s.secretBehind, secretBehind(route.path)...)
		if err := server.Handle(route.verb, route.path, route.handler); err != nil {
			return err
		}
	}
	return nil
}

// secretBehind is the words of a plain route before its last variable, which is a secret, unless it
// is a name: that of a message's link, of a calendar, of a service.
func secretBehind(path string) (words []string) {
	before, variable, found := cutLast(path, "{")
	if !found || variable == "name}/ping" {
		return nil
	}
	if _, after, named := cutLast(before, "}"); named {
		before = after
	}
	for word := range strings.SplitSeq(before, "/") {
		if word != "" && word != "v1" {
			words = append(words, word)
		}
	}
	return words
}

func cutLast(text, mark string) (before, after string, found bool) {
	if i := strings.LastIndex(text, mark); i >= 0 {
		return text[:i], text[i+len(mark):], true
	}
	return text, "", false
}

// opsRoutes are for whoever runs Nightbell. NIGHTBELL_OPS_LISTEN moves them to an address
// of their own.
func (s *server) opsRoutes() []plainRoute {
	return []plainRoute{
		{"GET", "/readyz", telemetry.Ready(s.logger, telemetry.Check{Name: "database", Run: s.db.Reachable}, telemetry.Check{Name: "disk", Run: s.writable}, telemetry.Check{Name: "stopping", Run: s.accepting})},
		{"GET", "/metrics", s.metrics.Handler()},
	}
}

// addSite serves the built site wherever nothing else does.
func (s *server) addSite(server *rpcserver.Server) error {
	site, err := web.New(web.Built(), s.logger, s.secretBehind, s.company)
	server.Fallback = site
	return err
}

// openAPI serves the description of the REST calls, generated from the contract.
func openAPI() http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Type", "application/yaml")
		_, _ = w.Write(openapi.YAML) // a caller that hung up cannot be told
	})
}
