package oncall

import (
	"encoding/binary"
	"math"
	"slices"
	"testing"
	"time"

	"github.com/google/uuid"
)

// What cannot be understood means nobody: it neither fails nor takes for ever.
func TestBrokenSchedulesMeanNobody(t *testing.T) {
	noon := date(2026, 11, 21).Add(12 * time.Hour)
	good := single(time.UTC, Day, 1, 0, date(2026, 1, 1), mara, jonas)
	if len(At(good, noon).People) != 1 {
		t.Fatal("the good schedule is broken")
	}
	for name, change := range map[string]func(s *Schedule, r *Rotation){
		"no zone":           func(s *Schedule, _ *Rotation) { s.Zone = nil },
		"inactive":          func(s *Schedule, _ *Rotation) { s.Active = false },
		"no length":         func(_ *Schedule, r *Rotation) { r.Length = 0 },
		"a negative length": func(_ *Schedule, r *Rotation) { r.Length = -1 },
		"a huge length":     func(_ *Schedule, r *Rotation) { r.Length = math.MaxInt },
		"a unit of nothing": func(_ *Schedule, r *Rotation) { r.Unit = "" },
		"no turns":          func(_ *Schedule, r *Rotation) { r.Turns = nil },
		"only vacant turns": func(_ *Schedule, r *Rotation) { r.Turns = make([]Turn, 3) },
		"only nobody":       func(_ *Schedule, r *Rotation) { r.Turns = []Turn{{make([]uuid.UUID, 3)}} },
		"a wild handover":   func(_ *Schedule, r *Rotation) { r.Handover = math.MaxInt },
		"a wild window":     func(_ *Schedule, r *Rotation) { r.Windows = []Window{{From: math.MinInt, To: math.MaxInt}} },
		"a day of nothing":  func(_ *Schedule, r *Rotation) { r.Windows = []Window{{Days: []time.Weekday{-1, 7, 99}}} },
		"not yet":           func(_ *Schedule, r *Rotation) { r.Start = noon.Add(1) },
		"over":              func(_ *Schedule, r *Rotation) { r.End = noon },
		"over before start": func(_ *Schedule, r *Rotation) { r.End = r.Start.Add(-1) },
	} {
		s := good
		s.Rotations = slices.Clone(good.Rotations)
		change(&s, &s.Rotations[0])
		if got := At(s, noon); len(got.People) != 0 || (got.Because.Kind == FromInactive) != !s.Active {
			t.Errorf("%s: %v", name, got)
		}
		if got := gaps(s, noon, noon.Add(1)); len(got) != 1 || got[0].Start != noon || got[0].End != noon.Add(1) {
			t.Errorf("%s: %v", name, got)
		}
		everything(s, noon.AddDate(0, 0, -3), noon.AddDate(0, 0, 3))
	}
}

func TestRangesOfNothing(t *testing.T) {
	s, from, to := weekOfMarch(t)
	for _, end := range []time.Time{from, from.Add(-1), {}} {
		if Shifts(s, from, end) != nil || changesOf(s, from, end) != nil || PersonShifts(s, from, end) != nil || eventsOf(s, uuid.Nil, from, end, nameOf) != nil {
			t.Errorf("shifts in a range that ends at %s", end)
		}
	}
	if got := Shifts(s, to.Add(-1), to); len(got) != 1 || got[0].End.Sub(got[0].Start) != 1 {
		t.Errorf("a nanosecond: %v", got)
	}
}

// What is returned belongs to the caller: to change it changes no schedule.
func TestResultsAreCopies(t *testing.T) {
	s, from, to := weekOfMarch(t)
	before := told(s.Zone, Shifts(s, from, to))
	spoil := func(people []uuid.UUID) {
		for i := range people {
			people[i] = uuid.Nil
		}
	}
	current, next, _ := Next(s, from)
	shifts := append(Shifts(s, from, to), current, next, Shift{Duty: At(s, from)})
	for _, r := range s.Rotations {
		shifts = append(shifts, alone(r, s.Zone, from, to)...)
	}
	for _, shift := range shifts {
		spoil(shift.People)
	}
	for _, change := range changesOf(s, from, to) {
		spoil(change.On)
		spoil(change.Off)
		spoil(change.Shift.People)
	}
	if after := told(s.Zone, Shifts(s, from, to)); after != before {
		t.Errorf("became\n%s", after)
	}
}

// everything asks all there is to ask.
func everything(s Schedule, from, to time.Time) []Shift {
	At(s, from)
	Next(s, from)
	changesOf(s, from, to)
	Calendar(s.Name, eventsOf(s, uuid.Nil, from, to, uuid.UUID.String), from)
	conflicts([]Schedule{s, s}, from, to)
	_, _ = Validate(s), s.People()
	return Shifts(s, from, to)
}

// Any bytes are a schedule, mostly a broken one.
func FuzzSchedule(f *testing.F) {
	for seed := range uint64(20) {
		d, text := diceOf(seed), make([]byte, 400)
		for i := range text {
			text[i] = byte(d.IntN(256))
		}
		f.Add(text)
	}
	f.Fuzz(func(t *testing.T, text []byte) {
		b := bites{text}
		s := Schedule{Active: true, Zone: zoneOf(t, zones[b.number(len(zones))])}
		for range b.number(4) {
			s.Rotations = append(s.Rotations, b.rotation())
		}
		for range b.number(6) {
			s.Overrides = append(s.Overrides, Override{
				Kind: []OverrideKind{TakeOver, Cover, Vacant, ""}[b.number(4)], Person: b.person(), Replaces: b.person(),
				Start: b.instant(), End: b.instant(), CreatedAt: b.instant(), ID: uuid.UUID{byte(b.number(4))},
			})
		}
		from := b.instant()
		to := from.Add(time.Duration(b.number(20*24*60)) * time.Minute)
		shifts := newCursor(everything(s, from, to))
		if err := shifts.partition(from, to); err != nil && from.Before(to) {
			t.Fatal(err, described(s))
		}
		for _, shift := range slices.Clone(shifts.shifts) {
			for _, at := range []time.Time{shift.Start, shift.End.Add(-1)} {
				if got := At(s, at); !alike(got, shift.Duty) {
					t.Fatalf("%v at %s in %v\n%s", got, at, shift, described(s))
				}
			}
		}
	})
}

// bites takes numbers from bytes.
type bites struct{ text []byte }

func (b *bites) uint() uint64 {
	var eight [8]byte
	b.text = b.text[copy(eight[:], b.text):]
	return binary.LittleEndian.Uint64(eight[:])
}

// number is below n, and only takes as many bytes as it needs.
func (b *bites) number(n int) int {
	var two [2]byte
	b.text = b.text[copy(two[:], b.text):]
	return int(binary.LittleEndian.Uint16(two[:])) % n
}

// wild is a small number mostly, and anything sometimes.
func (b *bites) wild(n int) int {
	if b.number(16) == 0 {
		return int(b.uint())
	}
	return b.number(n)
}

func (b *bites) person() uuid.UUID {
	if n := b.number(5); n > 0 {
		return person(n)
	}
	return uuid.Nil
}

// instant is near 2026, with a fraction of a second now and then, or far away.
func (b *bites) instant() time.Time {
	if b.number(32) == 0 {
		return time.Unix(int64(b.uint()>>20)-1<<42, 0)
	}
	return date(2026, 3, 1).Add(time.Duration(b.number(60*24*60))*time.Minute + time.Duration(b.number(2)))
}

func (b *bites) rotation() Rotation {
	r := Rotation{
		Unit: []Unit{Hour, Day, Week, "?"}[b.number(4)], Length: b.wild(30), Handover: Clock(b.wild(1440)), Weekday: time.Weekday(b.wild(7)),
		Start: b.instant(), ID: uuid.UUID{byte(b.number(3))},
	}
	if b.number(2) == 0 {
		r.End = b.instant()
	}
	for range b.number(4) {
		r.Turns = append(r.Turns, Turn{[]uuid.UUID{b.person(), b.person()}})
	}
	for range b.number(3) {
		r.Windows = append(r.Windows, Window{From: Clock(b.wild(1440)), To: Clock(b.wild(1440)), Days: []time.Weekday{time.Weekday(b.wild(7))}})
	}
	return r
}
