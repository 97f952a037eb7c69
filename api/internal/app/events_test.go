package app

import (
	"bytes"
	"cmp"
	"compress/gzip"
	"encoding/json"
	"fmt"
	"maps"
	"net/http"
	"os"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/google/uuid"

	"github.com/nightbell/nightbell/api/internal/auth"
	"github.com/nightbell/nightbell/api/internal/platform/postgres/pgtest"
)

// sendTo posts JSON with headers, as a program does.
func (n *tenant) sendTo(path string, body []byte, headers ...string) answer {
	n.t.Helper()
	return n.plainly(http.MethodPost, path, "", body, headers...)
}

// text is a field of an answer that is text; it is empty when there is none.
func (a answer) text(field string) string {
	var fields object
	if json.Unmarshal([]byte(a.body), &fields) != nil {
		return ""
	}
	text, _ := fields[field].(string)
	return text
}

// newAPIKey makes a key with these scopes, or with all.
func (n *tenant) newAPIKey(role string, scopes ...auth.Scope) string {
	n.t.Helper()
	if len(scopes) == 0 {
		scopes = auth.Scopes()
	}
	return at[string](n.t, n.call(n.owner(), http.MethodPost, "/v1/api-keys", object{"name": "acts as " + role, "role": role, "scopes": scopes}), "key")
}

func (n *tenant) incidentCount() int {
	return pgtest.One[int](n.t, n.database, `SELECT count(*) FROM incident WHERE org_id = $1`, n.orgID)
}

// sendEvent posts an event with a service key, and further headers.
func (n *tenant) sendEvent(body object, headers ...string) answer {
	n.t.Helper()
	return n.sendTo("/v1/events", sure(json.Marshal(body)), append([]string{"Authorization", "Bearer " + n.serviceKey}, headers...)...)
}

// TestAnIDOfZerosNamesNoCall: a program that forgot to make ids would have all but its first event
// taken for repeats.
func TestAnIDOfZerosNamesNoCall(t *testing.T) {
	t.Parallel()
	n := newTestServer(t).newTenant("acme")
	zeros := uuid.Nil.String()
	for what, got := range map[string]answer{
		"event":  n.sendEvent(object{"title": "Orders stopped", "id": zeros}),
		"header": n.sendEvent(object{"title": "Orders stopped"}, "Idempotency-Key", zeros),
		"change": n.sendTo("/v1/changes", sure(json.Marshal(object{"summary": "Deploy", "id": zeros})), "Authorization", "Bearer "+n.serviceKey),
	} {
		if got.status != http.StatusUnprocessableEntity || !strings.Contains(got.body, `"field":"id"`) {
			t.Errorf("%s: %d %s", what, got.status, got.body)
		}
	}
}

// Anybody may read /metrics, and each word of a label is a series for good.
func TestTheSourceOfAnEventIsNoMetric(t *testing.T) {
	t.Parallel()
	n := newTestServer(t).newTenant("acme")
	n.sendEvent(object{"title": "Orders stopped", "source": "pod-7.acme.internal"})
	metrics := n.get("/metrics", "").body
	if strings.Contains(metrics, "pod-7") || !strings.Contains(metrics, `sender="event"`) {
		t.Errorf("%s", metrics)
	}
}

func TestAnEventOpensJoinsAndResolvesOneIncident(t *testing.T) {
	t.Parallel()
	n := newTestServer(t).newTenant("acme")
	opened := n.sendEvent(object{"title": "Orders stopped", "dedup_key": "orders", "severity": "low", "tags": object{"type": "business"}, "metadata": object{"orders_count": 3}})
	if opened.status != http.StatusCreated || opened.text("status") != "created" || opened.text("id") == "" {
		t.Fatalf("%d %s", opened.status, opened.body)
	}
	if url := opened.text("url"); !strings.HasSuffix(url, "/incidents/"+opened.text("id")) {
		t.Errorf("url %q", url)
	}
	joined := n.sendEvent(object{"title": "Orders stopped", "dedup_key": "orders", "severity": "critical"})
	if joined.status != http.StatusOK || joined.text("status") != "deduplicated" || joined.text("id") != opened.text("id") {
		t.Errorf("a repeat: %d %s", joined.status, joined.body)
	}
	incident := n.get("/v1/incidents/"+opened.text("id"), n.bearers["viewer"])
	if text := incident.body; !strings.Contains(text, `"critical"`) || !strings.Contains(text, "orders_count") || !strings.Contains(text, "business") {
		t.Errorf("the incident: %s", text)
	}
	for _, step := range []struct{ action, status string }{
		{"acknowledge", "acknowledged"},
		{"resolve", "resolved"},
		{"resolve", "ignored"},
		{"acknowledge", "ignored"},
	} {
		got := n.sendEvent(object{"action": step.action, "dedup_key": "orders"})
		if got.status != http.StatusOK || got.text("status") != step.status {
			t.Errorf("%s: %d %s, want %s", step.action, got.status, got.body, step.status)
		}
	}
	again := n.sendEvent(object{"title": "Orders stopped", "dedup_key": "orders"})
	if again.status != http.StatusCreated || again.text("id") == opened.text("id") {
		t.Errorf("after the end: %d %s", again.status, again.body)
	}
}

func TestARepeatedCallOfAnEventIsAnsweredAsTheFirst(t *testing.T) {
	t.Parallel()
	n := newTestServer(t).newTenant("acme")
	event := object{"id": uuid.NewString(), "title": "Orders stopped"}
	before := n.incidentCount()
	first := n.sendEvent(event)
	n.sendEvent(object{"action": "resolve", "dedup_key": event["id"]})
	second := n.sendEvent(event)
	if second.status != http.StatusCreated || second.header.Get("Idempotent-Replayed") != "true" || second.body != first.body {
		t.Errorf("a repeat: %d %q\n%s\n%s", second.status, second.header.Get("Idempotent-Replayed"), first.body, second.body)
	}
	elsewhere := maps.Clone(event) // as a program that was started again sends it
	elsewhere["occurred_at"], elsewhere["source"] = time.Now().UTC().Format(time.RFC3339Nano), "orders-worker-2"
	if got := n.sendEvent(elsewhere); got.body != first.body {
		t.Errorf("a repeat at another time from another host: %d %s", got.status, got.body)
	}
	if count := n.incidentCount() - before; count != 1 {
		t.Errorf("%d incidents", count)
	}
	other := maps.Clone(event)
	other["title"] = "Something else"
	if got := n.sendEvent(other); got.status != http.StatusUnprocessableEntity || got.text("code") != "idempotency_mismatch" {
		t.Errorf("the id for something else: %d %s", got.status, got.body)
	}
	n.database.Clock.Advance(73 * time.Hour)
	if got := n.sendEvent(event); got.text("status") == "" || got.header.Get("Idempotent-Replayed") != "" {
		t.Errorf("after 72 hours: %d %s", got.status, got.body)
	}
	if got := n.sendEvent(event, "Idempotency-Key", uuid.NewString()); got.status != http.StatusUnprocessableEntity {
		t.Errorf("a header that differs: %d %s", got.status, got.body)
	}
}

func TestALateEventAfterItsResolveOpensNothing(t *testing.T) {
	t.Parallel()
	n := newTestServer(t).newTenant("acme")
	now := pgtest.One[string](t, n.database, `SELECT to_char(nightbell_now() AT TIME ZONE 'UTC' - interval '2 hours', 'YYYY-MM-DD"T"HH24:MI:SS"Z"')`)
	n.sendEvent(object{"action": "resolve", "dedup_key": "db"})
	if got := n.sendEvent(object{"title": "Down", "dedup_key": "db", "occurred_at": now}); got.text("status") != "ignored" || got.text("id") != "" || !strings.Contains(got.body, "paged nobody") {
		t.Errorf("a trigger of before the resolve: %s", got.body)
	}
	late := n.sendEvent(object{"title": "Down", "dedup_key": "other", "occurred_at": now})
	if late.text("status") != "created" {
		t.Fatalf("a late trigger: %s", late.body)
	}
	line := pgtest.One[string](t, n.database, `SELECT message || data::text FROM timeline_event WHERE incident_id = $1::text::uuid AND kind = 'declared'`, late.text("id"))
	if !strings.Contains(line, "late") {
		t.Errorf("not marked late: %s", line)
	}
	if got := n.sendEvent(object{"title": "Down", "dedup_key": "other", "occurred_at": now}); got.text("status") != "deduplicated" {
		t.Errorf("the next late trigger: %s", got.body)
	}
}

func TestATestEventIsCheckedAndPagesNobody(t *testing.T) {
	t.Parallel()
	n := newTestServer(t).newTenant("acme")
	before := n.incidentCount()
	if got := n.sendEvent(object{"title": "Orders stopped", "test": true}); got.status != http.StatusOK || got.text("status") != "ignored" {
		t.Errorf("%d %s", got.status, got.body)
	}
	if got := n.sendEvent(object{"test": true}); got.status != http.StatusUnprocessableEntity {
		t.Errorf("without a title: %d %s", got.status, got.body)
	}
	if count := n.incidentCount() - before; count != 0 {
		t.Errorf("%d incidents", count)
	}
}

func TestABatchOfEventsIsAnsweredOneByOneInOrder(t *testing.T) {
	t.Parallel()
	n := newTestServer(t).newTenant("acme")
	ids := []string{uuid.NewString(), uuid.NewString(), uuid.NewString(), uuid.NewString(), uuid.NewString(), uuid.NewString()}
	body := sure(json.Marshal(object{"events": []any{
		object{"id": ids[0], "title": "Down", "dedup_key": "db"},
		object{"id": ids[1]},
		object{"id": ids[2], "action": "resolve", "dedup_key": "db"},
		object{"id": ids[3], "title": "Down", "dedup_key": "db"},
		object{"id": ids[0], "title": "Down", "dedup_key": "db"},
		object{"id": ids[5], "title": "Big", "description": strings.Repeat("x", 70_000)},
		7,
	}}))
	got := n.sendTo("/v1/events/batch", body, "Authorization", "Bearer "+n.serviceKey)
	var answer struct {
		Results []struct {
			EventID string `json:"event_id"`
			Status  string `json:"status"`
			Error   struct {
				Code      string `json:"code"`
				Retryable bool   `json:"retryable"`
			} `json:"error"`
		} `json:"results"`
	}
	must(t, json.Unmarshal([]byte(got.body), &answer))
	var told []string
	for _, result := range answer.Results {
		told = append(told, result.Status+" "+result.Error.Code)
	}
	want := []string{"created ", "error invalid_fields", "resolved ", "created ", "created ", "error body_too_large", "error invalid_fields"}
	if got.status != http.StatusOK || !slices.Equal(told, want) {
		t.Errorf("%d\n got %q\nwant %q\n%s", got.status, told, want, got.body)
	}
	for _, whole := range []string{`{"events": 1}`, `[`, `{}`} {
		if got := n.sendTo("/v1/events/batch", []byte(whole), "Authorization", "Bearer "+n.serviceKey); got.status < 400 || got.status >= 500 {
			t.Errorf("%s: %d %s", whole, got.status, got.body)
		}
	}
}

func TestEventsAreRefusedByTheTableOfTheContract(t *testing.T) {
	t.Parallel()
	c := newCampaign(t)
	n := c.a
	title := []byte(`{"title": "t"}`)
	service := "Bearer " + n.serviceKey
	for name, try := range map[string]struct {
		body    []byte
		headers []string
		status  int
		code    string
	}{
		"no key":                      {title, nil, 401, "service_key_invalid"},
		"an unknown service key":      {title, []string{"Authorization", "Bearer nbs_unknown"}, 401, "service_key_invalid"},
		"an unknown API key":          {title, []string{"Authorization", "Bearer nbk_unknown"}, 401, "api_key_invalid"},
		"a person":                    {title, []string{"Authorization", "Bearer " + n.bearers["owner"]}, 401, "wrong_key_kind"},
		"an API key for a service":    {title, []string{"Authorization", "Bearer " + n.newAPIKey("responder"), "Nightbell-Service-Key", c.b.serviceKey}, 401, ""},
		"not JSON":                    {[]byte(`{`), []string{"Authorization", service}, 400, "invalid_json"},
		"a list":                      {[]byte(`[1]`), []string{"Authorization", service}, 400, "invalid_json"},
		"text":                        {title, []string{"Authorization", service, "Content-Type", "text/plain"}, 415, "content_type"},
		"brotli":                      {title, []string{"Authorization", service, "Content-Encoding", "br"}, 415, "content_type"},
		"more than 64 KiB":            {[]byte(`{"title":"t","metadata":{"a":"` + strings.Repeat("x", 65<<10) + `"}}`), []string{"Authorization", service}, 413, "body_too_large"},
		"more than 64 KiB, gzip":      {zipped(`{"title":"t","metadata":{"a":"` + strings.Repeat("x", 65<<10) + `"}}`), []string{"Authorization", service, "Content-Encoding", "gzip"}, 413, "body_too_large"},
		"no title":                    {[]byte(`{}`), []string{"Authorization", service}, 422, "invalid_fields"},
		"a resolve without dedup_key": {[]byte(`{"action":"resolve"}`), []string{"Authorization", service}, 422, "invalid_fields"},
		"a bad id":                    {[]byte(`{"title":"t","id":"7"}`), []string{"Authorization", service}, 422, "invalid_fields"},
		"a bad action":                {[]byte(`{"title":"t","action":"page"}`), []string{"Authorization", service}, 422, "invalid_fields"},
	} {
		got := n.sendTo("/v1/events", try.body, try.headers...)
		if got.status != try.status || try.code != "" && got.text("code") != try.code {
			t.Errorf("%s: %d %s, want %d %s", name, got.status, got.body, try.status, try.code)
		}
	}
	if got := n.sendTo("/v1/events", zipped(`{"title":"t"}`), "Authorization", service, "Content-Encoding", "gzip"); got.status != http.StatusCreated {
		t.Errorf("gzip: %d %s", got.status, got.body)
	}
}

// TestHostileEventsAreNeverAServerError: what is odd is cut, dropped or warned of, and stored.
func TestHostileEventsAreNeverAServerError(t *testing.T) {
	t.Parallel()
	n := newTestServer(t).newTenant("acme")
	for i, body := range []string{
		`{"title":"a\u0000b","description":"\u0000","dedup_key":"\u0000","tags":{"\u0000":"\u0000"},"metadata":{"\u0000":"\u0000","n":1e400,"m":1e-99999,"l":123456789012345678901234567890}}`,
		`{"title":"\ud83d","source":"\ud800x","error":{"fingerprint":"\u0000x","exceptions":[1,{"frames":[{"pre":[1],"code":7,"line":1e999}]}],"breadcrumbs":[{"data":{"a":{"b":[{}]}}}]}}`,
		`{"title":7,"tags":[1],"metadata":"x","links":{"a":1},"error":[],"user":1,"trace":"x","count":-1,"test":"yes","occurred_at":"yesterday","severity":{"a":1},"nonsense":1}`,
		`{"title":"t","occurred_at":"9999-12-31T23:59:59Z","count":1e3,"severity":"spicy","id":null,"action":null}`,
		`{"title":"t","occurred_at":"2000-01-01T00:00:00-12:00","links":[{"href":"javascript:x"},{"href":"` + strings.Repeat("h", 3000) + `"}]}`,
		`{"title":"` + strings.Repeat("🔔", 600) + `","dedup_key":"` + strings.Repeat("é", 400) + `"}`,
		`{"title":"t","metadata":` + strings.Repeat(`{"a":`, 500) + `1` + strings.Repeat(`}`, 500) + `}`,
	} {
		if got := n.sendTo("/v1/events", []byte(body), "Authorization", "Bearer "+n.serviceKey); got.status != http.StatusCreated {
			t.Errorf("%d: %d %s", i, got.status, got.body)
		}
	}
	var answer struct {
		Truncated []string `json:"truncated"`
		Warnings  []struct {
			Field string `json:"field"`
		} `json:"warnings"`
	}
	got := n.sendEvent(object{"title": strings.Repeat("t", 600), "severity": "spicy", "colour": "red", "user": 7})
	must(t, json.Unmarshal([]byte(got.body), &answer))
	if text := fmt.Sprint(answer); text != "{[title] [{severity} {colour} {user}]}" {
		t.Errorf("%s: %s", text, got.body)
	}
}

// TestWhatSDKsSendIsAccepted: the bodies of the vectors, as every SDK sends them.
func TestWhatSDKsSendIsAccepted(t *testing.T) {
	t.Parallel()
	n := newTestServer(t).newTenant("acme")
	var vectors struct {
		Cases []struct {
			Description string
			Expect      struct {
				Path string
				Body object
			}
		}
	}
	must(t, json.Unmarshal(sure(os.ReadFile("../../../proto/vectors/payload.json")), &vectors))
	sent := 0
	for _, c := range vectors.Cases {
		if c.Expect.Path != "/v1/events" {
			continue
		}
		sent++
		c.Expect.Body["id"] = uuid.NewString() // the cases share one
		got := n.sendEvent(c.Expect.Body, "Idempotency-Key", c.Expect.Body["id"].(string))
		untouched := strings.Contains(got.body, `"truncated":[],"warnings":[]`) || c.Expect.Body["test"] == true
		if got.status >= 300 || !untouched {
			t.Errorf("%s: %d %s", c.Description, got.status, got.body)
		}
		if got.text("status") != "created" {
			continue
		}
		want, _ := c.Expect.Body["severity"].(string)
		opened := n.call(n.bearers["viewer"], http.MethodGet, "/v1/incidents/"+got.text("id"), nil)
		if severity := at[string](t, opened, "incident", "severity"); severity != cmp.Or(want, "medium") {
			t.Errorf("%s: severity %s of %q", c.Description, severity, want)
		}
	}
	if sent < 20 {
		t.Errorf("only %d cases are events", sent)
	}
}

func TestAnAPIKeyWithoutAServiceSendsToTheDefaultPolicy(t *testing.T) {
	t.Parallel()
	n := newTestServer(t).newTenant("acme")
	key := n.newAPIKey("viewer", auth.EventsWrite)
	for range 2 {
		got := n.sendTo("/v1/events", []byte(`{"title":"t"}`), "Authorization", "Bearer "+key)
		if got.status != http.StatusCreated {
			t.Fatalf("%d %s", got.status, got.body)
		}
	}
	got := n.sendTo("/v1/events", []byte(`{"title":"t"}`), "Authorization", "Bearer "+key, "Nightbell-Service-Key", n.serviceKey)
	if got.status != http.StatusCreated {
		t.Errorf("with a service: %d %s", got.status, got.body)
	}
	if count := pgtest.One[int](t, n.database, `SELECT count(*) FROM service WHERE org_id = $1 AND name = 'Events without a service'`, n.orgID); count != 1 {
		t.Errorf("%d services", count)
	}
	others := slices.DeleteFunc(auth.Scopes(), func(scope auth.Scope) bool { return scope == auth.EventsWrite })
	for _, path := range []string{"/v1/events", "/v1/events/batch", "/v1/changes"} {
		got := n.sendTo(path, []byte(`{}`), "Authorization", "Bearer "+n.newAPIKey("admin", others...))
		if got.status != 403 || got.text("code") != "scope_missing" || !strings.Contains(got.text("message"), "events:write") {
			t.Errorf("%s without the scope: %d %s", path, got.status, got.body)
		}
	}
}

// TestThePolicyChosenForEventsWithoutAServicePages: they have a service of their own, and its page names the
// policy that an admin chose for it.
func TestThePolicyChosenForEventsWithoutAServicePages(t *testing.T) {
	t.Parallel()
	n := newTestServer(t).newTenant("acme")
	key := n.newAPIKey("viewer", auth.EventsWrite)
	pagedBy := func(title string) string {
		got := n.sendTo("/v1/events", fmt.Appendf(nil, `{"title": %q}`, title), "Authorization", "Bearer "+key)
		return pgtest.One[string](t, n.database, `SELECT p.name FROM incident i JOIN escalation_policy p ON p.id = i.paging_policy_id WHERE i.id = $1::text::uuid`, got.text("id"))
	}
	if policy := pagedBy("before"); policy != "Default" {
		t.Errorf("until a policy is chosen, %q pages", policy)
	}
	service := pgtest.One[string](t, n.database, `SELECT id::text FROM service WHERE org_id = $1 AND name = 'Events without a service'`, n.orgID)
	policy := n.make("/v1/escalation-policies", "escalation_policy", object{"name": "Data team", "steps": []object{{"delay_seconds": 60, "targets": []object{{"kind": "user", "id": n.people["owner"]}}}}})
	n.call(n.bearers["admin"], http.MethodPatch, "/v1/services/"+service, object{"escalation_policy_id": policy})
	if policy := pagedBy("after"); policy != "Data team" {
		t.Errorf("%q pages, and not the one that was chosen", policy)
	}
}

// TestTenantEvents: a dedup key and the id of a call are each service's own.
func TestTenantEvents(t *testing.T) {
	t.Parallel()
	c := newCampaign(t)
	event := object{"id": uuid.NewString(), "title": "Orders stopped", "dedup_key": "orders"}
	theirs := c.b.sendEvent(event)
	for _, body := range []object{event, {"title": "Orders stopped", "dedup_key": "orders"}, {"action": "acknowledge", "dedup_key": "orders"}, {"action": "resolve", "dedup_key": "orders"}} {
		got := c.a.sendEvent(body)
		if leaks := c.leaks(got.whole()); len(leaks) > 0 || got.status >= 300 || got.text("id") == theirs.text("id") || got.header.Get("Idempotent-Replayed") != "" {
			t.Errorf("%v: %v %d %s", body, leaks, got.status, got.body)
		}
	}
	status := pgtest.One[string](t, c.database, `SELECT status FROM incident WHERE id = $1::text::uuid`, theirs.text("id"))
	if status != "triggered" {
		t.Errorf("the other organization's incident is %s", status)
	}
}

// TestOneEventSentManyTimesAtOnceIsStoredOnce: in one batch and in several.
func TestOneEventSentManyTimesAtOnceIsStoredOnce(t *testing.T) {
	t.Parallel()
	n := newTestServer(t).newTenant("acme")
	before := n.incidentCount()
	event := object{"id": uuid.NewString(), "title": "Orders stopped"}
	answers := atOnce(40, func(int) answer { return n.sendEvent(event) })
	first := 0
	for _, got := range answers {
		if got.header.Get("Idempotent-Replayed") == "" {
			first++
		}
		if got.status != http.StatusCreated || got.body != answers[0].body {
			t.Errorf("%d %s", got.status, got.body)
		}
	}
	if opened := n.incidentCount() - before; first != 1 || opened != 1 {
		t.Errorf("%d first answers, %d incidents", first, opened)
	}
}

// TestEventsOfOneProblemAtOnce: triggers of rising severity, acknowledgements and resolves that
// share transactions are all answered, and leave at most one open incident.
func TestEventsOfOneProblemAtOnce(t *testing.T) {
	t.Parallel()
	n := newTestServer(t).newTenant("acme")
	bodies := []object{
		{"title": "Down", "dedup_key": "db", "severity": "low"},
		{"title": "Down", "dedup_key": "db", "severity": "critical"},
		{"action": "acknowledge", "dedup_key": "db"},
		{"action": "resolve", "dedup_key": "db"},
	}
	for i, got := range atOnce(80, func(i int) answer { return n.sendEvent(bodies[i%4]) }) {
		if got.status >= 300 && got.status != http.StatusServiceUnavailable {
			t.Errorf("%v: %d %s", bodies[i%4], got.status, got.body)
		}
	}
	if open := pgtest.One[int](t, n.database, `SELECT count(*) FROM incident WHERE org_id = $1 AND status <> 'resolved' AND incident_key LIKE '%db'`, n.orgID); open > 1 {
		t.Errorf("%d incidents are open", open)
	}
	n.sendEvent(object{"title": "Down", "dedup_key": "db"})
	if got := n.sendEvent(object{"action": "resolve", "dedup_key": "db"}); got.text("status") != "resolved" {
		t.Errorf("the last resolve: %d %s", got.status, got.body)
	}
}

func atOnce(times int, send func(i int) answer) []answer {
	answers := make([]answer, times)
	var sending sync.WaitGroup
	for i := range times {
		sending.Go(func() { answers[i] = send(i) })
	}
	sending.Wait()
	return answers
}

func zipped(text string) []byte {
	var out bytes.Buffer
	w := gzip.NewWriter(&out)
	_, _ = w.Write([]byte(text))
	_ = w.Close()
	return out.Bytes()
}
