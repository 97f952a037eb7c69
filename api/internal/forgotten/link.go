package forgotten

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"time"

	"github.com/jackc/pgx/v5"

	"github.com/nightbell/nightbell/api/internal/auth"
	"github.com/nightbell/nightbell/api/internal/auth/authdb"
	"github.com/nightbell/nightbell/api/internal/kernel/id"
	"github.com/nightbell/nightbell/api/internal/platform/postgres"
)

// Link makes a link by which the account of an address gets a new password, for whoever runs the installation
// to hand over: where no mail leaves it, nothing else can. It works once, until the returned time.
func Link(ctx context.Context, db *postgres.DB, options Options, email string) (link string, until time.Time, err error) {
	err = db.InSystem(ctx, postgres.Identity, func(ctx context.Context, tx pgx.Tx) error {
		now, err := postgres.Now(ctx, tx)
		if err != nil {
			return err
		}
		made := id.New()
		token := auth.ResetToken(options.Key, made)
		link, until = auth.ResetURL(options.PublicURL, token), now.Add(auth.ResetLife)
		_, err = authdb.New(tx).InsertPasswordLink(ctx, authdb.InsertPasswordLinkParams{
			ID: made, TokenHash: auth.HashToken(token), Now: now, ExpiresAt: until, Email: strings.TrimSpace(email),
		})
		if errors.Is(err, pgx.ErrNoRows) {
			return fmt.Errorf("no account has the address %q", email)
		}
		return err
	})
	return link, until, err
}
