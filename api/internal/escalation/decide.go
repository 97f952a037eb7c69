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

// Start begins paging: the first step is due at now, and its effects are returned
// with the state. Cycle is 1 for a new incident. Owners are the last resort.
func Start(policy Policy, owners []uuid.UUID, cycle int, now time.Time) (State, []Effect) {
	state := State{Cycle: cycle, Status: Active, NextDueAt: now}
	return Decide(Snapshot{State: state, Policy: policy, Owners: owners}, now)
}

// Decide says who is paged at now and what is stored until the next decision. It
// returns the state as it was, and no effects, unless the state is active and due.
//
// What it guarantees:
//   - nothing is early: a step is paged at its due time or later;
//   - a step that means nobody is skipped at once and said so (NobodyOnCall);
//   - when the whole policy means nobody, the owners are paged once per round
//     (LastResort), so that it is never nobody;
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
	walk := begin(snapshot)
	switch {
	case walk.atEnd():
		walk.exhaust()
	case !walk.anybody():
		walk.pageOwners(snapshot.Owners, now)
	default:
		walk.pageMissed(now)
	}
	return walk.state, walk.effects
}

// Advance makes the next step due now, because somebody asked for it. While paging
// is active that is all; when it had stopped or nothing would follow, a new cycle
// begins: at the next step if there is one, otherwise at the first.
func Advance(snapshot Snapshot, now time.Time) (State, []Effect) {
	walk := begin(snapshot)
	state := walk.state
	if state.Status != Active || walk.atEnd() {
		state = State{Cycle: state.Cycle + 1, Step: state.Step, Status: Active}
	}
	if walk.atEnd() {
		state.Step = 0
	}
	if state.NextDueAt.IsZero() || state.NextDueAt.After(now) {
		state.NextDueAt = now
	}
	snapshot.State = state
	return Decide(snapshot, now)
}

// Stop ends paging for reason, which is shown to people. What was stopped before
// keeps its first reason.
func Stop(state State, reason string) State {
	if state.Status == Stopped {
		return state
	}
	state.Status, state.NextDueAt, state.Reason = Stopped, time.Time{}, reason
	return state
}
