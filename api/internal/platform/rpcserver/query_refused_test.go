package rpcserver

import (
	"bytes"
	"context"
	"log/slog"
	"net/http"
	"net/netip"
	"strings"
	"testing"

	nightbellv1 "github.com/nightbell/nightbell/api/gen/nightbell/v1"
)

// TestParametersThatCannotBeReadAreRefused: net/url would leave them out, and the caller would
// get another list than the one asked for.
func TestParametersThatCannotBeReadAreRefused(t *testing.T) {
	server := New(quiet(), MapFaults(nil), Validate())
	mountProbe(t, server, &probe{get: func(context.Context, *nightbellv1.GetIncidentRequest) (*nightbellv1.GetIncidentResponse, error) {
		return &nightbellv1.GetIncidentResponse{}, nil
	}})
	handler := server.Handler()
	for _, query := range []string{"limit=5;offset=1", "limit=%zz"} {
		got := rest(handler, http.MethodGet, "/v1/incidents?"+query, "")
		if got.status != http.StatusBadRequest || !strings.Contains(got.body, "invalid_query") {
			t.Errorf("%s: %d %s", query, got.status, got.body)
		}
	}
}

func TestAnUntrustedProxyIsWarnedOfOnce(t *testing.T) {
	for _, trusted := range []bool{false, true} {
		var logs bytes.Buffer
		server := New(slog.New(slog.NewTextHandler(&logs, nil)))
		if trusted {
			server.TrustedProxies = []netip.Prefix{netip.MustParsePrefix("192.0.2.0/24")} // httptest's address
		}
		handler := server.Handler()
		for range 3 {
			rest(handler, http.MethodGet, "/", "", "X-Forwarded-For", "203.0.113.9")
		}
		rest(handler, http.MethodGet, "/", "")
		want := 1
		if trusted {
			want = 0
		}
		if got := strings.Count(logs.String(), "NIGHTBELL_TRUSTED_PROXIES"); got != want {
			t.Errorf("trusted %v: warned %d times, want %d", trusted, got, want)
		}
	}
}
