package delivery

import "time"

// Interrupt makes crashed stand for a crash at a moment of a delivery: "claimed" is
// before the send, "sent" is after it and before the result is recorded.
func (d *Outbox) Interrupt(crashed func(moment string) bool) { d.interrupted = crashed }

// Wait waits until no send is under way.
func (d *Outbox) Wait() { d.sends.Wait() }

// Limit says how long a look, and the first try to record a result, may take.
func (d *Outbox) Limit(look, record time.Duration) { d.claimLimit, d.recordLimit = look, record }

// RenewEvery says how often leases are renewed while the outbox drains.
func (d *Outbox) RenewEvery(gap time.Duration) { d.renewEvery = gap }
