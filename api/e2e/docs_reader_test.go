//go:build e2e

package e2e

import (
	"errors"
	"fmt"
	"net/http"
	"os"
	"os/exec"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/nightbell/nightbell/api/e2e/smtpcatcher"
)

type object = map[string]any

// reader is somebody who tries every call of the reference: the owner of an organization, in
// which each call finds an object of its own to change or to delete.
type reader struct {
	*caller

	door            *recorder
	language        string
	slack           *receiver
	apiKey          string
	user, service   string
	serviceKey      string
	invited, throws int
	// leaver's session ends, or password changes.
	leaver *caller
	// tickets is the subscription of the delivery that was made last.
	tickets string
	// mail is where the server sends its mail; nil where that lands in its inbox.
	mail *smtpcatcher.Catcher
}

// serveDemo starts a server with the demo workspace, which guests may look at.
func serveDemo(t *testing.T) *nightbell {
	t.Helper()
	address, dir := freeAddress(t), emptyDataDir(t)
	cmd := exec.Command(os.Getenv("NIGHTBELL_BIN"), "serve", "--demo")
	cmd.Env = []string{
		"PATH=" + os.Getenv("PATH"), "HOME=" + os.Getenv("HOME"), "TMPDIR=" + os.TempDir(),
		"NIGHTBELL_LISTEN=" + address, "NIGHTBELL_DATA_DIR=" + dir, "NIGHTBELL_DEMO_GUEST=true",
		"NIGHTBELL_EGRESS_ALLOW=127.0.0.0/8", "NIGHTBELL_TRUSTED_PROXIES=127.0.0.0/8",
	}
	n := &nightbell{url: "http://" + address, dataDir: dir}
	n.process = start(t, "nightbell", cmd)
	n.awaitReady(t, time.Minute, func() bool { return answers(n.url + "/readyz") })
	return n
}

// servePosting starts a server that has a mail server, which calls about passwords need.
func servePosting(t *testing.T) (*nightbell, *smtpcatcher.Catcher) {
	t.Helper()
	mail, err := smtpcatcher.Start(smtpcatcher.Options{})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = mail.Close() })
	return serve(t, emptyDataDir(t), freeAddress(t),
		"NIGHTBELL_SMTP_HOST="+mail.Host(), "NIGHTBELL_SMTP_PORT="+strconv.Itoa(mail.Port()), "NIGHTBELL_TRUSTED_PROXIES=127.0.0.0/8"), mail
}

func newReader(t *testing.T, base, language string) *reader {
	t.Helper()
	door := openRecorder(t, base)
	r := &reader{caller: &caller{url: door.url}, door: door, language: language, slack: newReceiver(t, "ok")}
	r.caller, r.user = r.newcomer(t)
	r.apiKey = text(t, r.made(t, "/v1/api-keys", object{"name": "All", "role": "admin", "scopes": scopes(t, r)}), "key")
	service := r.made(t, "/v1/services", object{"name": "Checkout"})
	r.service, r.serviceKey = text(t, service, "service", "id"), text(t, service, "service_key")
	return r
}

// eraseOrganization is called by a newcomer, of whose organization nothing else is shown.
const eraseOrganization = "/v1/organizations/{id}/erase"

// prepare does what a call takes for granted and no variable says.
func (r *reader) prepare(t *testing.T, call shownCall) {
	t.Helper()
	if call.path == eraseOrganization {
		r.leaver, _ = r.newcomer(t)
	}
	if strings.Contains(call.path, "/slack/") {
		r.made(t, "/v1/integrations/slack/configure", object{"bot_token": "xoxb-1234567890", "channel": "#alerts", "webhook_url": r.slack.URL + "/services/T000/B000/XXXX"})
	}
}

// scopes are all that a key can have: what a refusal of an unknown one lists is not needed.
func scopes(t *testing.T, r *reader) []string {
	t.Helper()
	index := fetch(t, r.url+"/v1/openapi.yaml")
	found := regexp.MustCompile(`(?m)^\s+- (\w+:(?:read|write))$`).FindAllStringSubmatch(index, -1)
	all := make([]string, 0, len(found))
	for _, one := range found {
		all = append(all, one[1])
	}
	slices.Sort(all)
	return slices.Compact(all)
}

// newcomer registers somebody with an organization of their own, and signs them in.
func (r *reader) newcomer(t *testing.T) (signedIn *caller, userID string) {
	t.Helper()
	email := r.email()
	signedIn = &caller{url: r.url}
	signedIn.post(t, "/v1/auth/register", object{
		"user_type": "organization", "name": "Ada", "email": email, "password": password, "org_name": "Acme " + r.language, "timezone": "Europe/Berlin",
	}, nil)
	in := r.signIn(t, email)
	signedIn.token = text(t, in, "tokens", "access_token")
	return signedIn, text(t, in, "user", "id")
}

func (r *reader) signIn(t *testing.T, email string) object {
	t.Helper()
	var in object
	(&caller{url: r.url}).post(t, "/v1/auth/login", object{"email": email, "password": password}, &in)
	return in
}

func (r *reader) email() string {
	r.invited++
	return fmt.Sprintf("ada-%d-%s@example.com", r.invited, r.language)
}

// made posts and answers with what was made.
func (r *reader) made(t *testing.T, path string, body object) object {
	t.Helper()
	var made object
	r.post(t, path, body, &made)
	return made
}

func (r *reader) id(t *testing.T, path, noun string, body object) string {
	t.Helper()
	return text(t, r.made(t, path, body), noun, "id")
}

// unique makes names that nothing else has.
func (r *reader) unique(name string) string {
	r.throws++
	return fmt.Sprintf("%s %d", name, r.throws)
}

// fill makes what a call needs in the place of a variable.
func (r *reader) fill(t *testing.T, call shownCall, variable string) string {
	t.Helper()
	soon := func(hours int) string {
		return time.Now().Add(time.Duration(hours) * time.Hour).UTC().Format(time.RFC3339)
	}
	switch variable {
	case "NIGHTBELL_API_KEY":
		return r.apiKey
	case "NIGHTBELL_SERVICE_KEY":
		return r.serviceKey
	case "NIGHTBELL_ACCESS_TOKEN":
		if strings.Contains(call.path, "/auth/password") || strings.Contains(call.path, "/auth/sessions/") || call.path == "/v1/account/erase" {
			r.leaver, _ = r.newcomer(t)
			return r.leaver.token
		}
		if call.path == eraseOrganization {
			return r.leaver.token
		}
		return r.token
	case "PASSWORD":
		return password
	case "NEW_PASSWORD":
		return "eleven boats below the mill"
	case "EMAIL":
		if call.path == "/v1/auth/register" || call.path == "/v1/invitations" {
			return r.email()
		}
		email := r.email()
		(&caller{url: r.url}).post(t, "/v1/auth/register", object{"user_type": "individual", "name": "Ada", "email": email, "password": password}, nil)
		return email
	case "REFRESH_TOKEN":
		email := r.email()
		(&caller{url: r.url}).post(t, "/v1/auth/register", object{"user_type": "individual", "name": "Ada", "email": email, "password": password}, nil)
		return text(t, r.signIn(t, email), "tokens", "refresh_token")
	case "RESET_TOKEN":
		return r.resetToken(t)
	case "INVITATION_TOKEN":
		return lastPart(text(t, r.made(t, "/v1/invitations", object{"email": r.email(), "role": "viewer", "send": "link"}), "url"))
	case "SLACK_BOT_TOKEN":
		return "xoxb-1234567890"
	case "SLACK_WEBHOOK_URL":
		return r.slack.URL + "/services/T000/B000/XXXX"
	case "WEBHOOK_URL":
		return r.slack.URL
	case "CALENDAR_FILE":
		return lastPart(text(t, r.made(t, "/v1/calendar-feeds", object{"schedule_id": r.schedule(t)}), "url"))
	case "AT":
		return time.Now().UTC().Truncate(time.Minute).Format(time.RFC3339)
	case "STARTS_AT":
		if strings.Contains(call.path, "/replay") {
			return soon(-1)
		}
		return soon(24)
	case "ENDS_AT":
		return soon(25)
	}
	return r.object(t, call, variable)
}

// object makes one, and answers with its id.
func (r *reader) object(t *testing.T, call shownCall, variable string) string {
	t.Helper()
	switch variable {
	case "API_KEY_ID":
		return r.id(t, "/v1/api-keys", "api_key", object{"name": "Throw-away", "role": "viewer", "scopes": []string{"config:read"}})
	case "CALENDAR_FEED_ID":
		return r.id(t, "/v1/calendar-feeds", "calendar_feed", object{"schedule_id": r.schedule(t)})
	case "CHANGE_ID":
		keyed := &caller{url: r.url, token: r.serviceKey}
		var made object
		keyed.post(t, "/v1/changes", object{"summary": "Release 2026.11.3"}, &made)
		return text(t, made, "id")
	case "CONTACT_METHOD_ID":
		shared := !strings.Contains(call.path, "notification-rules") && !strings.Contains(call.path, "test-pages") && !strings.Contains(call.path, "verification")
		return r.id(t, "/v1/contact-methods", "contact_method", object{"kind": "email", "name": "Mail", "address": r.email(), "shared": shared})
	case "ESCALATION_POLICY_ID":
		return r.id(t, "/v1/escalation-policies", "escalation_policy", object{"name": r.unique("Policy"), "steps": []object{{"delay_seconds": 60, "targets": []object{{"kind": "user", "id": r.user}}}}})
	case "HEARTBEAT_ID":
		return r.id(t, "/v1/heartbeats", "heartbeat", object{"name": r.unique("backup"), "service_id": r.service, "every_seconds": 86400})
	case "MAIL_ID":
		return first(t, r.caller, "/v1/inbox?limit=1", "mails")
	case "INCIDENT_ID":
		if strings.Contains(call.path, "/alerts/") {
			return r.alerted(t)
		}
		return r.id(t, "/v1/incidents", "incident", object{"title": r.unique("Incident"), "severity": "high"})
	case "LINKED_ID", "INTO_ID":
		return r.id(t, "/v1/incidents", "incident", object{"title": r.unique("Incident"), "severity": "high"})
	case "ALERT_ID":
		return first(t, r.caller, "/v1/incidents/"+r.alerted(t)+"/alerts", "alerts")
	case "INVITATION_ID":
		return r.id(t, "/v1/invitations", "invitation", object{"email": r.email(), "role": "viewer", "send": "link"})
	case "MAINTENANCE_WINDOW_ID":
		return r.id(t, "/v1/maintenance-windows", "maintenance_window", object{"description": "Upgrade", "service_ids": []string{r.service}, "ends_at": time.Now().Add(time.Hour).Format(time.RFC3339)})
	case "NOTIFICATION_RULE_ID":
		contact := r.id(t, "/v1/contact-methods", "contact_method", object{"kind": "email", "name": "Mail", "address": r.email(), "without_rules": true})
		return r.id(t, "/v1/notification-rules", "notification_rule", object{"contact_method_id": contact, "urgency": "high"})
	case "ORGANIZATION_ID":
		var me object
		if call.path == eraseOrganization {
			r.leaver.get(t, "/v1/auth/me", &me)
		} else {
			r.get(t, "/v1/auth/me", &me)
		}
		return text(t, me, "user", "org_id")
	case "ORGANIZATION_NAME":
		var me object
		r.leaver.get(t, "/v1/auth/me", &me)
		return text(t, me, "user", "org_name")
	case "OVERRIDE_ID":
		return r.id(t, "/v1/schedules/"+r.schedule(t)+"/overrides", "override", object{"kind": "take_over", "user_id": r.user, "ends_at": time.Now().Add(time.Hour).Format(time.RFC3339)})
	case "SCHEDULE_ID":
		return r.schedule(t)
	case "SERVICE_ID":
		return r.id(t, "/v1/services", "service", object{"name": r.unique("Service")})
	case "SESSION_ID":
		return first(t, r.leaver, "/v1/auth/sessions", "sessions")
	case "TEAM_ID":
		return r.id(t, "/v1/teams", "team", object{"name": r.unique("Team")})
	case "TEST_PAGE_ID":
		contact := r.id(t, "/v1/contact-methods", "contact_method", object{"kind": "email", "name": "Mail", "address": r.email()})
		return r.id(t, "/v1/test-pages", "test_page", object{"contact_method_id": contact})
	case "USER_ID", "ASSIGNEE_ID":
		if call.method == http.MethodDelete {
			return r.member(t)
		}
		return r.user
	case "WEBHOOK_SUBSCRIPTION_ID":
		if strings.HasSuffix(call.path, "/redeliver") {
			return r.tickets
		}
		return r.subscription(t)
	case "DELIVERY_ID":
		r.tickets = r.subscription(t)
		return r.id(t, "/v1/webhook-subscriptions/"+r.tickets+"/test", "webhook_delivery", object{})
	}
	t.Fatalf("%s needs a %s, and nothing here makes one", call.name(), variable)
	return ""
}

func (r *reader) subscription(t *testing.T) string {
	t.Helper()
	return r.id(t, "/v1/webhook-subscriptions", "webhook_subscription", object{"name": "Tickets", "url": r.slack.URL, "event_types": []string{"incident.triggered"}})
}

func (r *reader) schedule(t *testing.T) string {
	t.Helper()
	return r.id(t, "/v1/schedules", "schedule", object{"name": r.unique("Schedule"), "rotations": []object{{
		"name": "Weeks", "unit": "week", "length": 1, "handover": "08:00", "turns": []object{{"user_ids": []string{r.user}}},
	}}})
}

// alerted is the one incident that an alert opened.
func (r *reader) alerted(t *testing.T) string {
	t.Helper()
	keyed := &caller{url: r.url, token: r.serviceKey}
	var made object
	keyed.post(t, "/v1/events", object{"title": "Queue is full", "severity": "low", "dedup_key": "queue-full"}, &made)
	return text(t, made, "id")
}

// member joins by an invitation, and may be removed.
func (r *reader) member(t *testing.T) string {
	t.Helper()
	link := text(t, r.made(t, "/v1/invitations", object{"email": r.email(), "role": "viewer", "send": "link"}), "url")
	var in object
	(&caller{url: r.url}).post(t, "/v1/auth/accept-invitation", object{"token": lastPart(link), "name": "Grace", "password": password}, &in)
	return text(t, in, "user", "id")
}

// resetToken asks for a link as somebody who forgot the password, and reads the mail.
func (r *reader) resetToken(t *testing.T) (token string) {
	t.Helper()
	other, _ := r.newcomer(t)
	var me object
	other.get(t, "/v1/auth/me", &me)
	email := text(t, me, "user", "email")
	(&caller{url: r.url}).post(t, "/v1/auth/forgot-password", object{"email": email}, nil)
	eventually(t, "the mail with the link", func() error {
		for _, mail := range r.mail.Mails() {
			found := regexp.MustCompile(`/reset-password[#/](\S+)`).FindStringSubmatch(mail.Text)
			if slices.Contains(mail.Recipients, email) && found != nil {
				token = found[1]
				return nil
			}
		}
		return errors.New("there is none")
	})
	return token
}

func first(t *testing.T, c *caller, path, list string) (id string) {
	t.Helper()
	eventually(t, path, func() error {
		var answer object
		c.get(t, path, &answer)
		rows, _ := answer[list].([]any)
		if len(rows) == 0 {
			return fmt.Errorf("it answers with no %s", list)
		}
		id = text(t, rows[0].(object), "id")
		return nil
	})
	return id
}

func lastPart(address string) string {
	parts := strings.FieldsFunc(address, func(r rune) bool { return r == '/' || r == '#' || r == '=' })
	return parts[len(parts)-1]
}

// text digs a text out of an answer.
func text(t *testing.T, answer object, path ...string) string {
	t.Helper()
	var value any = answer
	for _, name := range path {
		fields, _ := value.(object)
		value = fields[name]
	}
	found, ok := value.(string)
	if !ok {
		t.Fatalf("the answer has no %v: %v", path, answer)
	}
	return found
}
