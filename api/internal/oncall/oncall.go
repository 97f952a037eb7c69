// Package oncall answers who is on call: rotations laid over each other, overrides on
// top, in the schedule's own time zone. It is pure; an instant is always an argument.
//
// Two questions, one answer: At (at.go) for an instant, Shifts (shifts.go) for a
// range. Paging, screens, iCal, gap detection and preview all ask here, so that who is
// shown is always who is paged. wallclock.go is local time across changes of clocks,
// layer.go one rotation, override.go what overrides do to it. Neighbours: oncalldb reads schedules, escalation
// asks whom a target means, ical.go writes calendars (RFC 5545) with golang-ical.
package oncall

import (
	"time"

	"github.com/google/uuid"
)

// Schedule is who is on call when.
type Schedule struct {
	ID   uuid.UUID
	Name string
	// Zone is the time zone of all its times of day. Never nil.
	Zone *time.Location
	// Active is false for a schedule that is switched off: it means nobody.
	Active bool
	// Rotations are layers: where several are on at once, the later one wins.
	Rotations []Rotation
	// Overrides win over every rotation, and the one created last over the others.
	Overrides []Override
}

// Rotation is one layer: turns that follow each other at a fixed cadence.
type Rotation struct {
	ID   uuid.UUID
	Name string
	// Turns come in order and begin again after the last. Turn 0 is on at Start.
	Turns []Turn
	// Unit and Length say how long a turn lasts in local time: 1 week, 12 hours.
	Unit   Unit
	Length int
	// Handover is the time of day at which turns change, and Weekday the day for Week.
	// For Hour it is the time of day that the hours are counted from.
	Handover Clock
	Weekday  time.Weekday
	// Start is when the layer begins, End when it ends; a zero End means never. The
	// first turn lasts from Start to the first handover after it.
	Start, End time.Time
	// Windows are when the layer is active at all; none means always. Outside of them
	// the cadence goes on and the layer means nobody.
	Windows []Window
}

// Turn is who is on together. A turn without people is a vacant seat: it keeps the
// cadence, and lower layers show through.
type Turn struct{ People []uuid.UUID }

// Unit is what the length of a turn counts.
type Unit string

// The units. All of them are counted in the local time of the schedule, so that a
// handover at 08:00 stays at 08:00 when clocks change.
const (
	Hour Unit = "hour"
	Day  Unit = "day"
	Week Unit = "week"
)

// Clock is a local time of day in minutes since midnight, 0 to 1439.
type Clock int

// Window is a time of day on some days of the week. One that ends at or before its
// beginning ends on the next day; equal ends are a whole day.
type Window struct {
	// Days are those on which the window begins; none means every day.
	Days     []time.Weekday
	From, To Clock
}

// Override changes a schedule for a while. Start is included, End is not.
type Override struct {
	ID   uuid.UUID
	Kind OverrideKind
	// Person comes on; Nil for Vacant.
	Person uuid.UUID
	// Replaces is who is covered; only for Cover.
	Replaces   uuid.UUID
	Start, End time.Time
	// CreatedAt orders overrides: the later one wins, and the greater ID at one instant.
	CreatedAt time.Time
	Reason    string
}

// OverrideKind is what an override does.
type OverrideKind string

// The kinds of overrides.
const (
	// TakeOver puts one person on call instead of everybody.
	TakeOver OverrideKind = "take_over"
	// Cover puts one person in the place of another, whenever that one would be on:
	// also in the place of who covers that one already.
	Cover OverrideKind = "cover"
	// Vacant means that nobody is on call, on purpose. It is still a gap.
	Vacant OverrideKind = "vacant"
)

// Duty is who is on call and why. Without people it is a gap.
type Duty struct {
	// People are who is on call, each once, in the order of their turn.
	People []uuid.UUID
	// Because names what decided.
	Because Source
}

// Source is the layer or override that decided who is on call.
type Source struct {
	Kind SourceKind
	// ID is that of the rotation or override; Nil for the other kinds.
	ID uuid.UUID
	// Name is the rotation's name; empty for the other kinds.
	Name string
}

// SourceKind is what sort of thing decided.
type SourceKind string

// The sources of a duty.
const (
	FromRotation SourceKind = "rotation"
	FromOverride SourceKind = "override"
	// FromNothing means that no layer is on.
	FromNothing SourceKind = "nothing"
	// FromInactive means that the schedule is switched off.
	FromInactive SourceKind = "inactive"
)

// Shift is a duty that lasts. Start is included, End is not.
type Shift struct {
	Start, End time.Time
	Duty
}
