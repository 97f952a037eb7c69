package app

import (
	"context"
	"net/http"
	"net/http/httptest"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/google/uuid"

	"github.com/nightbell/nightbell/api/internal/auth"
	"github.com/nightbell/nightbell/api/internal/platform/postgres/pgtest"
	"github.com/nightbell/nightbell/api/internal/platform/rpcserver"
)

// plainKind is what a route that is no RPC has of the conventions.
type plainKind struct {
	// quota is what its calls are counted as; empty for routes that nobody is counted on.
	quota string
	// json is set for routes that take a JSON body, anyType for those that take it under any name.
	json, anyType bool
	// repeats is set for POST routes with an Idempotency-Key.
	repeats bool
}

var (
	sentEvent = plainKind{quota: "events", json: true, repeats: true}
	// A monitor does not send again what was answered 429, writes any Content-Type, and has no key
	// for its calls: its alerts have fingerprints.
	monitored = plainKind{json: true, anyType: true}
	// A ping may carry whatever its script printed.
	pingPost = plainKind{quota: "pings", json: true, anyType: true, repeats: true}
	// A form or a page for a person; what it does twice is done once.
	forPeople = plainKind{}
	// For whoever runs Nightbell, or nobody in particular.
	forAnybody = plainKind{}
)

// plainKinds are all routes that are no RPC; a new one is a line here.
var plainKinds = map[string]plainKind{
	"GET /v1/stream": {quota: "requests"}, "GET /v1/account/export": {quota: "requests"}, "GET /v1/openapi.yaml": forAnybody, "GET /calendar/{file}": forPeople,
	"POST /v1/events": sentEvent, "POST /v1/events/batch": sentEvent,
	"POST /v1/changes": {quota: "changes", json: true, repeats: true}, "POST /v1/samples": {quota: "samples", json: true, repeats: true},
	"POST /v1/heartbeats/{name}/ping": pingPost, "GET /v1/heartbeats/{name}/ping": {quota: "pings"}, "HEAD /v1/heartbeats/{name}/ping": {quota: "pings"},
	"POST /v1/heartbeats/{name}/ping/{service_key}": pingPost, "GET /v1/heartbeats/{name}/ping/{service_key}": {quota: "pings"},
	"HEAD /v1/heartbeats/{name}/ping/{service_key}": {quota: "pings"},
	"POST /v1/webhooks/prometheus/{service_key}":    monitored, "PUT /v1/webhooks/prometheus/{service_key}": monitored,
	"GET /ack/{token}": forPeople, "POST /ack/{token}": forPeople, "GET /ack/style.css": forPeople, "GET /verify/{token}": forPeople, "POST /verify/{token}": forPeople,
	"GET /healthz": forAnybody, "GET /readyz": forAnybody, "GET /metrics": forAnybody,
}

// plainBodies are what each route takes; the second says something else.
var plainBodies = map[string][2]string{
	"/v1/events":       {`{"title": "Orders stopped"}`, `{"title": "Orders slow"}`},
	"/v1/events/batch": {`{"events": [{"id": "0192d3a5-6a80-7000-8000-0000000000ab", "title": "Orders stopped"}]}`, `{"events": [{"id": "0192d3a5-6a80-7000-8000-0000000000ab", "title": "Orders slow"}]}`},
	"/v1/changes":      {`{"summary": "Release 7"}`, `{"summary": "Release 8"}`},
	"/v1/samples": {
		`{"name": "latency", "points": [{"at": "` + now + `", "value": 1}]}`, `{"name": "latency", "points": [{"at": "` + now + `", "value": 2}]}`,
	},
	"/v1/heartbeats/{name}/ping":               {`{"every_seconds": 60}`, `{"every_seconds": 90}`},
	"/v1/heartbeats/{name}/ping/{service_key}": {`{"every_seconds": 60}`, `{"every_seconds": 90}`},
	"/v1/webhooks/prometheus/{service_key}": {
		`{"version": "4", "status": "firing", "alerts": [{"status": "firing", "labels": {"alertname": "Down"}, "startsAt": "` + now + `"}]}`, ``,
	},
}

var now = time.Now().UTC().Format(time.RFC3339)

// plainRoutesOf are the routes of a server that are no RPC, each with its kind.
func plainRoutesOf(t *testing.T, r *rig) map[rpcserver.Route]plainKind {
	t.Helper()
	kinds := map[rpcserver.Route]plainKind{}
	for _, route := range r.served.Routes() {
		if route.Procedure != "" {
			continue
		}
		kind, known := plainKinds[route.Verb+" "+route.Path]
		if !known {
			t.Errorf("%s %s is no line of plainKinds", route.Verb, route.Path)
			continue
		}
		kinds[route] = kind
	}
	if len(kinds) != len(plainKinds) {
		t.Errorf("%d routes are no RPC, want the %d of plainKinds", len(kinds), len(plainKinds))
	}
	return kinds
}

// hangUp leaves once an answer begins: a stream has no end.
type hangUp struct {
	*httptest.ResponseRecorder
	leave func()
}

func (h hangUp) WriteHeader(status int) {
	h.ResponseRecorder.WriteHeader(status)
	h.leave()
}

// plain calls a plain route as whoever may.
func (n *tenant) plain(route rpcserver.Route, body []byte, headers ...string) answer {
	n.t.Helper()
	path := strings.NewReplacer("{service_key}", n.serviceKey, "{name}", "walk", "{token}", "none", "{file}", "none.ics").Replace(route.Path)
	ctx, leave := context.WithCancel(n.t.Context())
	defer leave()
	request := newRequest(ctx, route.Verb, path, body)
	request.Header.Set("Content-Type", "application/json")
	if route.Path == "/v1/stream" || route.Path == "/v1/account/export" {
		request.Header.Set("Authorization", "Bearer "+n.bearers["viewer"])
	} else {
		request.Header.Set("Authorization", "Bearer "+n.serviceKey)
	}
	for i := 0; i+1 < len(headers); i += 2 {
		request.Header.Set(headers[i], headers[i+1])
	}
	recorder := hangUp{httptest.NewRecorder(), leave}
	n.handler.ServeHTTP(recorder, request)
	return answer{status: recorder.Code, header: recorder.Header(), body: recorder.Body.String()}
}

// TestEveryPlainRouteKeepsTheConventions: request id, version, what is left of a quota, types and
// encodings of bodies.
func TestEveryPlainRouteKeepsTheConventions(t *testing.T) {
	t.Parallel()
	n := newTestServer(t).newTenant("acme")
	n.ping("walk", object{"every_seconds": 60})
	for route, kind := range plainRoutesOf(t, n.rig) {
		name, body := route.Verb+" "+route.Path, []byte(plainBodies[route.Path][0])
		got := n.plain(route, body, "X-Request-Id", "walk-1")
		if got.header.Get("X-Request-Id") != "walk-1" || got.header.Get("Nightbell-Version") != rpcserver.ContractVersion {
			t.Errorf("%s: request id %q, version %q", name, got.header.Get("X-Request-Id"), got.header.Get("Nightbell-Version"))
		}
		left, policy := got.header.Get("RateLimit"), got.header.Get("RateLimit-Policy")
		if kind.quota == "" && left+policy != "" || kind.quota != "" && (!strings.HasPrefix(left, strconv.Quote(kind.quota)+";r=") || !strings.HasPrefix(policy, strconv.Quote(kind.quota)+";q=")) {
			t.Errorf("%s: RateLimit %q, RateLimit-Policy %q", name, left, policy)
		}
		if !kind.json {
			continue
		}
		if got.status >= 300 {
			t.Errorf("%s: %s", name, got.whole())
		}
		if zip := n.plain(route, zipped(string(body)), "Content-Encoding", "gzip"); zip.status >= 300 {
			t.Errorf("%s, gzip: %s", name, zip.whole())
		}
		text := n.plain(route, body, "Content-Type", "text/plain")
		if want := map[bool]bool{true: text.status < 300, false: text.status == 415 && text.text("code") == "content_type"}; !want[kind.anyType] {
			t.Errorf("%s, text/plain: %s", name, text.whole())
		}
		if br := n.plain(route, body, "Content-Encoding", "br"); br.status != 415 || !strings.HasPrefix(br.text("code"), "content_") {
			t.Errorf("%s, brotli: %s", name, br.whole())
		}
	}
}

// TestAQuotaOfWhatProgramsSendIsOfEachServiceAndKind: beyond it 429 says when to send again. Alerts
// of monitors have none, and a loop of events keeps no ping back.
func TestAQuotaOfWhatProgramsSendIsOfEachServiceAndKind(t *testing.T) {
	t.Parallel()
	r := &rig{t: t, database: pgtest.New(t), logged: &lines{}, slack: newSlackDouble(t)}
	r.start(Config{
		DatabaseURL: r.database.DSN(), Listen: "127.0.0.1:8480", DataDir: t.TempDir(), EgressAllow: []string{"127.0.0.0/8"},
		SMTPPort: 587, SMTPFrom: "Nightbell <nightbell@localhost>", LogLevel: "debug", LogFormat: "json", QuotaSent: 20,
	})
	n := r.newTenant("acme")
	other := at[string](t, n.call(n.owner(), http.MethodPost, "/v1/services", object{"name": "Search"}), "service_key")
	for route, kind := range plainRoutesOf(t, n.rig) {
		if !kind.json || strings.Contains(route.Path, "/ping/") {
			continue
		}
		name, body := route.Verb+" "+route.Path, []byte(plainBodies[route.Path][0])
		if route.Path == "/v1/heartbeats/{name}/ping" {
			if first := n.plain(route, body); first.status != http.StatusAccepted {
				t.Errorf("%s after all events: %s", name, first.whole())
			}
		}
		var got answer
		for range 21 {
			got = n.plain(route, body)
		}
		if kind.quota == "" {
			if got.status != http.StatusOK {
				t.Errorf("%s is refused: %s", name, got.whole())
			}
			continue
		}
		got.is(t, name, 429, "rate_limited")
		if left := got.header.Get("RateLimit"); got.header.Get("Retry-After") == "" || left != strconv.Quote(kind.quota)+";r=0;t="+got.header.Get("Retry-After") {
			t.Errorf("%s: RateLimit %q, Retry-After %q", name, left, got.header.Get("Retry-After"))
		}
		if elsewhere := n.plain(route, body, "Authorization", "Bearer "+other); elsewhere.status >= 300 {
			t.Errorf("%s about another service: %s", name, elsewhere.whole())
		}
	}
}

// TestPlainCallsAreRepeatedSafely: the same key and body give the first answer, another body is
// refused, and whoever else uses the key is somebody else.
func TestPlainCallsAreRepeatedSafely(t *testing.T) {
	t.Parallel()
	c := newCampaign(t)
	for route, kind := range plainRoutesOf(t, c.a.rig) {
		if route.Verb != http.MethodPost || !kind.repeats {
			continue
		}
		inPath := strings.Contains(route.Path, "{service_key}") // the path's key is the only one
		for _, key := range []string{uuid.NewString(), "release 7"} {
			name, bodies := route.Path+" with "+key, plainBodies[route.Path]
			send := func(n *tenant, body string, headers ...string) answer {
				if route.Path == "/v1/events/batch" && key == "release 7" {
					body = strings.ReplaceAll(body, "00ab", "00ac")
				}
				return n.plain(route, []byte(body), append([]string{"Idempotency-Key", key}, headers...)...)
			}
			first := send(c.a, bodies[0])
			again := send(c.a, bodies[0])
			if first.status >= 300 || first.header.Get("Idempotent-Replayed") != "" {
				t.Errorf("%s, the first: %s", name, first.whole())
			}
			if again.status != first.status || again.header.Get("Idempotent-Replayed") != "true" || again.body != first.body || again.header.Get("Location") != first.header.Get("Location") {
				t.Errorf("%s, again: %s\n%s", name, again.whole(), first.body)
			}
			other := send(c.a, bodies[1])
			if route.Path != "/v1/events/batch" {
				other.is(t, name+", another body", 422, "idempotency_mismatch")
			} else if other.status != http.StatusOK || !strings.Contains(other.body, `"idempotency_mismatch"`) { // each event has an id, and a result of its own
				t.Errorf("%s, another body: %s", name, other.whole())
			}
			if theirs := send(c.b, bodies[1]); theirs.status >= 300 || theirs.header.Get("Idempotent-Replayed") != "" || strings.Contains(theirs.body, "mismatch") {
				t.Errorf("%s, another organization: %s", name, theirs.whole())
			}
			if _, isID := uuid.Parse(key); isID == nil || inPath || route.Path == "/v1/events/batch" {
				continue // a UUID is taken to be one call's, whoever makes it
			}
			apiKey := c.a.newAPIKey("responder", auth.EventsWrite)
			if theirs := send(c.a, bodies[1], "Authorization", "Bearer "+apiKey, "Nightbell-Service-Key", c.a.serviceKey); theirs.status >= 300 || theirs.header.Get("Idempotent-Replayed") != "" {
				t.Errorf("%s, another key of the organization: %s", name, theirs.whole())
			}
		}
	}
}
