package notify

import (
	"time"

	"github.com/google/uuid"
)

// PasswordReset is the mail with the link for a forgotten password. Its words are the same for everybody.
type PasswordReset struct {
	ID uuid.UUID
	// OrgID is one of the account's organizations; Nil when it is in none.
	OrgID uuid.UUID
	To    Contact
	// URL holds the secret.
	URL    string
	SentAt time.Time
}

// Envelope is to whom it goes: nobody's name is written on it.
func (p PasswordReset) Envelope() Envelope { return Envelope{p.ID, p.OrgID, p.To, "", p.SentAt} }

// Subject is the same for everybody.
func (p PasswordReset) Subject() string { return "Set a new password for Nightbell" }

// Lead says why the mail comes.
func (p PasswordReset) Lead() string {
	return "Somebody asked for a new password for the Nightbell account of this address."
}

// Note says how long there is, and what to do otherwise.
func (p PasswordReset) Note() string {
	return "The link works for an hour, once, and ends all sessions of the account. If it was not you, do nothing: your password stays as it is."
}

// Text is the whole mail.
func (p PasswordReset) Text() string {
	return p.Lead() + "\n\nOpen this link to set one:\n\n" + p.URL + "\n\n" + p.Note() + "\n"
}
