package heartbeat

import (
	"time"

	"github.com/nightbell/nightbell/api/internal/kernel/clock"
)

// Rule is what is expected of a heartbeat.
type Rule struct {
	Every      time.Duration // zero when Schedule says it
	Schedule   Schedule
	Grace      time.Duration
	MaxRuntime time.Duration // zero: runs may take any time
	Paused     bool
}

// Signal is what a ping says.
type Signal string

// What a ping may say.
const (
	Lives  Signal = "ok"
	Starts Signal = "start"
	Fails  Signal = "fail"
	Stops  Signal = "stop"
)

// Ping is a sign of life. RunID is empty, or names the run that it is about.
type Ping struct {
	Signal Signal
	RunID  string
}

// Verdict is what has become of a heartbeat.
type Verdict string

// The verdicts that open or resolve an incident, and the one that does neither.
const (
	Nothing      Verdict = ""
	WentMissing  Verdict = "missed"
	RanTooLong   Verdict = "overrun"
	SaidItFailed Verdict = "failed"
	Recovered    Verdict = "recovered"
)

// Ping gives the state after a ping at now, and what that means. A copy of a ping that said that a
// run started or ended changes nothing.
func (r Rule) Ping(s State, p Ping, now time.Time) (State, Verdict) {
	if r.isCopy(s, p, now) {
		return s, Nothing
	}
	before := s.Status
	s.LastPingAt, s.Spared = clock.Later(s.LastPingAt, now), false
	switch p.Signal {
	case Starts:
		s.RunID, s.RunStartedAt = p.RunID, now
		if p.RunID == s.EndedRunID {
			s.EndedRunID = ""
		}
		if r.MaxRuntime > 0 || !s.DueAt.Add(r.Grace).After(now) {
			s.DueAt = r.next(now) // otherwise the end of the run is what is expected
		}
		if before != Overrun && before != Failed { // those end when a run ends well
			s.Status = OK
		}
	case Fails:
		s = s.endRun(p)
		s.Status, s.DueAt, s.EpisodeAt = Failed, r.next(now), s.episode(now)
	case Stops:
		s.RunID, s.RunStartedAt, s.DueAt = "", time.Time{}, time.Time{}
		if before != Failed { // to stop undoes no failure
			s.Status = Stopped
		}
	case Lives:
		s = s.endRun(p)
		s.Status, s.DueAt = OK, r.next(now)
	}
	s.DeadlineAt = r.deadline(s)
	switch {
	case p.Signal == Fails && !r.Paused:
		return s, SaidItFailed
	case before.IsDown() && !s.Status.IsDown():
		return s, Recovered
	default:
		return s, Nothing
	}
}

// copiesWithin is how long after a ping a copy of it may come: whoever lost the answer repeats it soon.
const copiesWithin = 5 * time.Minute

// isCopy reports whether p says of its run what is known, sooner than the next sign of life is
// expected: some programs give all their runs one name. A start after an end begins another run, and
// a failure after an end that was well is news: whoever reports it must not be told that all is well.
func (r Rule) isCopy(s State, p Ping, now time.Time) bool {
	if p.RunID == "" {
		return false
	}
	if p.RunID == s.EndedRunID && s.RunID != "" && s.RunID != p.RunID && now.Before(s.RunStartedAt.Add(copiesWithin)) {
		// The next run has begun under its own name: what comes late of this one must not end,
		// fail or replace it.
		return p.Signal == Starts || p.Signal == Lives || p.Signal == Fails && s.Status == Failed
	}
	if !now.Before(s.LastPingAt.Add(copiesWithin)) || !now.Before(s.DueAt.Add(-r.early(s.DueAt))) {
		return false
	}
	switch p.Signal {
	case Starts:
		return p.RunID == s.RunID && !s.RunStartedAt.IsZero()
	case Fails:
		return p.RunID == s.EndedRunID && s.Status == Failed
	case Lives: // while all is well, a copy is as good as a ping
		return p.RunID == s.EndedRunID && (s.Status == Failed || s.Status == Overrun)
	default:
		return false
	}
}

// endRun ends the run that a ping is about, or any if it names none.
func (s State) endRun(p Ping) State {
	if p.RunID != "" {
		s.EndedRunID = p.RunID
	}
	if p.RunID == "" || s.RunID == "" || p.RunID == s.RunID {
		s.RunID, s.RunStartedAt = "", time.Time{}
	}
	return s
}

// Look gives the state at now, and whether a sign of life is missing.
func (r Rule) Look(s State, now time.Time) (State, Verdict) {
	if s.DeadlineAt.IsZero() || now.Before(s.DeadlineAt) {
		return s, Nothing
	}
	verdict, status := WentMissing, Missed
	if r.isRunWatched(s) {
		verdict, status = RanTooLong, Overrun
		s.RunStartedAt = time.Time{}
	}
	if s.Status != Failed { // which only an ok ends
		s.Status = status
	}
	s.EpisodeAt, s.DeadlineAt = s.episode(s.DeadlineAt), time.Time{}
	return s, verdict
}

// Restart gives the state after settings were changed at now: a sign of life is expected by the new
// rule, counted from now.
func (r Rule) Restart(s State, now time.Time) State {
	if s.Status != New && s.Status != Missed && !s.DueAt.IsZero() {
		s.DueAt = r.next(now)
	}
	s.DeadlineAt = r.deadline(s)
	return s
}

// longestSpare bounds how much later than the end of an outage a miss is noticed, besides its grace.
const longestSpare = time.Hour

// Spare gives the state after an outage of Nightbell. A ping expected in it could not be received, so its deadline
// moves: the end of the outage, plus a period (an hour at most) and the grace. What was missing before, or is expected
// after it, stays. Once for each ping, so that a Nightbell that fails again and again still notices misses.
func (r Rule) Spare(s State, from, to time.Time) State {
	expected := s.DueAt
	if r.isRunWatched(s) {
		expected = s.RunStartedAt
	}
	if s.Spared || s.DeadlineAt.IsZero() || s.DeadlineAt.Before(from) || expected.Add(-r.early(s.DueAt)).After(to) {
		return s
	}
	if until := to.Add(min(r.period(s), longestSpare) + r.Grace); until.After(s.DeadlineAt) {
		s.DeadlineAt, s.Spared = until, true
	}
	return s
}

// SetBack gives the state after the clock was set back to now: what was last heard of later than that counts from now
// on, and so does what an outage of that clock gave more time.
func (r Rule) SetBack(s State, now time.Time) State {
	if !s.LastPingAt.After(now) && !s.Spared {
		return s
	}
	if s.LastPingAt.After(now) {
		s.LastPingAt = now
	}
	if s.RunStartedAt.After(now) {
		s.RunStartedAt = now
	}
	s.Spared = false
	return r.Restart(s, now)
}

// deadline is when what is expected next is missing.
func (r Rule) deadline(s State) time.Time {
	switch {
	case r.Paused || s.Status == New || s.Status == Stopped || s.Status == Missed:
		return time.Time{}
	case r.isRunWatched(s):
		return s.RunStartedAt.Add(r.MaxRuntime)
	case s.Status == Overrun || s.DueAt.IsZero():
		return time.Time{}
	default:
		return s.DueAt.Add(r.Grace)
	}
}

func (r Rule) isRunWatched(s State) bool { return r.MaxRuntime > 0 && !s.RunStartedAt.IsZero() }

// next is when a sign of life is expected after one at a time.
func (r Rule) next(at time.Time) time.Time {
	if r.Every > 0 {
		return at.Add(r.Every)
	}
	return r.Schedule.Next(at.Add(r.early(at)))
}

// period is how long after what is expected now the next is expected.
func (r Rule) period(s State) time.Duration {
	switch {
	case r.isRunWatched(s):
		return r.MaxRuntime
	case r.Every > 0:
		return r.Every
	default:
		return r.gap(s.DueAt)
	}
}

// gap is the time between two turns of the schedule.
func (r Rule) gap(at time.Time) time.Duration {
	first := r.Schedule.Next(at)
	return r.Schedule.Next(first).Sub(first)
}

// early is how much too early a ping may come and be the expected one: clocks differ.
func (r Rule) early(at time.Time) time.Duration {
	every := r.Every
	if every == 0 {
		every = r.gap(at)
	}
	return min(max(0, every/10), time.Minute)
}

// episode is the start of being down at a time, after those before.
func (s State) episode(at time.Time) time.Time {
	return clock.Later(at.Truncate(time.Microsecond), s.EpisodeAt.Add(time.Microsecond))
}
