package oncall

import (
	"slices"
	"time"

	"github.com/google/uuid"
)

// PersonShift is a time during which one person is on call, alone or with others, for
// whatever reason.
type PersonShift struct {
	Person     uuid.UUID
	Start, End time.Time
}

// PersonShifts is who is on call in [from, to), person by person: one for each
// unbroken time of a person, in the order in which they begin.
func PersonShifts(s Schedule, from, to time.Time) []PersonShift { return personal(Shifts(s, from, to)) }

// personal joins the parts of each person in shifts that follow each other.
func personal(shifts []Shift) (list []PersonShift) {
	open := map[uuid.UUID]int{}
	for _, shift := range shifts {
		for _, person := range shift.People {
			if i, ok := open[person]; ok && list[i].End.Equal(shift.Start) {
				list[i].End = shift.End
				continue
			}
			open[person] = len(list)
			list = append(list, PersonShift{person, shift.Start, shift.End})
		}
	}
	return list
}

// People is everybody whom the schedule knows: who takes turns, who comes by an
// override, and who is replaced by one. Each once, in no particular order.
func (s Schedule) People() []uuid.UUID {
	var all []uuid.UUID
	for _, rotation := range s.Rotations {
		for _, turn := range rotation.Turns {
			all = append(all, turn.People...)
		}
	}
	for _, o := range s.Overrides {
		all = append(all, o.Person, o.Replaces)
	}
	slices.SortFunc(all, func(a, b uuid.UUID) int { return slices.Compare(a[:], b[:]) })
	return slices.DeleteFunc(slices.Compact(all), func(person uuid.UUID) bool { return person == uuid.Nil })
}
