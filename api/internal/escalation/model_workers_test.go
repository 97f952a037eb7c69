package escalation

import (
	"slices"
	"time"

	"github.com/google/uuid"

	"github.com/nightbell/nightbell/api/internal/incident"
)

// ---- the sweeper

func (w *world) sweep(a *actor) {
	row, next := w.dueIncident()
	if row == nil {
		w.sleep(a, next)
		return
	}
	version, now := row.version, w.now
	snapshot := w.snapshot(row, now)
	w.then(a, w.pause(), func() {
		if w.crashes(a) {
			return
		}
		if row.version == version || w.fault.unguardedState {
			var effects []Effect
			due := row.paging.NextDueAt
			if own := row.paging.OwnDueAt; own.After(due) && w.prospect.Policy.quietAt(row.Severity, due) {
				due = own
			}
			late := now.Sub(due) > onTime
			row.paging, effects = Decide(snapshot, now.Add(w.fault.ahead))
			if late && w.prospect.Policy.quietAt(row.Severity, now) && slices.ContainsFunc(effects, Effect.Pages) {
				w.problem("Q1: #%d is paged late, in a quiet time: %s", row.Number(), words(effects))
			}
			w.checkHurried(row, snapshot, effects, now)
			row.version++
			w.carryOut(row, effects, now)
			w.tell("#%d decided: %s", row.Number(), words(effects))
			w.committed(row)
		}
		if !w.crashes(a) {
			a.wake(a)
		}
	})
}

// hurry makes the next step due, because nobody of the last one can be reached: notifydb.nextStepSQL in little.
func (w *world) hurry(row *incidentRow) {
	state := row.paging
	if w.down() || state.Status != Active || state.HeldBy != uuid.Nil || !state.NextDueAt.After(w.now) || state.NextDueAt.Equal(state.OwnDueAt) {
		return
	}
	row.version++
	row.hurried = row.version
	w.hurries++
	row.paging = Hurry(state, w.now)
	if row.ownDue = row.paging.OwnDueAt; w.fault.forgottenTime {
		row.paging.OwnDueAt = time.Time{}
	}
	w.tell("#%d hurried", row.Number())
	w.committed(row)
}

// checkHurried: what was hurried, and is for its own time, is not given up before that.
func (w *world) checkHurried(row *incidentRow, before Snapshot, effects []Effect, now time.Time) {
	if row.hurried == 0 || row.version != row.hurried || !row.ownDue.After(now) || row.paging.Cycle != before.State.Cycle {
		return
	}
	for _, effect := range effects {
		if effect.Pages() {
			return // what follows has a time that counts from here
		}
		if effect.Kind == PagesNobody && !w.prospect.Policy.quietAt(row.Severity, row.ownDue) {
			w.problem("H1: #%d was hurried into a quiet time, and nobody is paged for it", row.Number())
		}
		for _, step := range before.Policy.Steps {
			dropped := effect.Kind == StepSkipped && step.ID == effect.StepID && effect.Round == row.paging.Round && slices.Contains(row.paging.Passed, step.ID)
			if dropped && step.isFor(row.Severity) && step.meansSomebody() && step.isOn(before.Policy.zone(), row.ownDue) {
				w.problem("H1: step %d of #%d was hurried into other hours, and is given up", effect.Step+1, row.Number())
			}
		}
	}
}

// dueIncident picks one that is due, or says when the next one will be.
func (w *world) dueIncident() (due *incidentRow, next time.Time) {
	for _, row := range w.incidents {
		at := row.paging.NextDueAt.Add(-w.fault.ahead)
		switch {
		case row.paging.Status != Active:
		case !at.After(w.now) && (due == nil || w.random.IntN(2) == 0):
			due = row
		case next.IsZero() || at.Before(next):
			next = at
		}
	}
	return due, next
}

// ---- pages

// send hands a page out once it is due, unless somebody has answered. How pages are claimed,
// sent and recorded is lived through by the real outbox: delivery/simulate_test.go.
func (w *world) send(p *page) {
	switch {
	case p.state != pending:
	case w.down():
		w.after(w.downTill.Sub(w.now)+w.upTo(time.Second), func() { w.send(p) })
	case !p.waits():
		p.state = cancelled
	default:
		p.state = sent
		w.sent++
		w.tell("sent %s", p.key)
		w.checkSend(p)
	}
}

// waits reports whether nobody has answered yet what the page is about.
func (p *page) waits() bool {
	return p.of.Status == incident.Triggered || p.rise != "" && p.of.WantsConfirmation()
}
