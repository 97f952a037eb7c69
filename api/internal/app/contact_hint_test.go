package app

import (
	"net/http"
	"strings"
	"testing"
)

// TestNobodyReadsTheAddressOfSomebodyWhoIsPaged: where pages are told and foreseen, a responder sees the
// channel and enough to recognise the address; the whole is for the person and admins, among the contacts.
func TestNobodyReadsTheAddressOfSomebodyWhoIsPaged(t *testing.T) {
	t.Parallel()
	n := newRota(t)
	n.join("viewer", "viewer")
	n.call(n.bearers["Ada"], http.MethodPost, "/v1/contact-methods", object{"kind": "email", "name": "At home", "address": "ada.lovelace@private.example"})
	policy := n.make("/v1/escalation-policies", "escalation_policy", object{"name": "Ada's", "steps": []object{{"delay_seconds": 60, "targets": []object{{"kind": "user", "id": n.people["Ada"]}}}}})
	service := n.make("/v1/services", "service", object{"name": "Orders", "escalation_policy_id": policy})
	incident := n.make("/v1/incidents", "incident", object{"title": "Orders stopped", "service_id": service, "severity": "critical"})
	n.page()
	for _, path := range []string{"/v1/incidents/" + incident + "/notifications", "/v1/incidents/" + incident + "/timeline", "/v1/explain?service_id=" + service + "&severity=critical"} {
		for _, who := range []string{"viewer", "owner"} {
			got := n.get(path, n.bearers[who])
			if strings.Contains(got.body, "ada.lovelace") || !strings.Contains(got.body, "a…@private.example") {
				t.Errorf("%s to the %s: %s", path, who, got.whole())
			}
		}
	}
	if got := n.get("/v1/contact-methods", n.bearers["Ada"]); !strings.Contains(got.body, "ada.lovelace@private.example") {
		t.Errorf("Ada does not see her own address: %s", got.whole())
	}
	if got := n.get("/v1/contact-methods?user_id="+n.people["Ada"], n.bearers["viewer"]); got.status != http.StatusForbidden {
		t.Errorf("a viewer lists the contacts of others: %s", got.whole())
	}
}
