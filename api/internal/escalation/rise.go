package escalation

import (
	"slices"
	"time"

	"github.com/google/uuid"

	"github.com/nightbell/nightbell/api/internal/alert"
)

// longestConfirmTimeout is how long whoever acknowledged a less severe incident has to acknowledge the higher
// severity, unless the policy gives less time to resolve what was acknowledged.
const longestConfirmTimeout = 15 * time.Minute

// rose reports whether a severity is worse than the worst that anybody was paged with.
func rose(told, severity alert.Severity) bool {
	return told == "" || severity.Rank() < told.Rank()
}

// IsNews reports whether an incident is more severe than anybody was told.
func IsNews(state State, severity alert.Severity) bool { return rose(state.Severity, severity) }

// IsHeldUnheard reports whether pages wait for the end of maintenance or of a quiet time, and nobody was paged before.
func IsHeldUnheard(state State) bool {
	return state.Status == Active && state.HeldBy != uuid.Nil && state.Severity == ""
}

// Lower is the state after somebody said that the incident is less bad than people were told. What
// rises above that is news, also where they had heard it before.
func Lower(state State, severity alert.Severity) State {
	if state.Severity != "" && rose(severity, state.Severity) {
		state.Severity = severity
	}
	return state
}

// Lowered pages where the incident was quiet for the severity that it had, and may not be for the one that
// somebody has given it: by the step that waits for the end of that, or from the first one when nobody has
// heard of the incident at all.
func Lowered(snapshot Snapshot, now time.Time) (State, []Effect) {
	state := snapshot.State
	switch {
	case state.Status == Active && state.HeldBy == HeldByQuiet:
		snapshot.State.NextDueAt = now
		return Decide(snapshot, now)
	case state.Status == Exhausted && state.Severity == "" && !snapshot.Policy.quietAt(snapshot.Severity, now):
		return Start(snapshot, now)
	}
	return state, nil
}

// Rise pages again because a triggered incident became more severe than people were told: once for each severity, and
// again where somebody had lowered it. While a cycle runs, whoever was paged in it is told, and whom the passed steps
// mean now; what is due keeps its time. Where paging ran out or stopped, a new cycle begins at the first step.
func Rise(snapshot Snapshot, now time.Time) (State, []Effect) {
	state := snapshot.State
	running := state.Status == Active
	switch {
	case !rose(state.Severity, snapshot.Severity):
		return state, nil
	case running && state.HeldBy == HeldByQuiet: // it may not be quiet for this severity
		snapshot.State.NextDueAt = now
		return Decide(snapshot, now)
	case running && len(state.Passed) == 0: // the first step is still to come, with the new severity
		return state, nil
	case !running || state.Severity == "": // a new cycle, which tells the others of the last one at once
		return Start(snapshot, now)
	case !state.NextDueAt.After(now):
		after, effects := Decide(snapshot, now)
		if after.Status == Active || !rose(after.Severity, snapshot.Severity) {
			return after, effects
		}
		// Paging had run out before, and no sweep had said so yet: nobody was told.
		snapshot.State = after
		after, more := Start(snapshot, now)
		return after, append(effects, more...)
	case snapshot.Hold.holds(now): // it waits for the end of that (WaitToTell)
		return state, nil
	}
	walk := begin(snapshot, now)
	walk.due = now
	if walk.quietAt(now) { // the next step asks again
		walk.want(Effect{Kind: PagesNobody, Message: walk.quietMessage()})
		return walk.state, walk.effects
	}
	walk.tellRise(snapshot)
	return walk.state, walk.effects
}

// WaitToTell says whether a rise that Rise has not told waits for the end of maintenance, before the
// next step is due or with it: until when, with the line of the timeline that says so. The step keeps
// its time. There is no line when nothing waits, or when the step itself is held.
func WaitToTell(snapshot Snapshot, now time.Time) (until time.Time, line []Effect) {
	state := snapshot.State
	if state.Status != Active || len(state.Passed) == 0 || state.HeldBy != uuid.Nil || state.Severity == "" ||
		!rose(state.Severity, snapshot.Severity) || !snapshot.Hold.holds(now) {
		return time.Time{}, nil
	}
	return WaitToAsk(snapshot, now)
}

// tellRise pages whoever was paged in this cycle, if the severity rose since, and then whom the passed steps mean now,
// by the hours of now: skipped ones, and those whose schedule has handed over. In a cycle that has paged nobody, the
// steps were passed in an earlier one (Advance): only those not for the severity told before are paged.
func (w *walk) tellRise(snapshot Snapshot) {
	before := w.state.Severity
	if before == "" || !rose(before, w.severity) || len(w.state.Passed) == 0 {
		return
	}
	w.state.Severity = w.severity
	w.tellPaged(snapshot.Paged, before)
	inCycle := slices.ContainsFunc(snapshot.Paged, func(p Paged) bool { return p.Round != EarlierCycle })
	for i, step := range w.policy.Steps {
		if w.passed(step.ID) && step.isFor(w.severity) && step.isOn(w.policy.zone(), w.now) && (inCycle || !step.isFor(before)) {
			w.page(i)
		}
	}
}

// tellPaged tells those of the severity, if it rose, whom this decision pages for nothing else.
func (w *walk) tellPaged(list []Paged, before alert.Severity) {
	if before == "" || !rose(before, w.severity) {
		return
	}
	for _, paged := range list {
		if paged.Asked {
			continue
		}
		why := w.whyRise(paged, before)
		effect := Effect{Kind: paged.Kind, Rise: w.severity, ChannelKind: paged.ChannelKind, Message: why.Sentence, Why: why}
		if paged.Kind == PageChannel {
			effect.ContactMethodID = paged.ID
		} else {
			effect.UserID = paged.ID
		}
		w.pageOnce(effect, paged.ID)
		w.state.Severity = w.severity
	}
}

// Question asks one person, who has an acknowledged incident that became more severe, to
// acknowledge it again.
type Question struct {
	Person uuid.UUID
	// Acknowledged is the severity that they know of, Until when the policy pages again.
	Acknowledged alert.Severity
	Until        time.Time
	// Waits is set when an earlier question waits for its answer.
	Waits bool
}

// AskToConfirm pages whom the question asks. While an earlier one waits, it does nothing for
// a severity of which people were told before: they hear of each once. It does nothing either
// while WaitToAsk says that it has to wait.
func AskToConfirm(snapshot Snapshot, question Question, now time.Time) (State, []Effect) {
	before := snapshot.State.Severity
	if _, wait := WaitToAsk(snapshot, now); wait != nil || question.Waits && !rose(before, snapshot.Severity) {
		return snapshot.State, nil
	}
	w := begin(snapshot, now)
	if rose(before, w.severity) {
		w.state.Severity = w.severity
	}
	why := w.whyRise(Paged{Kind: PagePerson, ID: question.Person}, before)
	why.Sentence = w.confirmSentence(question)
	w.pageOnce(Effect{
		Kind: PagePerson, Rise: w.severity, UserID: question.Person, Message: why.Sentence, Why: why,
	}, question.Person)
	return w.state, w.effects
}

// ConfirmTimeout is how long whoever has an acknowledged incident has to acknowledge a
// higher severity before the policy pages again. A policy that gives a day to resolve what was acknowledged
// does not mean that one person may sleep through a critical alert for a day.
func (p Policy) ConfirmTimeout() time.Duration {
	if p.AckTimeout > 0 {
		return min(p.AckTimeout, longestConfirmTimeout)
	}
	return longestConfirmTimeout
}
