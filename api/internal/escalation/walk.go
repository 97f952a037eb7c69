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
	due     time.Time
	effects []Effect
	// paged holds the people and channels of this decision, to collapse repeats.
	paged map[destination]bool
}

type destination struct {
	kind EffectKind
	id   uuid.UUID
}

// begin finds the position again, whatever happened to the policy meanwhile. A policy
// without steps counts as one step that means nobody.
func begin(snapshot Snapshot, now time.Time) *walk {
	w := &walk{
		policy: snapshot.Policy, state: snapshot.State, severity: snapshot.Severity,
		now: now, due: snapshot.State.NextDueAt, paged: map[destination]bool{},
	}
	if w.due.IsZero() {
		w.due = now
	}
	w.policy.Repeats = min(max(w.policy.Repeats, 0), maxRepeats)
	if len(w.policy.Steps) == 0 {
		w.policy.Steps = []Step{{Delay: DefaultDelay}}
	}
	w.state.Round, w.state.Step = max(w.state.Round, 0), max(w.state.Step, 0)
	// At the end one step past the last is waited for. Further than that means that the
	// policy was cut shorter, and then nobody of what is left may have been paged.
	if w.state.Step > len(w.policy.Steps) || w.state.Step == len(w.policy.Steps) && !w.lastRound() {
		w.state.Round, w.state.Step = w.state.Round+1, 0
	}
	return w
}

func (w *walk) lastRound() bool { return w.state.Round >= w.policy.Repeats }

// atEnd reports whether everything was paged and the last delay is waited for.
func (w *walk) atEnd() bool { return w.state.Step >= len(w.policy.Steps) }

func (w *walk) step() Step { return w.policy.Steps[w.state.Step] }

// advance moves one step on; in the last round it may end past the last step.
func (w *walk) advance() {
	w.state.Step++
	if w.atEnd() && !w.lastRound() {
		w.state.Round, w.state.Step = w.state.Round+1, 0
	}
}

// applies reports whether a step is for this incident at the time it is due.
func (w *walk) applies(step Step) bool {
	return step.isFor(w.severity) && step.isOn(w.policy.zone(), w.due)
}

func (w *walk) anybody() bool {
	return slices.ContainsFunc(w.policy.Steps, func(step Step) bool { return w.applies(step) && step.meansSomebody() })
}

// hold puts the step off until the end of maintenance, and says so once.
func (w *walk) hold(hold Hold) {
	if w.state.HeldBy != hold.Window {
		w.want(Effect{Kind: PagesHeld, Message: w.heldMessage(hold)})
	}
	w.state.NextDueAt, w.state.HeldBy = hold.Until, hold.Window
}

// pageMissed pages the step that is due and every later one whose time has passed too,
// for one round at most.
func (w *walk) pageMissed() {
	wait := time.Duration(0)
	for range w.policy.Steps {
		if w.atEnd() || w.due.After(w.now) {
			break
		}
		if step := w.step(); w.applies(step) && step.meansSomebody() {
			w.page(step)
			wait = step.delay()
			w.due = w.due.Add(wait)
		} else {
			w.skip(step)
		}
		w.advance()
	}
	if wait == 0 {
		w.exhaust() // only skipped steps were left of the last round
		return
	}
	w.state.NextDueAt = w.now.Add(wait)
}

// skip says that the step at the position pages nobody, and why.
func (w *walk) skip(step Step) {
	if w.applies(step) {
		w.want(Effect{Kind: NobodyOnCall, Message: w.nobodyMessage(step)})
		return
	}
	w.want(Effect{Kind: StepSkipped, Message: w.skippedMessage(step)})
}

func (w *walk) page(step Step) {
	for _, target := range step.paged(w.state.Turn + w.state.Round) {
		why := w.why(step, target)
		for _, person := range target.People {
			w.pageOnce(Effect{Kind: PagePerson, UserID: person, Message: why.Sentence, Why: why}, person)
		}
		w.pageOnce(Effect{
			Kind: PageChannel, ContactMethodID: target.Channel, ChannelKind: target.ChannelKind, Message: why.Sentence, Why: why,
		}, target.Channel)
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
	effect.Round, effect.Step = w.state.Round, min(w.state.Step, len(w.policy.Steps)-1)
	w.effects = append(w.effects, effect)
}

// pageOwners is the last resort for the rest of this round.
func (w *walk) pageOwners(owners []uuid.UUID) {
	from := w.state.Step
	for ; w.state.Step < len(w.policy.Steps); w.state.Step++ {
		if step := w.step(); len(step.Targets) > 0 {
			w.skip(step)
		}
	}
	w.state.Step = from
	w.want(Effect{Kind: LastResort, Message: w.lastResortMessage(len(owners))})
	why := w.whyOwner()
	for _, owner := range owners {
		w.pageOnce(Effect{Kind: PagePerson, UserID: owner, Message: why.Sentence, Why: why}, owner)
	}
	w.state.Step = len(w.policy.Steps) - 1
	w.advance()
	w.state.NextDueAt = w.now.Add(w.policy.Steps[0].delay())
}

func (w *walk) exhaust() {
	message := w.exhaustedMessage()
	w.want(Effect{Kind: RanOut, Message: message})
	w.state.Status, w.state.NextDueAt, w.state.Reason = Exhausted, time.Time{}, message
}
