package ingest

import (
	"net/http"

	"github.com/nightbell/nightbell/api/internal/alert"
	"github.com/nightbell/nightbell/api/internal/ingest/prometheus"
)

// sender is a kind of program that sends alerts: where it posts and how it writes.
// parse must be pure and fail only with faults of kind Invalid.
type sender struct {
	name  string
	path  string
	parse func(body []byte) (alert.Batch, error)
}

// senders is the one table of them. A new sender is a parser in its own folder and
// a line here; its path names the key's segment {service_key}.
var senders = []sender{
	{name: "prometheus", path: "/v1/webhooks/prometheus/{service_key}", parse: prometheus.Parse},
}

// Verbs are the methods that senders use; Grafana can be told to PUT.
var Verbs = []string{http.MethodPost, http.MethodPut}

// Paths lists where senders deliver, as patterns of http.ServeMux. Each takes every one of
// Verbs.
func Paths() []string {
	paths := make([]string, len(senders))
	for i, s := range senders {
		paths[i] = s.path
	}
	return paths
}

// Register binds every sender's path. Paths are bound without a method, so that a
// wrong one is answered as JSON too.
func (h *Handler) Register(mux *http.ServeMux) {
	for _, s := range senders {
		mux.Handle(s.path, h.webhook(s))
	}
}
