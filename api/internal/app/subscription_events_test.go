package app

import (
	"encoding/json"
	"net/http"
	"os"
	"slices"
	"strings"
	"testing"
	"time"

	standardwebhooks "github.com/standard-webhooks/standard-webhooks/libraries/go"

	"github.com/nightbell/nightbell/api/internal/subscription"
)

// tell does all that the program does by itself, and then tells subscriptions. What the first round
// adds to the feed is told in the next.
func (n *rota) tell() {
	n.t.Helper()
	n.page()
	n.tellHandovers(n.t.Context())
	for range 3 {
		n.publish()
	}
}

func allTypes() (list []any) {
	for _, eventType := range subscription.Types() {
		list = append(list, eventType)
	}
	return list
}

// TestEachActionIsToldAsItsEvent walks through what people and programs do, and after each step
// compares what a subscription to everything was told.
func TestEachActionIsToldAsItsEvent(t *testing.T) {
	t.Parallel()
	n, sink, document := newRota(t), newReceiver(t), described(t)
	schedule := at[string](t, n.schedule("Nights", n.weekly("Ada", "Bob")), "id")
	policy := func(target object) string {
		return n.make("/v1/escalation-policies", "escalation_policy", object{
			"name": unique("Policy"), "ack_timeout_seconds": 600, "steps": []object{
				{"delay_seconds": 3600, "targets": []object{target}}, {"delay_seconds": 3600, "targets": []object{{"kind": "user", "id": n.people["Bob"]}}},
			},
		})
	}
	service := func(name, policyID string) (id, key string) {
		made := n.call(n.owner(), http.MethodPost, "/v1/services", object{"name": name, "escalation_policy_id": policyID})
		return at[string](t, made, "service", "id"), at[string](t, made, "service_key")
	}
	checkout, key := service("Checkout", policy(object{"kind": "schedule", "id": schedule}))
	gone := n.make("/v1/contact-methods", "contact_method", object{"kind": "webhook", "name": "Bot", "address": sink.URL + "/gone", "shared": true})
	search, _ := service("Search", policy(object{"kind": "channel", "id": gone}))
	n.serviceKey = key
	n.tell()
	n.subscribe(sink.URL+"/", object{"event_types": allTypes()})

	var incidentID, slow string
	post := func(path string, body object) func() {
		return func() { n.call(n.owner(), http.MethodPost, "/v1/incidents/"+incidentID+path, body) }
	}
	event := func(body object) func() {
		return func() {
			if got := n.sendTo("/v1/events", sure(json.Marshal(body)), "Authorization", "Bearer "+key); got.status >= http.StatusMultipleChoices {
				t.Fatalf("event: %s", got.whole())
			}
			incidentID = n.first("/v1/incidents?limit=1", "incidents")
		}
	}
	var all []string
	for _, step := range []struct {
		action string
		do     func()
		want   string
	}{
		{"an event opens an incident", event(object{"title": "Slow", "dedup_key": "slow", "severity": "medium"}), "incident.triggered page.sent service.health_changed"},
		{"an event repeats", event(object{"title": "Slow", "dedup_key": "slow", "severity": "medium"}), ""},
		{"a worse event joins", event(object{"title": "Slow", "dedup_key": "slow", "severity": "high"}), "incident.severity_changed page.sent"},
		{"an event of the same trouble", func() {
			slow = incidentID
			event(object{"title": "Queue grows", "dedup_key": "queue", "severity": "high"})()
		}, "incident.triggered page.sent"},
		{"somebody merges that into the first", func() {
			post("/merge", object{"into_id": slow})()
			incidentID = slow
		}, "incident.merged incident.resolved"},
		{"somebody acknowledges", post("/acknowledge", object{}), "incident.acknowledged"},
		{"somebody acknowledges again", post("/acknowledge", object{}), ""},
		{"nobody resolves it in time", func() { n.database.Clock.Advance(11 * time.Minute) }, "incident.unacknowledged page.sent"},
		{"somebody escalates", post("/escalate", object{}), "incident.escalated page.sent"},
		{"somebody assigns", post("/assign", object{"assignee_id": n.people["Cem"]}), "incident.assigned"},
		{"somebody unassigns", post("/assign", object{"assignee_id": ""}), "incident.assigned"},
		{"somebody comments", post("/comments", object{"message": "Pool is full."}), "incident.commented"},
		{"somebody resolves", post("/resolve", object{}), "incident.resolved service.health_changed"},
		{"another event", event(object{"title": "Stuck", "dedup_key": "stuck", "severity": "high"}), "incident.triggered page.sent service.health_changed"},
		{"nobody answers the first step", func() { n.database.Clock.Advance(time.Hour + time.Second) }, "incident.escalated page.sent"},
		{"nobody answers the last step", func() { n.database.Clock.Advance(time.Hour + time.Second) }, "incident.escalated page.sent"},
		{"somebody resolves that", post("/resolve", object{}), "incident.resolved service.health_changed"},
		{"a page cannot be delivered", func() {
			incidentID = n.declare("Search is down", object{"service_id": search, "severity": "critical"})
		}, "incident.triggered page.failed service.health_changed"},
		{"a person resolves it", post("/resolve", object{}), "incident.resolved service.health_changed"},
		{"another one comes on call", func() { n.database.Clock.Advance(7 * 24 * time.Hour) }, "oncall.changed"},
		{"somebody takes over", func() {
			n.call(n.owner(), http.MethodPost, "/v1/schedules/"+schedule+"/overrides", object{
				"kind": "take_over", "user_id": n.people["Cem"], "starts_at": n.database.Clock.Now().Add(-time.Minute), "ends_at": n.database.Clock.Now().Add(time.Hour),
			})
			n.database.Clock.Advance(2 * time.Second)
		}, "oncall.changed"},
		{"a deployment", func() {
			body := object{"summary": "Deploy 7", "kind": "deployment", "version": "7"}
			if got := n.sendTo("/v1/changes", sure(json.Marshal(body)), "Authorization", "Bearer "+key); got.status != http.StatusCreated {
				t.Fatalf("change: %s", got.whole())
			}
		}, "change.created"},
		{"a program says that it lives", func() { n.ping("nightly", object{"every_seconds": 60, "grace_seconds": 60}) }, ""},
		{"... and does so no more", func() { n.attended(3 * time.Minute) }, "heartbeat.missed incident.triggered page.sent service.health_changed"},
		{"... and does so again", func() { n.ping("nightly", object{}) }, "heartbeat.recovered incident.resolved service.health_changed"},
		{"a new name of a service", func() {
			n.call(n.owner(), http.MethodPatch, "/v1/services/"+checkout, object{"name": "Till"})
		}, ""},
	} {
		step.do()
		n.tell()
		events := sink.take(t, "/")
		got := types(events)
		if strings.Join(got, " ") != step.want {
			t.Errorf("%s: told of %v, want %s", step.action, got, step.want)
		}
		all = append(all, got...)
		for _, one := range events {
			n.checkForm(t, one)
			for _, difference := range document.webhookUnlike(one["type"].(string), sure(json.Marshal(one))) {
				t.Error(difference)
			}
		}
	}
	for _, eventType := range subscription.Types() {
		if !slices.Contains(all, eventType) {
			t.Errorf("nothing here leads to %s", eventType)
		}
	}
}

// checkForm compares the fields of an event with those of the example of its type.
func (n *rota) checkForm(t *testing.T, event object) {
	t.Helper()
	for _, example := range examples(t) {
		if example["type"] != event["type"] {
			continue
		}
		for _, path := range fieldPaths("", event) {
			if !slices.Contains(fieldPaths("", example), path) && !strings.HasPrefix(path, ".data.changes.status") && !strings.HasPrefix(path, ".data.actor.") {
				t.Errorf("%s has %s, which its example has not", event["type"], path)
			}
		}
		return
	}
	t.Errorf("there is no example of %s", event["type"])
}

// examples are the payloads that the documentation shows.
func examples(t *testing.T) (list []object) {
	t.Helper()
	must(t, json.Unmarshal(sure(os.ReadFile("../subscription/testdata/payloads.golden")), &list))
	return list
}

// fieldPaths are the fields that a value has, at any depth; what stands in lists counts once.
func fieldPaths(prefix string, value any) (list []string) {
	switch value := value.(type) {
	case object:
		for name, inner := range value {
			list = append(append(list, prefix+"."+name), fieldPaths(prefix+"."+name, inner)...)
		}
	case []any:
		for _, inner := range value {
			list = append(list, fieldPaths(prefix+"[]", inner)...)
		}
	}
	return list
}

// TestReceiversCanCheckSignatures with the library that Standard Webhooks publishes, before and
// after the secret was rotated.
func TestReceiversCanCheckSignatures(t *testing.T) {
	t.Parallel()
	n, sink := newRota(t), newReceiver(t)
	made := n.call(n.owner(), http.MethodPost, "/v1/webhook-subscriptions", object{"name": "Tickets", "url": sink.URL, "event_types": []string{"incident.triggered"}})
	path := "/v1/webhook-subscriptions/" + at[string](t, made, "webhook_subscription", "id")
	signs := func(secret string) bool {
		t.Helper()
		n.call(n.owner(), http.MethodPost, path+"/test", object{})
		n.publish()
		got := sink.takeRaw("/")
		if len(got) != 1 || !strings.Contains(string(got[0].body), `"type":"webhook.test"`) {
			t.Fatalf("%d requests", len(got))
		}
		checker := sure(standardwebhooks.NewWebhook(secret))
		if checker.VerifyIgnoringTimestamp([]byte(string(got[0].body)+" "), got[0].header) == nil {
			t.Error("the signature fits another body")
		}
		return checker.VerifyIgnoringTimestamp(got[0].body, got[0].header) == nil
	}
	first := at[string](t, made, "secret")
	if !signs(first) {
		t.Error("the signature does not fit")
	}
	rotated := n.call(n.owner(), http.MethodPost, path+"/rotate-secret", object{})
	second := at[string](t, rotated, "secret")
	ends := sure(time.Parse(time.RFC3339, at[string](t, rotated, "webhook_subscription", "old_secret_expires_at")))
	if got := ends.Sub(wednesday); got != 24*time.Hour || !signs(first) || !signs(second) {
		t.Errorf("for %s both secrets sign", got)
	}
	n.database.Clock.Advance(24*time.Hour + time.Second)
	if signs(first) || !signs(second) {
		t.Error("after a day the old secret still signs, or the new one does not")
	}
}
