// Package integration is what an organization has connected: what is configured, and
// which of it is secret.
package integration

import "github.com/google/uuid"

// SlackKind is the kind of the Slack integration.
const SlackKind = "slack"

// Slack is what is stored openly of a Slack integration.
type Slack struct {
	Channel string `json:"channel"`
	// WebhookHint shows whose webhook it is and nothing that calls it.
	WebhookHint string `json:"webhook_hint"`
	// TokenHint is the end of the bot token; empty when none is stored.
	TokenHint    string            `json:"token_hint"`
	UserMappings map[string]string `json:"user_mappings"`
}

// SlackSecrets is what is stored sealed.
type SlackSecrets struct {
	BotToken   string `json:"bot_token"`
	WebhookURL string `json:"webhook_url"`
}

// SealedPlace is what the sealed part of an integration is bound to.
func SealedPlace(orgID uuid.UUID, kind string) string {
	return "integration/" + orgID.String() + "/" + kind
}

// hintLength is how much of a token's end is shown.
const hintLength = 4

// TokenHint shows only the end of a token.
func TokenHint(token string) string {
	if len(token) < 3*hintLength {
		return ""
	}
	return "…" + token[len(token)-hintLength:]
}
