package app

import (
	"fmt"
	"net/http"
	"slices"
	"strings"

	"google.golang.org/protobuf/reflect/protoreflect"

	"github.com/nightbell/nightbell/api/internal/auth"
)

// peopleOnly are the methods that no API key may call, with the reason. Everything else that asks
// who is calling takes a key: what can be configured can be configured by a program.
var peopleOnly = map[string]string{
	"InboxService.ListInbox":                  "the mails are of people, and keys are of the organization",
	"InboxService.GetInboxMail":               "its mails have links that act for whoever they were sent to",
	"AccountService.GetAccountDuties":         "a key is nobody's account",
	"AccountService.EraseAccount":             "a key is nobody's account",
	"AccountService.EraseOrganization":        "a key has no password to confirm it with",
	"AuthService.ChangePassword":              "a key has no password",
	"AuthService.ListSessions":                "a key has no sessions, and those of people are theirs alone",
	"AuthService.GetSession":                  "a key has no sessions, and those of people are theirs alone",
	"AuthService.EndSession":                  "a key has no sessions, and those of people are theirs alone",
	"AuthService.EndOtherSessions":            "a key has no sessions, and those of people are theirs alone",
	"AuthService.ListOrganizations":           "a key is of one organization",
	"AuthService.SwitchOrganization":          "a key is of one organization",
	"ContactService.SendTestPage":             "a test page goes to whoever asks for it, and to nobody else",
	"ContactService.GetTestPage":              "a test page goes to whoever asks for it, and to nobody else",
	"ContactService.ListTestPages":            "a test page goes to whoever asks for it, and to nobody else",
	"InstallationService.ConfirmInstallation": "an owner vouches that the original pages no more; no key is an owner",
}

// alsoNeeded are the scopes that a key needs besides that of the method, since what it sets up tells of incidents.
var alsoNeeded = map[string][]auth.Scope{
	"ContactService.CreateContactMethod":                   {auth.IncidentsRead, auth.IncidentsWrite},
	"SlackService.ConfigureSlack":                          {auth.IncidentsRead},
	"WebhookSubscriptionService.CreateWebhookSubscription": {auth.IncidentsRead},
}

// signInCalls are the methods that ask nobody who is calling.
var signInCalls = []string{
	"AuthService.Register", "AuthService.Login", "AuthService.Refresh", "AuthService.Logout", "AuthService.ReadInvitation", "AuthService.AcceptInvitation",
	"AuthService.GetSignInOptions", "AuthService.ForgotPassword", "AuthService.ResetPassword",
	"AuthService.EnterDemo", "EnquiryService.SubmitEnquiry",
}

// brokenScope wants each method to name the scope that lets a key call it, and calls it with a key
// that has no other scope, and with one that has all others.
func brokenScope(c *campaign, method protoreflect.MethodDescriptor) string {
	name, scope := shortName(method), auth.Scope(authzOf(method).GetScope())
	switch {
	case authzOf(method).GetPublic() != slices.Contains(signInCalls, name):
		return "asks nobody who is calling, which only signing in and the landing page may do"
	case authzOf(method).GetPublic():
		return ""
	case (scope == "") != (peopleOnly[name] != ""):
		return "names no scope for API keys, without a reason in peopleOnly"
	case scope != "" && scope != "*" && !slices.Contains(auth.Scopes(), scope):
		return fmt.Sprintf("names the scope %s, which does not exist", scope)
	}
	others := slices.DeleteFunc(auth.Scopes(), func(s auth.Scope) bool { return s == scope })
	without, with := c.asKey(method, others), answer{}
	if slices.Contains(auth.Scopes(), scope) {
		with = c.asKey(method, append([]auth.Scope{scope}, alsoNeeded[name]...))
	}
	switch missing := fmt.Sprintf("lacks the scope %s.", scope); {
	case scope == "" && !strings.Contains(without.body, "api_key_not_allowed"):
		return "lets a key call it: " + without.whole()
	case scope == "*" && without.status != http.StatusOK:
		return "refuses a key: " + without.whole()
	case scope != "" && scope != "*" && (without.status != http.StatusForbidden || !strings.Contains(without.body, missing) || brokenError(without) != ""):
		return "lets a key without its scope call it: " + without.whole()
	case with.status == http.StatusForbidden:
		return "refuses a key with its scope: " + with.whole()
	}
	return ""
}

// asKey calls a method as a key of an admin with these scopes, about things that nobody has.
func (c *campaign) asKey(method protoreflect.MethodDescriptor, scopes []auth.Scope) answer {
	words := fmt.Sprint(scopes)
	if c.keys[words] == "" {
		c.keys[words] = c.b.newAPIKey("admin", scopes...)
	}
	fill := filling{variant: variantsOf(method.Input())[0], foreign: nobodys, own: nobodys, values: c.values()}
	return c.send(c.t.Context(), sending{via: viaREST, method: method, body: fill.request(method), bearer: c.keys[words]})
}
