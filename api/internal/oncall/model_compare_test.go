package oncall

import (
	"fmt"
	"slices"
	"testing"
	"time"

	"github.com/google/uuid"
)

// Every minute of some days of many random schedules, mostly around a change of clocks.
func TestRandomSchedulesMeanWhatTheSlowModelSays(t *testing.T) {
	for seed := range seeds(*schedules) {
		d := diceOf(seed)
		zone, from, to := d.around(t)
		if s := d.schedule(zone, from, to); !agrees(t, s, from, to) {
			t.Fatalf("repeat it with: go test ./internal/oncall -run %s -args -schedules 1 -seed %d", t.Name(), seed)
		}
	}
}

// Every change of clocks in every zone, two hours before it to two hours after it, for
// schedules whose every handover and window is near it.
func TestEveryChangeOfClocks(t *testing.T) {
	for _, name := range zones {
		zone := zoneOf(t, name)
		first, last := years(zone)
		changes := Transitions(zone, first, last)
		if want := changesByHour(zone, first, last); len(changes) != want {
			t.Fatalf("%s changes its clocks %d times, and %d times were found", name, want, len(changes))
		}
		for i, change := range changes {
			s := delicate(zone, change.At, i)
			if !agrees(t, s, change.At.Add(-2*time.Hour), change.At.Add(2*time.Hour)) {
				t.Fatalf("in %s around %s", name, change.At)
			}
		}
	}
}

// changesByHour counts the changes of a zone's offset in the simplest way.
func changesByHour(zone *time.Location, from, to time.Time) (n int) {
	_, before := from.In(zone).Zone()
	for at := from; at.Before(to); at = at.Add(time.Hour) {
		_, offset := at.In(zone).Zone()
		if offset != before {
			n++
		}
		before = offset
	}
	return n
}

// The end of leap years, where the time package once said that a zone ends before the
// instant that it was asked for: far from every change of clocks, and of most tests.
func TestTheLastDayOfLeapYears(t *testing.T) {
	for _, name := range zones {
		zone := zoneOf(t, name)
		for year := 2024; year <= 2048; year += 4 {
			end := date(year+1, 1, 1)
			if !agrees(t, delicate(zone, end, year), end.AddDate(0, 0, -1), end.Add(2*time.Hour)) {
				t.Fatalf("in %s at the end of %d", name, year)
			}
		}
	}
}

// delicate is a schedule of which everything happens about when clocks change.
func delicate(zone *time.Location, change time.Time, n int) Schedule {
	at := change.In(zone)
	near := func(minutes int) Clock {
		return Clock((at.Hour()*60 + at.Minute() + minutes + n%7 + 2*24*60) % (24 * 60))
	}
	turns := []Turn{{[]uuid.UUID{person(0)}}, {[]uuid.UUID{person(1)}}, {}}
	start := change.Add(-50 * time.Hour)
	return Schedule{Zone: zone, Active: true, Rotations: []Rotation{
		{ID: uuid.UUID{1}, Unit: Day, Length: 1, Handover: near(-30), Turns: turns[:2], Start: start},
		{ID: uuid.UUID{2}, Unit: Hour, Length: 1 + n%3, Handover: near(-15), Turns: turns, Start: start, Windows: []Window{{From: near(-60), To: near(15)}}},
		{ID: uuid.UUID{3}, Unit: Week, Length: 1, Weekday: at.Weekday(), Handover: near(0), Turns: turns[1:], Start: start, Windows: []Window{{From: near(30), To: near(45)}}},
		{ID: uuid.UUID{4}, Unit: Day, Length: 2, Handover: near(-45), Turns: turns[:2], Start: change.Add(-time.Duration(n%90) * time.Minute), Windows: []Window{{From: near(-90), To: near(-80)}}},
	}}
}

// agrees compares every minute of the range with the slow model: the duty, the shift of
// the range, and each layer by itself.
func agrees(t *testing.T, s Schedule, from, to time.Time) bool {
	t.Helper()
	m := modelOf(s, from, to)
	shifts := newCursor(Shifts(s, from, to))
	if err := shifts.partition(from, to); err != nil {
		t.Error(err)
		return false
	}
	layers := make([]*cursor, len(s.Rotations))
	for i, r := range s.Rotations {
		layers[i] = newCursor(alone(r, s.Zone, from, to))
	}
	for ; m.now.Before(to); m.minute() {
		want := m.duty()
		if got := At(s, m.now); !alike(got, want) {
			t.Errorf("%s, a second before and after: %v\nAt:    %v\nmodel: %v\n%s", m.now, around(s, m.now), got, want, described(s))
			return false
		}
		if got := shifts.at(m.now); !alike(got, want) {
			t.Errorf("%s\nShifts: %v\nmodel:  %v\n%s", m.now, got, want, described(s))
			return false
		}
		for i, w := range m.watches {
			if got := layers[i].at(m.now).People; !slices.Equal(got, w.people(m.now)) {
				t.Errorf("%s\nlayer %d: %v\nmodel:   %v\n%s", m.now, i, got, w.people(m.now), described(s))
				return false
			}
		}
	}
	return true
}

func around(s Schedule, t time.Time) [2]Duty {
	return [2]Duty{At(s, t.Add(-time.Second)), At(s, t.Add(time.Second))}
}

// cursor finds the shift of an instant; instants come in order.
type cursor struct{ shifts []Shift }

func newCursor(shifts []Shift) *cursor { return &cursor{shifts} }

// at is the duty of the shift in which t is, or an empty one.
func (c *cursor) at(t time.Time) Duty {
	for len(c.shifts) > 0 && !t.Before(c.shifts[0].End) {
		c.shifts = c.shifts[1:]
	}
	if len(c.shifts) == 0 || t.Before(c.shifts[0].Start) {
		return Duty{}
	}
	return c.shifts[0].Duty
}

// partition reports what is wrong when shifts do not cut the range into longest parts.
func (c *cursor) partition(from, to time.Time) error {
	if len(c.shifts) == 0 {
		return fmt.Errorf("no shifts from %s to %s", from, to)
	}
	for i, shift := range c.shifts {
		before := Shift{End: from.UTC()}
		if i > 0 {
			before = c.shifts[i-1]
		}
		switch {
		case shift.Start != before.End:
			return fmt.Errorf("a shift starts at %s, the one before ends at %s", shift.Start, before.End)
		case !shift.Start.Before(shift.End):
			return fmt.Errorf("a shift from %s to %s", shift.Start, shift.End)
		case i > 0 && alike(shift.Duty, before.Duty):
			return fmt.Errorf("two shifts of the same duty meet at %s: %v", shift.Start, shift.Duty)
		}
	}
	if last := c.shifts[len(c.shifts)-1]; !last.End.Equal(to) {
		return fmt.Errorf("the last shift ends at %s, the range at %s", last.End, to)
	}
	return nil
}

func described(s Schedule) string {
	text := fmt.Sprintf("zone %s, active %t\n", s.Zone, s.Active)
	for _, r := range s.Rotations {
		text += fmt.Sprintf("  %+v\n", r)
	}
	for _, o := range s.Overrides {
		text += fmt.Sprintf("  %+v\n", o)
	}
	return text
}
