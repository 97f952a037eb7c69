package notifydb

import (
	"context"
	"errors"
	"time"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"

	"github.com/nightbell/nightbell/api/internal/notify"
)

// DueVerification is a contact method whose address gets a mail with the link.
type DueVerification struct {
	OrgID, ID     uuid.UUID
	Name, Address string
	// NextTryAt is when the mail is due again unless it was sent; nil after the last try.
	NextTryAt *time.Time
}

// The next try is a minute later, then twice as long each time. After ten tries (17 hours) the
// mail is due again only when somebody asks.
const claimVerificationsSQL = `
UPDATE contact_method c SET verification_tries = c.verification_tries + 1,
       verification_due_at = CASE WHEN c.verification_tries < 9 THEN $1::timestamptz + interval '1 minute' * (1 << c.verification_tries) END
FROM (SELECT org_id, id FROM contact_method WHERE verification_due_at <= $1
      ORDER BY verification_due_at LIMIT $2 FOR NO KEY UPDATE SKIP LOCKED) due
WHERE c.org_id = due.org_id AND c.id = due.id
RETURNING c.org_id, c.id, c.name, c.address, c.verification_due_at`

// ClaimVerifications takes mails with links that are due, so that no other replica sends them
// before their next try.
func ClaimVerifications(ctx context.Context, tx pgx.Tx, most int, now time.Time) ([]DueVerification, error) {
	rows, err := tx.Query(ctx, claimVerificationsSQL, now, most)
	if err != nil {
		return nil, err
	}
	return pgx.CollectRows(rows, pgx.RowToStructByPos[DueVerification])
}

const countUnverifiedSQL = `
UPDATE org o SET unverified_mails = CASE WHEN o.unverified_mails_on = $2::date THEN o.unverified_mails + 1 ELSE 1 END, unverified_mails_on = $2::date
WHERE o.id = $1 AND (o.unverified_mails_on <> $2::date OR o.unverified_mails < CASE
    WHEN EXISTS (SELECT FROM contact_method c WHERE c.org_id = o.id AND c.kind = 'email' AND c.verified_at IS NOT NULL) THEN $3::integer ELSE $4::integer END)`

// CountUnverified counts a mail to an address that is not verified. The refusal is
// notify.ErrTooManyMails when the organization has sent its share of this day.
func CountUnverified(ctx context.Context, tx pgx.Tx, orgID uuid.UUID, share notify.MailShare, now time.Time) error {
	tag, err := tx.Exec(ctx, countUnverifiedSQL, orgID, now.UTC(), share.Most, share.MostBefore)
	if err == nil && tag.RowsAffected() == 0 {
		return notify.ErrTooManyMails
	}
	return err
}

// ReturnUnverified takes back one that CountUnverified counted and that did not go out.
func ReturnUnverified(ctx context.Context, tx pgx.Tx, orgID uuid.UUID, now time.Time) error {
	_, err := tx.Exec(ctx, `UPDATE org SET unverified_mails = unverified_mails - 1
		WHERE id = $1 AND unverified_mails_on = $2::date AND unverified_mails > 0`, orgID, now.UTC())
	return err
}

// FindVerification reads what a link is about; found is false when the contact method is gone.
func FindVerification(ctx context.Context, tx pgx.Tx, claims notify.VerifyClaims) (address string, verified, found bool, err error) {
	row, err := New(tx).ReadVerification(ctx, claims.OrgID, claims.ContactMethodID)
	if errors.Is(err, pgx.ErrNoRows) {
		return "", false, false, nil
	}
	return row.Hint, row.Verified, err == nil, err
}
