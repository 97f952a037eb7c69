package slack

import (
	"context"
	"encoding/json"
	"fmt"
	"time"

	"github.com/nightbell/nightbell/api/internal/channel/outgoing"
)

// Post posts one plain text through an incoming webhook: the test message of the
// settings. channel is what older webhooks may be told to post to; newer ones ignore
// it. The error is a sentence for people.
func (c *Channel) Post(ctx context.Context, webhookURL, channel, message string) error {
	body, err := json.Marshal(struct {
		payload
		Channel string `json:"channel,omitempty"`
	}{payload{Text: plain(message, maxText), Blocks: []block{{Type: "section", Text: words(message, maxSection)}}}, channel})
	if err != nil {
		return fmt.Errorf("encode the message: %w", err)
	}
	answer, err := outgoing.Post(ctx, c.client, webhookURL, nil, body, time.Now())
	if err != nil {
		return explain(answer, err)
	}
	return accepted(answer)
}
