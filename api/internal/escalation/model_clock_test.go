package escalation

import (
	"time"

	"github.com/nightbell/nightbell/api/internal/incident"
)

// ---- planned work

// endMaintenance ends a window early, or calls it off, and makes due what it holds.
func (w *world) endMaintenance(i int) {
	window := &w.prospect.Maintenance[i]
	if w.down() || !window.End.After(w.now) {
		return
	}
	window.End = w.now
	w.tell("maintenance %d is ended", i)
	for _, row := range w.incidents {
		if _, waits := row.timers[ConfirmRequest]; waits && !w.fault.lostHold {
			row.timers[ConfirmRequest] = w.now
			w.committed(row)
		}
		if row.paging.HeldBy == window.ID && row.paging.Status == Active && row.paging.NextDueAt.After(w.now) {
			if w.fault.lostHold {
				row.paging.NextDueAt = w.now.AddDate(0, 1, 0)
			} else {
				row.paging.NextDueAt = w.now
			}
			row.version++
			w.committed(row)
		}
	}
}

// ---- timers

// setTimer starts a timer that counts from since, if the policy asks for it.
func (w *world) setTimer(row *incidentRow, kind TimerKind, since time.Time) {
	if due, ever := w.prospect.Policy.TimerDue(kind, since); ever {
		row.timers[kind] = due
	}
}

// keepTime carries out one timer that is due: claim, look at what else was committed
// meanwhile, commit, with a crash anywhere.
func (w *world) keepTime(a *actor) {
	row, kind, next := w.dueTimer()
	if row == nil {
		w.sleep(a, next)
		return
	}
	w.then(a, w.pause(), func() {
		if w.crashes(a) {
			return
		}
		if _, runs := row.timers[kind]; runs {
			w.timer(row, kind)
		}
		if !w.crashes(a) {
			a.wake(a)
		}
	})
}

// dueTimer picks a timer that is due, those that resolve first, or says when the next will be.
func (w *world) dueTimer() (due *incidentRow, kind TimerKind, next time.Time) {
	if w.fault.noTimers {
		return nil, "", time.Time{}
	}
	for _, kind := range TimerKinds {
		for _, row := range w.incidents {
			at, runs := row.timers[kind]
			if w.fault.earlyTimers {
				at = at.Add(-10 * time.Minute)
			}
			switch {
			case !runs:
			case !at.After(w.now):
				return row, kind, time.Time{}
			case next.IsZero() || at.Before(next):
				next = at
			}
		}
	}
	return nil, "", next
}

// timer does what one timer is for, if that is still so: paging's timerRound in little.
func (w *world) timer(row *incidentRow, kind TimerKind) {
	switch kind {
	case ConfirmRequest:
		delete(row.timers, kind)
		switch {
		case row.WantsConfirmation():
			w.carryOut(row, w.askAgain(row), w.now)
		case row.Status == incident.Triggered:
			row.version++
			w.carryOut(row, w.tellRise(row), w.now)
		}
		w.committed(row)
		return
	case ConfirmTimeout:
		delete(row.timers, kind)
		if !row.WantsConfirmation() || !w.waitsForQuiet(row, kind) {
			w.takeBack(row, incident.ConfirmTimeout{})
		}
		return
	case AckTimeout, AutoResolve:
	}
	since, waits := row.AnsweredAt(), row.Status == incident.Acknowledged
	if kind == AutoResolve {
		since, waits = row.started, row.Status.Open()
		if alert := w.alerts[row.key]; alert.incident == row && alert.lastSeen.After(since) {
			since = alert.lastSeen
		}
	}
	due, ever := w.prospect.Policy.TimerDue(kind, since)
	if kind == AckTimeout && !row.SnoozedUntil.IsZero() {
		due, ever = row.SnoozedUntil, true
	}
	delete(row.timers, kind)
	switch {
	case !waits || !ever:
		return
	case due.After(w.now) && !w.fault.earlyTimers:
		row.timers[kind] = due
		return
	case due.After(w.now):
		w.problem("C3: %s of #%d acts %s early", kind, row.Number(), due.Sub(w.now))
	}
	if kind == AckTimeout {
		if !w.waitsForQuiet(row, kind) {
			w.takeBack(row, incident.AckTimeout{})
		}
		return
	}
	if IsHeldUnheard(row.paging) {
		w.setTimer(row, kind, row.paging.NextDueAt)
		return
	}
	w.resolvedItself++
	row.itself = true
	if alert := w.alerts[row.key]; alert.incident == row && !w.fault.keptAlert {
		alert.released = true
	}
	w.apply(row, incident.NothingNew{For: w.prospect.Policy.AutoResolve})
}

// takeBack takes an incident from whoever has it, which the clock does in no quiet time that ends.
func (w *world) takeBack(row *incidentRow, command incident.Command) {
	before := row.Status
	quiet := w.prospect.Policy.quietAt(row.Severity, w.now) && !w.alwaysQuiet(row)
	w.apply(row, command)
	if quiet && before == incident.Acknowledged && row.Status == incident.Triggered {
		w.problem("Q3: the clock took #%d from whoever had it, in a quiet time", row.Number())
	}
}

// waitsForQuiet puts a timer off that would page in a quiet time; one without an end takes it away.
func (w *world) waitsForQuiet(row *incidentRow, kind TimerKind) bool {
	until, line := WaitForQuiet(w.snapshot(row, w.now), w.now)
	if line == nil || w.fault.deafQuiet {
		return false
	}
	if !until.IsZero() {
		row.timers[kind] = until
	}
	w.carryOut(row, line, w.now)
	return true
}
