package ingest

import (
	"context"
	"crypto/sha256"
	"errors"
	"fmt"
	"time"

	"github.com/google/uuid"
	lru "github.com/hashicorp/golang-lru/v2"
	"golang.org/x/sync/singleflight"
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

	// Apart, so that guesses push no key in use out.
	known, unknown *lru.Cache[KeyHash, finding]
	asking         singleflight.Group
}

// finding is the answer of a look-up and when it stops being good.
type finding struct {
	route Route
	until time.Time
}

// NewCachedKeys remembers what lookup finds, by the clock now.
func NewCachedKeys(lookup Lookup, now func() time.Time) *CachedKeys {
	known, _ := lru.New[KeyHash, finding](maxRemembered) // fails for a negative size only
	unknown, _ := lru.New[KeyHash, finding](maxRemembered)
	return &CachedKeys{lookup: lookup, now: now, known: known, unknown: unknown}
}

// Find gives the service of a key, ErrUnknownKey, or the look-up's error, which is
// not remembered. Requests that ask at the same time share one look-up; it goes on
// when the one that started it is gone.
func (c *CachedKeys) Find(ctx context.Context, key string) (Route, error) {
	if key == "" || len(key) > maxKeyLength {
		return Route{}, ErrUnknownKey
	}
	hash, now := HashKey(key), c.now()
	if found, ok := c.known.Get(hash); ok && now.Before(found.until) {
		return found.route, nil
	}
	if found, ok := c.unknown.Get(hash); ok && now.Before(found.until) {
		return Route{}, ErrUnknownKey
	}
	asked := c.asking.DoChan(string(hash[:]), func() (any, error) { return c.ask(context.WithoutCancel(ctx), hash) })
	select {
	case answer := <-asked:
		route, _ := answer.Val.(Route)
		return route, answer.Err
	case <-ctx.Done():
		return Route{}, ctx.Err()
	}
}

func (c *CachedKeys) ask(ctx context.Context, hash KeyHash) (route Route, err error) {
	ctx, cancel := context.WithTimeout(ctx, lookupTimeout)
	defer cancel()
	defer func() { // a panic in DoChan's goroutine would end the program
		if cause := recover(); cause != nil {
			err = fmt.Errorf("the look-up of a service key panicked: %v", cause)
		}
	}()
	// Whoever asked before a look-up that has ended since finds its answer here.
	if found, ok := c.known.Get(hash); ok && c.now().Before(found.until) {
		return found.route, nil
	}
	route, err = c.lookup(ctx, hash)
	switch {
	case err == nil:
		c.known.Add(hash, finding{route, c.now().Add(knownFor)})
	case errors.Is(err, ErrUnknownKey):
		c.unknown.Add(hash, finding{until: c.now().Add(unknownFor)})
	}
	return route, err
}

// Forget makes this process ask for an organization's keys again: it is gone, and they with it.
func (c *CachedKeys) Forget(orgID uuid.UUID) {
	for _, hash := range c.known.Keys() {
		if found, ok := c.known.Peek(hash); ok && found.route.OrgID == orgID {
			c.known.Remove(hash)
		}
	}
}
