package app

import (
	"cmp"
	"context"
	"fmt"
	"io"
	"net/http"
	"net/netip"
	"net/url"
	"os"
	"strings"
	"time"

	"github.com/nightbell/nightbell/api/internal/org"
)

// finding is one line of the doctor: what is set, and what it costs when it is not.
type finding struct {
	name, state, advice string
}

// Doctor says what is configured, what is missing, and what that costs, and looks into the
// database. It changes nothing and never prints a secret. The error names what would keep
// Nightbell from starting.
func Doctor(ctx context.Context, config Config, out io.Writer) error {
	checked, err := config.check()
	findings := checked.findings()
	for _, unknown := range unknownVariables(os.Environ()) {
		findings = append(findings, finding{"unknown", unknown.name, unknown.advice})
	}
	if err == nil {
		var stored []finding
		stored, err = checked.examine(ctx)
		findings = append(findings, stored...)
	}
	for _, f := range findings {
		if _, err := fmt.Fprintf(out, "%-12s %-28s %s\n", f.name, f.state, f.advice); err != nil {
			return err
		}
	}
	if err != nil {
		return fmt.Errorf("these would keep Nightbell from starting:\n%w", err)
	}
	if _, err := os.Stat(checked.DataDir); checked.embedded() && err != nil {
		return fmt.Errorf("no database of Nightbell is in %s. Name the server's folder with --data-dir, or its database with DATABASE_URL; serve makes a new one: %w", checked.DataDir, err)
	}
	return nil
}

func (s settings) findings() []finding {
	list := []finding{{"address", s.PublicURL, "listening on " + s.Listen}}
	if at, err := url.Parse(s.PublicURL); err == nil && isLoopback(at.Hostname()) {
		list = append(list, finding{"links", s.PublicURL, "only this machine opens them; set NIGHTBELL_PUBLIC_URL to where people reach Nightbell"})
	}
	list = append(list,
		s.folder(),
		either(!s.embedded(), "database", "DATABASE_URL", "yours to back up and replicate",
			"private PostgreSQL", "one machine; set DATABASE_URL when you outgrow it"))
	list = append(list, either(s.hasMailServer(), "mail", s.SMTPHost, "pages by e-mail go there; nothing is sent to try it",
		"no mail server", "mail lands only on /inbox; set NIGHTBELL_SMTP_HOST to wake anybody"))
	if s.hasMailServer() && strings.HasSuffix(s.SMTPFrom, "@localhost>") {
		list = append(list, finding{"sender", s.SMTPFrom, "most mail servers refuse it; set NIGHTBELL_SMTP_FROM"})
	}
	list = append(list, s.registration())
	list = append(list, either(s.JWTSecret != "", "sign-in", "NIGHTBELL_JWT_SECRET", "the same on every replica",
		"generated secret", "replicas need NIGHTBELL_JWT_SECRET to accept each other's sign-ins"))
	list = append(list, either(s.DataKey != "", "secrets", "NIGHTBELL_DATA_KEY", "the same on every replica",
		"generated data key", "replicas need NIGHTBELL_DATA_KEY to open each other's secrets"))
	list = append(list, either(s.DeadmanURL != "", "dead man", "NIGHTBELL_DEADMAN_URL", "something outside notices when pages stop; the log of serve says when it answers anything but 2xx",
		"not set", "nobody outside notices when Nightbell itself is down"))
	list = append(list, either(s.OpsListen != "", "metrics", s.OpsListen, "/metrics and /readyz are here and nowhere else",
		"beside the site", "whoever reaches the site reads /metrics; NIGHTBELL_OPS_LISTEN moves them"))
	list = append(list, either(len(s.trustedProxies) > 0, "proxies", "NIGHTBELL_TRUSTED_PROXIES", "X-Forwarded-For is believed from "+joined(s.trustedProxies),
		"none trusted", "behind a proxy everybody shares one limit of sign-ins; set NIGHTBELL_TRUSTED_PROXIES to its network"))
	list = append(list, either(len(s.egressAllow) > 0, "egress", "NIGHTBELL_EGRESS_ALLOW", "webhooks reach the public internet and "+joined(s.egressAllow),
		"public internet", "webhooks reach no private address; NIGHTBELL_EGRESS_ALLOW adds networks"))
	list = append(list,
		finding{"quota", fmt.Sprintf("%d contacts", s.quotas.Contacts), "of one organization; set by NIGHTBELL_QUOTA_CONTACTS"},
		finding{"quota", fmt.Sprintf("%d incidents a minute", s.quotas.IncidentsPerMinute), "above which pages are bundled; set by NIGHTBELL_QUOTA_INCIDENTS"},
		finding{"quota", fmt.Sprintf("%d MiB of alerts a day", s.quotas.StoredMiBPerDay), "above which alerts are stored in short; set by NIGHTBELL_QUOTA_STORED_MIB"},
		finding{"quota", fmt.Sprintf("%d live screens", s.quotas.Streams), "of one organization in each process; set by NIGHTBELL_QUOTA_STREAMS"},
		finding{"quota", fmt.Sprintf("%d calls a minute", s.quotas.RequestsPerMinute), "of one account or API key in each process; set by NIGHTBELL_QUOTA_REQUESTS"},
		finding{"quota", fmt.Sprintf("%d events a minute", s.quotas.SentPerMinute), "about one service in each process, and as many changes, samples and pings; set by NIGHTBELL_QUOTA_SENT"})
	list = append(list, finding{"kept", fmt.Sprintf("%d days", s.RetentionDays), "of pages and received alerts; set by NIGHTBELL_RETENTION_DAYS"})
	return append(list, finding{"time zones", "IANA " + org.ZoneData, "from the binary, so that replicas agree; the host's are not asked"})
}

// folder is the data directory, which a start makes where it is missing.
func (s settings) folder() finding {
	_, err := os.Stat(s.DataDir)
	return either(err == nil, "data", s.DataDir, "back this folder up; it holds the generated secrets",
		s.DataDir, "not there; serve makes it, and the generated secrets in it")
}

func (s settings) registration() finding {
	advice := map[string]string{
		"invite": "only who was invited may make an account",
		"closed": "nobody else may make an account",
	}[s.Registration]
	if advice == "" {
		return finding{"registration", "open", "whoever reaches it may make an account; NIGHTBELL_REGISTRATION=closed ends that"}
	}
	return finding{"registration", s.Registration, advice}
}

func joined(networks []netip.Prefix) string {
	texts := make([]string, len(networks))
	for i, network := range networks {
		texts[i] = network.String()
	}
	return strings.Join(texts, ", ")
}

func either(set bool, name, state, advice, otherState, otherAdvice string) finding {
	if set {
		return finding{name, state, advice}
	}
	return finding{name, otherState, otherAdvice}
}

// Healthcheck asks a running Nightbell whether it is ready; for containers.
func Healthcheck(ctx context.Context, config Config) error {
	checked, err := config.check()
	if err != nil {
		return err
	}
	address := cmp.Or(checked.OpsListen, checked.Listen)
	url, err := publicURL("", address)
	if err != nil {
		return err
	}
	ctx, cancel := context.WithTimeout(ctx, 5*time.Second)
	defer cancel()
	request, err := http.NewRequestWithContext(ctx, http.MethodGet, url+"/readyz", http.NoBody)
	if err != nil {
		return err
	}
	response, err := http.DefaultClient.Do(request)
	if err != nil {
		return fmt.Errorf("nightbell does not answer on %s: %w", address, err)
	}
	defer func() { _ = response.Body.Close() }()
	if response.StatusCode == http.StatusNotFound {
		return fmt.Errorf("something answers on %s, but says nothing of readiness. When the server has NIGHTBELL_OPS_LISTEN, give the health check the same, or --ops-listen", address)
	}
	if response.StatusCode != http.StatusOK {
		return fmt.Errorf("nightbell is not ready: HTTP %d. See GET /readyz for the reasons", response.StatusCode)
	}
	return nil
}
