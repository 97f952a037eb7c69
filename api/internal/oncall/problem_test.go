package oncall

import (
	"slices"
	"testing"
	"time"

	"github.com/google/uuid"
)

func TestDoubleBooked(t *testing.T) {
	zone := zoneOf(t, "Europe/Paris")
	from, to := on(t, zone, "2026-11-22 08:00"), on(t, zone, "2026-11-24 08:00")
	halves := func(id byte, people ...uuid.UUID) Schedule {
		s := single(zone, Hour, 12, at(8, 0), on(t, zone, "2026-11-01 08:00"), people...)
		s.ID = uuid.UUID{id}
		return s
	}
	off := halves(3, mara)
	off.Active = false
	for _, c := range []struct {
		name      string
		schedules []Schedule
		want      []Conflict
	}{
		{"one schedule", []Schedule{halves(1, mara, jonas)}, nil},
		{"the same one twice", []Schedule{halves(1, mara, jonas), halves(1, mara, jonas)}, nil},
		{"other people", []Schedule{halves(1, mara, jonas), halves(2, wei, priya)}, nil},
		{"the other half of the day", []Schedule{halves(1, mara, jonas), halves(2, jonas, mara)}, nil},
		{"one is switched off", []Schedule{halves(1, mara, jonas), off}, nil},
		{"half of the time", []Schedule{halves(1, mara, jonas), halves(2, wei, jonas)}, []Conflict{
			{jonas, uuid.UUID{1}, uuid.UUID{2}, on(t, zone, "2026-11-22 20:00"), on(t, zone, "2026-11-23 08:00")},
			{jonas, uuid.UUID{1}, uuid.UUID{2}, on(t, zone, "2026-11-23 20:00"), on(t, zone, "2026-11-24 08:00")},
		}},
		{"handovers of one do not cut the other", []Schedule{halves(1, mara), halves(2, mara, mara)}, []Conflict{
			{mara, uuid.UUID{1}, uuid.UUID{2}, from, to},
		}},
		{"three", []Schedule{halves(1, mara), halves(2, mara), halves(3, mara)}, []Conflict{
			{mara, uuid.UUID{1}, uuid.UUID{2}, from, to}, {mara, uuid.UUID{1}, uuid.UUID{3}, from, to}, {mara, uuid.UUID{2}, uuid.UUID{3}, from, to},
		}},
	} {
		for i := range c.want {
			c.want[i].Start, c.want[i].End = c.want[i].Start.UTC(), c.want[i].End.UTC()
		}
		if got := conflicts(c.schedules, from, to); !slices.Equal(got, c.want) {
			t.Errorf("%s: %v", c.name, got)
		}
	}
}

func conflicts(schedules []Schedule, from, to time.Time) (list []Conflict) {
	var booked []Booking
	for _, s := range schedules {
		booked = append(booked, Booking{s.ID, Survey(s, from, to, nil).Shifts})
	}
	DoubleBooked(booked, nil, func(c Conflict) { list = append(list, c) })
	return list
}

// At random instants the conflicts are just those that asking At for both gives.
func TestDoubleBookedIsWhatAtSays(t *testing.T) {
	for seed := range seeds(50) {
		d := diceOf(seed)
		zone, from, to := d.around(t)
		all := []Schedule{d.schedule(zone, from, to), d.schedule(zone, from, to), d.schedule(zone, from, to)}
		for i := range all {
			all[i].ID = uuid.UUID{byte(i)}
		}
		found := conflicts(all, from, to)
		for range 200 {
			at := from.Add(time.Duration(d.Int64N(int64(to.Sub(from)))))
			want := 0
			for i, s := range all {
				for _, other := range all[:i] {
					both := slices.Clone(At(s, at).People)
					want += len(slices.DeleteFunc(both, func(p uuid.UUID) bool { return !slices.Contains(At(other, at).People, p) }))
				}
			}
			got := 0
			for _, c := range found {
				if !at.Before(c.Start) && at.Before(c.End) {
					got++
				}
			}
			if got != want {
				t.Fatalf("seed %d: %d conflicts at %s, not %d", seed, got, at, want)
			}
		}
	}
}

func TestHiddenOverrides(t *testing.T) {
	zone := zoneOf(t, "Europe/Paris")
	from, to := on(t, zone, "2026-11-22 08:00"), on(t, zone, "2026-11-23 08:00")
	o := func(kind OverrideKind, person, replaces uuid.UUID, start, end string) Override {
		return Override{Kind: kind, Person: person, Replaces: replaces, Start: on(t, zone, "2026-11-"+start), End: on(t, zone, "2026-11-"+end)}
	}
	for _, c := range []struct {
		name      string
		overrides []Override
		hidden    []int
	}{
		{"one that matters", []Override{o(TakeOver, wei, uuid.Nil, "22 10:00", "22 12:00")}, nil},
		{"under a later one", []Override{o(TakeOver, wei, uuid.Nil, "22 10:00", "22 12:00"), o(TakeOver, priya, uuid.Nil, "22 10:00", "22 12:00")}, []int{0}},
		{"partly under a later one", []Override{o(TakeOver, wei, uuid.Nil, "22 09:59", "22 12:00"), o(TakeOver, priya, uuid.Nil, "22 10:00", "22 12:00")}, nil},
		{"all that is left is under a later one", []Override{o(TakeOver, wei, uuid.Nil, "21 10:00", "22 12:00"), o(TakeOver, priya, uuid.Nil, "22 08:00", "22 12:00")}, []int{0}},
		{"under two later ones together", []Override{
			o(TakeOver, wei, uuid.Nil, "22 10:00", "22 12:00"), o(TakeOver, priya, uuid.Nil, "22 10:00", "22 11:00"), o(Vacant, uuid.Nil, uuid.Nil, "22 11:00", "22 12:00"),
		}, []int{0}},
		{"covers somebody who is not on", []Override{o(Cover, wei, jonas, "22 10:00", "22 12:00")}, []int{0}},
		{"covers somebody who is on for a minute", []Override{o(Cover, wei, jonas, "22 10:00", "22 20:01")}, nil},
		{"puts on who is on", []Override{o(TakeOver, mara, uuid.Nil, "22 10:00", "22 12:00")}, []int{0}},
		{"over, not yet, and of no length", []Override{
			o(TakeOver, wei, uuid.Nil, "20 10:00", "22 08:00"), o(TakeOver, wei, uuid.Nil, "23 08:00", "23 12:00"), o(TakeOver, wei, uuid.Nil, "22 12:00", "22 12:00"),
		}, nil},
	} {
		s := sunday(t, c.overrides...)
		var got []int
		for _, hidden := range Survey(s, from, to, nil).Hidden {
			got = append(got, slices.IndexFunc(s.Overrides, func(o Override) bool { return o.ID == hidden.ID }))
		}
		if !slices.Equal(got, c.hidden) {
			t.Errorf("%s: %v", c.name, got)
		}
	}
}

func TestPeople(t *testing.T) {
	s, _, _ := weekOfMarch(t)
	s.Rotations[0].Turns = append(s.Rotations[0].Turns, Turn{[]uuid.UUID{mara, uuid.Nil}})
	if got := s.People(); !sameSet(got, []uuid.UUID{mara, jonas, wei, priya, amira, tomas, ahmed}) {
		t.Error(got)
	}
}
