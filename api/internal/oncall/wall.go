package oncall

import "time"

// wall is what a clock on the wall shows: seconds since 1970-01-01 00:00, counted as if
// clocks were never changed. Everything that recurs is counted in it.
type wall int64

const (
	minute wall = 60
	hour        = 60 * minute
	day         = 24 * hour
	week        = 7 * day
)

// firstWeekday is the weekday of wall 0.
const firstWeekday = wall(time.Thursday)

const (
	// widestOffset is more than clocks are ever away from UTC.
	widestOffset = 16 * time.Hour
	// biggestMove is more than clocks are ever moved at once: a day, across the date line.
	biggestMove = 25 * time.Hour
)

// Only offsets are asked of the time zone data, never when they begin and end: what
// time.Time.ZoneBounds says of 31 December of a leap year is wrong where summer time
// follows a rule (seen in Go 1.26: the zone ends before the instant that was asked for).
// Clocks are taken to be moved once at most in the span of a look, which is less than
// two days; in all zones and years since 1970 they are days apart.

// offset is how far clocks are ahead of UTC at t, in seconds.
func offset(zone *time.Location, t time.Time) wall {
	_, seconds := t.In(zone).Zone()
	return wall(seconds)
}

// moved is the first second after from, and not after to, at which clocks are not any
// more set as they were at from. They must be set otherwise at to.
func moved(zone *time.Location, from, to time.Time) time.Time {
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

// shown is what clocks show at t.
func shown(zone *time.Location, t time.Time) wall { return wall(t.Unix()) + offset(zone, t) }

// reached is the latest that clocks have shown up to t. Only after clocks were set back
// it is later than what they show, and it stands still until they have caught up: so
// what was handed over in the hour that comes twice is not handed over again.
//
// It is the inverse of wall.in: w.in(zone) is not after t exactly when w <= reached(zone, t).
func reached(zone *time.Location, t time.Time) wall {
	shows := shown(zone, t)
	before := t.Add(-biggestMove)
	was := offset(zone, before)
	if was <= shows-wall(t.Unix()) {
		return shows
	}
	return max(shows, wall(moved(zone, before, t).Unix())-1+was)
}

// in is the first instant at which clocks show w or later: the first of two when the
// hour comes twice, and the first after the hour that is left out.
func (w wall) in(zone *time.Location) time.Time {
	from, to := time.Unix(int64(w), 0).Add(-widestOffset), time.Unix(int64(w), 0).Add(widestOffset)
	before, after := offset(zone, from), offset(zone, to)
	instant := time.Unix(int64(w-before), 0).UTC()
	if before == after {
		return instant
	}
	move := moved(zone, from, to)
	if instant.Before(move) {
		return instant
	}
	return latest(move, time.Unix(int64(w-after), 0).UTC())
}

// midnight is the beginning of the day of w.
func (w wall) midnight() wall { return w - modulo(w, day) }

// inWeek is how far w is into its week, which begins on Sunday.
func (w wall) inWeek() wall { return modulo(w+firstWeekday*day, week) }

// weekday is the day of the week of w.
func (w wall) weekday() time.Weekday { return time.Weekday(w.inWeek() / day) }

// wall is the clock as a part of a day.
func (c Clock) wall() wall { return wall(c) * minute }

// modulo is the remainder that is never negative.
func modulo(a, b wall) wall {
	if a %= b; a < 0 {
		a += b
	}
	return a
}

// quotient is a/b rounded down, also before 1970.
func quotient(a, b wall) wall { return (a - modulo(a, b)) / b }
