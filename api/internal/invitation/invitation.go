// Package invitation mails the links of invitations.
//
//  1. signup.Invite stores an invitation and makes its mail due.
//  2. Send (linkmail) claims the mails that are due and sends each its link, derived from the row again.
//  3. The site's page /invitation hands the token of the link to auth_accept_invitation.
//
// It is beside the page path and shares neither connections nor senders with it.
package invitation

import (
	"context"
	"errors"
	"time"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"

	"github.com/nightbell/nightbell/api/internal/linkmail"
	"github.com/nightbell/nightbell/api/internal/notify"
	"github.com/nightbell/nightbell/api/internal/org"
	"github.com/nightbell/nightbell/api/internal/org/orgdb"
	"github.com/nightbell/nightbell/api/internal/platform/postgres"
)

// longestReason is how much of a mail server's answer is kept.
const longestReason = 300

// Options are what a Mailer needs besides the database.
type Options = linkmail.Options

// Mailer mails invitations. Any number of replicas may run one.
type Mailer struct {
	*linkmail.Sender[orgdb.InvitationMail]

	db      *postgres.DB
	options Options
}

// New makes a mailer. Its loop calls Send. A mail that fails is tried again, later each time, and after
// those that were tried less often.
func New(db *postgres.DB, options Options) *Mailer {
	m := &Mailer{db: db, options: options}
	m.Sender = linkmail.New(db, linkmail.Kind[orgdb.InvitationMail]{
		Claim: orgdb.ClaimInvitationMails,
		Org:   func(due orgdb.InvitationMail) uuid.UUID { return due.OrgID },
		Send:  m.send,
		Failed: func(ctx context.Context, due orgdb.InvitationMail, err error) {
			options.Logger.WarnContext(ctx, "an invitation could not be mailed", "invitation", due.ID, "error", err)
		},
	})
	return m
}

func (m *Mailer) send(ctx context.Context, due orgdb.InvitationMail, now time.Time) error {
	failure := linkmail.Post(ctx, m.options.Mail, due.Tries, notify.Invitation{
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
