package heartbeat

import (
	"strings"
	"time"

	"github.com/robfig/cron/v3"

	"github.com/nightbell/nightbell/api/internal/kernel/fault"
	"github.com/nightbell/nightbell/api/internal/org"
)

// Schedule is when a job is to run: the five fields of cron in a time zone. The zero Schedule
// never comes.
type Schedule struct {
	spec *cron.SpecSchedule
	zone *time.Location
}

var parser = cron.NewParser(cron.Minute | cron.Hour | cron.Dom | cron.Month | cron.Dow)

// ParseSchedule reads a schedule; an empty zone is UTC. It refuses one that never comes.
func ParseSchedule(text, zone string, now time.Time) (Schedule, error) {
	location, err := org.Zone("time_zone", zone)
	if err != nil {
		return Schedule{}, err
	}
	if strings.Contains(text, "=") { // the parser reads TZ=... and fails on some of it with a panic
		return Schedule{}, errSchedule
	}
	parsed, err := parser.Parse(text)
	spec, ok := parsed.(*cron.SpecSchedule)
	if err != nil || !ok {
		return Schedule{}, errSchedule
	}
	spec.Location = time.UTC
	s := Schedule{spec, location}
	if s.Next(now).IsZero() {
		return Schedule{}, fault.InvalidField("schedule", fault.OutOfRange, "There is no such day within five years, so this schedule never comes.")
	}
	return s, nil
}

var errSchedule = fault.InvalidField("schedule", fault.BadFormat,
	`schedule must be the five fields of cron (minute, hour, day, month, weekday), such as "0 3 * * *" for every night at three.`)

// everyHour is the bit that the parser sets in a field that is a star.
const everyHour = 1 << 63

// Next is the first time after the given one, in UTC; zero when there is none within five years. A time that clocks
// skip is left out that day, one that comes twice comes once, the first time; hourly schedules go on every hour.
// Expecting less than may run means no false alarm, and a run that was not expected is one more ping.
func (s Schedule) Next(after time.Time) time.Time {
	if s.spec == nil {
		return time.Time{}
	}
	horizon := after.AddDate(5, 0, 0)
	for after = after.In(s.zone); after.Before(horizon); {
		// Between two changes the wall is a clock that is never moved, and the library knows no other: asked in
		// a zone that sets clocks back at 03:45 it never ends.
		at, none := s.onUnmoved(after)
		_, change := after.Add(time.Nanosecond).ZoneBounds()
		switch {
		case none:
			return time.Time{}
		case !change.IsZero() && !at.Before(change):
			after = change.Add(-time.Nanosecond)
		case s.spec.Hour&everyHour == 0 && isSecond(at):
			after = at
		default:
			return at.UTC()
		}
	}
	return time.Time{}
}

// onUnmoved is the first time after the given one on the clock that hangs there a moment later.
func (s Schedule) onUnmoved(after time.Time) (at time.Time, none bool) {
	_, seconds := after.Add(time.Nanosecond).Zone()
	offset := time.Duration(seconds) * time.Second
	at = s.spec.Next(after.UTC().Add(offset))
	return at.Add(-offset).In(s.zone), at.IsZero()
}

// isSecond reports whether the clock on the wall has shown this time before on the same day.
func isSecond(at time.Time) bool {
	const longest = 3 * time.Hour // that clocks were ever set back by, and more
	_, offset := at.Zone()
	_, before := at.Add(-longest).Zone()
	if before <= offset {
		return false
	}
	_, then := at.Add(-time.Duration(before-offset) * time.Second).Zone()
	return then == before
}
