// Package slack pages people and channels through a Slack incoming webhook. What a
// message looks like is in blocks.go, what may be in its text in text.go.
package slack

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"regexp"

	"github.com/nightbell/nightbell/api/internal/channel/outgoing"
	"github.com/nightbell/nightbell/api/internal/notify"
)

// Channel posts messages to the contact's webhook.
type Channel struct{ client outgoing.Doer }

// New makes a channel; client must be fit for addresses that tenants gave.
func New(client outgoing.Doer) *Channel { return &Channel{client: client} }

// Send posts the message. Slack takes one by answering 200 and "ok". A webhook that
// was removed (404), a channel that was archived (410) and other refusals are
// permanent; 429 says how long to wait.
func (c *Channel) Send(ctx context.Context, message notify.Message) (notify.Receipt, error) {
	body, err := json.Marshal(render(message))
	if err != nil {
		return notify.Receipt{}, fmt.Errorf("encode the blocks: %w", err)
	}
	answer, err := outgoing.Post(ctx, c.client, message.To.Address, nil, body, message.SentAt)
	if err != nil {
		return notify.Receipt{}, explain(answer, err)
	}
	return notify.Receipt{Detail: "ok"}, accepted(answer)
}

// accepted fails for good when the answer is not Slack's. One that breaks off may have been.
func accepted(answer outgoing.Answer) error {
	switch {
	case bytes.Equal(bytes.TrimSpace(answer.Body), []byte("ok")):
		return nil
	case answer.BrokeOff:
		return notify.UnknownOutcome(errors.New("the answer of Slack broke off"))
	}
	return notify.Permanent(fmt.Errorf(
		"HTTP %d without Slack's \"ok\"; the address is not that of a Slack incoming webhook", answer.Status))
}

// reasonWord is what Slack says, such as "channel_is_archived"; nothing else of an
// answer is repeated.
var reasonWord = regexp.MustCompile(`^[a-z_]{2,40}$`)

// sentences are for the reasons that people can do something about.
var sentences = map[string]string{ //nolint:gosec // Slack's words for refusals, no credentials
	"no_service":          "the Slack webhook was removed; add it again in Slack and enter the new address",
	"no_team":             "the Slack workspace of this webhook is gone",
	"channel_not_found":   "the Slack channel of this webhook is gone",
	"channel_is_archived": "the Slack channel is archived",
	"action_prohibited":   "an administrator of the Slack workspace forbids this webhook",
	"invalid_token":       "the Slack webhook's address is not valid any more",
}

// explain adds Slack's own reason and keeps the kind of failure.
func explain(answer outgoing.Answer, failure error) error {
	word := bytes.TrimSpace(answer.Body)
	if !reasonWord.Match(word) {
		return failure
	}
	said := sentences[string(word)]
	if said == "" {
		said = string(word)
	}
	told := fmt.Errorf("%w: %s", failure, said)
	if errors.Is(failure, notify.ErrPermanent) {
		return notify.Permanent(told)
	}
	return told
}
