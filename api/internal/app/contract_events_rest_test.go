package app

import (
	"context"
	"encoding/json"
	"fmt"
	"maps"
	"net/http"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/uuid"

	"github.com/nightbell/nightbell/api/internal/auth"
	"github.com/nightbell/nightbell/api/internal/platform/postgres/pgtest"
)

// sized is an event of so many bytes.
func sized(bytes int) string {
	start, end := `{"id": "`+uuid.NewString()+`", "title": "x", "description": "`, `"}`
	return start + strings.Repeat("x", bytes-len(start)-len(end)) + end
}

var aboutLimits = []sentence{
	{"Limits after gunzip: event 64 KiB, batch 512 KiB; 413 only above the limit after gunzip", func(t *testing.T, n *tenant) {
		key := []string{"Authorization", "Bearer " + n.serviceKey}
		gzip := append([]string{"Content-Encoding", "gzip"}, key...)
		batch := func(bytes int) string {
			var events []string
			for left := bytes - len(`{"events": []}`); left > 0; left -= 60_001 {
				events = append(events, sized(min(60_000, max(left, 200))))
			}
			return `{"events": [` + strings.Join(events, ",") + `]}`
		}
		for what, c := range map[string]struct {
			path, body string
			status     int
		}{
			"an event of 64 KiB": {"/v1/events", sized(64 << 10), 201}, "a byte more": {"/v1/events", sized(64<<10 + 1), 413},
			"a batch of nearly 512 KiB": {"/v1/events/batch", batch(512<<10 - 400), 200}, "a batch of more": {"/v1/events/batch", batch(513 << 10), 413},
		} {
			code := map[int]string{413: "body_too_large"}[c.status]
			n.sendTo(c.path, []byte(c.body), key...).is(t, what, c.status, code)
			if c.status == 201 {
				c.body = sized(64 << 10)
			}
			n.sendTo(c.path, zipped(c.body), gzip...).is(t, what+", gzip", c.status, code)
		}
	}},
	{"title 500, description 20,000 characters, 64 tags, metadata 16 KiB. Text that is too long is cut, tags and metadata beyond the limits are dropped, both listed in `truncated`, never refused", func(t *testing.T, n *tenant) {
		tags, metadata := object{}, object{}
		for i := range 65 {
			tags[fmt.Sprintf("tag%02d", i)] = "v"
		}
		for i := range 6 {
			metadata[fmt.Sprint("m", i)] = strings.Repeat("m", 3_500)
		}
		got := n.sendEvent(object{"title": strings.Repeat("é", 501), "description": strings.Repeat("ü", 20_001), "tags": tags, "metadata": metadata})
		if got.is(t, "all beyond", 201, ""); !strings.Contains(got.body, `"truncated":["description","metadata","tags","title"]`) {
			t.Error(got.body)
		}
		kept := n.kept(`char_length(title) || ' ' || char_length(description) || ' ' || (SELECT count(*) FROM jsonb_object_keys(details->'tags')) || ' ' || (length((details->'metadata')::text) <= 17000)`, got)
		if kept != "500 20000 64 true" {
			t.Errorf("kept %s", kept)
		}
	}},
	{"A frame is `{file, function, module, line, column, in_app, pre, code, post}`, an exception `{type, message, frames[]}`.", func(t *testing.T, n *tenant) {
		frame := `{"code":"c","column":2,"file":"orders.go","function":"f","in_app":true,"line":7,"module":"m","post":["p"],"pre":["q"]}`
		got := n.sendTo("/v1/events", []byte(`{"title": "x", "error": {"exceptions": [{"type": "T", "message": "M", "frames": [`+frame+`]}]}}`), "Authorization", "Bearer "+n.serviceKey)
		read := n.get("/v1/incidents/"+got.text("id")+"/alerts?include=details", n.bearers["viewer"])
		for want := range strings.SplitSeq(strings.Trim(frame, "{}"), ",") {
			if !strings.Contains(strings.ReplaceAll(read.body, `": `, `":`), want) {
				t.Errorf("no %s in %s", want, read.body)
			}
		}
	}},
}

// sentPaths are where programs send, with a body that each takes.
var sentPaths = map[string]string{
	"/v1/events": `{"title": "x"}`, "/v1/events/batch": `{"events": []}`, "/v1/changes": `{"summary": "x"}`,
	"/v1/samples": `{"name": "queue_depth", "points": [{"at": "` + time.Now().UTC().Format(time.RFC3339) + `", "value": 1}]}`, "/v1/heartbeats/sent/ping": `{"every_seconds": 60}`,
}

var aboutRefusals = []sentence{
	{"400 invalid_json; 401 api_key_invalid, service_key_invalid, wrong_key_kind; 403 scope_missing; 413 body_too_large; 415 content_type; 422 invalid_fields, idempotency_mismatch", func(t *testing.T, n *tenant) {
		id := uuid.NewString()
		for path, body := range sentPaths {
			key := []string{"Authorization", "Bearer " + n.serviceKey}
			for what, c := range map[string]struct {
				body    []byte
				headers []string
				status  int
				code    string
			}{
				"no JSON":            {[]byte(`{`), key, 400, "invalid_json"},
				"no gzip":            {[]byte(body), append([]string{"Content-Encoding", "gzip"}, key...), 400, "invalid_json"},
				"an API key":         {[]byte(body), []string{"Authorization", "Bearer nbk_none"}, 401, "api_key_invalid"},
				"a service key":      {[]byte(body), []string{"Authorization", "Bearer nbs_none"}, 401, "service_key_invalid"},
				"a webhook's URL":    {[]byte(body), []string{"Authorization", "Bearer https://nightbell.example/v1/webhooks/prometheus/" + n.serviceKey}, 401, "service_key_invalid"},
				"an old sign-in":     {[]byte(body), []string{"Authorization", "Bearer eyJhbGciOiJIUzI1NiJ9.e30.x"}, 401, "token_expired"},
				"nothing":            {[]byte(body), nil, 401, "service_key_invalid"},
				"a person":           {[]byte(body), []string{"Authorization", "Bearer " + n.owner()}, 401, "wrong_key_kind"},
				"a key in its place": {[]byte(body), []string{"Authorization", "Bearer " + n.newAPIKey("responder"), "Nightbell-Service-Key", n.apiKey}, 401, "wrong_key_kind"},
				"a scope":            {[]byte(body), []string{"Authorization", "Bearer " + n.newAPIKey("admin", auth.IncidentsWrite)}, 403, "scope_missing"},
				"too large":          {[]byte(`{"title": "` + strings.Repeat("x", 600<<10) + `"}`), key, 413, "body_too_large"},
				"text":               {[]byte(body), append([]string{"Content-Type", "text/plain"}, key...), 415, "content_type"},
				"brotli":             {[]byte(body), append([]string{"Content-Encoding", "br"}, key...), 415, "content_type"},
			} {
				if (what == "text" || what == "too large") && strings.HasSuffix(path, "/ping") {
					continue // a ping may carry what a script printed, however much; see TestAPingMayCarryWhatScriptsSend
				}
				n.sendTo(path, c.body, c.headers...).is(t, path+": "+what, c.status, c.code)
			}
			if path == "/v1/events/batch" {
				continue // each of its events has an id; see aboutBatches
			}
			n.sendTo(path, []byte(body), append([]string{"Idempotency-Key", id}, key...)...)
			other := strings.NewReplacer(`"x"`, `"y"`, `queue_depth`, `queue_age`, `60`, `90`).Replace(body)
			n.sendTo(path, []byte(other), append([]string{"Idempotency-Key", id}, key...)...).is(t, path+": the key for something else", 422, "idempotency_mismatch")
			if path != "/v1/heartbeats/sent/ping" {
				n.sendTo(path, []byte(`{}`), key...).is(t, path+": without what is needed", 422, "invalid_fields")
			}
		}
	}},
}

// TestOverloadIs503WithRetryAfter: the contract's last row. What was not stored may be sent again
// with the same id.
func TestOverloadIs503WithRetryAfter(t *testing.T) {
	t.Parallel()
	n := newTestServer(t).newTenant("acme")
	n.ping("sent", object{"every_seconds": 60})
	// Somebody holds the tables for longer than a sender waits.
	held := sure(n.database.Owner(t).Begin(t.Context()))
	defer func() { _ = held.Rollback(context.WithoutCancel(t.Context())) }()
	sure(held.Exec(t.Context(), `LOCK TABLE alert, change_event, sample_series, heartbeat`))
	paths := slices.Sorted(maps.Keys(sentPaths))
	for i, got := range atOnce(len(paths), func(i int) answer {
		body := strings.Replace(sentPaths[paths[i]], `[]`, `[{"id": "`+uuid.NewString()+`", "title": "x"}]`, 1)
		return n.sendTo(paths[i], []byte(body), "Authorization", "Bearer "+n.serviceKey)
	}) {
		if paths[i] == "/v1/events/batch" {
			if !strings.Contains(got.body, `"code":"overloaded"`) || !strings.Contains(got.body, `"retryable":true`) {
				t.Errorf("%s: %d %s", paths[i], got.status, got.body)
			}
			continue
		}
		if got.is(t, paths[i], 503, "overloaded"); got.header.Get("Retry-After") == "" {
			t.Errorf("%s without Retry-After", paths[i])
		}
	}
}

var aboutChanges = []sentence{
	{"`POST /v1/changes {id, summary, kind, version, environment, author, links, occurred_at, metadata}` gives 201, never pages; read by service and time", func(t *testing.T, n *tenant) {
		before := n.incidentCount()
		for _, kind := range []string{"deployment", "configuration", "feature_flag", "other"} {
			id := uuid.NewString()
			got := n.sendTo("/v1/changes", sure(json.Marshal(object{
				"id": id, "summary": "Release", "kind": kind, "version": "7", "environment": "production", "author": "Ada", "occurred_at": n.ago(time.Hour),
				"links": []object{{"href": "https://example.com/7"}}, "metadata": object{"commit": "9c6bfff"},
			})), "Authorization", "Bearer "+n.serviceKey)
			got.is(t, kind, 201, "")
			if location := got.header.Get("Location"); location != "/v1/changes/"+id || n.get(location, n.bearers["viewer"]).status != 200 || !strings.Contains(got.body, `"warnings":[]`) {
				t.Errorf("%s", got.whole())
			}
			listed := n.get("/v1/changes?service_id="+n.objects["service"]+"&kind="+kind+"&since="+n.ago(2*time.Hour)+"&until="+n.ago(30*time.Minute), n.bearers["viewer"])
			if !strings.Contains(listed.body, id) {
				t.Errorf("not read by service and time: %s", listed.body)
			}
		}
		if got := n.incidentCount(); got != before {
			t.Errorf("%d incidents more", got-before)
		}
	}},
}

var aboutSamples = []sentence{
	{"`POST /v1/samples {service, name, unit, points: [{at, value}]}`, batched, never pages, kept 30 days in minutes; feeds the service tiles", func(t *testing.T, n *tenant) {
		before, from := n.incidentCount(), n.minute(5)
		for _, name := range []string{"latency", "error_rate", "own"} {
			for _, service := range []string{n.objects["service"], "Checkout"} {
				n.sendSamples(object{"service": service, "name": name, "unit": "u", "points": points(from, 20*time.Second, 1, 2, 3)}).is(t, name, 200, "")
			}
			if got := n.series("name=" + name + "&step_seconds=60"); !strings.HasPrefix(got, name+" u: 6 2 1 3 3,") {
				t.Errorf("read by the minute: %s", got)
			}
		}
		n.sendSamples(object{"name": "own", "points": points(from.Add(-31*24*time.Hour), time.Minute, 1)}).is(t, "31 days old", 422, "invalid_fields")
		if got := n.incidentCount(); got != before {
			t.Errorf("%d incidents more", got-before)
		}
	}},
}

var aboutHeartbeats = []sentence{
	{"resource CRUD at `/v1/heartbeats`", func(t *testing.T, n *tenant) {
		made := n.plainly("POST", "/v1/heartbeats", n.owner(), sure(json.Marshal(object{"name": unique("CRUD"), "service_id": n.objects["service"], "every_seconds": 60})))
		path := made.header.Get("Location")
		made.is(t, "create", 201, "")
		n.get(path, n.bearers["viewer"]).is(t, "read", 200, "")
		n.plainly("PATCH", path, n.owner(), []byte(`{"schedule": "0 3 * * *", "time_zone": "Europe/Berlin", "every_seconds": null, "max_runtime_seconds": 60}`)).is(t, "change", 200, "")
		if read := n.get(path, n.owner()); !strings.Contains(read.body, `"time_zone":"Europe/Berlin"`) || !strings.Contains(read.body, `"max_runtime_seconds":60`) {
			t.Error(read.body)
		}
		n.plainly("DELETE", path, n.owner(), nil).is(t, "delete", 200, "")
		n.get(path, n.owner()).is(t, "read what is deleted", 404, "heartbeat_not_found")
	}},
	{"`GET|POST|HEAD /v1/heartbeats/{name}/ping` with `{status: ok|start|fail|stop, run_id, every_seconds, grace_seconds}` gives 202; the first ping with `every_seconds` creates it, otherwise an unknown name is 404", func(t *testing.T, n *tenant) {
		n.ping("verbs", object{"status": "ok"}).is(t, "an unknown name", 404, "heartbeat_not_found")
		n.ping("verbs", object{"status": "start", "run_id": "r1", "every_seconds": 60, "grace_seconds": 5}).is(t, "the first", 202, "")
		for _, status := range []string{"ok", "start", "fail", "stop"} {
			for _, verb := range []string{"GET", "POST", "HEAD"} {
				got := n.plainly(verb, "/v1/heartbeats/verbs/ping?status="+status, n.serviceKey, nil)
				if got.status != http.StatusAccepted {
					t.Errorf("%s %s: %d %s", verb, status, got.status, got.body)
				}
			}
		}
		n.ping("verbs", object{"status": "dance"}).is(t, "another word", 422, "invalid_fields")
	}},
	{"Also `schedule` (cron) with `time_zone`, `max_runtime_seconds`", func(t *testing.T, n *tenant) {
		n.ping("cron", object{"schedule": "0 3 * * *", "time_zone": "Europe/Berlin", "max_runtime_seconds": 60}).is(t, "a schedule", 202, "")
		n.ping("cron", object{"schedule": "at night"}).is(t, "no schedule", 422, "invalid_fields")
	}},
	{"A ping authenticates like an event; where only a URL can be called, `/v1/heartbeats/{name}/ping/<service key>` works, and the key is masked in logs", func(t *testing.T, n *tenant) {
		n.logged.take()
		n.get("/v1/heartbeats/byurl/ping/"+n.serviceKey+"?every_seconds=60", "").is(t, "the key in the path", 202, "")
		n.get("/v1/heartbeats/byurl/ping/nbs_none", "").is(t, "another key in the path", 401, "service_key_invalid")
		key := n.newAPIKey("viewer", auth.EventsWrite)
		n.plainly("POST", "/v1/heartbeats/byurl/ping", key, []byte(`{}`), "Nightbell-Service-Key", n.serviceKey).is(t, "an API key", 202, "")
		if logged := n.logged.take(); strings.Contains(logged, n.serviceKey) || !strings.Contains(logged, "/ping/") {
			t.Errorf("logged: %s", logged)
		}
	}},
}

var aboutTime = []sentence{
	{"`id` names the call (72 h", func(t *testing.T, n *tenant) {
		event := object{"id": uuid.NewString(), "title": "x"}
		n.sendEvent(event)
		n.database.Clock.Advance(71 * time.Hour)
		if got := n.sendEvent(event); got.header.Get("Idempotent-Replayed") != "true" {
			t.Errorf("after 71 hours: %s", got.whole())
		}
		n.database.Clock.Advance(2 * time.Hour)
		if got := n.sendEvent(event); got.header.Get("Idempotent-Replayed") != "" {
			t.Errorf("after 73 hours: %s", got.whole())
		}
	}},
	{"A resolve is remembered 72 h: a trigger with an earlier `occurred_at` that arrives after it opens nothing that pages.", func(t *testing.T, n *tenant) {
		early := n.ago(time.Minute)
		n.sendEvent(object{"action": "resolve", "dedup_key": "db"})
		n.database.Clock.Advance(71 * time.Hour)
		before := n.incidentCount()
		if got := n.sendEvent(object{"title": "x", "dedup_key": "db", "occurred_at": early}); got.text("status") != "ignored" || n.incidentCount() != before {
			t.Errorf("%d %s", got.status, got.body)
		}
		n.sendEvent(object{"title": "x", "dedup_key": "db"}).is(t, "a later one", 201, "")
	}},
	{"A trigger older than an hour (a spool) is marked late and pages once, unless resolved.", func(t *testing.T, n *tenant) {
		late := n.sendEvent(object{"title": "x", "dedup_key": "late", "occurred_at": n.ago(61 * time.Minute)})
		n.page()
		paged := n.pagesOf(late)
		next := n.sendEvent(object{"title": "x", "dedup_key": "late", "occurred_at": n.ago(60 * time.Minute)})
		n.page()
		data := pgtest.One[string](t, n.database, `SELECT data::text FROM timeline_event WHERE incident_id = $1::text::uuid AND kind = 'declared'`, late.text("id"))
		if next.text("id") != late.text("id") || paged == 0 || n.pagesOf(late) != paged || !strings.Contains(data, `"late": true`) {
			t.Errorf("%s\n%s\n%d pages, then %d; %s", late.body, next.body, paged, n.pagesOf(late), data)
		}
		n.sendEvent(object{"action": "resolve", "dedup_key": "late"})
		if got := n.sendEvent(object{"title": "x", "dedup_key": "late", "occurred_at": n.ago(59 * time.Minute)}); got.text("status") != "ignored" {
			t.Errorf("resolved: %s", got.body)
		}
	}},
	{"missed opens an incident, late resolves it", func(t *testing.T, n *tenant) {
		before := n.incidentCount()
		n.ping("late", object{"every_seconds": 60, "grace_seconds": 5})
		n.sweep()
		n.attended(66 * time.Second)
		if got := n.incidentCount(); got != before+1 {
			t.Errorf("%d incidents more", got-before)
		}
		n.ping("late", object{})
		if open := pgtest.One[int](t, n.database, `SELECT count(*) FROM incident WHERE org_id = $1 AND source = 'heartbeat' AND status <> 'resolved'`, n.orgID); open != 0 {
			t.Errorf("%d are open", open)
		}
	}},
}

// TestTheCallsOfTheSpecificationWarnOfWhatDoesNotExist: each of the 19 accepts fields and parameters
// that it does not know, and lists them; every other call refuses them.
func TestTheCallsOfTheSpecificationWarnOfWhatDoesNotExist(t *testing.T) {
	t.Parallel()
	c := newCampaign(t)
	tolerant := 0
	for _, method := range methods() {
		if refusesUnknown(method) {
			continue
		}
		tolerant++
		if how := brokenUnknown(c, method); how != "" {
			t.Errorf("%s %s", shortName(method), how)
		}
	}
	if tolerant+1 != 19 { // and the webhook, which ignores them: monitors send what they like
		t.Errorf("%d methods and the webhook warn, want 19 calls", tolerant)
	}
}
