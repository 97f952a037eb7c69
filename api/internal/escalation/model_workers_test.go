package escalation

import (
	"slices"
	"time"

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
			late := now.Sub(row.paging.NextDueAt) > onTime
			row.paging, effects = Decide(snapshot, now.Add(w.fault.ahead))
			if late && w.prospect.Policy.quietAt(row.Severity, now) && slices.ContainsFunc(effects, Effect.Pages) {
				w.problem("Q1: #%d is paged late, in a quiet time: %s", row.Number(), words(effects))
			}
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
