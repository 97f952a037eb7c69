package app

import (
	"encoding/json"
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/google/uuid"
)

// bulk changes many incidents by one call.
func (n *tenant) bulk(body object, header ...string) (answer, []object) {
	n.t.Helper()
	got := n.plainly(http.MethodPost, "/v1/incidents/bulk", n.owner(), sure(json.Marshal(body)), header...)
	var read struct{ Results []object }
	must(n.t, json.Unmarshal([]byte(got.body), &read))
	return got, read.Results
}

func TestManyIncidentsAreChangedByOneCall(t *testing.T) {
	t.Parallel()
	n := newTestServer(t).newTenant("acme")
	ids := []string{n.makeIncident(), n.makeIncident(), n.makeIncident()}
	strangers := uuid.NewString()
	status := func(results []object) (found []string) {
		for _, one := range results {
			text, _ := one["status"].(string)
			if refused, has := one["error"].(object); has {
				text += " " + refused["code"].(string)
			}
			found = append(found, text)
		}
		return found
	}
	for _, step := range []struct {
		body object
		want string
	}{
		{object{"action": "assign", "ids": ids, "assignee_id": n.people["viewer"]}, "triggered,triggered,triggered"},
		{object{"action": "acknowledge", "ids": []string{ids[0], strangers, "no id"}}, "acknowledged, incident_not_found, incident_not_found"},
		{object{"action": "escalate", "ids": ids[:1]}, "triggered"},
		{object{"action": "acknowledge", "ids": ids[:1]}, "acknowledged"},
		{object{"action": "resolve", "ids": ids[:1]}, "resolved"},
		{object{"action": "resolve", "ids": ids[:1]}, "resolved"}, // again is no error
		{object{"action": "acknowledge", "ids": ids[:2]}, "resolved incident_resolved,acknowledged"},
		{object{"action": "assign", "ids": ids[:2]}, "resolved incident_resolved,acknowledged"},
	} {
		got, results := n.bulk(step.body)
		if found := strings.Join(status(results), ","); got.status != http.StatusOK || found != step.want {
			t.Errorf("%v: %s, want %s", step.body, got.whole(), step.want)
		}
	}
	if incident := n.call(n.owner(), http.MethodGet, "/v1/incidents/"+ids[2], nil); at[string](t, incident, "incident", "assignee", "id") != n.people["viewer"] {
		t.Errorf("the third is assigned to %v", incident["incident"])
	}
	for field, body := range map[string]object{
		"ids":                     {"action": "resolve"},
		"action":                  {"action": "delete", "ids": ids},
		"assignee_id":             {"action": "resolve", "ids": ids, "assignee_id": n.people["viewer"]},
		"filter.triggered_before": {"action": "resolve", "filter": object{}},
		"filter.colour":           {"action": "resolve", "filter": object{"triggered_before": time.Now(), "colour": "red"}},
	} {
		if refused, _ := n.bulk(body); refused.status != http.StatusUnprocessableEntity || !strings.Contains(refused.body, `"field":"`+field+`"`) {
			t.Errorf("%v: %s, want a refusal of %s", body, refused.whole(), field)
		}
	}
	if refused, _ := n.bulk(object{"action": "assign", "ids": ids, "assignee_id": strangers}); !strings.Contains(refused.body, `"field":"assignee_id","code":"not_found"`) {
		t.Errorf("assigned to nobody of here: %s", refused.whole())
	}
}

// An incident shows who declared it, also when that was a program.
func TestAnIncidentNamesTheKeyThatDeclaredIt(t *testing.T) {
	t.Parallel()
	n := newTestServer(t).newTenant("acme")
	for bearer, want := range map[string]string{n.newAPIKey("responder"): "acts as responder", n.owner(): "acme owner"} {
		made := n.call(bearer, http.MethodPost, "/v1/incidents", object{"title": "Orders stopped", "severity": "high"})
		read := n.call(n.bearers["viewer"], http.MethodGet, "/v1/incidents/"+at[string](t, made, "incident", "id"), nil)
		if got := at[string](t, read, "incident", "created_by", "name"); !strings.EqualFold(got, want) {
			t.Errorf("declared by %q, want %q", got, want)
		}
	}
}

// A filter leaves alone what was triggered after the caller looked, and a repeat changes nothing.
func TestAFilterChangesWhatTheCallerHasSeen(t *testing.T) {
	t.Parallel()
	n := newTestServer(t).newTenant("acme")
	seen := n.makeIncident()
	shown := n.call(n.owner(), http.MethodGet, "/v1/incidents/"+seen, nil)
	later := n.makeIncident()
	body := object{"action": "acknowledge", "filter": object{"triggered_before": at[string](t, shown, "incident", "triggered_at")}}
	first, results := n.bulk(body, "Idempotency-Key", "k")
	if len(results) == 0 || !strings.Contains(first.body, seen) || strings.Contains(first.body, later) || !strings.Contains(first.body, `"more":false`) {
		t.Errorf("%s", first.whole())
	}
	if again, _ := n.bulk(body, "Idempotency-Key", "k"); again.body != first.body || again.header.Get("Idempotent-Replayed") != "true" {
		t.Errorf("a repeat: %s", again.whole())
	}
	if fresh, results := n.bulk(body); len(results) != 0 {
		t.Errorf("nothing is left to acknowledge: %s", fresh.whole())
	}
	if incident := n.call(n.owner(), http.MethodGet, "/v1/incidents/"+later, nil); at[string](t, incident, "incident", "status") != "triggered" {
		t.Error("what nobody has seen is acknowledged")
	}
}
