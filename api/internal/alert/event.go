package alert

import (
	"crypto/sha256"
	"time"

	"github.com/google/uuid"
)

// Action is what an event wants.
type Action string

// The actions of events.
const (
	Trigger     Action = "trigger"
	Acknowledge Action = "acknowledge"
	Resolve     Action = "resolve"
)

// EventStatus is what became of an event.
type EventStatus string

// What may become of an event.
const (
	EventCreated      EventStatus = "created"      // it opened an incident
	EventDeduplicated EventStatus = "deduplicated" // it joined the open one
	EventAcknowledged EventStatus = "acknowledged"
	EventResolved     EventStatus = "resolved"
	EventIgnored      EventStatus = "ignored" // there was nothing for it to do
)

// Event is what a call of POST /v1/events says besides the alert that it is about. Whoever
// stores it fills in Outcome.
type Event struct {
	// ID names the call. A second one with the same ID is told what became of the first.
	ID uuid.UUID
	// Hash is of what was sent: a second call that says something else is refused.
	Hash   [sha256.Size]byte
	Action Action
	// By names the key that sent it.
	By string
	// Tags, metadata and the rest of it as JSON objects: what the incident shows, and what is
	// kept with the alert.
	IncidentDetails, AlertDetails []byte
	Outcome                       Outcome
}

// Outcome is what became of an event.
type Outcome struct {
	Status EventStatus
	// IncidentID is Nil, and Number 0, when it was ignored.
	IncidentID uuid.UUID
	Number     int
	// Replayed is set when the call was made before, Mismatch when it said something else then.
	Replayed, Mismatch bool
	// Again is set when another request was changing the incident: nothing is stored of the event,
	// and it must be stored again.
	Again bool
}

// lateAfter is how old an event is that its sender kept back, while it could not reach us.
const lateAfter = time.Hour

// IsLate reports whether an event was kept back for long before it arrived at now.
func (r Received) IsLate(now time.Time) bool {
	return r.Event != nil && !r.StartsAt.IsZero() && now.Sub(r.StartsAt) > lateAfter
}
