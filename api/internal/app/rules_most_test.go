package app

import (
	"net/http"
	"testing"

	"github.com/nightbell/nightbell/api/internal/notify"
)

// Each rule writes a page for each incident: nobody, whatever their role, gives somebody more than fifty.
func TestAPersonHasFiftyRules(t *testing.T) {
	t.Parallel()
	n := newTestServer(t).newTenant("acme")
	viewer := n.bearers["viewer"]
	contact := at[string](t, n.call(viewer, http.MethodPost, "/v1/contact-methods",
		object{"kind": "email", "name": "Mail", "address": "night@acme.example.com"}), "contact_method", "id")
	rule := func(delay int) object {
		return object{"contact_method_id": contact, "urgency": "high", "delay_seconds": delay}
	}
	list := func() []any {
		return at[[]any](t, n.call(viewer, http.MethodGet, "/v1/notification-rules", nil), "notification_rules")
	}
	for i := range notify.MostRulesOfPerson - len(list()) {
		n.call(viewer, http.MethodPost, "/v1/notification-rules", rule(i+1))
	}
	n.wantRefused("one more", "too_many_notification_rules", viewer, http.MethodPost, "/v1/notification-rules", rule(7000))
	n.wantRefused("one more, by an admin", "too_many_notification_rules", n.bearers["admin"], http.MethodPost, "/v1/notification-rules", rule(7001))
	n.call(viewer, http.MethodPost, "/v1/contact-methods", object{"kind": "email", "name": "Mail", "address": "later@acme.example.com"})
	if got := len(list()); got != notify.MostRulesOfPerson+2 {
		t.Errorf("%d rules, want those of a new contact besides the %d", got, notify.MostRulesOfPerson)
	}
	for _, row := range list()[:3] {
		n.call(viewer, http.MethodDelete, "/v1/notification-rules/"+row.(object)["id"].(string), nil)
	}
	n.call(viewer, http.MethodPost, "/v1/notification-rules", rule(7000))
}
