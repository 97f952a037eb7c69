package heartbeat_test

import (
	"fmt"
	"slices"
	"testing"
	"time"

	"github.com/nightbell/nightbell/api/internal/heartbeat"
	"github.com/nightbell/nightbell/api/internal/kernel/fault"
)

var began = at("2026-03-01 00:00")

func at(text string) time.Time {
	parsed, err := time.Parse("2006-01-02 15:04", text)
	if err != nil {
		panic(err)
	}
	return parsed
}

// TestSchedulesWhenClocksChange: Berlin goes from 02:00 to 03:00 on 29 March 2026 at 01:00 UTC, and from
// 03:00 to 02:00 on 25 October at 01:00 UTC. Lord Howe moves by half an hour.
func TestSchedulesWhenClocksChange(t *testing.T) {
	t.Parallel()
	for _, test := range []struct {
		name, schedule, zone, after string
		want                        []string // in UTC
	}{
		{"a time that is skipped does not come", "30 2 * * *", "Europe/Berlin", "2026-03-28 00:00", []string{"2026-03-28 01:30", "2026-03-30 00:30", "2026-03-31 00:30"}},
		{"a time that comes twice comes once, the first time", "30 2 * * *", "Europe/Berlin", "2026-10-24 00:00", []string{"2026-10-24 00:30", "2026-10-25 00:30", "2026-10-26 01:30"}},
		{"the same of several hours", "30 2,3 * * *", "Europe/Berlin", "2026-10-25 00:00", []string{"2026-10-25 00:30", "2026-10-25 02:30", "2026-10-26 01:30"}},
		{"every hour goes on in both", "15 * * * *", "Europe/Berlin", "2026-10-24 23:30", []string{"2026-10-25 00:15", "2026-10-25 01:15", "2026-10-25 02:15"}},
		{"every hour leaves none out when one is skipped", "15 * * * *", "Europe/Berlin", "2026-03-28 23:30", []string{"2026-03-29 00:15", "2026-03-29 01:15", "2026-03-29 02:15"}},
		{"half an hour is set back", "45 1 * * *", "Australia/Lord_Howe", "2026-04-04 00:00", []string{"2026-04-04 14:45", "2026-04-05 15:15"}},
		{"clocks are set back at a quarter to four", "45 3 * * *", "Pacific/Chatham", "2027-04-03 00:00", []string{"2027-04-03 15:00", "2027-04-04 15:00"}},
		{"every hour of them", "50 * * * *", "Pacific/Chatham", "2027-04-03 12:30", []string{"2027-04-03 13:05", "2027-04-03 14:05", "2027-04-03 15:05"}},
		{"what comes only when they are", "45 3 4 4 *", "Pacific/Chatham", "2026-11-26 00:00", []string{"2027-04-03 15:00", "2028-04-03 15:00"}},
		{"what is skipped there", "50 2 * * *", "Pacific/Chatham", "2027-09-24 14:30", []string{"2027-09-26 13:05"}},
		{"what is not", "50 3 * * *", "Pacific/Chatham", "2027-09-24 16:00", []string{"2027-09-25 14:05"}},
		{"the hour after half an hour is set back", "0 3 * * *", "Australia/Lord_Howe", "2027-04-03 00:00", []string{"2027-04-03 16:30", "2027-04-04 16:30"}},
		{"the hour after half an hour is skipped", "0 3 * * *", "Australia/Lord_Howe", "2027-10-02 00:00", []string{"2027-10-02 16:00", "2027-10-03 16:00"}},
		{"wall clock elsewhere", "0 9 * * 1-5", "Europe/Berlin", "2026-03-27 10:00", []string{"2026-03-30 07:00", "2026-03-31 07:00"}},
		{"no zone is UTC", "0 3 * * *", "", "2026-03-29 00:00", []string{"2026-03-29 03:00", "2026-03-30 03:00"}},
		{"day or weekday, as cron has it", "0 12 1 * 1", "", "2026-03-28 00:00", []string{"2026-03-30 12:00", "2026-04-01 12:00", "2026-04-06 12:00"}},
		{"a leap day", "0 0 29 2 *", "", "2026-03-28 00:00", []string{"2028-02-29 00:00"}},
	} {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			schedule, err := heartbeat.ParseSchedule(test.schedule, test.zone, began)
			if err != nil {
				t.Fatal(err)
			}
			var got []string
			for next := at(test.after); len(got) < len(test.want); {
				next = schedule.Next(next)
				got = append(got, next.Format("2006-01-02 15:04"))
			}
			if !slices.Equal(got, test.want) {
				t.Errorf("%q\nwant %q", got, test.want)
			}
		})
	}
}

// TestSchedulesAgainstAClock reads the clock of the wall every minute of the days on which it is moved.
func TestSchedulesAgainstAClock(t *testing.T) {
	t.Parallel()
	for _, name := range []string{"Europe/Berlin", "Europe/Dublin", "America/Havana", "Africa/Casablanca", "Australia/Lord_Howe", "Pacific/Chatham", "Antarctica/Troll", "America/Nuuk"} {
		zone, err := time.LoadLocation(name)
		if err != nil {
			t.Fatal(err)
		}
		for change := began; change.Before(began.AddDate(1, 0, 0)); {
			_, end := change.In(zone).ZoneBounds()
			change = end.Add(time.Hour)
			from, to := end.Add(-30*time.Hour).UTC(), end.Add(30*time.Hour).UTC()
			for minute := 0; minute < 60; minute += 15 {
				for hour := -1; hour < 24; hour++ { // -1 is every hour
					text := fmt.Sprintf("%d %d * * *", minute, hour)
					if hour < 0 {
						text = fmt.Sprintf("%d * * * *", minute)
					}
					schedule, err := heartbeat.ParseSchedule(text, name, began)
					if err != nil {
						t.Fatal(err)
					}
					next, shown := schedule.Next(from), map[int]bool{}
					for at := from; at.Before(to); at = at.Add(time.Minute) {
						wall := at.In(zone)
						read := (wall.YearDay()*24+wall.Hour())*60 + wall.Minute()
						due := wall.Minute() == minute && (hour < 0 || wall.Hour() == hour && !shown[read]) && at.After(from)
						shown[read] = true
						if due != at.Equal(next) {
							t.Fatalf("%s in %s: next is %s, and the clock shows %s at %s", text, name, next, wall, at)
						}
						if due {
							next = schedule.Next(at)
						}
					}
				}
			}
		}
	}
}

func TestSchedulesThatAreRefused(t *testing.T) {
	t.Parallel()
	for schedule, field := range map[string]string{
		"": "schedule", "* * * *": "schedule", "0 3 * * * *": "schedule", "61 * * * *": "schedule", "@daily": "schedule", "*/0 * * * *": "schedule",
		"TZ=0": "schedule", "CRON_TZ=UTC 0 3 * * *": "schedule", "0 0 31 2 *": "schedule", "0 0 30 2 *": "schedule",
	} {
		_, err := heartbeat.ParseSchedule(schedule, "", began)
		known, ok := fault.Of(err)
		if !ok || known.Code != "invalid_fields" || known.Fields[0].Path != field {
			t.Errorf("%q: %v", schedule, err)
		}
	}
	if _, err := heartbeat.ParseSchedule("0 3 * * *", "Europe/Berlni", began); err == nil {
		t.Error("a zone that does not exist is taken")
	}
}

func FuzzParseSchedule(f *testing.F) {
	for _, seed := range []string{"0 3 * * *", "TZ=0", "*/5 1-3,7 ? JAN MON-FRI", "@every 1s", "0 0 31 2 *"} {
		f.Add(seed, "Europe/Berlin")
	}
	f.Fuzz(func(t *testing.T, text, zone string) {
		schedule, err := heartbeat.ParseSchedule(text, zone, began)
		if err == nil && !schedule.Next(began).After(began) {
			t.Errorf("%q comes next at %s", text, schedule.Next(began))
		}
	})
}
