package oncall

import (
	"cmp"
	"flag"
	"iter"
	"math/rand/v2"
	"testing"
	"time"
	_ "time/tzdata" // the same zones on every machine

	"github.com/google/uuid"
)

var (
	schedules = flag.Int("schedules", 500, "how many random schedules are compared with the slow model")
	seeded    = flag.Uint64("seed", 0, "seed of the first of them, each has the next one; 0 chooses new ones")
)

// zones are the offered ones, and those in which clocks do odd things: half an hour of
// summer time, two hours, a lost day, summer time that pauses in Ramadan, a quarter of
// an hour, and one that gave summer time up.
var zones = []string{
	"UTC", "America/New_York", "America/Chicago", "America/Denver", "America/Los_Angeles", "Europe/London",
	"Europe/Paris", "Europe/Berlin", "Asia/Tokyo", "Asia/Shanghai", "Asia/Kolkata", "Australia/Sydney", "Pacific/Auckland",
	"Australia/Lord_Howe", "Antarctica/Troll", "Pacific/Apia", "Africa/Casablanca", "Asia/Kathmandu", "America/Sao_Paulo",
}

func zoneOf(t testing.TB, name string) *time.Location {
	zone, err := time.LoadLocation(name)
	if err != nil {
		t.Fatal(err)
	}
	return zone
}

// years is when a zone is looked at.
func years(zone *time.Location) (from, to time.Time) {
	switch zone.String() {
	case "Pacific/Apia": // without 2011-12-30
		return date(2010, 6, 1), date(2013, 1, 1)
	case "America/Sao_Paulo": // without summer time since 2019
		return date(2015, 1, 1), date(2021, 1, 1)
	}
	return date(2020, 1, 1), date(2041, 3, 1)
}

func date(year int, month time.Month, day int) time.Time {
	return time.Date(year, month, day, 0, 0, 0, 0, time.UTC)
}

// person is one of a few, so that the same ones meet in layers and overrides.
func person(n int) uuid.UUID { return uuid.UUID{0: 0xaa, 15: byte(n + 1)} }

// dice make random schedules, the same ones for the same seed.
type dice struct{ *rand.Rand }

func diceOf(seed uint64) dice { return dice{rand.New(rand.NewPCG(seed, 0x0ca11))} }

// seeds are the seeds of n random cases.
func seeds(n int) iter.Seq[uint64] {
	first := cmp.Or(*seeded, rand.Uint64()>>1)
	return func(yield func(uint64) bool) {
		for i := range uint64(n) {
			if !yield(first + i) {
				return
			}
		}
	}
}

func (d dice) once(in int) bool { return d.IntN(in) == 0 }

func (d dice) minutes(from, to time.Time) time.Time {
	return from.Add(time.Duration(d.Int64N(max(1, int64(to.Sub(from)/time.Minute)))) * time.Minute)
}

// clock is a time of day; often one at which clocks change.
func (d dice) clock() Clock {
	if d.once(2) {
		return []Clock{0, 60, 90, 119, 120, 121, 150, 179, 180, 23*60 + 59, 8 * 60, 20 * 60}[d.IntN(12)]
	}
	return Clock(d.IntN(24 * 60))
}

// around is a zone and some days in it, usually those on which its clocks change.
func (d dice) around(t testing.TB) (zone *time.Location, from, to time.Time) {
	zone = zoneOf(t, zones[d.IntN(len(zones))])
	first, last := years(zone)
	middle := d.minutes(first, last)
	if changes := Transitions(zone, first, last); len(changes) > 0 && !d.once(4) {
		middle = changes[d.IntN(len(changes))].At
	}
	return zone, d.minutes(middle.AddDate(0, 0, -2), middle), d.minutes(middle, middle.AddDate(0, 0, 3)).Add(2 * time.Hour)
}

func (d dice) schedule(zone *time.Location, from, to time.Time) Schedule {
	s := Schedule{ID: uuid.UUID{1}, Name: "Random", Zone: zone, Active: !d.once(20)}
	for i := range 1 + d.IntN(4) {
		s.Rotations = append(s.Rotations, d.rotation(i, from, to))
	}
	for i := range d.IntN(7) {
		s.Overrides = append(s.Overrides, d.override(i, from, to))
	}
	d.Shuffle(len(s.Overrides), func(i, j int) { s.Overrides[i], s.Overrides[j] = s.Overrides[j], s.Overrides[i] })
	return s
}

func (d dice) rotation(n int, from, to time.Time) Rotation {
	r := Rotation{
		ID: uuid.UUID{2, byte(n)}, Name: string(rune('A' + n)),
		Unit: []Unit{Hour, Day, Day, Week}[d.IntN(4)], Handover: d.clock(), Weekday: time.Weekday(d.IntN(7)),
		Start: d.minutes(from.AddDate(0, 0, -40), to),
	}
	r.Length = map[Unit]int{Hour: 1 + d.IntN(30), Day: 1 + d.IntN(9), Week: 1 + d.IntN(3)}[r.Unit]
	if d.once(6) {
		r.Start = d.minutes(from.AddDate(-3, 0, 0), from)
	}
	if d.once(4) {
		r.End = d.minutes(r.Start, to).Add(time.Minute)
	}
	for range 1 + d.IntN(5) {
		r.Turns = append(r.Turns, d.turn())
	}
	for d.once(2) && len(r.Windows) < 4 {
		r.Windows = append(r.Windows, d.window())
	}
	return r
}

func (d dice) turn() (turn Turn) {
	if d.once(6) {
		return turn
	}
	for turn.People = []uuid.UUID{person(d.IntN(6))}; d.once(3); {
		turn.People = append(turn.People, person(d.IntN(6)))
	}
	return turn
}

func (d dice) window() Window {
	w := Window{From: d.clock(), To: d.clock()}
	for weekday := range time.Weekday(7) {
		if d.once(2) {
			w.Days = append(w.Days, weekday)
		}
	}
	return w
}

func (d dice) override(n int, from, to time.Time) Override {
	start := d.minutes(from.AddDate(0, 0, -1), to.AddDate(0, 0, 1))
	o := Override{
		ID: uuid.UUID{3, byte(n)}, Start: start, End: start.Add(time.Duration(d.IntN(2000)) * time.Minute),
		// Few different instants, so that some are created at the same one.
		CreatedAt: date(2019, 1, 1).Add(time.Duration(d.IntN(4)) * time.Second),
		Kind:      []OverrideKind{TakeOver, Cover, Cover, Cover, Vacant}[d.IntN(5)],
	}
	if o.Kind != Vacant {
		o.Person = person(d.IntN(7))
	}
	if o.Kind == Cover {
		o.Replaces = person(d.IntN(6))
	}
	return o
}
