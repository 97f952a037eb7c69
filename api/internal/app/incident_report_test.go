package app

import (
	"net/http"
	"strings"
	"testing"

	"github.com/google/uuid"
)

// report asks for what programs said about the only alert of an incident.
func (n *tenant) report(incidentID string) (alert, report object) {
	n.t.Helper()
	answer := n.call(n.bearers["viewer"], http.MethodGet, "/v1/incidents/"+incidentID+"/alerts/"+n.first("/v1/incidents/"+incidentID+"/alerts", "alerts"), nil)
	report, _ = answer["report"].(object)
	return at[object](n.t, answer, "alert"), report
}

// TestAnErrorIsReadWithItsCausesAndItsOccurrences: alike errors are one incident, which counts its own
// and says when it heard of them; a call that is made twice and the resolve are none.
func TestAnErrorIsReadWithItsCausesAndItsOccurrences(t *testing.T) {
	t.Parallel()
	n := newTestServer(t).newTenant("acme")
	event := object{
		"id": uuid.NewString(), "title": "PaymentError: no answer", "count": 3, "environment": "production", "release": "2026.11.3",
		"operation": "checkout", "user": object{"id": "u1"}, "trace": object{"trace_id": "t1"}, "links": []object{{"href": "https://example.com/d", "text": "Log"}},
		"metadata": object{"cart": 7},
		"error": object{"fingerprint": "f1", "breadcrumbs": []object{{"message": "cart opened"}}, "exceptions": []object{
			{"type": "PaymentError", "message": "no answer", "frames": []object{
				{"file": "shop/cart.go", "function": "pay", "module": "shop", "line": 7, "column": 3, "in_app": true, "pre": []string{"a"}, "code": "b", "post": []string{"c"}},
				{"file": "net/http/server.go", "function": "serve", "line": 2000},
			}},
			{"type": "DialError", "message": "refused"},
		}},
	}
	first := n.sendEvent(event).text("id")
	n.sendEvent(event) // the same call
	event["id"], event["count"] = uuid.NewString(), 2
	if joined := n.sendEvent(event); joined.text("id") != first {
		t.Fatalf("another incident: %s", joined.body)
	}
	alert, report := n.report(first)
	if alert["has_report"] != true || alert["details"] != nil || report["occurrence_count"] != 5.0 || report["first_seen_at"] == nil || report["last_seen_at"] == nil {
		t.Errorf("alert %v, report %v", alert, report)
	}
	if report["operation"] != "checkout" || report["environment"] != "production" || report["release"] != "2026.11.3" ||
		at[string](t, report, "user", "id") != "u1" || at[string](t, report, "trace", "trace_id") != "t1" || at[float64](t, report, "metadata", "cart") != 7 ||
		at[[]any](t, report, "links")[0].(object)["text"] != "Log" {
		t.Errorf("report %v", report)
	}
	chain := at[[]any](t, report, "error", "exceptions")
	if len(chain) != 2 || chain[0].(object)["type"] != "PaymentError" || chain[1].(object)["message"] != "refused" || at[string](t, report, "error", "fingerprint") != "f1" {
		t.Fatalf("causes %v", chain)
	}
	frames := chain[0].(object)["frames"].([]any)
	own := frames[0].(object)
	if own["file"] != "shop/cart.go" || own["function"] != "pay" || own["line"] != 7.0 || own["in_app"] != true || own["code"] != "b" || frames[1].(object)["in_app"] != false {
		t.Errorf("frames %v", frames)
	}

	n.sendEvent(object{"action": "resolve", "dedup_key": "f1"})
	event["id"], event["release"] = uuid.NewString(), "2026.11.4"
	second := n.sendEvent(event).text("id")
	if second == first {
		t.Fatal("it joined an incident that was resolved")
	}
	if _, report := n.report(first); report["occurrence_count"] != 5.0 || report["later_incident_id"] != second || report["release"] != "2026.11.4" {
		t.Errorf("the first incident, once it came back: %v", report)
	}
	if _, report := n.report(second); report["occurrence_count"] != 2.0 || report["later_incident_id"] != nil {
		t.Errorf("the second incident: %v", report)
	}
}

// TestWhatAProgramSendsOfTheWrongKindIsLeftOut: the rest of it is read.
func TestWhatAProgramSendsOfTheWrongKindIsLeftOut(t *testing.T) {
	t.Parallel()
	n := newTestServer(t).newTenant("acme")
	for _, broken := range []string{
		`"error": {"exceptions": [{"type": "E", "frames": [{"file": 1, "line": "7", "column": -1, "in_app": "yes", "pre": "x", "post": [1, {"a": 1}], "function": "kept"}]}]}`,
		`"error": {"exceptions": [{"type": "E", "frames": [{"line": 1e300, "function": "kept"}, 7]}, 8], "breadcrumbs": [{"message": 1}, "x"]}, "links": [{"href": "kept", "text": 1}]`,
		`"error": {"exceptions": {}, "breadcrumbs": 1}, "operation": 7, "user": {"id": "kept", "nested": [null, [1]]}`,
	} {
		incident := n.sendTo("/v1/events", []byte(`{"title": "t", `+broken+`}`), "Authorization", "Bearer "+n.serviceKey).text("id")
		got := n.get("/v1/incidents/"+incident+"/alerts/"+n.first("/v1/incidents/"+incident+"/alerts", "alerts"), n.bearers["viewer"])
		if got.status != http.StatusOK || !strings.Contains(got.body, "kept") {
			t.Errorf("%s: %d %s", broken, got.status, got.body)
		}
	}
}

// TestOnlyItsOwnAlertsAreReadWithAnIncident: not those of a neighbour, nor of another incident, and
// those without a report say so. Lists of incidents and alerts carry no stack.
func TestOnlyItsOwnAlertsAreReadWithAnIncident(t *testing.T) {
	t.Parallel()
	server := newTestServer(t)
	n, other := server.newTenant("acme"), server.newTenant("other")
	event := object{"title": "t", "error": object{"exceptions": []object{{"type": "SecretError"}}}}
	mine, foreign := n.sendEvent(event).text("id"), other.sendEvent(event).text("id")
	myAlert := n.first("/v1/incidents/"+mine+"/alerts", "alerts")
	foreignAlert := other.first("/v1/incidents/"+foreign+"/alerts", "alerts")
	for path, code := range map[string]string{
		"/v1/incidents/" + mine + "/alerts/" + foreignAlert:             "alert_not_found",
		"/v1/incidents/" + mine + "/alerts/nonsense":                    "alert_not_found",
		"/v1/incidents/" + n.objects["incident"] + "/alerts/" + myAlert: "alert_not_found",
		"/v1/incidents/" + foreign + "/alerts/" + foreignAlert:          "incident_not_found",
		"/v1/incidents/" + uuid.NewString() + "/alerts/" + foreignAlert: "incident_not_found",
	} {
		if got := n.get(path, n.owner()); got.status != http.StatusNotFound || got.text("code") != code {
			t.Errorf("%s: %d %s, want %s", path, got.status, got.body, code)
		}
	}
	for _, path := range []string{"/v1/incidents", "/v1/incidents/" + mine, "/v1/incidents/" + mine + "/alerts", "/v1/incidents/" + mine + "/timeline"} {
		if got := n.get(path, n.owner()); got.status != http.StatusOK || strings.Contains(got.body, "SecretError") {
			t.Errorf("%s: %d %s", path, got.status, got.body)
		}
	}
	plain := n.sendEvent(object{"title": "It says nothing else"}).text("id")
	for _, incident := range []string{plain, n.objects["incident"]} {
		if alert, report := n.report(incident); alert["has_report"] != nil || report != nil {
			t.Errorf("no report, and yet %v %v", alert, report)
		}
	}
}
