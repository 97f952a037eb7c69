// Package invitation mails the links of invitations.
//
//  1. signup.Invite stores an invitation and makes its mail due.
//  2. Send claims the mails that are due and sends each its link, derived from the row again.
//  3. The site's page /invitation hands the token of the link to auth_accept_invitation.
//
// It is beside the page path and shares neither connections nor senders with it.
package invitation

import (
	"context"
	"errors"
	"log/slog"
	"time"

	"github.com/jackc/pgx/v5"

	"github.com/nightbell/nightbell/api/internal/notify"
	"github.com/nightbell/nightbell/api/internal/org"
	"github.com/nightbell/nightbell/api/internal/org/orgdb"
	"github.com/nightbell/nightbell/api/internal/platform/postgres"
)

// sentAtOnce bounds what one call of Send takes on.
const sentAtOnce = 10

// longestReason is how much of a mail server's answer is kept.
const longestReason = 300

// Options are what a Mailer needs besides the database.
type Options struct {
	Logger *slog.Logger
	Mail   notify.NoticeChannel
	// PublicURL is where people reach this installation, without a slash at the end.
	PublicURL string
	// Key derives the tokens.
	Key []byte
}

// Mailer mails invitations. Any number of replicas may run one.
type Mailer struct {
	db      *postgres.DB
	options Options
}

// New makes a mailer. Its loop calls Send.
func New(db *postgres.DB, options Options) *Mailer { return &Mailer{db: db, options: options} }

// Send sends the mails that are due and reports whether more may be. A mail that fails is tried
// again, later each time; one mail's failure does not keep others back.
func (m *Mailer) Send(ctx context.Context) (again bool, err error) {
	var due []orgdb.InvitationMail
	var now time.Time
	err = m.db.InSystem(ctx, postgres.Background, func(ctx context.Context, tx pgx.Tx) (err error) {
		if now, err = postgres.Now(ctx, tx); err != nil {
			return err
		}
		due, err = orgdb.ClaimInvitationMails(ctx, tx, sentAtOnce, now)
		return err
	})
	if err != nil {
		return false, err
	}
	for _, one := range due {
		if err := m.send(ctx, one, now); err != nil {
			if ctx.Err() != nil {
				return false, ctx.Err()
			}
			m.options.Logger.WarnContext(ctx, "an invitation could not be mailed", "invitation", one.ID, "error", err)
		}
	}
	return len(due) == sentAtOnce, nil
}

func (m *Mailer) send(ctx context.Context, due orgdb.InvitationMail, now time.Time) error {
	_, failure := m.options.Mail.SendNotice(ctx, notify.Invitation{
		ID: due.ID, OrgID: due.OrgID, SentAt: now,
		To:      notify.Contact{ID: due.ID, Kind: notify.Email, Name: "Invitation", Address: due.Email},
		OrgName: due.OrgName, InviterName: due.InviterName, Role: due.Role,
		URL: org.InvitationURL(m.options.PublicURL, org.InvitationToken(m.options.Key, due.ID)),
	})
	return errors.Join(failure, m.db.InSystem(ctx, postgres.Background, func(ctx context.Context, tx pgx.Tx) error {
		if failure == nil {
			return orgdb.New(tx).InvitationMailed(ctx, now, due.OrgID, due.ID)
		}
		return orgdb.New(tx).InvitationMailFailed(ctx, orgdb.InvitationMailFailedParams{
			OrgID: due.OrgID, ID: due.ID, MailError: notify.Line(failure.Error(), longestReason), Permanent: errors.Is(failure, notify.ErrPermanent),
		})
	}))
}
