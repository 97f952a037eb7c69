// Package telemetry is how an installation is watched: structured logs, Prometheus metrics, health
// answers, and traces when somebody asks for them.
package telemetry

import (
	"context"
	"fmt"
	"io"
	"log/slog"
)

// NewLogger writes one line for each event, in the format "text" or "json". requestID gives the id
// of the request that a context belongs to, empty for none; it may be nil. An unknown format is an
// error that names the choices.
func NewLogger(out io.Writer, format string, level slog.Leveler, requestID func(context.Context) string) (*slog.Logger, error) {
	options := &slog.HandlerOptions{Level: level}
	var handler slog.Handler
	switch format {
	case "text":
		handler = slog.NewTextHandler(out, options)
	case "json":
		handler = slog.NewJSONHandler(out, options)
	default:
		return nil, fmt.Errorf("the log format %q is unknown; use text or json", format)
	}
	if requestID != nil {
		handler = traced{handler, requestID}
	}
	return slog.New(handler), nil
}

// traced adds the request's id to everything that is logged on its behalf.
type traced struct {
	slog.Handler
	requestID func(context.Context) string
}

func (h traced) Handle(ctx context.Context, record slog.Record) error {
	if id := h.requestID(ctx); id != "" {
		record = record.Clone()
		record.AddAttrs(slog.String("request_id", id))
	}
	return h.Handler.Handle(ctx, record)
}

func (h traced) WithAttrs(attrs []slog.Attr) slog.Handler {
	return traced{h.Handler.WithAttrs(attrs), h.requestID}
}

func (h traced) WithGroup(name string) slog.Handler {
	return traced{h.Handler.WithGroup(name), h.requestID}
}
