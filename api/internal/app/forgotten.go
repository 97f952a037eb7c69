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
