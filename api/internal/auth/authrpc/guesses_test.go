package authrpc

import (
	"fmt"
	"net/http"
	"net/netip"
	"sync"
	"testing"
	"time"

	"github.com/google/uuid"

	"github.com/nightbell/nightbell/api/internal/auth"
	"github.com/nightbell/nightbell/api/internal/kernel/fairshare"
	"github.com/nightbell/nightbell/api/internal/platform/postgres"
)

// TestMadeUpKeysAskTheDatabaseForLittle: each once a second, and so many of a network; those of others, and
// keys that were known before, work on.
func TestMadeUpKeysAskTheDatabaseForLittle(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	key, _ := w.join("dana@rockets.example").makeKey("viewer", 0)
	late, _ := w.join("lee@boats.example").makeKey("viewer", 0)
	at := w.now() // stands still, so that what is remembered for a second is
	w.callers.now = func() time.Time { return at }
	asked := func() int64 { return w.db.Stats()[postgres.Identity].AcquireCount() }
	use := func(from, key string) reply { return w.from(from).with(key).call("GET", "/v1/users", nil) }
	const here, elsewhere = "198.51.100.7", "203.0.113.7"
	expect(t, "a key", use(here, key), http.StatusOK, "")
	before := asked()
	for i := range guessesPerMinute {
		madeUp := fmt.Sprintf("nbk_%043d", i)
		expect(t, "made up", use(here, madeUp), http.StatusUnauthorized, errAPIKey.Message)
		if i < 3 {
			expect(t, "made up, again", use(here, madeUp), http.StatusUnauthorized, errAPIKey.Message)
		}
	}
	if cost := asked() - before; cost != guessesPerMinute {
		t.Errorf("%d keys cost %d questions", guessesPerMinute, cost)
	}
	expect(t, "the next, before its body is read", w.from(here).with("nbk_"+fmt.Sprintf("%043d", guessesPerMinute)).call("POST", "/v1/api-keys", "no object"), http.StatusTooManyRequests, errManyGuesses.Message)
	next := use(here, "nbk_"+fmt.Sprintf("%043d", guessesPerMinute))
	expect(t, "the next", next, http.StatusTooManyRequests, errManyGuesses.Message)
	if next.header.Get("Retry-After") == "" || next.at("code") != "rate_limited" {
		t.Errorf("the next: %v %s", next.header, next.text)
	}
	expect(t, "of another network", use(elsewhere, "nbk_"+fmt.Sprintf("%043d", guessesPerMinute)), http.StatusUnauthorized, errAPIKey.Message)
	at = at.Add(2 * freshness)
	expect(t, "one that was known", use(here, key), http.StatusOK, "")
	expect(t, "one that was never used, elsewhere", use(elsewhere, late), http.StatusOK, "")
}

// TestMadeUpKeysInABurstHoldNobodyBack: while what was asked for hangs, none more is let through than the network
// has left, and people's sessions are read. Good keys use up nothing.
func TestMadeUpKeysInABurstHoldNobodyBack(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	dana := w.join("dana@rockets.example")
	key, _ := dana.makeKey("viewer", 0)
	const most, here = 10, "198.51.100.8"
	w.callers.guesses = newGuesses(w.now)
	w.callers.guesses.quota = newNetworkQuota("guesses", most, most, w.now, errManyGuesses)
	w.callers.guesses.asking = fairshare.NewGate[uuid.UUID](1, 1) // of the two connections of tests
	use := func(key string) reply { return w.from(here).with(key).call("GET", "/v1/users", nil) }
	for range 3 * most {
		w.callers.forgetKey(auth.HashToken(key))
		expect(t, "a good key", use(key), http.StatusOK, "")
	}
	owner := w.db.Owner(t)
	lock, err := owner.Begin(t.Context())
	must(t, err)
	_, err = lock.Exec(t.Context(), "LOCK TABLE api_key IN ACCESS EXCLUSIVE MODE")
	must(t, err)
	var asking sync.WaitGroup
	for i := range most {
		asking.Go(func() { use(fmt.Sprintf("nbk_%043d", i)) })
	}
	for w.callers.guesses.quota.spent(netip.MustParseAddr(here)) == nil {
		time.Sleep(time.Millisecond)
	}
	for w.db.Waiting(t) == 0 {
		time.Sleep(time.Millisecond)
	}
	if held := w.db.Stats()[postgres.Identity].AcquiredConns(); held != 1 {
		t.Errorf("made-up keys hold %d connections", held)
	}
	expect(t, "one more", use(fmt.Sprintf("nbk_%043d", most)), http.StatusTooManyRequests, "")
	w.later(2 * freshness) // the session is looked up again
	expect(t, "a person", dana.call("GET", "/v1/users", nil), http.StatusOK, "")
	must(t, lock.Rollback(t.Context()))
	asking.Wait()
}

// TestARevokedKeyIsAGuess: it is looked up again by what changes something, also when it was known here.
func TestARevokedKeyIsAGuess(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	dana := w.join("dana@rockets.example")
	key, id := dana.makeKey("admin", 0)
	expect(t, "the key", w.from("198.51.100.8").with(key).call("GET", "/v1/users", nil), http.StatusOK, "")
	w.db.Exec(t, "UPDATE api_key SET revoked_at = now() WHERE id = '"+id+"'") // by another replica
	w.later(2 * freshness)
	w.callers.guesses.quota = newNetworkQuota("guesses", 5, 5, w.now, errManyGuesses)
	try := func() reply {
		return w.from("198.51.100.8").with(key).call("POST", "/v1/api-keys", object{"name": "another"})
	}
	expect(t, "revoked, asked for as a key in use", try(), http.StatusUnauthorized, errAPIKey.Message)
	for range 5 {
		expect(t, "revoked", try(), http.StatusUnauthorized, errAPIKey.Message)
	}
	expect(t, "revoked, too often", try(), http.StatusTooManyRequests, "")
}
