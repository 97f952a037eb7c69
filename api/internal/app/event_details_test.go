package app

import (
	"net/http"
	"strings"
	"testing"

	"github.com/google/uuid"
)

// TestWhatAnEventSaidIsReadWithItsIncident: its error and all the rest, once somebody asks for it; the
// resolve, which says nothing of that, leaves it. Counts add up, repeats of a call do not.
func TestWhatAnEventSaidIsReadWithItsIncident(t *testing.T) {
	t.Parallel()
	n := newTestServer(t).newTenant("acme")
	event := object{
		"id": uuid.NewString(), "title": "Orders stopped", "dedup_key": "orders", "count": 3, "environment": "production", "release": "2026.11.3",
		"operation": "checkout", "user": object{"id": "u1"}, "trace": object{"trace_id": "t1"}, "links": []object{{"href": "https://example.com/d"}},
		"error": object{"fingerprint": "f1", "breadcrumbs": []object{{"message": "cart opened"}}, "exceptions": []object{
			{"type": "TimeoutError", "message": "no answer", "frames": []object{{"file": "orders.go", "line": 7}}}, {"type": "DialError", "message": "refused"},
		}},
	}
	incident := n.sendEvent(event).text("id")
	n.sendEvent(event) // the same call
	event["id"], event["count"] = uuid.NewString(), 2
	n.sendEvent(event)
	path := "/v1/incidents/" + incident + "/alerts"
	if got := n.get(path, n.bearers["viewer"]); got.status != http.StatusOK || strings.Contains(got.body, "TimeoutError") || !strings.Contains(got.body, `"occurrence_count":5`) {
		t.Errorf("without details: %d %s", got.status, got.body)
	}
	for _, action := range []string{"acknowledge", "resolve"} {
		n.sendEvent(object{"action": action, "dedup_key": "orders"})
		got := n.get(path+"?include=details", n.bearers["viewer"])
		for _, want := range []string{
			"TimeoutError", "DialError", `"file":"orders.go"`, "f1", "cart opened", "u1", "checkout", "t1", "example.com/d", "production", "2026.11.3",
			`"title":"Orders stopped"`, `"occurrence_count":5`,
		} {
			if !strings.Contains(got.body, want) {
				t.Errorf("after %s there is no %s in %s", action, want, got.body)
			}
		}
	}
}
