package oncall

import (
	"math"
	"slices"
	"time"

	"github.com/google/uuid"
)

// layer is a rotation with what does not depend on the instant computed once.
type layer struct {
	*Rotation

	// anchor is the last handover (local time) at or before the start; later ones follow
	// at every length.
	anchor, length wallSeconds
	// first is the number of the last handover at the start, counted from the anchor.
	first wallSeconds
	// edges are the starts and ends of windows in a week, sorted; only for iteration.
	edges []wallSeconds
	// cached is the answer for the local times around the last seek.
	cached cachedPeople
}

// cachedPeople is who is on in local times [from, to), in which there is no handover and
// no edge of a window.
type cachedPeople struct {
	from, to wallSeconds
	people   []uuid.UUID
}

// maxWall is later than any local time.
const maxWall = wallSeconds(math.MaxInt64)

// newLayer prepares a rotation. An invalid rotation is false: it means nobody, as if it
// were not there.
func newLayer(r *Rotation, zone *time.Location) (layer, bool) {
	length, ok := r.length()
	if !ok || len(r.Turns) == 0 || !r.Handover.valid() || slices.ContainsFunc(r.Windows, Window.invalid) {
		return layer{}, false
	}
	l := layer{Rotation: r, length: length}
	l.anchor = r.anchor(wallAt(zone, r.Start))
	l.first = l.handover(latestWall(zone, r.Start))
	return l, true
}

// length is how long a turn lasts in local time; false when it is invalid.
func (r *Rotation) length() (wallSeconds, bool) {
	if r.Length < 1 || r.Length > r.Unit.longest() {
		return 0, false
	}
	return wallSeconds(r.Length) * r.Unit.wallSeconds(), true
}

func (u Unit) wallSeconds() wallSeconds {
	switch u {
	case Hour:
		return hour
	case Day:
		return day
	default:
		return week
	}
}

// longest is the greatest length of a turn; 0 for an unknown unit.
func (u Unit) longest() int {
	switch u {
	case Hour:
		return 720
	case Day:
		return 365
	case Week:
		return 52
	default:
		return 0
	}
}

// anchor is the last handover (local time) at or before the start.
func (r *Rotation) anchor(start wallSeconds) wallSeconds {
	anchor := start.midnight() + r.Handover.wallSeconds()
	every := day
	if r.Unit == Week {
		every = week
		anchor += wallSeconds(r.Weekday-start.weekday()) * day
	}
	return anchor + floorDiv(start-anchor, every)*every
}

// handover is the number of the last handover at or before w.
func (l *layer) handover(w wallSeconds) wallSeconds { return floorDiv(w-l.anchor, l.length) }

// people are who the layer puts on call at an instant, whose latest local time is w.
// The result belongs to the rotation: read only.
func (l *layer) people(at time.Time, w wallSeconds) []uuid.UUID {
	switch {
	case at.Before(l.Start) || (!l.End.IsZero() && !at.Before(l.End)):
		return nil
	case l.cached.from <= w && w < l.cached.to:
		return l.cached.people
	default:
		return l.peopleOnTurn(w)
	}
}

// peopleOnTurn is who has the turn at w; nobody outside the windows.
func (l *layer) peopleOnTurn(w wallSeconds) []uuid.UUID {
	if !l.inWindow(w) {
		return nil
	}
	turn := floorMod(l.handover(w)-l.first, wallSeconds(len(l.Turns)))
	return distinct(l.Turns[turn].People)
}

// seek caches the answer for the local times around w until the next change.
func (l *layer) seek(w wallSeconds) {
	if w < l.cached.from || l.cached.to <= w {
		l.cached = cachedPeople{l.lastChange(w), l.nextChange(w), l.peopleOnTurn(w)}
	}
}

// inWindow reports whether a window contains w. Without windows all times are in one.
func (l *layer) inWindow(w wallSeconds) bool {
	if len(l.Windows) == 0 {
		return true
	}
	today := w.midnight()
	return slices.ContainsFunc(l.Windows, func(window Window) bool {
		return window.contains(w, today) || window.contains(w, today-day)
	})
}

// contains reports whether w is in the window that begins on the day.
func (o Window) contains(w, on wallSeconds) bool {
	return o.beginsOn(on.weekday()) && on+o.From.wallSeconds() <= w && w < on+o.end()
}

func (o Window) beginsOn(d time.Weekday) bool { return len(o.Days) == 0 || slices.Contains(o.Days, d) }

// end is when the window ends, from the beginning of the day on which it begins.
func (o Window) end() wallSeconds {
	if o.To <= o.From {
		return day + o.To.wallSeconds()
	}
	return o.To.wallSeconds()
}

// invalid reports whether a time of the window is no time of day.
func (o Window) invalid() bool { return !o.From.valid() || !o.To.valid() }

func (c Clock) valid() bool { return 0 <= c && c < 24*60 }

// windowEdges are the starts and ends of windows in a week, sorted.
func (l *layer) windowEdges() (edges []wallSeconds) {
	for _, window := range l.Windows {
		for weekday := range wallSeconds(7) {
			if window.beginsOn(time.Weekday(weekday)) {
				edges = append(edges, floorMod(weekday*day+window.From.wallSeconds(), week), floorMod(weekday*day+window.end(), week))
			}
		}
	}
	slices.Sort(edges)
	return slices.Compact(edges)
}

// nextChange is the first local time after w at which the layer may mean other people, or
// maxWall.
func (l *layer) nextChange(w wallSeconds) wallSeconds {
	next := maxWall
	if len(l.Turns) > 1 {
		next = l.anchor + (l.handover(w)+1)*l.length
	}
	if len(l.edges) > 0 {
		sunday := w - w.inWeek()
		edge := sunday + week + l.edges[0]
		if i, _ := slices.BinarySearch(l.edges, w.inWeek()+1); i < len(l.edges) {
			edge = sunday + l.edges[i]
		}
		next = min(next, edge)
	}
	return next
}

// lastChange is the last local time at or before w at which the layer may have begun to
// mean these people, or -maxWall.
func (l *layer) lastChange(w wallSeconds) wallSeconds {
	last := -maxWall
	if len(l.Turns) > 1 {
		last = l.anchor + l.handover(w)*l.length
	}
	if n := len(l.edges); n > 0 {
		sunday := w - w.inWeek()
		edge := sunday - week + l.edges[n-1]
		if i, _ := slices.BinarySearch(l.edges, w.inWeek()+1); i > 0 {
			edge = sunday + l.edges[i-1]
		}
		last = max(last, edge)
	}
	return last
}

// distinct is the people without repetitions and without Nil, in their order. It
// returns what it was given when there is nothing to leave out.
func distinct(people []uuid.UUID) []uuid.UUID {
	for i, person := range people {
		if person == uuid.Nil || slices.Contains(people[:i], person) {
			rest := people[:i:i]
			for _, other := range people[i:] {
				if other != uuid.Nil && !slices.Contains(rest, other) {
					rest = append(rest, other)
				}
			}
			return rest
		}
	}
	return people
}
