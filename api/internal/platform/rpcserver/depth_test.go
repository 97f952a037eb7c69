package rpcserver

import (
	"context"
	"net/http"
	"strings"
	"testing"

	nightbellv1 "github.com/nightbell/nightbell/api/gen/nightbell/v1"
)

// The depth that the refusal names is the one that is enforced: objects and lists inside
// a field count, and nothing else.
func TestDepthIsTheOneThatIsTold(t *testing.T) {
	server := New(quiet(), MapFaults(nil), Validate())
	mountProbe(t, server, &probe{
		create: func(context.Context, *nightbellv1.CreateIncidentRequest) (*nightbellv1.CreateIncidentResponse, error) {
			return &nightbellv1.CreateIncidentResponse{}, nil
		},
	})
	handler := server.Handler()
	for name, nested := range map[string]func(depth int) string{
		"objects": func(depth int) string { return strings.Repeat(`{"a":`, depth) + `1` + strings.Repeat(`}`, depth) },
		"lists": func(depth int) string {
			return `{"a":` + strings.Repeat(`[`, depth-1) + strings.Repeat(`]`, depth-1) + `}`
		},
	} {
		for depth, status := range map[int]int{maxDepth: http.StatusCreated, maxDepth + 1: http.StatusUnprocessableEntity} {
			got := rest(handler, http.MethodPost, "/v1/incidents", `{"title":"x","metadata":`+nested(depth)+`}`, "Content-Type", "application/json")
			if got.status != status || (status != http.StatusCreated && !strings.Contains(got.body, "is nested deeper than 64 levels")) {
				t.Errorf("%d %s: %d %.300s", depth, name, got.status, got.body)
			}
		}
	}
}
