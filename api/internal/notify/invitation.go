package notify

import (
	"strings"
	"time"

	"github.com/google/uuid"
)

// Invitation is the mail that asks an address to join an organization. It is the one mail to an
// address that nobody has confirmed that holds words of who sends it, so they are short and no mail
// program makes a link of them; an organization sends as few as notify.VerificationShare says.
type Invitation struct {
	ID, OrgID uuid.UUID
	To        Contact
	// OrgName and InviterName are chosen by strangers; InviterName may be empty.
	OrgName, InviterName string
	Role                 string
	// URL holds the secret.
	URL    string
	SentAt time.Time
}

// longestForeign is how much of a stranger's name a mail shows.
const longestForeign = 60

// Envelope is to whom it goes: nobody's name is written on it.
func (i Invitation) Envelope() Envelope { return Envelope{i.ID, i.OrgID, i.To, "", i.SentAt} }

// Subject is the same for everybody.
func (i Invitation) Subject() string { return "You are invited to Nightbell" }

// Lead says who asks, and for what.
func (i Invitation) Lead() string {
	who := "You are asked"
	if i.InviterName != "" {
		who = unlinked(i.InviterName) + " asks you"
	}
	return who + " to join " + unlinked(i.OrgName) + " on Nightbell as " + i.Role + ", so that you are told when something breaks."
}

// Note says how long there is, and what to do otherwise.
func (i Invitation) Note() string {
	return "The link works for seven days, for this address only. If you do not know who asks, do nothing."
}

// Text is the whole mail.
func (i Invitation) Text() string {
	return i.Lead() + "\n\nOpen this link to join:\n\n" + i.URL + "\n\n" + i.Note() + "\n"
}

// unlinked is a name in which no mail program finds an address: "Acme.io" becomes "Acme io".
func unlinked(name string) string {
	return Line(strings.NewReplacer(".", " ", "://", " ", "/", " ", "@", " ").Replace(name), longestForeign)
}
