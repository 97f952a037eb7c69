package oncall

import (
	"bytes"
	"cmp"
	"slices"
	"time"

	"github.com/google/uuid"
)

// valid reports whether the override has a length and names whom its kind needs.
func (o Override) valid() bool {
	if !o.Start.Before(o.End) {
		return false
	}
	switch o.Kind {
	case TakeOver:
		return o.Person != uuid.Nil
	case Cover:
		return o.Person != uuid.Nil && o.Replaces != uuid.Nil
	case Vacant:
		return true
	default:
		return false
	}
}

// contains reports whether the override is on at an instant.
func (o *Override) contains(at time.Time) bool { return !at.Before(o.Start) && at.Before(o.End) }

// compare orders overrides by creation.
func (o Override) compare(other Override) int {
	return cmp.Or(o.CreatedAt.Compare(other.CreatedAt), bytes.Compare(o.ID[:], other.ID[:]))
}

// seat is somebody on call, and those in whose place that is: the last one is who
// holds the seat, the others are who had it before.
type seat []uuid.UUID

// seats are who is on call while overrides are applied one by one. It is never nil.
type seats []seat

func seatsFor(people []uuid.UUID) seats {
	list := make(seats, 0, len(people))
	for _, person := range people {
		list = append(list, seat{person})
	}
	return list
}

// apply gives the seats after the override, and whether it decided anything: taking over
// and leaving vacant always do, covering somebody only when that one is on.
func (s seats) apply(o *Override) (next seats, decided bool) {
	switch o.Kind {
	case TakeOver:
		return seats{{o.Person}}, true
	case Vacant:
		return seats{}, true
	default:
		for i, seat := range s {
			if slices.Contains(seat, o.Replaces) {
				s[i], decided = append(seat, o.Person), true
			}
		}
		return s, decided
	}
}

// people are who holds the seats, each once.
func (s seats) people() []uuid.UUID {
	list := make([]uuid.UUID, 0, len(s))
	for _, seat := range s {
		list = append(list, seat[len(seat)-1])
	}
	return distinct(list)
}
