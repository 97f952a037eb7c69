//go:build chaos

package chaos

import (
	"slices"
	"testing"
	"time"
)

const (
	databaseLost  = "database"
	programKilled = "killed"
	programFrozen = "frozen"

	// A kill hits what the program was sending: until its answer was recorded, at most 0.3 s
	// in 50 kills at a load of 13, and what a slower machine adds.
	killHits = time.Second
	// The loss of a database hits for the time of a failover more; who wakes from a freeze
	// sends what another has taken over after the lease.
	crashHits = 30 * time.Second
)

// excused reports whether each copy of a page but the last was hit by a crash of its own.
func (w *world) excused(copies []received, v *verdict) bool {
	crashes := w.crashes.all()
	for len(copies) > 1 {
		hit := slices.IndexFunc(crashes, func(c crash) bool { return c.hit(copies[0], copies[1]) })
		if hit < 0 {
			return false
		}
		if crashes[hit].Process == copies[0].Sender && crashes[hit].What == programKilled {
			v.longestHit = max(v.longestHit, (crashes[hit].At - copies[0].At).Abs())
		}
		copies, crashes = copies[1:], crashes[hit+1:]
	}
	return true
}

// hit reports whether a copy of a page was sent again because of the crash. Kills come each
// second, so they count for messages of that very process alone, or of one that ended before
// it could be told which it was.
func (c crash) hit(copied, again received) bool {
	away := (c.At - copied.At).Abs()
	switch c.What {
	case programKilled:
		return away <= killHits && (copied.Sender == c.Process || copied.Sender == 0)
	case programFrozen:
		return away <= crashHits && (copied.Sender == c.Process || again.Sender == c.Process)
	default:
		return away <= crashHits
	}
}

func TestAKillExcusesOnlyWhatThatProgramSent(t *testing.T) {
	const one, other, killedAt = 1, 2, time.Minute
	copied := func(sender int, at, again time.Duration) []received {
		return []received{{At: at, Sender: sender}, {At: again, Sender: other}}
	}
	for name, c := range map[string]struct {
		what   string
		copies []received
		want   bool
	}{
		"its own send":                    {programKilled, copied(one, killedAt-100*time.Millisecond, killedAt+10*time.Second), true},
		"another's send":                  {programKilled, copied(other, killedAt-100*time.Millisecond, killedAt+10*time.Second), false},
		"its own, recorded long since":    {programKilled, copied(one, killedAt-3*time.Second, killedAt+10*time.Second), false},
		"one that ended as it connected":  {programKilled, copied(0, killedAt, killedAt+10*time.Second), true},
		"a second copy":                   {programKilled, append(copied(one, killedAt, killedAt), received{At: killedAt, Sender: one}), false},
		"frozen, taken over, then awake":  {programFrozen, []received{{At: killedAt + 11*time.Second, Sender: other}, {At: killedAt + 16*time.Second, Sender: one}}, true},
		"a freeze of neither":             {programFrozen, []received{{At: killedAt, Sender: other}, {At: killedAt, Sender: other}}, false},
		"a failover hits whoever it may":  {databaseLost, copied(other, killedAt-20*time.Second, killedAt), true},
		"a failover of half a minute ago": {databaseLost, copied(other, killedAt+31*time.Second, killedAt+time.Hour), false},
	} {
		w := &world{crashes: &journal[crash]{}}
		w.crashes.add(crash{At: killedAt, What: c.what, Process: one})
		if got := w.excused(c.copies, &verdict{}); got != c.want {
			t.Errorf("%s: excused %v", name, got)
		}
	}
}
