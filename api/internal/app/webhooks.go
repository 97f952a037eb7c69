package app

import (
	"context"
	"time"

	"github.com/nightbell/nightbell/api/internal/channel/webhook"
	"github.com/nightbell/nightbell/api/internal/platform/egress"
	"github.com/nightbell/nightbell/api/internal/platform/postgres"
	"github.com/nightbell/nightbell/api/internal/platform/sweep"
	"github.com/nightbell/nightbell/api/internal/publish"
	"github.com/nightbell/nightbell/api/internal/subscription"
)

// disabledMailInterval is how late owners may learn that a subscription was disabled.
const disabledMailInterval = time.Minute

// buildPublisher gives webhook subscriptions a queue, connections and senders of their own.
func (s *server) buildPublisher(context.Context) error {
	mail, err := s.mailChannel(postgres.Background)
	if err != nil {
		return err
	}
	s.webhooks = sweep.NewWaker()
	s.publisher = publish.New(s.db, publish.Options{
		Logger: s.logger, Opener: s.box, Post: webhook.Post(egress.New(egress.Options{Allow: s.egressAllow})), Timeout: subscription.AnswerWithin,
		Mail: mail, VerifyMail: s.hasMailServer(), PublicURL: s.PublicURL, Freed: s.webhooks.Wake,
	})
	s.onStop(s.publisher.Close)
	return nil
}

// wakeWebhooks says that deliveries to webhook subscriptions may be due.
func (s *server) wakeWebhooks() {
	s.publisher.Wake()
	s.webhooks.Wake()
}

// mailDisabled mails the owners of subscriptions that were disabled.
func (s *server) mailDisabled(ctx context.Context) {
	if err := s.publisher.MailOwners(ctx); err != nil && ctx.Err() == nil {
		s.logger.WarnContext(ctx, "owners could not be told of a disabled webhook subscription; it is tried again", "error", err)
	}
}
