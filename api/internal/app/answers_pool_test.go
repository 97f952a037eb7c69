package app

import (
	"context"
	"encoding/json"
	"net/http"
	"testing"

	"github.com/jackc/pgx/v5"

	"github.com/nightbell/nightbell/api/internal/platform/postgres"
	"github.com/nightbell/nightbell/api/internal/platform/postgres/pgtest"
)

// TestAnswersWaitForNobodysReads: whatever the lists of an organization's people take, each answer to an
// incident is carried out, shown, kept for a repeat and written to the audit log. Those that a filter names are
// looked for as a list is.
func TestAnswersWaitForNobodysReads(t *testing.T) {
	t.Parallel()
	n := newTestServer(t).newTenant("acme")
	incident := n.makeIncident()
	release := make(chan struct{})
	var held []chan error
	for range n.db.Stats()[postgres.Tenant].MaxConns() - 2 { // two are left to others, as ever
		begun, done := make(chan struct{}), make(chan error, 1)
		go func() {
			done <- n.db.InTenant(t.Context(), n.orgID, func(context.Context, pgx.Tx) error {
				close(begun)
				<-release
				return nil
			})
		}()
		<-begun
		held = append(held, done)
	}
	for path, body := range map[string]object{
		"/v1/incidents": {"title": "Orders stopped", "service_id": n.objects["service"]},
		"/v1/incidents/" + incident + "/acknowledge":   {},
		"/v1/incidents/" + incident + "/escalate":      {},
		"/v1/incidents/" + incident + "/assign":        {"assignee_id": n.people["responder"]},
		"/v1/incidents/bulk":                           {"action": "acknowledge", "ids": []string{incident}},
		"/v1/incidents/" + n.makeIncident() + "/merge": {"into_id": n.makeIncident()},
	} {
		got := n.plainly(http.MethodPost, path, n.owner(), sure(json.Marshal(body)), "Idempotency-Key", path)
		again := n.plainly(http.MethodPost, path, n.owner(), sure(json.Marshal(body)), "Idempotency-Key", path)
		if got.status >= http.StatusMultipleChoices || again.status != got.status || again.header.Get("Idempotent-Replayed") == "" {
			t.Errorf("%s: %s, and then %s", path, got.whole(), again.whole())
		}
	}
	if kept := pgtest.One[int](t, n.database, `SELECT count(*) FROM audit_event WHERE method LIKE '%IncidentService/%'`); kept < 12 {
		t.Errorf("%d of 12 calls are in the audit log", kept)
	}
	if got := n.get("/v1/incidents", n.owner()); got.status != http.StatusServiceUnavailable {
		t.Errorf("a list found a connection, so that this test shows nothing: %s", got.whole())
	}
	close(release)
	for _, done := range held {
		must(t, <-done)
	}
}
