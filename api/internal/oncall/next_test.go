package oncall

import (
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/uuid"
)

func TestNext(t *testing.T) {
	s, _, _ := weekOfMarch(t)
	for _, c := range []struct{ at, want string }{
		{"2026-03-25 03:12", `
			Tue 24 20:00 12h Mara (Night)
			Wed 25 08:00 12h Wei (Day)`},
		{"2026-03-25 08:00", `
			Wed 25 08:00 12h Wei (Day)
			Wed 25 20:00 12h Jonas (Night)`},
		{"2026-03-26 19:00", `
			Thu 26 08:00 12h Wei (Day)
			Thu 26 20:00 12h Priya (override)`},
		{"2026-03-28 07:59", `
			Fri 27 20:00 12h Jonas (Night)
			Sat 28 08:00 6h nobody (nothing)`},
		{"2026-03-28 10:00", `
			Sat 28 08:00 6h nobody (nothing)
			Sat 28 14:00 6h Ahmed (Weekend)`},
		{"2026-03-29 02:00", `
			Sat 28 20:00 11h Tomás (Night)
			Sun 29 08:00 12h Amira (Weekend)`},
	} {
		current, next, ok := Next(s, on(t, s.Zone, c.at))
		if !ok {
			t.Errorf("%s: nothing comes next", c.at)
		}
		tells(t, s.Zone, []Shift{current, next}, c.want)
	}
}

// The same people under another heading are one stretch: nobody comes or goes.
func TestNextJoinsWhatTheSamePeopleDo(t *testing.T) {
	zone := zoneOf(t, "Europe/Paris")
	s := sunday(t, Override{Kind: TakeOver, Person: mara, Start: on(t, zone, "2026-11-22 18:00"), End: on(t, zone, "2026-11-22 23:00")})
	current, next, ok := Next(s, on(t, zone, "2026-11-22 09:00"))
	tells(t, zone, []Shift{current, next}, `
		Sun 22 08:00 15h Mara (A)
		Sun 22 23:00 9h Jonas (A)`)
	if !ok {
		t.Error("nothing comes next")
	}
}

func TestNextWhenNothingChanges(t *testing.T) {
	noon := date(2026, 11, 21).Add(12 * time.Hour)
	always := single(time.UTC, Hour, 1, 0, date(2000, 1, 1), mara)
	recent := single(time.UTC, Week, 1, 0, noon.AddDate(0, 0, -3), mara, mara)
	off := always
	off.Active = false
	for name, c := range map[string]struct {
		s     Schedule
		since time.Time
	}{
		"for ever": {always, noon.Add(-Horizon)}, "since three days": {recent, noon.AddDate(0, 0, -3)},
		"switched off": {off, noon.Add(-Horizon)}, "empty": {Schedule{Zone: time.UTC, Active: true}, noon.Add(-Horizon)},
	} {
		current, next, ok := Next(c.s, noon)
		if ok || !next.Start.IsZero() || !current.Start.Equal(c.since) || !current.End.Equal(noon.Add(Horizon)) {
			t.Errorf("%s: %v, then %v, %t", name, current, next, ok)
		}
	}
}

func TestChanges(t *testing.T) {
	s, _, _ := weekOfMarch(t)
	s.Rotations = append(s.Rotations, Rotation{
		ID: uuid.UUID{7}, Name: "Both", Turns: []Turn{{[]uuid.UUID{amira, tomas}}}, Unit: Week, Length: 1, Weekday: time.Monday,
		Start: on(t, s.Zone, "2026-03-28 18:00"), End: on(t, s.Zone, "2026-03-28 22:00"),
	})
	for _, c := range []struct{ name, after, through, want string }{
		{"nothing happens", "2026-03-24 20:00", "2026-03-25 07:59", ""},
		{"the instant after is not told again, the last one is told", "2026-03-24 20:00", "2026-03-25 08:00", "Wed 25 08:00 +Wei -Mara for 12h"},
		{"nobody comes", "2026-03-28 00:00", "2026-03-28 12:00", "Sat 28 08:00 -Jonas for 6h"},
		{"who stays is not told", "2026-03-28 09:00", "2026-03-29 00:00", "Sat 28 14:00 +Ahmed for 4h|Sat 28 18:00 +Amira+Tomás -Ahmed for 4h|Sat 28 22:00 -Amira for 9h"},
		{"an empty range", "2026-03-25 08:00", "2026-03-25 08:00", ""},
		{"a range that ends before it begins", "2026-03-26 08:00", "2026-03-25 08:00", ""},
	} {
		if got := changed(s.Zone, changesOf(s, on(t, s.Zone, c.after), on(t, s.Zone, c.through))); got != c.want {
			t.Errorf("%s: %q, not %q", c.name, got, c.want)
		}
	}
}

func changed(zone *time.Location, changes []change) string {
	var lines []string
	for _, change := range changes {
		line := change.At.In(zone).Format("Mon 02 15:04 ")
		for _, p := range change.On {
			line += "+" + names[p]
		}
		if len(change.On) > 0 && len(change.Off) > 0 {
			line += " "
		}
		for _, p := range change.Off {
			line += "-" + names[p]
		}
		lines = append(lines, line+" for "+short(change.Shift.End.Sub(change.Shift.Start)))
	}
	return strings.Join(lines, "|")
}

// change is a handover: somebody comes on call or goes off.
type change struct {
	At time.Time
	// On is who comes, Off who goes. Who stays is in neither.
	On, Off []uuid.UUID
	// Shift begins with the handover and lasts as long as the same people are on call,
	// but at most until the Horizon after the range.
	Shift Shift
}

// changesOf walks from handover to handover in (after, through], as Next goes one. A
// change of layer or override that leaves the same people on is none.
func changesOf(s Schedule, after, through time.Time) (list []change) {
	after, through = toUTC(after), toUTC(through)
	if !after.Before(through) {
		return nil
	}
	limit := through.Add(Horizon)
	p := newResolver(&s, after, limit).withWindowEdges()
	before := p.stretch(after, limit)
	for before.End.Before(limit) && !before.End.After(through) {
		shift := p.stretch(before.End, limit)
		list = append(list, change{
			At: shift.Start, Shift: shift,
			On: without(shift.People, before.People), Off: without(before.People, shift.People),
		})
		before = shift
	}
	return list
}

// TestNextIsBoundByWork: nobody comes or goes for a year in a schedule of a thousand overrides, which changes every
// hour. Whoever is paged is told no end of that shift, and nobody else waits until it is found.
func TestNextIsBoundByWork(t *testing.T) {
	ada, bob := uuid.New(), uuid.New()
	now := time.Date(2026, 3, 25, 3, 0, 0, 0, time.UTC)
	s := Schedule{ID: uuid.New(), Zone: time.UTC, Active: true}
	s.Rotations = []Rotation{
		{ID: uuid.New(), Unit: Hour, Length: 1, Start: now.AddDate(-2, 0, 0), Turns: []Turn{{People: []uuid.UUID{ada}}, {People: []uuid.UUID{ada}}}},
		{ID: uuid.New(), Unit: Week, Length: 1, Start: now.AddDate(1, 0, 0), Turns: []Turn{{People: []uuid.UUID{bob}}}},
	}
	current, next, ok := Next(s, now)
	if !ok || !current.End.Equal(now.AddDate(1, 0, 0)) || !slices.Equal(next.People, []uuid.UUID{bob}) {
		t.Errorf("without overrides: until %s, then %v, %v", current.End, next.People, ok)
	}
	for i := range 1000 {
		s.Overrides = append(s.Overrides, Override{
			ID: uuid.New(), Kind: Cover, Person: uuid.New(), Replaces: uuid.New(), Start: now.Add(-time.Duration(i) * time.Hour), End: now.AddDate(1, 0, 0), CreatedAt: now,
		})
	}
	if current, _, ok := Next(s, now); ok || !slices.Equal(current.People, []uuid.UUID{ada}) {
		t.Errorf("with a thousand overrides: %v until %s, %v", current.People, current.End, ok)
	}
}

// TestABeginningThatIsNearIsFoundThoughNoEndIs: whoever is on call above rotations that change every hour, and stays,
// began when the last override ended.
func TestABeginningThatIsNearIsFoundThoughNoEndIs(t *testing.T) {
	now := time.Date(2026, 3, 25, 3, 0, 0, 0, time.UTC)
	s := Schedule{ID: uuid.New(), Zone: time.UTC, Active: true}
	for range 10 {
		s.Rotations = append(s.Rotations, Rotation{
			ID: uuid.New(), Unit: Hour, Length: 1, Start: now.AddDate(-2, 0, 0), Turns: []Turn{{People: []uuid.UUID{uuid.New()}}, {People: []uuid.UUID{uuid.New()}}},
		})
	}
	s.Rotations = append(s.Rotations, Rotation{ID: uuid.New(), Unit: Week, Length: 1, Start: now.AddDate(-2, 0, 0), Turns: []Turn{{People: []uuid.UUID{uuid.New()}}}})
	s.Overrides = []Override{{ID: uuid.New(), Kind: Vacant, Start: now.Add(-48 * time.Hour), End: now.Add(-24 * time.Hour), CreatedAt: now}}
	current, _, ok := Next(s, now)
	if ok || !current.Start.Equal(now.Add(-24*time.Hour)) {
		t.Errorf("since %s, want a day ago; it ends: %v", current.Start, ok)
	}
}
