package oncall

import (
	"slices"
	"time"
)

// Shifts is who is on call in [from, to): shifts without a break between, each as long as the same people are on for
// the same reason; for stretches of nobody, without people. Times are UTC; an empty range has no shifts. Its cost grows
// with the handovers in the range, so the caller bounds that.
func Shifts(s Schedule, from, to time.Time) []Shift {
	list, _ := ShiftsWithin(s, from, to, nil)
	return list
}

// ShiftsWithin is Shifts as far as the budget reaches; false when that is not the end.
func ShiftsWithin(s Schedule, from, to time.Time, budget *Budget) ([]Shift, bool) {
	p := newResolver(&s, from, to).withWindowEdges()
	p.budget = budget
	return p.shifts(toUTC(from), toUTC(to))
}

// ShiftsWithin is who one layer alone puts on call in [from, to), if nothing were above
// or below it. Where it is off (before its start, outside its windows, in a vacant turn)
// there is no shift. It is false when the budget ended first.
func (r Rotation) ShiftsWithin(zone *time.Location, from, to time.Time, budget *Budget) ([]Shift, bool) {
	alone := Schedule{Zone: zone, Active: true, Rotations: []Rotation{r}}
	list, complete := ShiftsWithin(alone, from, to, budget)
	return slices.DeleteFunc(list, Shift.gap), complete
}

func (s Shift) gap() bool { return len(s.People) == 0 }

func (d Duty) equal(other Duty) bool {
	return d.Because == other.Because && slices.Equal(d.People, other.People)
}

// withWindowEdges prepares the layers for iteration from change to change.
func (p *resolver) withWindowEdges() *resolver {
	for i := range p.layers {
		p.layers[i].edges = p.layers[i].windowEdges()
	}
	return p
}

// shifts cuts a range where the duty is not the same any more. It is false when the
// budget ended first.
func (p *resolver) shifts(from, to time.Time) (list []Shift, complete bool) {
	for t := from; t.Before(to); {
		if !p.budget.spend(p.cost()) {
			return list, false
		}
		duty, end := p.step(t, to)
		if n := len(list); n > 0 && list[n-1].equal(duty) {
			list[n-1].End = end
		} else {
			duty.People = slices.Clone(duty.People)
			list = append(list, Shift{t, end, duty})
		}
		t = end
	}
	return list, true
}

// step is the duty at t, and an instant until which it lasts at least: limit or earlier.
func (p *resolver) step(t, limit time.Time) (Duty, time.Time) {
	if p.zone == nil {
		return p.at(t), limit
	}
	w := p.seek(t)
	return p.duty(t, w), p.nextChange(t, limit)
}

// seek prepares the layers for t and gives its latest local time.
func (p *resolver) seek(t time.Time) wallSeconds {
	w := latestWall(p.zone, t)
	for i := range p.layers {
		p.layers[i].seek(w)
	}
	return w
}

// nextChange is the first instant after t, and not after limit, at which something may
// change. The layers must be prepared for t by seek.
func (p *resolver) nextChange(t, limit time.Time) time.Time {
	first := maxWall
	sooner := func(edge time.Time) {
		if edge.After(t) && edge.Before(limit) {
			limit = toUTC(edge)
		}
	}
	for i := range p.layers {
		l := &p.layers[i]
		sooner(l.Start)
		sooner(l.End)
		first = min(first, l.cached.to)
	}
	for i := range p.overrides {
		sooner(p.overrides[i].Start)
		sooner(p.overrides[i].End)
	}
	if first < maxWall {
		sooner(first.firstInstant(p.zone))
	}
	return limit
}

// lastChange is the last instant at or before t, and not before limit, at which something
// may have changed.
func (p *resolver) lastChange(t, limit time.Time) time.Time {
	if p.zone == nil {
		return limit
	}
	p.seek(t)
	first := -maxWall
	later := func(edge time.Time) {
		if !edge.After(t) && edge.After(limit) {
			limit = toUTC(edge)
		}
	}
	for i := range p.layers {
		l := &p.layers[i]
		later(l.Start)
		later(l.End)
		first = max(first, l.cached.from)
	}
	for i := range p.overrides {
		later(p.overrides[i].Start)
		later(p.overrides[i].End)
	}
	if first > -maxWall {
		later(first.firstInstant(p.zone))
	}
	return limit
}

// toUTC drops the zone and the monotonic clock reading, so that equal instants are equal
// values (==).
func toUTC(t time.Time) time.Time { return t.Round(0).UTC() }
