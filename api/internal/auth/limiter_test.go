package auth

import (
	"strconv"
	"sync"
	"sync/atomic"
	"testing"
	"time"
)

func TestLimiter(t *testing.T) {
	start := time.Date(2026, 11, 21, 3, 0, 0, 0, time.UTC)
	limiter := NewLimiter(3, time.Minute)
	take := func(after time.Duration, key string, want bool, wantWait time.Duration) {
		t.Helper()
		if wait, ok := limiter.Take(key, start.Add(after)); ok != want || wait != wantWait {
			t.Errorf("after %s: ok=%v wait=%s, want %v and %s", after, ok, wait, want, wantWait)
		}
	}
	take(0, "a", true, 0)
	take(10*time.Second, "a", true, 0)
	take(20*time.Second, "a", true, 0)
	take(30*time.Second, "a", false, 30*time.Second)
	take(30*time.Second, "b", true, 0) // another key is not concerned
	take(59*time.Second, "a", false, time.Second)
	take(60*time.Second, "a", true, 0) // the first has left the window
	take(61*time.Second, "a", false, 9*time.Second)
	limiter.Return("a")
	take(61*time.Second, "a", true, 0)
	limiter.Forget("a")
	take(61*time.Second, "a", true, 0)
	limiter.Return("a")
	limiter.Return("a") // more than was taken does no harm
	limiter.Return("never seen")
}

func TestLimiterCountsAttemptsAtTheSameTime(t *testing.T) {
	limiter, now := NewLimiter(5, time.Minute), time.Now()
	var allowed atomic.Int32
	var guesses sync.WaitGroup
	for range 200 {
		guesses.Go(func() {
			if _, ok := limiter.Take("account", now); ok {
				allowed.Add(1)
			}
		})
	}
	guesses.Wait()
	if allowed.Load() != 5 {
		t.Errorf("%d of 200 attempts at once were allowed, want 5", allowed.Load())
	}
}

func TestLimiterIsBounded(t *testing.T) {
	limiter, now := NewLimiter(5, time.Minute), time.Now()
	limiter.size = 100
	for i := range 1000 {
		limiter.Take(strconv.Itoa(i), now)
	}
	if len(limiter.attempts) > 100 {
		t.Errorf("it remembers %d keys, want 100 at most", len(limiter.attempts))
	}
}
