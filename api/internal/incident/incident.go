// Package incident is the life of an incident as pure rules: what each command
// does in each state. Nothing here reads a clock or a database.
//
// Decide in lifecycle.go is the one place where a status changes; paging turns its
// outcome into rows. Neighbours: alert (what opens incidents), escalation (who is
// paged while an incident is triggered).
package incident

import (
	"time"

	"github.com/google/uuid"

	"github.com/nightbell/nightbell/api/internal/alert"
)

// MaxDetails is how large the tags and metadata of an incident may be together, in bytes of
// JSON.
const MaxDetails = 16 << 10

// Status is where an incident is in its life (spec section 4).
type Status string

// The statuses. Resolved is final; trouble that returns opens a new incident.
const (
	Triggered    Status = "triggered"
	Acknowledged Status = "acknowledged"
	Resolved     Status = "resolved"
)

// Open reports whether somebody still has to do something about it.
func (s Status) Open() bool { return s == Triggered || s == Acknowledged }

// Urgency chooses which notification rules apply.
type Urgency string

// The urgencies.
const (
	HighUrgency Urgency = "high"
	LowUrgency  Urgency = "low"
)

// UrgencyOf gives the urgency of a severity: only low severity may wait.
func UrgencyOf(severity alert.Severity) Urgency {
	if severity == alert.Low {
		return LowUrgency
	}
	return HighUrgency
}

// Actor is who does something.
type Actor struct {
	Kind ActorKind
	// ID is Nil for the system.
	ID   uuid.UUID
	Name string
}

// ActorKind is what sort of actor it is, as stored in the timeline.
type ActorKind string

// The kinds of actors.
const (
	System ActorKind = "system"
	User   ActorKind = "user"
	APIKey ActorKind = "api_key"
)

// Incident is the part of an incident that rules look at.
type Incident struct {
	ID             uuid.UUID
	OrgID          uuid.UUID
	Status         Status
	Severity       alert.Severity
	AssigneeID     uuid.UUID
	AcknowledgedBy uuid.UUID
	// AcknowledgedAt is when it was acknowledged first since it was triggered last.
	AcknowledgedAt time.Time
	// ConfirmedAt is when a higher severity was acknowledged since; zero when none was.
	ConfirmedAt time.Time
	// AcknowledgedSeverity is the severity that it had when it was acknowledged last, or the lower one
	// that somebody has given it since.
	AcknowledgedSeverity alert.Severity
	// SnoozedUntil is when its acknowledgement ends; zero when it was not given for a time.
	SnoozedUntil time.Time
	// MergedIntoID is the incident that took it in; zero when none did.
	MergedIntoID uuid.UUID
	// Lowered is set once somebody said that it is less bad than its alerts do.
	Lowered    bool
	ResolvedBy uuid.UUID
	ResolvedAt time.Time
	Version    int
}

// WantsConfirmation reports whether the incident became more severe since it was
// acknowledged: whoever has it is asked to acknowledge it again.
func (i Incident) WantsConfirmation() bool {
	return i.Status == Acknowledged && i.AcknowledgedSeverity != "" && i.Severity.Rank() < i.AcknowledgedSeverity.Rank()
}

// AnsweredAt is when somebody last said that they have it: the limit of an acknowledgement
// counts from then. It is zero while nobody has.
func (i Incident) AnsweredAt() time.Time {
	if i.ConfirmedAt.IsZero() {
		return i.AcknowledgedAt
	}
	return i.ConfirmedAt
}

// Event is one line of the timeline.
type Event struct {
	// Kind is one of the words of TimelineEvent.kind in the contract.
	Kind    string
	Actor   Actor
	Message string
	Data    map[string]any
}

// Paging is what a command means for the escalation of the incident.
type Paging string

// What may happen to the paging.
const (
	LeavePaging Paging = "leave"   // nothing changes
	StopPaging  Paging = "stop"    // nobody else is paged
	NextStep    Paging = "next"    // the next step is due now
	GoOn        Paging = "on"      // the next step is due now, unless maintenance or a quiet time puts it off
	FirstStep   Paging = "first"   // a new cycle begins at the first step
	TellRise    Paging = "rise"    // the severity rose while it was triggered
	AskAgain    Paging = "confirm" // the severity rose after it was acknowledged
	KnowLess    Paging = "lower"   // somebody lowered the severity: one that rises after that is news
	StopAndAsk  Paging = "answer"  // both at once: it rose before the answer came, which did not see that
)

// Outcome is what a command does.
type Outcome struct {
	Next Incident
	// Changed is false for a harmless repeat; the caller still writes (design rule 3).
	Changed bool
	Paging  Paging
	Events  []Event
}
