package app

import (
	"encoding/json"
	"maps"
	"net/http"
	"strings"
	"testing"

	"github.com/nightbell/nightbell/api/internal/auth"
)

// as makes one call and gives the answer, whatever it is.
func (n *tenant) as(bearer, verb, path string, body object) answer {
	n.t.Helper()
	var content []byte
	if body != nil {
		content = sure(json.Marshal(body))
	}
	return n.plainly(verb, path, bearer, content)
}

// TestAKeyKeepsContactsAndRules: what Terraform does for everybody of the organization.
func TestAKeyKeepsContactsAndRules(t *testing.T) {
	t.Parallel()
	n := newTestServer(t).newTenant("acme")
	key := n.newAPIKey("admin", auth.ConfigRead, auth.ConfigWrite, auth.IncidentsRead, auth.IncidentsWrite)
	mail := func(whose object) object {
		body := object{"kind": "email", "name": "Mail", "address": "night@acme.example.com"}
		maps.Copy(body, whose)
		return body
	}
	for _, nobodys := range []object{{}, {"shared": true, "user_id": n.people["viewer"]}, {"user_id": "7"}} {
		if got := n.as(key, http.MethodPost, "/v1/contact-methods", mail(nobodys)); got.status != http.StatusUnprocessableEntity || !strings.Contains(got.body, `"field":"user_id"`) {
			t.Errorf("%v: %s", nobodys, got.whole())
		}
	}
	shared := n.call(key, http.MethodPost, "/v1/contact-methods", mail(object{"shared": true}))
	made := n.call(key, http.MethodPost, "/v1/contact-methods", mail(object{"user_id": n.people["viewer"]}))
	path := "/v1/contact-methods/" + at[string](t, made, "contact_method", "id")
	if whose := at[string](t, made, "contact_method", "user_id"); whose != n.people["viewer"] {
		t.Errorf("it is of %s", whose)
	}
	rule := n.call(key, http.MethodPost, "/v1/notification-rules", object{"contact_method_id": at[string](t, made, "contact_method", "id"), "urgency": "high", "delay_seconds": 60})
	rulePath := "/v1/notification-rules/" + at[string](t, rule, "notification_rule", "id")
	if whose := at[string](t, rule, "notification_rule", "user_id"); whose != n.people["viewer"] {
		t.Errorf("the rule is of %s", whose)
	}

	n.call(key, http.MethodPatch, path, object{"name": "Night mail"})
	n.call(key, http.MethodPatch, rulePath, object{"delay_seconds": 120})
	if got := n.get(path, n.bearers["viewer"]); !strings.Contains(got.body, `"Night mail"`) {
		t.Errorf("the person reads %s", got.whole())
	}
	if got := n.get(rulePath, n.bearers["viewer"]); !strings.Contains(got.body, `"delay_seconds":120`) || !strings.Contains(got.body, `"urgency":"high"`) {
		t.Errorf("the person reads %s", got.whole())
	}
	lists := func(bearer, query string) string {
		return n.get("/v1/contact-methods"+query, bearer).body + n.get("/v1/notification-rules"+query, bearer).body
	}
	theirs, common := at[string](t, made, "contact_method", "id"), at[string](t, shared, "contact_method", "id")
	for name, c := range map[string]struct {
		shown           string
		theirs, commons bool
	}{
		"the key":             {lists(key, ""), true, true},
		"the key, of one":     {lists(key, "?user_id="+n.people["viewer"]), true, false},
		"the key, of another": {lists(key, "?user_id="+n.people["owner"]), false, false},
		"a viewer's key":      {lists(n.newAPIKey("viewer", auth.ConfigRead), ""), false, true},
		"the person":          {lists(n.bearers["viewer"], ""), true, true},
		"an admin":            {lists(n.bearers["admin"], ""), false, true},
		"an admin, of one":    {lists(n.bearers["admin"], "?user_id="+n.people["viewer"]), true, false},
	} {
		if strings.Contains(c.shown, theirs) != c.theirs || strings.Contains(c.shown, common) != c.commons {
			t.Errorf("%s is shown %s", name, c.shown)
		}
	}
	for _, address := range []string{rulePath, path} {
		n.call(key, http.MethodDelete, address, nil)
		if got := n.get(address, key); got.status != http.StatusNotFound {
			t.Errorf("after it was deleted: %s", got.whole())
		}
	}
}

// TestContactsOfOthersAreForAdmins, whether a person or a key asks.
func TestContactsOfOthersAreForAdmins(t *testing.T) {
	t.Parallel()
	n := newTestServer(t).newTenant("acme")
	contact, shared, rule := "/v1/contact-methods/"+n.makeContact(false), "/v1/contact-methods/"+n.makeContact(true), "/v1/notification-rules/"+n.makeRule()
	for _, bearer := range []string{n.bearers["viewer"], n.newAPIKey("responder")} {
		for _, try := range []struct {
			verb, path string
			body       object
			status     int
		}{
			{http.MethodGet, contact, nil, 404},
			{http.MethodPatch, contact, object{"name": "x"}, 404},
			{http.MethodDelete, contact, nil, 404},
			{http.MethodPost, contact + "/verification", object{}, 404},
			{http.MethodGet, rule, nil, 404},
			{http.MethodPatch, rule, object{"delay_seconds": 5}, 404},
			{http.MethodDelete, rule, nil, 404},
			{http.MethodGet, shared, nil, 200},
			{http.MethodPatch, shared, object{"name": "x"}, 403},
			{http.MethodDelete, shared, nil, 403},
			{http.MethodGet, "/v1/contact-methods?user_id=" + n.people["responder"], nil, 403},
			{http.MethodGet, "/v1/notification-rules?user_id=" + n.people["responder"], nil, 403},
			{http.MethodPost, "/v1/contact-methods", object{"kind": "email", "name": "x", "address": "a@b.example", "user_id": n.people["responder"]}, 403},
			{http.MethodPost, "/v1/notification-rules", object{"contact_method_id": contact[len("/v1/contact-methods/"):], "urgency": "low"}, 422},
		} {
			if got := n.as(bearer, try.verb, try.path, try.body); got.status != try.status {
				t.Errorf("%s %s: %s, want %d", try.verb, try.path, got.whole(), try.status)
			}
		}
	}
}

// TestAKeyKeepsCalendarsOfSchedules, and none of its own: a key has no shifts.
func TestAKeyKeepsCalendarsOfSchedules(t *testing.T) {
	t.Parallel()
	n := newTestServer(t).newTenant("acme")
	key := n.newAPIKey("responder", auth.ConfigRead, auth.ConfigWrite)
	if got := n.as(key, http.MethodPost, "/v1/calendar-feeds", object{}); got.status != http.StatusUnprocessableEntity || !strings.Contains(got.body, `"field":"schedule_id"`) {
		t.Errorf("its own: %s", got.whole())
	}
	n.call(n.bearers["responder"], http.MethodPost, "/v1/calendar-feeds", object{})
	made := n.call(key, http.MethodPost, "/v1/calendar-feeds", object{"schedule_id": n.makeScheduleID()})
	feed := at[string](t, made, "calendar_feed", "id")
	if got := n.get(strings.TrimPrefix(at[string](t, made, "url"), n.PublicURL), ""); got.status != http.StatusOK {
		t.Errorf("the calendar: %s", got.whole())
	}
	if got := n.get("/v1/calendar-feeds", key); !strings.Contains(got.body, feed) || strings.Contains(got.body, `"kind":"user"`) {
		t.Errorf("the key is shown %s", got.body)
	}
	n.call(key, http.MethodDelete, "/v1/calendar-feeds/"+feed, nil)
}
