// Package forgotten mails the links by which a forgotten password is replaced.
//
//  1. auth_forgot_password stores a link's hash and makes its mail due.
//  2. Send claims the mails that are due and sends each its link, derived from the row again.
//  3. The site's page /reset-password hands the token of the link to auth_reset_password.
//
// It is beside the page path and shares neither connections nor senders with it.
package forgotten

import (
	"context"
	"errors"
	"log/slog"
	"time"

	"github.com/jackc/pgx/v5"

	"github.com/nightbell/nightbell/api/internal/auth"
	"github.com/nightbell/nightbell/api/internal/auth/authdb"
	"github.com/nightbell/nightbell/api/internal/notify"
	"github.com/nightbell/nightbell/api/internal/platform/postgres"
)

// sentAtOnce bounds what one call of Send takes on.
const sentAtOnce = 10

// Options are what a Mailer needs besides the database.
type Options struct {
	Logger *slog.Logger
	Mail   notify.NoticeChannel
	// PublicURL is where people reach this installation, without a slash at the end.
	PublicURL string
	// Key derives the tokens.
	Key []byte
}

// Mailer mails the links. Any number of replicas may run one.
type Mailer struct {
	db      *postgres.DB
	options Options
}

// New makes a mailer. Its loop calls Send.
func New(db *postgres.DB, options Options) *Mailer { return &Mailer{db: db, options: options} }

// Send sends the mails that are due and reports whether more may be. A mail that fails is tried again,
// later each time, while its link works; one mail's failure does not keep others back.
func (m *Mailer) Send(ctx context.Context) (again bool, err error) {
	var due []authdb.PasswordResetMail
	var now time.Time
	err = m.db.InSystem(ctx, postgres.Background, func(ctx context.Context, tx pgx.Tx) (err error) {
		if now, err = postgres.Now(ctx, tx); err != nil {
			return err
		}
		due, err = authdb.ClaimPasswordResetMails(ctx, tx, sentAtOnce, now)
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
			m.options.Logger.WarnContext(ctx, "the mail for a forgotten password could not be sent; it is tried again", "user_id", one.UserID, "error", err)
		}
	}
	return len(due) == sentAtOnce, nil
}

func (m *Mailer) send(ctx context.Context, due authdb.PasswordResetMail, now time.Time) error {
	_, err := m.options.Mail.SendNotice(ctx, notify.PasswordReset{
		ID: due.ID, OrgID: due.OrgID, SentAt: now,
		To:  notify.Contact{ID: due.ID, Kind: notify.Email, Name: "Account", Address: due.Email},
		URL: auth.ResetURL(m.options.PublicURL, auth.ResetToken(m.options.Key, due.ID)),
	})
	if err != nil && !errors.Is(err, notify.ErrPermanent) {
		return err
	}
	return errors.Join(err, m.db.InSystem(ctx, postgres.Background, func(ctx context.Context, tx pgx.Tx) error {
		return authdb.New(tx).PasswordResetMailed(ctx, due.ID)
	}))
}
