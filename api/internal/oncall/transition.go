package oncall

import "time"

// Transition is a change of the clocks of a zone.
type Transition struct {
	At time.Time
	// Before and After are how far clocks are ahead of UTC, in seconds. Where After is
	// greater, wall time is left out; where it is less, wall time comes twice.
	Before, After int
}

// Transitions is when the clocks of a zone change in [from, to). A new name of the same
// time is none.
func Transitions(zone *time.Location, from, to time.Time) (list []Transition) {
	if zone == nil {
		return nil
	}
	for local := from.Add(-time.Nanosecond).In(zone); ; {
		_, end := local.ZoneBounds()
		if end.IsZero() || !end.Before(to) {
			return list
		}
		_, before := end.Add(-time.Second).Zone()
		if _, after := end.Zone(); after != before {
			list = append(list, Transition{end.UTC(), before, after})
		}
		local = end
	}
}
