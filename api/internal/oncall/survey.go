package oncall

import (
	"slices"
	"time"

	"github.com/google/uuid"

	"github.com/nightbell/nightbell/api/internal/kernel/clock"
)

// Span is a range of time. Start is included, End is not.
type Span struct{ Start, End time.Time }

// Findings is what one walk through a schedule finds in a range.
type Findings struct {
	// Gaps is when nobody is on call, for whatever reason; gaps that follow each other
	// are one.
	Gaps []Span
	// Shifts is who is on call, person by person.
	Shifts []PersonShift
	// Hidden is the overrides that make no difference in what is left of them in the
	// range: later ones win all the time, or who is to be covered is never on.
	Hidden []Override
	// Complete is false when the budget ended first: then Gaps and Shifts end early and
	// Hidden is empty.
	Complete bool
}

// Survey walks through [from, to) of a schedule once.
func Survey(s Schedule, from, to time.Time, budget *Budget) Findings {
	from, to = toUTC(from), toUTC(to)
	p := newResolver(&s, from, to).withWindowEdges()
	people, hidden := shiftJoiner{}, newHiddenSearch(p)
	var gaps []Span
	for t := from; t.Before(to); {
		if !budget.spend(p.cost()) || !hidden.lookAt(t, budget) {
			return Findings{Gaps: gaps, Shifts: people.list}
		}
		duty, end := p.step(t, to)
		if n := len(gaps); len(duty.People) == 0 && n > 0 && gaps[n-1].End.Equal(t) {
			gaps[n-1].End = end
		} else if len(duty.People) == 0 {
			gaps = append(gaps, Span{t, end})
		}
		for _, person := range duty.People {
			people.add(person, t, end)
		}
		t = end
	}
	return Findings{gaps, people.list, hidden.in(from, to), true}
}

// cost is the work of one step.
func (p *resolver) cost() int { return 1 + len(p.layers) + len(p.overrides) }

// hiddenSearch looks for the overrides without which somebody else would be on call.
type hiddenSearch struct {
	*resolver

	// matters is parallel to the overrides of the resolver.
	matters []bool
}

func newHiddenSearch(p *resolver) hiddenSearch {
	return hiddenSearch{p, make([]bool, len(p.overrides))}
}

// lookAt leaves out each override that is on at an instant, unless it is known to matter.
// False means that the budget ended.
func (h hiddenSearch) lookAt(at time.Time, budget *Budget) bool {
	var with, base []uuid.UUID
	ready := false
	for i := range h.overrides {
		if h.matters[i] || !h.overrides[i].contains(at) {
			continue
		}
		if !budget.spend(h.cost()) {
			return false
		}
		if !ready {
			layers := h.layerDuty(at, latestWall(h.zone, at))
			base, with, ready = layers.People, h.applyOverrides(layers, at, -1).People, true
		}
		h.matters[i] = !samePeople(with, h.applyOverrides(Duty{People: base}, at, i).People)
	}
	return true
}

// in is the overrides that touch the range and never mattered, oldest first.
func (h hiddenSearch) in(from, to time.Time) (hidden []Override) {
	for i, o := range h.overrides {
		if !h.matters[i] && clock.Later(toUTC(o.Start), from).Before(clock.Earlier(toUTC(o.End), to)) {
			hidden = append(hidden, o)
		}
	}
	return hidden
}

// Extent is the whole time around an instant for which stays is true of the people on
// call, as far as the Horizon to both sides. An end that is further away, or that the
// budget does not reach, is zero. stays must be true of the people at the instant.
func Extent(s Schedule, at time.Time, stays func(people []uuid.UUID) bool, budget *Budget) (whole Span) {
	at = toUTC(at)
	first, last := at.Add(-Horizon), at.Add(Horizon)
	p := newResolver(&s, first, last).withWindowEdges()
	p.budget = budget
	if start := p.since(at, first, stays); start.After(first) {
		whole.Start = start
	}
	if end := p.until(at, last, stays); end.Before(last) {
		whole.End = end
	}
	return whole
}

// Nobody is true of a gap, for Extent.
func Nobody(people []uuid.UUID) bool { return len(people) == 0 }

// With is true while a person is on call, alone or with others, for Extent.
func With(person uuid.UUID) func(people []uuid.UUID) bool {
	return func(people []uuid.UUID) bool { return slices.Contains(people, person) }
}
