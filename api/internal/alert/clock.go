package alert

import (
	"time"

	"github.com/google/uuid"

	"github.com/nightbell/nightbell/api/internal/kernel/clock"
)

// clockOff is how far from ours a sender's clock is that is corrected. It is more than any request takes to arrive, so
// that a slow one is not taken for a wrong clock.
const clockOff = 2 * time.Minute

// slowest is how long a request takes to arrive: SDKs give one up after ten seconds, unless told otherwise. Two requests
// of one sender find its clock off by amounts that differ by no more. One that something on its way held for longer
// looks as if its clock were behind.
const slowest = 15 * time.Second

// ahead is how far after now what was never later than now, when it was stored, must lie to prove that our clock was
// set back since.
const ahead = 5 * time.Second

// ByOurClock is r with its times by our clock, where the sender's is wrong by minutes. What happened after a person's
// answer would else seem to lie before it, and be taken for answered. waited is how long ago r arrived: what one sender
// tells keeps its order, however long each message waits here.
func (r Received) ByOurClock(now time.Time, waited time.Duration) Received {
	if r.SentAt.IsZero() {
		return r
	}
	r.ClockOff = now.Sub(r.SentAt.Add(waited))
	if r.Said = asStored(r.SentAt); !r.StartsAt.IsZero() {
		r.Said = asStored(clock.Earlier(r.StartsAt, r.SentAt)) // no event is told before it happens
	}
	if r.ClockOff.Abs() > clockOff {
		r.StartsAt, r.EndsAt = r.byOurs(r.StartsAt, now, waited), r.byOurs(r.EndsAt, now, waited)
	}
	return r
}

// byOurs is t, which the sender's clock showed, by ours: as long before r arrived as before r was sent, and never later
// than now; zero stays zero. A clock that is off by centuries is off by more than a duration holds.
func (r Received) byOurs(t, now time.Time, waited time.Duration) time.Time {
	if t.IsZero() {
		return t
	}
	return asStored(clock.Earlier(now.Add(t.Sub(r.SentAt)-waited), now))
}

// eventStart is the time that orders an event among the others about its problem: when it occurred, at most now, so
// that a clock that is ahead cannot outrank what follows. Without a time, a resolve ends whatever is stored, and a
// trigger comes after it, even if the clock of another database was a moment ahead.
func eventStart(r Received, before *Stored, now time.Time) time.Time {
	start := asStored(now)
	if !r.StartsAt.IsZero() && r.StartsAt.Before(now) {
		return asStored(r.StartsAt)
	}
	switch {
	case before == nil:
		return start
	case r.Event.Action == Resolve:
		return clock.Later(start, before.StartsAt)
	}
	return clock.Later(start, before.StartsAt.Add(time.Microsecond))
}

// stays is the start that is stored of an event whose own counts as start. A trigger's is corrected where its clock is
// behind: else an end of before it, by a clock that is right, would seem to come after it.
func (r Received) stays(start, now time.Time) time.Time {
	if r.Status == Firing && isBehind(r.ClockOff) && !r.StartsAt.IsZero() {
		return clock.Later(start, r.corrected(now))
	}
	return start
}

// isBehind reports whether a clock is behind ours by more than a request takes, and by less than is corrected.
func isBehind(off time.Duration) bool { return off > slowest && off <= clockOff }

// startsTogether are the starts of two events that came together: by their senders' clock where it is one, else by ours.
func startsTogether(a, b Received) (ofA, ofB time.Time) {
	ourA, ourB := a.ByOurClock(a.ArrivedAt, 0), b.ByOurClock(b.ArrivedAt, 0)
	if (ourA.ClockOff - ourB.ClockOff).Abs() <= slowest {
		return a.StartsAt, b.StartsAt
	}
	return ourA.stays(ourA.StartsAt, a.ArrivedAt), ourB.stays(ourB.StartsAt, b.ArrivedAt)
}

// absorbEvent is Absorb for an event. Each trigger is an occurrence of its own, so that one after
// the end of the incident opens another. One that occurred before an event resolved it came late,
// and opens nothing.
func absorbEvent(before *Stored, r Received, now time.Time) Stored {
	if before == nil {
		return Stored{Status: r.Status, StartsAt: r.stays(eventStart(r, nil, now), now), Said: r.Said, ClockOff: r.ClockOff}
	}
	next, known := *before, before.beforeSetBack(r, now)
	if start := eventStart(r, &known, now); isNews(known, r, start, now) {
		next = known
		if next.StartsAt, next.Status = r.stays(start, now), r.Status; !newer(next.StartsAt, r.Status, known.StartsAt, known.Status) {
			next.StartsAt = clock.Later(r.corrected(now), known.StartsAt.Add(time.Microsecond))
		}
		// Of what overtook it, the end must not count later.
		if next.Said, next.ClockOff = r.Said, r.ClockOff; isOneClock(known, r) {
			next.Said = clock.Later(known.Said, r.Said)
		}
	}
	// A clock that is behind must not silence what happens after a person resolved the incident:
	// only what was kept back for long counts as answered by that.
	answered := next.IncidentOpen || before.Status == Firing && r.IsLate(now) && !next.StartsAt.After(next.IncidentResolvedAt)
	if answered && next.IncidentID != uuid.Nil && next.Status == Firing && !before.IncidentStartsAt.IsZero() {
		next.IncidentStartsAt = next.StartsAt
	}
	return next
}

// isOlderEvent is IsOlder for an event.
func isOlderEvent(before Stored, r Received, now time.Time) bool {
	known := before.beforeSetBack(r, now)
	start := eventStart(r, &known, now)
	same := start.Equal(known.StartsAt) || isOneClock(known, r) && r.Said.Equal(known.Said)
	return !isNews(known, r, start, now) && (r.Status != known.Status || !same)
}

// isNews reports whether an event that began at start by our clock came after what is stored. The clocks of two events
// of one sender need no correction, and corrected times are wrong by as long as each request took. Where the two differ
// the problem fires: a page too many is the lesser harm.
func isNews(known Stored, r Received, start, now time.Time) bool {
	byOurs := comesAfter(start, r.Status, known.StartsAt, known.Status)
	byTheirs := comesAfter(r.Said, r.Status, known.Said, known.Status)
	switch {
	case isOneClock(known, r) && r.Status == Firing:
		return byOurs || byTheirs
	case isOneClock(known, r):
		return byTheirs && (byOurs || r.ClockOff.Abs() <= clockOff)
	case r.Status == Firing && (isBehind(r.ClockOff) || isBehind(known.ClockOff)) && !r.Said.IsZero() && !r.Said.Equal(known.Said):
		return byOurs || r.corrected(now).After(known.StartsAt)
	case r.Status == Resolved && isBehind(r.ClockOff) && isBehind(known.ClockOff):
		return comesAfter(start, r.Status, known.Said, known.Status) // neither is corrected
	case r.Status == Resolved && !r.StartsAt.IsZero() && !r.Said.IsZero():
		// An end that was kept back ends nothing that began since, though its clock is ahead.
		return byOurs && comesAfter(r.corrected(now), r.Status, known.StartsAt, known.Status)
	default:
		return byOurs
	}
}

// comesAfter is newer for an event that arrived after what is stored. Clocks tell seconds, or milliseconds: within one,
// what arrived later counts. An end must not count for what began after it in the same second.
func comesAfter(start time.Time, status Status, knownStart time.Time, known Status) bool {
	if status == known {
		return start.After(knownStart)
	}
	return !start.Before(knownStart) || start.Equal(knownStart.Truncate(time.Millisecond)) || status == Firing && start.Equal(knownStart.Truncate(time.Second))
}

// isOneClock reports whether the times of both seem to be of one sender's clock.
func isOneClock(known Stored, r Received) bool {
	return !known.Said.IsZero() && !r.Said.IsZero() && (r.ClockOff-known.ClockOff).Abs() <= slowest
}

// corrected is when an event happened by our clock, however little its sender's is off.
func (r Received) corrected(now time.Time) time.Time {
	if r.ClockOff.Abs() > clockOff || r.Said.IsZero() {
		return r.StartsAt
	}
	return asStored(clock.Earlier(r.Said.Add(r.ClockOff), now))
}

// beforeSetBack is s as it would be had our clock been right when it was stored: what lies ahead of now is over just
// before r happened. Else all that happens would seem older, until our clock is there again. A resolve is compared by
// the sender's clock where that was not set back too; else one that was kept back for long ends nothing.
func (s Stored) beforeSetBack(r Received, now time.Time) Stored {
	just := eventStart(r, nil, now).Add(-time.Microsecond)
	if s.StartsAt.After(now.Add(ahead)) {
		stays := !s.Said.IsZero() && !r.Said.IsZero() && !isOneClock(s, r)
		switch {
		case r.Status == Resolved && stays:
			s.ClockOff = r.ClockOff
		case r.Status == Resolved && r.IsLate(now):
			return s
		default:
			s.Said = time.Time{}
		}
		s.StartsAt = just
	}
	if s.IncidentStartsAt.After(now.Add(ahead)) {
		s.IncidentStartsAt = just
	}
	return s
}
