package app

import (
	"net/http"
	"net/url"
	"strings"
	"testing"
	"time"
)

// TestAnalyticsOfAnOrganization asks through the whole program: what the dashboard says of a week, and
// what is refused in sentences.
func TestAnalyticsOfAnOrganization(t *testing.T) {
	t.Parallel()
	n := newTestServer(t).newTenant("acme")
	viewer := n.bearers["viewer"]
	week := n.call(viewer, http.MethodGet, "/v1/analytics?days=7&compare=true&timezone=Europe/Paris", nil)
	metrics := n.call(viewer, http.MethodGet, "/v1/incidents/metrics", nil)
	if got, want := at[float64](t, week, "period", "figures", "incident_count"), at[float64](t, metrics, "current", "triggered_count"); got != want || got == 0 {
		t.Errorf("%v incidents, the dashboard has %v", got, want)
	}
	if got, want := at[float64](t, week, "period", "figures", "acknowledged_count"), at[float64](t, metrics, "current", "acknowledged_count"); got != want {
		t.Errorf("%v acknowledged, the dashboard has %v", got, want)
	}
	if zone, days := at[string](t, week, "timezone"), at[[]any](t, week, "before", "days"); zone != "Europe/Paris" || len(days) != 8 {
		t.Errorf("days of %s: %d", zone, len(days))
	}
	in := func(d time.Duration) string { return url.QueryEscape(time.Now().Add(d).UTC().Format(time.RFC3339)) }
	for query, want := range map[string]string{
		"timezone=Mars/Olympus":                     "There is no time zone of this name.",
		"since=" + in(time.Hour):                    "The period ends before it begins.",
		"since=" + in(-401*24*time.Hour):            "The period is longer than 400 days.",
		"days=401":                                  "days",
		"since=2026-01-02T00:00:00Z&until=nonsense": "until",
		"team=1": "team",
	} {
		refused := n.get("/v1/analytics?"+query, viewer)
		if refused.status < 400 || refused.status >= 500 || !strings.Contains(refused.body, want) {
			t.Errorf("%s: %d %s", query, refused.status, refused.body)
		}
	}
	whole := n.call(viewer, http.MethodGet, "/v1/analytics?until="+in(24*time.Hour)+"&service_id=nobody", nil)
	if until, err := time.Parse(time.RFC3339, at[string](t, whole, "period", "until")); err != nil || until.After(time.Now().Add(time.Minute)) {
		t.Errorf("the period lasts until %s (%v)", until, err)
	}
	if got := at[float64](t, whole, "period", "figures", "incident_count"); got != 0 {
		t.Errorf("%v incidents of no service", got)
	}
}
