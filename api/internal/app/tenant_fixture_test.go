package app

import (
	"encoding/json"
	"fmt"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"github.com/google/uuid"

	"github.com/nightbell/nightbell/api/internal/auth"
	"github.com/nightbell/nightbell/api/internal/kernel/page"
	"github.com/nightbell/nightbell/api/internal/platform/postgres/pgtest"
)

const password = "velvet-otter-lamp-42"

type object = map[string]any

// tenant is an organization with a person of every role and one object at least of
// every kind that a request can name, made by the product's own calls.
type tenant struct {
	*rig

	name  string
	orgID uuid.UUID
	// bearers are access tokens by the name of who holds them, people their ids. Those of
	// the owner, admin, responder and viewer go by their roles.
	bearers, people    map[string]string
	apiKey, serviceKey string
	objects            map[string]string
	// subscription is the webhook subscription that was made last.
	subscription string
}

func (r *rig) newTenant(name string) *tenant {
	r.t.Helper()
	n := &tenant{rig: r, name: name, bearers: map[string]string{}, people: map[string]string{}, objects: map[string]string{}}
	email := "owner@" + name + ".example.com"
	n.call("", http.MethodPost, "/v1/auth/register", object{
		"user_type": "organization", "name": name + " owner", "email": email,
		"password": password, "org_name": name, "timezone": "Europe/Paris",
	})
	n.signIn("owner", email)
	for _, role := range []auth.Role{auth.Admin, auth.Responder, auth.Viewer} {
		n.join(string(role), role)
	}
	n.fill()
	pgtest.FillOrganization(r.t, r.database, n.orgID)
	return n
}

func (n *tenant) signIn(name, email string) {
	n.t.Helper()
	signedIn := n.call("", http.MethodPost, "/v1/auth/login", object{"email": email, "password": password})
	n.bearers[name] = at[string](n.t, signedIn, "tokens", "access_token")
	n.people[name] = at[string](n.t, signedIn, "user", "id")
	n.orgID = uuid.MustParse(at[string](n.t, signedIn, "user", "org_id"))
}

// join adds a member. Invitations are not there yet, so the membership is written by
// hand, with the password of the owner.
func (n *tenant) join(name string, role auth.Role) {
	n.t.Helper()
	n.signIn(name, n.enroll(uuid.New(), name, role))
}

// enroll makes somebody a member and returns the e-mail address.
func (n *tenant) enroll(userID uuid.UUID, name string, role auth.Role) (email string) {
	n.t.Helper()
	email = name + "@" + n.name + ".example.com"
	n.database.Exec(n.t, `INSERT INTO users (id, name, email, password_hash, created_at)
		SELECT $1, $2, $3, password_hash, nightbell_now() FROM users WHERE id = $4`, userID, n.name+" "+name, email, n.people["owner"])
	n.database.Exec(n.t, `INSERT INTO membership (org_id, user_id, role, created_at) VALUES ($1, $2, $3, nightbell_now())`, n.orgID, userID, role)
	return email
}

// fill makes the objects. The incident is one that an alert opened and that paged
// somebody, so that there are alerts, a timeline, pages and a mail.
func (n *tenant) fill() {
	n.t.Helper()
	slack := object{"bot_token": "xoxb-1234567890", "channel": "#alerts", "webhook_url": n.slack.webhook()}
	n.call(n.owner(), http.MethodPost, "/v1/integrations/slack/configure", slack)
	n.apiKey = n.newAPIKey("responder")
	service := n.call(n.owner(), http.MethodPost, "/v1/services", object{"name": "Checkout"})
	n.serviceKey, n.objects["service"] = at[string](n.t, service, "service_key"), at[string](n.t, service, "service", "id")
	n.sendSamples(object{"name": "queue", "unit": "jobs", "points": points(n.minute(1), time.Minute, 1)})
	n.objects["team"] = n.fresh("team")
	n.call(n.owner(), http.MethodPatch, "/v1/services/"+n.objects["service"], object{"team_id": n.objects["team"]})
	n.call(n.owner(), http.MethodPost, "/v1/incidents", object{"title": "Checkout is slow", "service_id": n.objects["service"], "assignee_id": n.people["responder"]})
	n.call("", http.MethodPost, "/v1/webhooks/prometheus/"+n.serviceKey, object{
		"version": "4", "status": "firing", "groupKey": "{}:{}",
		"alerts": []object{{"status": "firing", "labels": object{"alertname": "Down"}, "startsAt": time.Now().Format(time.RFC3339)}},
	})
	n.page()
	n.objects["incident"] = n.first("/v1/incidents?limit=1", "incidents")
	// A cursor is the place of now: what was made before it lies behind it.
	for _, cursors := range []bool{false, true} {
		for kind := range factories {
			if n.objects[kind] == "" && strings.HasSuffix(kind, "_cursor") == cursors {
				n.objects[kind] = n.fresh(kind)
			}
		}
	}
}

func (n *tenant) owner() string { return n.bearers["owner"] }

// factories make one more object of a kind that a request can name. Whoever adds a kind
// to the contract adds it here.
var factories = map[string]func(*tenant) string{
	"alert": func(n *tenant) string {
		return n.first("/v1/incidents/"+n.objects["incident"]+"/alerts", "alerts")
	},
	"api_key":           (*tenant).makeAPIKey,
	"calendar_feed":     (*tenant).makeFeed,
	"change":            (*tenant).makeChange,
	"change_cursor":     (*tenant).cursor,
	"channel":           func(n *tenant) string { return n.makeContact(true) },
	"contact_method":    func(n *tenant) string { return n.makeContact(false) },
	"escalation_policy": (*tenant).makePolicy,
	"escalation_step":   (*tenant).makeStep,
	"heartbeat":         (*tenant).makeHeartbeat,
	"heartbeat_cursor":  (*tenant).cursor,
	"inbox_mail":        (*tenant).makeMail,
	"incident":          (*tenant).makeIncident,
	"incident_cursor":   (*tenant).cursor,
	"time_cursor":       func(n *tenant) string { return page.Encode(n.orgID, time.Unix(0, 0), uuid.Nil) },
	"back_cursor": func(n *tenant) string {
		return page.Encode(n.orgID, time.Date(9000, 1, 1, 0, 0, 0, 0, time.UTC), uuid.Max)
	},
	"services_cursor":            marks("services", "a", uuid.NewString()),
	"schedules_cursor":           marks("schedules", "a", uuid.NewString()),
	"on_call_cursor":             marks("on_call", "a", uuid.NewString()),
	"users_cursor":               marks("users", "a", uuid.NewString()),
	"teams_cursor":               marks("teams", "a", uuid.NewString()),
	"escalation_policies_cursor": marks("escalation_policies", "a", uuid.NewString()),
	"sessions_cursor":            marks("sessions", " "),
	"organizations_cursor":       marks("organizations", " "),
	"contact_methods_cursor":     marks("contact_methods", " "),
	"notification_rules_cursor":  marks("notification_rules", " "),
	"calendar_feeds_cursor":      marks("calendar_feeds", " "),
	"timeline_cursor":            marks("timeline", "0"),
	"alerts_cursor":              marks("alerts", uuid.Max.String()), // the newest come first
	"invitation": func(n *tenant) string {
		return n.make("/v1/invitations", "invitation", object{"email": uuid.NewString() + "@" + n.name + ".example.com", "send": "link"})
	},
	"organization":       func(n *tenant) string { return n.orgID.String() },
	"actor":              func(n *tenant) string { return n.people["owner"] },
	"own_contact_method": (*tenant).makeOwnContact,
	"session":            (*tenant).makeSession,
	"test_page": func(n *tenant) string {
		return n.make("/v1/test-pages", "test_page", object{"contact_method_id": n.makeOwnContact()})
	},
	"leaving_user": func(n *tenant) string {
		leaver := uuid.New()
		n.enroll(leaver, leaver.String(), auth.Viewer)
		return leaver.String()
	},
	"maintenance_window":   (*tenant).makeMaintenance,
	"notification_rule":    (*tenant).makeRule,
	"other_user":           func(n *tenant) string { return n.people["admin"] },
	"override":             (*tenant).makeOverride,
	"rotation":             (*tenant).makeRotation,
	"schedule":             (*tenant).makeScheduleID,
	"service":              func(n *tenant) string { return n.make("/v1/services", "service", object{"name": unique("Service")}) },
	"team":                 func(n *tenant) string { return n.make("/v1/teams", "team", object{"name": unique("Team")}) },
	"webhook_subscription": (*tenant).makeSubscription,
	"webhook_delivery":     (*tenant).makeDelivery,
	// Before all deliveries, in whichever order the objects are made.
	"webhook_cursor": func(n *tenant) string { return page.Encode(n.orgID, time.Now(), uuid.Max) },
	"user":           func(n *tenant) string { return n.people["responder"] },
}

// marks makes the cursor of a place in a list, with nothing or little before it.
func marks(list string, key ...string) func(*tenant) string {
	return func(n *tenant) string { return page.Mark(n.orgID, list, key...) }
}

func unique(name string) string { return fmt.Sprintf("%s %d", name, made.Add(1)) }

func (n *tenant) fresh(kind string) string {
	n.t.Helper()
	factory := factories[kind]
	if factory == nil {
		n.t.Fatalf("requests name a %q, and no factory here makes one", kind)
	}
	return factory(n)
}

// make posts and answers with the new object's id.
func (n *tenant) make(path, noun string, body object) string {
	n.t.Helper()
	return at[string](n.t, n.call(n.owner(), http.MethodPost, path, body), noun, "id")
}

func (n *tenant) makeAPIKey() string {
	n.t.Helper()
	return n.make("/v1/api-keys", "api_key", object{"name": "Key", "scopes": auth.Scopes()})
}

func (n *tenant) makeContact(shared bool) string {
	n.t.Helper()
	body := object{"kind": "email", "name": "Mail", "address": "mail@" + n.name + ".example.com", "shared": shared}
	if !shared {
		body["user_id"], body["without_rules"] = n.people["responder"], true
	}
	return n.make("/v1/contact-methods", "contact_method", body)
}

func (n *tenant) makeOwnContact() string {
	n.t.Helper()
	return n.make("/v1/contact-methods", "contact_method", object{"kind": "email", "name": "Own mail", "address": "owner@" + n.name + ".example.com"})
}

// makeSession is one more sign-in of the owner, whose address and password may be canaries by now.
func (n *tenant) makeSession() string {
	n.t.Helper()
	made := uuid.NewString()
	n.database.Exec(n.t, `INSERT INTO session (id, user_id, org_id, created_at, last_used_at)
		VALUES ($1, $2, $3, nightbell_now(), nightbell_now())`, made, n.people["owner"], n.orgID)
	return made
}

func (n *tenant) makeRule() string {
	n.t.Helper()
	return n.make("/v1/notification-rules", "notification_rule", object{"contact_method_id": n.makeContact(false), "urgency": "high"})
}

func (n *tenant) makePolicy() string {
	n.t.Helper()
	targets := []object{{"kind": "user", "id": n.people["owner"]}}
	return n.make("/v1/escalation-policies", "escalation_policy", object{
		"name":  unique("Policy"),
		"steps": []object{{"delay_seconds": 60, "targets": targets}},
	})
}

// makeStep makes a policy and answers with the id of its step.
func (n *tenant) makeStep() string {
	n.t.Helper()
	got := n.call(n.owner(), http.MethodGet, "/v1/escalation-policies/"+n.makePolicy(), nil)
	return at[string](n.t, at[[]any](n.t, got, "escalation_policy", "steps")[0].(object), "id")
}

// makeSchedule makes a schedule on which the responder is always on call.
func (n *tenant) makeSchedule() object {
	n.t.Helper()
	made := n.call(n.owner(), http.MethodPost, "/v1/schedules", object{
		"name": unique("Schedule"),
		"rotations": []object{{
			"name": "Weeks", "unit": "week", "length": 1, "handover": "08:00", "turns": []object{{"user_ids": []string{n.people["responder"]}}},
		}},
	})
	return at[object](n.t, made, "schedule")
}

func (n *tenant) makeScheduleID() string { return at[string](n.t, n.makeSchedule(), "id") }

func (n *tenant) makeRotation() string {
	n.t.Helper()
	return at[string](n.t, at[[]any](n.t, n.makeSchedule(), "rotations")[0].(object), "id")
}

// makeOverride makes one of the schedule that reads are about.
func (n *tenant) makeOverride() string {
	n.t.Helper()
	if n.objects["schedule"] == "" {
		n.objects["schedule"] = n.makeScheduleID()
	}
	return n.make("/v1/schedules/"+n.objects["schedule"]+"/overrides", "override", object{
		"kind": "take_over", "user_id": n.people["admin"], "reason": "Holiday", "ends_at": time.Now().Add(time.Hour).Format(time.RFC3339),
	})
}

func (n *tenant) makeFeed() string {
	n.t.Helper()
	return n.make("/v1/calendar-feeds", "calendar_feed", object{"schedule_id": n.makeScheduleID()})
}

// makeMaintenance plans work for tomorrow, so that it holds no page of a test.
func (n *tenant) makeMaintenance() string {
	n.t.Helper()
	tomorrow := time.Now().AddDate(0, 0, 1)
	return n.make("/v1/maintenance-windows", "maintenance_window", object{
		"description": "Upgrade", "service_ids": []string{n.objects["service"]},
		"starts_at": tomorrow.Format(time.RFC3339), "ends_at": tomorrow.Add(time.Hour).Format(time.RFC3339),
	})
}

func (n *tenant) makeIncident() string {
	n.t.Helper()
	return n.make("/v1/incidents", "incident", object{"title": unique("Incident")})
}

func (n *tenant) makeMail() string {
	n.t.Helper()
	n.makeIncident()
	n.page()
	return n.first("/v1/inbox?limit=1", "mails")
}

func (n *tenant) cursor() string {
	n.t.Helper()
	n.makeIncident()
	return at[string](n.t, n.call(n.owner(), http.MethodGet, "/v1/incidents?limit=1", nil), "next_cursor")
}

// nobodys is the id of something that does not exist anywhere.
func nobodys(kind string) string {
	if strings.HasSuffix(kind, "_cursor") {
		return page.Encode(uuid.New(), time.Now(), uuid.New())
	}
	return uuid.NewString()
}

func (n *tenant) first(path, list string) string {
	n.t.Helper()
	rows := at[[]any](n.t, n.call(n.owner(), http.MethodGet, path, nil), list)
	if len(rows) == 0 {
		n.t.Fatalf("%s answers with no %s", path, list)
	}
	return at[string](n.t, rows[0].(object), "id")
}

// call makes one call as a program would, and fails the test when it is refused.
func (r *rig) call(bearer, verb, path string, body object) object {
	r.t.Helper()
	request := newRequest(r.t.Context(), verb, path, sure(json.Marshal(body)))
	request.Header.Set("Content-Type", "application/json")
	if bearer != "" {
		request.Header.Set("Authorization", "Bearer "+bearer)
	}
	recorder := httptest.NewRecorder()
	r.handler.ServeHTTP(recorder, request)
	answer := object{}
	err := json.Unmarshal(recorder.Body.Bytes(), &answer)
	if err != nil || recorder.Code >= http.StatusMultipleChoices {
		r.t.Fatalf("%s %s: %d %s (%v)", verb, path, recorder.Code, recorder.Body, err)
	}
	return answer
}

// at digs a value out of an answer.
func at[T any](t *testing.T, answer object, path ...string) T {
	t.Helper()
	var value any = answer
	for _, name := range path {
		fields, _ := value.(object)
		value = fields[name]
	}
	found, ok := value.(T)
	if !ok {
		t.Fatalf("the answer has no %v: %v", path, answer)
	}
	return found
}

func (n *tenant) makeHeartbeat() string {
	n.t.Helper()
	if n.objects["service"] == "" {
		n.objects["service"] = n.make("/v1/services", "service", object{"name": unique("Service")})
	}
	return n.make("/v1/heartbeats", "heartbeat", object{"name": unique("Sample"), "service_id": n.objects["service"], "every_seconds": 60})
}

func (n *tenant) makeSubscription() string {
	n.t.Helper()
	n.subscription = n.make("/v1/webhook-subscriptions", "webhook_subscription", object{
		"name": "Tickets", "url": n.slack.webhook(), "event_types": []string{"incident.triggered"},
	})
	return n.subscription
}

// makeDelivery makes one of the subscription that was made last: a request names both.
func (n *tenant) makeDelivery() string {
	n.t.Helper()
	if n.subscription == "" {
		n.objects["webhook_subscription"] = n.makeSubscription()
	}
	return n.make("/v1/webhook-subscriptions/"+n.subscription+"/test", "webhook_delivery", object{})
}

func (n *tenant) makeChange() string {
	n.t.Helper()
	changeID := uuid.NewString()
	n.sendTo("/v1/changes", sure(json.Marshal(object{"id": changeID, "summary": unique("Deploy")})), "Authorization", "Bearer "+n.serviceKey)
	return changeID
}
