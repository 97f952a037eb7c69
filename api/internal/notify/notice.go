package notify

import (
	"context"
	"time"

	"github.com/google/uuid"
)

// Notice is a mail that is no page: nobody has to act on it at night, and it never delays
// one. Handover, Verification, Invitation, PasswordReset, PasswordChanged,
// WebhookDisabled and IncidentNews are all there are.
type Notice interface {
	Envelope() Envelope
	// Subject is its one line, Text the whole of it as plain text.
	Subject() string
	Text() string
}

// Envelope is to whom a message goes.
type Envelope struct {
	// ID is the same for every try to deliver it.
	ID, OrgID uuid.UUID
	To        Contact
	// PersonName may be empty.
	PersonName string
	SentAt     time.Time
}

// NoticeChannel is a Channel that carries notices. SendNotice keeps the promises of
// Channel.Send.
type NoticeChannel interface {
	SendNotice(ctx context.Context, notice Notice) (Receipt, error)
}
