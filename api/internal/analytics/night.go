package analytics

import (
	"time"

	"github.com/nightbell/nightbell/api/internal/kernel/clock"
)

// A night is from 22:00 to 07:00 of a person's own wall clock: the law of several countries counts
// 23:00 to 06:00 as night work, and an hour on either side belongs to the sleep of whoever has a shift.
const (
	NightFrom  = 22
	NightUntil = 7
	// AsleepAgain is how long somebody who was woken needs to fall asleep again.
	AsleepAgain = 30 * time.Minute
)

// Day is a day of a calendar, counted from 1 January 1970.
type Day int32

const secondsOfDay = 24 * 60 * 60

func (d Day) String() string { return time.Unix(int64(d)*secondsOfDay, 0).UTC().Format(time.DateOnly) }

// Weekday is 1 for Monday to 7 for Sunday.
func (d Day) Weekday() int { return int(d+3)%7 + 1 }

// Clock is a moment as a wall clock shows it.
type Clock struct {
	Day  Day
	Hour int
}

// ClockIn reads the wall clock of a zone, for moments since 1970.
func ClockIn(zone *time.Location, at time.Time) Clock {
	_, offset := at.In(zone).Zone()
	seconds := at.Unix() + int64(offset)
	return Clock{Day(seconds / secondsOfDay), int(seconds % secondsOfDay / 3600)}
}

// Night is the day on which the night of this moment began; ok is false by day.
func (c Clock) Night() (began Day, ok bool) {
	switch {
	case c.Hour >= NightFrom:
		return c.Day, true
	case c.Hour < NightUntil:
		return c.Day - 1, true
	default:
		return 0, false
	}
}

// Weekend is the Saturday of the weekend of this moment; ok is false on other days.
func (c Clock) Weekend() (saturday Day, ok bool) {
	weekday := c.Day.Weekday()
	return c.Day - Day(weekday-6), weekday >= 6
}

// morning is the end of the night that began on a day.
func morning(zone *time.Location, began Day) time.Time {
	return time.Date(1970, time.January, 2+int(began), NightUntil, 0, 0, 0, zone)
}

// awakeUntil is when a person sleeps again after a page at night: half an hour after it; after they
// acknowledged, if it was them; and after the incident was over, if they had it and that was the same
// night. Who left it for the morning went back to bed. It is never later than the end of the night.
func awakeUntil(sent, night time.Time, hasIt bool, acknowledged, resolved time.Time) time.Time {
	done := sent
	if hasIt {
		for _, at := range []time.Time{acknowledged, resolved} {
			if at.After(done) && at.Before(night) {
				done = at
			}
		}
	}
	return clock.Earlier(done.Add(AsleepAgain), night)
}
