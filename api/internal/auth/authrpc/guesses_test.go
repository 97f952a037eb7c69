package authrpc

import (
	"fmt"
	"net/http"
	"testing"
	"time"

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
	expect(t, "the next, before its body is read", w.from(here).with("nbk_"+fmt.Sprintf("%043d", guessesPerMinute)).call("POST", "/v1/api-keys", "no object"), http.StatusTooManyRequests, "")
	expect(t, "the next", use(here, "nbk_"+fmt.Sprintf("%043d", guessesPerMinute)), http.StatusTooManyRequests, "")
	expect(t, "of another network", use(elsewhere, "nbk_"+fmt.Sprintf("%043d", guessesPerMinute)), http.StatusUnauthorized, errAPIKey.Message)
	at = at.Add(2 * freshness)
	expect(t, "one that was known", use(here, key), http.StatusOK, "")
	expect(t, "one that was never used, elsewhere", use(elsewhere, late), http.StatusOK, "")
}
