package escalation

import "time"

// TimerKind is what happens to an incident by the clock besides paging.
type TimerKind string

// The kinds of timers.
const (
	// AckTimeout pages again for what was acknowledged and not resolved.
	AckTimeout TimerKind = "ack_timeout"
	// AutoResolve resolves what brought no news.
	AutoResolve TimerKind = "auto_resolve"
)

// TimerDue is when a timer of this policy acts that counts from since: never when the
// policy does not ask for it (any more).
func (p Policy) TimerDue(kind TimerKind, since time.Time) (due time.Time, ever bool) {
	after := p.AckTimeout
	if kind == AutoResolve {
		after = p.AutoResolve
	}
	return since.Add(after), after > 0
}
