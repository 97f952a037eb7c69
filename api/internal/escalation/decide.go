package escalation

import (
	"time"

	"github.com/google/uuid"

	"github.com/nightbell/nightbell/api/internal/alert"
)

// DefaultDelay is how long a step without a delay of its own waits, and how long the
// last resort does when the policy has no steps.
const DefaultDelay = 5 * time.Minute

// maxRepeats bounds what a policy may ask for, as the table's CHECK does.
const maxRepeats = 20

// Start begins paging, or begins a new cycle after the snapshot's state: the first step
// is due at now, and its effects are returned with the state. An incident that was never
// paged for takes the policy's next turn, the others keep theirs.
func Start(snapshot Snapshot, now time.Time) (State, []Effect) {
	if snapshot.State.Cycle == 0 {
		snapshot.State.Turn = snapshot.Policy.NextTurn
	}
	return Decide(snapshot.newCycle(nil, now), now)
}

// Decide says who is paged at now and what is stored until the next decision. It
// returns the state as it was, and no effects, unless the state is active and due.
//
// What it guarantees:
//   - nothing is early: a step is paged at its due time or later;
//   - while maintenance holds the pages nobody is paged, and the step is due at its end
//     (PagesHeld says so once for each window);
//   - when the policy is quiet for the severity at the due time, nobody is paged and
//     paging ends (PagesNobody);
//   - a step that is for other severities, or for other hours than those of its due time,
//     is skipped at once and said so (StepSkipped), as is one that means nobody
//     (NobodyOnCall);
//   - a round robin pages one of its targets: the next one with each incident and each
//     round, passing over those that mean nobody;
//   - after a late wake-up each distinct person or channel that was missed is paged
//     once, in the order of the steps, and the next step keeps its full delay from
//     now. One wake-up uses up one round at most, so downtime exhausts no policy;
//   - in a round whose steps page nobody, and after the last step of the last round has
//     waited its delay, the last resort is paged, once in a round (LastResort);
//   - after that, paging is exhausted and says so (RanOut);
//   - steps have identities: after an edit under way, each step that this round has not
//     passed is paged in the policy's new order. One that the edit added, or changed whom
//     it pages, pages those whom this round has not paged yet. So nobody of the new policy
//     is left out, and nobody is paged again because of an edit;
//   - when the incident is more severe than anybody was told, they are told (rise.go).
func Decide(snapshot Snapshot, now time.Time) (State, []Effect) {
	if snapshot.State.Status != Active || snapshot.State.NextDueAt.After(now) {
		return snapshot.State, nil
	}
	walk := begin(snapshot, now)
	switch {
	case walk.ended() && walk.allPassed():
		walk.exhaust(walk.exhaustedMessage())
	case snapshot.Hold.holds(now):
		walk.hold(snapshot.Hold)
		return walk.state, walk.effects
	case walk.quiet():
		message := walk.quietMessage()
		walk.want(Effect{Kind: PagesNobody, Message: message})
		walk.end(message)
	default:
		walk.tellRise(snapshot)
		walk.pageDue(snapshot.Owners)
	}
	walk.state.HeldBy = uuid.Nil
	return walk.state, walk.effects
}

// Advance makes the next step due now, because somebody asked for it, whatever
// maintenance and quiet hours say. While paging is active that is all; when it was
// stopped, a new cycle begins at the next step. When that pages nobody, because nothing
// follows, a new cycle begins at the first step: whoever asks gets somebody.
func Advance(snapshot Snapshot, now time.Time) (State, []Effect) {
	snapshot.Hold, snapshot.Policy.Quiet = Hold{}, nil
	switch state := snapshot.State; {
	case state.Status == Stopped && !begin(snapshot, now).allPassed():
		snapshot = snapshot.newCycle(state.Passed, now)
	case state.Status != Active:
		snapshot = snapshot.newCycle(nil, now)
	case state.NextDueAt.After(now):
		snapshot.State.NextDueAt = now
	}
	state, effects := Decide(snapshot, now)
	if state.Status != Exhausted {
		return state, effects
	}
	snapshot.State = state
	state, more := Decide(snapshot.newCycle(nil, now), now)
	skipped := effects[:len(effects)-1] // the last one says that paging ran out, which it does not
	return state, append(skipped, more...)
}

// newCycle is the snapshot in which paging begins again after the steps that count as
// passed. Nobody was paged in it yet.
func (s Snapshot) newCycle(passed []uuid.UUID, now time.Time) Snapshot {
	old := s.State
	s.State = State{
		Cycle: old.Cycle + 1, Turn: old.Turn, Severity: old.Severity, Status: Active, NextDueAt: now,
	}
	for _, step := range passed {
		if step != LastResortID {
			s.State.Passed, s.State.Revision = append(s.State.Passed, step), old.Revision
		}
	}
	s.Paged = nil
	return s
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

// NeedsPaged reports whether a decision depends on who was paged in this cycle: after an
// edit of the policy in this round, and when the severity rose.
func NeedsPaged(state State, policy Policy, severity alert.Severity) bool {
	return state.Status == Active && len(state.Passed) > 0 && (state.Revision != policy.Revision || rose(state.Severity, severity))
}
