package authrpc

import (
	"maps"
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/nightbell/nightbell/api/internal/auth"
	"github.com/nightbell/nightbell/api/internal/platform/postgres/pgtest"
)

func registration(changes object) object {
	fields := object{
		"user_type": "organization", "name": "Dana Whitfield", "email": "dana@rockets.example", "password": password,
		"org_name": "Acme Rockets", "phone": "+49 30 1234567", "timezone": "Europe/Paris",
	}
	maps.Copy(fields, changes)
	return fields
}

func TestRegisterMakesEverythingThatTheFirstPageNeeds(t *testing.T) {
	t.Parallel()
	w := newReplica(t, pgtest.New(t), auth.RecommendedHashCost())
	made := w.anyone().call("POST", "/v1/auth/register", registration(nil))
	expect(t, "register", made, http.StatusOK, "Account created! Welcome to Nightbell.")
	for field, want := range map[string]string{
		"name": "Dana Whitfield", "email": "dana@rockets.example", "timezone": "Europe/Paris",
		"role": "owner", "org_name": "Acme Rockets", "user_type": "organization",
	} {
		if got := text(made.at("user", field)); got != want {
			t.Errorf("user.%s is %q, want %q", field, got, want)
		}
	}
	for what, query := range map[string]string{
		"the person is paged by e-mail for both urgencies, at once": `SELECT count(*) = 2 FROM notification_rule r
			JOIN contact_method c ON c.org_id = r.org_id AND c.id = r.contact_method_id
			WHERE c.kind = 'email' AND c.address = 'dana@rockets.example' AND c.user_id = r.user_id AND r.delay_seconds = 0`,
		"the default policy pages the owner": `SELECT count(*) = 1 FROM org o
			JOIN escalation_policy p ON p.org_id = o.id AND p.id = o.default_policy_id AND p.name = 'Default' AND p.repeats = 3
			JOIN escalation_step s ON s.org_id = o.id AND s.policy_id = p.id AND s.position = 0 AND s.delay_seconds = 300
			JOIN escalation_target t ON t.org_id = o.id AND t.policy_id = p.id AND t.kind = 'user'
			JOIN membership m ON m.org_id = o.id AND m.user_id = t.user_id AND m.role = 'owner'`,
		"the password is hashed": `SELECT bool_and(password_hash LIKE '$argon2id$v=19$m=19456,t=2,p=1$%') FROM users`,
		"the phone is kept":      `SELECT bool_and(phone = '+49 30 1234567') FROM users`,
	} {
		if !pgtest.One[bool](t, w.db, query) {
			t.Errorf("not so: %s", what)
		}
	}
}

func TestRegisterIndividual(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	made := w.anyone().call("POST", "/v1/auth/register", object{
		"user_type": "individual", "name": "Dana Whitfield", "email": "dana@rockets.example", "password": password,
	})
	expect(t, "register", made, http.StatusOK, "")
	if text(made.at("user", "org_name")) != "Dana Whitfield" || text(made.at("user", "timezone")) != "UTC" || text(made.at("user", "user_type")) != "individual" {
		t.Errorf("the workspace is %s", made.text)
	}
}

func TestRegisterRefusals(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	expect(t, "the first", w.anyone().call("POST", "/v1/auth/register", registration(nil)), http.StatusCreated, "")
	for _, c := range []struct {
		name    string
		changes object
		status  int
		field   string
	}{
		{"the same address", nil, http.StatusConflict, ""},
		{"the same address in capitals", object{"email": "DANA@Rockets.example"}, http.StatusConflict, ""},
		{"no organization's name", object{"org_name": ""}, http.StatusUnprocessableEntity, "org_name"},
		{"a blank organization's name", object{"org_name": "   "}, http.StatusUnprocessableEntity, "org_name"},
		{"no name", object{"name": ""}, http.StatusUnprocessableEntity, "name"},
		{"a blank name", object{"name": " "}, http.StatusUnprocessableEntity, "name"},
		{"a NUL in the name", object{"name": "Dana\x00"}, http.StatusUnprocessableEntity, "name"},
		{"a NUL in the phone", object{"phone": "\x00"}, http.StatusUnprocessableEntity, "phone"},
		{"no address", object{"email": ""}, http.StatusUnprocessableEntity, "email"},
		{"not an address", object{"email": "dana"}, http.StatusUnprocessableEntity, "email"},
		{"two addresses", object{"email": "a@b.example, c@d.example"}, http.StatusUnprocessableEntity, "email"},
		{"an unknown time zone", object{"timezone": "Mars/Olympus"}, http.StatusUnprocessableEntity, "timezone"},
		{"an unknown type", object{"user_type": "robot"}, http.StatusUnprocessableEntity, "user_type"},
		{"no type", object{"user_type": ""}, http.StatusUnprocessableEntity, "user_type"},
		{"a short password", object{"password": "plum-tart"}, http.StatusUnprocessableEntity, "password"},
		{"no password", object{"password": ""}, http.StatusUnprocessableEntity, "password"},
		{"the organization as password", object{"password": "acmerockets2026"}, http.StatusUnprocessableEntity, "password"},
		{"a sentence as phone", object{"phone": "call me maybe"}, http.StatusUnprocessableEntity, "phone"},
		{"markup as phone", object{"phone": "<b>12345</b>"}, http.StatusUnprocessableEntity, "phone"},
		{"a phone of sixteen digits", object{"phone": "+1234567890123456"}, http.StatusUnprocessableEntity, "phone"},
		{"a phone with control characters", object{"phone": "1\n2"}, http.StatusUnprocessableEntity, "phone"},
	} {
		got := w.anyone().call("POST", "/v1/auth/register", registration(c.changes))
		expect(t, c.name, got, c.status, "")
		if c.field != "" && !strings.Contains(got.text, `"field":"`+c.field+`"`) {
			t.Errorf("%s: the field is not named: %s", c.name, got.text)
		}
		if len(got.message()) < 10 || !strings.HasSuffix(got.message(), ".") {
			t.Errorf("%s: not a sentence: %q", c.name, got.message())
		}
		if pass := text(registration(c.changes)["password"]); pass != "" && strings.Contains(got.text, pass) {
			t.Errorf("%s: the password is sent back", c.name)
		}
	}
	if n := pgtest.One[int](t, w.db, "SELECT count(*) FROM users"); n != 1 {
		t.Errorf("%d accounts, want 1", n)
	}
	if n := pgtest.One[int](t, w.db, "SELECT count(*) FROM org"); n != 1 {
		t.Errorf("%d organizations, want 1: a refused registration left one behind", n)
	}
}

func TestRegistrationsPerAddressAreLimited(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	w.limit(Limits{Registrations: 2, LocalRegistrations: 3})
	try := func(from string) reply {
		return w.from(from).call("POST", "/v1/auth/register", registration(object{"email": "x"})) // refused before it counts
	}
	register := func(from, email string) reply {
		return w.from(from).call("POST", "/v1/auth/register", registration(object{"email": email}))
	}
	for range 5 {
		expect(t, "nonsense does not count", try("203.0.113.1"), http.StatusUnprocessableEntity, "")
	}
	expect(t, "first", register("203.0.113.1", "a@a.example"), http.StatusOK, "")
	expect(t, "second", register("203.0.113.1", "b@a.example"), http.StatusOK, "")
	third := register("203.0.113.1", "c@a.example")
	expect(t, "third", third, http.StatusTooManyRequests, "")
	if third.header.Get("Retry-After") == "" {
		t.Error("it is not said when to try again")
	}
	w.db.Clock.Advance(30*time.Minute + time.Second)
	expect(t, "half an hour later", register("203.0.113.1", "g@a.example"), http.StatusOK, "")
	expect(t, "another address", register("203.0.113.2", "c@a.example"), http.StatusOK, "")
	for _, email := range []string{"d@a.example", "e@a.example", "f@a.example"} {
		expect(t, "this machine", register("127.0.0.1", email), http.StatusOK, "")
	}
}
