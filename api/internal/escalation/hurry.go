package escalation

import (
	"slices"
	"time"

	"github.com/nightbell/nightbell/api/internal/oncall"
)

// Hurry makes the next step due now, because nobody of the one before can be reached, or somebody asked for it. Its
// own time is kept, so that nobody is left out who is for later hours. notifydb.nextStepSQL does the same to the table.
func Hurry(state State, now time.Time) State {
	if state.OwnDueAt.IsZero() {
		state.OwnDueAt = state.NextDueAt
	}
	state.NextDueAt = now
	return state
}

// hurried reports whether what is asked now has a later time of its own.
func (w *walk) hurried() bool { return w.state.OwnDueAt.After(w.due) }

// pagesAtItsTime reports whether a step pages nobody only because it was hurried, or because it is asked before one
// for which that is so.
func (w *walk) pagesAtItsTime(step Step) bool {
	if !w.hurried() || !step.isFor(w.severity) || w.applies(step) && step.meansSomebody() {
		return false
	}
	own := w.state.OwnDueAt
	return w.isAskedAgain() || step.isOn(w.policy.zone(), own) && step.meansSomebodyAt(own)
}

// meansSomebodyAt reports whether a step means somebody now, or a schedule of it does at an instant.
func (s Step) meansSomebodyAt(at time.Time) bool {
	return slices.ContainsFunc(s.Targets, func(t Target) bool {
		return t.meansSomebody() || t.Schedule != nil && len(oncall.At(*t.Schedule, at).People) > 0
	})
}

// putOff leaves the step at the position for its own time, and says so.
func (w *walk) putOff(step Step) {
	own, zone := w.state.OwnDueAt, w.policy.zone()
	w.askedAgain[step.ID] = w.due
	w.skip(step, " It is asked again at "+clockOf(own, w.now, zone)+" "+zoneName(own, zone)+".")
}

// isAskedAgain reports whether a step that was put off is still to be passed: one that pages others since an edit may
// have nobody left to page at its own time.
func (w *walk) isAskedAgain() bool {
	own := w.state.OwnDueAt
	return !own.IsZero() && slices.ContainsFunc(w.policy.Steps, func(step Step) bool {
		_, off := w.askedAgain[step.ID]
		return off && !w.passed(step.ID) && (!w.isOfEdit(step, own) || w.owes(step))
	})
}

// after is when what waits for so long is over, or one that was put off has its own time, whichever is first.
func (w *walk) after(wait time.Duration) time.Time {
	at := w.now.Add(wait)
	if own := w.state.OwnDueAt; w.isAskedAgain() && own.After(w.now) && own.Before(at) {
		return own
	}
	return at
}

// goOnAfter makes what follows a page due: after its delay, which counts from here, or at the own time of what was put
// off before it.
func (w *walk) goOnAfter(delay time.Duration) {
	w.due = w.due.Add(delay)
	if own := w.state.OwnDueAt; !w.isAskedAgain() {
		w.state.OwnDueAt = time.Time{}
	} else if own.Before(w.due) {
		w.due = own
	}
}

// askAgain goes on to the own time of what was put off, where that is over for a late wake-up.
func (w *walk) askAgain() bool {
	if !w.isAskedAgain() || w.state.OwnDueAt.After(w.now) || !w.hurried() {
		return false
	}
	w.due = w.state.OwnDueAt
	return true
}
