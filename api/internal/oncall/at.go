package oncall

import (
	"slices"
	"time"

	"github.com/google/uuid"
)

// At is who is on call at an instant, and why. It never fails: whatever is invalid (a
// rotation without a length, an override without a person) means nobody and is passed
// over. Its time is proportional to the layers and overrides.
func At(s Schedule, at time.Time) Duty {
	p := newResolver(&s, at, at)
	duty := p.at(at)
	duty.People = slices.Clone(duty.People)
	return duty
}

// resolver answers for the instants of one range: the layers and overrides that touch it,
// with what does not depend on the instant computed once.
type resolver struct {
	zone   *time.Location
	layers []layer
	// overrides are in the order in which they were created.
	overrides []Override
	// noLayer is the reason when no layer means anybody.
	noLayer Source
	// budget bounds since and until; nil for the default.
	budget *Budget
}

// newResolver is for the instants of a range; both ends are included.
func newResolver(s *Schedule, from, to time.Time) *resolver {
	switch {
	case !s.Active:
		return &resolver{noLayer: Source{Kind: FromInactive}}
	case s.Zone == nil:
		return &resolver{noLayer: Source{Kind: FromNothing}}
	}
	p := &resolver{zone: s.Zone, noLayer: Source{Kind: FromNothing}, layers: make([]layer, 0, len(s.Rotations))}
	for i := range s.Rotations {
		p.add(&s.Rotations[i], from, to)
	}
	for _, o := range s.Overrides {
		if o.valid() && !o.Start.After(to) && o.End.After(from) {
			p.overrides = append(p.overrides, o)
		}
	}
	slices.SortFunc(p.overrides, Override.compare)
	return p
}

// add puts a rotation on top, unless it means nobody in the whole range.
func (p *resolver) add(r *Rotation, from, to time.Time) {
	if r.Start.After(to) || (!r.End.IsZero() && !r.End.After(from)) {
		return
	}
	if l, ok := newLayer(r, p.zone); ok {
		p.layers = append(p.layers, l)
	}
}

// at is the duty at an instant of the range. The people belong to the schedule.
func (p *resolver) at(at time.Time) Duty {
	if p.zone == nil {
		return Duty{Because: p.noLayer}
	}
	return p.duty(at, latestWall(p.zone, at))
}

// duty is at when the latest local time w of the instant is known already.
func (p *resolver) duty(at time.Time, w wallSeconds) Duty {
	duty := p.layerDuty(at, w)
	if len(p.overrides) == 0 {
		return duty
	}
	return p.applyOverrides(duty, at, -1)
}

// layerDuty is the duty without overrides.
func (p *resolver) layerDuty(at time.Time, w wallSeconds) Duty {
	for i := len(p.layers) - 1; i >= 0; i-- {
		l := &p.layers[i]
		if people := l.people(at, w); len(people) > 0 {
			return Duty{people, Source{FromRotation, l.ID, l.Name}}
		}
	}
	return Duty{Because: p.noLayer}
}

// applyOverrides is the duty after the overrides of that instant, without the one at an
// index; -1 leaves none out.
func (p *resolver) applyOverrides(duty Duty, at time.Time, but int) Duty {
	var seats seats
	for i := range p.overrides {
		o := &p.overrides[i]
		if i == but || !o.contains(at) {
			continue
		}
		if seats == nil {
			seats = seatsFor(duty.People)
		}
		var decided bool
		if seats, decided = seats.apply(o); decided {
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
