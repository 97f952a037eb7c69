package oncall

import (
	"time"

	"github.com/nightbell/nightbell/api/internal/kernel/clock"
)

// Transition is a change of the clocks of a zone.
type Transition struct {
	At time.Time
	// Before and After are how far clocks are ahead of UTC, in seconds. Where After is
	// greater, local time is left out; where it is less, local time comes twice.
	Before, After int
}

// transitionStep is the distance at which Transitions compares offsets: shorter than that
// between two changes.
const transitionStep = 24 * time.Hour

// Transitions is when the clocks of a zone change in [from, to). A new name of the same
// time is none.
func Transitions(zone *time.Location, from, to time.Time) (list []Transition) {
	if zone == nil || !from.Before(to) {
		return nil
	}
	last := to.Add(-time.Nanosecond)
	for t := from.Add(-time.Nanosecond); t.Before(last); {
		next := clock.Earlier(t.Add(transitionStep), last)
		if before, after := offset(zone, t), offset(zone, next); before != after {
			list = append(list, Transition{offsetChange(zone, t, next), int(before), int(after)})
		}
		t = next
	}
	return list
}
