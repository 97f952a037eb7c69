package auth

import (
	"context"
	"crypto/rand"
	"fmt"
	"sync/atomic"
	"time"

	"github.com/alexedwards/argon2id"

	"github.com/nightbell/nightbell/api/internal/kernel/fault"
)

// HashCost is what argon2id spends on one hash.
type HashCost struct{ MemoryKiB, Passes uint32 }

// RecommendedHashCost is OWASP's. Only tests that need accounts, not hashes, take less.
func RecommendedHashCost() HashCost { return HashCost{MemoryKiB: 19 * 1024, Passes: 2} }

// Lane separates callers who wait for the processor, so that a flood of strangers
// cannot keep a person on a known device waiting.
type Lane int

// The lanes; each hashes one password at a time.
const (
	Strangers Lane = iota
	KnownDevices
)

// hashQueue is how many callers may wait in one lane, and hashPatience how long:
// at about 40 ms a hash, the last in a full queue waits some five seconds.
const (
	hashQueue    = 128
	hashPatience = 6 * time.Second
)

// ErrHashQueueFull is returned when too many passwords wait to be checked.
var ErrHashQueueFull = fault.New(fault.Unavailable, "sign_in_busy",
	"Very many people are signing in right now. Try again in a few seconds.").After(3)

// Hasher hashes and checks passwords, two at a time at most, because each takes a
// processor and 19 MiB. It is safe for concurrent use.
type Hasher struct {
	lanes   [2]chan struct{}
	waiting [2]atomic.Int32
	cost    argon2id.Params
	dummy   string
}

// NewHasher makes a hasher, and with it the hash that stands in for accounts that
// do not exist. It takes as long as one hash. What was hashed at another cost is
// outdated: it is made again at the next sign-in.
func NewHasher(cost HashCost) (*Hasher, error) {
	params := argon2id.Params{Memory: cost.MemoryKiB, Iterations: cost.Passes, Parallelism: 1, SaltLength: 16, KeyLength: 32}
	dummy, err := argon2id.CreateHash(rand.Text(), &params)
	if err != nil {
		return nil, fmt.Errorf("hash a password: %w", err)
	}
	return &Hasher{lanes: [2]chan struct{}{make(chan struct{}, 1), make(chan struct{}, 1)}, cost: params, dummy: dummy}, nil
}

// Hash returns the encoded hash of a password. It fails with ErrHashQueueFull under
// load, and with the context's error when the caller gave up.
func (h *Hasher) Hash(ctx context.Context, lane Lane, password string) (string, error) {
	leave, err := h.enter(ctx, lane)
	if err != nil {
		return "", err
	}
	defer leave()
	return argon2id.CreateHash(password, &h.cost)
}

// Verify reports whether the password matches the hash, and whether the hash has an older cost and should be replaced.
// An empty hash stands for an account that does not exist: it takes the same time and never matches. Errors are those
// of Hash, or say that the stored hash cannot be read.
func (h *Hasher) Verify(ctx context.Context, lane Lane, password, hash string) (matches, outdated bool, err error) {
	leave, err := h.enter(ctx, lane)
	if err != nil {
		return false, false, err
	}
	defer leave()
	exists := hash != ""
	if !exists {
		hash = h.dummy
	}
	matches, cost, err := argon2id.CheckHash(password, hash)
	if err != nil {
		return false, false, fmt.Errorf("read a stored password hash: %w", err)
	}
	return matches && exists, *cost != h.cost, nil
}

// enter waits for the lane to be free; leave must be called afterwards.
func (h *Hasher) enter(ctx context.Context, lane Lane) (leave func(), err error) {
	if h.waiting[lane].Add(1) > hashQueue {
		h.waiting[lane].Add(-1)
		return nil, ErrHashQueueFull
	}
	defer h.waiting[lane].Add(-1)
	patience := time.NewTimer(hashPatience)
	defer patience.Stop()
	select {
	case h.lanes[lane] <- struct{}{}:
		return func() { <-h.lanes[lane] }, nil
	case <-patience.C:
		return nil, ErrHashQueueFull
	case <-ctx.Done():
		return nil, ctx.Err()
	}
}
