package publish

import (
	"context"
	"errors"
	"sync"
	"time"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"

	"github.com/nightbell/nightbell/api/internal/kernel/id"
	"github.com/nightbell/nightbell/api/internal/linkmail"
	"github.com/nightbell/nightbell/api/internal/notify"
	"github.com/nightbell/nightbell/api/internal/platform/postgres"
	"github.com/nightbell/nightbell/api/internal/subscription/subscriptiondb"
)

const (
	// noticesAtOnce bounds what one call of MailOwners takes on.
	noticesAtOnce = 5
	// refusedFor is for how long a mail is tried that the mail server refuses for what it says or who sends it.
	refusedFor = 24 * time.Hour
	// mailsAtOnce are under way side by side.
	mailsAtOnce = 8
)

// MailOwners mails each owner of subscriptions that were disabled. A mail that fails is tried again in
// five minutes; a crash may repeat those that were being sent.
func (p *Publisher) MailOwners(ctx context.Context) error {
	var notices []subscriptiondb.Notice
	mail := notify.WebhookDisabled{URL: p.options.PublicURL}
	err := p.db.InSystem(ctx, postgres.Webhooks, func(ctx context.Context, tx pgx.Tx) (err error) {
		if mail.SentAt, err = postgres.Now(ctx, tx); err != nil {
			return err
		}
		notices, err = subscriptiondb.ClaimNotices(ctx, tx, noticesAtOnce, p.options.VerifyMail, mail.SentAt)
		return err
	})
	if err != nil {
		return err
	}
	problems := make([]error, len(notices))
	room := make(chan struct{}, mailsAtOnce)
	var mails sync.WaitGroup
	for i, n := range notices {
		if n.ContactID == uuid.Nil {
			continue // no owner has an address that may be mailed; the subscription shows the reason
		}
		own := mail
		own.ID, own.OrgID, own.PersonName, own.Name, own.Reason = id.New(), n.OrgID, n.PersonName, n.Name, n.Reason
		own.To = notify.Contact{ID: n.ContactID, Kind: notify.Email, Address: n.Address}
		room <- struct{}{}
		mails.Go(func() { problems[i] = p.mailOwner(ctx, n, own); <-room })
	}
	mails.Wait()
	failed := map[uuid.UUID]bool{}
	for i, n := range notices {
		failed[n.SubscriptionID] = failed[n.SubscriptionID] || problems[i] != nil
	}
	err = errors.Join(problems...)
	for _, n := range notices {
		if !failed[n.SubscriptionID] {
			err = errors.Join(err, p.noted(ctx, func(ctx context.Context, tx pgx.Tx) error {
				return subscriptiondb.NoticesSent(ctx, tx, n.OrgID, n.SubscriptionID)
			}))
		}
	}
	return err
}

// mailOwner mails one owner, once.
func (p *Publisher) mailOwner(ctx context.Context, n subscriptiondb.Notice, mail notify.WebhookDisabled) error {
	err := linkmail.Post(ctx, p.options.Mail, 1, mail)
	refused := errors.Is(err, notify.ErrRefused) || errors.Is(err, notify.ErrTurnedAway)
	over := errors.Is(err, notify.ErrPermanent) || refused && mail.SentAt.Sub(n.DisabledAt) > refusedFor
	switch {
	case err != nil && !over:
		return err
	case err != nil:
		p.options.Logger.WarnContext(ctx, "an owner was not told of a disabled webhook", "user_id", n.UserID, "subscription", n.SubscriptionID, "error", err)
	}
	return p.noted(ctx, func(ctx context.Context, tx pgx.Tx) error { return subscriptiondb.NoticeSent(ctx, tx, n) })
}

func (p *Publisher) noted(ctx context.Context, note func(context.Context, pgx.Tx) error) error {
	return p.db.InSystem(ctx, postgres.Webhooks, note)
}
