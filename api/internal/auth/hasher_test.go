package auth

import (
	"context"
	"errors"
	"sync"
	"testing"

	"github.com/alexedwards/argon2id"
)

func newHasher(tb testing.TB) *Hasher {
	tb.Helper()
	hasher, err := NewHasher(RecommendedHashCost())
	if err != nil {
		tb.Fatal(err)
	}
	return hasher
}

func TestHasher(t *testing.T) {
	hasher := newHasher(t)
	hash, err := hasher.Hash(t.Context(), Strangers, "velvet-otter-lamp-42")
	if err != nil {
		t.Fatal(err)
	}
	older, err := argon2id.CreateHash("velvet-otter-lamp-42", &argon2id.Params{Memory: 8 * 1024, Iterations: 1, Parallelism: 1, SaltLength: 16, KeyLength: 32})
	if err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct {
		name, password, hash string
		matches, outdated    bool
	}{
		{"right", "velvet-otter-lamp-42", hash, true, false},
		{"wrong", "velvet-otter-lamp-43", hash, false, false},
		{"empty", "", hash, false, false},
		{"older cost", "velvet-otter-lamp-42", older, true, true},
		{"no account", "velvet-otter-lamp-42", "", false, false},
	} {
		matches, outdated, err := hasher.Verify(t.Context(), Strangers, c.password, c.hash)
		if err != nil || matches != c.matches || outdated != c.outdated {
			t.Errorf("%s: matches=%v outdated=%v err=%v", c.name, matches, outdated, err)
		}
	}
	if _, _, err := hasher.Verify(t.Context(), Strangers, "x", "not a hash"); err == nil {
		t.Error("an unreadable hash is not reported")
	}
}

func TestAFullLaneRefusesAndLeavesTheOtherFree(t *testing.T) {
	hasher := newHasher(t)
	hasher.lanes[Strangers] <- struct{}{} // somebody is being served, and stays
	ctx, cancel := context.WithCancel(t.Context())
	var waiters sync.WaitGroup
	var refused, gaveUp sync.Map
	for i := range hashQueue + 20 {
		waiters.Go(func() {
			switch _, err := hasher.Hash(ctx, Strangers, "x"); {
			case errors.Is(err, ErrHashQueueFull):
				refused.Store(i, true)
			case errors.Is(err, context.Canceled):
				gaveUp.Store(i, true)
			default:
				t.Errorf("caller %d got %v", i, err)
			}
		})
	}
	if _, err := hasher.Hash(t.Context(), KnownDevices, "velvet-otter-lamp-42"); err != nil {
		t.Errorf("a known device had to wait for strangers: %v", err)
	}
	for lenOf(&refused) < 20 {
	}
	cancel()
	waiters.Wait()
	if lenOf(&refused) != 20 || lenOf(&gaveUp) != hashQueue {
		t.Errorf("%d refused and %d queued, want 20 and %d", lenOf(&refused), lenOf(&gaveUp), hashQueue)
	}
}

func lenOf(m *sync.Map) (n int) {
	m.Range(func(any, any) bool { n++; return true })
	return n
}

func BenchmarkVerify(b *testing.B) {
	hasher := newHasher(b)
	for b.Loop() {
		if _, _, err := hasher.Verify(b.Context(), Strangers, "velvet-otter-lamp-42", ""); err != nil {
			b.Fatal(err)
		}
	}
}
