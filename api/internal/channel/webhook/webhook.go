// Package webhook pages people by a signed POST in the manner of Standard Webhooks
// (https://www.standardwebhooks.com). Payload in payload.go, signature in sign.go.
package webhook

import (
	"context"
	"fmt"

	"github.com/nightbell/nightbell/api/internal/channel/outgoing"
	"github.com/nightbell/nightbell/api/internal/notify"
)

// Channel posts messages to the contact's address.
type Channel struct{ client outgoing.Doer }

// New makes a channel; client must be fit for addresses that tenants gave.
func New(client outgoing.Doer) *Channel { return &Channel{client: client} }

// Send posts the message. Any 2xx means that it was taken; what other answers mean is
// outgoing.Post's rule. 410 is permanent, as Standard Webhooks has it.
func (c *Channel) Send(ctx context.Context, message notify.Message) (notify.Receipt, error) {
	body, err := encode(message)
	if err != nil {
		return notify.Receipt{}, fmt.Errorf("encode the payload: %w", err)
	}
	headers := map[string]string{
		headerID:        message.ID.String(),
		headerTimestamp: timestamp(message.SentAt),
	}
	if len(message.To.Secret) > 0 {
		headers[headerSignature] = Sign(message.To.Secret, message.ID.String(), message.SentAt, body)
	}
	answer, err := outgoing.Post(ctx, c.client, message.To.Address, headers, body, message.SentAt)
	if err != nil {
		return notify.Receipt{}, err
	}
	return notify.Receipt{ProviderID: message.ID.String(), Detail: fmt.Sprintf("HTTP %d", answer.Status)}, nil
}
