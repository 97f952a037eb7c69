package telemetry

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"io"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	tracev1 "go.opentelemetry.io/proto/otlp/trace/v1"
	"google.golang.org/protobuf/proto"

	"github.com/nightbell/nightbell/api/internal/kernel/fault"
	"github.com/nightbell/nightbell/api/internal/platform/rpcserver"
)

func TestLogLinesCarryTheRequestID(t *testing.T) {
	type key struct{}
	var out bytes.Buffer
	logger, err := NewLogger(&out, "json", slog.LevelInfo, func(ctx context.Context) string {
		id, _ := ctx.Value(key{}).(string)
		return id
	})
	if err != nil {
		t.Fatal(err)
	}
	logger.With("part", "ingest").InfoContext(context.WithValue(t.Context(), key{}, "r-1"), "hello")
	logger.Info("outside")
	first, second, _ := strings.Cut(out.String(), "\n")
	var line map[string]any
	if err := json.Unmarshal([]byte(first), &line); err != nil || line["request_id"] != "r-1" || line["part"] != "ingest" {
		t.Errorf("line %s (%v)", first, err)
	}
	if strings.Contains(second, "request_id") {
		t.Errorf("a line outside of a request names one: %s", second)
	}
	if _, err := NewLogger(&out, "xml", slog.LevelInfo, nil); err == nil || !strings.Contains(err.Error(), "text or json") {
		t.Errorf("format xml: %v", err)
	}
}

func TestMetricsPage(t *testing.T) {
	metrics := NewMetrics("v1.2.3")
	metrics.PageAttempted("email", 300*time.Millisecond)
	metrics.PageAttempted("email", -time.Second)
	metrics.OldestOverdue(2 * time.Second)
	metrics.AlertsReceived("prometheus", "accepted", 3)
	metrics.RequestFinished(t.Context(), rpcserver.Observation{Route: "/v1/incidents/{id}", Method: "GET", Status: 404, Duration: time.Millisecond})
	metrics.RequestFinished(t.Context(), rpcserver.Observation{Route: "/v1/stream", Method: "GET", Status: 200, Stream: true})
	w := httptest.NewRecorder()
	metrics.Handler().ServeHTTP(w, httptest.NewRequest(http.MethodGet, "/metrics", nil))
	page := w.Body.String()
	for _, want := range []string{
		`page_lateness_seconds_count{channel="email"} 2`,
		`page_lateness_seconds_bucket{channel="email",le="0.05"} 1`,
		`oldest_overdue_seconds 2`,
		`alerts_received_total{outcome="accepted",sender="prometheus"} 3`,
		`http_request_duration_seconds_count{method="GET",route="/v1/incidents/{id}",status="4xx"} 1`,
		`nightbell_build_info{go="go1.`,
		`version="v1.2.3"} 1`,
		`go_goroutines`,
	} {
		if !strings.Contains(page, want) {
			t.Errorf("/metrics lacks %s", want)
		}
	}
	if strings.Contains(page, "/v1/stream") {
		t.Error("the length of a stream is measured as a duration")
	}
}

func TestReadiness(t *testing.T) {
	good := Check{"database", func(context.Context) error { return nil }}
	refused := Check{"restored copy", func(context.Context) error {
		return fault.New(fault.Unavailable, "restored", "This is a restored copy; confirm that it may page.")
	}}
	broken := Check{"queue", func(context.Context) error { return errors.New("dial /run/secret: no such file") }}
	hanging := Check{"slow", func(ctx context.Context) error { <-ctx.Done(); return ctx.Err() }}
	for name, c := range map[string]struct {
		checks []Check
		status int
		shows  string
	}{
		"all well":        {[]Check{good}, 200, `"ready"`},
		"no checks":       {nil, 200, `"ready"`},
		"a refusal":       {[]Check{good, refused}, 503, "confirm that it may page"},
		"a failure":       {[]Check{broken, good}, 503, "the log says why"},
		"one never comes": {[]Check{hanging}, 503, `"slow"`},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			ctx, cancel := context.WithTimeout(t.Context(), 50*time.Millisecond)
			defer cancel()
			w := httptest.NewRecorder()
			Ready(slog.New(slog.DiscardHandler), c.checks...).ServeHTTP(w, httptest.NewRequestWithContext(ctx, http.MethodGet, "/readyz", nil))
			if w.Code != c.status || !strings.Contains(w.Body.String(), c.shows) || strings.Contains(w.Body.String(), "/run/secret") {
				t.Errorf("%d %s, want %d showing %s", w.Code, w.Body, c.status, c.shows)
			}
		})
	}
	w := httptest.NewRecorder()
	Alive().ServeHTTP(w, httptest.NewRequest(http.MethodGet, "/healthz", nil))
	if w.Code != http.StatusOK {
		t.Errorf("/healthz: %d", w.Code)
	}
}

func TestTracingIsOffWithoutAnEndpoint(t *testing.T) {
	tracing, err := StartTracing(func(string) string { return "" }, "v1", slog.New(slog.DiscardHandler))
	if err != nil {
		t.Fatal(err)
	}
	handler := http.NotFoundHandler()
	if tracing.Stop(t.Context()) != nil || tracing.Wrap(handler) == nil {
		t.Error("a Tracing without an endpoint does something")
	}
	tracing.RequestFinished(t.Context(), rpcserver.Observation{})
	for name, value := range map[string]string{
		"OTEL_EXPORTER_OTLP_ENDPOINT": "collector:4318",
		"OTEL_EXPORTER_OTLP_HEADERS":  "novalue",
	} {
		env := map[string]string{"OTEL_EXPORTER_OTLP_ENDPOINT": "http://collector:4318", name: value}
		if _, err := StartTracing(func(name string) string { return env[name] }, "v1", slog.New(slog.DiscardHandler)); err == nil || !strings.Contains(err.Error(), name) {
			t.Errorf("%s=%s: %v", name, value, err)
		}
	}
}

// A webhook's key is in its path: the collector learns the route, never the path.
func TestSpansReachTheCollectorWithoutSecrets(t *testing.T) {
	received := make(chan *tracev1.TracesData, 1)
	fake := httptest.NewServer(http.HandlerFunc(func(_ http.ResponseWriter, r *http.Request) {
		body, _ := io.ReadAll(r.Body)
		var data tracev1.TracesData
		if r.URL.Path != "/v1/traces" || r.Header.Get("Authorization") != "Bearer x y" || proto.Unmarshal(body, &data) != nil {
			t.Errorf("the collector was sent %s %v", r.URL.Path, r.Header)
		}
		received <- &data
	}))
	defer fake.Close()
	env := map[string]string{"OTEL_EXPORTER_OTLP_ENDPOINT": fake.URL, "OTEL_EXPORTER_OTLP_HEADERS": "Authorization=Bearer%20x y"}
	tracing, err := StartTracing(func(name string) string { return env[name] }, "v9", slog.New(slog.DiscardHandler))
	if err != nil {
		t.Fatal(err)
	}
	server := rpcserver.New(slog.New(slog.DiscardHandler))
	server.Observers = append(server.Observers, tracing.RequestFinished)
	err = server.Handle(http.MethodPost, "/v1/webhooks/{key}", http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		w.WriteHeader(http.StatusInternalServerError)
	}))
	if err != nil {
		t.Fatal(err)
	}
	r := httptest.NewRequest(http.MethodPost, "/v1/webhooks/sv_secret", nil)
	r.Header.Set("Traceparent", "00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01")
	tracing.Wrap(server.Handler()).ServeHTTP(httptest.NewRecorder(), r)
	if err := tracing.Stop(t.Context()); err != nil {
		t.Fatal(err)
	}
	data := <-received
	span := data.ResourceSpans[0].ScopeSpans[0].Spans[0]
	text := data.String()
	if span.Name != "POST /v1/webhooks/{key}" || span.Kind != tracev1.Span_SPAN_KIND_SERVER ||
		span.Status.GetCode() != tracev1.Status_STATUS_CODE_ERROR || len(span.Links) != 1 || len(span.ParentSpanId) != 0 {
		t.Errorf("span %v", span)
	}
	if strings.Contains(text, "sv_secret") || !strings.Contains(text, `"nightbell"`) || !strings.Contains(text, `"v9"`) {
		t.Errorf("sent %s", text)
	}
}
