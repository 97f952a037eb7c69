package flow

import "time"

// Interrupt makes crashed stand for a crash at a moment of a delivery: "claimed" is
// before the send, "sent" is after it and before the result is recorded.
func (d *Deliverer) Interrupt(crashed func(moment string) bool) { d.interrupted = crashed }

// Wait waits until no send is under way.
func (d *Deliverer) Wait() { d.sends.Wait() }

// OverdueQuery is the auditor's question, for looking at its plan.
func OverdueQuery(now time.Time) (sql string, arguments []any) {
	return overdueSQL, overdueArguments(now)
}
