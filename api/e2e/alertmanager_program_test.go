//go:build e2e

package e2e

import (
	"fmt"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"testing"
	"time"
)

// alertmanager is a stock Alertmanager that posts everything to one webhook.
type alertmanager struct {
	*process

	api caller
}

// group_wait and group_interval are as short as they can be: what is measured is
// Nightbell, not Alertmanager's patience.
const alertmanagerConfig = `route:
  receiver: nightbell
%s  group_wait: 0s
  group_interval: 1s
  repeat_interval: 4h
receivers:
  - name: nightbell
    webhook_configs:
      - url: %q
        send_resolved: true
`

func alertmanagerBinary(t *testing.T) string {
	t.Helper()
	return program(t, "Prometheus Alertmanager", "prometheus-alertmanager", "alertmanager")
}

func startAlertmanager(t *testing.T, webhookURL, groupBy string) *alertmanager {
	t.Helper()
	dir := t.TempDir()
	config := filepath.Join(dir, "alertmanager.yml")
	if err := os.WriteFile(config, fmt.Appendf(nil, alertmanagerConfig, groupBy, webhookURL), 0o600); err != nil {
		t.Fatal(err)
	}
	address := freeAddress(t)
	am := &alertmanager{api: caller{url: "http://" + address}}
	am.process = start(t, "alertmanager", exec.Command(alertmanagerBinary(t),
		"--config.file="+config, "--storage.path="+filepath.Join(dir, "data"),
		"--web.listen-address="+address, "--cluster.listen-address="))
	am.awaitReady(t, 30*time.Second, func() bool { return answers(am.api.url + "/-/ready") })
	return am
}

// problem is an alert as Prometheus would send it.
type problem struct {
	name, severity, summary string
	startedAt               time.Time
}

func (am *alertmanager) fire(t *testing.T, p problem) {
	t.Helper()
	am.send(t, p, p.startedAt.Add(time.Hour))
}

func (am *alertmanager) resolve(t *testing.T, p problem) {
	t.Helper()
	am.send(t, p, time.Now())
}

func (am *alertmanager) send(t *testing.T, p problem, endsAt time.Time) {
	t.Helper()
	am.api.do(t, http.MethodPost, "/api/v2/alerts", []map[string]any{{
		"labels":      map[string]string{"alertname": p.name, "severity": p.severity, "job": "checkout"},
		"annotations": map[string]string{"summary": p.summary, "description": "Gateway answers 503."},
		"startsAt":    p.startedAt, "endsAt": endsAt,
	}}, nil)
}
