package oncall

import (
	"context"
	"slices"
	"testing"
	"time"

	"github.com/google/uuid"

	"github.com/nightbell/nightbell/api/internal/kernel/clock"
)

// One walk finds what asking for each thing by itself does.
func TestSurveyIsWhatShiftsSay(t *testing.T) {
	hidden := 0
	for seed := range seeds(300) {
		d := diceOf(seed)
		zone, from, to := d.around(t)
		s := d.schedule(zone, from, to)
		for i := range s.Overrides {
			s.Overrides[i].ID = uuid.UUID{1, byte(i)}
		}
		slices.SortFunc(s.Overrides, Override.compare)
		got := Survey(s, from, to, nil)
		if !got.Complete || !slices.Equal(got.Shifts, PersonShifts(s, from, to)) {
			t.Fatalf("seed %d: the shifts are\n%v\nnot\n%v", seed, got.Shifts, PersonShifts(s, from, to))
		}
		if want := gapsOf(s, from, to); !slices.Equal(got.Gaps, want) {
			t.Fatalf("seed %d: the gaps are\n%v\nnot\n%v", seed, got.Gaps, want)
		}
		var want []Override
		for i, o := range s.Overrides {
			if o.valid() && s.Active && hides(s, i, clock.Later(toUTC(o.Start), toUTC(from)), clock.Earlier(toUTC(o.End), toUTC(to))) {
				want = append(want, o)
			}
		}
		if !slices.Equal(got.Hidden, want) {
			t.Fatalf("seed %d: hidden are\n%v\nnot\n%v", seed, got.Hidden, want)
		}
		hidden += len(want)
	}
	t.Logf("%d overrides were hidden", hidden)
	if hidden == 0 {
		t.Error("nothing was compared")
	}
}

// hides reports whether the same people are on in a range without an override.
func hides(s Schedule, override int, start, end time.Time) bool {
	if !start.Before(end) {
		return false
	}
	rest := s
	rest.Overrides = slices.Delete(slices.Clone(s.Overrides), override, override+1)
	for at := start; at.Before(end); {
		with, upTo := newResolver(&s, start, end).withWindowEdges().step(at, end)
		if !samePeople(with.People, At(rest, at).People) {
			return false
		}
		at = upTo
	}
	return true
}

func gapsOf(s Schedule, from, to time.Time) (list []Span) {
	for _, gap := range gaps(s, from, to) {
		if n := len(list); n > 0 && list[n-1].End.Equal(gap.Start) {
			list[n-1].End = gap.End
			continue
		}
		list = append(list, Span{gap.Start, gap.End})
	}
	return list
}

// The work of a survey is bounded by units, and ends when whoever asked has left.
func TestSurveyEndsWithItsBudget(t *testing.T) {
	zone := zoneOf(t, "Europe/Paris")
	from := on(t, zone, "2026-11-22 08:00")
	s := worstSchedule(zone, from)
	budget := NewBudget(t.Context(), 100_000)
	if got := Survey(s, from, from.AddDate(0, 0, 92), budget); got.Complete || len(got.Shifts) == 0 || budget.left > 0 {
		t.Errorf("complete: %v, %d shifts, %d units are left", got.Complete, len(got.Shifts), budget.left)
	}
	if got := Extent(s, from, Nobody, NewBudget(t.Context(), 10)); got != (Span{}) {
		t.Errorf("%v", got)
	}
	left, leave := context.WithCancel(t.Context())
	leave()
	if got := Survey(s, from, from.AddDate(0, 0, 92), NewBudget(left, 1e9)); got.Complete || len(got.Shifts) > 0 {
		t.Errorf("a client that has left still gets %d shifts", len(got.Shifts))
	}
	all := []Booking{{uuid.UUID{1}, Survey(s, from, from.AddDate(0, 0, 1), nil).Shifts}, {uuid.UUID{2}, Survey(s, from, from.AddDate(0, 0, 1), nil).Shifts}}
	if DoubleBooked(all, NewBudget(t.Context(), 10), func(Conflict) {}) {
		t.Error("ten units were enough to compare all shifts")
	}
}

// worstSchedule is valid and asks for as much work as it can: every layer has its ends of
// windows at other minutes, and a thousand overrides hide each other.
func worstSchedule(zone *time.Location, start time.Time) Schedule {
	s := Schedule{ID: uuid.UUID{1}, Name: "Worst", Zone: zone, Active: true}
	for i := range MaxRotations {
		r := Rotation{ID: uuid.UUID{2, byte(i)}, Name: "Layer", Unit: Hour, Length: 1, Start: start.AddDate(-1, 0, 0)}
		for turn := range MaxTurns {
			r.Turns = append(r.Turns, Turn{[]uuid.UUID{{3, byte(turn)}}})
		}
		for w := range MaxWindows {
			minute := Clock((60*w + 3*i) % (24 * 60))
			r.Windows = append(r.Windows, Window{From: minute, To: (minute + 1) % (24 * 60)})
		}
		s.Rotations = append(s.Rotations, r)
	}
	for i := range 1000 {
		s.Overrides = append(s.Overrides, Override{
			ID: uuid.UUID{4, byte(i >> 8), byte(i)}, Kind: TakeOver, Person: uuid.UUID{3, byte(i)},
			Start: start.Add(time.Duration(i) * time.Minute), End: start.AddDate(0, 0, 60).Add(time.Duration(i) * time.Minute),
			CreatedAt: start.Add(time.Duration(i)),
		})
	}
	return s
}

// What one unit costs, and a month of 500 ordinary schedules: a layer of weeks, one of
// nights and one of working hours, and an override each.
func BenchmarkSurvey(b *testing.B) {
	zone, _ := time.LoadLocation("Europe/Berlin")
	from := date(2026, 11, 22)
	b.Run("500 ordinary", func(b *testing.B) {
		var all []Schedule
		for i := range 500 {
			all = append(all, ordinarySchedule(byte(i>>8), byte(i), zone, from))
		}
		for b.Loop() {
			budget := NewBudget(b.Context(), 1e12)
			var booked []Booking
			for _, s := range all {
				booked = append(booked, Booking{s.ID, Survey(s, from, from.AddDate(0, 0, 30), budget).Shifts})
			}
			conflicts := 0
			DoubleBooked(booked, budget, func(Conflict) { conflicts++ })
			b.ReportMetric(float64(conflicts), "conflicts")
			b.ReportMetric(1e12-float64(budget.left), "units")
		}
	})
	b.Run("worst", func(b *testing.B) {
		s := worstSchedule(zone, from)
		for b.Loop() {
			budget := NewBudget(b.Context(), 10_000_000)
			Survey(s, from, from.AddDate(0, 0, 30), budget)
			b.ReportMetric(float64(10_000_000-budget.left), "units")
		}
	})
}

func ordinarySchedule(high, low byte, zone *time.Location, from time.Time) Schedule {
	team := func(n int) (turns []Turn) {
		for i := range n {
			turns = append(turns, Turn{[]uuid.UUID{{9, high, low / 4, byte(i)}}})
		}
		return turns
	}
	layer := func(unit Unit, people int, windows ...Window) Rotation {
		return Rotation{ID: uuid.UUID{8}, Name: "Layer", Unit: unit, Length: 1, Handover: at(8, 0), Start: from.AddDate(-1, 0, 0), Turns: team(people), Windows: windows}
	}
	return Schedule{
		ID: uuid.UUID{7, high, low}, Name: "Ordinary", Zone: zone, Active: true,
		Rotations: []Rotation{layer(Week, 4), layer(Week, 6, Window{From: at(20, 0), To: at(8, 0)}), layer(Day, 5, Window{Days: []time.Weekday{1, 2, 3, 4, 5}, From: at(8, 0), To: at(20, 0)})},
		Overrides: []Override{{
			ID: uuid.UUID{6, high, low}, Kind: Cover, Person: uuid.UUID{9, high, low / 4, 1}, Replaces: uuid.UUID{9, high, low / 4, 2},
			Start: from.AddDate(0, 0, 3), End: from.AddDate(0, 0, 4),
		}},
	}
}
