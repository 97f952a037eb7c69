package authrpc

import (
	"fmt"
	"math"
	"net/http"
	"runtime"
	"strings"
	"testing"
	"time"

	"github.com/nightbell/nightbell/api/internal/auth"
	"github.com/nightbell/nightbell/api/internal/platform/postgres/pgtest"
)

const wrong = "Login failed. Please check your credentials."

func TestLogin(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	dana := w.join("Dana@Rockets.example")
	got := w.anyone().login(" dana@rockets.EXAMPLE ", password, "")
	expect(t, "login", got, http.StatusOK, "")
	if got.at("tokens", "expires_in_seconds") != float64(900) || got.at("user", "name") != "Dana Whitfield" {
		t.Errorf("the answer is %s", got.text)
	}
	me := w.anyone().with(text(got.at("tokens", "access_token"))).call("GET", "/v1/auth/me", nil)
	expect(t, "me", me, http.StatusOK, "")
	if text(me.at("user", "id")) != dana.userID || text(me.at("user", "role")) != "owner" {
		t.Errorf("me is %s", me.text)
	}
	for what, reply := range map[string]reply{
		"wrong password":  w.anyone().login("dana@rockets.example", password+"!", ""),
		"no such account": w.anyone().login("nobody@rockets.example", password, ""),
		"not an address":  w.anyone().login("' OR 1=1 --", password, ""),
	} {
		expect(t, what, reply, http.StatusUnauthorized, wrong)
	}
	if strings.Contains(w.log.String(), password) {
		t.Error("a password is in the log")
	}
}

// TestLoginTakesTheSameForUnknownAccounts compares what is allocated: argon2id fills its
// 19 MiB for each password that it checks, and nothing else here comes near.
func TestLoginTakesTheSameForUnknownAccounts(t *testing.T) {
	w := newReplica(t, pgtest.New(t), auth.RecommendedHashCost()) // not parallel: it measures the whole process
	w.join("dana@rockets.example")
	allocated := func(email string) float64 {
		var before, after runtime.MemStats
		runtime.ReadMemStats(&before)
		expect(t, email, w.anyone().login(email, "not-the-password-1", ""), http.StatusUnauthorized, wrong)
		runtime.ReadMemStats(&after)
		return float64(after.TotalAlloc-before.TotalAlloc) / (1 << 20)
	}
	known, unknown := allocated("dana@rockets.example"), allocated("nobody@rockets.example")
	if known < 19 || unknown < 19 || math.Abs(known-unknown) > 4 {
		t.Errorf("an account can be told by the work: %.1f MiB with one, %.1f MiB without", known, unknown)
	}
}

func TestAShortDeviceIsNotTrusted(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	w.join("dana@rockets.example")
	expect(t, "login", w.anyone().login("dana@rockets.example", password, "1"), http.StatusOK, "")
	if n := pgtest.One[int](t, w.db, "SELECT count(*) FROM known_device"); n != 0 {
		t.Error("a device of one character became a known one")
	}
	for i := range 25 {
		expect(t, "login", w.anyone().login("dana@rockets.example", password, fmt.Sprintf("device-0123456789-%d", i)), http.StatusOK, "")
	}
	if n := pgtest.One[int](t, w.db, "SELECT count(*) FROM known_device"); n != 20 {
		t.Errorf("%d known devices, want the last 20", n)
	}
}

func TestDisabledAndHomelessAccounts(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	dana := w.join("dana@rockets.example")
	w.db.Exec(t, "UPDATE users SET disabled_at = now()")
	expect(t, "disabled, wrong password", w.anyone().login(dana.email, "guess-guess-guess", ""), http.StatusUnauthorized, wrong)
	expect(t, "disabled", w.anyone().login(dana.email, password, ""), http.StatusForbidden, "")
	expect(t, "refresh of a disabled account", w.anyone().refresh(dana.refreshToken), http.StatusUnauthorized, "")
	w.later(5 * time.Second)
	expect(t, "its access token", dana.call("GET", "/v1/auth/me", nil), http.StatusUnauthorized, "")
	w.db.Exec(t, "UPDATE users SET disabled_at = NULL")
	w.db.Exec(t, "DELETE FROM membership")
	expect(t, "no organization", w.anyone().login(dana.email, password, ""), http.StatusForbidden, "")
}

func TestOlderHashesAreReplaced(t *testing.T) {
	t.Parallel()
	w := newReplica(t, pgtest.New(t), auth.RecommendedHashCost())
	dana := w.join("dana@rockets.example")
	weaker, err := olderHash(password)
	must(t, err)
	w.db.Exec(t, "UPDATE users SET password_hash = $1", weaker)
	expect(t, "login", w.anyone().login(dana.email, password, ""), http.StatusOK, "")
	if got := pgtest.One[string](t, w.db, "SELECT password_hash FROM users"); got == weaker || !strings.Contains(got, "m=19456,t=2,p=1") {
		t.Errorf("the hash is still %s", got)
	}
	expect(t, "login again", w.anyone().login(dana.email, password, ""), http.StatusOK, "")
}
