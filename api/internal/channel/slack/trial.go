package slack

import (
	"context"
	"encoding/json"
	"fmt"
	"time"

	"github.com/nightbell/nightbell/api/internal/channel/outgoing"
)

// Post sends a plain text, for the test button of the settings. channel is a wish:
// Slack's incoming webhooks post where they were made for. The text is shown as it is
// written, without mentions or links of its own.
func (c *Channel) Post(ctx context.Context, address, channel, text string) error {
	body, err := json.Marshal(map[string]any{"channel": channel, "text": plain(text, maxSection),
		"blocks": []block{{Type: "section", Text: words(text, maxSection)}}})
	if err != nil {
		return fmt.Errorf("encode the text: %w", err)
	}
	answer, err := outgoing.Post(ctx, c.client, address, nil, body, time.Time{})
	if err != nil {
		return explain(answer, err)
	}
	return nil
}
