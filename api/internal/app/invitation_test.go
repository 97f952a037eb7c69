package app

import (
	"context"
	"encoding/json"
	"net/http"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"

	"github.com/nightbell/nightbell/api/internal/auth"
	"github.com/nightbell/nightbell/api/internal/kernel/fault"
	"github.com/nightbell/nightbell/api/internal/org"
	"github.com/nightbell/nightbell/api/internal/platform/postgres/pgtest"
	"github.com/nightbell/nightbell/api/internal/signup"
)

// wantRefused makes one call and wants it refused with a code.
func (r *rig) wantRefused(what, wantCode, bearer, verb, path string, body object) {
	r.t.Helper()
	got := r.plainly(verb, path, bearer, sure(json.Marshal(body)), "Content-Type", "application/json")
	if got.status < 400 || got.status >= 500 || !strings.Contains(got.body, `"code":"`+wantCode+`"`) {
		r.t.Errorf("%s: %d %s, want %s", what, got.status, got.body, wantCode)
	}
}

func (n *tenant) invite(email, role, send string) (invitation object, token string) {
	n.t.Helper()
	made := n.call(n.owner(), http.MethodPost, "/v1/invitations", object{"email": email, "role": role, "send": send})
	url, _ := made["url"].(string)
	_, token, _ = strings.Cut(url, "#")
	return at[object](n.t, made, "invitation"), token
}

var mailedToken = regexp.MustCompile(`/invitation#(nbi_[A-Za-z0-9_-]{43})`)

func TestAnInvitationIsFollowedFromTheMailToTheFirstPage(t *testing.T) {
	t.Parallel()
	r := newTestServer(t)
	a := r.newTenant("acme")
	invited, url := a.invite("new@acme.example", "", "mail")
	if url != "" || invited["status"] != "pending" || invited["role"] != "responder" {
		t.Fatalf("the invitation is %v, the answer holds the link %q", invited, url)
	}
	if err := r.inviter.Send(t.Context()); err != nil {
		t.Fatal(err)
	}
	r.inviter.Wait()
	mailID := pgtest.One[string](t, r.database, `SELECT id::text FROM inbox_mail WHERE recipient LIKE '%new@acme.example%'`)
	mail := at[string](t, a.call(a.owner(), http.MethodGet, "/v1/inbox/"+mailID, nil), "mail", "text")
	found := mailedToken.FindStringSubmatch(mail)
	if found == nil || !strings.Contains(mail, "acme owner asks you to join acme") {
		t.Fatalf("the mail says: %s", mail)
	}
	token := found[1]
	if log := r.logged.take(); strings.Contains(log, token) {
		t.Error("the token is logged")
	}
	read := r.call("", http.MethodPost, "/v1/auth/invitation", object{"token": token})
	if read["email"] != "new@acme.example" || read["org_name"] != "acme" || read["has_account"] != false {
		t.Errorf("the link is for %v", read)
	}
	r.wantRefused("a poor password", "invalid_fields", "", http.MethodPost, "/v1/auth/accept-invitation", object{"token": token, "name": "Nia", "password": "short"})
	joined := r.call("", http.MethodPost, "/v1/auth/accept-invitation", object{"token": token, "name": "Nia", "password": password, "timezone": "Europe/Berlin"})
	if at[string](t, joined, "user", "org_id") != a.orgID.String() || at[string](t, joined, "user", "role") != "responder" {
		t.Errorf("joined as %v", joined["user"])
	}
	nia := at[string](t, joined, "user", "id")
	bearer := at[string](t, joined, "tokens", "access_token")
	r.wantRefused("a second time", "invitation_used", "", http.MethodPost, "/v1/auth/accept-invitation", object{"token": token, "name": "Eve", "password": password})
	if got := a.call(a.owner(), http.MethodGet, "/v1/invitations/"+invited["id"].(string), nil); at[string](t, got, "invitation", "status") != "accepted" {
		t.Errorf("the invitation is %v", got)
	}
	policy := a.make("/v1/escalation-policies", "escalation_policy", object{"name": "Nia's", "steps": []object{{"delay_seconds": 60, "targets": []object{{"kind": "user", "id": nia}}}}})
	service := a.make("/v1/services", "service", object{"name": "Orders", "escalation_policy_id": policy})
	incident := a.make("/v1/incidents", "incident", object{"title": "Orders stopped", "service_id": service, "severity": "critical"})
	r.page()
	if paged := pgtest.One[int](t, r.database, `SELECT count(*) FROM inbox_mail WHERE recipient LIKE '%new@acme.example%' AND subject LIKE '%Orders stopped%'`); paged != 1 {
		t.Errorf("the new member was paged %d times", paged)
	}
	r.call(bearer, http.MethodPost, "/v1/incidents/"+incident+"/acknowledge", object{})
	if audited := pgtest.One[int](t, r.database, `SELECT count(*) FROM audit_event WHERE org_id = $1 AND method LIKE '%AcceptInvitation' AND actor_id = $2`, a.orgID, nia); audited != 1 {
		t.Errorf("%d audit rows of the acceptance", audited)
	}
}

func TestAnAccountJoinsASecondOrganizationByItsPassword(t *testing.T) {
	t.Parallel()
	r := newTestServer(t)
	a, b := r.newTenant("acme"), r.newTenant("beta")
	email := "responder@acme.example.com"
	_, token := b.invite(email, "viewer", "link")
	r.wantRefused("another password", "bad_credentials", "", http.MethodPost, "/v1/auth/accept-invitation", object{"token": token, "password": "not-this-one-either"})
	joined := r.call("", http.MethodPost, "/v1/auth/accept-invitation", object{"token": token, "password": password})
	bearer := at[string](t, joined, "tokens", "access_token")
	if at[string](t, joined, "user", "org_id") != b.orgID.String() || at[string](t, joined, "user", "id") != a.people["responder"] {
		t.Errorf("joined as %v", joined["user"])
	}
	r.wantRefused("a viewer of the second", "role_too_low", bearer, http.MethodPost, "/v1/incidents", object{"title": "No"})
	r.call(a.bearers["responder"], http.MethodPost, "/v1/incidents", object{"title": "Still a responder of the first"})
	r.wantRefused("somebody who is there", "user_exists", b.owner(), http.MethodPost, "/v1/invitations", object{"email": strings.ToUpper(email)})
}

func TestInvitationsThatEnd(t *testing.T) {
	t.Parallel()
	r := newTestServer(t)
	a := r.newTenant("acme")
	accept := func(token string) object { return object{"token": token, "name": "Nia", "password": password} }
	revoked, token := a.invite("one@acme.example", "viewer", "link")
	a.call(a.owner(), http.MethodDelete, "/v1/invitations/"+revoked["id"].(string), nil)
	r.wantRefused("revoked", "invitation_revoked", "", http.MethodPost, "/v1/auth/accept-invitation", accept(token))
	_, first := a.invite("two@acme.example", "viewer", "link")
	_, second := a.invite("TWO@acme.example", "viewer", "link")
	r.wantRefused("replaced", "invitation_revoked", "", http.MethodPost, "/v1/auth/accept-invitation", accept(first))
	r.wantRefused("never made", "invitation_not_found", "", http.MethodPost, "/v1/auth/accept-invitation", accept("nbi_nothing"))
	r.wantRefused("above their own role", "role_too_low", a.bearers["admin"], http.MethodPost, "/v1/invitations", object{"email": "three@acme.example", "role": "owner"})
	r.wantRefused("by a responder", "role_too_low", a.bearers["responder"], http.MethodPost, "/v1/invitations", object{"email": "three@acme.example"})
	byAdmin := a.call(a.bearers["admin"], http.MethodPost, "/v1/invitations", object{"email": "three@acme.example", "send": "link", "role": "admin"})
	_, third, _ := strings.Cut(byAdmin["url"].(string), "#")
	a.call(a.owner(), http.MethodPatch, "/v1/users/"+a.people["admin"], object{"role": "viewer"})
	r.wantRefused("the link of a former admin", "invitation_revoked", "", http.MethodPost, "/v1/auth/accept-invitation", accept(third))
	r.database.Clock.Advance(org.InvitationLife)
	r.wantRefused("too late", "invitation_expired", "", http.MethodPost, "/v1/auth/accept-invitation", accept(second))
	if kept := pgtest.One[int](t, r.database, `SELECT count(*) FROM invitation WHERE encode(token_hash, 'escape') LIKE '%nbi_%' OR email LIKE '%nbi_%'`); kept != 0 {
		t.Error("a token is stored")
	}
}

// TestAnInvitationStandsAsLongAsWhoeverSentItMayGiveItsRole, by whichever way it was sent.
func TestAnInvitationStandsAsLongAsWhoeverSentItMayGiveItsRole(t *testing.T) {
	t.Parallel()
	r := newTestServer(t)
	a := r.newTenant("acme")
	a.join("second", auth.Owner)
	states := func(bearer string, most auth.Role, change func()) map[string]string {
		t.Helper()
		made := map[string]string{}
		for _, one := range []string{"owner mail", "owner link", "admin mail", "admin link", "viewer mail", "viewer link"} {
			role, send, _ := strings.Cut(one, " ")
			if !most.AtLeast(auth.Role(role)) {
				continue
			}
			answer := a.call(bearer, http.MethodPost, "/v1/invitations", object{"email": uuid.NewString() + "@evil.example", "role": role, "send": send})
			made[one] = at[string](t, answer, "invitation", "id")
		}
		change()
		for one, key := range made {
			made[one] = at[string](t, a.call(a.owner(), http.MethodGet, "/v1/invitations/"+key, nil), "invitation", "status")
		}
		return made
	}
	role := func(who, role string) func() {
		return func() { a.call(a.owner(), http.MethodPatch, "/v1/users/"+a.people[who], object{"role": role}) }
	}
	want := func(what string, got map[string]string, pending ...string) {
		t.Helper()
		for one, status := range got {
			if (status == "pending") != slices.Contains(pending, one) {
				t.Errorf("%s: %s is %s", what, one, status)
			}
		}
	}
	want("an owner who becomes an admin", states(a.bearers["second"], auth.Owner, role("second", "admin")), "admin mail", "admin link", "viewer mail", "viewer link")
	want("an admin who becomes a responder", states(a.bearers["second"], auth.Admin, role("second", "responder")))
	want("an admin who leaves", states(a.bearers["admin"], auth.Admin, func() {
		a.call(a.owner(), http.MethodDelete, "/v1/users/"+a.people["admin"]+"?replace_by="+a.people["owner"], nil)
	}))
}

// TestAnInvitationIsMadeByWhoeverMayGiveItsRoleNow: what is known of a caller may be some seconds old.
func TestAnInvitationIsMadeByWhoeverMayGiveItsRoleNow(t *testing.T) {
	t.Parallel()
	r := newTestServer(t)
	a := r.newTenant("acme")
	keyID, _ := a.key("admin", auth.Scopes()...)
	person := auth.Actor{Kind: auth.User, OrgID: a.orgID, UserID: uuid.MustParse(a.people["admin"]), Role: auth.Admin}
	program := auth.Actor{Kind: auth.APIKey, OrgID: a.orgID, APIKeyID: uuid.MustParse(keyID), Role: auth.Admin, Scopes: auth.Scopes()}
	invite := func(by auth.Actor) error {
		return r.db.InTenant(t.Context(), a.orgID, func(ctx context.Context, tx pgx.Tx) error {
			_, _, err := signup.Invite{Email: uuid.NewString() + "@evil.example", Role: auth.Admin, Send: org.SendLink}.Create(ctx, tx, by, []byte("key"), r.database.Clock.Now())
			return err
		})
	}
	want := func(what, code string, err error) {
		t.Helper()
		if refusal, _ := fault.Of(err); refusal == nil && code != "" || refusal != nil && refusal.Code != code {
			t.Errorf("%s: %v, want %q", what, err, code)
		}
	}
	want("an admin", "", invite(person))
	want("a key", "", invite(program))
	r.database.Exec(t, `UPDATE membership SET role = 'responder' WHERE user_id = $1`, person.UserID)
	r.database.Exec(t, `UPDATE api_key SET scopes = '{config:write}' WHERE id = $1`, program.APIKeyID)
	want("demoted", "role_too_low", invite(person))
	want("with fewer scopes", "scope_missing", invite(program))
	r.database.Exec(t, `UPDATE api_key SET revoked_at = nightbell_now() WHERE id = $1`, program.APIKeyID)
	want("revoked", "token_expired", invite(program))
	want("somebody who has left", "token_expired", invite(auth.Actor{Kind: auth.User, OrgID: a.orgID, UserID: uuid.New(), Role: auth.Owner}))
}

func (n *tenant) key(role string, scopes ...auth.Scope) (keyID, key string) {
	n.t.Helper()
	made := n.call(n.owner(), http.MethodPost, "/v1/api-keys", object{"name": "Terraform", "role": role, "scopes": scopes})
	return at[string](n.t, made, "api_key", "id"), at[string](n.t, made, "key")
}

// TestAKeyMakesNobodyMoreThanItself: neither by an invitation nor of a member.
func TestAKeyMakesNobodyMoreThanItself(t *testing.T) {
	t.Parallel()
	r := newTestServer(t)
	a := r.newTenant("acme")
	admin, viewer := object{"role": "admin"}, "/v1/users/"+a.people["viewer"]
	invited := object{"email": "eve@evil.example", "role": "admin", "send": "link"}
	for _, lacking := range auth.Scopes() {
		scopes := slices.DeleteFunc(auth.Scopes(), func(s auth.Scope) bool { return s == lacking })
		_, key := a.key("admin", scopes...)
		r.wantRefused("without "+string(lacking), "scope_missing", key, http.MethodPost, "/v1/invitations", invited)
		r.wantRefused("without "+string(lacking), "scope_missing", key, http.MethodPatch, viewer, admin)
	}
	_, weak := a.key("responder", auth.Scopes()...)
	r.wantRefused("of a responder", "role_too_low", weak, http.MethodPatch, viewer, admin)

	_, ordinary := a.key("admin", auth.ConfigRead, auth.ConfigWrite)
	r.call(ordinary, http.MethodPost, "/v1/invitations", object{"email": "bob@acme.example", "send": "link"})
	r.call(ordinary, http.MethodPatch, viewer, object{"role": "responder"})
	r.call(ordinary, http.MethodPatch, "/v1/users/"+a.people["admin"], object{"role": "responder"})
	_, all := a.key("admin", auth.Scopes()...)
	r.call(all, http.MethodPost, "/v1/invitations", invited)
	r.call(all, http.MethodPatch, viewer, admin)
	r.wantRefused("owners by a key", "role_too_low", all, http.MethodPost, "/v1/invitations", object{"email": "o@evil.example", "role": "owner"})
}

// TestTheInvitationsOfAKeyAreKnownAndEndWithIt, or with the scopes that they were made with.
func TestTheInvitationsOfAKeyAreKnownAndEndWithIt(t *testing.T) {
	t.Parallel()
	r := newTestServer(t)
	a := r.newTenant("acme")
	keyID, key := a.key("admin", auth.Scopes()...)
	invite := func(email, role string) (path, token string) {
		made := r.call(key, http.MethodPost, "/v1/invitations", object{"email": email, "role": role, "send": "link"})
		if at[string](t, made, "invitation", "invited_by_api_key_id") != keyID || at[string](t, made, "invitation", "invited_by_name") != "Terraform" {
			t.Errorf("invited by %v", made)
		}
		_, token, _ = strings.Cut(made["url"].(string), "#")
		return "/v1/invitations/" + at[string](t, made, "invitation", "id"), token
	}
	status := func(path string) string {
		return at[string](t, a.call(a.owner(), http.MethodGet, path, nil), "invitation", "status")
	}
	admin, _ := invite("one@acme.example", "admin")
	viewer, token := invite("two@acme.example", "viewer")
	a.call(a.owner(), http.MethodPatch, "/v1/api-keys/"+keyID, object{"scopes": []string{"config:read", "config:write"}})
	if status(admin) != "revoked" || status(viewer) != "pending" {
		t.Errorf("with fewer scopes: admin %s, viewer %s", status(admin), status(viewer))
	}
	a.call(a.owner(), http.MethodDelete, "/v1/api-keys/"+keyID, nil)
	r.wantRefused("of a revoked key", "invitation_revoked", "", http.MethodPost, "/v1/auth/accept-invitation", object{"token": token, "name": "Eve", "password": password})
}

func TestInvitationsWorkWhereRegistrationIsByInvitation(t *testing.T) {
	t.Parallel()
	r := newTestServer(t)
	a := r.newTenant("acme")
	r.Registration = string(auth.RegistrationInvite)
	r.served = sure(r.routes())
	r.handler = r.served.Handler()
	r.wantRefused("a stranger", "registration_by_invitation", "", http.MethodPost, "/v1/auth/register",
		object{"user_type": "individual", "name": "Eve", "email": "eve@evil.example", "password": password})
	_, token := a.invite("new@acme.example", "viewer", "link")
	r.call("", http.MethodPost, "/v1/auth/accept-invitation", object{"token": token, "name": "Nia", "password": password})
}

func TestAnOrganizationMailsSoManyInvitationsADay(t *testing.T) {
	t.Parallel()
	r := newTestServer(t)
	a := r.newTenant("acme")
	r.database.Exec(t, `UPDATE org SET unverified_mails = 20, unverified_mails_on = nightbell_now()::date WHERE id = $1`, a.orgID)
	r.SMTPHost = "mail.example.com"
	r.served = sure(r.routes())
	r.handler = r.served.Handler()
	r.wantRefused("one more", "too_many_mails", a.owner(), http.MethodPost, "/v1/invitations", object{"email": "new@acme.example"})
	a.invite("new@acme.example", "viewer", "link")
}

func TestWhoIsRemovedIsOutAtOnceWithEveryWayIn(t *testing.T) {
	t.Parallel()
	r := newTestServer(t)
	a, b := r.newTenant("acme"), r.newTenant("beta")
	person, bearer := a.people["responder"], a.bearers["responder"]
	path := "/v1/users/" + person
	r.call(bearer, http.MethodGet, "/v1/auth/me", nil) // remembered for three seconds
	duties := a.call(a.owner(), http.MethodGet, path+"/duties", nil)
	if duties["replacement_needed"] != true || len(at[[]any](t, duties, "schedules")) == 0 || len(at[[]any](t, duties, "incidents")) == 0 {
		t.Errorf("the duties are %v", duties)
	}
	r.wantRefused("of another organization", "user_not_found", b.owner(), http.MethodDelete, path, nil)
	r.wantRefused("by a viewer", "role_too_low", a.bearers["viewer"], http.MethodDelete, path, nil)
	r.wantRefused("an owner by an admin", "role_too_low", a.bearers["admin"], http.MethodDelete, "/v1/users/"+a.people["owner"], nil)
	r.wantRefused("with duties", "user_has_duties", a.bearers["admin"], http.MethodDelete, path, nil)
	r.wantRefused("replaced by somebody of another organization", "invalid_fields", a.bearers["admin"], http.MethodDelete, path+"?replace_by="+b.people["owner"], nil)
	r.wantRefused("the last owner", "last_owner", a.owner(), http.MethodDelete, "/v1/users/"+a.people["owner"]+"?replace_by="+person, nil)
	a.call(a.bearers["admin"], http.MethodDelete, path+"?replace_by="+a.people["viewer"], nil)
	r.wantRefused("the access token", "token_expired", bearer, http.MethodGet, "/v1/auth/me", nil)
	r.wantRefused("again", "user_not_found", a.owner(), http.MethodDelete, path, nil)
	if left := pgtest.One[int](t, r.database, `SELECT (SELECT count(*) FROM session WHERE user_id = $1) + (SELECT count(*) FROM rotation_person WHERE user_id = $1)
		+ (SELECT count(*) FROM escalation_target WHERE user_id = $1) + (SELECT count(*) FROM contact_method WHERE user_id = $1)`, person); left != 0 {
		t.Errorf("%d rows still name who left", left)
	}
	if again := a.call(a.owner(), http.MethodGet, "/v1/users/"+a.people["viewer"]+"/duties", nil); len(at[[]any](t, again, "incidents")) == 0 {
		t.Errorf("the replacement has %v", again)
	}
}
