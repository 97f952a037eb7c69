package authrpc

import (
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/nightbell/nightbell/api/internal/auth"
	"github.com/nightbell/nightbell/api/internal/kernel/id"
	"github.com/nightbell/nightbell/api/internal/platform/postgres/pgtest"
)

// makeKey makes a key with these scopes, or with all.
func (p person) makeKey(role string, days int, scopes ...auth.Scope) (key, keyID string) {
	p.w.t.Helper()
	if len(scopes) == 0 {
		scopes = auth.Scopes()
	}
	made := p.call("POST", "/v1/api-keys", object{"name": "deploy script", "role": role, "expires_in_days": days, "scopes": scopes})
	expect(p.w.t, "create a key", made, http.StatusOK, "")
	return text(made.at("key")), text(made.at("api_key", "id"))
}

func TestAPIKeys(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	dana := w.join("dana@rockets.example")
	key, keyID := dana.makeKey("", 0)
	admin, _ := dana.makeKey("admin", 0)
	viewer, _ := dana.makeKey("viewer", 0)

	expect(t, "a responder's key reads", w.anyone().with(key).call("GET", "/v1/users", nil), http.StatusOK, "")
	expect(t, "and may not make teams", w.anyone().with(key).call("POST", "/v1/teams", object{"name": "Payments"}), http.StatusForbidden, "")
	expect(t, "an admin's key may", w.anyone().with(admin).call("POST", "/v1/teams", object{"name": "Payments"}), http.StatusOK, "")
	expect(t, "a viewer's may not", w.anyone().with(viewer).call("POST", "/v1/teams", object{"name": "Search"}), http.StatusForbidden, "")
	listed := dana.call("GET", "/v1/api-keys", nil)
	expect(t, "list", listed, http.StatusOK, "")
	if strings.Contains(listed.text, key) || !strings.Contains(listed.text, key[:10]) || !strings.Contains(listed.text, `"last_used_at":"2`) {
		t.Errorf("the list shows the key, or not how to recognise it, or not its use: %s", listed.text)
	}
	if n := pgtest.One[int](t, w.db, "SELECT count(*) FROM api_key WHERE position($1 IN api_key::text) > 0", key); n != 0 {
		t.Error("the key is stored")
	}

	expect(t, "revoke", dana.call("DELETE", "/v1/api-keys/"+keyID, nil), http.StatusOK, "")
	expect(t, "revoked, at once", w.anyone().with(key).call("GET", "/v1/users", nil), http.StatusUnauthorized, errAPIKey.Message)
	expect(t, "revoke again", dana.call("DELETE", "/v1/api-keys/"+keyID, nil), http.StatusOK, "")
	for what, other := range map[string]string{"random": id.New().String(), "nonsense": "x"} {
		expect(t, "revoke "+what, dana.call("DELETE", "/v1/api-keys/"+other, nil), http.StatusNotFound, "API key not found")
	}
}

func lacking(scope string) string {
	return "This API key lacks the scope " + scope + ". Add it to the key, or use a key that has it."
}

// TestAKeyMakesNoKeyThatMayDoMore: of role and scopes, whether by making or by changing one.
func TestAKeyMakesNoKeyThatMayDoMore(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	dana := w.join("dana@rockets.example")
	key, keyID := dana.makeKey("admin", 0, auth.APIKeysWrite, auth.ConfigRead)
	program := w.anyone().with(key)

	made := program.call("POST", "/v1/api-keys", object{"name": "reads", "role": "viewer", "scopes": []string{"config:read"}})
	expect(t, "a key makes a lesser one", made, http.StatusOK, "")
	path := "/v1/api-keys/" + text(made.at("api_key", "id"))
	more := object{"name": "x", "scopes": []string{"config:read", "config:write"}}
	expect(t, "none with another scope", program.call("POST", "/v1/api-keys", more), http.StatusForbidden, lacking("config:write"))
	expect(t, "nor by changing one", program.call("PATCH", path, more), http.StatusForbidden, lacking("config:write"))
	expect(t, "nor itself", program.call("PATCH", "/v1/api-keys/"+keyID, more), http.StatusForbidden, lacking("config:write"))
	for _, bad := range []any{[]string{}, []string{"config"}, nil} {
		expect(t, "no scopes, or others", dana.call("POST", "/v1/api-keys", object{"name": "x", "scopes": bad}), http.StatusUnprocessableEntity, "")
		expect(t, "no scopes, or others", dana.call("PATCH", path, object{"scopes": bad}), http.StatusUnprocessableEntity, "")
	}

	lesser := w.anyone().with(text(made.at("key")))
	expect(t, "before it has the scope", lesser.call("DELETE", path, nil), http.StatusForbidden, lacking("api_keys:write"))
	expect(t, "more of both", dana.call("PATCH", path, object{"role": "admin", "scopes": []string{"api_keys:write"}}), http.StatusOK, "")
	expect(t, "with it, at once", lesser.call("PATCH", path, object{"name": "itself"}), http.StatusOK, "")
	expect(t, "and without the other", lesser.call("GET", path, nil), http.StatusForbidden, lacking("config:read"))
	read := dana.call("GET", path, nil)
	expect(t, "as it is now", read, http.StatusOK, "")
	if text(read.at("api_key", "name")) != "itself" || text(read.at("api_key", "role")) != "admin" || !strings.Contains(read.text, `"scopes":["api_keys:write"]`) {
		t.Errorf("it is now %s", read.text)
	}
}

// TestAKeyLeavesThoseAloneThatMayDoMore: it neither reads nor changes nor ends them.
func TestAKeyLeavesThoseAloneThatMayDoMore(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	dana := w.join("dana@rockets.example")
	own := []auth.Scope{auth.APIKeysWrite, auth.ConfigRead}
	key, keyID := dana.makeKey("admin", 0, own...)
	_, equalID := dana.makeKey("admin", 0, auth.ConfigRead)
	more, moreID := dana.makeKey("responder", 0, auth.ConfigRead, auth.IncidentsWrite)
	program := w.anyone().with(key)

	path := "/v1/api-keys/" + moreID
	for what, got := range map[string]reply{
		"read": program.call("GET", path, nil), "rename": program.call("PATCH", path, object{"name": "mine"}),
		"take scopes from": program.call("PATCH", path, object{"scopes": []string{"config:read"}}), "revoke": program.call("DELETE", path, nil),
	} {
		expect(t, what+" one that may do more", got, http.StatusForbidden, lacking("incidents:write"))
	}
	expect(t, "it works as before", w.anyone().with(more).call("GET", "/v1/users", nil), http.StatusOK, "")
	listed := program.call("GET", "/v1/api-keys", nil)
	expect(t, "list", listed, http.StatusOK, "")
	if strings.Contains(listed.text, moreID) || !strings.Contains(listed.text, keyID) || !strings.Contains(listed.text, equalID) {
		t.Errorf("listed to a key: %s", listed.text)
	}
	expect(t, "revoke one that may do less", program.call("DELETE", "/v1/api-keys/"+equalID, nil), http.StatusOK, "")
	if listed := dana.call("GET", "/v1/api-keys", nil); !strings.Contains(listed.text, moreID) {
		t.Errorf("listed to a person: %s", listed.text)
	}
	expect(t, "a person revokes any", dana.call("DELETE", path, nil), http.StatusOK, "")
}

// TestAKeyIsToldWhoItIs, whatever it may do.
func TestAKeyIsToldWhoItIs(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	dana := w.join("dana@rockets.example")
	key, keyID := dana.makeKey("viewer", 0, auth.EventsWrite)
	me := w.anyone().with(key).call("GET", "/v1/auth/me", nil)
	expect(t, "a key", me, http.StatusOK, "")
	if text(me.at("api_key", "id")) != keyID || text(me.at("org_name")) == "" || !strings.Contains(me.text, `"scopes":["events:write"]`) || strings.Contains(me.text, dana.userID) {
		t.Errorf("a key is told %s", me.text)
	}
	me = dana.call("GET", "/v1/auth/me", nil)
	if text(me.at("user", "id")) != dana.userID || strings.Contains(me.text, "scopes") {
		t.Errorf("a person is told %s", me.text)
	}
}

func TestAPIKeysEnd(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	dana := w.join("dana@rockets.example")
	key, _ := dana.makeKey("viewer", 1)
	w.later(10 * time.Minute)
	expect(t, "while it is good", w.anyone().with(key).call("GET", "/v1/users", nil), http.StatusOK, "")
	w.later(24 * time.Hour)
	expect(t, "after a day", w.anyone().with(key).call("GET", "/v1/users", nil), http.StatusUnauthorized, errAPIKey.Message)

	second, secondID := w.again(dana).makeKey("viewer", 0)
	expect(t, "a good key", w.anyone().with(second).call("GET", "/v1/users", nil), http.StatusOK, "")
	w.db.Exec(t, "UPDATE api_key SET revoked_at = now() WHERE id = $1", secondID) // on another replica
	w.later(5 * time.Second)
	expect(t, "revoked elsewhere, five seconds ago", w.anyone().with(second).call("GET", "/v1/users", nil), http.StatusUnauthorized, "")
}

// again signs the person in once more.
func (w *world) again(p person) person {
	w.t.Helper()
	p.caller = w.anyone().with(text(w.anyone().login(p.email, password, "").at("tokens", "access_token")))
	return p
}

func TestOrganizationsAreSeparate(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	dana, eve := w.join("dana@rockets.example"), w.join("eve@other.example")
	_, keyID := dana.makeKey("viewer", 0)
	expect(t, "Dana's team", dana.call("POST", "/v1/teams", object{"name": "Payments", "user_ids": []string{dana.userID, dana.userID}}), http.StatusOK, "")
	expect(t, "the same name elsewhere", eve.call("POST", "/v1/teams", object{"name": "payments"}), http.StatusOK, "")
	expect(t, "the same name here", dana.call("POST", "/v1/teams", object{"name": "PAYMENTS"}), http.StatusConflict, "")

	for what, got := range map[string]reply{
		"users": eve.call("GET", "/v1/users", nil), "teams": eve.call("GET", "/v1/teams", nil), "keys": eve.call("GET", "/v1/api-keys", nil),
	} {
		expect(t, what, got, http.StatusOK, "")
		if strings.Contains(got.text, dana.userID) || strings.Contains(got.text, "dana@") || strings.Contains(got.text, keyID) {
			t.Errorf("%s of another organization are shown: %s", what, got.text)
		}
	}
	foreign := eve.call("DELETE", "/v1/api-keys/"+keyID, nil)
	random := eve.call("DELETE", "/v1/api-keys/"+id.New().String(), nil)
	expect(t, "revoking Dana's key", foreign, http.StatusNotFound, "")
	if foreign.text != random.text {
		t.Errorf("a foreign key and no key differ: %s and %s", foreign.text, random.text)
	}
	foreign = eve.call("POST", "/v1/teams", object{"name": "Spies", "user_ids": []string{dana.userID}})
	random = eve.call("POST", "/v1/teams", object{"name": "Spies", "user_ids": []string{id.New().String()}})
	expect(t, "Dana in Eve's team", foreign, http.StatusUnprocessableEntity, "")
	if foreign.text != random.text {
		t.Errorf("a foreign member and no member differ: %s and %s", foreign.text, random.text)
	}
	if n := pgtest.One[int](t, w.db, "SELECT count(*) FROM api_key WHERE revoked_at IS NOT NULL"); n != 0 {
		t.Error("Eve revoked Dana's key")
	}
	if n := pgtest.One[int](t, w.db, "SELECT count(*) FROM team WHERE name = 'Spies'"); n != 0 {
		t.Error("a refused team was stored")
	}
}
