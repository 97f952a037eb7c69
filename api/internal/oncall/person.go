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
func PersonShifts(s Schedule, from, to time.Time) []PersonShift {
	return joinByPerson(Shifts(s, from, to))
}

// joinByPerson joins the parts of each person in shifts that follow each other.
func joinByPerson(shifts []Shift) []PersonShift {
	var people shiftJoiner
	for _, shift := range shifts {
		for _, person := range shift.People {
			people.add(person, shift.Start, shift.End)
		}
	}
	return people.list
}

// shiftJoiner makes one shift of those of a person that follow each other.
type shiftJoiner struct {
	list []PersonShift
	last map[uuid.UUID]int
}

// add takes the shifts of each person in the order of time.
func (j *shiftJoiner) add(person uuid.UUID, start, end time.Time) {
	if i, ok := j.last[person]; ok && j.list[i].End.Equal(start) {
		j.list[i].End = end
		return
	}
	if j.last == nil {
		j.last = map[uuid.UUID]int{}
	}
	j.last[person] = len(j.list)
	j.list = append(j.list, PersonShift{person, start, end})
}

// People is everybody whom one of the schedules knows, each once.
func People(schedules ...Schedule) []uuid.UUID {
	var all []uuid.UUID
	for _, s := range schedules {
		all = append(all, s.People()...)
	}
	return sortedOnce(all)
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
	return slices.DeleteFunc(sortedOnce(all), func(person uuid.UUID) bool { return person == uuid.Nil })
}

func sortedOnce(people []uuid.UUID) []uuid.UUID {
	slices.SortFunc(people, func(a, b uuid.UUID) int { return slices.Compare(a[:], b[:]) })
	return slices.Compact(people)
}
