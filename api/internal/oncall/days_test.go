package oncall

import (
	"testing"
	"time"
)

// One seat, always on, handed over at midnight: every day of every zone belongs to one
// person, from its first minute to its last, and is as long as clocks make it.
func TestEveryLocalDayIsOneTurn(t *testing.T) {
	for _, name := range zones {
		zone := zoneOf(t, name)
		from, to := years(zone)
		s := single(zone, Day, 1, 0, from, mara, jonas, wei)
		odd := oddDays(zone, from, to)
		for i, shift := range Shifts(s, from, to) {
			if len(shift.People) != 1 {
				t.Fatalf("%s: %v", name, shift)
			}
			if i == 0 || shift.End.Equal(to) {
				continue // not a whole day
			}
			local := shift.Start.In(zone)
			minutes, known := odd[local.Format(time.DateOnly)]
			if !known {
				minutes = 24 * 60
			}
			if shift.End.Sub(shift.Start) != time.Duration(minutes)*time.Minute {
				t.Errorf("%s: the shift from %s lasts %s, the day %d minutes", name, local, shift.End.Sub(shift.Start), minutes)
			}
		}
	}
}

// oddDays counts the minutes of the days around changes of clocks, one by one.
func oddDays(zone *time.Location, from, to time.Time) map[string]int {
	minutes := map[string]int{}
	for _, change := range bisected(zone, from, to) {
		y, m, d := change.At.In(zone).Date()
		counted := map[string]int{}
		end := change.At.Add(100 * time.Hour)
		for at := change.At.Add(-100 * time.Hour); at.Before(end); at = at.Add(time.Minute) {
			counted[at.In(zone).Format(time.DateOnly)]++
		}
		for i := -1; i <= 1; i++ {
			name := time.Date(y, m, d+i, 12, 0, 0, 0, zone).Format(time.DateOnly)
			if counted[name] > 0 {
				minutes[name] = counted[name]
			}
		}
	}
	return minutes
}

func TestDaysOf23And25Hours(t *testing.T) {
	for _, c := range []struct {
		zone, day string
		minutes   int
	}{
		{"Europe/Berlin", "2026-03-29", 23 * 60},
		{"Europe/Berlin", "2026-10-25", 25 * 60},
		{"Europe/Berlin", "2026-06-01", 24 * 60},
		{"Australia/Lord_Howe", "2026-10-04", 23*60 + 30},
		{"Australia/Lord_Howe", "2026-04-05", 24*60 + 30},
		{"Antarctica/Troll", "2026-03-29", 22 * 60},
		{"Antarctica/Troll", "2026-10-25", 26 * 60},
		{"Pacific/Apia", "2011-12-29", 24 * 60},
		{"Pacific/Apia", "2011-12-31", 24 * 60},
		{"America/Sao_Paulo", "2018-11-04", 23 * 60},
		{"America/Sao_Paulo", "2018-02-17", 25 * 60},
	} {
		zone := zoneOf(t, c.zone)
		noon := on(t, zone, c.day+" 12:00")
		s := single(zone, Day, 1, 0, noon.AddDate(0, 0, -10), mara, jonas, wei)
		current, _, _ := Next(s, noon)
		if got := current.End.Sub(current.Start); got != time.Duration(c.minutes)*time.Minute {
			t.Errorf("%s %s: %s", c.zone, c.day, got)
		}
	}
}

// bisected finds the changes of clocks by nothing but looking at clocks: no two of them
// are within an hour.
func bisected(zone *time.Location, from, to time.Time) (list []Transition) {
	offset := func(at time.Time) int {
		_, seconds := at.In(zone).Zone()
		return seconds
	}
	for at := from; at.Before(to); at = at.Add(time.Hour) {
		low, high := at.Add(-1), earlier(at.Add(time.Hour), to).Add(-1)
		if offset(low) == offset(high) {
			continue
		}
		before := offset(low)
		for high.Sub(low) > 1 {
			if middle := low.Add(high.Sub(low) / 2); offset(middle) == before {
				low = middle
			} else {
				high = middle
			}
		}
		list = append(list, Transition{high.UTC(), before, offset(high)})
	}
	return list
}

func TestTransitions(t *testing.T) {
	for _, name := range zones {
		zone := zoneOf(t, name)
		from, to := years(zone)
		got, want := Transitions(zone, from, to), bisected(zone, from, to)
		if len(got) != len(want) {
			t.Errorf("%s: %d changes, not %d", name, len(got), len(want))
			continue
		}
		for i := range got {
			if got[i] != want[i] {
				t.Errorf("%s: %v, not %v", name, got[i], want[i])
			}
		}
	}
}

func TestTransitionsAtTheEndsOfTheRange(t *testing.T) {
	zone := zoneOf(t, "Europe/Berlin")
	change := time.Date(2026, 3, 29, 1, 0, 0, 0, time.UTC)
	for _, c := range []struct {
		from, to time.Duration
		want     int
	}{{0, 1, 1}, {-1, 1, 1}, {1, 2, 0}, {-1, 0, 0}, {0, 0, 0}, {1, -1, 0}} {
		if got := Transitions(zone, change.Add(c.from), change.Add(c.to)); len(got) != c.want {
			t.Errorf("from %d to %d: %v", c.from, c.to, got)
		}
	}
	if got := Transitions(nil, change, change.AddDate(1, 0, 0)); got != nil {
		t.Errorf("no zone: %v", got)
	}
}

// latestWall and firstInstant are inverse: a local time is reached when its instant is.
func TestWallTimeAndInstants(t *testing.T) {
	for _, name := range zones {
		zone := zoneOf(t, name)
		first, last := years(zone)
		for _, change := range append(Transitions(zone, first, last), Transition{At: date(2028, 12, 31)}) {
			for minutes := -30 * 60; minutes <= 30*60; minutes += 7 {
				w := wallAt(zone, change.At) + wallSeconds(minutes)*minute
				instant := w.firstInstant(zone)
				if latestWall(zone, instant) < w || latestWall(zone, instant.Add(-1)) >= w || instant.After(w.firstInstant(time.UTC).Add(maxOffset)) {
					t.Fatalf("%s: %d is shown at %s, when %d is reached", name, w, instant, latestWall(zone, instant))
				}
			}
		}
	}
}
