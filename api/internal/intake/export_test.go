package intake

import "time"

// Advance moves the clock that ends how long a service at fault is set aside. Call it while
// no request is under way.
func (in *Intake) Advance(d time.Duration) {
	in.held.mu.Lock()
	defer in.held.mu.Unlock()
	now := in.held.now
	in.held.now = func() time.Time { return now().Add(d) }
}
