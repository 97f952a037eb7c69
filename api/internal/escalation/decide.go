package escalation

import (
	"time"

	"github.com/google/uuid"
)

// DefaultDelay is how long a step without a delay of its own waits, and how long the
// last resort does when the policy has no steps.
const DefaultDelay = 5 * time.Minute

// maxRepeats bounds what a policy may ask for, as the table's CHECK does.
const maxRepeats = 20

// Start begins paging, or begins it anew after the snapshot's state: the first step is
// due at now, and its effects are returned with the state. An incident that was never
// paged for takes the policy's next turn, the others keep theirs.
func Start(snapshot Snapshot, now time.Time) (State, []Effect) {
	if snapshot.State.Cycle == 0 {
		snapshot.State.Turn = snapshot.Policy.NextTurn
	}
	snapshot.State = newCycle(snapshot.State, 0, now)
	return Decide(snapshot, now)
}

// Decide says who is paged at now and what is stored until the next decision. It
// returns the state as it was, and no effects, unless the state is active and due.
//
// What it guarantees:
//   - nothing is early: a step is paged at its due time or later;
//   - while maintenance holds the pages nobody is paged, and the step is due at its end
//     (PagesHeld says so once for each window);
//   - a step that is for other severities, or for other hours than those of its due time,
//     is skipped at once and said so (StepSkipped), as is one that means nobody
//     (NobodyOnCall);
//   - a round robin pages one of its targets: the next one with each incident and each
//     round, passing over those that mean nobody;
//   - when no step of the policy is left that pages anybody, the owners are paged once
//     per round (LastResort), so that it is never nobody;
//   - after a late wake-up each distinct person or channel that was missed is paged
//     once, in the order of the steps, and the next step keeps its full delay from
//     now. One wake-up uses up one round at most, so downtime exhausts no policy;
//   - after the last step of the last round has waited its delay, paging is exhausted
//     and says so (RanOut);
//   - a policy that was edited under way continues where it was, or begins another
//     round when it is now too short for that.
func Decide(snapshot Snapshot, now time.Time) (State, []Effect) {
	if snapshot.State.Status != Active || snapshot.State.NextDueAt.After(now) {
		return snapshot.State, nil
	}
	walk := begin(snapshot, now)
	switch {
	case walk.atEnd():
		walk.exhaust()
	case snapshot.Hold.holds(now):
		walk.hold(snapshot.Hold)
		return walk.state, walk.effects
	case !walk.anybody():
		walk.pageOwners(snapshot.Owners)
	default:
		walk.pageMissed()
	}
	walk.state.HeldBy = uuid.Nil
	return walk.state, walk.effects
}

// Advance makes the next step due now, because somebody asked for it, maintenance or
// not. While paging is active that is all; when it had stopped, a new cycle begins at
// the next step. When that would page nobody, because nothing follows or nobody is on
// call for what does, a new cycle begins at the first step: whoever asks gets somebody.
func Advance(snapshot Snapshot, now time.Time) (State, []Effect) {
	snapshot.Hold = Hold{}
	walk := begin(snapshot, now)
	snapshot.State = walk.state
	switch {
	case walk.atEnd():
		snapshot.State = newCycle(walk.state, 0, now)
	case walk.state.Status != Active:
		snapshot.State = newCycle(walk.state, walk.state.Step, now)
	case walk.state.NextDueAt.After(now):
		snapshot.State.NextDueAt = now
	}
	state, effects := Decide(snapshot, now)
	if state.Status != Exhausted {
		return state, effects
	}
	snapshot.State = newCycle(state, 0, now)
	state, more := Decide(snapshot, now)
	skipped := effects[:len(effects)-1] // the last one says that paging ran out, which it does not
	return state, append(skipped, more...)
}

func newCycle(state State, step int, now time.Time) State {
	return State{Cycle: state.Cycle + 1, Step: step, Turn: state.Turn, Status: Active, NextDueAt: now}
}

// Stop ends paging for reason, which is shown to people. What was stopped before
// keeps its first reason.
func Stop(state State, reason string) State {
	if state.Status == Stopped {
		return state
	}
	state.Status, state.NextDueAt, state.HeldBy, state.Reason = Stopped, time.Time{}, uuid.Nil, reason
	return state
}
