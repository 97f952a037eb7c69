package telemetry

import (
	"bytes"
	"context"
	"fmt"
	"io"
	"net/http"
	"time"

	"go.opentelemetry.io/otel/attribute"
	"go.opentelemetry.io/otel/codes"
	"go.opentelemetry.io/otel/sdk/instrumentation"
	sdk "go.opentelemetry.io/otel/sdk/trace"
	commonv1 "go.opentelemetry.io/proto/otlp/common/v1"
	resourcev1 "go.opentelemetry.io/proto/otlp/resource/v1"
	tracev1 "go.opentelemetry.io/proto/otlp/trace/v1"
	"google.golang.org/protobuf/proto"
)

// exporter sends spans as OTLP over HTTP. The official one links gRPC, which would make the binary
// 9 MB larger for a feature that most installations do not use.
type exporter struct {
	url     string
	headers http.Header
}

var collector = &http.Client{Timeout: 10 * time.Second}

// ExportSpans implements sdk.SpanExporter. A batch that is refused is lost: traces must never hold
// up pages.
func (e *exporter) ExportSpans(ctx context.Context, spans []sdk.ReadOnlySpan) error {
	// TracesData has the same form on the wire as the request of the collector's service.
	body, err := proto.Marshal(&tracev1.TracesData{ResourceSpans: toOTLP(spans)})
	if err != nil {
		return err
	}
	req, err := http.NewRequestWithContext(ctx, http.MethodPost, e.url, bytes.NewReader(body))
	if err != nil {
		return err
	}
	req.Header = e.headers.Clone()
	req.Header.Set("Content-Type", "application/x-protobuf")
	res, err := collector.Do(req)
	if err != nil {
		return err
	}
	defer res.Body.Close()
	_, _ = io.Copy(io.Discard, io.LimitReader(res.Body, 64<<10)) // so that the connection is used again
	if res.StatusCode/100 != 2 {
		return fmt.Errorf("the collector answered %s", res.Status)
	}
	return nil
}

// Shutdown implements sdk.SpanExporter.
func (e *exporter) Shutdown(context.Context) error { return nil }

// toOTLP groups spans by the library they come from. All share one resource: this process.
func toOTLP(spans []sdk.ReadOnlySpan) []*tracev1.ResourceSpans {
	if len(spans) == 0 {
		return nil
	}
	scopes := map[instrumentation.Scope]*tracev1.ScopeSpans{}
	all := &tracev1.ResourceSpans{
		Resource: &resourcev1.Resource{Attributes: toAttributes(spans[0].Resource().Attributes())},
	}
	for _, span := range spans {
		scope := span.InstrumentationScope()
		group, ok := scopes[scope]
		if !ok {
			group = &tracev1.ScopeSpans{Scope: &commonv1.InstrumentationScope{Name: scope.Name, Version: scope.Version}}
			scopes[scope] = group
			all.ScopeSpans = append(all.ScopeSpans, group)
		}
		group.Spans = append(group.Spans, toSpan(span))
	}
	return []*tracev1.ResourceSpans{all}
}

func toSpan(span sdk.ReadOnlySpan) *tracev1.Span {
	at, parent := span.SpanContext(), span.Parent()
	traceID, spanID, parentID := at.TraceID(), at.SpanID(), parent.SpanID()
	sent := &tracev1.Span{
		TraceId:           traceID[:],
		SpanId:            spanID[:],
		Name:              span.Name(),
		Kind:              tracev1.Span_SpanKind(span.SpanKind()), // both count from unspecified = 0
		StartTimeUnixNano: nanos(span.StartTime()),
		EndTimeUnixNano:   nanos(span.EndTime()),
		Attributes:        toAttributes(span.Attributes()),
		Status:            toStatus(span.Status()),
	}
	if parent.HasSpanID() {
		sent.ParentSpanId = parentID[:]
	}
	for _, link := range span.Links() {
		traceID, spanID := link.SpanContext.TraceID(), link.SpanContext.SpanID()
		sent.Links = append(sent.Links, &tracev1.Span_Link{TraceId: traceID[:], SpanId: spanID[:]})
	}
	for _, event := range span.Events() {
		sent.Events = append(sent.Events, &tracev1.Span_Event{
			TimeUnixNano: nanos(event.Time), Name: event.Name, Attributes: toAttributes(event.Attributes),
		})
	}
	return sent
}

func nanos(at time.Time) uint64 { return uint64(max(0, at.UnixNano())) }

func toStatus(status sdk.Status) *tracev1.Status {
	switch status.Code {
	case codes.Error:
		return &tracev1.Status{Code: tracev1.Status_STATUS_CODE_ERROR, Message: status.Description}
	case codes.Ok:
		return &tracev1.Status{Code: tracev1.Status_STATUS_CODE_OK}
	}
	return nil
}

func toAttributes(attributes []attribute.KeyValue) []*commonv1.KeyValue {
	sent := make([]*commonv1.KeyValue, 0, len(attributes))
	for _, one := range attributes {
		sent = append(sent, &commonv1.KeyValue{Key: string(one.Key), Value: toValue(one.Value)})
	}
	return sent
}

// toValue sends lists as text; nothing of ours has any.
func toValue(value attribute.Value) *commonv1.AnyValue {
	switch value.Type() {
	case attribute.BOOL:
		return &commonv1.AnyValue{Value: &commonv1.AnyValue_BoolValue{BoolValue: value.AsBool()}}
	case attribute.INT64:
		return &commonv1.AnyValue{Value: &commonv1.AnyValue_IntValue{IntValue: value.AsInt64()}}
	case attribute.FLOAT64:
		return &commonv1.AnyValue{Value: &commonv1.AnyValue_DoubleValue{DoubleValue: value.AsFloat64()}}
	}
	return &commonv1.AnyValue{Value: &commonv1.AnyValue_StringValue{StringValue: value.String()}}
}
