package auth

import (
	"sync"
	"time"
)

// limiterSize is how many keys a limiter remembers at most, so that nobody can fill
// the memory.
const limiterSize = 100_000

// Limiter allows so many attempts per key within a sliding window, in memory. It is
// safe for concurrent use.
type Limiter struct {
	limit  int
	window time.Duration
	size   int

	mu       sync.Mutex
	attempts map[string][]time.Time // at most limit each, oldest first
}

// NewLimiter allows limit attempts within any window.
func NewLimiter(limit int, window time.Duration) *Limiter {
	return &Limiter{limit: limit, window: window, size: limiterSize, attempts: map[string][]time.Time{}}
}

// Take counts an attempt before it is made, so that attempts at the same time count
// too. When there were too many it counts nothing and says how long to wait.
func (l *Limiter) Take(key string, now time.Time) (wait time.Duration, ok bool) {
	l.mu.Lock()
	defer l.mu.Unlock()
	recent := l.recent(key, now)
	if len(recent) >= l.limit {
		return recent[0].Add(l.window).Sub(now), false
	}
	if len(recent) == 0 && len(l.attempts) >= l.size {
		l.makeRoom(now)
	}
	l.attempts[key] = append(recent, now)
	return 0, true
}

// Return takes back the newest attempt of a key: it was not a failure.
func (l *Limiter) Return(key string) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if made := l.attempts[key]; len(made) > 1 {
		l.attempts[key] = made[:len(made)-1]
		return
	}
	delete(l.attempts, key)
}

// Forget starts a key anew: a success ends the series of failures.
func (l *Limiter) Forget(key string) {
	l.mu.Lock()
	defer l.mu.Unlock()
	delete(l.attempts, key)
}

func (l *Limiter) recent(key string, now time.Time) []time.Time {
	made := l.attempts[key]
	for len(made) > 0 && !made[0].Add(l.window).After(now) {
		made = made[1:]
	}
	return made
}

// makeRoom forgets what is out of the window, and when that is not much, a tenth of
// the keys, whichever they are: a walk over all of them must not be needed often.
func (l *Limiter) makeRoom(now time.Time) {
	for key := range l.attempts {
		if len(l.recent(key, now)) == 0 {
			delete(l.attempts, key)
		}
	}
	for key := range l.attempts {
		if len(l.attempts) <= l.size*9/10 {
			return
		}
		delete(l.attempts, key)
	}
}
