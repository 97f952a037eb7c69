package app

import (
	"encoding/json"
	"net/http"
	"strings"
	"sync"
	"testing"

	"github.com/nightbell/nightbell/api/internal/auth"
	"github.com/nightbell/nightbell/api/internal/platform/postgres/pgtest"
)

// newPeople is an organization with somebody of each role.
func newPeople(t *testing.T) *tenant {
	t.Helper()
	return newTestServer(t).newTenant("acme")
}

func (n *tenant) patchUser(bearer, who string, body object) answer {
	return n.as(bearer, http.MethodPatch, "/v1/users/"+n.people[who], body)
}

// TestWhoChangesWhatOfAPerson: the account is the person's own, the role is the organization's.
func TestWhoChangesWhatOfAPerson(t *testing.T) {
	t.Parallel()
	n := newPeople(t)
	for _, try := range []struct {
		by, who string
		body    object
		status  int
		code    string
	}{
		{"viewer", "viewer", object{"name": "Vera", "timezone": "Europe/Berlin"}, 200, ""},
		{"viewer", "viewer", object{"timezone": nil}, 200, ""},
		{"viewer", "viewer", object{"timezone": "Berlin"}, 422, "invalid_fields"},
		{"viewer", "viewer", object{"name": " "}, 422, "invalid_fields"},
		{"viewer", "viewer", object{"name": nil}, 422, "invalid_fields"},
		{"viewer", "viewer", object{"email": "other@example.com"}, 422, "invalid_fields"},
		{"viewer", "viewer", object{"role": "responder"}, 403, "role_too_low"},
		{"viewer", "responder", object{"role": "viewer"}, 403, "role_too_low"},
		{"responder", "viewer", object{"role": "responder"}, 403, "role_too_low"},
		{"admin", "viewer", object{"name": "Somebody"}, 403, "profile_of_another"},
		{"owner", "viewer", object{"timezone": "Asia/Tokyo"}, 403, "profile_of_another"},
		{"admin", "viewer", object{"role": "responder"}, 200, ""},
		{"admin", "viewer", object{"role": nil}, 422, "invalid_fields"},
		{"admin", "viewer", object{"role": "king"}, 422, "invalid_fields"},
		{"admin", "viewer", object{"role": "owner"}, 403, "role_too_low"},
		{"admin", "admin", object{"role": "owner"}, 403, "role_too_low"},
		{"admin", "owner", object{"role": "admin"}, 403, "role_too_low"},
		{"owner", "owner", object{"role": "admin"}, 409, "last_owner"},
		{"owner", "admin", object{"role": "owner"}, 200, ""},
		{"owner", "owner", object{"role": "admin"}, 200, ""},
	} {
		got := n.patchUser(n.bearers[try.by], try.who, try.body)
		if got.status != try.status || try.code != "" && !strings.Contains(got.body, `"code":"`+try.code+`"`) {
			t.Errorf("the %s changes the %s to %v: %s, want %d %s", try.by, try.who, try.body, got.whole(), try.status, try.code)
		}
	}
	want := map[string]string{"viewer": "Vera responder UTC", "admin": "owner", "owner": "admin"}
	for who, words := range want {
		user := at[object](t, n.call(n.bearers[who], http.MethodGet, "/v1/users/"+n.people[who], nil), "user")
		shown := user["name"].(string) + " " + user["role"].(string) + " " + user["timezone"].(string)
		if !strings.Contains(shown, words) {
			t.Errorf("the %s is %s", who, shown)
		}
	}
}

// TestAKeyChangesRolesAndNoAccounts, and never who owns the organization.
func TestAKeyChangesRolesAndNoAccounts(t *testing.T) {
	t.Parallel()
	n := newPeople(t)
	key := n.newAPIKey("admin", auth.ConfigWrite)
	for _, try := range []struct {
		who    string
		body   object
		status int
	}{
		{"viewer", object{"role": "responder"}, 200},
		{"viewer", object{"name": "Key"}, 403},
		{"viewer", object{"role": "owner"}, 403},
		{"owner", object{"role": "viewer"}, 403},
	} {
		if got := n.patchUser(key, try.who, try.body); got.status != try.status {
			t.Errorf("%s, %v: %s, want %d", try.who, try.body, got.whole(), try.status)
		}
	}
	if got := n.patchUser(n.newAPIKey("responder", auth.ConfigWrite), "viewer", object{"role": "viewer"}); got.status != http.StatusForbidden {
		t.Errorf("a responder's key: %s", got.whole())
	}
}

// TestAnEditOfAPersonKeepsTheContract: no change writes nothing, and an old version is refused.
func TestAnEditOfAPersonKeepsTheContract(t *testing.T) {
	t.Parallel()
	n := newPeople(t)
	rows := func() string {
		return pgtest.One[string](t, n.database, "SELECT string_agg(m.ctid::text || m.xmin::text, ' ' ORDER BY m.ctid) FROM membership m") +
			pgtest.One[string](t, n.database, "SELECT string_agg(u.ctid::text || u.xmin::text, ' ' ORDER BY u.ctid) FROM users u")
	}
	read := n.get("/v1/users/"+n.people["viewer"], n.bearers["admin"])
	var whole struct{ User object }
	must(t, json.Unmarshal([]byte(read.body), &whole))
	etag := whole.User["etag"].(string)
	if read.header.Get("ETag") != `"`+etag+`"` || etag == "" {
		t.Errorf("read with %s and %s", read.header.Get("ETag"), etag)
	}
	before := rows()
	for what, body := range map[string]object{"nothing": {}, "what was read": whole.User, "the role": {"role": "viewer"}} {
		if got := n.patchUser(n.bearers["admin"], "viewer", body); got.status != http.StatusOK || rows() != before {
			t.Errorf("%s: %s", what, got.whole())
		}
	}
	n.call(n.bearers["viewer"], http.MethodPatch, "/v1/users/"+n.people["viewer"], object{"timezone": "Asia/Tokyo"})
	before = rows()
	late := n.plainly(http.MethodPatch, "/v1/users/"+n.people["viewer"], n.bearers["admin"], []byte(`{"role":"admin"}`), "If-Match", `"`+etag+`"`)
	if late.status != http.StatusPreconditionFailed || !strings.Contains(late.body, "etag_mismatch") || rows() != before {
		t.Errorf("a late edit: %s", late.whole())
	}
}

// TestAnOrganizationKeepsAnOwner when its two owners make each other admins at once.
func TestAnOrganizationKeepsAnOwner(t *testing.T) {
	t.Parallel()
	n := newPeople(t)
	for range 10 {
		n.database.Exec(t, `UPDATE membership SET role = 'owner' WHERE user_id = ANY($1::uuid[])`, []string{n.people["admin"], n.people["owner"]})
		n.signIn("owner", "owner@acme.example.com") // a session is believed for some seconds
		n.signIn("admin", "admin@acme.example.com")
		var both sync.WaitGroup
		for by, who := range map[string]string{"owner": "admin", "admin": "owner"} {
			both.Go(func() { n.patchUser(n.bearers[by], who, object{"role": "admin"}) })
		}
		both.Wait()
		if owners := pgtest.One[int](t, n.database, `SELECT count(*) FROM membership WHERE role = 'owner'`); owners != 1 {
			t.Fatalf("%d owners are left", owners)
		}
	}
}
