package org

import (
	"crypto/hmac"
	"crypto/sha256"
	"encoding/base64"
	"time"

	"github.com/google/uuid"

	"github.com/nightbell/nightbell/api/internal/kernel/fault"
)

const (
	// InvitationLife is how long an invitation can be accepted.
	InvitationLife = 7 * 24 * time.Hour
	// MostInvitations is how many may wait in one organization at a time.
	MostInvitations = 500
	// invitationPrefix lets secret scanners recognise a leaked token.
	invitationPrefix = "nbi_"
)

// The ways by which an invitation reaches whoever is invited.
const (
	SendMail = "mail" // Nightbell mails the link to the address
	SendLink = "link" // whoever invites passes the link on
)

// ErrInvitationUnknown, ErrInvitationUsed, ErrInvitationRevoked and ErrInvitationExpired say why a
// link leads nowhere.
var (
	ErrInvitationUnknown = fault.New(fault.NotFound, "invitation_not_found",
		"This invitation link is not known. Open it again from the mail, or ask for a new one.")
	ErrInvitationUsed = fault.New(fault.NotFound, "invitation_used",
		"This invitation was accepted already. Log in with the address that it was for.")
	ErrInvitationRevoked = fault.New(fault.NotFound, "invitation_revoked",
		"This invitation was withdrawn. Ask an admin of the organization for a new one.")
	ErrInvitationExpired = fault.New(fault.NotFound, "invitation_expired",
		"This invitation has expired. Ask an admin of the organization for a new one.")
)

// Invitation is what decides whether an invitation can be accepted.
type Invitation struct {
	ExpiresAt             time.Time
	AcceptedAt, RevokedAt *time.Time
}

// Status is pending, accepted, revoked or expired.
func (i Invitation) Status(now time.Time) string {
	switch {
	case i.AcceptedAt != nil:
		return "accepted"
	case i.RevokedAt != nil:
		return "revoked"
	case !now.Before(i.ExpiresAt):
		return "expired"
	default:
		return "pending"
	}
}

// Open returns nil while the invitation can be accepted, and the refusal otherwise.
func (i Invitation) Open(now time.Time) error {
	switch i.Status(now) {
	case "accepted":
		return ErrInvitationUsed
	case "revoked":
		return ErrInvitationRevoked
	case "expired":
		return ErrInvitationExpired
	default:
		return nil
	}
}

// InvitationToken is the secret of an invitation's link. It is derived from the id, so that the mail
// can be made again without a stored secret; key must be used for nothing else.
func InvitationToken(key []byte, invitation uuid.UUID) string {
	mac := hmac.New(sha256.New, key)
	mac.Write([]byte("nightbell invitation\x00"))
	mac.Write(invitation[:])
	return invitationPrefix + base64.RawURLEncoding.EncodeToString(mac.Sum(nil))
}

// InvitationURL is where a token is accepted. It stands after #, which browsers send to no server.
func InvitationURL(publicURL, token string) string { return publicURL + "/invitation#" + token }
