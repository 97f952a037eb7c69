package oncall

import (
	"bytes"
	"flag"
	"slices"
	"strings"
	"testing"
	"time"

	ics "github.com/arran4/golang-ical"
	"github.com/google/uuid"
)

var instants = flag.Int("instants", 25_000, "at how many random instants every view is compared")

// perSchedule is how many of them one random schedule is looked at.
const perSchedule = 100

// Paging asks At. Whoever looks at a screen, a calendar or a notification sees the same:
// at random instants, with a fraction of a second.
func TestEveryViewShowsWhoIsPaged(t *testing.T) {
	for seed := range seeds(*instants / perSchedule) {
		d := diceOf(seed)
		zone, from, _ := d.around(t)
		to := from.AddDate(0, 0, 60)
		s := d.schedule(zone, from, to)
		v := viewsOf(t, s, from, to)
		for range perSchedule {
			at := from.Add(time.Duration(d.Int64N(int64(to.Sub(from)))))
			if view := v.differs(at, At(s, at)); view != "" {
				t.Fatalf("%s shows somebody else at %s than %v\nrepeat it with: go test ./internal/oncall -run %s -args -instants %d -seed %d\n%s",
					view, at, At(s, at), t.Name(), perSchedule, seed, described(s))
			}
		}
	}
}

// views are the ways to ask who is on call, all but At.
type views struct {
	s        Schedule
	shifts   []Shift
	people   []PersonShift
	lanes    [][]Shift
	first    Duty
	changes  []change
	calendar []PersonShift
}

func viewsOf(t *testing.T, s Schedule, from, to time.Time) views {
	v := views{
		s: s, shifts: Shifts(s, from, to), people: PersonShifts(s, from, to),
		first: At(s, from), changes: changesOf(s, from, to), calendar: readBack(t, s, from, to),
	}
	for _, r := range s.Rotations {
		v.lanes = append(v.lanes, alone(r, s.Zone, from, to))
	}
	return v
}

// differs names the view that does not show the duty at that instant.
func (v views) differs(at time.Time, duty Duty) string {
	_, shift := during(v.shifts, at)
	current, next, ok := Next(v.s, at)
	switch {
	case !alike(shift.Duty, duty):
		return "Shifts"
	case !sameSet(v.onBy(v.people, at), duty.People):
		return "PersonShifts"
	case !sameSet(v.replayed(at), duty.People):
		return "a walk from change to change"
	case !sameSet(v.onBy(v.calendar, at), duty.People):
		return "the calendar"
	case !v.topLane(at, duty):
		return "the picture of the layers"
	case !alike(current.Duty, duty) || at.Before(current.Start) || !at.Before(current.End):
		return "Next"
	case !v.whole(at, current, next, ok):
		return "Next, at its ends,"
	}
	return ""
}

// whole checks the ends of what Next tells against At.
func (v views) whole(at time.Time, current, next Shift, ok bool) bool {
	before := At(v.s, current.Start.Add(-1))
	if sameSet(before.People, current.People) && !current.Start.Equal(at.Add(-Horizon)) {
		return false
	}
	for _, shift := range v.shifts { // nobody came or went in between
		if shift.Start.Before(current.End) && current.Start.Before(shift.End) && !sameSet(shift.People, current.People) {
			return false
		}
	}
	if !ok {
		return current.End.Equal(at.Add(Horizon)) && next.Start.IsZero()
	}
	return next.Start.Equal(current.End) && alike(next.Duty, At(v.s, next.Start)) && !sameSet(next.People, current.People) &&
		sameSet(At(v.s, current.End.Add(-1)).People, current.People) &&
		(!sameSet(At(v.s, next.End).People, next.People) || next.End.Equal(at.Add(Horizon)))
}

// replayed tells who is on by following the handovers from the beginning.
func (v views) replayed(at time.Time) []uuid.UUID {
	people := slices.Clone(v.first.People)
	for _, change := range v.changes {
		if change.At.After(at) {
			break
		}
		people = slices.DeleteFunc(people, func(p uuid.UUID) bool { return slices.Contains(change.Off, p) })
		people = append(people, change.On...)
	}
	return people
}

func (v views) onBy(shifts []PersonShift, at time.Time) (people []uuid.UUID) {
	for _, shift := range shifts {
		if !at.Before(shift.Start) && at.Before(shift.End) {
			people = append(people, shift.Person)
		}
	}
	return people
}

// topLane looks at the picture as a person does, where no override hides the layers: the
// lowest lane of the picture that has somebody is who is on.
func (v views) topLane(at time.Time, duty Duty) bool {
	if duty.Because.Kind == FromOverride || duty.Because.Kind == FromInactive {
		return true
	}
	for _, lane := range slices.Backward(v.lanes) {
		if ok, shift := during(lane, at); ok {
			return alike(shift.Duty, duty)
		}
	}
	return duty.Because.Kind == FromNothing
}

func during(shifts []Shift, at time.Time) (bool, Shift) {
	i, _ := slices.BinarySearchFunc(shifts, at, func(s Shift, at time.Time) int {
		if !at.Before(s.End) {
			return -1
		}
		return 1
	})
	if i == len(shifts) || at.Before(shifts[i].Start) {
		return false, Shift{}
	}
	return true, shifts[i]
}

// alike compares duties wholly; it is not what the package compares them with.
func alike(a, b Duty) bool { return a.Because == b.Because && slices.Equal(a.People, b.People) }

func sameSet(a, b []uuid.UUID) bool {
	a, b = slices.Clone(a), slices.Clone(b)
	order := func(x, y uuid.UUID) int { return bytes.Compare(x[:], y[:]) }
	slices.SortFunc(a, order)
	slices.SortFunc(b, order)
	return slices.Equal(a, b)
}

// readBack writes the schedule as a calendar and reads it with somebody else's parser.
func readBack(t *testing.T, s Schedule, from, to time.Time) (list []PersonShift) {
	t.Helper()
	text := Calendar("Schichten, für alle; \\o/", eventsOf(s, uuid.Nil, from, to, uuid.UUID.String), from)
	calendar, err := ics.ParseCalendar(bytes.NewReader(text))
	if err != nil {
		t.Fatalf("%v\n%s", err, text)
	}
	for _, event := range calendar.Events() {
		start, err := event.GetStartAt()
		if err != nil {
			t.Fatal(err)
		}
		end, err := event.GetEndAt()
		if err != nil {
			t.Fatal(err)
		}
		person, _, _ := strings.Cut(event.GetProperty(ics.ComponentPropertySummary).Value, " ")
		list = append(list, PersonShift{uuid.MustParse(person), start, end})
	}
	return list
}

// alone is the shifts of one layer by itself.
func alone(r Rotation, zone *time.Location, from, to time.Time) []Shift {
	list, _ := r.ShiftsWithin(zone, from, to, nil)
	return list
}

// gaps is the shifts in which nobody is on call.
func gaps(s Schedule, from, to time.Time) []Shift {
	return slices.DeleteFunc(Shifts(s, from, to), func(shift Shift) bool { return !shift.gap() })
}
