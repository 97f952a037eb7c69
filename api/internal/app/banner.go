package app

import (
	"context"
	"fmt"
	"strings"

	"github.com/nightbell/nightbell/api/internal/demo"
)

// printBanner tells a newcomer where to go and what to try.
func (s *server) printBanner(ctx context.Context) error {
	var text strings.Builder
	fmt.Fprintf(&text, "\n  Nightbell %s is ready\n\n  Open       %s\n", s.options.Version, s.PublicURL)
	if s.options.Demo {
		workspace, err := s.demoWorkspace()
		if err != nil {
			return err
		}
		account, found, err := workspace.Account(ctx)
		if err != nil {
			return err
		}
		if found {
			if err := s.describeDemo(&text, account); err != nil {
				return err
			}
		}
	}
	text.WriteString("\n  Stop with Ctrl+C.\n\n")
	_, err := fmt.Fprint(s.options.Out, text.String())
	return err
}

func (s *server) describeDemo(text *strings.Builder, account demo.Account) error {
	password, err := demoPassword(s.DataDir)
	if err != nil {
		return err
	}
	webhook := s.PublicURL + "/v1/webhooks/prometheus/" + account.ServiceKey
	fmt.Fprintf(text, "  Sign in    %s\n  Password   %s\n", account.Email, password)
	if !s.hasMailServer() {
		fmt.Fprintf(text, "  Inbox      %s/inbox   (mail lands here: no mail server is set)\n", s.PublicURL)
	}
	fmt.Fprintf(text, "  Webhook    %s\n\n", webhook)
	fmt.Fprintf(text, "  Page somebody now (alert for %s):\n\n    %s\n", account.ServiceName, tryItCommand(webhook))
	return nil
}

// tryItCommand is a line to paste: it fires one alert, again each time it is run.
func tryItCommand(webhook string) string {
	return fmt.Sprintf(`curl -X POST '%s' -H 'Content-Type: application/json' -d '{"version":"4","status":"firing","alerts":[{"status":"firing","labels":{"alertname":"HighLatency","severity":"critical"},"annotations":{"summary":"Checkout is slow: p99 4.1 s"}}]}'`, webhook)
}
