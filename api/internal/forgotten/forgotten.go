// Package forgotten mails the links by which a forgotten password is replaced, and the notices that one was.
//
//  1. auth_forgot_password stores a link's hash and makes its mail due.
//  2. Send (linkmail) claims the mails that are due and sends each its link, derived from the row again.
//  3. The site's page /reset-password hands the token of the link to auth_reset_password.
//  4. It and a change by the old password make a notice due, which goes the same way.
//
// It is beside the page path and shares neither connections nor senders with it.
package forgotten

import (
	"context"
	"errors"
	"time"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"

	"github.com/nightbell/nightbell/api/internal/auth"
	"github.com/nightbell/nightbell/api/internal/auth/authdb"
	"github.com/nightbell/nightbell/api/internal/linkmail"
	"github.com/nightbell/nightbell/api/internal/notify"
	"github.com/nightbell/nightbell/api/internal/platform/postgres"
)

// Options are what a Mailer needs besides the database.
type Options = linkmail.Options

// Mailer mails the links. Any number of replicas may run one.
type Mailer struct {
	*linkmail.Sender[authdb.PasswordResetMail]

	db      *postgres.DB
	options Options
}

// New makes a mailer. Its loop calls Send. A mail that fails is tried again, later each time, while its link works, and after
// those that were tried less often.
func New(db *postgres.DB, options Options) *Mailer {
	m := &Mailer{db: db, options: options}
	m.Sender = linkmail.New(db, linkmail.Kind[authdb.PasswordResetMail]{
		Claim: authdb.ClaimPasswordResetMails,
		Org:   func(due authdb.PasswordResetMail) uuid.UUID { return due.ShareID },
		Send:  m.send,
		Failed: func(ctx context.Context, due authdb.PasswordResetMail, err error) {
			options.Logger.WarnContext(ctx, "the mail for a forgotten password could not be sent; it is tried again", "user_id", due.UserID, "error", err)
		},
	})
	return m
}

func (m *Mailer) send(ctx context.Context, due authdb.PasswordResetMail, now time.Time) error {
	err := linkmail.Post(ctx, m.options.Mail, due.Tries, m.notice(due, now))
	if err != nil && !errors.Is(err, notify.ErrPermanent) {
		return err
	}
	return errors.Join(err, m.db.InSystem(ctx, postgres.Background, func(ctx context.Context, tx pgx.Tx) error {
		return authdb.New(tx).PasswordResetMailed(ctx, due.ID)
	}))
}

func (m *Mailer) notice(due authdb.PasswordResetMail, now time.Time) notify.Notice {
	to := notify.Contact{ID: due.ID, Kind: notify.Email, Name: "Account", Address: due.Email}
	if due.UsedAt != nil {
		return notify.PasswordChanged{ID: due.ID, OrgID: due.OrgID, SentAt: now, To: to, At: *due.UsedAt, From: due.UsedFrom, URL: m.options.PublicURL}
	}
	return notify.PasswordReset{
		ID: due.ID, OrgID: due.OrgID, SentAt: now, To: to,
		URL: auth.ResetURL(m.options.PublicURL, auth.ResetToken(m.options.Key, due.ID)),
	}
}
