package app

import (
	"net/http"
	"strings"
	"testing"

	"github.com/nightbell/nightbell/api/internal/auth"
	"github.com/nightbell/nightbell/api/internal/kernel/id"
)

// A key that may not read incidents is not told of them at an address of its choice, and one that may not
// answer them gets no link that answers as a person.
func TestAKeyIsToldOfNoMoreThanItMayReadAndAnswer(t *testing.T) {
	t.Parallel()
	n := newTestServer(t).newTenant("acme")
	config := n.newAPIKey("admin", auth.ConfigRead, auth.ConfigWrite)
	reads := n.newAPIKey("admin", auth.ConfigWrite, auth.IncidentsRead)
	answers := n.newAPIKey("admin", auth.ConfigWrite, auth.IncidentsRead, auth.IncidentsWrite)
	contact := func(whose string, value any) object {
		return object{"kind": "webhook", "name": "Bot", "address": "https://bot.example.com/in", whose: value}
	}
	owners, shared := contact("user_id", n.people["owner"]), contact("shared", true)
	events := func(types ...string) object {
		return object{"name": "Bot", "url": "https://bot.example.com/in", "event_types": types}
	}
	incidents, others := events("incident.triggered", "oncall.changed"), events("oncall.changed", "heartbeat.missed")
	subscription := "/v1/webhook-subscriptions/" + at[string](t, n.call(n.owner(), http.MethodPost, "/v1/webhook-subscriptions", incidents), "webhook_subscription", "id")
	harmless := "/v1/webhook-subscriptions/" + at[string](t, n.call(config, http.MethodPost, "/v1/webhook-subscriptions", others), "webhook_subscription", "id")
	for name, c := range map[string]struct {
		bearer, verb, path string
		body               object
		lacks              string
	}{
		"a contact of the owner":                {config, http.MethodPost, "/v1/contact-methods", owners, "lacks incidents:read and incidents:write for"},
		"a contact of the owner, reading":       {reads, http.MethodPost, "/v1/contact-methods", owners, "lacks incidents:write for"},
		"a shared contact":                      {config, http.MethodPost, "/v1/contact-methods", shared, "lacks incidents:read for"},
		"a subscription":                        {config, http.MethodPost, "/v1/webhook-subscriptions", incidents, "lacks incidents:read for"},
		"a subscription to pages":               {config, http.MethodPost, "/v1/webhook-subscriptions", events("page.sent"), "lacks incidents:read for"},
		"a subscription to changes":             {config, http.MethodPost, "/v1/webhook-subscriptions", events("change.created"), "lacks incidents:read for"},
		"another address, and other types":      {config, http.MethodPatch, subscription, object{"url": "https://mine.example.com/in", "event_types": []string{"oncall.changed"}}, "lacks incidents:read for"},
		"the integration with Slack":            {config, http.MethodPost, "/v1/integrations/slack/configure", object{"bot_token": "xoxb-1111-2222-abcdefghijkl", "channel": "#alerts", "webhook_url": "https://hooks.slack.com/services/T000/B000/xxxx"}, "lacks incidents:read for"},
		"another address of a subscription":     {config, http.MethodPatch, subscription, object{"url": "https://mine.example.com/in"}, "lacks incidents:read for"},
		"another type of event":                 {config, http.MethodPatch, harmless, object{"event_types": []string{"incident.resolved"}}, "lacks incidents:read for"},
		"the address of a harmless one":         {config, http.MethodPatch, harmless, object{"url": "https://mine.example.com/in"}, ""},
		"a contact of the owner, answering":     {answers, http.MethodPost, "/v1/contact-methods", owners, ""},
		"a shared contact, reading":             {reads, http.MethodPost, "/v1/contact-methods", shared, ""},
		"a subscription, reading":               {reads, http.MethodPost, "/v1/webhook-subscriptions", incidents, ""},
		"another address of it, reading":        {reads, http.MethodPatch, subscription, object{"name": "Tickets"}, ""},
		"a contact of the owner, by an admin":   {n.bearers["admin"], http.MethodPost, "/v1/contact-methods", owners, ""},
		"a subscription to pages, by an admin":  {n.bearers["admin"], http.MethodPost, "/v1/webhook-subscriptions", events("page.sent"), ""},
		"a shared contact, by an admin":         {n.bearers["admin"], http.MethodPost, "/v1/contact-methods", shared, ""},
		"a contact of their own, by a viewer":   {n.bearers["viewer"], http.MethodPost, "/v1/contact-methods", contact("user_id", n.people["viewer"]), ""},
		"no contact of others, by a viewer key": {n.newAPIKey("viewer"), http.MethodPost, "/v1/contact-methods", owners, "Only admins and owners deal with"},
	} {
		got := n.as(c.bearer, c.verb, c.path, c.body)
		if allowed := c.lacks == ""; allowed != (got.status < http.StatusMultipleChoices) || !allowed && (got.status != http.StatusForbidden || !strings.Contains(got.body, c.lacks)) {
			t.Errorf("%s: %s", name, got.whole())
		}
	}
}

// What was queued for an address goes to no other one by a key that may not read it, nor once more.
func TestAKeyMovesNoIncidentThatWaitsToAnotherAddress(t *testing.T) {
	t.Parallel()
	n := newTestServer(t).newTenant("acme")
	config, reads := n.newAPIKey("admin", auth.ConfigRead, auth.ConfigWrite), n.newAPIKey("admin", auth.ConfigRead, auth.ConfigWrite, auth.IncidentsRead)
	harmless := object{"name": "Bot", "url": "https://bot.example.com/in", "event_types": []string{"oncall.changed"}}
	subscription := at[string](t, n.call(n.owner(), http.MethodPost, "/v1/webhook-subscriptions", harmless), "webhook_subscription", "id")
	delivery := id.New().String()
	n.database.Exec(t, `INSERT INTO webhook_delivery (org_id, id, subscription_id, event_id, event_type, payload, next_try_at, retry_since, created_at)
		SELECT org_id, $2, id, gen_random_uuid(), 'incident.triggered', '{}', nightbell_now() + interval '1 hour', nightbell_now(), nightbell_now() FROM webhook_subscription WHERE id = $1`, subscription, delivery)
	path := "/v1/webhook-subscriptions/" + subscription
	for _, c := range []struct {
		what, bearer, verb, path string
		body                     object
		status                   int
	}{
		{"its name", config, http.MethodPatch, path, object{"name": "Robot"}, http.StatusOK},
		{"its address", config, http.MethodPatch, path, object{"url": "https://mine.example.com/in"}, http.StatusForbidden},
		{"once more", config, http.MethodPost, path + "/deliveries/" + delivery + "/redeliver", object{}, http.StatusForbidden},
		{"its address, reading", reads, http.MethodPatch, path, object{"url": "https://mine.example.com/in"}, http.StatusOK},
		{"once more, reading", reads, http.MethodPost, path + "/deliveries/" + delivery + "/redeliver", object{}, http.StatusOK},
	} {
		if got := n.as(c.bearer, c.verb, c.path, c.body); got.status != c.status {
			t.Errorf("%s: %s", c.what, got.whole())
		}
	}
}

// The audit log and a person's duties say of incidents what a key may read elsewhere, and no more.
func TestAKeyReadsNoIncidentByWhatIsWrittenOfIt(t *testing.T) {
	t.Parallel()
	n := newTestServer(t).newTenant("acme")
	incident := at[string](t, n.call(n.owner(), http.MethodPost, "/v1/incidents", object{"title": "Vault is open", "service_id": n.objects["service"]}), "incident", "id")
	n.call(n.owner(), http.MethodPost, "/v1/incidents/"+incident+"/acknowledge", object{})
	for bearer, told := range map[string]bool{n.newAPIKey("admin", auth.ConfigRead): false, n.newAPIKey("admin", auth.ConfigRead, auth.IncidentsRead): true, n.owner(): true} {
		for path, kept := range map[string]string{"/v1/audit-events?limit=50": "IncidentService/CreateIncident", "/v1/users/" + n.people["owner"] + "/duties": incident} {
			got := n.as(bearer, http.MethodGet, path, nil)
			if got.status != http.StatusOK || strings.Contains(got.body, "Vault is open") != told || !strings.Contains(got.body, kept) {
				t.Errorf("%s, which may be told %v: %s", path, told, got.whole())
			}
		}
	}
}
