package app

import (
	"context"
	"encoding/json"
	"net/http"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"

	"github.com/nightbell/nightbell/api/internal/auth"
	"github.com/nightbell/nightbell/api/internal/platform/postgres"
	"github.com/nightbell/nightbell/api/internal/platform/postgres/pgtest"
)

// TestAnswersWaitForNobodysReads: whatever the lists of an organization's people take, each answer to an
// incident is carried out, shown, kept for a repeat and written to the audit log. Those that a person names by a filter
// are looked for there too; a program's are looked for as a list is.
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
	filtered := object{"action": "acknowledge", "filter": object{"triggered_before": "2100-01-01T00:00:00Z"}}
	if got := n.plainly(http.MethodPost, "/v1/incidents/bulk", n.owner(), sure(json.Marshal(filtered))); got.status != http.StatusOK || !strings.Contains(got.body, incident) {
		t.Errorf("all that a filter names: %s", got.whole())
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

// TestAnAnswerIsCarriedOutThoughItsCallerHungUp: the phone has sent all of it, and lost its connection.
func TestAnAnswerIsCarriedOutThoughItsCallerHungUp(t *testing.T) {
	t.Parallel()
	n := newTestServer(t).newTenant("acme")
	gone, hangUp := context.WithCancel(t.Context())
	hangUp()
	for _, header := range [][]string{nil, {"Idempotency-Key", "pressed once"}} {
		for path, body := range map[string]func(incident string) string{
			"/v1/incidents/%s/acknowledge": func(string) string { return `{}` },
			"/v1/incidents/bulk": func(incident string) string {
				return `{"action": "acknowledge", "ids": ["` + incident + `"]}`
			},
		} {
			incident := n.makeIncident()
			n.within(gone, http.MethodPost, strings.Replace(path, "%s", incident, 1), n.owner(), []byte(body(incident)), header...)
			if status := pgtest.One[string](t, n.database, `SELECT status FROM incident WHERE id = $1`, incident); status != "acknowledged" {
				t.Errorf("%s with %v: it is still %s", path, header, status)
			}
		}
	}
}

// TestWhatAFilterNamesKeepsNoAnswerWaiting: what takes longer to find than an answer may is looked for as a list is.
func TestWhatAFilterNamesKeepsNoAnswerWaiting(t *testing.T) {
	t.Parallel()
	n := newTestServer(t).newTenant("acme")
	incident := n.makeIncident()
	slow := sure(n.database.Owner(t).Begin(t.Context()))
	sure(slow.Exec(t.Context(), `LOCK TABLE incident`))
	got := make(chan answer, 1)
	go func() {
		got <- n.plainly(http.MethodPost, "/v1/incidents/bulk", n.owner(),
			sure(json.Marshal(object{"action": "acknowledge", "filter": object{"triggered_before": "2100-01-01T00:00:00Z"}})))
	}()
	looks := n.database.Owner(t)
	for waits := ""; !strings.HasSuffix(waits, " "+string(postgres.Tenant)); time.Sleep(10 * time.Millisecond) {
		must(t, looks.QueryRow(t.Context(), `SELECT coalesce(min(application_name), '') FROM pg_stat_activity
			WHERE datname = current_database() AND wait_event_type = 'Lock' AND query LIKE 'SELECT i.id FROM%'`).Scan(&waits))
	}
	must(t, slow.Rollback(t.Context()))
	if got := <-got; got.status != http.StatusOK || !strings.Contains(got.body, incident) {
		t.Error(got.whole())
	}
}

// TestAPersonsAnswerGoesBeforeThoseOfPrograms: hundreds of a script's calls wait when somebody acknowledges, and most
// of them are still there when that is done. They are done afterwards.
func TestAPersonsAnswerGoesBeforeThoseOfPrograms(t *testing.T) {
	t.Parallel()
	const calls, most = 400, 120 // 193 when all take turns as they come
	n := newTestServer(t).newTenant("acme")
	mine, script, key := n.makeIncident(), n.makeIncident(), n.newAPIKey("responder", auth.IncidentsWrite)
	var done, failed atomic.Int64
	var under sync.WaitGroup
	for range calls {
		under.Go(func() {
			if got := n.plainly(http.MethodPost, "/v1/incidents/"+script+"/acknowledge", key, []byte(`{}`)); got.status >= http.StatusInternalServerError {
				failed.Add(1)
			}
			done.Add(1)
		})
	}
	for done.Load() < 5 {
		time.Sleep(time.Millisecond)
	}
	before := done.Load()
	if got := n.plainly(http.MethodPost, "/v1/incidents/"+mine+"/acknowledge", n.owner(), []byte(`{}`)); got.status != http.StatusOK {
		t.Error(got.whole())
	}
	if meanwhile := done.Load() - before; meanwhile > most {
		t.Errorf("%d calls of the script went before the person's", meanwhile)
	}
	under.Wait()
	if failed.Load() > 0 {
		t.Errorf("%d calls of the script were not carried out", failed.Load())
	}
}

// TestAnAnswerThatCannotBeReadBackIsAccepted: told that it failed, a caller without an Idempotency-Key would
// declare a second incident, or wake the next step as well.
func TestAnAnswerThatCannotBeReadBackIsAccepted(t *testing.T) {
	t.Parallel()
	n := newTestServer(t).newTenant("acme")
	open, other := n.makeIncident(), n.makeIncident()
	busy := sure(n.database.Owner(t).Begin(t.Context()))
	sure(busy.Exec(t.Context(), `LOCK TABLE incident_link`)) // an answer changes none, and its reader looks there
	for _, c := range []struct{ path, body, status string }{
		{"/v1/incidents", `{"title": "Orders stopped"}`, "triggered"},
		{"/v1/incidents/" + open + "/escalate", `{}`, "triggered"},
		{"/v1/incidents/" + open + "/merge", `{"into_id": "` + other + `"}`, "resolved"},
	} {
		got := n.plainly(http.MethodPost, c.path, n.owner(), []byte(c.body))
		if got.status >= http.StatusMultipleChoices || !strings.Contains(got.body, `"status":"`+c.status+`"`) {
			t.Errorf("%s: %s", c.path, got.whole())
		}
	}
	must(t, busy.Rollback(t.Context()))
	if failed := pgtest.One[int](t, n.database, `SELECT count(*) FROM audit_event WHERE method LIKE '%IncidentService/%' AND outcome <> 'ok'`); failed > 0 {
		t.Errorf("%d accepted answers failed by the audit log", failed)
	}
}
