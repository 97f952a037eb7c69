package analytics

import (
	"testing"
	"time"

	"github.com/nightbell/nightbell/api/internal/org"
)

func zone(t *testing.T, name string) *time.Location {
	t.Helper()
	in, err := org.Zone("timezone", name)
	if err != nil {
		t.Fatal(err)
	}
	return in
}

func utc(t *testing.T, text string) time.Time {
	t.Helper()
	at, err := time.Parse("2006-01-02 15:04", text)
	if err != nil {
		t.Fatal(err)
	}
	return at
}

func TestANightIsThatOfThePersonsWallClock(t *testing.T) {
	t.Parallel()
	for _, test := range []struct{ zone, at, night string }{
		{"UTC", "2026-11-24 21:59", ""},
		{"UTC", "2026-11-24 22:00", "2026-11-24"},
		{"UTC", "2026-11-25 06:59", "2026-11-24"},
		{"UTC", "2026-11-25 07:00", ""},
		{"UTC", "2026-12-31 23:00", "2026-12-31"},
		{"UTC", "2028-03-01 01:00", "2028-02-29"},
		{"Europe/Paris", "2026-11-24 21:00", "2026-11-24"},
		{"Asia/Kathmandu", "2026-11-24 16:14", ""}, // 21:59, three quarters of an hour off
		{"Asia/Kathmandu", "2026-11-24 16:15", "2026-11-24"},
		{"America/Los_Angeles", "2026-11-24 06:00", "2026-11-23"},
		{"Pacific/Kiritimati", "2026-11-24 08:00", "2026-11-24"},
		// Clocks go forward in the night of 28 March, from 02:00 to 03:00: it ends at 05:00 UTC.
		{"Europe/Paris", "2026-03-28 21:00", "2026-03-28"},
		{"Europe/Paris", "2026-03-29 04:59", "2026-03-28"},
		{"Europe/Paris", "2026-03-29 05:00", ""},
		// Clocks go back in the night of 24 October: 02:30 comes twice, and the night has ten hours.
		{"Europe/Paris", "2026-10-24 20:00", "2026-10-24"},
		{"Europe/Paris", "2026-10-25 00:30", "2026-10-24"},
		{"Europe/Paris", "2026-10-25 01:30", "2026-10-24"},
		{"Europe/Paris", "2026-10-25 05:59", "2026-10-24"},
		{"Europe/Paris", "2026-10-25 06:00", ""},
	} {
		began, ok := ClockIn(zone(t, test.zone), utc(t, test.at)).Night()
		if ok != (test.night != "") || ok && began.String() != test.night {
			t.Errorf("%s UTC in %s: the night of %s, %v; want %q", test.at, test.zone, began, ok, test.night)
		}
	}
}

func TestWeekendsAreSaturdayAndSunday(t *testing.T) {
	t.Parallel()
	for at, want := range map[string]string{
		"2026-11-20 23:59": "", "2026-11-21 00:00": "2026-11-21", "2026-11-22 23:59": "2026-11-21", "2026-11-23 00:00": "",
	} {
		saturday, ok := ClockIn(time.UTC, utc(t, at)).Weekend()
		if ok != (want != "") || ok && saturday.String() != want {
			t.Errorf("%s: the weekend of %s, %v; want %q", at, saturday, ok, want)
		}
	}
	for day := range Day(4000) {
		if want := (int(time.Unix(int64(day)*secondsOfDay, 0).UTC().Weekday())+6)%7 + 1; day.Weekday() != want {
			t.Fatalf("%s is weekday %d, want %d", day, day.Weekday(), want)
		}
	}
}

func TestSleepIsLostUntilThePersonIsDone(t *testing.T) {
	t.Parallel()
	for name, test := range map[string]struct {
		sent, acknowledged, resolved string
		hasIt                        bool
		want                         string
	}{
		"somebody else took it":                {"2026-11-25 03:00", "2026-11-25 03:05", "2026-11-25 05:00", false, "2026-11-25 03:30"},
		"nobody did":                           {"2026-11-25 03:00", "", "", false, "2026-11-25 03:30"},
		"took it, still open":                  {"2026-11-25 03:00", "2026-11-25 03:05", "", true, "2026-11-25 03:35"},
		"took it and it was over":              {"2026-11-25 03:00", "2026-11-25 03:05", "2026-11-25 04:10", true, "2026-11-25 04:40"},
		"took it and left it for the day":      {"2026-11-25 03:00", "2026-11-25 03:05", "2026-11-25 11:00", true, "2026-11-25 03:35"},
		"woken shortly before the alarm":       {"2026-11-25 06:50", "", "", false, "2026-11-25 07:00"},
		"done shortly before the alarm":        {"2026-11-25 05:00", "2026-11-25 05:01", "2026-11-25 06:45", true, "2026-11-25 07:00"},
		"answered only when up":                {"2026-11-25 03:00", "2026-11-25 08:00", "2026-11-25 09:00", true, "2026-11-25 03:30"},
		"paged again after they answered":      {"2026-11-25 03:00", "2026-11-25 02:00", "", true, "2026-11-25 03:30"},
		"before midnight, over after it":       {"2026-11-24 23:00", "2026-11-24 23:10", "2026-11-25 01:00", true, "2026-11-25 01:30"},
		"the whole night, to its end at seven": {"2026-11-24 22:00", "2026-11-24 22:10", "2026-11-25 06:59", true, "2026-11-25 07:00"},
	} {
		at := func(text string) time.Time {
			if text == "" {
				return time.Time{}
			}
			return utc(t, text)
		}
		sent := at(test.sent)
		began, ok := ClockIn(time.UTC, sent).Night()
		if !ok {
			t.Fatal(name, "is by day")
		}
		if got := awakeUntil(sent, morning(time.UTC, began), test.hasIt, at(test.acknowledged), at(test.resolved)); !got.Equal(at(test.want)) {
			t.Errorf("%s: awake until %s, want %s", name, got, test.want)
		}
	}
}

func TestMorningIsSevenOfTheWallClock(t *testing.T) {
	t.Parallel()
	paris := zone(t, "Europe/Paris")
	for at, want := range map[string]string{"2026-03-28 22:00": "2026-03-29 05:00", "2026-10-24 22:00": "2026-10-25 06:00", "2026-12-31 22:00": "2027-01-01 06:00"} {
		began, _ := ClockIn(paris, utc(t, at)).Night()
		if got := morning(paris, began); !got.Equal(utc(t, want)) {
			t.Errorf("the night of %s ends at %s, want %s", began, got.UTC(), want)
		}
	}
}
