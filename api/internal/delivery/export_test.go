package delivery

// Interrupt makes crashed stand for a crash at a moment of a delivery: "claimed" is
// before the send, "sent" is after it and before the result is recorded.
func (d *Outbox) Interrupt(crashed func(moment string) bool) { d.interrupted = crashed }

// Wait waits until no send is under way.
func (d *Outbox) Wait() { d.sends.Wait() }
