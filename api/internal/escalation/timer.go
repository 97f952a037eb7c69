package escalation

import "time"

// TimerKind is what happens to an incident by the clock besides paging.
type TimerKind string

// The kinds of timers.
const (
	// AckTimeout pages again for what was acknowledged and not resolved.
	AckTimeout TimerKind = "ack_timeout"
	// ConfirmTimeout pages again for what became more severe after it was acknowledged, and
	// was not acknowledged again.
	ConfirmTimeout TimerKind = "confirm_timeout"
	// AutoResolve resolves what brought no news.
	AutoResolve TimerKind = "auto_resolve"
)

// TimerDue is when a timer of this policy acts that counts from since: never when the
// policy does not ask for it (any more).
func (p Policy) TimerDue(kind TimerKind, since time.Time) (due time.Time, ever bool) {
	after := p.AckTimeout
	switch kind {
	case AutoResolve:
		after = p.AutoResolve
	case ConfirmTimeout:
		after = p.ConfirmTimeout()
	case AckTimeout:
	}
	return since.Add(after), after > 0
}
