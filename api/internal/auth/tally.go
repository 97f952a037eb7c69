package auth

import (
	"encoding/binary"
	"strings"
	"time"
)

// tallySlots is how many tallies are kept at most.
const tallySlots = 1 << 20

// TallySlots finds the place of a tally. It hashes with a key, so that nobody can choose
// addresses that share a place with somebody else's.
type TallySlots struct{ key []byte }

// NewTallySlots derives the key from the installation's secret, or fails with ErrShortSecret.
func NewTallySlots(secret []byte) (TallySlots, error) {
	key, err := deriveKey(secret, "sign-in tallies")
	return TallySlots{key}, err
}

// Of is the slot of what the parts name together.
func (s TallySlots) Of(parts ...string) int32 {
	sum := mac(s.key, []byte(strings.Join(parts, "\x00")))
	return int32(binary.BigEndian.Uint32(sum) % tallySlots)
}

// Tally is what is remembered of attempts on one thing, for example on an account from
// one network. Failures leak away over time, so it needs no list of instants.
type Tally struct {
	Failures  float64
	CountedAt time.Time
	// NextTurn is when the next attempt may be made by whoever has to wait.
	NextTurn time.Time
}

// Allowance says how often somebody may fail before attempts have to wait.
type Allowance struct {
	// Free failures cost no waiting; one is forgotten per Forget.
	Free   int
	Forget time.Duration
}

// Count adds an attempt before it is made, so that attempts at the same time count too,
// and reports whether it is within the allowance. No more than twice the allowance is
// remembered: how long a flood is remembered does not depend on how long it lasted.
func (t Tally) Count(a Allowance, now time.Time) (counted Tally, free bool) {
	forgotten := max(0, now.Sub(t.CountedAt).Seconds()/a.Forget.Seconds())
	t.Failures = max(0, t.Failures-forgotten) + 1
	free = t.Failures <= float64(a.Free)
	t.Failures = min(t.Failures, float64(2*a.Free))
	t.CountedAt = now
	return t, free
}

// Turn takes the next turn, where turns are gap apart, and says how long to wait for it.
func (t Tally) Turn(gap time.Duration, now time.Time) (taken Tally, wait time.Duration) {
	start := now
	if t.NextTurn.After(now) {
		start = t.NextTurn
	}
	t.NextTurn = start.Add(gap)
	return t, start.Sub(now)
}
