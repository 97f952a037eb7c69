// Package integration is what an organization has connected: what is configured, and
// which of it is secret.
package integration

import (
	"regexp"
	"strings"

	"github.com/google/uuid"

	"github.com/nightbell/nightbell/api/internal/kernel/fault"
)

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

// Keeps says which secrets stay as they are when change is saved: a value that is what is shown
// of the stored one, and a token that is left out. Nothing stays when nothing is stored.
func (s Slack) Keeps(change SlackSecrets) (token, webhookURL bool) {
	token = s.TokenHint != "" && (change.BotToken == "" || change.BotToken == s.TokenHint)
	webhookURL = s.WebhookHint != "" && change.WebhookURL == s.WebhookHint
	return token, webhookURL
}

var botToken = regexp.MustCompile(`^xoxb-[0-9A-Za-z-]{8,}$`)

// CheckToken cleans a bot token, or refuses what is none.
func CheckToken(text string) (string, error) {
	token := strings.TrimSpace(text)
	if botToken.MatchString(token) {
		return token, nil
	}
	code := fault.BadFormat
	if token == "" {
		code = fault.Required
	}
	const sentence = "Enter the bot token of your Slack app; it begins with xoxb-."
	return "", fault.InvalidField("bot_token", code, sentence)
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
