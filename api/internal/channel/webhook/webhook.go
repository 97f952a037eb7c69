// Package webhook pages people, and tells webhook subscriptions what happens, by a signed POST in
// the manner of Standard Webhooks (https://www.standardwebhooks.com). Payload in payload.go, signature in sign.go.
package webhook

import (
	"context"
	"fmt"
	"strings"

	"github.com/nightbell/nightbell/api/internal/channel/outgoing"
	"github.com/nightbell/nightbell/api/internal/notify"
	"github.com/nightbell/nightbell/api/internal/subscription"
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
	var secrets [][]byte
	if len(message.To.Secret) > 0 {
		secrets = [][]byte{message.To.Secret}
	}
	answer, err := post(ctx, c.client, subscription.Message{ID: message.ID, URL: message.To.Address, Secrets: secrets, Body: body, SentAt: message.SentAt})
	if err != nil {
		return notify.Receipt{}, err
	}
	return notify.Receipt{ProviderID: message.ID.String(), Detail: fmt.Sprintf("HTTP %d", answer.Status)}, nil
}

// Post sends an event to a webhook subscription. It gives the HTTP status, 0 when there was no
// answer, and the error of outgoing.Post.
func Post(client outgoing.Doer) func(context.Context, subscription.Message) (int, error) {
	return func(ctx context.Context, message subscription.Message) (int, error) {
		answer, err := post(ctx, client, message)
		return answer.Status, err
	}
}

// post signs with each of the secrets: a receiver accepts the signature that it can check.
func post(ctx context.Context, client outgoing.Doer, message subscription.Message) (outgoing.Answer, error) {
	messageID := message.ID.String()
	headers := map[string]string{headerID: messageID, headerTimestamp: timestamp(message.SentAt)}
	var signatures []string
	for _, secret := range message.Secrets {
		signatures = append(signatures, Sign(secret, messageID, message.SentAt, message.Body))
	}
	if len(signatures) > 0 {
		headers[headerSignature] = strings.Join(signatures, " ")
	}
	return outgoing.Post(ctx, client, message.URL, headers, message.Body, message.SentAt)
}
