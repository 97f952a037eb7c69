// Package notify is how people are reached: which of a person's contact methods a
// page goes to and when (plan.go), what a message says (message.go), and the port
// that every channel implements.
//
// The outbox that claims due notifications and hands them to channels is
// notify/notifydb and notify/outbox.go; adapters live in internal/channel/<vendor>.
package notify

import (
	"context"
	"time"

	"github.com/google/uuid"

	"github.com/nightbell/nightbell/api/internal/alert"
)

// Kind is a way to reach somebody.
type Kind string

// The kinds of contact methods.
const (
	Email   Kind = "email"
	SMS     Kind = "sms"
	Voice   Kind = "voice"
	Push    Kind = "push"
	Webhook Kind = "webhook"
	Slack   Kind = "slack"
)

// Word is how a sentence calls it: "Ada was paged by e-mail".
func (k Kind) Word() string {
	switch k {
	case Email:
		return "e-mail"
	case Voice:
		return "call"
	case SMS:
		return "SMS"
	case Slack:
		return "Slack"
	default:
		return string(k)
	}
}

// TellsRepeats reports whether a receiver can tell that a message came twice, by Message.ID: then one whose outcome
// is not known is tried like any other. A person would read each copy.
func (k Kind) TellsRepeats() bool { return k == Webhook }

// Kinds lists the channels that exist now; each has its own queue, so that a slow
// one never delays another.
var Kinds = []Kind{Email, Webhook, Slack}

// Contact is where a message goes, opened for sending. It is never logged.
type Contact struct {
	ID   uuid.UUID
	Kind Kind
	Name string
	// Address is an e-mail address or a URL.
	Address string
	// Secret signs webhook messages; empty for other kinds.
	Secret []byte
}

// Message is one message to one contact. It may carry many incidents.
type Message struct {
	// ID is the same for every try to deliver the same pages; a provider that sees
	// it twice may drop the second.
	ID uuid.UUID
	// DeliveryID names this try in the delivery log.
	DeliveryID uuid.UUID

	OrgID   uuid.UUID
	OrgName string
	To      Contact
	// UserID is Nil and PersonName empty for a shared channel.
	UserID     uuid.UUID
	PersonName string
	// Incidents are ordered: most severe first, then newest first. Never empty, unless Test is set.
	Incidents []Incident
	// AckURL opens a page where a person can acknowledge all of them; opening it
	// changes nothing. Empty for shared channels.
	AckURL string
	SentAt time.Time
	// SignInURL is set instead of all text of the organization when the address is not
	// verified: the message says only that somebody is needed, and where.
	SignInURL string
	// Tries counts how often what it tells of was tried, with this try, or is one where it only finds out whether
	// the provider answers again.
	Tries int
	// Test is set for a message that somebody sends themselves to see that it arrives. It is about no
	// incident and asks for nothing.
	Test bool
}

// Incident is what a message says of one incident.
type Incident struct {
	ID          uuid.UUID
	Number      int
	Title       string
	Description string
	Severity    alert.Severity
	Status      string
	// Unanswered reports whether nobody has answered yet what the page is about: it is
	// triggered, or became more severe since it was acknowledged and this page tells of that.
	Unanswered  bool
	ServiceName string
	// Reason says why this person is paged, in words.
	Reason string
	URL    string
	// RunbookURL says what to do; empty when its service names none.
	RunbookURL  string
	TriggeredAt time.Time
	AlertCount  int
}

// Receipt is what a provider said when it took a message.
type Receipt struct {
	// ProviderID names the message at the provider; empty when it gives none.
	ProviderID string
	// Detail is shown in the delivery log, for example "250 queued".
	Detail string
}

// Channel hands a message to a provider. It returns nil once the provider has taken responsibility, an error marked by
// Permanent when trying again cannot help, and any other error when it may; failure.go has the other marks. It stops
// when ctx ends.
type Channel interface {
	Send(ctx context.Context, message Message) (Receipt, error)
}
