package alert

import (
	"time"

	"github.com/google/uuid"

	"github.com/nightbell/nightbell/api/internal/kernel/clock"
)

// The stored state of an alert only grows: (StartsAt, resolved after firing) is
// ordered, and what is stored is the maximum of everything received. So the order in
// which messages arrive at about the same time, and how often, does not matter.

// Meaning is what the newest state of an alert means for incidents.
type Meaning string

// The meanings.
const (
	// OpenOrJoin: it fires, and no incident stands for this episode (any more).
	OpenOrJoin Meaning = "open_or_join"
	// Repeat: it still fires and its incident is open. The incident's newest known
	// start is the alert's, see Stored.IncidentStartsAt and Absorb.
	Repeat Meaning = "repeat"
	// Suppressed: it still fires, but a person has resolved the incident of this
	// very episode. Only a later start opens another one.
	Suppressed Meaning = "suppressed"
	// Cleared: it resolved while its incident is open. The incident resolves when no
	// other alert of it fires.
	Cleared Meaning = "cleared"
	// Ended: it resolved, and no incident waits for that.
	Ended Meaning = "ended"
)

// Decide says what an alert means, from its row after what was received is absorbed.
func Decide(stored Stored) Meaning {
	firing, open := stored.Status == Firing, stored.IncidentOpen && stored.IncidentID != uuid.Nil
	switch {
	case firing && open && !stored.IncidentStartsAt.IsZero():
		return Repeat
	case firing && stored.IncidentID == uuid.Nil, firing && stored.StartsAt.After(stored.IncidentStartsAt):
		return OpenOrJoin
	case firing:
		return Suppressed
	case open:
		return Cleared
	default:
		return Ended
	}
}

// farFuture is how far ahead of ours a sender's clock may be. A start beyond that is a
// mistake, and taken for one it would outrank everything the sender says later.
const farFuture = 24 * time.Hour

// StartKnown reports whether the sender said when r started, in earnest.
func StartKnown(r Received, now time.Time) bool {
	return !r.StartsAt.IsZero() && r.StartsAt.Before(now.Add(farFuture))
}

// StartOf is the start to store for r when nothing else is known of the alert: the
// sender's word, in UTC and microseconds (what PostgreSQL keeps), or now.
func StartOf(r Received, now time.Time) time.Time {
	if StartKnown(r, now) {
		return asStored(r.StartsAt)
	}
	return asStored(now)
}

// Absorb gives the stored state after r; before is nil for an alert never seen. With a known start the later state
// wins, with four exceptions: isSetBack, firesAgain, endsLater, endsAhead. Without one, a resolve is about the stored
// episode, and a firing about the open one, or else a new episode: at now, and always after the stored start.
func Absorb(before *Stored, r Received, now time.Time) Stored {
	next := absorb(before, r, now)
	if before == nil || before.Status != Resolved || next.Status != Resolved || !before.StartsAt.Equal(next.StartsAt) {
		next.LastSeenAt = now
	}
	return next
}

func absorb(stored *Stored, r Received, now time.Time) Stored {
	if r.Event != nil {
		return absorbEvent(stored, r, now)
	}
	start := StartOf(r, now)
	if stored == nil {
		return Stored{Status: r.Status, StartsAt: start}
	}
	before := stored.beforeOurSetBack(r, now)
	next := before
	switch {
	case isSetBack(before, r, now):
		next.StartsAt, next.Status, next.IncidentStartsAt = start, Firing, time.Time{}
	case firesAgain(before, r, now):
		next.Status = Firing
		if !before.IncidentOpen && !before.AnsweredFiring {
			next.IncidentStartsAt = time.Time{}
		}
	case StartKnown(r, now):
		if newer(start, r.Status, before.StartsAt, before.Status) {
			next.StartsAt, next.Status = start, r.Status
		} else if endsLater(r, before.StartsAt) || endsAhead(before, r, now) {
			next.Status = Resolved
		}
	case r.Status == Resolved:
		next.Status = Resolved
	case before.Status != Firing || !before.IncidentOpen:
		next.Status, next.StartsAt = Firing, clock.Later(start, before.StartsAt.Add(time.Microsecond))
	}
	// While its incident is open, a later episode belongs to it: a person who resolves it has answered that one too.
	if next.IncidentOpen && next.Status == Firing && !before.IncidentStartsAt.IsZero() {
		next.IncidentStartsAt = next.StartsAt
	}
	return next
}

// IsOlder reports whether r says less than what is stored: it arrived late, and its
// words must not replace the stored ones.
func IsOlder(before Stored, r Received, now time.Time) bool {
	if r.Event != nil {
		return isOlderEvent(before, r, now)
	}
	before = before.beforeOurSetBack(r, now)
	return StartKnown(r, now) && !isSetBack(before, r, now) && !firesAgain(before, r, now) && !endsLater(r, before.StartsAt) && !endsAhead(before, r, now) && newer(before.StartsAt, before.Status, StartOf(r, now), r.Status)
}

// isSetBack reports whether the sender's clock was ahead and has been corrected: r fires again with an earlier start
// than the stored one. Either it began after a person resolved that episode; or that episode's start lay after its end,
// and r is no message from before the end that arrived after it (overtaking).
func isSetBack(before Stored, r Received, now time.Time) bool {
	switch {
	case r.Status != Firing || !StartKnown(r, now) || !StartOf(r, now).Before(before.StartsAt):
		return false
	case r.StartsAt.After(now) && (before.Status == Firing || before.AnsweredFiring || now.Sub(before.LastSeenAt) <= overtaking):
		return false // a clock that is ahead, still or of a message from before
	case before.Status == Firing || before.AnsweredFiring:
		return !before.IncidentOpen && (before.IncidentResolvedAt.After(now.Add(ahead)) || r.StartsAt.After(before.IncidentResolvedAt))
	default:
		return before.StartsAt.After(before.LastSeenAt) && (r.StartsAt.After(before.LastSeenAt) || now.Sub(before.LastSeenAt) > overtaking)
	}
}

// beforeOurSetBack is s as it would be for an alert that fires, had our clock been right when it was stored. That it
// heard of the alert later than now proves that it was set back; what lies ahead of now is over just before r started.
func (s Stored) beforeOurSetBack(r Received, now time.Time) Stored {
	if r.Status != Firing || !s.LastSeenAt.After(now.Add(ahead)) || StartOf(r, now).Equal(s.StartsAt) {
		return s
	}
	just := clock.Earlier(StartOf(r, now), asStored(now)).Add(-time.Microsecond)
	for _, t := range []*time.Time{&s.StartsAt, &s.LastSeenAt, &s.IncidentStartsAt, &s.IncidentResolvedAt} {
		if t.After(now) {
			*t = just
		}
	}
	return s
}

// endsAhead reports whether r ends, by a corrected clock, what fires with a start that lay ahead when it was last heard
// of. An end from before that is of an earlier episode and came late; one after now is of a clock that is still ahead.
func endsAhead(before Stored, r Received, now time.Time) bool {
	return before.Status == Firing && before.StartsAt.After(before.LastSeenAt) && r.Status == Resolved && StartKnown(r, now) &&
		r.EndsAt.After(before.LastSeenAt) && !r.EndsAt.After(now)
}

// overtaking is how much later than the end of an alert a message that was decided before may arrive: the
// second of two Alertmanagers waits 15 s for the first, with the alerts as they were before. A real one comes
// later: Alertmanager waits 30 s for a new group, and minutes for a known one.
const overtaking = 25 * time.Second

// firesAgain reports whether what was over fires with the start that it had, or an earlier one. Alertmanager
// ends an alert of which Prometheus brought no news, and when the two reach each other again it has the old start.
// What a person resolved while it fired stays resolved: that start has been answered.
func firesAgain(before Stored, r Received, now time.Time) bool {
	return before.Status == Resolved && r.Status == Firing && StartKnown(r, now) && !StartOf(r, now).After(before.StartsAt) &&
		!before.StartsAt.After(now) && (now.Sub(before.LastSeenAt) > overtaking || before.LastSeenAt.After(now.Add(ahead)))
}

// endsLater reports whether the end of what began before start came after it, so that it is the end of both.
// An Alertmanager that was restarted tells the start of the Prometheus that it hears first, and later the
// earliest start of all. The end of an earlier episode, told late, lies before start.
func endsLater(r Received, start time.Time) bool {
	return r.Status == Resolved && r.StartsAt.Before(start) && r.EndsAt.After(start)
}

// newer compares two states of one alert: the later start, and within one episode
// resolved after firing.
func newer(aStart time.Time, a Status, bStart time.Time, b Status) bool {
	if !aStart.Equal(bStart) {
		return aStart.After(bStart)
	}
	return a == Resolved && b != Resolved
}

// asStored is a time as it comes back from PostgreSQL; comparing a finer one with a
// stored one would make every repeat look like a new episode.
func asStored(t time.Time) time.Time { return t.UTC().Truncate(time.Microsecond) }
