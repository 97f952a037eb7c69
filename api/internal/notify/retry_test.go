package notify

import (
	"testing"
	"time"
)

func TestBackoffStaysWithinAFifth(t *testing.T) {
	random := randomCases(t)
	for attempt, seconds := range map[int]float64{-1: 2, 0: 2, 1: 2, 2: 5, 3: 15, 4: 30, 5: 60, 6: 60, 1 << 40: 60} {
		lowest, highest := 2.0, 0.0
		for range 2_000 {
			seed := random.Uint64()
			wait := Backoff(attempt, seed)
			if wait != Backoff(attempt, seed) {
				t.Fatalf("attempt %d, seed %d: two answers", attempt, seed)
			}
			share := wait.Seconds() / seconds
			lowest, highest = min(lowest, share), max(highest, share)
		}
		if lowest < 0.8 || highest > 1.2 || lowest > 0.82 || highest < 1.18 {
			t.Errorf("attempt %d: %.3f to %.3f of %v s, want 0.8 to 1.2", attempt, lowest, highest, seconds)
		}
		if longest := time.Duration(highest * seconds * float64(time.Second)); longest > MostContactWait(Email) || longest > MostContactWait(Slack) {
			t.Errorf("attempt %d: a contact is put off by %s", attempt, longest)
		}
	}
}

// TestRetry tries a page that never gets through, due now and due long before downtime.
func TestRetry(t *testing.T) {
	for _, test := range []struct {
		name              string
		late              time.Duration
		fewest, most      int
		shortest, longest time.Duration
	}{
		{"fresh", 0, 110, 140, 100 * time.Minute, MaxAge + 2*time.Minute},
		{"three days late", 72 * time.Hour, LateAttempts, LateAttempts, 4 * time.Minute, 8 * time.Minute},
	} {
		t.Run(test.name, func(t *testing.T) {
			attempts, now, started := 1, noon.Add(test.late), noon.Add(test.late)
			for {
				next, giveUp := Retry(attempts, noon, now, 7)
				if giveUp {
					break
				}
				if !next.After(now) {
					t.Fatalf("attempt %d at %s again at %s", attempts, now, next)
				}
				now = next
				attempts++
			}
			if tried := now.Sub(started); attempts < test.fewest || attempts > test.most || tried < test.shortest || tried > test.longest {
				t.Errorf("%d attempts in %s", attempts, tried)
			}
		})
	}
}

// TestAYoungPageIsNeverGivenUp however often it came along with others.
func TestAYoungPageIsNeverGivenUp(t *testing.T) {
	if _, giveUp := Retry(10_000, noon, noon.Add(MaxAge-time.Second), 7); giveUp {
		t.Error("given up before its time")
	}
}

// TestAContactIsDeadAfterAMinute of failed tries, and never by messages that may have arrived.
func TestAContactIsDeadAfterAMinute(t *testing.T) {
	for name, c := range map[string]struct {
		before  int
		failing time.Duration
		unknown bool
		want    int
	}{
		"the first":                          {0, 0, false, 1},
		"the third within seconds":           {2, 7 * time.Second, false, 3},
		"many within a minute":               {40, DeadFor - 1, false, 40},
		"the last short of it":               {DeadAfter - 1, DeadFor - 1, false, DeadAfter - 1},
		"the fourth after a minute":          {3, DeadFor, false, DeadAfter},
		"the third of one that failed once":  {2, time.Hour, false, DeadAfter},
		"the second of one that failed once": {1, time.Hour, false, 2},
		"one of the dead":                    {DeadAfter, time.Hour, false, DeadAfter + 1},
		"an unknown outcome":                 {0, 0, true, 1},
		"unknown outcomes for minutes":       {DeadAfter - 1, UnknownFor - 1, true, DeadAfter - 1},
		"unknown outcomes for long":          {DeadAfter - 1, UnknownFor, true, DeadAfter},
	} {
		if got := Failures(c.before, noon, noon.Add(c.failing), c.unknown); got != c.want {
			t.Errorf("%s: %d, want %d", name, got, c.want)
		}
	}
}
