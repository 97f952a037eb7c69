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
	if url := at[string](t, service, "webhook_url"); !strings.HasSuffix(url, "/"+serviceKey) {
		t.Errorf("the webhook's address is %s", url)
	}

	everything := n.newAPIKey("admin")
	for _, bearer := range []string{n.owner(), everything} {
		for _, path := range []string{"/v1/services", servicePath, "/v1/calendar-feeds", "/v1/contact-methods", "/v1/integrations/slack/config"} {
			got := n.get(path, bearer)
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
	} {
		if got := n.get(c.path, n.newAPIKey("responder", auth.SecretsRead)); !strings.Contains(got.body, c.secret) {
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
