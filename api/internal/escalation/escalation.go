// Package escalation decides who is paged next and when, as a pure function of a
// snapshot and a time. Nothing here reads a clock, a database or randomness, and
// nothing starts a goroutine (design section 2, rule 4).
//
// Decide in decide.go is called by the sweeper for every incident that is due and
// by flow when an incident opens. Neighbours: oncall (who a schedule means at an
// instant), notify (how a person is reached).
package escalation

import (
	"fmt"
	"time"

	"github.com/google/uuid"
)

// Policy is who is paged in which order.
type Policy struct {
	ID   uuid.UUID
	Name string
	// Repeats is how often the steps start again when nobody answered.
	Repeats int
	Steps   []Step
}

// Step is paged at once and waits Delay for an answer before the next one is due.
type Step struct {
	Delay   time.Duration
	Targets []Target
}

// Target is one line of a step, already resolved to people or a channel.
type Target struct {
	// Name is for the timeline: "24/7 Support".
	Name string
	// People are who the target means right now; empty when it means nobody.
	People []uuid.UUID
	// Channel is a shared contact method; Nil for targets that mean people.
	Channel uuid.UUID
}

// Status is where the paging of an incident stands.
type Status string

// The statuses of paging.
const (
	Active    Status = "active"    // the next step is due at NextDueAt
	Stopped   Status = "stopped"   // somebody answered, or the incident was resolved
	Exhausted Status = "exhausted" // every step of every round was paged
)

// State is what is stored between decisions.
type State struct {
	// Cycle counts how often paging began anew for this incident, from 1.
	Cycle int
	// Round counts repeats of the policy, from 0.
	Round int
	// Step is the step that is paged at NextDueAt, from 0.
	Step   int
	Status Status
	// NextDueAt is zero unless Active.
	NextDueAt time.Time
	// Reason says in words why it is not active.
	Reason string
}

// Snapshot is all that a decision depends on, besides the time.
type Snapshot struct {
	State  State
	Policy Policy
	// Owners are paged when no step of a round means anybody: the last resort.
	Owners []uuid.UUID
}

// Effect is something that the decision wants done.
type Effect struct {
	Kind EffectKind
	// Round and Step are the ones the effect belongs to, from 0.
	Round, Step int
	// UserID is set for PagePerson, ContactMethodID for PageChannel.
	UserID          uuid.UUID
	ContactMethodID uuid.UUID
	// Message is for the timeline.
	Message string
}

// EffectKind is what sort of effect it is.
type EffectKind string

// The effects.
const (
	PagePerson   EffectKind = "page_person"
	PageChannel  EffectKind = "page_channel"
	NobodyOnCall EffectKind = "nobody_on_call" // a step meant nobody and was skipped
	LastResort   EffectKind = "last_resort"    // the owners are paged because nobody else was
	RanOut       EffectKind = "exhausted"      // nothing follows
)

// Key is the effect's identity for one contact method of an incident. It is unique
// in the database, so that deciding twice cannot page twice.
func (e Effect) Key(incident uuid.UUID, cycle int, contact uuid.UUID, n int) string {
	target := e.UserID
	if e.Kind == PageChannel {
		target = e.ContactMethodID
	}
	return fmt.Sprintf("%s/%d/%d.%d/%s/%s/%d", incident, cycle, e.Round, e.Step, target, contact, n)
}
