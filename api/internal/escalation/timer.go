package escalation

import (
	"time"

	"github.com/nightbell/nightbell/api/internal/kernel/clock"
)

// TimerKind is what happens to an incident by the clock besides paging.
type TimerKind string

// The kinds of timers.
const (
	// AckTimeout pages again for what was acknowledged and not resolved.
	AckTimeout TimerKind = "ack_timeout"
	// ConfirmTimeout pages again for what became more severe after it was acknowledged, and
	// was not acknowledged again.
	ConfirmTimeout TimerKind = "confirm_timeout"
	// ConfirmRequest asks whoever has an incident to acknowledge its higher severity, or tells of
	// it those who were paged while nobody has it, which maintenance or a quiet time put off.
	ConfirmRequest TimerKind = "confirm_request"
	// AutoResolve resolves what brought no news.
	AutoResolve TimerKind = "auto_resolve"
)

// TimerKinds are the kinds in the order in which what is due at the same time acts: first what
// ends by itself, as nobody is paged for it once more.
var TimerKinds = []TimerKind{AutoResolve, AckTimeout, ConfirmTimeout, ConfirmRequest}

// TimerDue is when a timer of this policy acts that counts from since: never when the
// policy does not ask for it (any more). A ConfirmRequest is due when what it waits for ends,
// so nothing is asked here about it.
func (p Policy) TimerDue(kind TimerKind, since time.Time) (due time.Time, ever bool) {
	after := p.AckTimeout
	switch kind {
	case AutoResolve:
		after = p.AutoResolve
	case ConfirmTimeout:
		after = p.ConfirmTimeout()
	case AckTimeout, ConfirmRequest:
	}
	return since.Add(after), after > 0
}

// mostSpared is how long an incident waits for news after an outage of Nightbell. Most senders repeat within that; with
// more, whoever restarts every night would keep what waits for longer open for good.
const mostSpared = 12 * time.Hour

// AfterOutage is when an AutoResolve acts that is due at a time, after an outage of Nightbell that ended at another (zero
// for none): news may have been sent in vain, and has its time once more. Those that ended long after it was due do not
// count: with one after another it would be open for good.
func (p Policy) AfterOutage(due, ended time.Time) time.Time {
	spared := min(p.AutoResolve, mostSpared)
	return clock.Later(due, clock.Earlier(ended, due.Add(mostSpared)).Add(spared))
}
