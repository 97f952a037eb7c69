package intake

import "time"

// Advance moves the clock that ends how long a service at fault is set aside. Call it while
// no request is under way.
func (in *Intake) Advance(d time.Duration) {
	in.isolated.mu.Lock()
	defer in.isolated.mu.Unlock()
	now := in.isolated.now
	in.isolated.now = func() time.Time { return now().Add(d) }
}

// Queued is how many requests wait for the next batch.
func (in *Intake) Queued() int { return len(in.queue) }
