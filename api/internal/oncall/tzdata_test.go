package oncall

import (
	"encoding/binary"
	"slices"
	"strings"
	"testing"
	"time"
)

// ruled is a zone of another build of the time zone data: not one listed change of
// clocks, only the rule by which they change (as POSIX spells it).
func ruled(t *testing.T, standard, rule string) *time.Location {
	t.Helper()
	hours := map[string]int32{"CET": 1, "EST": -5}[standard]
	part := func(version byte) string {
		text := "TZif" + string(version) + strings.Repeat("\x00", 15)
		for _, count := range []uint32{0, 0, 0, 0, 1, 4} { // one kind of time, four octets of names
			text += string(binary.BigEndian.AppendUint32(nil, count))
		}
		return text + string(binary.BigEndian.AppendUint32(nil, uint32(hours*3600))) + "\x00\x00" + standard + "\x00"
	}
	zone, err := time.LoadLocationFromTZData(standard, []byte(part('2')+part('2')+"\n"+rule+"\n"))
	if err != nil {
		t.Fatal(err)
	}
	return zone
}

// However a build of the time zone data says the same, schedules mean the same; also on
// the last days of leap years.
func TestTwoBuildsOfTheSameRules(t *testing.T) {
	for name, other := range map[string]*time.Location{
		"Europe/Berlin":    ruled(t, "CET", "CET-1CEST,M3.5.0,M10.5.0/3"),
		"America/New_York": ruled(t, "EST", "EST5EDT,M3.2.0,M11.1.0"),
	} {
		zone := zoneOf(t, name)
		from, to := date(2026, 1, 1), date(2041, 1, 5)
		if got, want := Transitions(other, from, to), Transitions(zone, from, to); !slices.Equal(got, want) || len(want) != 30 {
			t.Errorf("%s: %v, not %v", name, got, want)
		}
		for seed := range seeds(20) {
			s := diceOf(seed).schedule(zone, from, from.AddDate(0, 0, 30))
			moved := s
			moved.Zone = other
			if a, b := told(zone, Shifts(s, from, to)), told(zone, Shifts(moved, from, to)); a != b {
				t.Errorf("%s, seed %d: other shifts by another build", name, seed)
			}
		}
		for year := 2028; year <= 2040; year += 4 {
			end := date(year+1, 1, 1)
			if s := delicate(other, end, year); !agrees(t, s, end.AddDate(0, 0, -1), end.Add(2*time.Hour)) {
				t.Fatalf("%s at the end of %d", name, year)
			}
		}
	}
}

// A country gives summer time up: handovers of the summer move by an hour, those of the
// winter and those of before stay, and nobody is skipped.
func TestRulesThatChange(t *testing.T) {
	zone, without := zoneOf(t, "Europe/Berlin"), ruled(t, "CET", "CET-1")
	s := single(zone, Week, 1, at(8, 0), on(t, zone, "2026-01-05 08:00"), mara, jonas, wei)
	changed := s
	changed.Zone = without
	was, is := Shifts(s, s.Rotations[0].Start, date(2027, 1, 1)), Shifts(changed, s.Rotations[0].Start, date(2027, 1, 1))
	if len(was) != len(is) {
		t.Fatalf("%d shifts became %d", len(was), len(is))
	}
	for i := range was {
		later := time.Duration(0)
		if was[i].Start.After(date(2026, 3, 29)) && was[i].Start.Before(date(2026, 10, 25)) {
			later = time.Hour
		}
		if !slices.Equal(was[i].People, is[i].People) || is[i].Start.Sub(was[i].Start) != later {
			t.Errorf("%s %v became %s %v", was[i].Start, was[i].People, is[i].Start, is[i].People)
		}
	}
}
