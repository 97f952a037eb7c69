package oncall

import (
	"slices"
	"time"

	"github.com/google/uuid"
)

// Conflict is a person on call for two schedules at once: if one is there to back up
// the other, it backs up nobody.
type Conflict struct {
	Person uuid.UUID
	// First and Second are the schedules, in the order in which they were given.
	First, Second uuid.UUID
	// Start is included, End is not. Both schedules may hand over in between.
	Start, End time.Time
}

// DoubleBooked is when in [from, to) a person is on call for two of the schedules at
// once, soonest first. Somebody on three has three conflicts, one for each pair.
func DoubleBooked(schedules []Schedule, from, to time.Time) (list []Conflict) {
	type booking struct {
		schedule uuid.UUID
		PersonShift
	}
	booked := map[uuid.UUID][]booking{}
	for _, s := range schedules {
		for _, shift := range PersonShifts(s, from, to) {
			for _, other := range booked[shift.Person] {
				start, end := latest(shift.Start, other.Start), earliest(shift.End, other.End)
				if other.schedule != s.ID && start.Before(end) {
					list = append(list, Conflict{shift.Person, other.schedule, s.ID, start, end})
				}
			}
			booked[shift.Person] = append(booked[shift.Person], booking{s.ID, shift})
		}
	}
	slices.SortStableFunc(list, func(a, b Conflict) int { return a.Start.Compare(b.Start) })
	return list
}

// HiddenOverrides is the overrides that make no difference in what is left of them in
// [from, to): later ones win all the time, or who is to be covered is never on.
func HiddenOverrides(s Schedule, from, to time.Time) (hidden []Override) {
	for i, o := range s.Overrides {
		start, end := latest(plain(o.Start), plain(from)), earliest(plain(o.End), plain(to))
		if !start.Before(end) {
			continue
		}
		rest := s
		rest.Overrides = slices.Delete(slices.Clone(s.Overrides), i, i+1)
		if slices.EqualFunc(peopleIn(s, start, end), peopleIn(rest, start, end), Shift.alike) {
			hidden = append(hidden, o)
		}
	}
	return hidden
}

// peopleIn is the range cut only where people come or go.
func peopleIn(s Schedule, from, to time.Time) []Shift {
	return planOf(&s, from, to).walking().shifts(from, to, func(a, b Duty) bool { return samePeople(a.People, b.People) })
}

// alike reports whether two shifts have the same people at the same time.
func (s Shift) alike(other Shift) bool {
	return s.Start.Equal(other.Start) && s.End.Equal(other.End) && samePeople(s.People, other.People)
}
