package oncall

import (
	"time"

	"github.com/nightbell/nightbell/api/internal/kernel/clock"
)

// wallSeconds is local time as a number: seconds since 1970-01-01 00:00 local time, as if
// clocks were never changed. Recurrence is arithmetic in it, so 08:00 stays 08:00.
type wallSeconds int64

const (
	minute wallSeconds = 60
	hour               = 60 * minute
	day                = 24 * hour
	week               = 7 * day
)

// epochWeekday is the weekday of 1970-01-01.
const epochWeekday = wallSeconds(time.Thursday)

const (
	// maxOffset is more than any zone is ever away from UTC.
	maxOffset = 16 * time.Hour
	// maxClockChange is more than clocks are ever changed at once: a day, across the date line.
	maxClockChange = 25 * time.Hour
)

// Offsets are searched for, not taken from time.Time.ZoneBounds: in Go 1.26 its answer for
// 31 December of a leap year ends before the instant asked for, where a rule gives summer time.
// The search assumes one change in two days; in every zone since 1970 changes are days apart.

// offset is the zone's offset from UTC at t, in seconds.
func offset(zone *time.Location, t time.Time) wallSeconds {
	_, seconds := t.In(zone).Zone()
	return wallSeconds(seconds)
}

// offsetChange is the first second in (from, to] whose offset differs from that of from,
// by binary search. The offset of to must differ.
func offsetChange(zone *time.Location, from, to time.Time) time.Time {
	set, low, high := offset(zone, from), from.Unix(), to.Unix()
	for high-low > 1 {
		if middle := low + (high-low)/2; offset(zone, time.Unix(middle, 0)) == set {
			low = middle
		} else {
			high = middle
		}
	}
	return time.Unix(high, 0).UTC()
}

// wallAt is the local time at t.
func wallAt(zone *time.Location, t time.Time) wallSeconds {
	return wallSeconds(t.Unix()) + offset(zone, t)
}

// latestWall is the latest local time up to t. After clocks were set back it stands still until they have caught up, so
// that a handover in the hour that comes twice happens once. It is the inverse of firstInstant: w.firstInstant(zone) is
// not after t exactly when w <= latestWall(zone, t).
func latestWall(zone *time.Location, t time.Time) wallSeconds {
	shows := wallAt(zone, t)
	before := t.Add(-maxClockChange)
	was := offset(zone, before)
	if was <= shows-wallSeconds(t.Unix()) {
		return shows
	}
	return max(shows, wallSeconds(offsetChange(zone, before, t).Unix())-1+was)
}

// firstInstant is the first instant at which the local time is w or later: the first of
// two when the hour comes twice, the end of the hour that is left out.
func (w wallSeconds) firstInstant(zone *time.Location) time.Time {
	from, to := time.Unix(int64(w), 0).Add(-maxOffset), time.Unix(int64(w), 0).Add(maxOffset)
	before, after := offset(zone, from), offset(zone, to)
	instant := time.Unix(int64(w-before), 0).UTC()
	if before == after {
		return instant
	}
	move := offsetChange(zone, from, to)
	if instant.Before(move) {
		return instant
	}
	return clock.Later(move, time.Unix(int64(w-after), 0).UTC())
}

// midnight is the beginning of the day of w.
func (w wallSeconds) midnight() wallSeconds { return w - floorMod(w, day) }

// inWeek is how far w is into its week, which begins on Sunday.
func (w wallSeconds) inWeek() wallSeconds { return floorMod(w+epochWeekday*day, week) }

// weekday is the day of the week of w.
func (w wallSeconds) weekday() time.Weekday { return time.Weekday(w.inWeek() / day) }

// wallSeconds is the time of day as seconds since midnight.
func (c Clock) wallSeconds() wallSeconds { return wallSeconds(c) * minute }

// floorMod is the remainder that is never negative.
func floorMod(a, b wallSeconds) wallSeconds {
	if a %= b; a < 0 {
		a += b
	}
	return a
}

// floorDiv is a/b rounded down, also before 1970.
func floorDiv(a, b wallSeconds) wallSeconds { return (a - floorMod(a, b)) / b }
