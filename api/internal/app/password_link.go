package app

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/nightbell/nightbell/api/internal/forgotten"
)

// PasswordLink prints a link by which an account gets a new password, for an operator to hand over.
func PasswordLink(ctx context.Context, config Config, options Options, email string) (err error) {
	s, err := prepare(ctx, config, options)
	defer func() { err = errors.Join(err, s.stop()) }()
	if err != nil {
		return err
	}
	link, until, err := forgotten.Link(ctx, s.db, forgotten.Options{PublicURL: s.PublicURL, Key: s.box.Derive(resetLinks)}, email)
	if err != nil {
		return err
	}
	_, err = fmt.Fprintf(options.Out, "Whoever opens this link chooses a new password for %s. It works once, until %s:\n%s\n", email, until.UTC().Format(time.DateTime+" UTC"), link)
	return err
}
