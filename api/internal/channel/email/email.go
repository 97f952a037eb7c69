// Package email pages people by mail: it renders a message as plain text and as
// HTML (render.go; frame.html around page.html) and hands it to a mail server (Server,
// server.go), or, where there is none, to the built-in inbox (Inbox, inbox.go). Notices
// take the same way.
package email

import (
	"fmt"
	"net/mail"
	"strings"
	"time"

	"github.com/google/uuid"

	"github.com/nightbell/nightbell/api/internal/notify"
)

// Mail is a rendered message.
type Mail struct {
	OrgID   uuid.UUID
	From    mail.Address
	To      mail.Address
	Subject string
	Text    string
	HTML    string
	SentAt  time.Time
	// MessageID is the same for every try to deliver the same pages, so that a
	// mail server that has it already may drop the second copy.
	MessageID string
	// Threads are the ids that make mail about one incident one conversation.
	Threads []string
	// Urgent is set when somebody must act now.
	Urgent bool
}

// ParseSender reads the address that mail comes from, such as
// "Nightbell <nightbell@example.com>". Without a name it is called Nightbell.
func ParseSender(text string) (mail.Address, error) {
	sender, err := mail.ParseAddress(text)
	if err != nil || !strings.Contains(sender.Address, "@") {
		return mail.Address{}, fmt.Errorf("%q is not an e-mail address; expected something like Nightbell <nightbell@example.com>", text)
	}
	if sender.Name == "" {
		sender.Name = "Nightbell"
	}
	return *sender, nil
}

// parseRecipient refuses for good what is not one plain address.
func parseRecipient(address, person string) (mail.Address, error) {
	parsed, err := mail.ParseAddress(address)
	if err != nil || parsed.Name != "" {
		return mail.Address{}, notify.Permanent(fmt.Errorf("the contact method holds no valid e-mail address; correct it in the settings"))
	}
	return mail.Address{Name: notify.Line(person, 100), Address: parsed.Address}, nil
}
