package oncall

import (
	"cmp"
	"slices"
	"time"

	"github.com/google/uuid"

	"github.com/nightbell/nightbell/api/internal/kernel/clock"
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

// Booking is the shifts of one schedule.
type Booking struct {
	Schedule uuid.UUID
	Shifts   []PersonShift
}

// DoubleBooked calls found for each time that a person is on call for two of the
// schedules at once, soonest first. Somebody on three has three conflicts, one for each
// pair. It returns false when the budget ended first.
func DoubleBooked(booked []Booking, budget *Budget, found func(Conflict)) bool {
	// 1. All shifts in the order of their beginning.
	type entry struct {
		PersonShift
		schedule int
	}
	var all []entry
	for i, b := range booked {
		for _, shift := range b.Shifts {
			all = append(all, entry{shift, i})
		}
	}
	slices.SortStableFunc(all, func(a, b entry) int {
		return cmp.Or(a.Start.Compare(b.Start), cmp.Compare(a.schedule, b.schedule))
	})
	// 2. Each shift conflicts with those of its person that have begun and not ended.
	open := map[uuid.UUID][]entry{}
	for _, e := range all {
		others := slices.DeleteFunc(open[e.Person], func(other entry) bool { return !other.End.After(e.Start) })
		if !budget.spend(1 + len(others)) {
			return false
		}
		for _, other := range others {
			first, second := min(other.schedule, e.schedule), max(other.schedule, e.schedule)
			if booked[first].Schedule != booked[second].Schedule {
				found(Conflict{e.Person, booked[first].Schedule, booked[second].Schedule, e.Start, clock.Earlier(e.End, other.End)})
			}
		}
		open[e.Person] = append(others, e)
	}
	return true
}
