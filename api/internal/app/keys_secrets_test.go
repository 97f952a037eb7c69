package app

import (
	"net/http"
	"strings"
	"testing"

	"github.com/nightbell/nightbell/api/internal/auth"
	"github.com/nightbell/nightbell/api/internal/platform/postgres/pgtest"
)

// TestStoredSecretsAreShownOnlyWhenAskedFor: on create, on rotate, and by GET .../key, which takes a
// scope of its own and leaves a row in the audit log. No other read has them.
func TestStoredSecretsAreShownOnlyWhenAskedFor(t *testing.T) {
	t.Parallel()
	n := newTestServer(t).newTenant("acme")
	service := n.call(n.owner(), http.MethodPost, "/v1/services", object{"name": "Orders"})
	feed := n.call(n.owner(), http.MethodPost, "/v1/calendar-feeds", object{"schedule_id": n.makeScheduleID()})
	serviceKey := at[string](t, service, "service_key")
	servicePath := "/v1/services/" + at[string](t, service, "service", "id")
	feedPath := "/v1/calendar-feeds/" + at[string](t, feed, "calendar_feed", "id")
	token := feedToken(at[string](t, feed, "url"))
	const hook = "https://hooks.example.com/T0001/very-secret?token=quiet"
	subscription := n.call(n.owner(), http.MethodPost, "/v1/webhook-subscriptions", object{"name": "Tickets", "url": hook, "event_types": []string{"incident.triggered"}})
	subscriptionPath := "/v1/webhook-subscriptions/" + at[string](t, subscription, "webhook_subscription", "id")
	if url := at[string](t, subscription, "webhook_subscription", "url"); url != hook {
		t.Errorf("made with the address %s", url)
	}
	for path, body := range map[string]object{subscriptionPath: {"name": "Status page"}, subscriptionPath + "/rotate-secret": {}} {
		verb := map[bool]string{true: http.MethodPatch, false: http.MethodPost}[path == subscriptionPath]
		if url := at[string](t, n.call(n.owner(), verb, path, body), "webhook_subscription", "url"); url != "https://hooks.example.com/…" {
			t.Errorf("%s answers with the address %s", path, url)
		}
	}
	if url := at[string](t, service, "webhook_url"); !strings.HasSuffix(url, "/"+serviceKey) {
		t.Errorf("the webhook's address is %s", url)
	}

	everything := n.newAPIKey("admin")
	for _, bearer := range []string{n.owner(), everything} {
		for _, path := range []string{"/v1/services", servicePath, "/v1/calendar-feeds", "/v1/contact-methods", "/v1/integrations/slack/config", feedPath, "/v1/webhook-subscriptions", subscriptionPath} {
			got := n.get(path, bearer)
			if strings.Contains(got.body, "very-secret") || strings.Contains(got.body, "quiet") {
				t.Errorf("%s shows the address: %s", path, got.body)
			}
			if got.status != http.StatusOK || strings.Contains(got.body, serviceKey) || strings.Contains(got.body, token) || strings.Contains(got.body, n.slack.webhook()) {
				t.Errorf("%s: %s", path, got.whole())
			}
		}
	}
	if got := n.get(servicePath, everything); !strings.Contains(got.body, `"service_key_hint":"`+serviceKey[:8]+`…"`) {
		t.Errorf("the key is not to be recognised: %s", got.body)
	}

	for _, c := range []struct{ path, secret, method string }{
		{servicePath + "/key", serviceKey, "nightbell.v1.CatalogService/GetServiceKey"},
		{feedPath + "/key", token, "nightbell.v1.OnCallService/GetCalendarFeedKey"},
		{subscriptionPath + "/key", hook, "nightbell.v1.WebhookSubscriptionService/GetWebhookSubscriptionKey"},
	} {
		if got := n.get(c.path, n.newAPIKey("admin", auth.SecretsRead)); !strings.Contains(got.body, c.secret) {
			t.Errorf("%s: %s", c.path, got.whole())
		}
		if got := n.get(c.path, n.bearers["viewer"]); got.status != http.StatusForbidden {
			t.Errorf("%s to a viewer: %s", c.path, got.whole())
		}
		if got := n.get(c.path, n.newAPIKey("admin", auth.ConfigRead, auth.ConfigWrite)); got.status != http.StatusForbidden || !strings.Contains(got.body, "secrets:read") {
			t.Errorf("%s without the scope: %s", c.path, got.whole())
		}
		outcomes := pgtest.One[[]string](t, n.database, `SELECT array_agg(outcome ORDER BY at, id) FROM audit_event WHERE org_id = $1 AND method = $2`, n.orgID, c.method)
		if strings.Join(outcomes, " ") != "ok role_too_low scope_missing" {
			t.Errorf("%s: the audit log has %q", c.path, outcomes)
		}
	}
	rotated := n.call(everything, http.MethodPost, servicePath+"/rotate-key", object{})
	if got := n.get(servicePath+"/key", everything); !strings.Contains(got.body, at[string](t, rotated, "service_key")) {
		t.Errorf("after the key was rotated: %s", got.whole())
	}
}

// feedToken is the secret in the address of a calendar.
func feedToken(url string) string {
	return strings.TrimSuffix(url[strings.LastIndexByte(url, '/')+1:], ".ics")
}

// TestTheAddressOfASubscriptionIsEditedWithoutBeingSeen: what reads show may be sent back, and any
// other address that is shortened is a mistake.
func TestTheAddressOfASubscriptionIsEditedWithoutBeingSeen(t *testing.T) {
	t.Parallel()
	n := newRota(t)
	const hook = "https://hooks.example.com/T0001/very-secret"
	path := n.subscribe(hook, nil)
	whole := func() string { return at[string](t, n.call(n.owner(), http.MethodGet, path+"/key", nil), "url") }
	read := func() object {
		return at[object](t, n.call(n.owner(), http.MethodGet, path, nil), "webhook_subscription")
	}
	sent := read()
	sent["name"] = "Renamed"
	n.call(n.owner(), http.MethodPatch, path, sent)
	if now := read(); now["name"] != "Renamed" || whole() != hook {
		t.Errorf("after sending back what was read: %v, %s", now, whole())
	}
	// Only what is hidden differs: it is another version all the same.
	before := read()
	n.call(n.owner(), http.MethodPatch, path, object{"url": hook + "-2"})
	if after := read(); after["etag"] == before["etag"] || after["url"] != before["url"] || whole() != hook+"-2" {
		t.Errorf("after another address: %v, %s", after, whole())
	}
	for _, address := range []string{"https://other.example.com/…", "/…"} {
		if status, message, _ := n.refused(n.owner(), http.MethodPatch, path, object{"url": address}); status != http.StatusUnprocessableEntity {
			t.Errorf("%s: %d %s", address, status, message)
		}
	}
	if whole() != hook+"-2" {
		t.Errorf("a refused address was stored: %s", whole())
	}
}
