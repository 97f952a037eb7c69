package escalation

import (
	"time"

	"github.com/google/uuid"

	"github.com/nightbell/nightbell/api/internal/alert"
)

// DefaultConfirmTimeout is how long whoever acknowledged a less severe incident has to
// acknowledge the higher severity, when the policy sets no acknowledgement timeout.
const DefaultConfirmTimeout = 15 * time.Minute

// rose reports whether a severity is worse than the worst that anybody was paged with.
func rose(told, severity alert.Severity) bool {
	return told == "" || severity.Rank() < told.Rank()
}

// Rise pages again because a triggered incident became more severe than anybody was
// paged for. It does nothing for a severity of which people were told before, so it acts
// once for each incident and severity.
//
// While a cycle runs, everybody who was paged in it is told once, and the steps that
// were skipped for the lower severity are paged now; what is due next keeps its time.
// When paging ran out or stopped, and when maintenance holds pages, a new cycle begins at
// the first step.
func Rise(snapshot Snapshot, now time.Time) (State, []Effect) {
	state := snapshot.State
	running := state.Status == Active
	switch {
	case !rose(state.Severity, snapshot.Severity):
		return state, nil
	case running && len(state.Passed) == 0: // the first step is still to come, with the new severity
		return state, nil
	case !running || state.Severity == "" || snapshot.Hold.holds(now):
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
	}
	if snapshot.Quiet(now) {
		return state, nil
	}
	walk := begin(snapshot, now)
	walk.due = now
	walk.tellRise(snapshot)
	return walk.state, walk.effects
}

// Quiet reports whether the policy pages nobody for the incident's severity at now.
func (s Snapshot) Quiet(now time.Time) bool {
	return (&walk{policy: s.Policy, severity: s.Severity, due: now}).quiet()
}

// tellRise pages whoever was paged in this cycle, if the severity rose since, and then
// the steps that are for the new severity but were passed for another one.
func (w *walk) tellRise(snapshot Snapshot) {
	before := w.state.Severity
	if before == "" || !rose(before, w.severity) || len(w.state.Passed) == 0 {
		return
	}
	w.state.Severity = w.severity
	for _, paged := range snapshot.Paged {
		why := w.whyRise(paged, before)
		effect := Effect{Kind: paged.Kind, Rise: w.severity, ChannelKind: paged.ChannelKind, Message: why.Sentence, Why: why}
		if paged.Kind == PageChannel {
			effect.ContactMethodID = paged.ID
		} else {
			effect.UserID = paged.ID
		}
		w.pageOnce(effect, paged.ID)
	}
	for i, step := range w.policy.Steps {
		if len(step.Severities) > 0 && w.passed(step.ID) && w.applies(step) {
			w.page(i)
		}
	}
}

// AskToConfirm pages one person, who has an acknowledged incident that became more
// severe: they are to acknowledge it again before until. It does nothing for a severity
// of which people were told before, nor while the policy is quiet for it. Maintenance does
// not hold this page.
func AskToConfirm(snapshot Snapshot, person uuid.UUID, until, now time.Time) (State, []Effect) {
	before := snapshot.State.Severity
	if !rose(before, snapshot.Severity) || snapshot.Quiet(now) {
		return snapshot.State, nil
	}
	w := begin(snapshot, now)
	w.state.Severity = w.severity
	why := w.whyRise(Paged{Kind: PagePerson, ID: person}, before)
	why.Sentence = w.confirmSentence(before, until)
	w.pageOnce(Effect{Kind: PagePerson, Rise: w.severity, UserID: person, Message: why.Sentence, Why: why}, person)
	return w.state, w.effects
}

// ConfirmTimeout is how long whoever has an acknowledged incident has to acknowledge a
// higher severity before the policy pages again.
func (p Policy) ConfirmTimeout() time.Duration {
	if p.AckTimeout > 0 {
		return p.AckTimeout
	}
	return DefaultConfirmTimeout
}
