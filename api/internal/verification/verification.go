// Package verification makes sure that an e-mail address is its owner's before pages go to it.
//
//  1. Whoever enters an address makes a mail due (notifydb: verification_due_at).
//  2. Send (linkmail) claims the mails that are due and sends each a link that works for seven days.
//  3. The page behind the link (ackpage) shows a button, whose POST calls Verify.
//
// It is beside the page path and shares neither connections nor senders with it.
package verification

import (
	"context"
	"errors"
	"log/slog"
	"time"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"

	"github.com/nightbell/nightbell/api/internal/kernel/fault"
	"github.com/nightbell/nightbell/api/internal/kernel/id"
	"github.com/nightbell/nightbell/api/internal/linkmail"
	"github.com/nightbell/nightbell/api/internal/notify"
	"github.com/nightbell/nightbell/api/internal/notify/notifydb"
	"github.com/nightbell/nightbell/api/internal/platform/postgres"
)

// ErrNoLink is the answer for a link that has expired or whose contact method is gone.
var ErrNoLink = fault.New(fault.NotFound, "verification_link_expired", "This link does not work any more.")

// Options are what a Verifier needs besides the database.
type Options struct {
	Logger *slog.Logger
	Mail   notify.NoticeChannel
	// PublicURL is where people reach this installation, without a slash at the end.
	PublicURL string
	// Key signs the links.
	Key []byte
	// Freed tells that pages which waited for an address to be confirmed are due.
	Freed func()
}

// Verifier mails links to addresses and believes who opens them. Any number of replicas may
// run one.
type Verifier struct {
	*linkmail.Sender[dueMail]

	db      *postgres.DB
	options Options
}

// New makes a verifier. Its loop calls Send. A mail that fails is tried again, later each time, and after
// those that were tried less often.
func New(db *postgres.DB, options Options) *Verifier {
	v := &Verifier{db: db, options: options}
	v.Sender = linkmail.New(db, linkmail.Kind[dueMail]{
		Claim: claim,
		Org:   func(due dueMail) uuid.UUID { return due.OrgID },
		Send:  v.send,
		Failed: func(ctx context.Context, due dueMail, err error) {
			options.Logger.WarnContext(ctx, "a verification mail could not be sent; it is tried again", "contact_method", due.ID, "error", err)
		},
	})
	return v
}

func (v *Verifier) send(ctx context.Context, due dueMail, now time.Time) error {
	claims := notify.VerifyClaims{OrgID: due.OrgID, ContactMethodID: due.ID, Expires: now.Add(notify.VerifyLifetime)}
	err := linkmail.Post(ctx, v.options.Mail, due.Tries, notify.Verification{
		ID: id.New(), OrgID: due.OrgID, SentAt: now,
		To:  notify.Contact{ID: due.ID, Kind: notify.Email, Name: due.Name, Address: due.Address},
		URL: v.options.PublicURL + "/verify/" + notify.MintVerify(v.options.Key, claims),
	})
	if err != nil && !errors.Is(err, notify.ErrPermanent) {
		return err
	}
	if due.NextTryAt == nil {
		return err
	}
	// A permanent failure ends the tries, too; asking again begins them again.
	return errors.Join(err, v.db.InSystem(ctx, postgres.Background, func(ctx context.Context, tx pgx.Tx) error {
		return notifydb.New(tx).VerificationSent(ctx, due.OrgID, due.ID, *due.NextTryAt)
	}))
}

// Look reads which address a link is about and whether it is verified already, or fails with
// ErrNoLink. It changes nothing.
func (v *Verifier) Look(ctx context.Context, claims notify.VerifyClaims) (address string, verified bool, err error) {
	err = v.withLink(ctx, claims, func(_ context.Context, _ pgx.Tx, _ time.Time, foundAddress string, foundVerified bool) error {
		address, verified = foundAddress, foundVerified
		return nil
	})
	return address, verified, err
}

// Verify lets the address of a link be paged, at once with what waited for it, or fails with
// ErrNoLink. Doing it again changes nothing.
func (v *Verifier) Verify(ctx context.Context, claims notify.VerifyClaims) error {
	err := v.withLink(ctx, claims, func(ctx context.Context, tx pgx.Tx, now time.Time, _ string, verified bool) error {
		if _, err := notifydb.New(tx).VerifyContact(ctx, now, claims.OrgID, claims.ContactMethodID); err != nil || verified {
			return err
		}
		return notifydb.ReleaseWaiting(ctx, tx, claims.OrgID, claims.ContactMethodID, now)
	})
	if err == nil {
		v.options.Freed()
	}
	return err
}

func (v *Verifier) withLink(ctx context.Context, claims notify.VerifyClaims, do func(context.Context, pgx.Tx, time.Time, string, bool) error) error {
	return v.db.InTenant(ctx, claims.OrgID, func(ctx context.Context, tx pgx.Tx) error {
		now, err := postgres.Now(ctx, tx)
		if err != nil {
			return err
		}
		address, verified, found, err := notifydb.FindVerification(ctx, tx, claims)
		if err != nil {
			return err
		}
		if !found || !now.Before(claims.Expires) {
			return ErrNoLink
		}
		return do(ctx, tx, now, address, verified)
	})
}
