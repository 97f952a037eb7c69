package app

import (
	"context"
	"time"

	"github.com/nightbell/nightbell/api/internal/invitation"
	"github.com/nightbell/nightbell/api/internal/platform/postgres"
)

const (
	// invitationLinks names the key that the tokens of invitations are derived from.
	invitationLinks = "invitation links"
	// invitationInterval is how late the mail of an invitation may be.
	invitationInterval = 2 * time.Second
)

// buildInviter gives invitation mails a way to the mail server of their own.
func (s *server) buildInviter(context.Context) error {
	mail, err := s.mailChannel(postgres.Background)
	if err != nil {
		return err
	}
	s.inviter = invitation.New(s.db, invitation.Options{
		Logger: s.logger, Mail: mail, PublicURL: s.PublicURL, Key: s.box.Derive(invitationLinks),
	})
	return nil
}
