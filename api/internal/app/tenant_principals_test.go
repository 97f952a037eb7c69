package app

import (
	"cmp"
	"net/http"
	"net/http/httptest"
	"slices"
	"testing"
	"time"

	"google.golang.org/protobuf/reflect/protoreflect"

	nightbellv1 "github.com/nightbell/nightbell/api/gen/nightbell/v1"
	"github.com/nightbell/nightbell/api/internal/auth"
)

// principal is somebody who calls.
type principal struct {
	name   string
	bearer string
	// role is empty for those whom the server must not know.
	role   auth.Role
	apiKey bool
	scopes []auth.Scope
}

// removalTakes is how long a removed member may still be believed. What is asserted has
// leeway on top, because the machine of a test may be busy; the log has the figure.
const (
	removalTakes = 5 * time.Second
	leeway       = 10 * time.Second
)

// principalsOf lists everybody who may try: the tenant's people, its keys, and those who
// have lost, or never had, the right to call.
func principalsOf(n *tenant) []principal {
	n.t.Helper()
	n.expel()
	return []principal{
		{name: "anonymous"},
		{name: "expired", bearer: n.expiredToken()},
		{name: "removed", bearer: n.bearers["removed"]},
		{name: "disabled", bearer: n.bearers["disabled"]},
		{name: "revoked key", bearer: n.revokedKey()},
		{name: "service key", bearer: n.serviceKey},
		{name: "viewer", bearer: n.bearers["viewer"], role: auth.Viewer},
		{name: "responder", bearer: n.bearers["responder"], role: auth.Responder},
		{name: "admin", bearer: n.bearers["admin"], role: auth.Admin},
		{name: "owner", bearer: n.bearers["owner"], role: auth.Owner},
		{name: "API key", bearer: n.apiKey, role: auth.Responder, apiKey: true, scopes: auth.Scopes()},
		{name: "admin key", bearer: n.newAPIKey("admin"), role: auth.Admin, apiKey: true, scopes: auth.Scopes()},
		{name: "events key", bearer: n.newAPIKey("admin", auth.EventsWrite), role: auth.Admin, apiKey: true, scopes: []auth.Scope{auth.EventsWrite}},
	}
}

func (n *tenant) expiredToken() string {
	n.t.Helper()
	tokens := sure(auth.NewAccessTokens(n.jwtSecret))
	grant := sure(tokens.Read(n.owner(), time.Now()))
	token, _, err := tokens.Issue(grant, time.Now().Add(-time.Hour), time.Now().Add(-30*time.Minute))
	must(n.t, err)
	return token
}

// expel lets two people sign in, so that they are believed, takes the membership from
// one and the account from the other, and waits until that shows.
func (n *tenant) expel() {
	n.t.Helper()
	for _, name := range []string{"removed", "disabled"} {
		n.join(name, auth.Admin)
		n.call(n.bearers[name], http.MethodGet, "/v1/teams", nil)
	}
	n.database.Exec(n.t, "DELETE FROM membership WHERE org_id = $1 AND user_id = $2", n.orgID, n.people["removed"])
	n.database.Exec(n.t, "UPDATE users SET disabled_at = nightbell_now() WHERE id = $1", n.people["disabled"])
	expelled := time.Now()
	for n.believed(n.bearers["removed"]) || n.believed(n.bearers["disabled"]) {
		if time.Since(expelled) > removalTakes+leeway {
			n.t.Fatalf("a removed member is still believed after %s", removalTakes)
		}
		time.Sleep(50 * time.Millisecond)
	}
	n.t.Logf("a removed member was refused after %.1f s", time.Since(expelled).Seconds())
}

// revokedKey is an API key that worked.
func (n *tenant) revokedKey() string {
	n.t.Helper()
	made := n.call(n.owner(), http.MethodPost, "/v1/api-keys", object{"name": "Revoked", "role": "admin", "scopes": auth.Scopes()})
	key := at[string](n.t, made, "key")
	n.call(key, http.MethodGet, "/v1/teams", nil)
	n.call(n.owner(), http.MethodDelete, "/v1/api-keys/"+at[string](n.t, made, "api_key", "id"), nil)
	return key
}

func (n *tenant) believed(token string) bool {
	request := newRequest(n.t.Context(), http.MethodGet, "/v1/teams", nil)
	request.Header.Set("Authorization", "Bearer "+token)
	recorder := httptest.NewRecorder()
	n.handler.ServeHTTP(recorder, request)
	return recorder.Code == http.StatusOK
}

// checkRole compares what happened to a call with what the method's option says about
// the caller. Whoever may call can still be refused, but not for who they are.
func checkRole(t *testing.T, method protoreflect.MethodDescriptor, who principal, outcome int) {
	t.Helper()
	authz := authzOf(method)
	switch want := roleOutcome(authz, who); {
	case want == 0 && outcome == http.StatusForbidden && !who.role.AtLeast(cmp.Or(othersFor[shortName(method)], auth.Viewer)):
	case want != 0 && outcome != want:
		t.Errorf("it answers %d, want %d by the method's option", outcome, want)
	case want == 0 && !authz.GetPublic() && (outcome == http.StatusUnauthorized || outcome == http.StatusForbidden):
		t.Errorf("it answers %d to somebody who may call by the method's option", outcome)
	}
}

// othersFor take the id of a person; who has a lesser role may name themselves only.
var othersFor = map[string]auth.Role{
	"ContactService.CreateContactMethod":      auth.Admin,
	"ContactService.ListContactMethods":       auth.Admin,
	"ContactService.ListNotificationRules":    auth.Admin,
	"OrgService.DeleteUser":                   auth.Admin,
	"IncidentService.SubscribeToIncident":     auth.Responder,
	"IncidentService.UnsubscribeFromIncident": auth.Responder,
}

// roleOutcome is the refusal that the option asks for; 0 for none.
func roleOutcome(authz *nightbellv1.Authz, who principal) int {
	switch {
	case authz.GetPublic():
		return 0
	case who.role == "":
		return http.StatusUnauthorized
	case who.apiKey && !mayCallWith(authz, who.scopes), !who.role.AtLeast(auth.Role(authz.GetRole())):
		return http.StatusForbidden
	}
	return 0
}

// mayCallWith reports whether a key with the scopes may call, as far as they say.
func mayCallWith(authz *nightbellv1.Authz, scopes []auth.Scope) bool {
	return authz.GetScope() == "*" || slices.Contains(scopes, auth.Scope(authz.GetScope()))
}
