package app

import (
	"context"
	"net/http"
	"slices"
	"strings"
	"testing"
	"time"

	"google.golang.org/protobuf/reflect/protoreflect"

	"github.com/nightbell/nightbell/api/internal/auth"
)

// campaign is two organizations on one server, of which a is after the secrets of b.
type campaign struct {
	*rig

	a, b *tenant
	ids  []string          // every id of b
	sums map[string]string // of b's rows
	sent []string          // the ids of b that requests name
	keys map[string]string // API keys of b, by their scopes
	made time.Time         // after all that both have, so that a period until then holds it
}

func newCampaign(t *testing.T) *campaign {
	t.Helper()
	r := newTestServer(t)
	c := &campaign{rig: r, keys: map[string]string{}, a: r.newTenant("acme"), b: r.newTenant("umbrella")}
	r.plantCanaries(c.b.orgID)
	for _, id := range c.b.objects {
		c.sent = append(c.sent, id)
	}
	c.ids = r.idsOf(c.b.orgID)
	c.made = time.Now()
	c.startAfresh()
	return c
}

// startAfresh takes b's rows as they are now, and forgets what was logged and sent.
func (c *campaign) startAfresh() {
	c.sums = c.rig.sums(c.b.orgID)
	c.logged.take()
	c.slack.take()
}

// leaks lists what a text has of b's: canaries, and ids that nobody sent.
func (c *campaign) leaks(text string) []string {
	found := canaries.FindAllString(text, -1)
	for _, id := range c.ids {
		if strings.Contains(text, id) && !slices.Contains(c.sent, id) {
			found = append(found, "the id "+id)
		}
	}
	slices.Sort(found)
	return slices.Compact(found)
}

// checkUnharmed fails when b's rows have changed, or the log or Slack learned of them.
func (c *campaign) checkUnharmed(t *testing.T) {
	t.Helper()
	now := c.rig.sums(c.b.orgID)
	for _, change := range changes(c.sums, now) {
		t.Errorf("rows of the other organization have changed: %s", change)
	}
	c.sums = now
	if leaks := c.leaks(c.slack.take()); len(leaks) > 0 {
		t.Errorf("Slack was told of the other organization: %v", leaks)
	}
	if leaks := canaries.FindAllString(c.logged.take(), -1); len(leaks) > 0 {
		t.Errorf("the log tells of the other organization: %v", leaks)
	}
}

// values are what requests of the fixture contain where a rule alone does not say.
func (c *campaign) values() map[string]string {
	return map[string]string{
		"ChangeIncidentsRequest.action":          "assign",
		"ChangePasswordRequest.old_password":     password,
		"ChangePasswordRequest.new_password":     password, // so that everybody can still sign in
		"CreateApiKeyRequest.scopes":             "api_keys:write",
		"ConfigureSlackRequest.webhook_url":      c.slack.webhook(),
		"ConfigureSlackRequest.bot_token":        "xoxb-1234567890",
		"ConfigureSlackRequest.channel":          "#sample",
		"CreateContactMethodRequest.address":     "sample@example.com",
		"CreateInvitationRequest.email":          "invited@example.com",
		"CreateInvitationRequest.send":           "link",
		"CreateOverrideRequest.kind":             "cover",
		"UpdateOverrideRequest.kind":             "cover",
		"UpdateUserRequest.role":                 "responder",
		"CreateMaintenanceWindowRequest.ends_at": time.Now().Add(time.Hour).Format(time.RFC3339),
		"CreateOverrideRequest.ends_at":          time.Now().Add(time.Hour).Format(time.RFC3339),
		"GetAnalyticsRequest.until":              c.made.Format(time.RFC3339Nano), // the same in calls that are compared
		"IncidentFilter.triggered_before":        "2001-01-01T00:00:00Z",          // nothing but what ids name
		"Rotation.handover":                      "08:00",
		"RegisterRequest.password":               "password1234", // too well known, so that attempts end there
		// What is stored instead is a canary, and an edit holds the whole to the rules.
		"UpdateEscalationPolicyRequest.timezone": "UTC",
		"UpdateScheduleRequest.timezone":         "UTC",
		"UpdateServiceRequest.repo_url":          "https://example.com",
		"UpdateServiceRequest.runbook_url":       "https://example.com",

		"CreateWebhookSubscriptionRequest.url":         c.slack.webhook(),
		"CreateWebhookSubscriptionRequest.event_types": "incident.triggered",
		"UpdateWebhookSubscriptionRequest.url":         "https://example.com/sample",
		"UpdateWebhookSubscriptionRequest.event_types": "incident.resolved",
		"ReplayWebhookEventsRequest.since":             time.Now().Add(-time.Hour).Format(time.RFC3339),
	}
}

// own is a pick of what a tenant has.
func (n *tenant) own(kind string) string {
	found := n.objects[kind]
	if found == "" {
		n.t.Fatalf("requests name a %q, and no factory makes one", kind)
	}
	return found
}

// control makes the same request as the other organization's own owner. What it names is
// new where the call changes something. It returns whether canaries were seen.
func (c *campaign) control(t *testing.T, method protoreflect.MethodDescriptor, v variant, via transport) (canariesSeen bool) {
	t.Helper()
	fill := filling{variant: v, foreign: c.b.own, own: c.b.own, values: c.values()}
	if !isRead(method) {
		fill.foreign, fill.own = c.b.fresh, c.b.fresh
	}
	c.prepare(t, method, fill.values)
	s := sending{via: via, method: method, body: fill.request(method), bearer: c.b.owner()}
	got := c.send(t.Context(), s)
	if unfinished[shortName(method)] {
		c.checkFound(t, s, fill, got)
		return false
	}
	if !allowed(method, got) {
		t.Errorf("untested: the organization's own owner, via %s, is answered %s", via, got.whole())
	}
	return canaries.MatchString(got.whole()) || slices.ContainsFunc(c.ids, func(id string) bool {
		return !slices.Contains(c.sent, id) && strings.Contains(got.body, id)
	})
}

// unfinished cannot succeed in an installation without a language model. They answer
// otherwise than for an incident that does not exist, which is as good a control.
var unfinished = map[string]bool{
	"AiService.GenerateContext": true, "AiService.GenerateSummary": true, "AiService.GetContext": true,
	"AiService.GetSummary": true, "AiService.RefreshSummary": true,
}

// allowed reports whether the owner's call was carried out. Beside a second organization no
// owner confirms a copy: that refusal comes after the one of roles.
func allowed(method protoreflect.MethodDescriptor, got answer) bool {
	if shortName(method) == "AuthService.EnterDemo" {
		return strings.Contains(got.whole(), "There is no demo workspace") // nothing of a tenant is asked for
	}
	if shortName(method) == "InstallationService.ConfirmInstallation" {
		return strings.Contains(got.whole(), "nightbell restored confirm")
	}
	// What would end the campaign is refused for what it says, and not for what it names
	// (TestADeletedOrganizationLeavesNoRowAndPagesNobody and its like carry it out).
	if shortName(method) == "AccountService.EraseAccount" {
		return strings.Contains(got.whole(), "You are in no organization with this id") || strings.Contains(got.whole(), "You are the only owner of")
	}
	if shortName(method) == "AccountService.EraseOrganization" {
		return strings.Contains(got.whole(), "This is not the organization's name")
	}
	if shortName(method) == "AuthService.ForgotPassword" { // there is no mail server here
		return got.outcome() == http.StatusConflict || got.outcome() == http.StatusBadRequest // 409, and as Connect says it
	}
	return got.outcome() == http.StatusOK
}

func (c *campaign) checkFound(t *testing.T, s sending, fill filling, got answer) {
	t.Helper()
	fill.foreign = nobodys
	s.body = fill.request(s.method)
	if missing := c.send(t.Context(), s); missing.whole() == got.whole() || got.outcome() >= http.StatusInternalServerError {
		t.Errorf("untested: the organization's own owner, via %s, is answered as if it did not exist: %s", s.via, got.whole())
	}
}

// prepare brings about what a control needs besides the things it names.
func (c *campaign) prepare(t *testing.T, method protoreflect.MethodDescriptor, values map[string]string) {
	t.Helper()
	switch shortName(method) {
	case "SlackService.TestSlack", "SlackService.DisconnectSlack", "SlackService.GetSlackConfig":
		c.call(c.b.owner(), http.MethodPost, "/v1/integrations/slack/configure",
			object{"bot_token": "xoxb-1234567890", "channel": "#" + canary + "alerts", "webhook_url": c.slack.webhook()})
	case "InstallationService.ConfirmInstallation":
		c.database.Exec(t, `UPDATE installation SET copy_found_at = nightbell_now()`)
		c.copied.Store(true)
		t.Cleanup(func() { c.copied.Store(false) })
	case "AuthService.ReadInvitation", "AuthService.AcceptInvitation":
		email := strings.ReplaceAll(unique("invited"), " ", "-") + "@example.com"
		_, token := c.b.invite(email, "viewer", "link")
		values["ReadInvitationRequest.token"], values["AcceptInvitationRequest.token"] = token, token
		values["AcceptInvitationRequest.name"], values["AcceptInvitationRequest.password"] = "Control", password
	case "AuthService.GetSession": // it may have been ended since
		c.b.revive(t)
	case "AuthService.ChangePassword": // its hash is a canary
		c.database.Exec(t, `UPDATE users SET password_hash = (SELECT password_hash FROM users WHERE id = $1) WHERE id = $2`, c.a.people["owner"], c.b.people["owner"])
	case "AuthService.ResetPassword":
		email := strings.ReplaceAll(unique("forgetful"), " ", "-") + "@example.com"
		c.call("", http.MethodPost, "/v1/auth/register", object{"user_type": "individual", "name": "Control", "email": email, "password": password})
		token := unique("nbr_")
		c.database.Exec(t, `INSERT INTO password_reset (id, user_id, token_hash, created_at, expires_at)
			SELECT gen_random_uuid(), id, $2, nightbell_now(), nightbell_now() + interval '1 hour' FROM users WHERE email = $1`, email, auth.HashToken(token))
		values["ResetPasswordRequest.token"], values["ResetPasswordRequest.password"] = token, password
	case "EnquiryService.SubmitEnquiry":
		values["SubmitEnquiryRequest.message"] = "How much is it?"
	case "AuthService.Register":
		values["RegisterRequest.password"] = password
	case "AuthService.Login", "AuthService.Refresh", "AuthService.Logout":
		email := strings.ReplaceAll(unique("control"), " ", "-") + "@example.com"
		c.call("", http.MethodPost, "/v1/auth/register", object{"user_type": "individual", "name": "Control", "email": email, "password": password})
		values["LoginRequest.email"], values["LoginRequest.password"] = email, password
		if method.Name() != "Login" {
			signedIn := c.call("", http.MethodPost, "/v1/auth/login", object{"email": email, "password": password})
			token := at[string](t, signedIn, "tokens", "refresh_token")
			values["RefreshRequest.refresh_token"], values["LogoutRequest.refresh_token"] = token, token
		}
	}
}

// revive lets sessions that were ended be used again.
func (r *rig) revive(t *testing.T) {
	t.Helper()
	r.database.Exec(t, `UPDATE session SET revoked_at = NULL, revoked_for = ''`)
}

// attempt sends what names b's things, and the same with things that nobody has.
func (c *campaign) attempt(ctx context.Context, via transport, method protoreflect.MethodDescriptor, v variant, who principal) (theirs, nobody answer) {
	fill := filling{variant: v, foreign: c.b.own, own: c.a.own, values: c.values()}
	theirs = c.send(ctx, sending{via: via, method: method, body: fill.request(method), bearer: who.bearer})
	if len(v.foreign) == 0 {
		return theirs, theirs
	}
	invented := map[string]string{}
	fill.foreign = func(kind string) string {
		if invented[kind] == "" {
			invented[kind] = nobodys(kind)
		}
		return invented[kind]
	}
	nobody = c.send(ctx, sending{via: via, method: method, body: fill.request(method), bearer: who.bearer})
	for kind, id := range invented {
		nobody.body = strings.ReplaceAll(nobody.body, id, c.b.own(kind))
	}
	return theirs, nobody
}

// showsNothing is true for a read whose answer has neither text nor ids of its own,
// but perhaps a random secret.
func showsNothing(method protoreflect.MethodDescriptor) bool {
	return unfinished[shortName(method)] || authzOf(method).GetReveals() ||
		shortName(method) == "IncidentService.CountIncidents" || shortName(method) == "IncidentService.GetIncidentMetrics" || shortName(method) == "CatalogService.GetSenders" || shortName(method) == "AuthService.GetSignInOptions" || shortName(method) == "InstallationService.GetInstallation"
}
