package app

import (
	"fmt"
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/google/uuid"
)

// senders reads what calls about a service as "kind connected service_count, ...", after what was
// noted is written.
func (n *tenant) senders(bearer, query string) string {
	n.t.Helper()
	sure(n.server.senders.Flush(n.t.Context()))
	got := n.call(bearer, http.MethodGet, "/v1/senders"+query, nil)
	var all []string
	for _, one := range at[[]any](n.t, got, "senders") {
		row := one.(object)
		all = append(all, fmt.Sprint(row["kind"], " ", row["connected"], " ", row["service_count"]))
	}
	return strings.Join(all, ", ")
}

// TestWhatCallsIsKnown: each way of sending, by its service; a browser is nobody.
func TestWhatCallsIsKnown(t *testing.T) {
	t.Parallel()
	n := newTestServer(t).newTenant("acme")
	made := n.call(n.owner(), http.MethodPost, "/v1/services", object{"name": "Watched"})
	service, serviceKey := at[string](t, made, "service", "id"), at[string](t, made, "service_key")
	about := "?service_id=" + service
	alert := []byte(`{"version":"4","alerts":[{"labels":{"alertname":"DiskFull"},"startsAt":"2026-11-22T03:00:00Z"}]}`)
	webhook := "/v1/webhooks/prometheus/" + serviceKey

	n.sendTo(webhook, alert, "User-Agent", "Mozilla/5.0 (X11)")
	n.sendTo(webhook, []byte(`{"alerts":[]}`), "User-Agent", "Alertmanager/0.28.0")
	if got := n.senders(n.owner(), about); got != "" {
		t.Fatalf("a browser's test alert and a call that brings nothing count as %s", got)
	}
	key := []string{"Authorization", "Bearer " + serviceKey}
	with := func(headers ...string) []string { return append(append([]string{}, key...), headers...) }
	n.sendTo(webhook, alert, "User-Agent", "Alertmanager/0.28.0")
	n.sendTo(webhook, []byte(`{"orgId":1,"alerts":[{"labels":{"alertname":"Slow"}}]}`), "User-Agent", "Grafana")
	n.sendTo("/v1/events", []byte(`{"title":"x","test":true}`), with("User-Agent", "curl/8")...)
	n.sendTo("/v1/events/batch", []byte(`{"events":[{"id":"0192f0c0-0000-7000-8000-000000000001","title":"x"}]}`), with("Nightbell-Sdk", "python/1.0 (python3.13; linux)")...)
	n.sendTo("/v1/events/batch", []byte(`{"events":[{"title":"none of it is taken"}]}`), with("Nightbell-Sdk", "go/1.0")...)
	n.sendTo("/v1/heartbeats/worker/ping", []byte(`{"every_seconds":60}`), with("Nightbell-Sdk", "node/1.0 (node 20; linux)")...)
	n.sendTo("/v1/changes", []byte(`{"summary":"v2"}`), with("User-Agent", "github-actions/nightbell")...)
	n.sendTo("/v1/changes", []byte(`{"summary":"v3"}`), with("User-Agent", "curl/8")...)
	n.sendTo("/v1/samples", []byte(fmt.Sprintf(`{"name":"latency","points":[{"at":%q,"value":1}]}`, n.ago(0))), key...)
	const all = "alertmanager true 1, change true 1, github true 1, grafana true 1, heartbeat true 1, http true 1, node_sdk true 1, python_sdk true 1, sample true 1"
	if got := n.senders(n.bearers["viewer"], about); got != all {
		t.Errorf("about the service:\n%s, want\n%s", got, all)
	}
	other := n.make("/v1/services", "service", object{"name": "Quiet"})
	if got := n.senders(n.owner(), "?service_id="+other); got != "" {
		t.Errorf("about another service: %s", got)
	}
	rival := n.newTenant("rival")
	if got := rival.senders(rival.owner(), ""); strings.Contains(got, "python_sdk") {
		t.Errorf("another organization sees %s", got)
	}
	if got := n.senders(n.owner(), ""); !strings.Contains(got, "alertmanager true 3") || !strings.Contains(got, "python_sdk true 1") {
		t.Errorf("about any: %s", got)
	}
	if got := n.as(n.owner(), http.MethodGet, "/v1/senders?service_id="+uuid.NewString(), nil); got.status != http.StatusUnprocessableEntity {
		t.Errorf("a service that does not exist: %s", got.whole())
	}

	n.database.Clock.Advance(30*24*time.Hour + time.Minute)
	if got := n.senders(n.owner(), about); !strings.Contains(got, "alertmanager false 0") || !strings.Contains(got, "grafana false 0") {
		t.Errorf("30 days later: %s", got)
	}
	n.call(n.owner(), http.MethodDelete, "/v1/services/"+service, nil)
	if got := n.senders(n.owner(), ""); strings.Contains(got, "python_sdk") {
		t.Errorf("of a service that was deleted: %s", got)
	}
}
