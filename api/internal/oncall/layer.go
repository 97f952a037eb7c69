package oncall

import (
	"math"
	"slices"
	"time"

	"github.com/google/uuid"
)

// layer is a rotation of which everything is worked out that does not depend on the
// instant.
type layer struct {
	*Rotation

	// anchor is the last handover on the wall at or before the start, and length the
	// distance to the next ones.
	anchor, length wall
	// first is the number of the handover that was the last one at the start, counted
	// from the anchor.
	first wall
	// edges are where windows begin and end in a week, sorted; only for walking.
	edges []wall
	// calm is the last stretch that was walked through.
	calm calm
}

// calm is a stretch of wall time in which a layer has nothing to decide: no handover and
// no end of a window is within [from, to).
type calm struct {
	from, to wall
	people   []uuid.UUID
}

// forEver is later than any wall time.
const forEver = wall(math.MaxInt64)

// layerOf works a rotation out. A rotation that cannot be understood is false: it means
// nobody, as if it were not there.
func layerOf(r *Rotation, zone *time.Location) (layer, bool) {
	length, ok := r.length()
	if !ok || len(r.Turns) == 0 || !r.Handover.valid() || slices.ContainsFunc(r.Windows, Window.broken) {
		return layer{}, false
	}
	l := layer{Rotation: r, length: length}
	l.anchor = r.anchor(shown(zone, r.Start))
	l.first = l.handover(reached(zone, r.Start))
	return l, true
}

// length is how long a turn lasts on the wall; false when that makes no sense.
func (r *Rotation) length() (wall, bool) {
	if r.Length < 1 || r.Length > r.Unit.longest() {
		return 0, false
	}
	return wall(r.Length) * r.Unit.wall(), true
}

func (u Unit) wall() wall {
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

// anchor is the last handover on the wall at or before the start.
func (r *Rotation) anchor(start wall) wall {
	anchor := start.midnight() + r.Handover.wall()
	every := day
	if r.Unit == Week {
		every = week
		anchor += wall(r.Weekday-start.weekday()) * day
	}
	return anchor + quotient(start-anchor, every)*every
}

// handover is the number of the last handover when clocks have reached w.
func (l *layer) handover(w wall) wall { return quotient(w-l.anchor, l.length) }

// people are who the layer puts on call at an instant, for which clocks have reached w.
// The result belongs to the rotation: it is to be read only.
func (l *layer) people(at time.Time, w wall) []uuid.UUID {
	switch {
	case at.Before(l.Start) || (!l.End.IsZero() && !at.Before(l.End)):
		return nil
	case l.calm.from <= w && w < l.calm.to:
		return l.calm.people
	default:
		return l.seated(w)
	}
}

// seated is who has the turn when clocks have reached w, if the windows let it through.
func (l *layer) seated(w wall) []uuid.UUID {
	if !l.open(w) {
		return nil
	}
	turn := modulo(l.handover(w)-l.first, wall(len(l.Turns)))
	return distinct(l.Turns[turn].People)
}

// walkTo readies the layer for instants about w, so that what does not change from one
// to the next is worked out once.
func (l *layer) walkTo(w wall) {
	if w < l.calm.from || l.calm.to <= w {
		l.calm = calm{l.upTo(w), l.after(w), l.seated(w)}
	}
}

// open reports whether the windows let the layer through.
func (l *layer) open(w wall) bool {
	if len(l.Windows) == 0 {
		return true
	}
	today := w.midnight()
	return slices.ContainsFunc(l.Windows, func(window Window) bool {
		return window.holds(w, today) || window.holds(w, today-day)
	})
}

// holds reports whether w is in the window that begins on the day.
func (o Window) holds(w, on wall) bool {
	return o.beginsOn(on.weekday()) && on+o.From.wall() <= w && w < on+o.end()
}

func (o Window) beginsOn(d time.Weekday) bool { return len(o.Days) == 0 || slices.Contains(o.Days, d) }

// end is when the window ends, from the beginning of the day on which it begins.
func (o Window) end() wall {
	if o.To <= o.From {
		return day + o.To.wall()
	}
	return o.To.wall()
}

// broken reports whether the window cannot be understood.
func (o Window) broken() bool { return !o.From.valid() || !o.To.valid() }

func (c Clock) valid() bool { return 0 <= c && c < 24*60 }

// weekEdges are where windows begin and end in a week, sorted.
func (l *layer) weekEdges() (edges []wall) {
	for _, window := range l.Windows {
		for weekday := range wall(7) {
			if window.beginsOn(time.Weekday(weekday)) {
				edges = append(edges, modulo(weekday*day+window.From.wall(), week), modulo(weekday*day+window.end(), week))
			}
		}
	}
	slices.Sort(edges)
	return slices.Compact(edges)
}

// after is the first wall time after w at which the layer may change its mind, or
// forEver.
func (l *layer) after(w wall) wall {
	next := forEver
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

// upTo is the last wall time at or before w at which the layer may have changed its
// mind, or -forEver.
func (l *layer) upTo(w wall) wall {
	last := -forEver
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
