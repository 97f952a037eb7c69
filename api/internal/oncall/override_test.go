package oncall

import (
	"testing"
	"time"

	"github.com/google/uuid"
)

// sunday is a day of Mara from 08:00 and of Jonas from 20:00, and overrides in the order
// in which they are listed.
func sunday(t *testing.T, overrides ...Override) Schedule {
	zone := zoneOf(t, "Europe/Paris")
	s := single(zone, Hour, 12, at(8, 0), on(t, zone, "2026-11-01 08:00"), mara, jonas)
	for i, o := range overrides {
		o.ID, o.CreatedAt = uuid.UUID{9, byte(i)}, date(2026, 10, 1).Add(time.Duration(i)*time.Second)
		s.Overrides = append(s.Overrides, o)
	}
	return s
}

func TestOverrides(t *testing.T) {
	zone := zoneOf(t, "Europe/Paris")
	from, to := on(t, zone, "2026-11-22 08:00"), on(t, zone, "2026-11-23 08:00")
	o := func(kind OverrideKind, person, replaces uuid.UUID, start, end string) Override {
		return Override{Kind: kind, Person: person, Replaces: replaces, Start: on(t, zone, "2026-11-"+start), End: on(t, zone, "2026-11-"+end)}
	}
	nobody := uuid.Nil
	for _, c := range []struct {
		name      string
		overrides []Override
		want      string
	}{
		{"none", nil, `
			Sun 22 08:00 12h Mara (A)
			Sun 22 20:00 12h Jonas (A)`},
		{"take over, across a handover", []Override{o(TakeOver, wei, nobody, "22 18:00", "22 22:00")}, `
			Sun 22 08:00 10h Mara (A)
			Sun 22 18:00 4h Wei (override)
			Sun 22 22:00 10h Jonas (A)`},
		{"cover lasts only while the one who is covered is on", []Override{o(Cover, wei, mara, "22 18:00", "22 22:00")}, `
			Sun 22 08:00 10h Mara (A)
			Sun 22 18:00 2h Wei (override)
			Sun 22 20:00 12h Jonas (A)`},
		{"cover of somebody who is not on", []Override{o(Cover, wei, priya, "22 08:00", "23 08:00")}, `
			Sun 22 08:00 12h Mara (A)
			Sun 22 20:00 12h Jonas (A)`},
		{"vacant is a gap on purpose", []Override{o(Vacant, nobody, nobody, "22 10:00", "22 11:00")}, `
			Sun 22 08:00 2h Mara (A)
			Sun 22 10:00 1h nobody (override)
			Sun 22 11:00 9h Mara (A)
			Sun 22 20:00 12h Jonas (A)`},
		{"overlapping: the later one wins where both are", []Override{
			o(TakeOver, wei, nobody, "22 10:00", "22 14:00"), o(TakeOver, priya, nobody, "22 12:00", "22 16:00"),
		}, `
			Sun 22 08:00 2h Mara (A)
			Sun 22 10:00 2h Wei (override)
			Sun 22 12:00 4h Priya (override)
			Sun 22 16:00 4h Mara (A)
			Sun 22 20:00 12h Jonas (A)`},
		{"nested: the inner one, created first, is hidden", []Override{
			o(TakeOver, wei, nobody, "22 12:00", "22 13:00"), o(TakeOver, priya, nobody, "22 10:00", "22 16:00"),
		}, `
			Sun 22 08:00 2h Mara (A)
			Sun 22 10:00 6h Priya (override)
			Sun 22 16:00 4h Mara (A)
			Sun 22 20:00 12h Jonas (A)`},
		{"nested: the inner one, created last, wins", []Override{
			o(TakeOver, priya, nobody, "22 10:00", "22 16:00"), o(TakeOver, wei, nobody, "22 12:00", "22 13:00"),
		}, `
			Sun 22 08:00 2h Mara (A)
			Sun 22 10:00 2h Priya (override)
			Sun 22 12:00 1h Wei (override)
			Sun 22 13:00 3h Priya (override)
			Sun 22 16:00 4h Mara (A)
			Sun 22 20:00 12h Jonas (A)`},
		{"who covers somebody is covered with that one", []Override{
			o(Cover, wei, mara, "22 08:00", "23 08:00"), o(Cover, priya, mara, "22 12:00", "22 14:00"),
		}, `
			Sun 22 08:00 4h Wei (override)
			Sun 22 12:00 2h Priya (override)
			Sun 22 14:00 6h Wei (override)
			Sun 22 20:00 12h Jonas (A)`},
		{"a chain: Priya for Wei for Mara, then Amira for Mara", []Override{
			o(Cover, wei, mara, "22 08:00", "23 08:00"), o(Cover, priya, wei, "22 10:00", "22 14:00"), o(Cover, amira, mara, "22 12:00", "22 13:00"),
		}, `
			Sun 22 08:00 2h Wei (override)
			Sun 22 10:00 2h Priya (override)
			Sun 22 12:00 1h Amira (override)
			Sun 22 13:00 1h Priya (override)
			Sun 22 14:00 6h Wei (override)
			Sun 22 20:00 12h Jonas (A)`},
		{"a cover before the take-over of who is covered does nothing", []Override{
			o(Cover, wei, priya, "22 08:00", "22 20:00"), o(TakeOver, priya, nobody, "22 10:00", "22 12:00"),
		}, `
			Sun 22 08:00 2h Mara (A)
			Sun 22 10:00 2h Priya (override)
			Sun 22 12:00 8h Mara (A)
			Sun 22 20:00 12h Jonas (A)`},
		{"who was taken over from is not on to be covered", []Override{
			o(TakeOver, priya, nobody, "22 10:00", "22 12:00"), o(Cover, wei, mara, "22 08:00", "22 14:00"),
		}, `
			Sun 22 08:00 2h Wei (override)
			Sun 22 10:00 2h Priya (override)
			Sun 22 12:00 2h Wei (override)
			Sun 22 14:00 6h Mara (A)
			Sun 22 20:00 12h Jonas (A)`},
		{"a swap", []Override{o(Cover, jonas, mara, "22 08:00", "22 20:00"), o(Cover, mara, jonas, "22 20:00", "23 08:00")}, `
			Sun 22 08:00 12h Jonas (override)
			Sun 22 20:00 12h Mara (override)`},
		{"no length, and a negative one", []Override{
			o(TakeOver, wei, nobody, "22 10:00", "22 10:00"), o(TakeOver, wei, nobody, "22 14:00", "22 12:00"),
		}, `
			Sun 22 08:00 12h Mara (A)
			Sun 22 20:00 12h Jonas (A)`},
		{"past and to come", []Override{
			o(TakeOver, wei, nobody, "20 10:00", "22 08:00"), o(TakeOver, wei, nobody, "23 08:00", "23 12:00"),
		}, `
			Sun 22 08:00 12h Mara (A)
			Sun 22 20:00 12h Jonas (A)`},
		{"a person whom nobody knows any more, and kinds of tomorrow", []Override{
			o(TakeOver, nobody, nobody, "22 10:00", "22 11:00"), o(Cover, nobody, mara, "22 10:00", "22 11:00"), o("shadow", wei, mara, "22 10:00", "22 11:00"),
		}, `
			Sun 22 08:00 12h Mara (A)
			Sun 22 20:00 12h Jonas (A)`},
	} {
		t.Run(c.name, func(t *testing.T) {
			s := sunday(t, c.overrides...)
			tells(t, zone, Shifts(s, from, to), c.want)
		})
	}
}

func TestOverridesOfOneInstantAreOrderedByID(t *testing.T) {
	zone := zoneOf(t, "Europe/Paris")
	noon := on(t, zone, "2026-11-22 12:00")
	s := sunday(t)
	for _, id := range []byte{2, 3, 1} {
		s.Overrides = append(s.Overrides, Override{ID: uuid.UUID{id}, Kind: TakeOver, Person: person(int(id)), Start: noon, End: noon.Add(1)})
	}
	if got := At(s, noon); got.Because.ID != (uuid.UUID{3}) || got.People[0] != person(3) {
		t.Errorf("%v", got)
	}
	if got := At(s, noon.Add(1)); got.Because.Kind != FromRotation {
		t.Errorf("an override of a nanosecond has not ended: %v", got)
	}
	if got := At(s, noon.Add(-1)); got.Because.Kind != FromRotation {
		t.Errorf("an override begins early: %v", got)
	}
}

// Two seats: covers concern one of them, and who would be on twice is on once.
func TestCoverOfOneOfTwo(t *testing.T) {
	zone := zoneOf(t, "Europe/Paris")
	noon := on(t, zone, "2026-11-22 12:00")
	for _, c := range []struct {
		person, replaces uuid.UUID
		want             []uuid.UUID
	}{
		{wei, mara, []uuid.UUID{wei, jonas}},
		{wei, jonas, []uuid.UUID{mara, wei}},
		{jonas, mara, []uuid.UUID{jonas}},
		{wei, priya, []uuid.UUID{mara, jonas}},
	} {
		s := sunday(t, Override{Kind: Cover, Person: c.person, Replaces: c.replaces, Start: noon, End: noon.Add(time.Hour)})
		s.Rotations[0].Turns = []Turn{{[]uuid.UUID{mara, jonas, mara}}}
		if got := At(s, noon); !(Duty{People: c.want, Because: got.Because}).equal(got) {
			t.Errorf("%s for %s: %v", names[c.person], names[c.replaces], got)
		}
		if before := At(s, noon.Add(-time.Hour)); len(before.People) != 2 || before.Because.Kind != FromRotation {
			t.Errorf("before: %v", before)
		}
	}
}
