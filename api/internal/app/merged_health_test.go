package app

import (
	"fmt"
	"net/http"
	"slices"
	"strings"
	"testing"
	"time"
)

// TestAServiceIsAsTheIncidentThatTookItsIn: merging says that it is the same trouble, not that a service is
// well. It is well once its own alerts are, or once the incident is over that took in one that somebody declared.
func TestAServiceIsAsTheIncidentThatTookItsIn(t *testing.T) {
	t.Parallel()
	n, sink := newRota(t), newReceiver(t)
	policy := n.make("/v1/escalation-policies", "escalation_policy", object{
		"name": "Nights", "steps": []object{{"delay_seconds": 3600, "targets": []object{{"kind": "user", "id": n.people["Ada"]}}}},
	})
	keys, ids := map[string]string{}, map[string]string{}
	for _, name := range []string{"Checkout", "Database", "Search"} {
		made := n.call(n.owner(), http.MethodPost, "/v1/services", object{"name": name, "escalation_policy_id": policy})
		ids[name], keys[name] = at[string](t, made, "service", "id"), at[string](t, made, "service_key")
	}
	n.tell()
	n.subscribe(sink.URL+"/", object{"event_types": []string{"service.health_changed"}})
	event := func(service, action, severity string) string {
		t.Helper()
		n.database.Clock.Advance(time.Second)
		body := fmt.Sprintf(`{"action": %q, "title": "Slow", "dedup_key": "slow", "severity": %q}`, action, severity)
		if got := n.sendTo("/v1/events", []byte(body), "Authorization", "Bearer "+keys[service]); got.status >= http.StatusMultipleChoices {
			t.Fatalf("event: %s", got.whole())
		}
		return n.first("/v1/incidents?limit=1", "incidents")
	}
	merge := func(one, into string) {
		n.call(n.owner(), http.MethodPost, "/v1/incidents/"+one+"/merge", object{"into_id": into})
	}
	check := func(when, want string, told ...string) {
		t.Helper()
		n.tell()
		var got []string
		for _, service := range at[[]any](t, n.call(n.owner(), http.MethodGet, "/v1/services", nil), "services") {
			one := service.(object)
			if _, ours := keys[one["name"].(string)]; ours {
				got = append(got, fmt.Sprint(one["name"], " ", one["health"], " ", one["open_incident_count"]))
			}
		}
		var heard []string
		for _, one := range sink.take(t, "/") {
			heard = append(heard, at[string](t, one, "data", "message"))
		}
		slices.Sort(heard)
		if said := strings.Join(got, ", "); said != want || !slices.Equal(heard, told) {
			t.Errorf("%s: %s, told of %q; want %s, told of %q", when, said, heard, want, told)
		}
	}

	slow := event("Checkout", "trigger", "high")
	database := event("Database", "trigger", "critical")
	check("two alerts", "Checkout degraded 1, Database down 1, Search healthy 0", "Checkout is degraded.", "Database is down.")
	merge(slow, database)
	check("one was merged into the other", "Checkout down 1, Database down 1, Search healthy 0", "Checkout is down.")
	event("Checkout", "resolve", "high")
	check("its alert ended", "Checkout healthy 0, Database down 1, Search healthy 0", "Checkout is healthy.")
	event("Checkout", "trigger", "high")
	check("its alert fires again, there", "Checkout down 1, Database down 1, Search healthy 0") // a repeat is no line of the feed: told with the next one
	merge(n.declare("Nobody finds anything", object{"service_id": ids["Search"], "severity": "high"}), database)
	check("a declared one was merged", "Checkout down 1, Database down 1, Search down 1", "Checkout is down.", "Search is down.")
	// Two of one service count once there, and so does one that came back to its own service by another.
	merge(n.declare("Search is slow", object{"service_id": ids["Search"], "severity": "high"}), database)
	merge(n.declare("Disk is full", object{"service_id": ids["Database"], "severity": "high"}), database)
	check("more were merged", "Checkout down 1, Database down 1, Search down 1")
	n.call(n.owner(), http.MethodPost, "/v1/incidents/"+database+"/resolve", object{})
	check("somebody resolved it", "Checkout healthy 0, Database healthy 0, Search healthy 0", "Checkout is healthy.", "Database is healthy.", "Search is healthy.")
}
