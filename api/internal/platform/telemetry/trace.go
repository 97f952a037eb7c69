package telemetry

import (
	"context"
	"fmt"
	"log/slog"
	"net/http"
	"net/url"
	"strings"

	"go.opentelemetry.io/otel"
	"go.opentelemetry.io/otel/attribute"
	"go.opentelemetry.io/otel/codes"
	"go.opentelemetry.io/otel/propagation"
	"go.opentelemetry.io/otel/sdk/resource"
	sdk "go.opentelemetry.io/otel/sdk/trace"
	"go.opentelemetry.io/otel/trace"

	"github.com/nightbell/nightbell/api/internal/platform/rpcserver"
)

// Tracing sends what requests did to an OpenTelemetry collector. A nil or zero Tracing is valid and
// does nothing.
type Tracing struct {
	provider *sdk.TracerProvider
	tracer   trace.Tracer
}

// StartTracing reads OTEL_EXPORTER_OTLP_ENDPOINT (OTLP over HTTP, such as http://collector:4318), without which it does
// nothing, and OTEL_EXPORTER_OTLP_HEADERS ("name=value,..."). The SDK reads OTEL_SERVICE_NAME, OTEL_RESOURCE_ATTRIBUTES
// and OTEL_TRACES_SAMPLER. The error names the variable that is wrong.
func StartTracing(getenv func(string) string, version string, logger *slog.Logger) (*Tracing, error) {
	endpoint := getenv("OTEL_EXPORTER_OTLP_ENDPOINT")
	if endpoint == "" {
		return &Tracing{}, nil
	}
	base, err := url.Parse(endpoint)
	if err != nil || base.Host == "" || (base.Scheme != "http" && base.Scheme != "https") {
		return nil, fmt.Errorf("OTEL_EXPORTER_OTLP_ENDPOINT must be a URL such as http://collector:4318")
	}
	headers, err := parseHeaders(getenv("OTEL_EXPORTER_OTLP_HEADERS"))
	if err != nil {
		return nil, err
	}
	about, err := resource.Merge(
		resource.NewSchemaless(attribute.String("service.name", "nightbell"), attribute.String("service.version", version)),
		resource.Environment())
	if err != nil {
		return nil, fmt.Errorf("OTEL_RESOURCE_ATTRIBUTES: %w", err)
	}
	otel.SetErrorHandler(otel.ErrorHandlerFunc(func(err error) { logger.Warn("tracing", "error", err) }))
	exporter := &exporter{url: base.JoinPath("v1/traces").String(), headers: headers}
	provider := sdk.NewTracerProvider(sdk.WithBatcher(exporter), sdk.WithResource(about))
	return &Tracing{provider, provider.Tracer("nightbell")}, nil
}

func parseHeaders(text string) (http.Header, error) {
	headers := http.Header{}
	for part := range strings.SplitSeq(text, ",") {
		if strings.TrimSpace(part) == "" {
			continue
		}
		name, value, ok := strings.Cut(part, "=")
		decoded, err := url.PathUnescape(strings.TrimSpace(value))
		if !ok || err != nil {
			return nil, fmt.Errorf("OTEL_EXPORTER_OTLP_HEADERS must be name=value pairs separated by commas")
		}
		headers.Set(strings.TrimSpace(name), decoded)
	}
	return headers, nil
}

func (t *Tracing) off() bool { return t == nil || t.provider == nil }

// Wrap puts a span around every request. It knows nothing of the path, which may hold a webhook's
// key; RequestFinished names the span once the route is known.
func (t *Tracing) Wrap(handler http.Handler) http.Handler {
	if t.off() {
		return handler
	}
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		// A stranger's trace is linked to, not continued: it must not decide what we sample.
		theirs := propagation.TraceContext{}.Extract(r.Context(), propagation.HeaderCarrier(r.Header))
		ctx, span := t.tracer.Start(r.Context(), r.Method, trace.WithSpanKind(trace.SpanKindServer),
			trace.WithLinks(trace.LinkFromContext(theirs)))
		defer span.End()
		handler.ServeHTTP(w, r.WithContext(ctx))
	})
}

// RequestFinished names the request's span; it fits rpcserver.Server.Observers.
func (t *Tracing) RequestFinished(ctx context.Context, seen rpcserver.Observation) {
	if t.off() {
		return
	}
	span := trace.SpanFromContext(ctx)
	span.SetName(seen.Method + " " + seen.Route)
	span.SetAttributes(
		attribute.String("http.request.method", seen.Method),
		attribute.String("http.route", seen.Route),
		attribute.Int("http.response.status_code", seen.Status),
		attribute.String("nightbell.request_id", rpcserver.RequestID(ctx)))
	if seen.Procedure != "" {
		span.SetAttributes(attribute.String("rpc.method", strings.TrimPrefix(seen.Procedure, "/")))
	}
	if seen.Status >= http.StatusInternalServerError {
		span.SetStatus(codes.Error, seen.Code)
	}
}

// Stop sends what is left, for as long as ctx lasts.
func (t *Tracing) Stop(ctx context.Context) error {
	if t.off() {
		return nil
	}
	return t.provider.Shutdown(ctx)
}
