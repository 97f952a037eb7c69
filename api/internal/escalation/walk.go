package escalation

import (
	"slices"
	"time"

	"github.com/google/uuid"
)

// walk is one decision under way: a position in the policy and what was wanted so far.
type walk struct {
	policy  Policy
	state   State
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
func begin(snapshot Snapshot) *walk {
	w := &walk{policy: snapshot.Policy, state: snapshot.State, paged: map[destination]bool{}}
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

// advance moves one step on; in the last round it may end past the last step.
func (w *walk) advance() {
	w.state.Step++
	if w.atEnd() && !w.lastRound() {
		w.state.Round, w.state.Step = w.state.Round+1, 0
	}
}

func (w *walk) anybody() bool { return slices.ContainsFunc(w.policy.Steps, Step.meansSomebody) }

// pageMissed pages the step that is due and every later one whose time has passed too,
// for one round at most.
func (w *walk) pageMissed(now time.Time) {
	due := w.state.NextDueAt
	if due.IsZero() {
		due = now
	}
	wait := time.Duration(0)
	for range w.policy.Steps {
		if w.atEnd() || due.After(now) {
			break
		}
		step := w.policy.Steps[w.state.Step]
		if step.meansSomebody() {
			w.page(step)
			wait = step.delay()
			due = due.Add(wait)
		} else {
			w.want(Effect{Kind: NobodyOnCall, Message: w.skippedMessage()})
		}
		w.advance()
	}
	if wait == 0 {
		w.exhaust() // only skipped steps were left of the last round
		return
	}
	w.state.NextDueAt = now.Add(wait)
}

func (w *walk) page(step Step) {
	for _, target := range step.Targets {
		message := w.pageMessage(target)
		for _, person := range target.People {
			w.pageOnce(Effect{Kind: PagePerson, UserID: person, Message: message}, person)
		}
		w.pageOnce(Effect{Kind: PageChannel, ContactMethodID: target.Channel, Message: message}, target.Channel)
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
func (w *walk) pageOwners(owners []uuid.UUID, now time.Time) {
	from := w.state.Step
	for ; w.state.Step < len(w.policy.Steps); w.state.Step++ {
		if len(w.policy.Steps[w.state.Step].Targets) > 0 {
			w.want(Effect{Kind: NobodyOnCall, Message: w.skippedMessage()})
		}
	}
	w.state.Step = from
	w.want(Effect{Kind: LastResort, Message: w.lastResortMessage(len(owners))})
	for _, owner := range owners {
		w.pageOnce(Effect{Kind: PagePerson, UserID: owner, Message: ownerMessage}, owner)
	}
	w.state.Step = len(w.policy.Steps) - 1
	w.advance()
	w.state.NextDueAt = now.Add(w.policy.Steps[0].delay())
}

func (w *walk) exhaust() {
	message := w.exhaustedMessage()
	w.want(Effect{Kind: RanOut, Message: message})
	w.state.Status, w.state.NextDueAt, w.state.Reason = Exhausted, time.Time{}, message
}

func (s Step) delay() time.Duration {
	if s.Delay <= 0 {
		return DefaultDelay
	}
	return s.Delay
}

func (s Step) meansSomebody() bool { return slices.ContainsFunc(s.Targets, Target.meansSomebody) }

func (t Target) meansSomebody() bool {
	return t.Channel != uuid.Nil || slices.ContainsFunc(t.People, func(person uuid.UUID) bool { return person != uuid.Nil })
}
