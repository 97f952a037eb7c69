package notify

import (
	"time"

	"github.com/google/uuid"
)

// PasswordChanged is the mail that tells an account's address of its new password.
type PasswordChanged struct {
	ID uuid.UUID
	// OrgID is one of the account's organizations; Nil when it is in none.
	OrgID uuid.UUID
	To    Contact
	At    time.Time
	// From is the network address that changed it; empty when unknown.
	From string
	// URL is where one signs in.
	URL    string
	SentAt time.Time
}

// Envelope is to whom it goes: nobody's name is written on it.
func (p PasswordChanged) Envelope() Envelope { return Envelope{p.ID, p.OrgID, p.To, "", p.SentAt} }

// Subject is the same for everybody.
func (p PasswordChanged) Subject() string { return "Your password for Nightbell was changed" }

// Lead says what happened, when and from where.
func (p PasswordChanged) Lead() string {
	lead := "The password of the Nightbell account of this address was changed on " + p.At.UTC().Format("2 January 2006 at 15:04 UTC")
	if p.From != "" {
		lead += ", from the network address " + p.From
	}
	return lead + "."
}

// Note says what to do if it was somebody else.
func (p PasswordChanged) Note() string {
	return "If it was you, do nothing. If it was not, set another password now: press Log in, then Forgot password. That ends all sessions of the account. Tell an admin of your organization."
}

// Text is the whole mail.
func (p PasswordChanged) Text() string {
	return p.Lead() + "\n\n" + p.Note() + "\n\n" + p.URL + "\n"
}
