package notifydb

import (
	"context"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"

	"github.com/nightbell/nightbell/api/internal/platform/postgres"
)

// InboxMail is a mail of an installation that has no mail server.
type InboxMail struct {
	OrgID, ID uuid.UUID
	From, To  string
	Subject   string
	// Both are sealed: links in them let whoever reads them in.
	Text, HTML []byte
}

// KeepMail stores a mail where /inbox shows it, by a connection of the pool.
func KeepMail(ctx context.Context, db *postgres.DB, pool postgres.Pool, mail InboxMail) error {
	return db.InSystem(ctx, pool, func(ctx context.Context, tx pgx.Tx) error {
		now, err := postgres.Now(ctx, tx)
		if err != nil {
			return err
		}
		_, err = tx.Exec(ctx, `INSERT INTO inbox_mail (org_id, id, sender, recipient, subject, text_sealed, html_sealed, received_at)
			VALUES ($1, $2, $3, $4, $5, $6, $7, $8)`, mail.OrgID, mail.ID, mail.From, mail.To, mail.Subject, mail.Text, mail.HTML, now)
		return err
	})
}
