package publish

// Interrupt makes the publisher stop at a moment as if its process had ended there.
func (p *Publisher) Interrupt(at func(moment string) bool) { p.interrupted = at }

// SendsPerSubscription is how many deliveries of one subscription are under way at a time.
const SendsPerSubscription = sendsPerSubscription

// SendsPerOrg is how many of one organization are.
const SendsPerOrg = sendsPerOrg
