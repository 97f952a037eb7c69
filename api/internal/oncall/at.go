package oncall

import (
	"slices"
	"time"

	"github.com/google/uuid"
)

// At is who is on call at an instant, and why. It never fails: whatever cannot be
// understood (a rotation without a length, an override without a person) means nobody
// and is passed over. It takes a time proportional to the layers.
func At(s Schedule, at time.Time) Duty {
	p := planOf(&s, at, at)
	duty := p.at(at)
	duty.People = slices.Clone(duty.People)
	return duty
}

// plan is the part of a schedule that matters for a range, worked out.
type plan struct {
	zone   *time.Location
	layers []layer
	// overrides are in the order in which they were created.
	overrides []Override
	// nothing is why nobody is on call when no layer is on.
	nothing Source
	// budget bounds since and until; nil for the default.
	budget *Budget
}

// planOf is the plan for the instants of a range; both ends are included.
func planOf(s *Schedule, from, to time.Time) *plan {
	switch {
	case !s.Active:
		return &plan{nothing: Source{Kind: FromInactive}}
	case s.Zone == nil:
		return &plan{nothing: Source{Kind: FromNothing}}
	}
	p := &plan{zone: s.Zone, nothing: Source{Kind: FromNothing}, layers: make([]layer, 0, len(s.Rotations))}
	for i := range s.Rotations {
		p.add(&s.Rotations[i], from, to)
	}
	for _, o := range s.Overrides {
		if o.understood() && !o.Start.After(to) && o.End.After(from) {
			p.overrides = append(p.overrides, o)
		}
	}
	slices.SortFunc(p.overrides, Override.compare)
	return p
}

// add puts a rotation on top, unless it means nobody in the whole range.
func (p *plan) add(r *Rotation, from, to time.Time) {
	if r.Start.After(to) || (!r.End.IsZero() && !r.End.After(from)) {
		return
	}
	if l, ok := layerOf(r, p.zone); ok {
		p.layers = append(p.layers, l)
	}
}

// at is the duty at an instant of the plan's range. The people belong to the schedule.
func (p *plan) at(at time.Time) Duty {
	if p.zone == nil {
		return Duty{Because: p.nothing}
	}
	return p.duty(at, reached(p.zone, at))
}

// duty is at for who knows already what clocks have reached.
func (p *plan) duty(at time.Time, w wall) Duty {
	duty := p.fromLayers(at, w)
	if len(p.overrides) == 0 {
		return duty
	}
	return p.overridden(duty, at, -1)
}

// fromLayers is the duty without overrides.
func (p *plan) fromLayers(at time.Time, w wall) Duty {
	for i := len(p.layers) - 1; i >= 0; i-- {
		l := &p.layers[i]
		if people := l.people(at, w); len(people) > 0 {
			return Duty{people, Source{FromRotation, l.ID, l.Name}}
		}
	}
	return Duty{Because: p.nothing}
}

// overridden is the duty after the overrides of that instant, but for the one at an
// index; -1 leaves none out.
func (p *plan) overridden(duty Duty, at time.Time, but int) Duty {
	var seats seats
	for i := range p.overrides {
		o := &p.overrides[i]
		if i == but || !o.holds(at) {
			continue
		}
		if seats == nil {
			seats = seatsOf(duty.People)
		}
		var decided bool
		if seats, decided = seats.after(o); decided {
			duty.Because = Source{Kind: FromOverride, ID: o.ID}
		}
	}
	if duty.Because.Kind == FromOverride {
		duty.People = seats.people()
	}
	return duty
}

// samePeople reports whether the same people are on, in whatever order.
func samePeople(a, b []uuid.UUID) bool {
	return len(a) == len(b) && len(without(a, b)) == 0
}

// without is who is in a and not in b.
func without(a, b []uuid.UUID) (rest []uuid.UUID) {
	for _, person := range a {
		if !slices.Contains(b, person) {
			rest = append(rest, person)
		}
	}
	return rest
}
