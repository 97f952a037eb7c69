package escalation

import (
	"slices"
	"time"

	"github.com/google/uuid"
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
	s.Paged = slices.Clone(s.Paged)
	for i := range s.Paged {
		s.Paged[i].Round = EarlierCycle
	}
	return s
}

// Decide says who is paged at now and what is stored until the next decision. Unless the state is active and due, it
// returns that as it was, and no effects: nothing is early. Each branch, and what it calls, says what it guarantees.
// When the incident is more severe than anybody was told, they are told (rise.go).
func Decide(snapshot Snapshot, now time.Time) (State, []Effect) {
	if snapshot.State.Status != Active || snapshot.State.NextDueAt.After(now) {
		return snapshot.State, nil
	}
	walk := begin(snapshot, now)
	// A step that was hurried into a quiet time waits for its own time.
	if !walk.held() && walk.hurried() && walk.quietAt(walk.due) {
		walk.due = walk.state.OwnDueAt
	}
	switch {
	case walk.ended() && walk.allPassed():
		walk.exhaust(walk.exhaustedMessage())
	case snapshot.Hold.holds(now):
		// Nobody is paged in maintenance, and the step is due at its end: PagesHeld says so once for each window.
		walk.hold(snapshot.Hold)
		return walk.state, walk.effects
	case walk.due.After(now): // it was quiet for which it was hurried
		walk.state.NextDueAt = walk.due
		return walk.state, nil
	case walk.late() && walk.quietAt(now):
		// What was due before the quiet time, and is late or was held by maintenance, is paged at its end (PagesHeld).
		hold, ends := walk.policy.quietHold(walk.severity, now)
		if ends {
			walk.hold(hold)
			return walk.state, walk.effects
		}
		walk.due = now
		walk.pageNobody()
	case !walk.held() && walk.quietAt(walk.due):
		// Quiet when it was due: paging ends (PagesNobody), except that another cycle waits for the end of that.
		if hold, ends := walk.policy.quietHold(walk.severity, now); ends && walk.beginsAgain() {
			walk.hold(hold)
			return walk.state, walk.effects
		}
		walk.pageNobody()
	default:
		before := walk.state.Severity
		walk.tellRise(snapshot)
		if snapshot.Unreached && walk.beginsRound() {
			// No page of the cycle got through: the last resort is paged now, once in a cycle.
			walk.nextRound()
			walk.at, walk.unreached = 0, true
			walk.pageLastResort(snapshot.Owners)
		}
		walk.pageDue(snapshot.Owners)
		walk.tellPaged(snapshot.Paged, before) // those of the last cycle, where this one has just begun
	}
	walk.state.HeldBy = uuid.Nil
	return walk.state, walk.effects
}

// NextSteps are the steps that a decision pages after an earlier one of the cycle went unanswered, each
// once, for the timeline, which says when nothing got through. The last resort says so itself, by LastResort.
func NextSteps(before Snapshot, effects []Effect, unreached bool) (next []Effect) {
	why := "Nobody answered"
	if unreached {
		why = "Nobody could be reached so far"
	}
	first := before.State.Round == 0 && len(before.State.Passed) == 0
	last := Effect{Step: -1}
	for _, effect := range effects {
		if !effect.Pages() || effect.Rise != "" || effect.StepID == LastResortID || effect.Step == last.Step && effect.Round == last.Round {
			continue
		}
		last = effect
		if !first {
			next = append(next, Effect{
				Kind: Escalated, Round: effect.Round, Step: effect.Step, StepID: effect.StepID,
				Message: why + ": paging " + before.Policy.place(effect.Step, effect.Round) + ".",
			})
		}
		first = false
	}
	return next
}

// pageDue pages the step that is due and every later one whose time has passed too. When that is nobody, also because
// the last step has waited its delay, the last resort is paged, once in a cycle, or paging ends (RanOut). A round that
// pages nobody waits as long as the first step does.
func (w *walk) pageDue(owners []uuid.UUID) {
	switch wait := w.pageSteps(); {
	case wait > 0:
		w.state.NextDueAt = w.after(wait)
	case !w.passed(LastResortID) && !w.policy.NoLastResort:
		w.pageLastResort(owners)
		w.state.NextDueAt = w.after(w.firstDelay())
	case w.isAskedAgain():
		w.state.NextDueAt = w.state.OwnDueAt
	case !w.lastRound(): // somebody may be on call by then
		w.state.NextDueAt = w.now.Add(w.firstDelay())
	default:
		w.exhaust(w.exhaustedMessage())
	}
	if !w.isAskedAgain() || !w.state.OwnDueAt.After(w.now) {
		w.state.OwnDueAt = time.Time{}
	}
	// Whoever was paged just now knows the new severity.
	if rose(w.state.Severity, w.severity) && slices.ContainsFunc(w.effects, Effect.Pages) {
		w.state.Severity = w.severity
	}
}

// pageSteps pages or skips steps while they are due: one round at most, so that downtime exhausts no policy, and none
// that would have been due in a quiet time after one that pages. It answers with the delay of the last one that pages
// somebody, which counts from now; zero when none does.
func (w *walk) pageSteps() (wait time.Duration) {
	if w.beginsRound() {
		w.nextRound()
	}
	visited := map[uuid.UUID]bool{}
	for looks := w.mostLooks(); looks > 0 && !w.due.After(w.now) && (wait == 0 || !w.quietAt(w.due)); looks-- {
		place, again, follows := w.upcoming()
		if !follows && w.askAgain() {
			continue
		}
		if !follows || wait > 0 && visited[w.policy.Steps[place].ID] {
			break
		}
		if again {
			w.nextRound()
		}
		w.at = place
		step := w.policy.Steps[place]
		if w.pagesAtItsTime(step) {
			w.putOff(step)
			continue
		}
		visited[step.ID] = true
		if w.applies(step) && step.meansSomebody() {
			w.page(w.at)
			wait = step.delay()
			w.goOnAfter(wait)
		} else {
			w.skip(step, "")
		}
		w.pass(step.ID)
	}
	return wait
}

// mostLooks bounds the steps at which one decision looks, far above what two rounds need in which each page puts off all
// the other steps again: no state may hang the paging of all.
func (w *walk) mostLooks() int {
	n := len(w.policy.Steps) + 1
	return 4 * n * n
}

// upcoming is the place of the step that follows, in the next round (again) when this one has
// passed all; follows is false when none does in this decision.
func (w *walk) upcoming() (place int, again, follows bool) {
	if place = w.next(); place < len(w.policy.Steps) {
		return place, false, true
	}
	return 0, true, !w.lastRound() && w.anybody() && !w.isAskedAgain()
}

// page pages whom the step at a place means, of a round robin the next one with each incident and each round; of an
// edited step, whom the round has not paged. Whoever several missed steps mean is paged once (pageOnce).
func (w *walk) page(place int) {
	w.at = place
	step := w.policy.Steps[place]
	for _, target := range step.paged(w.state.Turn + w.state.Round) {
		w.pageTarget(target, w.why(step, target), w.edited(step))
	}
}

// skip says that the step at the position pages nobody, and why: it means nobody (NobodyOnCall), or is for other
// severities or other hours than those of its due time (StepSkipped). more is said after that.
func (w *walk) skip(step Step, more string) {
	if w.applies(step) {
		w.want(Effect{Kind: NobodyOnCall, Message: w.nobodyMessage(step) + more})
		return
	}
	w.want(Effect{Kind: StepSkipped, Message: w.skippedMessage(step) + more})
}

// pageLastResort pages the target that the policy names for it, or the owners.
func (w *walk) pageLastResort(owners []uuid.UUID) {
	targets := slices.DeleteFunc(slices.Clone(w.policy.LastResort.Targets), func(t Target) bool { return !t.meansSomebody() })
	if len(targets) == 0 {
		targets = []Target{{Kind: Owner, People: owners}}
	}
	w.want(Effect{Kind: LastResort, StepID: LastResortID, Message: w.lastResortMessage(targets)})
	first := len(w.effects)
	for _, target := range targets {
		w.pageTarget(target, w.whyLastResort(target), false)
	}
	for i := range w.effects[first:] {
		w.effects[first+i].StepID = LastResortID
	}
	w.state.Passed = append(w.state.Passed, LastResortID)
}

// hold puts the step off until the end of maintenance or of a quiet time, and says so once.
func (w *walk) hold(hold Hold) {
	if w.state.HeldBy != hold.Window {
		w.want(Effect{Kind: PagesHeld, Message: w.heldMessage(hold)})
	}
	w.state.NextDueAt, w.state.HeldBy = hold.due(w.now), hold.Window
}

// pageNobody ends paging because the policy is quiet, and says so.
func (w *walk) pageNobody() {
	message := w.quietMessage()
	w.want(Effect{Kind: PagesNobody, Message: message})
	w.end(message)
}

func (w *walk) exhaust(message string) {
	w.want(Effect{Kind: RanOut, Message: message})
	w.end(message)
}

func (w *walk) end(reason string) {
	w.state.Status, w.state.NextDueAt, w.state.OwnDueAt, w.state.Reason = Exhausted, time.Time{}, time.Time{}, reason
}
