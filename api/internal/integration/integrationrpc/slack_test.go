package integrationrpc

import (
	"context"
	"strings"
	"testing"

	nightbellv1 "github.com/nightbell/nightbell/api/gen/nightbell/v1"
	"github.com/nightbell/nightbell/api/internal/auth"
	"github.com/nightbell/nightbell/api/internal/kernel/id"
	"github.com/nightbell/nightbell/api/internal/platform/postgres/pgtest"
	"github.com/nightbell/nightbell/api/internal/platform/secret"
)

// TestSlackConfigCanBeSentBackAsItWasRead: what GET masks must not be stored as the address and
// the token, or pages are lost from then on.
func TestSlackConfigCanBeSentBackAsItWasRead(t *testing.T) {
	db := pgtest.New(t)
	box, err := secret.NewBox([]byte(strings.Repeat("k", 32)))
	if err != nil {
		t.Fatal(err)
	}
	var posted []string
	s := NewSlack(db.DB, box, func(string) error { return nil }, func(_ context.Context, url, _, _ string) error {
		posted = append(posted, url)
		return nil
	})
	orgID := id.New()
	db.Exec(t, `INSERT INTO org (id, kind, name, created_at) VALUES ($1, 'organization', 'Acme', nightbell_now())`, orgID)
	ctx := auth.WithActor(t.Context(), auth.Actor{Kind: auth.User, UserID: id.New(), OrgID: orgID, Role: auth.Owner})
	configure := func(token, url string) (*nightbellv1.SlackIntegration, error) {
		answer, err := s.ConfigureSlack(ctx, &nightbellv1.ConfigureSlackRequest{BotToken: token, Channel: "#incidents", WebhookUrl: url})
		return answer.GetIntegration(), err
	}
	const token, url = "xoxb-111122223333-abcdefABCDEF", "https://hooks.slack.example/services/T0/B0/secret"
	for what, refused := range map[string][2]string{
		"a masked token, with nothing stored": {"…CDEF", url}, "no token": {"", url}, "another token": {"xoxp-1234567890", url},
		"a sentence": {"xoxb-see the wiki", url}, "a masked address, with nothing stored": {token, "https://hooks.slack.example/…"},
	} {
		if _, err := configure(refused[0], refused[1]); err == nil {
			t.Errorf("%s was stored", what)
		}
	}
	if _, err := configure(token, url); err != nil {
		t.Fatal(err)
	}
	read, err := s.GetSlackConfig(ctx, &nightbellv1.GetSlackConfigRequest{})
	if err != nil || read.GetIntegration().GetBotToken() == token || read.GetIntegration().GetWebhookUrl() == url {
		t.Fatalf("read %v, %v", read, err)
	}
	again, err := configure(read.GetIntegration().GetBotToken(), read.GetIntegration().GetWebhookUrl())
	if err != nil || again.GetBotToken() != read.GetIntegration().GetBotToken() || again.GetWebhookUrl() != read.GetIntegration().GetWebhookUrl() {
		t.Fatalf("sent back: %v, %v", again, err)
	}
	if _, err := s.TestSlack(ctx, &nightbellv1.TestSlackRequest{Message: "x"}); err != nil || len(posted) != 1 || posted[0] != url {
		t.Errorf("posted to %q, %v; want the address that was entered", posted, err)
	}
	if _, err := configure("…9999", url); err == nil {
		t.Error("another token's mask was stored")
	}
	if _, err := configure("", "https://hooks.slack.example/services/T0/B0/other"); err != nil {
		t.Errorf("a new address, the token kept: %v", err)
	}
}
