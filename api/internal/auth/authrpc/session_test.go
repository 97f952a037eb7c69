package authrpc

import (
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/alexedwards/argon2id"

	"github.com/nightbell/nightbell/api/internal/auth"
	"github.com/nightbell/nightbell/api/internal/platform/postgres/pgtest"
)

const (
	missing = "No authentication token found. Please log in again."
	expired = "Authentication expired. Please log in again."
)

func olderHash(password string) (string, error) {
	return argon2id.CreateHash(password, &argon2id.Params{Memory: 8 * 1024, Iterations: 1, Parallelism: 1, SaltLength: 16, KeyLength: 32})
}

func TestRefreshRotates(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	dana := w.join("dana@rockets.example")
	first := w.anyone().refresh(dana.refreshToken)
	expect(t, "refresh", first, http.StatusOK, "")
	next := text(first.at("tokens", "refresh_token"))
	if next == dana.refreshToken || next == "" || text(first.at("user", "id")) != dana.userID {
		t.Fatalf("the answer is %s", first.text)
	}
	expect(t, "the new access token", w.anyone().with(text(first.at("tokens", "access_token"))).call("GET", "/v1/auth/me", nil), http.StatusOK, "")
	if n := pgtest.One[int](t, w.db, "SELECT count(*) FROM refresh_token WHERE hash = $1", []byte(dana.refreshToken)); n != 0 {
		t.Error("a token is stored as it is")
	}
	for what, token := range map[string]string{"nonsense": "x", "an access token": dana.token, "unknown": auth.NewRefreshToken()} {
		expect(t, what, w.anyone().refresh(token), http.StatusUnauthorized, expired)
	}
	expect(t, "a refresh token as access token", w.anyone().with(next).call("GET", "/v1/auth/me", nil), http.StatusUnauthorized, expired)
}

func TestTwentyParallelRefreshesAgree(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	dana := w.join("dana@rockets.example")
	replies := make([]reply, 20)
	var tabs sync.WaitGroup
	for i := range replies {
		tabs.Go(func() { replies[i] = w.anyone().refresh(dana.refreshToken) })
	}
	tabs.Wait()
	for _, got := range replies {
		expect(t, "a tab", got, http.StatusOK, "")
		if got.at("tokens", "refresh_token") != replies[0].at("tokens", "refresh_token") {
			t.Error("two tabs got different successors")
		}
	}
	if n := pgtest.One[int](t, w.db, "SELECT count(*) FROM refresh_token"); n != 2 {
		t.Errorf("%d refresh tokens, want the first and its successor", n)
	}
	expect(t, "the successor", w.anyone().refresh(text(replies[7].at("tokens", "refresh_token"))), http.StatusOK, "")
}

func TestReuseEndsTheSession(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	dana := w.join("dana@rockets.example")
	other := w.anyone().login(dana.email, password, "")
	start := w.db.Clock.Now()
	w.db.Clock.Freeze(start)
	first := w.anyone().refresh(dana.refreshToken)
	expect(t, "refresh", first, http.StatusOK, "")
	successor := text(first.at("tokens", "refresh_token"))

	w.db.Clock.Freeze(start.Add(9 * time.Second))
	again := w.anyone().refresh(dana.refreshToken)
	expect(t, "after 9 seconds", again, http.StatusOK, "")
	if text(again.at("tokens", "refresh_token")) != successor {
		t.Error("a repeat gave another successor")
	}

	expect(t, "its use", w.anyone().refresh(successor), http.StatusOK, "")
	w.db.Clock.Freeze(start.Add(11 * time.Second))
	expect(t, "after 11 seconds", w.anyone().refresh(dana.refreshToken), http.StatusUnauthorized, expired)
	expect(t, "the successor has ended too", w.anyone().refresh(successor), http.StatusUnauthorized, expired)
	w.later(5 * time.Second)
	expect(t, "and the access token", dana.call("GET", "/v1/auth/me", nil), http.StatusUnauthorized, expired)
	if !strings.Contains(w.log.String(), "used refresh token was presented again") || strings.Contains(w.log.String(), dana.refreshToken) {
		t.Errorf("the log does not tell, or tells too much: %s", w.log)
	}
	if why := pgtest.One[string](t, w.db, "SELECT revoked_for FROM session WHERE revoked_at IS NOT NULL"); why != "reuse" {
		t.Errorf("revoked for %q", why)
	}
	expect(t, "the other device stays", w.anyone().refresh(text(other.at("tokens", "refresh_token"))), http.StatusOK, "")
}

// A lost answer is known by its token never being used: the one before it stays good until then.
func TestALostAnswerSignsNobodyOut(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	w.db.Clock.Freeze(w.db.Clock.Now())
	dana := w.join("dana@rockets.example")
	refresh := func(what, token string, status int) string {
		t.Helper()
		got := w.anyone().refresh(token)
		expect(t, what, got, status, "")
		return text(got.at("tokens", "refresh_token"))
	}
	lost := refresh("an answer that is lost", dana.refreshToken, http.StatusOK)
	w.db.Clock.Advance(24 * time.Hour)
	lostToo := refresh("the next day", dana.refreshToken, http.StatusOK)
	w.db.Clock.Advance(time.Minute)
	arrived := refresh("once more", dana.refreshToken, http.StatusOK)
	if arrived == lost || arrived == lostToo || lost == lostToo {
		t.Error("what was lost is given again: whoever found it could use it unseen")
	}
	w.db.Clock.Advance(time.Minute)
	next := refresh("what arrived", arrived, http.StatusOK)
	w.db.Clock.Advance(time.Minute)
	refresh("the first, whose successor was used", dana.refreshToken, http.StatusUnauthorized)
	refresh("and all that followed it", next, http.StatusUnauthorized)
}

// Two who hold the same token get different successors, and the second to come shows the theft.
func TestAReplacedTokenEndsTheSession(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	w.db.Clock.Freeze(w.db.Clock.Now())
	dana := w.join("dana@rockets.example")
	mine := text(w.anyone().refresh(dana.refreshToken).at("tokens", "refresh_token"))
	w.db.Clock.Advance(time.Minute)
	stolen := w.anyone().refresh(dana.refreshToken)
	expect(t, "the thief", stolen, http.StatusOK, "")
	expect(t, "the owner", w.anyone().refresh(mine), http.StatusUnauthorized, expired)
	expect(t, "the thief again", w.anyone().refresh(text(stolen.at("tokens", "refresh_token"))), http.StatusUnauthorized, expired)
	if why := pgtest.One[string](t, w.db, "SELECT revoked_for FROM session WHERE revoked_at IS NOT NULL"); why != "reuse" {
		t.Errorf("revoked for %q", why)
	}
}

func TestSessionsEnd(t *testing.T) {
	t.Parallel()
	day := 24 * time.Hour
	for _, c := range []struct {
		name  string
		steps []time.Duration // between refreshes
		ok    bool            // of the last
	}{
		{"used every 29 days, for 87", []time.Duration{29 * day, 29 * day, 29 * day}, true},
		{"idle for 30 days", []time.Duration{30 * day}, false},
		{"90 days old, though in use", []time.Duration{25 * day, 25 * day, 25 * day, 15 * day}, false},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			w := newWorld(t)
			w.db.Clock.Freeze(w.db.Clock.Now()) // so that the steps are exact
			token := w.join("dana@rockets.example").refreshToken
			for i, step := range c.steps {
				w.db.Clock.Advance(step)
				got := w.anyone().refresh(token)
				if last := i == len(c.steps)-1; !last || c.ok {
					expect(t, c.name, got, http.StatusOK, "")
				} else {
					expect(t, c.name, got, http.StatusUnauthorized, expired)
				}
				token = text(got.at("tokens", "refresh_token"))
			}
		})
	}
}

func TestLogout(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	dana := w.join("dana@rockets.example")
	expect(t, "before", dana.call("GET", "/v1/auth/me", nil), http.StatusOK, "")
	expect(t, "logout", w.anyone().call("POST", "/v1/auth/logout", object{"refresh_token": dana.refreshToken}), http.StatusOK, "")
	expect(t, "the access token, at once", dana.call("GET", "/v1/auth/me", nil), http.StatusUnauthorized, expired)
	expect(t, "the refresh token", w.anyone().refresh(dana.refreshToken), http.StatusUnauthorized, expired)
	expect(t, "logout again", w.anyone().call("POST", "/v1/auth/logout", object{"refresh_token": dana.refreshToken}), http.StatusOK, "")
	expect(t, "an unknown token", w.anyone().call("POST", "/v1/auth/logout", object{"refresh_token": "x"}), http.StatusOK, "")
}

func TestAccessTokens(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	dana := w.join("dana@rockets.example")
	for what, c := range map[string]struct {
		header  []string
		message string
	}{
		"none":            {nil, missing},
		"empty":           {[]string{""}, missing},
		"scheme only":     {[]string{"Bearer"}, missing},
		"basic":           {[]string{"Basic ZGFuYTpwdw=="}, missing},
		"two headers":     {[]string{"Bearer " + dana.token, "Bearer x"}, missing},
		"a key alone":     {[]string{"nbk_0123"}, errNotBearer.Message},
		"garbage":         {[]string{"Bearer x"}, expired},
		"cut":             {[]string{"Bearer " + dana.token[:len(dana.token)-2]}, expired},
		"an unknown key":  {[]string{"Bearer nbk_" + strings.Repeat("a", 43)}, errAPIKey.Message},
		"case of scheme":  {[]string{"bEaReR " + dana.token}, ""},
		"two blanks":      {[]string{"Bearer  " + dana.token}, ""},
		"as it should be": {[]string{"Bearer " + dana.token}, ""},
	} {
		request := httptest.NewRequestWithContext(t.Context(), "GET", "/v1/stream", nil)
		for _, value := range c.header {
			request.Header.Add("Authorization", value)
		}
		actor, err := w.callers.FromRequest(request)
		switch {
		case c.message == "" && (err != nil || actor.UserID.String() != dana.userID || actor.Role != auth.Owner || actor.Name != "Dana Whitfield"):
			t.Errorf("%s: %+v, %v", what, actor, err)
		case c.message != "" && (err == nil || !strings.Contains(err.Error(), c.message) || actor.ID() != nil):
			t.Errorf("%s: %+v, %v", what, actor, err)
		}
	}
	elsewhere := httptest.NewRequestWithContext(t.Context(), "GET", "/v1/stream", nil)
	elsewhere.Header.Set("X-API-Key", "nbk_0123")
	if _, err := w.callers.FromRequest(elsewhere); err == nil || !strings.Contains(err.Error(), errNotBearer.Message) {
		t.Errorf("a key in X-API-Key: %v", err)
	}
	expect(t, "no token by REST", w.anyone().call("GET", "/v1/users", nil), http.StatusUnauthorized, missing)
	expect(t, "no token by Connect", w.anyone().call("POST", "/nightbell.v1.OrgService/ListUsers", object{}), http.StatusUnauthorized, missing)
	w.later(auth.AccessTokenLife + time.Second)
	expect(t, "after 15 minutes", dana.call("GET", "/v1/auth/me", nil), http.StatusUnauthorized, expired)
	stale := w.anyone().with(dana.token).login(dana.email, password, "")
	expect(t, "login with a stale token in the header", stale, http.StatusOK, "")
}

// TestRemovedMembersAndRoles holds SEC-TEN-08: within five seconds.
func TestRemovedMembersAndRoles(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	dana := w.join("dana@rockets.example")
	expect(t, "as owner", dana.call("POST", "/v1/teams", object{"name": "Payments"}), http.StatusOK, "")
	// As another replica does it, so that nothing here is told.
	w.db.Exec(t, "UPDATE membership SET role = 'viewer' WHERE user_id = $1", dana.userID)
	for _, call := range []struct {
		verb, path string
		body       object
	}{
		{"POST", "/v1/teams", object{"name": "Search"}},
		{"POST", "/v1/api-keys", object{"name": "Back door", "role": "admin", "scopes": []string{"config:write"}}},
	} {
		expect(t, "at once as viewer, with the owner's token: "+call.path, dana.call(call.verb, call.path, call.body), http.StatusForbidden, "")
	}
	expect(t, "reading", dana.call("GET", "/v1/teams", nil), http.StatusOK, "")
	refreshed := w.anyone().refresh(dana.refreshToken)
	if text(refreshed.at("user", "role")) != "viewer" {
		t.Errorf("after a refresh: %s", refreshed.text)
	}
	w.db.Exec(t, "UPDATE org SET default_policy_id = NULL")
	w.db.Exec(t, "DELETE FROM membership WHERE user_id = $1", dana.userID)
	w.later(5 * time.Second)
	expect(t, "removed", dana.call("GET", "/v1/teams", nil), http.StatusUnauthorized, expired)
	expect(t, "refresh when removed", w.anyone().refresh(text(refreshed.at("tokens", "refresh_token"))), http.StatusUnauthorized, expired)
}
