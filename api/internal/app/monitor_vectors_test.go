package app

import (
	"encoding/json"
	"net/http"
	"os"
	"strings"
	"testing"
)

// TestMonitorsOfSDKsAreOneIncidentEach: the events of the vectors, as the monitors of every SDK send
// them. A monitor that goes on failing joins its incident, with the severity that it sent; its resolve
// ends it.
func TestMonitorsOfSDKsAreOneIncidentEach(t *testing.T) {
	t.Parallel()
	n := newTestServer(t).newTenant("acme")
	var vectors struct {
		Cases []struct {
			Description string
			Expect      struct{ Events []json.RawMessage }
		}
	}
	must(t, json.Unmarshal(sure(os.ReadFile("../../../proto/vectors/monitors.json")), &vectors))
	sent := 0
	for _, c := range vectors.Cases {
		// The cases use the same ids and keys, so each is a service of its own.
		service := n.call(n.owner(), http.MethodPost, "/v1/services", object{"name": c.Description})
		key, open := at[string](t, service, "service_key"), map[string]string{}
		for _, raw := range c.Expect.Events {
			sent++
			body := eventOf(t, raw)
			problem, _ := body["dedup_key"].(string)
			got := n.sendTo("/v1/events", sure(json.Marshal(body)), "Authorization", "Bearer "+key)
			if got.status >= 300 || !strings.Contains(got.body, `"truncated":[],"warnings":[]`) {
				t.Errorf("%s: %v: %d %s", c.Description, body, got.status, got.body)
				continue
			}
			incident, was := got.text("id"), open[problem]
			switch {
			case body["action"] == "resolve" && was == "":
				if got.text("status") != "ignored" {
					t.Errorf("%s: it resolved what was never opened: %s", c.Description, got.body)
				}
				continue
			case was != "" && incident != was:
				t.Errorf("%s: a second incident: %s", c.Description, got.body)
			}
			read := at[object](t, n.call(n.bearers["viewer"], http.MethodGet, "/v1/incidents/"+incident, nil), "incident")
			status := map[any]string{"trigger": "triggered", "resolve": "resolved"}[body["action"]]
			if severity, ok := body["severity"].(string); ok && read["severity"] != severity || read["status"] != status {
				t.Errorf("%s: %v is %v, %v", c.Description, body, read["severity"], read["status"])
			}
			if open[problem] = incident; body["action"] == "resolve" {
				delete(open, problem)
			}
		}
	}
	if sent < 20 {
		t.Errorf("only %d events", sent)
	}
}

// eventOf is the body of an event of the vectors, which may say when it is sent.
func eventOf(t *testing.T, raw json.RawMessage) object {
	t.Helper()
	var timed struct{ Body object }
	must(t, json.Unmarshal(raw, &timed))
	if timed.Body == nil {
		must(t, json.Unmarshal(raw, &timed.Body))
	}
	return timed.Body
}
