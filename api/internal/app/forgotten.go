package app

import (
	"context"
	"time"

	"github.com/nightbell/nightbell/api/internal/forgotten"
	"github.com/nightbell/nightbell/api/internal/platform/postgres"
)

const (
	// resetLinks names the key that the links for forgotten passwords are derived from.
	resetLinks = "password reset links"
	// resetInterval is how late the mail with such a link may be.
	resetInterval = 2 * time.Second
)

// buildForgotten gives the mails for forgotten passwords a way to the mail server of their own.
func (s *server) buildForgotten(context.Context) error {
	mail, err := s.mailChannel(postgres.Background)
	if err != nil {
		return err
	}
	s.forgotten = forgotten.New(s.db, forgotten.Options{
		Logger: s.logger, Mail: mail, PublicURL: s.PublicURL, Key: s.box.Derive(resetLinks),
	})
	return nil
}

// sendResets sends the mails for forgotten passwords that are due.
func (s *server) sendResets(ctx context.Context) {
	for again, rounds := true, 0; again && rounds < 10; rounds++ {
		var err error
		if again, err = s.forgotten.Send(ctx); err != nil && ctx.Err() == nil {
			s.logger.WarnContext(ctx, "mails for forgotten passwords could not be sent; it is tried again in a moment", "error", err)
			return
		}
	}
}
