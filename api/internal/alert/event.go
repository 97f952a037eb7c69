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

// clockOff is how far from ours a sender's clock is that is corrected. It is more than any request takes to arrive, so
// that a slow one is not taken for a wrong clock. What was sent within sentAtOnce of its happening happened now: its
// order is that of arrival, as requests do not all take as long.
const (
	clockOff   = 2 * time.Minute
	sentAtOnce = 10 * time.Second
)

// occurred is when r happened by our clock, and never later than now: the sender's word, or where its clock is wrong
// by minutes, as long ago as it says that it was when it was sent. r must say a time.
func (r Received) occurred(now time.Time) time.Time {
	at := r.StartsAt
	if !r.SentAt.IsZero() && now.Sub(r.SentAt).Abs() > clockOff {
		age := r.SentAt.Sub(r.StartsAt)
		if age < sentAtOnce {
			age = 0
		}
		at = now.Add(-age)
	}
	if at.After(now) {
		at = now
	}
	return asStored(at)
}

// lateAfter is how old an event is that its sender kept back, while it could not reach us.
const lateAfter = time.Hour

// IsLate reports whether an event was kept back for long before it arrived at now.
func (r Received) IsLate(now time.Time) bool {
	return r.Event != nil && !r.StartsAt.IsZero() && now.Sub(r.occurred(now)) > lateAfter
}

// eventStart is the time that orders an event among the others about its problem: when it
// occurred, but never later than now, so that a clock that is ahead cannot outrank what follows.
// A clock that is wrong keeps the order of what it tells itself, so its word stands, unless others told something
// later: then it is corrected, or what happens after their end would seem to lie before it.
// A resolve that says no time ends whatever is known.
func eventStart(r Received, before *Stored, now time.Time) time.Time {
	start := asStored(now)
	switch {
	case !r.StartsAt.IsZero() && r.StartsAt.Before(now):
		start = asStored(r.StartsAt)
		if before != nil && !start.After(before.StartsAt) {
			start = later(start, r.occurred(now))
		}
	case before != nil && r.Event.Action == Resolve:
		start = later(start, before.StartsAt)
	}
	return start
}
