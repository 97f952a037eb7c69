package publish

import (
	"context"
	"errors"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"

	"github.com/nightbell/nightbell/api/internal/kernel/id"
	"github.com/nightbell/nightbell/api/internal/notify"
	"github.com/nightbell/nightbell/api/internal/platform/postgres"
	"github.com/nightbell/nightbell/api/internal/subscription/subscriptiondb"
)

// noticesAtOnce bounds what one call of MailOwners takes on.
const noticesAtOnce = 5

// MailOwners mails each owner of subscriptions that were disabled. A mail that fails is tried again in
// five minutes; a crash may repeat the one that was being sent.
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
	failed := map[uuid.UUID]bool{}
	for _, n := range notices {
		if n.ContactID == uuid.Nil {
			continue // no owner has an address that may be mailed; the subscription shows the reason
		}
		mail.ID, mail.OrgID, mail.PersonName, mail.Name, mail.Reason = id.New(), n.OrgID, n.PersonName, n.Name, n.Reason
		mail.To = notify.Contact{ID: n.ContactID, Kind: notify.Email, Address: n.Address}
		if _, failure := p.options.Mail.SendNotice(ctx, mail); failure != nil && !errors.Is(failure, notify.ErrPermanent) {
			failed[n.SubscriptionID], err = true, errors.Join(err, failure)
			continue
		}
		err = errors.Join(err, p.noted(ctx, func(ctx context.Context, tx pgx.Tx) error { return subscriptiondb.NoticeSent(ctx, tx, n) }))
	}
	for _, n := range notices {
		if !failed[n.SubscriptionID] {
			err = errors.Join(err, p.noted(ctx, func(ctx context.Context, tx pgx.Tx) error {
				return subscriptiondb.NoticesSent(ctx, tx, n.OrgID, n.SubscriptionID)
			}))
		}
	}
	return err
}

func (p *Publisher) noted(ctx context.Context, note func(context.Context, pgx.Tx) error) error {
	return p.db.InSystem(ctx, postgres.Webhooks, note)
}
