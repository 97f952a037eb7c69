package notifydb

import (
	"context"
	"errors"
	"time"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"

	"github.com/nightbell/nightbell/api/internal/notify"
)

const countUnverifiedSQL = `
UPDATE org o SET unverified_mails = CASE WHEN o.unverified_mails_on = $2::date THEN o.unverified_mails + 1 ELSE 1 END, unverified_mails_on = $2::date, unverified_mailed_at = $6
WHERE o.id = $1 AND (o.unverified_mails_on <> $2::date OR $5::interval > interval '0' AND o.unverified_mailed_at <= $6::timestamptz - $5 OR o.unverified_mails < CASE
    WHEN EXISTS (SELECT FROM contact_method c WHERE c.org_id = o.id AND c.kind = 'email' AND c.verified_at IS NOT NULL) THEN $3::integer ELSE $4::integer END)`

// CountUnverified counts a mail to an address that is not verified. Once the organization has sent its
// share of this day the refusal is notify.ErrTooManyMails, or where the share says when one more may go
// out, notify.ErrPageWaits with how long that is (notify.RetryAfter).
func CountUnverified(ctx context.Context, tx pgx.Tx, orgID uuid.UUID, share notify.MailShare, now time.Time) error {
	tag, err := tx.Exec(ctx, countUnverifiedSQL, orgID, now.UTC(), share.Most, share.MostBefore, share.Every, now)
	switch {
	case err != nil || tag.RowsAffected() > 0:
		return err
	case share.Every == 0:
		return notify.ErrTooManyMails
	}
	var last time.Time
	if err := tx.QueryRow(ctx, `SELECT greatest(unverified_mailed_at, $2) FROM org WHERE id = $1`, orgID, now.Add(-share.Every)).Scan(&last); err != nil {
		return err
	}
	next, tomorrow := last.Add(share.Every), now.UTC().Truncate(24*time.Hour).Add(24*time.Hour)
	if tomorrow.Before(next) {
		next = tomorrow
	}
	return notify.After(notify.ErrPageWaits, next.Sub(now))
}

// CountOwnMail counts a mail to an address that is not verified for a person who has it sent; beyond their
// share of this day it is notify.ErrTooManyOwnMails.
func CountOwnMail(ctx context.Context, tx pgx.Tx, orgID, userID uuid.UUID, now time.Time) error {
	tag, err := tx.Exec(ctx, `UPDATE membership SET verification_mails_on = $3::date,
		       verification_mails = CASE WHEN verification_mails_on = $3::date THEN verification_mails + 1 ELSE 1 END
		WHERE org_id = $1 AND user_id = $2 AND (verification_mails_on <> $3::date OR verification_mails < $4)`, orgID, userID, now.UTC(), notify.MostMailsOfPerson)
	if err == nil && tag.RowsAffected() == 0 {
		return notify.ErrTooManyOwnMails
	}
	return err
}

// ReturnOwnMail takes back, in the same transaction, what CountOwnMail counted.
func ReturnOwnMail(ctx context.Context, tx pgx.Tx, orgID, userID uuid.UUID) error {
	_, err := tx.Exec(ctx, `UPDATE membership SET verification_mails = verification_mails - 1 WHERE org_id = $1 AND user_id = $2`, orgID, userID)
	return err
}

// ReturnUnverified takes back one that CountUnverified counted and that did not go out.
func ReturnUnverified(ctx context.Context, tx pgx.Tx, orgID uuid.UUID, now time.Time) error {
	_, err := tx.Exec(ctx, `UPDATE org SET unverified_mails = unverified_mails - 1, unverified_mailed_at = '-infinity'
		WHERE id = $1 AND unverified_mails_on = $2::date AND unverified_mails > 0`, orgID, now.UTC())
	return err
}

// ReleaseWaiting makes the pages due that waited because their address was not confirmed.
func ReleaseWaiting(ctx context.Context, tx pgx.Tx, orgID, contactID uuid.UUID, now time.Time) error {
	_, err := tx.Exec(ctx, `UPDATE notification SET next_try_at = $3
		WHERE org_id = $1 AND contact_method_id = $2 AND finished_at IS NULL AND lease_until IS NULL AND due_at <= $3 AND next_try_at > $3`, orgID, contactID, now)
	return err
}

// IsConfirmed reports whether the address of a claim is confirmed, and keeps it from being until the
// transaction ends.
func IsConfirmed(ctx context.Context, tx pgx.Tx, claim Claim) (confirmed bool, err error) {
	err = tx.QueryRow(ctx, `SELECT verified_at IS NOT NULL FROM contact_method WHERE org_id = $1 AND id = $2 FOR SHARE`,
		claim.OrgID, claim.ContactMethodID).Scan(&confirmed)
	if errors.Is(err, pgx.ErrNoRows) {
		return false, nil
	}
	return confirmed, err
}

// FindVerification reads what a link is about; found is false when the contact method is gone.
func FindVerification(ctx context.Context, tx pgx.Tx, claims notify.VerifyClaims) (address string, verified, found bool, err error) {
	row, err := New(tx).ReadVerification(ctx, claims.OrgID, claims.ContactMethodID)
	if errors.Is(err, pgx.ErrNoRows) {
		return "", false, false, nil
	}
	return row.Hint, row.Verified, err == nil, err
}
