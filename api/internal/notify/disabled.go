package notify

import (
	"time"

	"github.com/google/uuid"
)

// WebhookDisabled is the mail to an owner that a webhook subscription is told nothing any more.
type WebhookDisabled struct {
	ID, OrgID  uuid.UUID
	To         Contact
	PersonName string
	// Name is the subscription's, Reason a sentence.
	Name, Reason string
	// URL is where people reach this installation.
	URL    string
	SentAt time.Time
}

// Envelope is to whom it goes.
func (d WebhookDisabled) Envelope() Envelope {
	return Envelope{d.ID, d.OrgID, d.To, d.PersonName, d.SentAt}
}

// Subject names the subscription.
func (d WebhookDisabled) Subject() string {
	return "[Nightbell] The webhook subscription " + Line(d.Name, maxName) + " is disabled"
}

// Lead is what happened.
func (d WebhookDisabled) Lead() string {
	return Line(d.Reason, 200) + " Nothing is sent to it any more."
}

// Note is what to do.
func (d WebhookDisabled) Note() string {
	return "Once its receiver works, enable it again and replay what it missed; what happens is kept meanwhile."
}

// Text is the whole mail.
func (d WebhookDisabled) Text() string {
	return "The webhook subscription " + Line(d.Name, maxName) + " is disabled.\n\n" + d.Lead() + "\n\n" + d.Note() + "\n\n" + d.URL + "\n"
}
