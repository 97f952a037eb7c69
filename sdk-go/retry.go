package nightbell

import "time"

const (
	firstDelay     = 500 * time.Millisecond
	longestDelay   = 30 * time.Second
	foregroundWish = 2 * time.Minute  // nobody waits longer for a call
	backgroundWish = time.Hour        // no server holds an event longer
	backgroundLife = 15 * time.Minute // from the first try to the last
)

// foreground decides about the retries of a call that somebody waits for.
type foreground struct {
	maxRetries int
	life       time.Duration // three times the timeout
}

// next is the delay before retry n (from 0), or false: then the background has it.
func (f foreground) next(n int, v verdict, elapsed time.Duration, random float64) (time.Duration, bool) {
	if n >= f.maxRetries || v.wish > foregroundWish {
		return 0, false
	}
	delay := max(backoff(n, random), v.wish)
	return delay, elapsed+delay <= f.life
}

// background decides about the retries of what is queued; false ends them.
func background(n int, wish, elapsed time.Duration, random float64) (time.Duration, bool) {
	delay := max(backoff(n, random), min(wish, backgroundWish))
	return delay, elapsed+delay <= backgroundLife
}

// backoff is exponential with full jitter, in whole milliseconds.
func backoff(n int, random float64) time.Duration {
	ceiling := longestDelay
	if n < 6 {
		ceiling = firstDelay << n
	}
	return time.Duration(random*float64(ceiling/time.Millisecond)) * time.Millisecond
}
