package app

import (
	"encoding/json"
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/nightbell/nightbell/api/internal/platform/postgres/pgtest"
)

// keyed makes a team as somebody, with an Idempotency-Key.
func (n *tenant) keyed(who, key, name string) answer {
	n.t.Helper()
	return n.plainly(http.MethodPost, "/v1/teams", n.bearers[who], sure(json.Marshal(object{"name": name})), "Idempotency-Key", key)
}

func (n *tenant) teams(name string) int {
	return pgtest.One[int](n.t, n.database, "SELECT count(*) FROM team WHERE org_id = $1 AND name = $2", n.orgID, name)
}

func TestIdempotencyKeyIsOfOneCallerAndRequest(t *testing.T) {
	t.Parallel()
	n := newTestServer(t).newTenant("acme")
	if first := n.keyed("owner", "k", "Payments"); first.status != http.StatusCreated || first.header.Get("Idempotent-Replayed") != "" {
		t.Fatal(first.whole())
	}
	if again := n.keyed("owner", "k", "Payments"); again.status != http.StatusCreated || again.header.Get("Idempotent-Replayed") != "true" || n.teams("Payments") != 1 {
		t.Errorf("a repeat: %s", again.whole())
	}
	if other := n.keyed("owner", "k", "Search"); other.status != http.StatusUnprocessableEntity || !strings.Contains(other.body, "idempotency_mismatch") {
		t.Errorf("the same key for another request: %s", other.whole())
	}
	if admin := n.keyed("admin", "k", "Search"); admin.status != http.StatusCreated || n.teams("Search") != 1 {
		t.Errorf("another caller's key collides: %s", admin.whole())
	}
	long := strings.Repeat("k", 300) // events are taken with it, so everything is
	if n.keyed("owner", long, "Long"); n.keyed("owner", long, "Long").header.Get("Idempotent-Replayed") != "true" || n.keyed("owner", long+"k", "Long").status != http.StatusConflict {
		t.Error("a long key is not one of its own")
	}
	if stored := pgtest.One[string](t, n.database, "SELECT string_agg(encode(response, 'escape'), '') FROM idempotency_key"); strings.Contains(stored, "Payments") {
		t.Error("answers are stored unsealed")
	}
}

func TestARefusalGivesTheIdempotencyKeyBack(t *testing.T) {
	t.Parallel()
	n := newTestServer(t).newTenant("acme")
	taken := n.make("/v1/teams", "team", object{"name": "Payments"})
	if refused := n.keyed("owner", "k", "Payments"); refused.status != http.StatusConflict {
		t.Fatal(refused.whole())
	}
	n.call(n.owner(), http.MethodDelete, "/v1/teams/"+taken, nil)
	if again := n.keyed("owner", "k", "Payments"); again.status != http.StatusCreated || again.header.Get("Idempotent-Replayed") != "" {
		t.Errorf("after the reason is gone: %s", again.whole())
	}
}

// A process that ends leaves a key without an answer. What it had carried out is not done again, and
// what it had not is, once no request can still be under way.
func TestACrashNeverCarriesOutAKeyedRequestTwice(t *testing.T) {
	t.Parallel()
	n := newTestServer(t).newTenant("acme")
	n.keyed("owner", "k", "Payments")
	crash := func(carriedOut bool, ago time.Duration) {
		n.database.Exec(t, "DELETE FROM team WHERE org_id = $1 AND name = 'Payments'", n.orgID)
		n.database.Exec(t, "UPDATE idempotency_key SET response = NULL, carried_out = $1, created_at = nightbell_now() - $2::interval WHERE key = 'k'", carriedOut, ago.String())
	}
	for name, c := range map[string]struct {
		carriedOut bool
		ago        time.Duration
	}{"under way": {false, 0}, "under way as a long answer may be": {false, time.Minute}, "carried out just now": {true, 0}, "carried out long ago": {true, 71 * time.Hour}} {
		crash(c.carriedOut, c.ago)
		if got := n.keyed("owner", "k", "Payments"); got.status != http.StatusConflict || got.header.Get("Retry-After") == "" || n.teams("Payments") != 0 {
			t.Errorf("%s: %s", name, got.whole())
		}
	}
	for name, c := range map[string]struct {
		carriedOut bool
		ago        time.Duration
	}{"abandoned": {false, 2 * time.Minute}, "forgotten": {true, 73 * time.Hour}} {
		crash(c.carriedOut, c.ago)
		if got := n.keyed("owner", "k", "Payments"); got.status != http.StatusCreated || got.header.Get("Idempotent-Replayed") != "" || n.teams("Payments") != 1 {
			t.Errorf("%s: %s", name, got.whole())
		}
	}
}

// A press of Escalate whose answer was lost is pressed again: it must not wake the next one as well.
func TestAnEscalationThatIsRepeatedWakesNobodyFurther(t *testing.T) {
	t.Parallel()
	n := newTestServer(t).newTenant("acme")
	incident := n.declare("Checkout is down", object{"severity": "critical"})
	escalate := func(key string) answer {
		return n.plainly(http.MethodPost, "/v1/incidents/"+incident+"/escalate", n.owner(), []byte(`{}`), "Idempotency-Key", key)
	}
	first, again := escalate("press"), escalate("press")
	if first.status != http.StatusOK || again.status != http.StatusOK || again.header.Get("Idempotent-Replayed") != "true" || again.body != first.body {
		t.Errorf("%s\nand again %s", first.whole(), again.whole())
	}
	escalated := func() int {
		return pgtest.One[int](t, n.database, "SELECT count(*) FROM timeline_event WHERE org_id = $1 AND incident_id = $2 AND kind = 'escalated'", n.orgID, incident)
	}
	if times := escalated(); times != 1 {
		t.Errorf("one press and its repeat escalated %d times", times)
	}
	if another := escalate("another press"); another.status != http.StatusOK || escalated() != 2 {
		t.Errorf("another press: %s", another.whole())
	}
}
