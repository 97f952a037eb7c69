package app

import (
	"encoding/json"
	"net/http"
	"strings"
	"testing"

	"github.com/nightbell/nightbell/api/internal/auth"
	"github.com/nightbell/nightbell/api/internal/platform/postgres"
	"github.com/nightbell/nightbell/api/internal/platform/postgres/pgtest"
)

// newQuotaServer is a server on which each caller has forty calls.
func newQuotaServer(t *testing.T) *rig {
	t.Helper()
	r := &rig{t: t, database: pgtest.New(t), logged: &lines{}, slack: newSlackDouble(t)}
	r.start(Config{
		DatabaseURL: r.database.DSN(), Listen: "127.0.0.1:8480", DataDir: t.TempDir(), EgressAllow: []string{"127.0.0.0/8"},
		SMTPPort: 587, SMTPFrom: "Nightbell <nightbell@localhost>", LogLevel: "debug", LogFormat: "json", QuotaRequests: 40,
	})
	return r
}

// TestAQuotaOfCallsNeverRefusesAnAnswerToAnIncident: each caller has a quota of their own, every
// answer says what is left of it, and alerts have none.
func TestAQuotaOfCallsNeverRefusesAnAnswerToAnIncident(t *testing.T) {
	t.Parallel()
	r := newQuotaServer(t)
	n := r.newTenant("acme")
	incident := n.makeIncident()
	var got answer
	for range 41 {
		if got = n.get("/v1/teams", n.owner()); got.status != http.StatusOK {
			break
		}
	}
	left := got.header.Get("RateLimit")
	if got.status != http.StatusTooManyRequests || !strings.Contains(got.body, `"code":"rate_limited"`) || got.header.Get("Retry-After") == "" ||
		!strings.HasPrefix(left, `"requests";r=0;t=`) || strings.TrimPrefix(left, `"requests";r=0;t=`) != got.header.Get("Retry-After") {
		t.Errorf("beyond the quota: %s", got.whole())
	}
	if other := n.get("/v1/teams", n.bearers["viewer"]); other.status != http.StatusOK || other.header.Get("RateLimit-Policy") != `"requests";q=40;w=60` || other.header.Get("RateLimit") != `"requests";r=39;t=60` {
		t.Errorf("somebody else: %s", other.whole())
	}
	if answered := n.plainly(http.MethodPost, "/v1/incidents/"+incident+"/acknowledge", n.owner(), []byte(`{}`)); answered.status != http.StatusOK || answered.header.Get("RateLimit") != "" {
		t.Errorf("an acknowledgement is refused: %s", answered.whole())
	}
	if unread := n.plainly(http.MethodPost, "/v1/teams", n.owner(), []byte(`{`)); unread.status != http.StatusTooManyRequests {
		t.Errorf("what is beyond the quota is read: %s", unread.whole())
	}
	for what, body := range map[string]string{"comments": `{"message":"It is the disk."}`, "subscribers": `{}`, "links": `{"linked_id":"` + incident + `"}`} {
		if told := n.plainly(http.MethodPost, "/v1/incidents/"+incident+"/"+what, n.owner(), []byte(body)); told.status != http.StatusTooManyRequests {
			t.Errorf("%s beyond the quota: %s", what, told.whole())
		}
	}
	if sent := n.plainly(http.MethodPost, "/v1/events", n.serviceKey, []byte(`{"title":"Orders stopped"}`)); sent.status != http.StatusCreated {
		t.Errorf("an event is refused: %s", sent.whole())
	}
}

// Whoever may answer nothing has a quota for trying, and what they send stays out of the audit log but its
// beginning: refusals fill no disk.
func TestCallersWhoMayNotAnswerAreCountedAndTheirWordsNotKept(t *testing.T) {
	t.Parallel()
	r := newQuotaServer(t)
	n := r.newTenant("acme")
	acknowledge := "/v1/incidents/" + n.makeIncident() + "/acknowledge"
	lacks := n.newAPIKey("responder", auth.IncidentsRead)
	long := sure(json.Marshal(object{"message": strings.Repeat("a disk full of \" and \\ ", 80)}))
	for name, bearer := range map[string]string{"a viewer": n.bearers["viewer"], "a key without the scope": lacks} {
		var got answer
		for range 41 {
			if got = n.plainly(http.MethodPost, acknowledge, bearer, long); got.status != http.StatusForbidden {
				break
			}
		}
		if got.status != http.StatusTooManyRequests {
			t.Errorf("%s: %s", name, got.whole())
		}
	}
	if answered := n.plainly(http.MethodPost, acknowledge, n.bearers["responder"], long); answered.status != http.StatusOK {
		t.Errorf("a responder: %s", answered.whole())
	}
	const longest = `SELECT coalesce(max(length(request::text)), 0) FROM audit_event WHERE method LIKE '%/AcknowledgeIncident' AND outcome `
	if kept := pgtest.One[int](t, r.database, longest+`<> 'ok'`); kept == 0 || kept > 400 {
		t.Errorf("%d characters of refused calls are kept", kept)
	}
	if kept := pgtest.One[int](t, r.database, longest+`= 'ok'`); kept < len(long) {
		t.Errorf("%d characters of what was done are kept, of %d", kept, len(long))
	}
}

// TestBeyondTheQuotaNothingIsAsked: not by a call that is let through only by what the database says now.
func TestBeyondTheQuotaNothingIsAsked(t *testing.T) {
	t.Parallel()
	n := newQuotaServer(t).newTenant("acme")
	try := func() answer {
		return n.plainly(http.MethodPost, "/v1/teams", n.bearers["admin"], []byte(`{}`))
	}
	for range 41 {
		try()
	}
	before := n.db.Stats()[postgres.Identity].AcquireCount()
	if got := try(); got.status != http.StatusTooManyRequests || got.header.Get("RateLimit") == "" {
		t.Errorf("beyond the quota: %s", got.whole())
	}
	if cost := n.db.Stats()[postgres.Identity].AcquireCount() - before; cost != 0 {
		t.Errorf("a refusal cost %d questions", cost)
	}
}
