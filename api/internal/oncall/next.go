package oncall

import (
	"slices"
	"time"

	"github.com/google/uuid"
)

// Horizon is how far Next looks for the ends of a shift, to both sides.
const Horizon = 400 * 24 * time.Hour

// maxSteps bounds the search for the end of a shift: two changes for every hour up to the
// Horizon.
const maxSteps = 20_000

// nextUnits bounds the work of each of the two searches of Next, in units of Budget: some 3 ms. Pages are
// explained with the end of a shift, so a schedule with thousands of changes at which nobody comes or goes must
// delay neither them nor other organizations' alerts: it is taken for one that never changes.
const nextUnits = 100_000

// Next is the stretch around an instant with the same people on call, and the one after it, which may be a gap; Because
// is that of the instant, and of the beginning of next. Both are cut at the Horizon, and where a search for an end or
// for the beginning takes more than nextUnits; ok is false, and next empty, when nobody comes or goes before.
func Next(s Schedule, at time.Time) (current, next Shift, ok bool) {
	at = toUTC(at)
	from, to := at.Add(-Horizon), at.Add(Horizon)
	p := newResolver(&s, from, to).withWindowEdges()
	p.budget = &Budget{nextUnits, func() error { return nil }}
	current = p.stretch(at, to)
	if ok = current.End.Before(to); ok {
		next = p.stretch(current.End, to)
	}
	// A search for an end that is far away must not hide a beginning that is near.
	p.budget = &Budget{nextUnits, func() error { return nil }}
	current.Start = p.since(at, from, current.stays)
	return current, next, ok
}

// stretch is from t for as long as the same people are on, at most until limit.
func (p *resolver) stretch(t, limit time.Time) Shift {
	duty := p.at(t)
	duty.People = slices.Clone(duty.People)
	return Shift{t, p.until(t, limit, duty.stays), duty}
}

// stays reports whether people are the same as those of the duty.
func (d Duty) stays(people []uuid.UUID) bool { return samePeople(d.People, people) }

// until is the first instant after t at which the people on call do not stay, at the
// latest limit.
func (p *resolver) until(t, limit time.Time, stay func(people []uuid.UUID) bool) time.Time {
	for range maxSteps {
		if !t.Before(limit) || !p.budget.spend(p.cost()) {
			break
		}
		duty, end := p.step(t, limit)
		if !stay(duty.People) {
			return t
		}
		t = end
	}
	return limit
}

// since is the earliest instant from which on up to t the people on call stay, at the
// earliest limit.
func (p *resolver) since(t, limit time.Time, stay func(people []uuid.UUID) bool) time.Time {
	for range maxSteps {
		if !p.budget.spend(p.cost()) {
			break
		}
		begin := p.lastChange(t, limit)
		if !begin.After(limit) {
			return limit
		}
		t = begin.Add(-time.Nanosecond)
		if !stay(p.at(t).People) {
			return begin
		}
	}
	return limit
}
