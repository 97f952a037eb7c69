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
	// widestOffset is more than any zone has ever been away from UTC, in seconds.
	widestOffset = 16 * 3600
	// biggestMove is more than clocks have ever been moved at once: a day, across the date line.
	biggestMove = 26 * time.Hour
)

// shown is what clocks show at t.
func shown(zone *time.Location, t time.Time) wall {
	_, offset := t.In(zone).Zone()
	return wall(t.Unix() + int64(offset))
}

// reached is the latest that clocks have shown up to t. Only after clocks were set back
// it is later than what they show, and it stands still until they have caught up: so
// what was handed over in the hour that comes twice is not handed over again.
//
// It is the inverse of wall.in: w.in(zone) is not after t exactly when w <= reached(zone, t).
func reached(zone *time.Location, t time.Time) wall {
	local := t.In(zone)
	latest := shown(zone, local)
	for {
		begin, _ := local.ZoneBounds()
		if begin.IsZero() || t.Sub(begin) >= biggestMove {
			return latest
		}
		local = begin.Add(-time.Second)
		latest = max(latest, shown(zone, local))
	}
}

// in is the first instant at which clocks show w or later: the first of two when the
// hour comes twice, and the first after the hour that is left out.
func (w wall) in(zone *time.Location) time.Time {
	local := time.Unix(int64(w)-widestOffset, 0).In(zone)
	for {
		begin, end := local.ZoneBounds()
		_, offset := local.Zone()
		instant := time.Unix(int64(w)-int64(offset), 0)
		switch {
		case !begin.IsZero() && instant.Before(begin):
			return begin.UTC()
		case end.IsZero() || instant.Before(end):
			return instant.UTC()
		}
		local = end
	}
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
