package oncall

import (
	"slices"
	"time"
)

// InWindow reports whether one of the windows contains an instant, in the local time of a
// zone, as for a rotation. Without windows, or with an invalid one, it is always true.
func InWindow(windows []Window, zone *time.Location, at time.Time) bool {
	if len(windows) == 0 || slices.ContainsFunc(windows, Window.invalid) {
		return true
	}
	l := layer{Rotation: &Rotation{Windows: windows}}
	return l.inWindow(latestWall(zone, at))
}

// WindowEnds are the instants after one at which windows end, in no particular order. They
// reach eight days ahead: windows return each week, so what has no end by then has none.
func WindowEnds(windows []Window, zone *time.Location, after time.Time) (ends []time.Time) {
	today := latestWall(zone, after).midnight()
	for _, window := range windows {
		for ahead := wallSeconds(-1); ahead <= 8; ahead++ {
			on := today + ahead*day
			if end := (on + window.end()).firstInstant(zone); window.beginsOn(on.weekday()) && end.After(after) {
				ends = append(ends, end)
			}
		}
	}
	return ends
}
