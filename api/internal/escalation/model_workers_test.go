package escalation

import (
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
			row.paging, effects = Decide(snapshot, now.Add(w.fault.ahead))
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

// ---- the outbox

// A claim holds for leaseTime; a send without a fault takes sendTime at most.
const (
	leaseTime = 10 * time.Second
	sendTime  = 3 * time.Second
)

func (w *world) deliver(a *actor) {
	p, next := w.duePage()
	if p == nil {
		w.sleep(a, next)
		return
	}
	p.state, p.leaseTill = sending, w.now.Add(leaseTime)
	p.token++
	token := p.token
	w.then(a, w.pause(), func() {
		switch {
		case w.crashes(a):
		case w.mayStillSend(p, token):
			w.then(a, w.upTo(500*time.Millisecond), func() { w.send(a, p, token) })
		default:
			a.wake(a)
		}
	})
}

// mayStillSend is the last look: the lease is ours and long enough, and nobody has answered.
func (w *world) mayStillSend(p *page, token int) bool {
	switch {
	case p.token != token || p.state != sending:
		return false
	case !p.waits() && !w.fault.noLastLook:
		p.state = cancelled
		return false
	case p.leaseTill.Sub(w.now) < sendTime && !w.fault.noBudget:
		p.state = pending // too late to finish before somebody else takes it over
		return false
	default:
		return true
	}
}

// waits reports whether nobody has answered yet what the page is about.
func (p *page) waits() bool {
	return p.of.Status == incident.Triggered || p.rise != "" && p.of.WantsConfirmation()
}

// duePage picks a page that may be claimed, or says when the next one may.
func (w *world) duePage() (due *page, next time.Time) {
	for _, p := range w.pages {
		at := p.due
		switch {
		case p.state == sending && !w.fault.noLease:
			at = p.leaseTill
		case p.state != pending && p.state != sending:
			continue
		}
		if !at.After(w.now) {
			return p, time.Time{}
		}
		if next.IsZero() || at.Before(next) {
			next = at
		}
	}
	return nil, next
}

// send hands a page to the provider, which takes it, refuses it or loses the answer.
func (w *world) send(a *actor, p *page, token int) {
	p.attempts++
	w.attempts++
	w.tell("attempt %d at %s", p.attempts, p.key)
	w.checkAttempt(p)
	a.sending = p
	accepted, wait := true, w.upTo(sendTime-time.Second)
	switch w.random.IntN(10) {
	case 0: // refused for now
		accepted = false
		p.excuses++
	case 1: // taken, but the answer is lost: it may go out again
		accepted, wait = false, 9*time.Second
		p.excuses++
		w.lost++
	case 2: // slow beyond the lease: somebody else takes it over
		wait = 11 * time.Second
		p.excuses++
		w.lost++
	}
	w.then(a, wait, func() {
		if w.crashes(a) {
			return
		}
		a.sending = nil
		if p.token == token && p.state == sending || w.fault.noToken {
			w.finish(p, accepted)
		}
		a.wake(a)
	})
}

func (w *world) finish(p *page, accepted bool) {
	switch {
	case p.state == sent && !accepted:
		w.problem("I5: %s was sent and is pending again", p.key)
	case accepted:
		p.state = sent
	default:
		p.state, p.due = pending, w.now.Add(2*time.Second)
	}
	if p.state == pending && !p.waits() {
		p.state = cancelled
	}
	w.committed(p.of)
}
