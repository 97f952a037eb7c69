package ingest

import (
	"context"
	"crypto/sha256"
	"errors"
	"sync"
	"time"
)

// How long and how much CachedKeys remembers. A revoked key works for at most
// knownFor longer, a new one after at most unknownFor.
const (
	knownFor      = 5 * time.Second
	unknownFor    = time.Second
	maxRemembered = 10_000 // of each sort
	maxKeyLength  = 200
	lookupTimeout = 3 * time.Second
)

// KeyHash is how a service key is stored and looked up: its SHA-256.
type KeyHash [sha256.Size]byte

// HashKey gives the hash of a key.
func HashKey(key string) KeyHash { return sha256.Sum256([]byte(key)) }

// Lookup finds the service of a key in the database, by the key's hash. It fails
// with ErrUnknownKey when there is none.
type Lookup func(ctx context.Context, hash KeyHash) (Route, error)

// CachedKeys is Keys with a short memory, so that a storm of requests with one key
// makes one query. It never holds a key, only hashes. It is safe for concurrent use.
type CachedKeys struct {
	lookup Lookup
	now    func() time.Time

	mu      sync.Mutex
	known   map[KeyHash]finding
	unknown map[KeyHash]finding
	asking  map[KeyHash]*question
}

// finding is the answer of a look-up and when it stops being good.
type finding struct {
	route Route
	until time.Time
}

// question is a look-up that is under way; route and err may be read after done is closed.
type question struct {
	done  chan struct{}
	route Route
	err   error
}

// NewCachedKeys remembers what lookup finds, by the clock now.
func NewCachedKeys(lookup Lookup, now func() time.Time) *CachedKeys {
	return &CachedKeys{
		lookup: lookup, now: now,
		known: map[KeyHash]finding{}, unknown: map[KeyHash]finding{}, asking: map[KeyHash]*question{},
	}
}

// Find gives the service of a key, ErrUnknownKey, or the look-up's error, which is
// not remembered. Requests that ask at the same time share one look-up; it goes on
// when the one that started it is gone.
func (c *CachedKeys) Find(ctx context.Context, key string) (Route, error) {
	if key == "" || len(key) > maxKeyLength {
		return Route{}, ErrUnknownKey
	}
	hash := HashKey(key)
	c.mu.Lock()
	if found, ok := c.remembered(hash); ok {
		c.mu.Unlock()
		return found.route, found.err
	}
	if asked, ok := c.asking[hash]; ok {
		c.mu.Unlock()
		return asked.wait(ctx)
	}
	asked := &question{done: make(chan struct{}), err: errNoAnswer}
	c.asking[hash] = asked
	c.mu.Unlock()
	c.ask(ctx, hash, asked)
	return asked.route, asked.err
}

// errNoAnswer is what those who wait hear when a look-up panics.
var errNoAnswer = errors.New("the look-up of a service key did not finish")

func (q *question) wait(ctx context.Context) (Route, error) {
	select {
	case <-q.done:
		return q.route, q.err
	case <-ctx.Done():
		return Route{}, ctx.Err()
	}
}

// remembered answers from memory; the caller holds the lock.
func (c *CachedKeys) remembered(hash KeyHash) (answer question, ok bool) {
	now := c.now()
	if found, ok := c.known[hash]; ok && now.Before(found.until) {
		return question{route: found.route}, true
	}
	if found, ok := c.unknown[hash]; ok && now.Before(found.until) {
		return question{err: ErrUnknownKey}, true
	}
	return question{}, false
}

func (c *CachedKeys) ask(ctx context.Context, hash KeyHash, asked *question) {
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), lookupTimeout)
	defer cancel()
	defer func() {
		c.mu.Lock()
		defer c.mu.Unlock()
		c.remember(hash, asked)
		delete(c.asking, hash)
		close(asked.done)
	}()
	asked.route, asked.err = c.lookup(ctx, hash)
}

// remember keeps an answer; the caller holds the lock. A full memory is emptied:
// that costs one query for each key in use, and needs no bookkeeping.
func (c *CachedKeys) remember(hash KeyHash, asked *question) {
	memory, lasts := c.known, knownFor
	switch {
	case errors.Is(asked.err, ErrUnknownKey):
		memory, lasts = c.unknown, unknownFor
	case asked.err != nil:
		return
	}
	if len(memory) >= maxRemembered {
		clear(memory)
	}
	memory[hash] = finding{route: asked.route, until: c.now().Add(lasts)}
}
