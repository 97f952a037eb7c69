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
