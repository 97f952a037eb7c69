package app

import (
	"fmt"
	"net/http"
	"reflect"
	"strings"
	"testing"

	"github.com/google/uuid"

	"github.com/nightbell/nightbell/api/internal/notify"
	"github.com/nightbell/nightbell/api/internal/platform/postgres/pgtest"
)

// user finds one of a list.
func user(t *testing.T, answer object, id string) object {
	t.Helper()
	for _, one := range at[[]any](t, answer, "users") {
		if found := one.(object); found["id"] == id {
			return found
		}
	}
	t.Fatalf("there is no %s in %v", id, answer)
	return nil
}

func TestAListOfUsersTellsWhoIsOnCallAndReached(t *testing.T) {
	t.Parallel()
	r := newTestServer(t)
	a := r.newTenant("acme")
	responder := a.people["responder"]
	plain := user(t, r.call(a.owner(), http.MethodGet, "/v1/users", nil), responder)
	if _, told := plain["on_call"].([]any); told && len(plain["on_call"].([]any)) > 0 {
		t.Errorf("without include it tells %v", plain)
	}
	list := r.call(a.owner(), http.MethodGet, "/v1/users?include=details", nil)
	found := user(t, list, responder)
	if duty := at[[]any](t, found, "on_call"); len(duty) == 0 {
		t.Errorf("the responder, who is always on call, is not: %v", found)
	}
	reached := at[[]any](t, found, "reached_by")
	if len(reached) == 0 || reached[0].(object)["kind"] != "email" || reached[0].(object)["verified"] != true || reached[0].(object)["test_status"] != nil {
		t.Errorf("reached by %v", reached)
	}
	if found["last_seen_at"] == nil {
		t.Errorf("the responder has signed in, and was never seen: %v", found)
	}
	never := uuid.New()
	a.enroll(never, "never", "viewer")
	if got := user(t, r.call(a.owner(), http.MethodGet, "/v1/users?include=details", nil), never.String()); got["last_seen_at"] != nil {
		t.Errorf("who never signed in was seen: %v", got)
	}
	// A telephone number is told to its owner alone.
	r.call(a.bearers["responder"], http.MethodPatch, "/v1/users/"+responder, object{"phone": "+49 30 1234567"})
	if own := r.call(a.bearers["responder"], http.MethodGet, "/v1/users/"+responder, nil); at[string](t, own, "user", "phone") != "+49 30 1234567" {
		t.Errorf("their own phone: %v", own)
	}
	if theirs := r.get("/v1/users/"+responder, a.owner()); strings.Contains(theirs.body, "1234567") {
		t.Errorf("the owner is told: %s", theirs.body)
	}
	r.wantRefused("no number", "invalid_fields", a.bearers["responder"], http.MethodPatch, "/v1/users/"+responder, object{"phone": "call me"})
	// Somebody else's role can be changed by who is not told their number, which stays.
	for range 2 { // the second changes nothing
		changed := r.call(a.owner(), http.MethodPatch, "/v1/users/"+responder, object{"role": "viewer"})
		if got := r.call(a.owner(), http.MethodGet, "/v1/users/"+responder, nil); !reflect.DeepEqual(changed, got) {
			t.Errorf("changed is answered %v, read %v", changed, got)
		}
	}
	if own := r.call(a.bearers["responder"], http.MethodGet, "/v1/users/"+responder, nil); at[string](t, own, "user", "phone") != "+49 30 1234567" {
		t.Errorf("after a change of role: %v", own)
	}
}

func TestATestPageGoesToWhoeverAsksAlone(t *testing.T) {
	t.Parallel()
	r := newTestServer(t)
	a := r.newTenant("acme")
	r.page()
	mails := pgtest.One[int](t, r.database, `SELECT count(*) FROM inbox_mail`)
	r.wantRefused("somebody else's", "invalid_fields", a.owner(), http.MethodPost, "/v1/test-pages", object{"contact_method_id": a.makeContact(false)})
	r.wantRefused("a shared channel", "invalid_fields", a.owner(), http.MethodPost, "/v1/test-pages", object{"contact_method_id": a.makeContact(true)})
	contact := a.makeOwnContact()
	made := r.call(a.owner(), http.MethodPost, "/v1/test-pages", object{"contact_method_id": contact})
	if at[string](t, made, "test_page", "status") != "queued" {
		t.Errorf("the answer: %v", made)
	}
	r.wantRefused("twice at once", "test_page_under_way", a.owner(), http.MethodPost, "/v1/test-pages", object{"contact_method_id": contact})
	path := "/v1/test-pages/" + at[string](t, made, "test_page", "id")
	if got := r.get(path, a.bearers["responder"]); got.status != http.StatusNotFound {
		t.Errorf("a colleague reads the receipt: %s", got.body)
	}
	for range 10 { // the fixture has left another
		if again, err := r.tests.Sweep(t.Context()); err != nil || !again {
			must(t, err)
			break
		}
	}
	if receipt := r.call(a.owner(), http.MethodGet, path, nil); at[string](t, receipt, "test_page", "status") != "sent" || at[string](t, receipt, "test_page", "detail") != "kept in the built-in inbox" {
		t.Errorf("the receipt: %v", receipt)
	}
	subjects := column[string](r, `SELECT subject FROM inbox_mail ORDER BY received_at, id OFFSET $1`, mails)
	for _, subject := range subjects {
		if subject != notify.TestPageSubject {
			t.Errorf("a mail is about %q", subject)
		}
	}
	if len(subjects) == 0 {
		t.Error("no mail came")
	}
	found := user(t, r.call(a.owner(), http.MethodGet, "/v1/users?include=details", nil), a.people["owner"])
	if !strings.Contains(fmt.Sprint(found["reached_by"]), "test_status:sent") {
		t.Errorf("the list does not know of the test: %v", found)
	}
	r.database.Exec(t, `INSERT INTO test_page (org_id, id, contact_method_id, user_id, channel, status, created_at, finished_at)
		SELECT $1, gen_random_uuid(), $2, $3, 'email', 'sent', nightbell_now(), nightbell_now() FROM generate_series(1, $4)`, a.orgID, contact, a.people["owner"], notify.TestPagesAtMost)
	r.wantRefused("too many", "too_many_test_pages", a.owner(), http.MethodPost, "/v1/test-pages", object{"contact_method_id": contact})
}

func TestTheAuditLogIsReadByWhoAndWhat(t *testing.T) {
	t.Parallel()
	r := newTestServer(t)
	a := r.newTenant("acme")
	r.call(a.bearers["admin"], http.MethodPatch, "/v1/organizations/"+a.orgID.String(), object{"name": "Acme Labs"})
	methodsOf := func(query string) (found []string) {
		for _, one := range at[[]any](t, r.call(a.owner(), http.MethodGet, "/v1/audit-events?"+query, nil), "audit_events") {
			found = append(found, one.(object)["method"].(string))
		}
		return found
	}
	if got := methodsOf("actor_id=" + a.people["admin"]); len(got) != 1 || got[0] != "OrgService/UpdateOrganization" {
		t.Errorf("the admin did %q", got)
	}
	for area, some := range map[string]string{"people": "OrgService/CreateTeam", "config": "CatalogService/CreateService", "keys": "ApiKeyService/CreateApiKey", "incidents": "IncidentService/CreateIncident"} {
		found := methodsOf("area=" + area)
		if !strings.Contains(strings.Join(found, " "), some) {
			t.Errorf("%s: %q", area, found)
		}
	}
	if got := methodsOf("until=2020-01-01T00:00:00Z"); len(got) != 0 {
		t.Errorf("before there was anything: %q", got)
	}
	if name := at[string](t, r.call(a.owner(), http.MethodGet, "/v1/organizations/"+a.orgID.String(), nil), "organization", "name"); name != "Acme Labs" {
		t.Errorf("it is called %s", name)
	}
}
