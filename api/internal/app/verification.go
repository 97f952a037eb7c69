package app

import (
	"context"
	"net/http"
	"time"

	"github.com/nightbell/nightbell/api/internal/ackpage"
	"github.com/nightbell/nightbell/api/internal/notify"
	"github.com/nightbell/nightbell/api/internal/platform/postgres"
	"github.com/nightbell/nightbell/api/internal/verification"
)

const (
	// verificationLinks names the key that signs verification links.
	verificationLinks = "verification links"
	// verificationInterval is how late the mail with a link may be.
	verificationInterval = 5 * time.Second
)

// buildVerifier gives verification mails a way to the mail server of their own.
func (s *server) buildVerifier(context.Context) error {
	mail, err := s.mailChannel(postgres.Background)
	if err != nil {
		return err
	}
	s.verifier = verification.New(s.db, verification.Options{
		Logger: s.logger, Mail: mail, PublicURL: s.PublicURL, Key: s.box.Derive(verificationLinks),
		Freed: func() { s.wakePages(notify.Email) },
	})
	return nil
}

// verifyPages serves what the link of a verification mail leads to.
func (s *server) verifyPages() http.Handler {
	return ackpage.NewVerify(ackpage.VerifyOptions{Logger: s.logger, Verifier: s.verifier, Key: s.box.Derive(verificationLinks), PublicURL: s.PublicURL})
}
