package notifydb

import (
	"context"
	"time"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"

	"github.com/nightbell/nightbell/api/internal/kernel/id"
)

// InsertFirstContact gives a new member the least that a page needs: their e-mail address, told at once of everything,
// urgent or not. It returns the contact method's id. With verify, the address is paged only after its link was opened,
// and a mail with the link is due now.
func InsertFirstContact(ctx context.Context, tx pgx.Tx, orgID, userID uuid.UUID, email string, verify bool, now time.Time) (uuid.UUID, error) {
	contactID := id.New()
	_, err := tx.Exec(ctx, `INSERT INTO contact_method (org_id, id, user_id, kind, name, address, hint, created_at, verified_at, verification_due_at)
		VALUES ($1, $2, $3, 'email', 'E-mail', $4, $4, $5::timestamptz,
		        CASE WHEN NOT $6::boolean THEN $5::timestamptz END, CASE WHEN $6::boolean THEN $5::timestamptz END)`,
		orgID, contactID, userID, email, now, verify)
	if err != nil {
		return uuid.Nil, err
	}
	_, _, err = InsertFirstRules(ctx, tx, orgID, userID, contactID, now)
	return contactID, err
}

// InsertFirstRules has a person told by a contact method at once of everything: one rule for urgent
// incidents (high) and one for the others (low). Without them it would be paged by no plan, as its
// owner has rules for other methods.
func InsertFirstRules(ctx context.Context, tx pgx.Tx, orgID, userID, contactID uuid.UUID, now time.Time) (high, low uuid.UUID, err error) {
	high, low = id.New(), id.New()
	_, err = tx.Exec(ctx, `INSERT INTO notification_rule (org_id, id, user_id, contact_method_id, urgency, delay_seconds, created_at)
		VALUES ($1, $2, $4, $5, 'high', 0, $6), ($1, $3, $4, $5, 'low', 0, $6)`,
		orgID, high, low, userID, contactID, now)
	return high, low, err
}
