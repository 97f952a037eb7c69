package authrpc

import (
	"net/http"
	"sync"
	"testing"
	"time"

	"github.com/google/uuid"

	"github.com/nightbell/nightbell/api/internal/auth"
	"github.com/nightbell/nightbell/api/internal/platform/postgres"
)

// TestEndedSessionsAskTheDatabaseForLittle: each now and then, whatever its token calls; whoever signs in again is let in.
func TestEndedSessionsAskTheDatabaseForLittle(t *testing.T) {
	t.Parallel()
	for name, end := range map[string]func(*world, person){
		"by signing out": func(w *world, p person) {
			expect(t, "logout", w.anyone().call("POST", "/v1/auth/logout", object{"refresh_token": p.refreshToken}), http.StatusOK, "")
		},
		"by another process": func(w *world, p person) {
			w.db.Exec(t, "UPDATE session SET revoked_at = now() WHERE user_id = $1", p.userID)
		},
		"with what it was of": func(w *world, p person) { w.db.Exec(t, "DELETE FROM session WHERE user_id = $1", p.userID) },
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			w := newWorld(t)
			dana := w.join("dana@rockets.example")
			at := w.now() // stands still, so that what is remembered for seconds is
			w.callers.now = func() time.Time { return at }
			asked := func() int64 { return w.db.Stats()[postgres.Identity].AcquireCount() }
			expect(t, "before", dana.call("GET", "/v1/users", nil), http.StatusOK, "")
			end(w, dana)
			before := asked()
			for range 20 {
				expect(t, "a grave call", dana.call("POST", "/v1/api-keys", object{"name": "x"}), http.StatusUnauthorized, expired)
				expect(t, "a look", dana.call("GET", "/v1/users", nil), http.StatusUnauthorized, expired)
			}
			if cost := asked() - before; cost != 1 {
				t.Errorf("40 calls of an ended session cost %d questions", cost)
			}
			again := w.anyone().login(dana.email, password, "")
			expect(t, "signing in again", again, http.StatusOK, "")
			expect(t, "at once", w.anyone().with(text(again.at("tokens", "access_token"))).call("GET", "/v1/users", nil), http.StatusOK, "")
			at = at.Add(2 * freshness)
			expect(t, "later", dana.call("GET", "/v1/users", nil), http.StatusUnauthorized, expired)
		})
	}
}

// TestEndedSessionsOfOnePersonHoldNobodyBack: one call of an account asks at a time for what does not stand here, and
// those behind it hear what it heard. Nobody else waits for it.
func TestEndedSessionsOfOnePersonHoldNobodyBack(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	loud, dana := w.join("lee@boats.example"), w.join("dana@rockets.example")
	w.db.Exec(t, "DELETE FROM session WHERE user_id = $1", loud.userID)
	at := w.now()
	w.callers.now = func() time.Time { return at }
	leave, err := w.callers.takeTurn(t.Context(), auth.Grant{UserID: uuid.MustParse(loud.userID)}, false)
	must(t, err)
	before := w.db.Stats()[postgres.Identity].AcquireCount()
	var flood sync.WaitGroup
	for range 50 {
		flood.Go(func() {
			expect(t, "ended", loud.call("GET", "/v1/users", nil), http.StatusUnauthorized, expired)
		})
	}
	expect(t, "somebody else", dana.call("GET", "/v1/users", nil), http.StatusOK, "")
	if cost := w.db.Stats()[postgres.Identity].AcquireCount() - before; cost != 1 {
		t.Errorf("%d questions, besides the one of somebody else", cost-1)
	}
	leave()
	flood.Wait()
	if cost := w.db.Stats()[postgres.Identity].AcquireCount() - before; cost != 2 {
		t.Errorf("50 calls of an ended session at once cost %d questions", cost-1)
	}
}
