package app

import (
	"encoding/json"
	"fmt"
	"maps"
	"net/http"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/uuid"

	"github.com/nightbell/nightbell/api/internal/auth"
	"github.com/nightbell/nightbell/api/internal/platform/postgres/pgtest"
)

// sentence is something that section 2 of the public contract ("Events in") says, in its words.
type sentence struct {
	says  string
	holds func(t *testing.T, n *tenant)
}

// TestSectionTwoOfTheContractHolds checks every sentence that can be checked by calls, in the order
// of the contract. Where Nightbell departs from it, docs-mdx/decisions/spec-deviations.md says so.
func TestSectionTwoOfTheContractHolds(t *testing.T) {
	t.Parallel()
	n := newTestServer(t).newTenant("acme")
	for _, part := range [][]sentence{aboutCredentials, aboutFields, aboutAnswers, aboutBatches, aboutLimits, aboutRefusals, aboutChanges, aboutSamples, aboutHeartbeats} {
		for _, s := range part {
			t.Run(s.says, func(t *testing.T) { s.holds(t, n.in(t)) })
		}
	}
}

// TestSectionTwoOfTheContractHoldsAsTimePasses is about sentences for which the clock moves.
func TestSectionTwoOfTheContractHoldsAsTimePasses(t *testing.T) {
	t.Parallel()
	for _, s := range aboutTime {
		t.Run(s.says, func(t *testing.T) {
			t.Parallel()
			s.holds(t, newTestServer(t).newTenant("acme"))
		})
	}
}

// in is the tenant for a subtest.
func (n *tenant) in(t *testing.T) *tenant {
	own, server := *n, *n.rig
	server.t, own.rig = t, &server
	return &own
}

// is fails unless an answer has a status and, if given, a code, and its refusal is a sentence.
func (a answer) is(t *testing.T, what string, status int, code string) {
	t.Helper()
	if a.status != status || a.text("code") != code {
		t.Errorf("%s: %d %s, want %d %s", what, a.status, a.body, status, code)
	}
	if message := a.text("message"); code != "" && !strings.HasSuffix(code, "_not_found") && !strings.HasSuffix(message, ".") {
		t.Errorf("%s: %q is no sentence", what, message)
	}
}

func (a answer) fields() (fields object) {
	_ = json.Unmarshal([]byte(a.body), &fields)
	return fields
}

// kept reads a column of the incident that an event is about.
func (n *tenant) kept(column string, of answer) string {
	n.t.Helper()
	if of.text("id") == "" {
		n.t.Fatalf("no incident in %d %s", of.status, of.body)
	}
	return pgtest.One[string](n.t, n.database, `SELECT coalesce((`+column+`)::text, '') FROM incident WHERE id = $1::text::uuid`, of.text("id"))
}

func (n *tenant) pagesOf(of answer) int {
	n.t.Helper()
	return pgtest.One[int](n.t, n.database, `SELECT count(*) FROM notification WHERE incident_id = $1::text::uuid`, of.text("id"))
}

// monitored is the severity of the incident that a monitor's alert opens, with these labels.
func (n *tenant) monitored(labels object) string {
	n.t.Helper()
	name := unique("Alert")
	labels = maps.Clone(labels)
	labels["alertname"] = name
	n.call("", http.MethodPost, "/v1/webhooks/prometheus/"+n.serviceKey, object{
		"version": "4", "status": "firing", "alerts": []object{{"status": "firing", "labels": labels, "startsAt": time.Now().Format(time.RFC3339)}},
	})
	return pgtest.One[string](n.t, n.database, `SELECT severity FROM incident WHERE org_id = $1 AND title LIKE '%' || $2 || '%'`, n.orgID, name)
}

// ago is a time of the database's clock.
func (n *tenant) ago(d time.Duration) string {
	n.t.Helper()
	return pgtest.One[time.Time](n.t, n.database, `SELECT nightbell_now()`).Add(-d).UTC().Format(time.RFC3339)
}

var aboutCredentials = []sentence{
	{"one credential is enough: `Authorization: Bearer <service key>`", func(t *testing.T, n *tenant) {
		got := n.sendEvent(object{"title": "x"})
		got.is(t, "a service key", 201, "")
		if service := n.kept("service_id", got); service != n.objects["service"] {
			t.Errorf("it is about %s", service)
		}
	}},
	{"or an API key with `events:write` and `Nightbell-Service-Key`", func(t *testing.T, n *tenant) {
		for _, path := range []string{"/v1/events", "/v1/changes"} {
			body := []byte(`{"title": "x", "summary": "x"}`)
			key := n.newAPIKey("viewer", auth.EventsWrite)
			n.sendTo(path, body, "Authorization", "Bearer "+key, "Nightbell-Service-Key", n.serviceKey).is(t, path, 201, "")
			n.sendTo(path, body, "Authorization", "Bearer "+n.newAPIKey("admin", auth.IncidentsWrite), "Nightbell-Service-Key", n.serviceKey).is(t, path, 403, "scope_missing")
		}
	}},
	{"(without it: the organization's default policy)", func(t *testing.T, n *tenant) {
		got := n.sendTo("/v1/events", []byte(`{"title": "x"}`), "Authorization", "Bearer "+n.newAPIKey("viewer", auth.EventsWrite))
		got.is(t, "an API key alone", 201, "")
		if policy := n.kept("escalation_policy_id", got); policy == "" || n.pagesOf(got) == 0 {
			t.Errorf("nobody is paged; the policy is %q", policy)
		}
	}},
}

// example is that of the contract.
const example = `{"action": "trigger", "id": "%s", "dedup_key": "checkout-db", "title": "Orders stopped", "severity": "critical",
 "description": "...", "tags": {"type": "business"}, "metadata": {"orders_count": 3}, "links": [{"href": "https://example.com/d", "text": "Dashboard"}],
 "source": "orders-worker-3", "environment": "production", "release": "2026.11.3", "occurred_at": "%s", "test": false,
 "error": {"exceptions": [], "fingerprint": "", "breadcrumbs": []}, "user": {"id": "u1"}, "operation": "checkout",
 "trace": {"trace_id": "", "span_id": ""}, "count": 1}`

var aboutFields = []sentence{
	{"the example as it is written", func(t *testing.T, n *tenant) {
		got := n.sendTo("/v1/events", fmt.Appendf(nil, example, uuid.NewString(), n.ago(0)), "Authorization", "Bearer "+n.serviceKey)
		got.is(t, "the example", 201, "")
		if !strings.Contains(got.body, `"truncated":[],"warnings":[]`) {
			t.Error(got.body)
		}
	}},
	{"`action` trigger (default), acknowledge, resolve", func(t *testing.T, n *tenant) {
		n.sendEvent(object{"title": "x", "dedup_key": "action"}).is(t, "no action", 201, "")
		for _, action := range []string{"trigger", "acknowledge", "resolve"} {
			n.sendEvent(object{"action": action, "title": "x", "dedup_key": "action"}).is(t, action, 200, "")
		}
		n.sendEvent(object{"action": "page", "title": "x", "dedup_key": "action"}).is(t, "page", 422, "invalid_fields")
	}},
	{"`id` names the call (any UUID", func(t *testing.T, n *tenant) {
		for _, version := range []uuid.UUID{uuid.Must(uuid.NewUUID()), uuid.New(), uuid.Must(uuid.NewV7())} {
			first := n.sendEvent(object{"id": version, "title": "x"})
			first.is(t, version.String(), 201, "")
			again := n.sendEvent(object{"id": version, "title": "x"})
			if again.body != first.body || again.status != 201 || again.header.Get("Idempotent-Replayed") != "true" {
				t.Errorf("a repeat: %s", again.whole())
			}
		}
		n.sendEvent(object{"id": "7", "title": "x"}).is(t, "no UUID", 422, "invalid_fields")
	}},
	{"equals `Idempotency-Key` if both)", func(t *testing.T, n *tenant) {
		id := uuid.NewString()
		n.sendEvent(object{"id": id, "title": "x"}, "Idempotency-Key", id).is(t, "the same", 201, "")
		n.sendEvent(object{"id": uuid.NewString(), "title": "x"}, "Idempotency-Key", id).is(t, "another", 422, "invalid_fields")
		if only := n.sendEvent(object{"title": "x"}, "Idempotency-Key", id); only.text("event_id") != id || only.header.Get("Idempotent-Replayed") != "true" {
			t.Errorf("the header alone: %s", only.whole())
		}
	}},
	{"`dedup_key` names the problem (default: the error's fingerprint, else the id", func(t *testing.T, n *tenant) {
		id := uuid.NewString()
		for _, c := range []struct {
			body object
			want string
		}{
			{object{"title": "x", "id": id, "dedup_key": "mine", "error": object{"fingerprint": "print"}}, "mine"},
			{object{"title": "x", "error": object{"fingerprint": "print"}}, "print"},
			{object{"title": "x", "id": strings.ToUpper(strings.Replace(id, id[:4], "abcd", 1))}, strings.Replace(id, id[:4], "abcd", 1)},
		} {
			if got := n.sendEvent(c.body); got.text("dedup_key") != c.want {
				t.Errorf("%v: %s", c.body, got.body)
			}
		}
	}},
	{"at most 512 bytes)", func(t *testing.T, n *tenant) {
		fits, long := strings.Repeat("é", 256), strings.Repeat("x", 513)
		if got := n.sendEvent(object{"title": "x", "dedup_key": fits}); got.text("dedup_key") != fits || !strings.Contains(got.body, `"truncated":[]`) {
			t.Error(got.body)
		}
		first, again, other := n.sendEvent(object{"title": "x", "dedup_key": long}), n.sendEvent(object{"title": "x", "dedup_key": long}), n.sendEvent(object{"title": "x", "dedup_key": long + "y"})
		if !strings.Contains(first.body, `"truncated":["dedup_key"]`) || len(first.text("dedup_key")) > 512 || again.text("id") != first.text("id") || other.text("id") == first.text("id") {
			t.Errorf("%s\n%s\n%s", first.body, again.body, other.body)
		}
	}},
	{"Severity: medium when an event says none, high when a monitor's webhook says none", func(t *testing.T, n *tenant) {
		if event, alert := n.kept("severity", n.sendEvent(object{"title": "x"})), n.monitored(object{}); event != "medium" || alert != "high" {
			t.Errorf("event %s, webhook %s", event, alert)
		}
	}},
	{"error, warning, info are high, medium, low; any other word is high with a warning. One table for all senders.", func(t *testing.T, n *tenant) {
		for word, want := range map[string]string{
			"critical": "critical", "high": "high", "medium": "medium", "low": "low", "error": "high", "warning": "medium", "info": "low", "FATAL": "critical", "p3": "medium", "spicy": "high",
		} {
			got := n.sendEvent(object{"title": "x", "severity": word})
			event, alert, warned := n.kept("severity", got), n.monitored(object{"severity": word}), strings.Contains(got.body, `"field":"severity"`)
			if event != want || alert != want || warned != (word == "spicy") {
				t.Errorf("%s: event %s (warned %v), webhook %s, want %s", word, event, warned, alert, want)
			}
		}
	}},
	{"Trigger needs `title`, the others `dedup_key`.", func(t *testing.T, n *tenant) {
		for _, c := range []struct {
			body  object
			field string
		}{{object{"dedup_key": "k"}, "title"}, {object{"action": "acknowledge"}, "dedup_key"}, {object{"action": "resolve", "title": "x"}, "dedup_key"}} {
			got := n.sendEvent(c.body)
			got.is(t, c.field, 422, "invalid_fields")
			if !strings.Contains(got.body, `"field":"`+c.field+`","code":"required"`) {
				t.Errorf("%v: %s", c.body, got.body)
			}
		}
	}},
}

var aboutAnswers = []sentence{
	{"Answer 201 or 200: `{id, event_id, dedup_key, incident_number, url, status, truncated: [], warnings: []}`; `id` is the incident", func(t *testing.T, n *tenant) {
		id := uuid.NewString()
		got := n.sendEvent(object{"id": id, "title": "x", "dedup_key": "answer"})
		fields := got.fields()
		if names := slices.Sorted(maps.Keys(fields)); fmt.Sprint(names) != "[dedup_key event_id id incident_number status truncated url warnings]" {
			t.Errorf("fields %v", names)
		}
		if got.header.Get("Location") != "/v1/incidents/"+got.text("id") || got.text("event_id") != id || fmt.Sprint(fields["incident_number"]) != n.kept("number", got) ||
			!strings.HasSuffix(got.text("url"), "/incidents/"+got.text("id")) {
			t.Errorf("%s", got.whole())
		}
	}},
	{"While an incident of (service, dedup_key) is open, a trigger joins it and severity only rises (and then pages again)", func(t *testing.T, n *tenant) {
		first := n.sendEvent(object{"title": "x", "dedup_key": "rises", "severity": "medium"})
		n.page()
		for _, step := range []struct {
			severity, now string
			pagesMore     bool
		}{{"low", "medium", false}, {"critical", "critical", true}, {"high", "critical", false}, {"critical", "critical", false}} {
			before := n.pagesOf(first)
			got := n.sendEvent(object{"title": "x", "dedup_key": "rises", "severity": step.severity})
			got.is(t, step.severity, 200, "")
			n.page()
			if got.text("status") != "deduplicated" || got.text("id") != first.text("id") || n.kept("severity", first) != step.now || (n.pagesOf(first) > before) != step.pagesMore {
				t.Errorf("%s: %s; severity %s, %d pages more", step.severity, got.body, n.kept("severity", first), n.pagesOf(first)-before)
			}
		}
		other := at[string](t, n.call(n.owner(), http.MethodPost, "/v1/services", object{"name": unique("Service")}), "service_key")
		if got := n.sendTo("/v1/events", []byte(`{"title": "x", "dedup_key": "rises"}`), "Authorization", "Bearer "+other); got.text("status") != "created" {
			t.Errorf("of another service: %s", got.body)
		}
	}},
	{"`status: created|deduplicated|acknowledged|resolved|ignored`; after it was resolved a trigger opens another", func(t *testing.T, n *tenant) {
		first := n.sendEvent(object{"title": "x", "dedup_key": "words"}).text("id")
		var told []string
		for _, action := range []string{"trigger", "acknowledge", "resolve", "acknowledge", "trigger"} {
			told = append(told, n.sendEvent(object{"action": action, "title": "x", "dedup_key": "words"}).text("status"))
		}
		if fmt.Sprint(told) != "[deduplicated acknowledged resolved ignored created]" || n.sendEvent(object{"title": "x", "dedup_key": "words"}).text("id") == first {
			t.Errorf("%v", told)
		}
	}},
	{"Acknowledge or resolve without an open incident: 200 `ignored`.", func(t *testing.T, n *tenant) {
		for _, action := range []string{"acknowledge", "resolve"} {
			got := n.sendEvent(object{"action": action, "dedup_key": unique("none")})
			if got.is(t, action, 200, ""); got.text("status") != "ignored" || got.text("id") != "" {
				t.Errorf("%s: %s", action, got.body)
			}
		}
	}},
	{"`test: true` checks everything and pages nobody.", func(t *testing.T, n *tenant) {
		before := n.incidentCount()
		n.sendEvent(object{"title": "x", "test": true}).is(t, "a test", 200, "")
		n.sendEvent(object{"test": true}).is(t, "a bad test", 422, "invalid_fields")
		if got := n.incidentCount(); got != before {
			t.Errorf("%d incidents more", got-before)
		}
	}},
	{"On the wire everything is snake_case", func(t *testing.T, n *tenant) {
		for _, got := range []answer{
			n.sendEvent(object{"title": "x", "colour": 1}), n.sendEvent(object{}), n.ping("snake", object{"every_seconds": 60}),
			n.sendTo("/v1/changes", []byte(`{"summary": "x"}`), "Authorization", "Bearer "+n.serviceKey), n.sendSamples(object{"name": "snake", "points": points(n.minute(1), time.Minute, 1)}),
			n.sendTo("/v1/events/batch", []byte(`{"events": [{"id": "x"}]}`), "Authorization", "Bearer "+n.serviceKey),
		} {
			for _, name := range regexp.MustCompile(`"(\w+)":`).FindAllStringSubmatch(got.body, -1) {
				if !snakeCase.MatchString(name[1]) {
					t.Errorf("%s in %s", name[1], got.body)
				}
			}
		}
	}},
}

// sendBatch posts events, and gives "status code" of each result.
func (n *tenant) sendBatch(events ...any) (got answer, told []string) {
	n.t.Helper()
	got = n.sendTo("/v1/events/batch", sure(json.Marshal(object{"events": events})), "Authorization", "Bearer "+n.serviceKey)
	results, _ := got.fields()["results"].([]any)
	for _, one := range results {
		result := one.(object)
		failure, _ := result["error"].(object)
		told = append(told, strings.TrimSpace(fmt.Sprint(result["status"], " ", valueOr(failure["code"], ""))))
	}
	return got, told
}

func valueOr(value, otherwise any) any {
	if value == nil {
		return otherwise
	}
	return value
}

var aboutBatches = []sentence{
	{"`{\"events\": [up to 100, each with id]}` gives 200 `{\"results\": [{event_id, status, id?, error?: {code, message, details, retryable}}]}` in order", func(t *testing.T, n *tenant) {
		id, key := uuid.NewString(), unique("batch")
		got, told := n.sendBatch(
			object{"id": id, "title": "x", "dedup_key": key}, object{"title": "without an id"}, object{"id": uuid.NewString(), "action": "acknowledge", "dedup_key": key},
			object{"id": uuid.NewString(), "action": "resolve", "dedup_key": key}, object{"id": uuid.NewString()}, object{"id": id, "title": "y", "dedup_key": key},
		)
		if got.is(t, "a batch", 200, ""); fmt.Sprint(told) != "[created error invalid_fields acknowledged resolved error invalid_fields error idempotency_mismatch]" {
			t.Errorf("%v %s", told, got.body)
		}
		refusal := at[[]any](t, got.fields(), "results")[4].(object)["error"].(object)
		if names := slices.Sorted(maps.Keys(refusal)); fmt.Sprint(names) != "[code details message retryable]" || refusal["retryable"] != false {
			t.Errorf("%v", refusal)
		}
		hundred := make([]any, 100)
		for i := range hundred {
			hundred[i] = object{"id": uuid.NewString(), "title": "x", "test": true}
		}
		if got, told := n.sendBatch(hundred...); got.status != 200 || len(told) != 100 {
			t.Errorf("a hundred: %d with %d results", got.status, len(told))
		}
		got, _ = n.sendBatch(slices.Concat(hundred, hundred[:1])...)
		got.is(t, "101", 422, "invalid_fields")
	}},
	{"not authenticated or not JSON fails whole", func(t *testing.T, n *tenant) {
		n.sendTo("/v1/events/batch", []byte(`{"events": []}`), "Authorization", "Bearer nbs_none").is(t, "not authenticated", 401, "service_key_invalid")
		n.sendTo("/v1/events/batch", []byte(`{"events": [}`), "Authorization", "Bearer "+n.serviceKey).is(t, "not JSON", 400, "invalid_json")
	}},
}
