package oncall

import (
	"slices"
	"time"
)

// Open reports whether one of the windows holds an instant on the wall clock of a zone,
// as it does for a rotation. Without windows it is always open, and windows that cannot
// be understood keep nobody out.
func Open(windows []Window, zone *time.Location, at time.Time) bool {
	if len(windows) == 0 || slices.ContainsFunc(windows, Window.broken) {
		return true
	}
	l := layer{Rotation: &Rotation{Windows: windows}}
	return l.open(reached(zone, at))
}
