package ingest

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"
)

// register is a look-up with a clock that stands still until it is moved.
type register struct {
	at      atomic.Int64
	queries atomic.Int64
	routes  sync.Map
	err     error
}

func (r *register) now() time.Time { return time.Unix(0, r.at.Load()) }

func (r *register) move(d time.Duration) { r.at.Add(int64(d)) }

func (r *register) find(_ context.Context, hash KeyHash) (Route, error) {
	r.queries.Add(1)
	if r.err != nil {
		return Route{}, r.err
	}
	if route, ok := r.routes.Load(hash); ok {
		return route.(Route), nil
	}
	return Route{}, ErrUnknownKey
}

func TestCachedKeysRememberBriefly(t *testing.T) {
	r := &register{}
	keys := NewCachedKeys(r.find, r.now)
	ask := func(want error, queries int64) {
		t.Helper()
		route, err := keys.Find(t.Context(), goodKey)
		if !errors.Is(err, want) || (want == nil && route != aRoute) || r.queries.Load() != queries {
			t.Fatalf("got %+v, %v after %d queries, want %v after %d", route, err, r.queries.Load(), want, queries)
		}
	}
	ask(ErrUnknownKey, 1)
	r.routes.Store(HashKey(goodKey), aRoute) // the service is created
	ask(ErrUnknownKey, 1)
	r.move(unknownFor)
	ask(nil, 2)
	r.move(knownFor - 1)
	ask(nil, 2)
	r.routes.Clear() // the key is revoked
	r.move(1)
	ask(ErrUnknownKey, 3)
	r.move(unknownFor)
	r.err = errors.New("connection refused")
	ask(r.err, 4)
	ask(r.err, 5) // failures are not remembered
}

func TestCachedKeysAskOnceInAStorm(t *testing.T) {
	var queries atomic.Int64
	asked, proceed := make(chan struct{}), make(chan struct{})
	keys := NewCachedKeys(func(ctx context.Context, _ KeyHash) (Route, error) {
		queries.Add(1)
		close(asked)
		<-proceed
		return aRoute, ctx.Err() // the one who asked has left; the others must not notice
	}, time.Now)
	leaving, leave := context.WithCancel(t.Context())
	var group sync.WaitGroup
	group.Go(func() { _, _ = keys.Find(leaving, goodKey) })
	<-asked
	leave()
	for range 100 {
		group.Go(func() {
			if route, err := keys.Find(t.Context(), goodKey); err != nil || route != aRoute {
				t.Errorf("got %+v, %v", route, err)
			}
		})
	}
	impatient, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := keys.Find(impatient, goodKey); !errors.Is(err, context.Canceled) {
		t.Errorf("who will not wait should not: %v", err)
	}
	close(proceed)
	group.Wait()
	if queries.Load() != 1 {
		t.Errorf("%d queries", queries.Load())
	}
}

func TestCachedKeysSurviveAPanic(t *testing.T) {
	first := true
	keys := NewCachedKeys(func(context.Context, KeyHash) (Route, error) {
		if first {
			first = false
			panic("driver")
		}
		return aRoute, nil
	}, time.Now)
	func() {
		defer func() { _ = recover() }()
		_, _ = keys.Find(t.Context(), goodKey)
	}()
	if _, err := keys.Find(t.Context(), goodKey); err != nil {
		t.Errorf("after a panic: %v", err)
	}
}

func TestCachedKeysAreBoundedAndHoldNoKey(t *testing.T) {
	r := &register{}
	keys := NewCachedKeys(r.find, r.now)
	for i := range 3 * maxRemembered {
		_, _ = keys.Find(t.Context(), fmt.Sprintf("guess-%d", i))
	}
	if keys.unknown.Len() > maxRemembered {
		t.Errorf("%d remembered", keys.unknown.Len())
	}
	if strings.Contains(fmt.Sprintf("%+v", keys.unknown.Keys()), "guess") {
		t.Error("a key is held in plain text")
	}
	before := r.queries.Load()
	for _, key := range []string{"", strings.Repeat("x", maxKeyLength+1)} {
		if _, err := keys.Find(t.Context(), key); !errors.Is(err, ErrUnknownKey) || r.queries.Load() != before {
			t.Errorf("%.10q: %v", key, err)
		}
	}
}
