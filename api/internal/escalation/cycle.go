package escalation

import (
	"slices"
	"time"

	"github.com/google/uuid"

	"github.com/nightbell/nightbell/api/internal/alert"
)

// AgainAfter is how long paging that nobody answered has been over before new trouble begins it again.
const AgainAfter = time.Hour

// clockAhead is by how much an instant may lie ahead of now before it was taken from a clock that was set back.
const clockAhead = 5 * time.Second

// IsForAgain reports whether new trouble in a triggered incident whose paging is over begins it again, unless the
// policy is quiet: when paging ran out AgainAfter ago, so that an alert that flaps wakes those who did not answer
// once an hour. Zero, where nobody failed to answer, and an instant of a clock that was set back keep nothing.
func IsForAgain(ranOut, now time.Time) bool {
	over := now.Sub(ranOut)
	return over >= AgainAfter || over < -clockAhead
}

// IsQuiet reports whether the policy pages nobody for a severity at now.
func IsQuiet(policy Policy, severity alert.Severity, now time.Time) bool {
	return policy.quietAt(severity, now)
}

// Advance makes the next step due now because somebody asked for it, whatever maintenance and quiet hours say. Where
// paging was stopped, a new cycle begins at the next step; where that pages nobody, because nothing follows, a new one
// at the first step: whoever asks gets somebody.
func Advance(snapshot Snapshot, now time.Time) (State, []Effect) {
	snapshot.Hold, snapshot.Policy.Quiet = Hold{}, nil
	switch state := snapshot.State; {
	case state.Status == Stopped && !begin(snapshot, now).allPassed():
		snapshot = snapshot.newCycle(state.Passed, now)
	case state.Status != Active:
		snapshot = snapshot.newCycle(nil, now)
	case state.NextDueAt.After(now):
		snapshot.State = Hurry(state, now)
	}
	state, effects := Decide(snapshot, now)
	if slices.ContainsFunc(effects, func(e Effect) bool { return e.Pages() || e.Kind == LastResort }) {
		return state, effects
	}
	snapshot.State = state
	state, more := Decide(snapshot.newCycle(nil, now), now)
	skipped := slices.DeleteFunc(effects, func(e Effect) bool { return e.Kind == RanOut }) // it goes on
	return state, append(skipped, more...)
}

// GoOn is Advance because whoever was waited for has left. Nobody asks for a page now, so maintenance and
// quiet times put it off: what is due keeps its time, and paging that was over begins again at their end.
func GoOn(snapshot Snapshot, now time.Time) (State, []Effect) {
	switch {
	case !snapshot.Hold.holds(now) && !snapshot.Policy.quietAt(snapshot.Severity, now):
		return Advance(snapshot, now)
	case snapshot.State.Status != Active:
		return Start(snapshot, now)
	default:
		return snapshot.State, nil
	}
}

// Stop ends paging for reason, which is shown to people. What was stopped before
// keeps its first reason.
func Stop(state State, reason string) State {
	if state.Status == Stopped {
		return state
	}
	state.Status, state.NextDueAt, state.OwnDueAt, state.HeldBy, state.Reason = Stopped, time.Time{}, time.Time{}, uuid.Nil, reason
	return state
}

// NeedsReached reports whether a decision at now depends on whether any page of this cycle got
// through: where a round begins again and the last resort was not paged yet.
func NeedsReached(snapshot Snapshot, now time.Time) bool {
	if state := snapshot.State; state.Status != Active || state.NextDueAt.After(now) || snapshot.Policy.NoLastResort {
		return false
	}
	w := begin(snapshot, now)
	return w.beginsRound() && !w.passed(LastResortID)
}

// NeedsPaged reports whether a decision depends on who was paged: after an edit of the policy in
// this round, and when the severity rose.
func NeedsPaged(state State, policy Policy, severity alert.Severity) bool {
	edited := state.Status == Active && len(state.Passed) > 0 && state.Revision != policy.Revision
	return edited || state.Severity != "" && rose(state.Severity, severity)
}
