package escalation

import (
	"slices"
	"time"

	"github.com/google/uuid"

	"github.com/nightbell/nightbell/api/internal/alert"
)

// walk is one decision under way: a position in the policy and what was wanted so far.
type walk struct {
	policy   Policy
	state    State
	severity alert.Severity
	now      time.Time
	// due is when the step at the position was due: whether it is for these hours is asked
	// of that time, not of a late wake-up.
	due time.Time
	// at is the place of the step whose effects are wanted, from 0.
	at      int
	effects []Effect
	// paged holds the people and channels of this decision, to collapse repeats, and
	// thisRound those that the round had paged before it.
	paged, thisRound map[destination]bool
	// askedAgain are the steps that are put off to their own time, with the time at which they were last.
	askedAgain map[uuid.UUID]time.Time
	// unreached is set while the last resort is paged because no page got through.
	unreached bool
}

type destination struct {
	kind EffectKind
	id   uuid.UUID
}

// begin takes up the round where it was.
func begin(snapshot Snapshot, now time.Time) *walk {
	w := &walk{
		policy: snapshot.Policy, state: snapshot.State, severity: snapshot.Severity,
		now: now, due: snapshot.State.NextDueAt, paged: map[destination]bool{}, thisRound: map[destination]bool{}, askedAgain: map[uuid.UUID]time.Time{},
	}
	if w.due.IsZero() {
		w.due = now
	}
	w.policy.Repeats = min(max(w.policy.Repeats, 0), maxRepeats)
	w.state.Round, w.state.Passed = max(w.state.Round, 0), slices.Clone(w.state.Passed)
	if len(w.state.Passed) == 0 {
		w.state.Revision = w.policy.Revision
	}
	for _, paged := range snapshot.Paged {
		if paged.Round == w.state.Round {
			w.thisRound[destination{paged.Kind, paged.ID}] = true
		}
	}
	w.at = w.next()
	return w
}

// lastRound reports whether the steps do not start again; without steps nothing does.
func (w *walk) lastRound() bool {
	return w.state.Round >= w.policy.Repeats || len(w.policy.Steps) == 0
}

// beginsAgain reports whether the step is the first one of another cycle, for an incident that is not new.
func (w *walk) beginsAgain() bool {
	return w.state.Cycle > 1 && w.state.Round == 0 && len(w.state.Passed) == 0
}

// held reports whether the step waited for maintenance or for the end of a quiet time.
func (w *walk) held() bool { return w.state.HeldBy != uuid.Nil }

// late reports whether a quiet time counts that began since the step was due.
func (w *walk) late() bool {
	return w.held() || !w.quietAt(w.due) && w.now.Sub(w.due) > onTime
}

func (w *walk) passed(step uuid.UUID) bool { return slices.Contains(w.state.Passed, step) }

// pass counts a step among those that the round has passed.
func (w *walk) pass(step uuid.UUID) {
	if !w.passed(step) {
		w.state.Passed = append(w.state.Passed, step)
	}
}

// edited reports whether a step is new, or pages others, since the round began.
func (w *walk) edited(step Step) bool { return step.ChangedIn > w.state.Revision }

// isOfEdit reports whether an edited step means somebody at an instant: it is passed while it owes nobody a page.
func (w *walk) isOfEdit(step Step, at time.Time) bool {
	return w.edited(step) && step.isFor(w.severity) && step.isOn(w.policy.zone(), at) && step.meansSomebody()
}

// next is the place of the first step that the round still has to pass; one past the last when there is none. Steps
// have identities: after an edit they are passed in the new order, and an edited one pages whom the round has not
// paged. So nobody of the new policy is left out, and nobody is paged again because of an edit.
func (w *walk) next() int {
	for i, step := range w.policy.Steps {
		if put, off := w.askedAgain[step.ID]; off && put.Equal(w.due) {
			continue
		}
		if w.isOfEdit(step, w.due) {
			if w.owes(step) {
				return i
			}
		} else if !w.passed(step.ID) {
			return i
		}
	}
	return len(w.policy.Steps)
}

// owes reports whether an edited step means somebody whom this round has not paged.
func (w *walk) owes(step Step) bool {
	for _, target := range step.paged(w.state.Turn + w.state.Round) {
		for to := range target.destinations() {
			if !w.thisRound[to] && !w.paged[to] {
				return true
			}
		}
	}
	return false
}

// allPassed reports whether the round has passed every step.
func (w *walk) allPassed() bool { return w.next() == len(w.policy.Steps) }

// ended reports whether nothing follows once every step of the round is passed.
func (w *walk) ended() bool {
	return w.lastRound() && (w.passed(LastResortID) || w.policy.NoLastResort)
}

// beginsRound reports whether the step that is due is the first one of another round.
func (w *walk) beginsRound() bool {
	return len(w.state.Passed) > 0 && w.allPassed() && !w.lastRound()
}

func (w *walk) nextRound() {
	last := w.passed(LastResortID)
	w.state.Round, w.state.Passed, w.state.Revision = w.state.Round+1, nil, w.policy.Revision
	if last { // once in a cycle
		w.state.Passed = []uuid.UUID{LastResortID}
	}
	clear(w.thisRound)
	clear(w.askedAgain)
}

// applies reports whether a step is for this incident at the time it is due.
func (w *walk) applies(step Step) bool {
	return step.isFor(w.severity) && step.isOn(w.policy.zone(), w.due)
}

func (w *walk) quietAt(at time.Time) bool { return w.policy.quietAt(w.severity, at) }

// firstDelay is how long the last resort and a round that pages nobody wait.
func (w *walk) firstDelay() time.Duration {
	if len(w.policy.Steps) == 0 {
		return DefaultDelay
	}
	return w.policy.Steps[0].delay()
}

func (w *walk) anybody() bool {
	return slices.ContainsFunc(w.policy.Steps, func(step Step) bool { return w.applies(step) && step.meansSomebody() })
}

func (w *walk) pageTarget(target Target, why Why, unpagedOnly bool) {
	for to := range target.destinations() {
		effect := Effect{Kind: to.kind, Message: why.Sentence, Why: why}
		if to.kind == PageChannel {
			effect.ContactMethodID, effect.ChannelKind = to.id, target.ChannelKind
		} else {
			effect.UserID = to.id
		}
		if !unpagedOnly || !w.thisRound[to] {
			w.pageOnce(effect, to.id)
		}
	}
}

// pageOnce wants a page unless this decision already pages the same one.
func (w *walk) pageOnce(effect Effect, id uuid.UUID) {
	to := destination{effect.Kind, id}
	if id == uuid.Nil || w.paged[to] {
		return
	}
	w.paged[to] = true
	w.want(effect)
}

// want adds an effect of the step the walk is at; at the end, of the last one.
func (w *walk) want(effect Effect) {
	effect.Round, effect.Step = w.state.Round, max(0, min(w.at, len(w.policy.Steps)-1))
	if effect.StepID == uuid.Nil && effect.Step < len(w.policy.Steps) {
		effect.StepID = w.policy.Steps[effect.Step].ID
	}
	w.effects = append(w.effects, effect)
}
