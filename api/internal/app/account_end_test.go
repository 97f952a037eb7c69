package app

import (
	"encoding/json"
	"fmt"
	"net/http"
	"strings"
	"testing"

	"github.com/google/uuid"

	"github.com/nightbell/nightbell/api/internal/platform/postgres/pgtest"
)

// register makes an account with an organization of its own, and signs in.
func (r *rig) register(name string) *tenant {
	r.t.Helper()
	n := &tenant{rig: r, name: name, bearers: map[string]string{}, people: map[string]string{}, objects: map[string]string{}}
	email := "owner@" + name + ".example.com"
	n.call("", http.MethodPost, "/v1/auth/register", object{
		"user_type": "organization", "name": name + " owner", "email": email, "password": password, "org_name": name,
	})
	n.signIn("owner", email)
	return n
}

// deletion is the body of a call that deletes an account; replacements are pairs of organization and person.
func deletion(replacements ...string) object {
	list := []object{}
	for i := 0; i+1 < len(replacements); i += 2 {
		list = append(list, object{"org_id": replacements[i], "replace_by": replacements[i+1]})
	}
	return object{"password": password, "replacements": list}
}

// isMentioned lists the tables of an organization in which a text stands in any row.
func (r *rig) isMentioned(orgID uuid.UUID, text string) (tables []string) {
	r.t.Helper()
	for table, condition := range r.tables() {
		found := column[bool](r, fmt.Sprintf("SELECT EXISTS (SELECT FROM %s x WHERE %s AND position(lower($2) in lower(x::text)) > 0)", table, condition), orgID, text)
		if found[0] {
			tables = append(tables, table)
		}
	}
	return tables
}

func TestADeletedAccountLeavesItsDutiesToSomebodyAndNothingOfItself(t *testing.T) {
	t.Parallel()
	r := newTestServer(t)
	a := r.newTenant("acme")
	responder, bearer := a.people["responder"], a.bearers["responder"]
	r.database.Exec(t, `UPDATE users SET name = 'Rosa "R" Quill', phone = '+49 30 7654321' WHERE id = $1`, responder)
	home := r.register("home") // what the account is in besides
	r.database.Exec(t, `INSERT INTO membership (org_id, user_id, role, created_at) VALUES ($1, $2, 'owner', nightbell_now())`, home.orgID, responder)
	r.database.Exec(t, `DELETE FROM membership WHERE org_id = $1 AND user_id = $2`, home.orgID, home.people["owner"])
	incident := at[string](t, r.call(bearer, http.MethodPost, "/v1/incidents", object{"title": "Orders stopped", "service_id": a.objects["service"]}), "incident", "id")
	r.call(bearer, http.MethodPost, "/v1/incidents/"+incident+"/acknowledge", object{})
	r.call(bearer, http.MethodPost, "/v1/incidents/"+incident+"/comments", object{"message": "I look at it"})
	r.call(a.owner(), http.MethodPost, "/v1/incidents/"+incident+"/assign", object{"assignee_id": responder})

	duties := r.call(bearer, http.MethodGet, "/v1/account/duties", nil)
	outcomes := map[string]string{}
	for _, one := range at[[]any](t, duties, "organizations") {
		place := one.(object)
		outcomes[at[string](t, place, "organization", "name")] = place["outcome"].(string)
	}
	if outcomes["acme"] != "left" || outcomes["home"] != "deleted" || len(outcomes) != 2 {
		t.Fatalf("what becomes of the organizations: %v", outcomes)
	}
	r.wantRefused("nobody replaces them", "user_has_duties", bearer, http.MethodPost, "/v1/account/erase", deletion())
	r.wantRefused("themselves", "invalid_fields", bearer, http.MethodPost, "/v1/account/erase", deletion(a.orgID.String(), responder))
	r.wantRefused("a stranger", "invalid_fields", bearer, http.MethodPost, "/v1/account/erase", deletion(a.orgID.String(), home.people["owner"]))
	r.wantRefused("an organization of others", "invalid_fields", bearer, http.MethodPost, "/v1/account/erase",
		deletion(a.orgID.String(), a.people["admin"], uuid.NewString(), a.people["admin"]))
	wrong := deletion(a.orgID.String(), a.people["admin"])
	wrong["password"] = "not it at all"
	r.wantRefused("a wrong password", "invalid_fields", bearer, http.MethodPost, "/v1/account/erase", wrong)
	r.wantRefused("a program", "api_key_not_allowed", a.apiKey, http.MethodPost, "/v1/account/erase", deletion())
	if got := r.get("/v1/auth/me", bearer); got.status != http.StatusOK {
		t.Fatalf("refused, and signed out: %s", got.body)
	}

	r.call(bearer, http.MethodPost, "/v1/account/erase", deletion(a.orgID.String(), a.people["admin"]))
	if got := r.get("/v1/auth/me", bearer); got.status != http.StatusUnauthorized {
		t.Errorf("the token works: %d %s", got.status, got.body)
	}
	if left := column[int](r, `SELECT count(*)::int FROM users WHERE id = $1`, responder); left[0] != 0 {
		t.Error("the account is there")
	}
	for table, condition := range r.tables() {
		if n := column[int](r, fmt.Sprintf("SELECT count(*)::int FROM %s x WHERE %s", table, condition), home.orgID); n[0] != 0 {
			t.Errorf("%d rows of %s are left of the organization that nobody is in", n[0], table)
		}
	}
	// The incident that they had acknowledged belongs to the replacement, and pages again.
	open := at[object](t, r.call(a.owner(), http.MethodGet, "/v1/incidents/"+incident, nil), "incident")
	if open["status"] != "triggered" || at[string](t, open, "assignee", "id") != a.people["admin"] {
		t.Errorf("the open incident: %v", open)
	}
	for _, name := range []string{"Quill", "7654321", "responder@acme"} {
		for _, table := range r.isMentioned(a.orgID, name) {
			if table != "audit_event" { // nobody may change it
				t.Errorf("%s stands in %s", name, table)
			}
		}
	}
	timeline := r.get("/v1/incidents/"+incident+"/timeline", a.owner()).body
	if !strings.Contains(timeline, "Deleted user") || !strings.Contains(timeline, "I look at it") {
		t.Errorf("the history: %s", timeline)
	}
	if rows := column[string](r, `SELECT outcome FROM audit_event WHERE org_id = $1 AND method = 'nightbell.v1.AccountService/EraseAccount' ORDER BY id DESC LIMIT 1`, a.orgID); rows[0] != "ok" {
		t.Errorf("the audit log says %q", rows)
	}
	r.call("", http.MethodPost, "/v1/auth/register", object{"user_type": "individual", "name": "Rosa", "email": "responder@acme.example.com", "password": password})
}

func TestTheOnlyOwnerOfOthersKeepsTheAccount(t *testing.T) {
	t.Parallel()
	r := newTestServer(t)
	a := r.newTenant("acme")
	got := r.plainly(http.MethodPost, "/v1/account/erase", a.owner(), sure(json.Marshal(deletion())))
	if got.status != http.StatusConflict || !strings.Contains(got.body, "You are the only owner of acme") || !strings.Contains(got.body, "Make one of them an owner first, or delete the organization") {
		t.Errorf("it does not say what to do: %s", got.body)
	}
	r.call(a.owner(), http.MethodPatch, "/v1/users/"+a.people["admin"], object{"role": "owner"})
	r.call(a.owner(), http.MethodPost, "/v1/account/erase", deletion(a.orgID.String(), a.people["admin"]))
	if left := column[int](r, `SELECT count(*)::int FROM membership WHERE org_id = $1 AND role = 'owner'`, a.orgID); left[0] != 1 {
		t.Errorf("%d owners are left", left[0])
	}
}

func TestGuessingThePasswordThatDeletesCountsAsFailedSignIns(t *testing.T) {
	t.Parallel()
	r := newTestServer(t)
	a := r.register("acme")
	// Every request of the rig comes from another network: each guess is one failure of a network on the
	// account, and one of the network.
	const counted = `SELECT sum(failures) FROM sign_in_tally`
	before := column[float64](r, counted)[0]
	for range 6 {
		r.wantRefused("a guess", "invalid_fields", a.owner(), http.MethodPost, "/v1/account/erase", object{"password": "a wrong guess"})
	}
	if more := column[float64](r, counted)[0] - before; more < 11.9 {
		t.Errorf("six guesses count as %g failures", more)
	}
}

func TestADeletedOrganizationLeavesNoRowAndPagesNobody(t *testing.T) {
	t.Parallel()
	r := newTestServer(t)
	a, b := r.newTenant("acme"), r.newTenant("umbrella")
	path := "/v1/organizations/" + a.orgID.String() + "/erase"
	// The viewer is in another organization as well, and keeps the account.
	r.database.Exec(t, `INSERT INTO membership (org_id, user_id, role, created_at) VALUES ($1, $2, 'viewer', nightbell_now())`, b.orgID, a.people["viewer"])
	r.wantRefused("an admin", "role_too_low", a.bearers["admin"], http.MethodPost, path, object{"name": "acme", "password": password})
	r.wantRefused("somebody else's", "organization_not_found", b.owner(), http.MethodPost, path, object{"name": "acme", "password": password})
	r.wantRefused("another name", "invalid_fields", a.owner(), http.MethodPost, path, object{"name": "Acme", "password": password})
	r.wantRefused("a wrong password", "invalid_fields", a.owner(), http.MethodPost, path, object{"name": "acme", "password": "not it at all"})
	r.call(a.serviceKey, http.MethodPost, "/v1/events", object{"title": "Orders stopped"})
	if due := column[int](r, `SELECT count(*)::int FROM notification WHERE org_id = $1 AND state = 'pending'`, a.orgID); due[0] == 0 {
		t.Fatal("untested: nobody is being paged")
	}
	for table, condition := range r.tables() {
		if n := column[int](r, fmt.Sprintf("SELECT count(*)::int FROM %s x WHERE %s", table, condition), a.orgID); n[0] == 0 && table != "known_device" {
			t.Errorf("untested: %s has no row", table)
		}
	}
	before := r.sums(b.orgID)

	r.call(a.owner(), http.MethodPost, path, object{"name": "acme", "password": password})
	for table, condition := range r.tables() {
		if n := column[int](r, fmt.Sprintf("SELECT count(*)::int FROM %s x WHERE %s", table, condition), a.orgID); n[0] != 0 {
			t.Errorf("%d rows of %s are left", n[0], table)
		}
	}
	for _, change := range changes(before, r.sums(b.orgID)) {
		t.Errorf("rows of the other organization have changed: %s", change)
	}
	kept := column[string](r, `SELECT id::text FROM users WHERE email LIKE '%acme%'`)
	if len(kept) != 1 || kept[0] != a.people["viewer"] {
		t.Errorf("accounts that are left: %v", kept)
	}
	for who, bearer := range map[string]string{"the owner": a.owner(), "the viewer there": a.bearers["viewer"], "an API key": a.apiKey} {
		if got := r.get("/v1/auth/me", bearer); got.status != http.StatusUnauthorized {
			t.Errorf("%s is answered %d", who, got.status)
		}
	}
	for _, path := range []string{"/v1/events", "/v1/webhooks/prometheus/" + a.serviceKey} {
		got := r.plainly(http.MethodPost, path, a.serviceKey, []byte(`{"title": "Orders stopped"}`))
		if got.status != http.StatusUnauthorized && got.status != http.StatusNotFound {
			t.Errorf("a sender is answered %d %s", got.status, got.body)
		}
	}
	r.sweep()
	if strings.Contains(r.logged.take(), `"level":"ERROR"`) {
		t.Error("deleting is logged as an error")
	}
	if nobody := column[int](r, `SELECT count(*)::int FROM notification WHERE org_id = $1`, a.orgID); nobody[0] != 0 {
		t.Error("somebody is paged")
	}
}

func TestAPersonTakesAlongWhatIsTheirsAlone(t *testing.T) {
	t.Parallel()
	r := newTestServer(t)
	a, b := r.newTenant("acme"), r.newTenant("umbrella")
	r.plantCanaries(b.orgID)
	responder := a.bearers["responder"]
	incident := at[string](t, r.call(responder, http.MethodPost, "/v1/incidents", object{"title": "Mine", "service_id": a.objects["service"]}), "incident", "id")
	r.call(responder, http.MethodPost, "/v1/incidents/"+incident+"/acknowledge", object{})
	r.database.Exec(t, `INSERT INTO timeline_event (org_id, id, incident_id, kind, actor_kind, actor_id, message, at)
		SELECT $1, gen_random_uuid(), $2, 'comment', 'user', $3, 'Comment ' || n, nightbell_now() FROM generate_series(1, 1200) n`, a.orgID, incident, a.people["responder"])
	got := r.get("/v1/account/export", responder)
	if got.status != http.StatusOK || !strings.Contains(got.header.Get("Content-Disposition"), "nightbell-account.json") {
		t.Fatalf("%d %s", got.status, got.body)
	}
	var file object
	if err := json.Unmarshal([]byte(got.body), &file); err != nil {
		t.Fatalf("%v in %s", err, got.body)
	}
	if at[string](t, file, "account", "id") != a.people["responder"] {
		t.Errorf("the account: %v", file["account"])
	}
	places := at[[]any](t, file, "organizations")
	mine := places[0].(object)
	for _, name := range []string{"contact_methods", "notification_rules", "schedule_turns", "incidents", "timeline", "audit_log"} {
		if len(at[[]any](t, mine, name)) == 0 {
			t.Errorf("%s is empty", name)
		}
	}
	var owners object
	must(t, json.Unmarshal([]byte(r.get("/v1/account/export", a.owner()).body), &owners))
	if len(at[[]any](t, at[[]any](t, owners, "organizations")[0].(object), "pages")) == 0 {
		t.Error("who was paged has no pages")
	}
	comments := 0
	for _, one := range at[[]any](t, mine, "timeline") {
		if one.(object)["kind"] == "comment" {
			comments++
		}
	}
	if comments != 1200 || len(places) != 1 {
		t.Errorf("%d comments in %d organizations", comments, len(places))
	}
	secrets := column[string](r, `SELECT password_hash FROM users UNION ALL SELECT encode(hash, 'hex') FROM refresh_token UNION ALL SELECT encode(hash, 'hex') FROM api_key`)
	for _, secret := range append(secrets, a.people["owner"], "owner@acme", "umbrella") {
		if strings.Contains(got.body, secret) {
			t.Errorf("the file tells %s", secret)
		}
	}
	if found := canaries.FindAllString(got.body, -1); len(found) > 0 {
		t.Errorf("the file has the other organization's %v", found)
	}
	if rows := pgtest.One[int](t, r.database, `SELECT count(*)::int FROM audit_event WHERE org_id = $1 AND actor_id = $2 AND method = 'nightbell.v1.AccountService/ExportAccount' AND outcome = 'ok'`, a.orgID, a.people["responder"]); rows != 1 {
		t.Errorf("%d rows of the audit log tell of it", rows)
	}
	for who, want := range map[string]int{"": http.StatusUnauthorized, a.apiKey: http.StatusForbidden, a.serviceKey: http.StatusUnauthorized} {
		if refused := r.get("/v1/account/export", who); refused.status != want {
			t.Errorf("%q is answered %d %s", who, refused.status, refused.body)
		}
	}
	for range exportsPerMinute {
		got = r.get("/v1/account/export", responder)
	}
	if got.status != http.StatusTooManyRequests || got.header.Get("Retry-After") == "" {
		t.Errorf("the fifth in a minute: %d %s", got.status, got.body)
	}
}

// Somebody whose two downloads stood still kept everybody else from theirs for ten minutes.
func TestASlowDownloadKeepsNobodyElseFromTheirs(t *testing.T) {
	t.Parallel()
	var writing places
	slow := uuid.New()
	if !writing.take(slow) || writing.take(slow) {
		t.Fatal("a caller has not exactly one place")
	}
	for i := 1; i < exportsAtOnce; i++ {
		if !writing.take(uuid.New()) {
			t.Fatalf("the export beside %d others is refused", i)
		}
	}
	if writing.take(uuid.New()) {
		t.Error("exports have no bound")
	}
	writing.leave(slow)
	if !writing.take(slow) {
		t.Error("an export that has ended keeps its place")
	}
}
