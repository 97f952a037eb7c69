package oncall

import (
	"strings"
	"testing"
	"time"

	"github.com/google/uuid"
)

// People with names, so that a schedule can be read.
var (
	mara, jonas, wei, priya = person(10), person(11), person(12), person(13)
	amira, tomas, ahmed     = person(14), person(15), person(16)
)

var names = map[uuid.UUID]string{
	mara: "Mara", jonas: "Jonas", wei: "Wei", priya: "Priya", amira: "Amira", tomas: "Tomás", ahmed: "Ahmed",
}

// turns are turns of one person each; "-" is a vacant seat.
func turns(people ...uuid.UUID) (list []Turn) {
	for _, p := range people {
		if p == uuid.Nil {
			list = append(list, Turn{})
			continue
		}
		list = append(list, Turn{[]uuid.UUID{p}})
	}
	return list
}

// on is a local time: "2026-03-28 14:00".
func on(t *testing.T, zone *time.Location, text string) time.Time {
	t.Helper()
	at, err := time.ParseInLocation("2006-01-02 15:04", text, zone)
	if err != nil {
		t.Fatal(err)
	}
	return at
}

func at(hour, minute int) Clock { return Clock(hour*60 + minute) }

// told is shifts a line each: when they begin on the wall, for how long, who, and why.
func told(zone *time.Location, shifts []Shift) string {
	var lines []string
	for _, shift := range shifts {
		who := []string{}
		for _, p := range shift.People {
			who = append(who, names[p])
		}
		if len(who) == 0 {
			who = append(who, "nobody")
		}
		why := string(shift.Because.Kind)
		if shift.Because.Kind == FromRotation {
			why = shift.Because.Name
		}
		lines = append(lines, shift.Start.In(zone).Format("Mon 02 15:04")+" "+short(shift.End.Sub(shift.Start))+" "+strings.Join(who, "+")+" ("+why+")")
	}
	return strings.Join(lines, "\n")
}

// short is "12h", "23h30m" or "90s".
func short(d time.Duration) string {
	return strings.NewReplacer("h0m0s", "h", "m0s", "m").Replace(d.String())
}

// tells compares shifts with lines that may be indented.
func tells(t *testing.T, zone *time.Location, shifts []Shift, want string) {
	t.Helper()
	lines := strings.Split(strings.TrimSpace(want), "\n")
	for i := range lines {
		lines[i] = strings.TrimSpace(lines[i])
	}
	if got := told(zone, shifts); got != strings.Join(lines, "\n") {
		t.Errorf("got:\n%s\n\nwant:\n%s", got, strings.Join(lines, "\n"))
	}
}

// weekOfMarch is the week in which Berlin sets its clocks forward: nights, days, and a
// weekend with a hole, and Priya for Jonas on Thursday night.
func weekOfMarch(t *testing.T) (s Schedule, from, to time.Time) {
	zone := zoneOf(t, "Europe/Berlin")
	workdays := []time.Weekday{time.Monday, time.Tuesday, time.Wednesday, time.Thursday, time.Friday}
	return Schedule{
		Zone: zone, Active: true, Name: "24/7 Support",
		Rotations: []Rotation{
			{
				ID: uuid.UUID{1}, Name: "Night", Turns: turns(mara, jonas, tomas), Unit: Day, Length: 3, Handover: at(20, 0),
				Start: on(t, zone, "2026-03-22 20:00"), Windows: []Window{{From: at(20, 0), To: at(8, 0)}},
			},
			{
				ID: uuid.UUID{2}, Name: "Day", Turns: turns(wei), Unit: Week, Length: 1, Weekday: time.Monday, Handover: at(8, 0),
				Start: on(t, zone, "2026-03-02 08:00"), Windows: []Window{{Days: workdays, From: at(8, 0), To: at(20, 0)}},
			},
			{
				ID: uuid.UUID{3}, Name: "Weekend", Turns: turns(ahmed, amira), Unit: Day, Length: 1, Handover: at(0, 0),
				Start: on(t, zone, "2026-03-28 00:00"), Windows: []Window{
					{Days: []time.Weekday{time.Saturday}, From: at(14, 0), To: at(20, 0)},
					{Days: []time.Weekday{time.Sunday}, From: at(8, 0), To: at(20, 0)},
				},
			},
		},
		Overrides: []Override{{
			ID: uuid.UUID{4}, Kind: Cover, Person: priya, Replaces: jonas,
			Start: on(t, zone, "2026-03-26 18:00"), End: on(t, zone, "2026-03-27 18:00"),
		}},
	}, on(t, zone, "2026-03-23 00:00"), on(t, zone, "2026-03-30 00:00")
}

func TestTheWeekInWhichBerlinSetsItsClocksForward(t *testing.T) {
	s, from, to := weekOfMarch(t)
	tells(t, s.Zone, Shifts(s, from, to), `
		Mon 23 00:00 8h Mara (Night)
		Mon 23 08:00 12h Wei (Day)
		Mon 23 20:00 12h Mara (Night)
		Tue 24 08:00 12h Wei (Day)
		Tue 24 20:00 12h Mara (Night)
		Wed 25 08:00 12h Wei (Day)
		Wed 25 20:00 12h Jonas (Night)
		Thu 26 08:00 12h Wei (Day)
		Thu 26 20:00 12h Priya (override)
		Fri 27 08:00 12h Wei (Day)
		Fri 27 20:00 12h Jonas (Night)
		Sat 28 08:00 6h nobody (nothing)
		Sat 28 14:00 6h Ahmed (Weekend)
		Sat 28 20:00 11h Tomás (Night)
		Sun 29 08:00 12h Amira (Weekend)
		Sun 29 20:00 4h Tomás (Night)`)
	tells(t, s.Zone, gaps(s, from, to), `Sat 28 08:00 6h nobody (nothing)`)
	tells(t, s.Zone, alone(s.Rotations[2], s.Zone, from, to), `
		Sat 28 14:00 6h Ahmed (Weekend)
		Sun 29 08:00 12h Amira (Weekend)`)
}

// single is one layer without windows.
func single(zone *time.Location, unit Unit, length int, handover Clock, start time.Time, people ...uuid.UUID) Schedule {
	return Schedule{Zone: zone, Active: true, Rotations: []Rotation{{
		ID: uuid.UUID{1}, Name: "A", Turns: turns(people...), Unit: unit, Length: length, Handover: handover, Weekday: time.Monday, Start: start,
	}}}
}

func TestHandoversAtOddTimes(t *testing.T) {
	for _, c := range []struct {
		name, zone, start, from, to string
		unit                        Unit
		length                      int
		handover                    Clock
		want                        string
	}{
		{"in the hour that is left out: at its end", "Europe/Berlin", "2026-03-27 12:00", "2026-03-28 12:00", "2026-03-30 12:00", Day, 1, at(2, 30), `
			Sat 28 12:00 14h Jonas (A)
			Sun 29 03:00 23h30m Mara (A)
			Mon 30 02:30 9h30m Jonas (A)`},
		{"in the hour that comes twice: the first time", "Europe/Berlin", "2026-10-23 12:00", "2026-10-24 12:00", "2026-10-26 12:00", Day, 1, at(2, 30), `
			Sat 24 12:00 14h30m Jonas (A)
			Sun 25 02:30 25h Mara (A)
			Mon 26 02:30 9h30m Jonas (A)`},
		{"every hour while an hour is left out: a turn of no time", "Europe/Berlin", "2026-03-29 00:00", "2026-03-29 00:00", "2026-03-29 05:00", Hour, 1, at(0, 0), `
			Sun 29 00:00 1h Mara (A)
			Sun 29 01:00 2h Jonas (A)
			Sun 29 04:00 1h Mara (A)`},
		{"every hour while an hour comes twice: a turn of two", "Europe/Berlin", "2026-10-25 00:00", "2026-10-25 00:00", "2026-10-25 05:00", Hour, 1, at(0, 0), `
			Sun 25 00:00 1h Mara (A)
			Sun 25 01:00 1h Jonas (A)
			Sun 25 02:00 2h Mara (A)
			Sun 25 03:00 1h Jonas (A)
			Sun 25 04:00 1h Mara (A)`},
		{"half an hour of summer time", "Australia/Lord_Howe", "2026-10-02 12:00", "2026-10-03 12:00", "2026-10-05 12:00", Day, 1, at(2, 10), `
			Sat 03 12:00 14h Jonas (A)
			Sun 04 02:30 23h40m Mara (A)
			Mon 05 02:10 9h50m Jonas (A)`},
		{"a day that never was: its turn takes no time", "Pacific/Apia", "2011-12-28 09:00", "2011-12-28 12:00", "2012-01-02 00:00", Day, 1, at(9, 0), `
			Wed 28 12:00 21h Mara (A)
			Thu 29 09:00 15h Jonas (A)
			Sat 31 00:00 9h Mara (A)
			Sat 31 09:00 24h Jonas (A)
			Sun 01 09:00 15h Mara (A)`},
		{"12 hours stay at 8 and 20", "America/New_York", "2026-11-01 08:00", "2026-10-31 20:00", "2026-11-02 12:00", Hour, 12, at(8, 0), `
			Sat 31 20:00 13h nobody (nothing)
			Sun 01 08:00 12h Mara (A)
			Sun 01 20:00 12h Jonas (A)
			Mon 02 08:00 4h Mara (A)`},
		{"29 February is a day", "Europe/Berlin", "2028-02-27 08:00", "2028-02-27 08:00", "2028-03-02 08:00", Day, 1, at(8, 0), `
			Sun 27 08:00 24h Mara (A)
			Mon 28 08:00 24h Jonas (A)
			Tue 29 08:00 24h Mara (A)
			Wed 01 08:00 24h Jonas (A)`},
		{"the 53rd week of 2026 is a week, and the year ends in it", "Europe/Berlin", "2026-12-14 08:00", "2026-12-15 08:00", "2027-01-13 08:00", Week, 1, at(8, 0), `
			Tue 15 08:00 144h Mara (A)
			Mon 21 08:00 168h Jonas (A)
			Mon 28 08:00 168h Mara (A)
			Mon 04 08:00 168h Jonas (A)
			Mon 11 08:00 48h Mara (A)`},
		{"a start between handovers makes a short first turn", "Europe/Berlin", "2026-11-18 12:00", "2026-11-18 12:00", "2026-12-01 08:00", Week, 1, at(8, 0), `
			Wed 18 12:00 116h Mara (A)
			Mon 23 08:00 168h Jonas (A)
			Mon 30 08:00 24h Mara (A)`},
		{"two weeks", "Europe/London", "2026-10-19 09:00", "2026-10-20 09:00", "2026-11-17 09:00", Week, 2, at(9, 0), `
			Tue 20 09:00 313h Mara (A)
			Mon 02 09:00 336h Jonas (A)
			Mon 16 09:00 24h Mara (A)`},
	} {
		t.Run(c.name, func(t *testing.T) {
			zone := zoneOf(t, c.zone)
			s := single(zone, c.unit, c.length, c.handover, on(t, zone, c.start), mara, jonas)
			tells(t, zone, Shifts(s, on(t, zone, c.from), on(t, zone, c.to)), c.want)
		})
	}
}

// A start in the second of two hours is after the first one's handover on the clock only:
// what the clock shows counts, so the handover before it was that of the day before.
func TestAStartInTheHourThatComesTwice(t *testing.T) {
	zone := zoneOf(t, "Europe/Berlin")
	second := time.Date(2026, 10, 25, 1, 10, 0, 0, time.UTC) // 02:10 for the second time
	s := single(zone, Day, 2, at(2, 30), second, mara, jonas)
	tells(t, zone, Shifts(s, second, on(t, zone, "2026-10-29 00:00")), `
		Sun 25 02:10 24h20m Mara (A)
		Mon 26 02:30 48h Jonas (A)
		Wed 28 02:30 21h30m Mara (A)`)
}
