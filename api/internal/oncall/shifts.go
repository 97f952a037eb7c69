package oncall

import (
	"slices"
	"time"
)

// Shifts is who is on call in [from, to): shifts that follow each other without a
// break, each as long as the same people are on for the same reason. Stretches of
// nobody are shifts without people. Times are UTC; an empty range has no shifts.
//
// The time it takes grows with the handovers in the range, so the caller bounds that.
func Shifts(s Schedule, from, to time.Time) []Shift {
	list, _ := ShiftsWithin(s, from, to, nil)
	return list
}

// ShiftsWithin is Shifts as far as the budget reaches; false when that is not the end.
func ShiftsWithin(s Schedule, from, to time.Time, budget *Budget) ([]Shift, bool) {
	p := planOf(&s, from, to).walking()
	p.budget = budget
	return p.shifts(plain(from), plain(to))
}

// ShiftsWithin is who one layer alone puts on call in [from, to), if nothing were above
// or below it. Where it is off (before its start, outside its windows, in a vacant turn)
// there is no shift. It is false when the budget ended first.
func (r Rotation) ShiftsWithin(zone *time.Location, from, to time.Time, budget *Budget) ([]Shift, bool) {
	alone := Schedule{Zone: zone, Active: true, Rotations: []Rotation{r}}
	list, complete := ShiftsWithin(alone, from, to, budget)
	return slices.DeleteFunc(list, Shift.gap), complete
}

// Gaps is the shifts of [from, to) in which nobody is on call. The source tells those
// that nobody planned from those on purpose; a schedule that is switched off is one gap.
func Gaps(s Schedule, from, to time.Time) []Shift {
	return slices.DeleteFunc(Shifts(s, from, to), func(shift Shift) bool { return !shift.gap() })
}

func (s Shift) gap() bool { return len(s.People) == 0 }

func (d Duty) equal(other Duty) bool {
	return d.Because == other.Because && slices.Equal(d.People, other.People)
}

// walking readies the plan for going from change to change.
func (p *plan) walking() *plan {
	for i := range p.layers {
		p.layers[i].edges = p.layers[i].weekEdges()
	}
	return p
}

// shifts cuts a range where the duty is not the same any more. It is false when the
// budget ended first.
func (p *plan) shifts(from, to time.Time) (list []Shift, complete bool) {
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

// step is the duty at t and an instant until which it lasts at least: limit or earlier.
func (p *plan) step(t, limit time.Time) (Duty, time.Time) {
	if p.zone == nil {
		return p.at(t), limit
	}
	w := p.walkTo(t)
	return p.duty(t, w), p.next(t, limit)
}

// walkTo readies the layers for t and gives what clocks have reached there.
func (p *plan) walkTo(t time.Time) wall {
	w := reached(p.zone, t)
	for i := range p.layers {
		p.layers[i].walkTo(w)
	}
	return w
}

// next is the first instant after t, and not after limit, at which something may change.
// The layers must be ready for t.
func (p *plan) next(t, limit time.Time) time.Time {
	first := forEver
	sooner := func(edge time.Time) {
		if edge.After(t) && edge.Before(limit) {
			limit = plain(edge)
		}
	}
	for i := range p.layers {
		l := &p.layers[i]
		sooner(l.Start)
		sooner(l.End)
		first = min(first, l.calm.to)
	}
	for i := range p.overrides {
		sooner(p.overrides[i].Start)
		sooner(p.overrides[i].End)
	}
	if first < forEver {
		sooner(first.in(p.zone))
	}
	return limit
}

// last is the last instant at or before t, and not before limit, at which something may
// have changed.
func (p *plan) last(t, limit time.Time) time.Time {
	if p.zone == nil {
		return limit
	}
	p.walkTo(t)
	first := -forEver
	later := func(edge time.Time) {
		if !edge.After(t) && edge.After(limit) {
			limit = plain(edge)
		}
	}
	for i := range p.layers {
		l := &p.layers[i]
		later(l.Start)
		later(l.End)
		first = max(first, l.calm.from)
	}
	for i := range p.overrides {
		later(p.overrides[i].Start)
		later(p.overrides[i].End)
	}
	if first > -forEver {
		later(first.in(p.zone))
	}
	return limit
}

// plain is the instant in UTC and without the reading of a monotonic clock, so that
// equal instants are equal values.
func plain(t time.Time) time.Time { return t.Round(0).UTC() }

func earliest(a, b time.Time) time.Time {
	if b.Before(a) {
		return b
	}
	return a
}

func latest(a, b time.Time) time.Time {
	if b.After(a) {
		return b
	}
	return a
}
