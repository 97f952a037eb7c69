package app

import (
	"encoding/json"
	"net/http"
	"os"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/uuid"

	"github.com/nightbell/nightbell/api/internal/auth"
	"github.com/nightbell/nightbell/api/internal/platform/postgres/pgtest"
)

// ping posts a ping with the service's key.
func (n *tenant) ping(name string, body object) answer {
	n.t.Helper()
	return n.sendTo("/v1/heartbeats/"+name+"/ping", sure(json.Marshal(body)), "Authorization", "Bearer "+n.serviceKey)
}

// attended lets time pass while a sweep looks every second: only the last look finds something.
func (n *tenant) attended(d time.Duration) {
	n.t.Helper()
	n.database.Clock.Advance(d)
	n.database.Exec(n.t, `UPDATE heartbeat_watch SET looked_at = nightbell_now()`)
	n.sweep()
}

func TestAHeartbeatIsMadeByItsFirstPingAndPagesWhenItStops(t *testing.T) {
	t.Parallel()
	n := newTestServer(t).newTenant("acme")
	before := n.incidentCount()
	if got := n.ping("orders-worker", object{"status": "ok"}); got.status != http.StatusNotFound || got.text("code") != "heartbeat_not_found" {
		t.Fatalf("an unknown one: %d %s", got.status, got.body)
	}
	made := n.ping("orders-worker", object{"status": "ok", "every_seconds": 60, "grace_seconds": 30, "colour": "red"})
	if made.status != http.StatusAccepted || made.text("status") != "ok" || made.text("deadline_at") == "" || !strings.Contains(made.body, `"field":"colour"`) {
		t.Fatalf("the first ping: %d %s", made.status, made.body)
	}
	n.sweep()
	n.attended(91 * time.Second)
	if got := n.incidentCount(); got != before+1 {
		t.Fatalf("%d incidents more after a miss", got-before)
	}
	listed := n.call(n.bearers["viewer"], http.MethodGet, "/v1/heartbeats?service_id="+n.objects["service"], nil)
	one := at[[]any](t, listed, "heartbeats")[0].(object)
	if one["status"] != "missed" || one["down_since_at"] == nil || one["every_seconds"] != 60.0 || at[string](t, one, "service", "name") != "Checkout" {
		t.Errorf("listed as %v", one)
	}
	if back := n.ping("orders-worker", object{}); back.status != http.StatusAccepted || back.text("status") != "ok" {
		t.Errorf("the late ping: %d %s", back.status, back.body)
	}
	if open := pgtest.One[int](t, n.database, `SELECT count(*) FROM incident WHERE org_id = $1 AND source = 'heartbeat' AND status <> 'resolved'`, n.orgID); open != 0 {
		t.Errorf("%d incidents are open after the late ping", open)
	}
}

// TestAServiceTakesItsHeartbeatsWithIt: what they opened is resolved, and pages nobody any more.
func TestAServiceTakesItsHeartbeatsWithIt(t *testing.T) {
	t.Parallel()
	n := newTestServer(t).newTenant("acme")
	made := n.call(n.owner(), http.MethodPost, "/v1/services", object{"name": "Billing"})
	key := []string{"Authorization", "Bearer " + at[string](t, made, "service_key")}
	for name, status := range map[string]string{"invoices": "fail", "receipts": "ok"} {
		body := sure(json.Marshal(object{"status": status, "every_seconds": 60}))
		if got := n.sendTo("/v1/heartbeats/"+name+"/ping", body, key...); got.status != http.StatusAccepted {
			t.Fatal(got.whole())
		}
	}
	serviceID := at[string](t, made, "service", "id")
	paging := func() string {
		return pgtest.One[string](t, n.database, `SELECT status || ' ' || paging_status || ' ' || (paging_due_at IS NOT NULL)
			|| ' ' || EXISTS (SELECT FROM notification n WHERE n.incident_id = i.id AND n.state = 'pending') FROM incident i WHERE service_id = $1`, serviceID)
	}
	if got := paging(); !strings.HasPrefix(got, "triggered ") || !strings.HasSuffix(got, " true") {
		t.Fatalf("before it is deleted: %s", got)
	}
	n.call(n.owner(), http.MethodDelete, "/v1/services/"+serviceID, nil)
	if got := paging(); !strings.HasPrefix(got, "resolved ") || !strings.HasSuffix(got, " false false") {
		t.Errorf("after it was deleted: %s", got)
	}
	said := pgtest.One[string](t, n.database, `SELECT string_agg(message, '|') FROM timeline_event e JOIN incident i ON i.id = e.incident_id WHERE i.service_id = $1 AND kind = 'heartbeat_recovered'`, serviceID)
	if said != `Heartbeat "invoices" was deleted with its service.` {
		t.Errorf("said of it: %s", said)
	}
	if left := pgtest.One[int](t, n.database, `SELECT count(*) FROM heartbeat WHERE service_id = $1`, serviceID); left != 0 {
		t.Errorf("%d heartbeats are left", left)
	}
}

// TestEveryWayToPing: with a header, by an address alone, as what cannot POST does.
func TestEveryWayToPing(t *testing.T) {
	t.Parallel()
	n := newTestServer(t).newTenant("acme")
	key := []string{"Authorization", "Bearer " + n.serviceKey}
	for _, way := range []struct {
		verb, path, body string
		headers          []string
		status           int
	}{
		{"POST", "/v1/heartbeats/n%C3%A4chtlich%2F1%20a/ping", `{"status":"ok","every_seconds":60}`, key, 202},
		{"GET", "/v1/heartbeats/n%C3%A4chtlich%2F1%20a/ping?status=start&run_id=r1", "", key, 202},
		{"HEAD", "/v1/heartbeats/n%C3%A4chtlich%2F1%20a/ping", "", key, 202},
		{"GET", "/v1/heartbeats/n%C3%A4chtlich%2F1%20a/ping/" + n.serviceKey + "?every_seconds=120&grace_seconds=0", "", nil, 202},
		{"HEAD", "/v1/heartbeats/n%C3%A4chtlich%2F1%20a/ping/" + n.serviceKey, "", nil, 202},
		{"POST", "/v1/heartbeats/n%C3%A4chtlich%2F1%20a/ping/" + n.serviceKey, "", nil, 202},
		{"POST", "/v1/heartbeats/cron/ping", `{"status":"start","schedule":"0 3 * * *","time_zone":"Europe/Berlin","max_runtime_seconds":1800,"run_id":"1"}`, key, 202},
		{"POST", "/v1/heartbeats/mine/ping", `{"every_seconds":60}`, []string{"Authorization", "Bearer " + n.newAPIKey("responder", auth.EventsWrite), "Nightbell-Service-Key", n.serviceKey}, 202},
		{"POST", "/v1/heartbeats/mine/ping", `{}`, key, 202},
		{"POST", "/v1/heartbeats/mine/ping", `{}`, []string{"Authorization", "Bearer " + n.newAPIKey("responder", auth.IncidentsRead)}, 403},
		{"POST", "/v1/heartbeats/mine/ping", `{"status":"fine"}`, key, 422},
		{"POST", "/v1/heartbeats/mine/ping", `{"every_seconds":0}`, key, 422},
		{"POST", "/v1/heartbeats/mine/ping", `{"every_seconds":"often"}`, key, 422},
		{"POST", "/v1/heartbeats/mine/ping", `{"every_seconds":1e400}`, key, 422},
		{"POST", "/v1/heartbeats/mine/ping", `{"schedule":"at night"}`, key, 422},
		{"POST", "/v1/heartbeats/mine/ping", `{"run_id":{}}`, key, 422},
		{"POST", "/v1/heartbeats/mine/ping", `[1]`, key, 400},
		{"POST", "/v1/heartbeats/mine/ping", `status=fine`, append([]string{"Content-Type", "application/x-www-form-urlencoded"}, key...), 422},
		{"POST", "/v1/heartbeats/mine/ping", `{"status":`, append([]string{"Content-Type", "application/x-www-form-urlencoded"}, key...), 400},
		{"POST", "/v1/heartbeats/mine/ping", strings.Repeat(" ", 5000), key, 202},
		{"POST", "/v1/heartbeats/%00/ping", `{"every_seconds":60}`, key, 422},
		{"POST", "/v1/heartbeats/%20/ping", `{"every_seconds":60}`, key, 422},
		{"GET", "/v1/heartbeats/mine/ping", "", nil, 401},
		{"GET", "/v1/heartbeats/mine/ping/nbs_nobodys", "", nil, 401},
		{"GET", "/v1/heartbeats/mine/ping/" + n.apiKey, "", nil, 401},
		{"DELETE", "/v1/heartbeats/mine/ping", "", key, 405},
	} {
		got := n.plainly(way.verb, way.path, "", []byte(way.body), way.headers...)
		if got.status != way.status {
			t.Errorf("%s %s %s: %d %s, want %d", way.verb, way.path, way.body, got.status, got.body, way.status)
		}
	}
	names := pgtest.One[string](t, n.database, `SELECT string_agg(name || ' ' || coalesce(every_seconds::text, schedule), ', ' ORDER BY name COLLATE "C") FROM heartbeat
		WHERE org_id = $1 AND name NOT LIKE 'Sample%' AND name NOT LIKE 'filled%'`, n.orgID)
	if names != "cron 0 3 * * *, mine 60, nächtlich/1 a 120" {
		t.Errorf("heartbeats: %s", names)
	}
}

// TestAPingMayCarryWhatScriptsSend: curl -d says that all is a form, and a job's output is any text.
func TestAPingMayCarryWhatScriptsSend(t *testing.T) {
	t.Parallel()
	n := newTestServer(t).newTenant("acme")
	n.ping("job", object{"every_seconds": 60})
	const form, text = "application/x-www-form-urlencoded", "text/plain"
	for _, c := range []struct{ kind, body, status, warned string }{
		{form, "3 files copied, 100% done & dusted", "ok", `"field":"body"`},
		{text, "rsync: done\nexit=0\n", "ok", `"field":"body"`},
		{form, "status=fail&note=disk 100% full; giving up", "failed", `"warnings":[]`},
		{form, "status=ok", "ok", `"warnings":[]`},
		{"nonsense;;", "done", "ok", `"field":"body"`},
		{form, "status=fail", "failed", `"warnings":[]`},
		{form, "status=ok&colour=red", "ok", `"field":"colour"`},
		{form, `{"status":"fail"}`, "failed", `"warnings":[]`},
		{text, `{"status":"ok"}`, "ok", `"warnings":[]`},
		{form, "", "ok", `"warnings":[]`},
	} {
		got := n.sendTo("/v1/heartbeats/job/ping", []byte(c.body), "Content-Type", c.kind, "Authorization", "Bearer "+n.serviceKey)
		if got.status != http.StatusAccepted || got.text("status") != c.status || !strings.Contains(got.body, c.warned) {
			t.Errorf("%s %q: %d %s, want %s", c.kind, c.body, got.status, got.body, c.status)
		}
	}
	n.sendTo("/v1/heartbeats/job/ping", []byte("--x\r\nContent-Disposition: form-data; name=\"status\"\r\n\r\nfail\r\n--x--"),
		"Content-Type", "multipart/form-data; boundary=x", "Authorization", "Bearer "+n.serviceKey).
		is(t, "a multipart form", http.StatusUnsupportedMediaType, "content_type")
	refused := n.sendTo("/v1/heartbeats/job/ping", []byte(`[1]`), "Authorization", "Bearer "+n.serviceKey)
	if refused.text("code") != "invalid_json" || strings.Contains(refused.body, "Orders") {
		t.Errorf("refused in the words of events: %s", refused.body)
	}
}

// TestNoPingIsLostForItsText: however long, in whatever form, and cut within a character.
func TestNoPingIsLostForItsText(t *testing.T) {
	t.Parallel()
	n := newTestServer(t).newTenant("acme")
	n.ping("job", object{"every_seconds": 60})
	const form, text, cut = "application/x-www-form-urlencoded", "text/plain", "only its first 64 KiB were read"
	long := strings.Repeat("ä€😀\n", 100<<10)
	for _, c := range []struct{ query, kind, body, status, warned string }{
		{"", text, strings.Repeat("ä", 4<<10), "ok", `"field":"body"`},
		{"?status=fail", text, long, "failed", cut},
		{"", text, "x" + long, "ok", cut},
		{"", form, "status=fail&every_seconds=60&output=" + long, "failed", cut},
		{"?status=ok", form, "status=fail&output=" + long, "ok", cut},
		{"", "application/json", `{"status": "fail", "output": "` + long + `"}`, "failed", cut},
		{"", "application/json", `{"status":"ok"}` + long, "ok", cut},
		{"", "application/json", `{"status":"fail","run_id":"r1","output":"` + strings.Repeat("x", 30<<10) + `"}`, "failed", `"field":"output"`},
		{"?status=ok&run_id=r2", "application/json", `{"a": "` + strings.Repeat("x", 64<<10-29) + `", "every_seconds": 3600}`, "ok", cut},
	} {
		got := n.sendTo("/v1/heartbeats/job/ping"+c.query, []byte(c.body), "Content-Type", c.kind, "Authorization", "Bearer "+n.serviceKey)
		if got.status != http.StatusAccepted || got.text("status") != c.status || !strings.Contains(got.body, c.warned) {
			t.Errorf("%s %q %.30q: %d %.300s, want %s and %s", c.kind, c.query, c.body, got.status, got.body, c.status, c.warned)
		}
	}
	if every := pgtest.One[int](t, n.database, "SELECT every_seconds FROM heartbeat WHERE org_id = $1 AND name = 'job'", n.orgID); every != 60 {
		t.Errorf("a number at the cut was read as %d", every)
	}
}

func TestNoKeyOfAPingIsLogged(t *testing.T) {
	t.Parallel()
	n := newTestServer(t).newTenant("acme")
	n.logged.take()
	for _, path := range []string{"ping/", "pings/", "png/", "ping/x/", "ping//", "ping/" + n.serviceKey + "/"} {
		for _, short := range []string{n.serviceKey, "nbs_short"} {
			n.plainly(http.MethodGet, "/v1/heartbeats/mine/"+path+short+"?every_seconds=60", "", nil)
			n.plainly(http.MethodGet, "/v1/heartbeat/mine/"+path+short, "", nil)
		}
	}
	if logged := n.logged.take(); strings.Contains(logged, n.serviceKey) || strings.Contains(logged, "nbs_short") {
		t.Errorf("logged: %s", logged)
	}
}

func TestPingsThatSDKsSendAreTaken(t *testing.T) {
	t.Parallel()
	n := newTestServer(t).newTenant("acme")
	var vectors struct {
		Cases []struct {
			Kind   string
			Expect struct {
				Path  string
				Pings []struct{ Body object }
			}
		}
	}
	must(t, json.Unmarshal(sure(os.ReadFile("../../../proto/vectors/monitors.json")), &vectors))
	sent := 0
	n.call(n.owner(), http.MethodPost, "/v1/heartbeats", object{"name": "nightly", "service_id": n.objects["service"], "schedule": "0 3 * * *"})
	for _, c := range vectors.Cases {
		for _, ping := range c.Expect.Pings {
			sent++
			got := n.sendTo(c.Expect.Path, sure(json.Marshal(ping.Body)), "Authorization", "Bearer "+n.serviceKey)
			if got.status != http.StatusAccepted && c.Kind != "job" || !strings.Contains(got.body, `"warnings":[]`) && got.status == http.StatusAccepted {
				t.Errorf("%s %v: %d %s", c.Expect.Path, ping.Body, got.status, got.body)
			}
		}
	}
	if sent == 0 {
		t.Error("no case is a ping")
	}
}

func TestAHeartbeatIsConfigured(t *testing.T) {
	t.Parallel()
	n := newTestServer(t).newTenant("acme")
	service := n.objects["service"]
	path := "/v1/heartbeats/" + n.make("/v1/heartbeats", "heartbeat", object{"name": "nightly", "service_id": service, "schedule": "0 3 * * *", "time_zone": "Europe/Berlin"})
	for body, code := range map[string]string{
		`{"name":"nightly","service_id":"` + service + `","every_seconds":60}`:                          "heartbeat_name_taken",
		`{"name":"both","service_id":"` + service + `","every_seconds":60,"schedule":"0 3 * * *"}`:      "invalid_fields",
		`{"name":"neither","service_id":"` + service + `"}`:                                             "invalid_fields",
		`{"name":"never","service_id":"` + service + `","schedule":"0 0 31 2 *"}`:                       "invalid_fields",
		`{"name":"zone","service_id":"` + service + `","schedule":"0 3 * * *","time_zone":"Mars/Base"}`: "invalid_fields",
		`{"name":"bad\u0007","service_id":"` + service + `","every_seconds":60}`:                        "invalid_fields",
	} {
		if got := n.plainly(http.MethodPost, "/v1/heartbeats", n.owner(), []byte(body)); got.text("code") != code {
			t.Errorf("%s: %d %s, want %s", body, got.status, got.body, code)
		}
	}
	patch := func(body string) object {
		t.Helper()
		got := n.plainly(http.MethodPatch, path, n.owner(), []byte(body))
		if got.status != http.StatusOK {
			t.Fatalf("%s: %d %s", body, got.status, got.body)
		}
		var answer object
		must(t, json.Unmarshal([]byte(got.body), &answer))
		return at[object](t, answer, "heartbeat")
	}
	if got := patch(`{"every_seconds":60,"schedule":null,"severity":"critical"}`); got["every_seconds"] != 60.0 || got["schedule"] != nil || got["time_zone"] != nil || got["severity"] != "critical" {
		t.Errorf("to an interval: %v", got)
	}
	if got := patch(`{"grace_seconds":0,"paused":true}`); got["grace_seconds"] != 0.0 || got["status"] != "paused" {
		t.Errorf("paused: %v", got)
	}
	n.ping("nightly", object{})
	n.sweep()
	n.attended(time.Hour)
	if got := patch(`{"paused":false,"grace_seconds":null}`); got["status"] != "ok" || got["grace_seconds"] != nil || got["deadline_at"] == nil {
		t.Errorf("it goes on, counted from now: %v", got)
	}
	n.sweep()
	n.attended(91 * time.Second)
	if got := pgtest.One[string](t, n.database, `SELECT string_agg(severity || ' ' || status, ',') FROM incident WHERE org_id = $1 AND source = 'heartbeat'`, n.orgID); got != "critical triggered" {
		t.Errorf("incidents: %s", got)
	}
	if got := n.plainly(http.MethodDelete, path, n.owner(), nil, "If-Match", `"other"`); got.status != http.StatusPreconditionFailed {
		t.Errorf("deleted, although it was changed: %d %s", got.status, got.body)
	}
	n.plainly(http.MethodDelete, path, n.owner(), nil)
	if got := n.get(path, n.owner()); got.status != http.StatusNotFound || got.text("code") != "heartbeat_not_found" {
		t.Errorf("deleted: %d %s", got.status, got.body)
	}
}

func TestSubscriptionsAreToldOfHeartbeats(t *testing.T) {
	t.Parallel()
	n := newTestServer(t).newTenant("acme")
	n.call(n.owner(), http.MethodPost, "/v1/webhook-subscriptions", object{
		"name": "Beats", "url": n.slack.webhook(), "event_types": []string{"heartbeat.missed", "heartbeat.recovered"},
	})
	n.ping("nightly", object{"status": "fail", "every_seconds": 60})
	n.ping("nightly", object{"status": "ok"})
	for range 20 {
		_, err := n.publisher.Sweep(t.Context())
		must(t, err)
	}
	told := pgtest.One[string](t, n.database, `SELECT coalesce(string_agg(event_type || ' ' || (payload::jsonb #>> '{data,heartbeat,name}'), ',' ORDER BY seq), '') FROM webhook_delivery
		WHERE org_id = $1 AND event_type LIKE 'heartbeat.%'`, n.orgID)
	if !slices.Equal(strings.Split(told, ","), []string{"heartbeat.missed nightly", "heartbeat.recovered nightly"}) {
		t.Errorf("told %q", told)
	}
}

// TestTenantPings: a key reaches the heartbeats of its own service only, whatever they are called.
func TestTenantPings(t *testing.T) {
	t.Parallel()
	c := newCampaign(t)
	c.b.ping("shared-name", object{"every_seconds": 60})
	shared := pgtest.One[uuid.UUID](t, c.database, `SELECT id FROM heartbeat WHERE org_id = $1 AND name = 'shared-name'`, c.b.orgID)
	c.startAfresh()
	c.database.Exec(t, `UPDATE heartbeat SET name = 'shared-name' WHERE org_id = $1 AND id = $2`, c.b.orgID, shared)
	c.sums = c.rig.sums(c.b.orgID)
	if got := c.a.ping("shared-name", object{"status": "fail"}); got.status != http.StatusNotFound {
		t.Errorf("a heartbeat of another organization: %s", got.whole())
	}
	if got := c.a.ping("shared-name", object{"status": "fail", "every_seconds": 60}); got.status != http.StatusAccepted || len(c.leaks(got.whole())) > 0 {
		t.Errorf("one of our own with its name: %s", got.whole())
	}
	c.checkUnharmed(t)
	if c.b.ping("shared-name", object{"status": "fail"}); len(changes(c.sums, c.rig.sums(c.b.orgID))) == 0 {
		t.Error("untested: its own key changes nothing either")
	}
}
