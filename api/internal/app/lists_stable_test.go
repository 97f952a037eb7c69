package app

import (
	"math/rand/v2"
	"net/http"
	"net/url"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/google/uuid"
	"google.golang.org/protobuf/reflect/protoreflect"

	"github.com/nightbell/nightbell/api/internal/platform/postgres/pgtest"
)

// pagedList is a list and how rows come into it. In come, {id} is the new row and {n} a number that
// varies, by which rows come before, between and after those that are there; {any other} is a row of
// pgtest.FillOrganization.
type pagedList struct {
	path, field string
	come        string
	// table is where a row is deleted from; leave is a statement in its place.
	table, leave string
	// change alters a row that stays, in what it may be listed by.
	change string
	// id is where a row of the answer has its id.
	id []string
}

var listedRows = map[string]pagedList{
	"ApiKeyService.ListApiKeys": {
		path: "/v1/api-keys", field: "api_keys", table: "api_key",
		come: `INSERT INTO api_key (org_id, id, name, prefix, hash, role, scopes, created_by, created_at)
			VALUES ({org}, {id}, 'Key', 'nb_', sha256({id}), 'viewer', '{config:read}', {user}, nightbell_now() + {n} * interval '1 minute')`,
	},
	"CatalogService.ListServices": {
		path: "/v1/services", field: "services", table: "service",
		come: `INSERT INTO service (org_id, id, name, created_at, updated_at) VALUES ({org}, {id}, 'Service {n} ' || {id}, nightbell_now(), nightbell_now())`,
	},
	"ChangeService.ListChanges": {
		path: "/v1/changes", field: "changes", table: "change_event",
		come: `INSERT INTO change_event (org_id, id, service_id, kind, description, occurred_at)
			VALUES ({org}, {id}, {service}, 'deployment', 'v2', nightbell_now() + {n} * interval '1 minute')`,
	},
	"ChangeService.ListServiceActivity": {
		path: "/v1/services/{service}/activity", field: "activity", table: "change_event",
		come: `INSERT INTO change_event (org_id, id, service_id, kind, description, occurred_at)
			VALUES ({org}, {id}, {service}, 'deployment', 'v2', nightbell_now() + {n} * interval '1 minute')`,
	},
	"ContactService.ListContactMethods": {
		path: "/v1/contact-methods", field: "contact_methods", table: "contact_method",
		come: `INSERT INTO contact_method (org_id, id, kind, name, address, created_at)
			VALUES ({org}, {id}, 'email', 'Channel', 'all@example.com', nightbell_now() + {n} * interval '1 minute')`,
	},
	"ContactService.ListNotificationRules": {
		path: "/v1/notification-rules?user_id={user}", field: "notification_rules", table: "notification_rule",
		come: `INSERT INTO notification_rule (org_id, id, user_id, contact_method_id, urgency, delay_seconds, created_at)
			VALUES ({org}, {id}, {user}, {contact_method}, 'high', abs(hashtext({id}) % 80000), nightbell_now())`,
	},
	"EscalationService.ListEscalationPolicies": {
		path: "/v1/escalation-policies", field: "escalation_policies", table: "escalation_policy",
		come: `INSERT INTO escalation_policy (org_id, id, name, created_at, updated_at) VALUES ({org}, {id}, 'Policy {n} ' || {id}, nightbell_now(), nightbell_now())`,
	},
	"HeartbeatService.ListHeartbeats": {
		path: "/v1/heartbeats", field: "heartbeats", table: "heartbeat",
		come: `INSERT INTO heartbeat (org_id, id, service_id, name, every_seconds, severity, created_at, updated_at)
			VALUES ({org}, {id}, {service}, {id}, 60, 'high', nightbell_now(), nightbell_now())`,
	},
	"InboxService.ListInbox": {
		path: "/v1/inbox", field: "mails", table: "inbox_mail",
		come: `INSERT INTO inbox_mail (org_id, id, sender, recipient, subject, text_sealed, html_sealed, received_at)
			VALUES ({org}, {id}, 'a@example.com', 'b@example.com', 'Subject', 'Text', '', nightbell_now() + {n} * interval '1 minute')`,
	},
	"IncidentService.ListIncidents": {
		path: "/v1/incidents?status=open", field: "incidents",
		leave: `UPDATE incident SET status = 'resolved', resolved_at = nightbell_now() WHERE id = {id}`, come: comeIncident,
	},
	"IncidentService.ListIncidents oldest first": {
		path: "/v1/incidents?sort=triggered_at&urgency=high", field: "incidents",
		leave: `UPDATE incident SET urgency = 'low' WHERE id = {id}`, come: comeIncident,
	},
	"IncidentService.ListTimeline": {
		path: "/v1/incidents/{incident}/timeline", field: "entries", table: "timeline_event",
		come: `INSERT INTO timeline_event (org_id, id, incident_id, kind, actor_kind, at) VALUES ({org}, {id}, {incident}, 'comment', 'system', nightbell_now())`,
	},
	"IncidentService.ListNotifications": {
		path: "/v1/incidents/{incident}/notifications", field: "notifications", table: "notification",
		come: `INSERT INTO notification (org_id, id, effect_key, incident_id, user_id, contact_method_id, channel, cycle, round, step, reason,
				severity_rank, state, due_at, next_try_at, finished_at, created_at)
			VALUES ({org}, {id}, {id}, {incident}, {user}, {contact_method}, 'email', 1, 0, 0, '', 4, 'sent',
				nightbell_now() + {n} * interval '1 minute', nightbell_now(), nightbell_now(), nightbell_now())`,
	},
	"IncidentService.ListIncidentAlerts": {
		path: "/v1/incidents/{incident}/alerts", field: "alerts", table: "alert",
		change: `UPDATE alert SET status = CASE status WHEN 'firing' THEN 'resolved' ELSE 'firing' END WHERE id = {id}`,
		come: `INSERT INTO alert (org_id, id, service_id, alert_key, status, severity, source, title, starts_at, start_known, incident_id, first_seen_at, last_seen_at)
			VALUES ({org}, {id}, {service}, {id}, CASE WHEN {n} % 2 = 0 THEN 'resolved' ELSE 'firing' END, 'low', 'prometheus', 'Alert', nightbell_now(), true, {incident}, nightbell_now(), nightbell_now())`,
	},
	"MaintenanceService.ListMaintenanceWindows": {
		path: "/v1/maintenance-windows", field: "maintenance_windows", table: "maintenance_window",
		come: `INSERT INTO maintenance_window (org_id, id, description, starts_at, ends_at, created_by, created_at)
			VALUES ({org}, {id}, 'Upgrade', nightbell_now() - interval '1 day', nightbell_now() + {n} * interval '1 minute', {user}, nightbell_now())`,
	},
	"OnCallService.ListSchedules":      {path: "/v1/schedules", field: "schedules", table: "schedule", come: comeSchedule},
	"OnCallService.ListOnCall":         {path: "/v1/on-call", field: "on_call", table: "schedule", come: comeSchedule, id: []string{"schedule", "id"}},
	"OnCallService.ListOverrides":      {path: "/v1/overrides", field: "overrides", table: "schedule_override", come: comeOverride},
	"OnCallService.ListOverrides past": {path: "/v1/overrides?past=true", field: "overrides", table: "schedule_override", come: comeOverride},
	"OnCallService.ListCalendarFeeds": {
		path: "/v1/calendar-feeds", field: "calendar_feeds", table: "calendar_feed",
		come: `WITH made AS (INSERT INTO schedule (org_id, id, name, created_at) VALUES ({org}, gen_random_uuid(), 'Schedule {n} ' || {id}, nightbell_now()) RETURNING id)
			INSERT INTO calendar_feed (org_id, id, schedule_id, hash, sealed, created_by, created_at)
			SELECT {org}, {id}, made.id, sha256({id}), 'sealed', {user}, nightbell_now() FROM made`,
	},
	"InvitationService.ListInvitations": {
		path: "/v1/invitations", field: "invitations", table: "invitation",
		come: `INSERT INTO invitation (org_id, id, email, role, send, token_hash, invited_by, created_at, expires_at)
			VALUES ({org}, {id}, {id} || '@example.com', 'viewer', 'link', sha256({id}), {user}, nightbell_now() + {n} * interval '1 minute', nightbell_now() + interval '7 days')`,
	},
	"AuditService.ListAuditEvents": {
		path: "/v1/audit-events", field: "audit_events", table: "audit_event",
		come: `INSERT INTO audit_event (org_id, id, at, actor_kind, method) VALUES ({org}, {id}, nightbell_now(), 'system', 'nightbell.v1.OrgService/UpdateUser')`,
	},
	"AuthService.ListSessions": {
		path: "/v1/auth/sessions", field: "sessions", table: "session",
		come: `INSERT INTO session (id, user_id, org_id, created_at, last_used_at)
			SELECT {id}, user_id, org_id, nightbell_now() + {n} * interval '1 minute', nightbell_now() FROM membership WHERE org_id = {org} AND role = 'owner'`,
	},
	"AuthService.ListOrganizations": {
		path: "/v1/auth/organizations", field: "organizations", leave: `DELETE FROM membership WHERE org_id = {id}`,
		come: `WITH made AS (INSERT INTO org (id, kind, name, created_at) VALUES ({id}, 'organization', 'Organization {n}', nightbell_now()) RETURNING id)
			INSERT INTO membership (org_id, user_id, role, created_at)
			SELECT made.id, m.user_id, 'viewer', nightbell_now() FROM made, membership m WHERE m.org_id = {org} AND m.role = 'owner'`,
	},
	"ContactService.ListTestPages": {
		path: "/v1/test-pages", field: "test_pages", table: "test_page",
		come: `INSERT INTO test_page (org_id, id, contact_method_id, user_id, channel, status, created_at)
			SELECT {org}, {id}, {contact_method}, user_id, 'email', 'queued', nightbell_now() + {n} * interval '1 minute' FROM membership WHERE org_id = {org} AND role = 'owner'`,
	},
	"OrgService.ListUsers": {
		path: "/v1/users", field: "users", leave: `UPDATE users SET disabled_at = nightbell_now() WHERE id = {id}`,
		come: `WITH made AS (INSERT INTO users (id, name, email, password_hash, created_at)
				VALUES ({id}, 'Person {n}', {id} || '@example.com', 'hash', nightbell_now()) RETURNING id)
			INSERT INTO membership (org_id, user_id, role, created_at) SELECT {org}, made.id, 'viewer', nightbell_now() FROM made`,
	},
	"OrgService.ListTeams": {
		path: "/v1/teams", field: "teams", table: "team",
		come: `INSERT INTO team (org_id, id, name, created_at) VALUES ({org}, {id}, 'Team {n} ' || {id}, nightbell_now())`,
	},
	"WebhookSubscriptionService.ListWebhookSubscriptions": {
		path: "/v1/webhook-subscriptions", field: "webhook_subscriptions", table: "webhook_subscription",
		come: `INSERT INTO webhook_subscription (org_id, id, name, url_sealed, hint, event_types, secret_sealed, cursor, created_at, updated_at)
			VALUES ({org}, {id}, 'Tickets ' || {id}, 'sealed', 'https://example.com/…', '{incident.triggered}', 'sealed', 9e15::bigint, nightbell_now(), nightbell_now())`,
	},
	"WebhookSubscriptionService.ListWebhookDeliveries": {
		path: "/v1/webhook-subscriptions/{webhook_subscription}/deliveries", field: "webhook_deliveries", table: "webhook_delivery",
		come: `INSERT INTO webhook_delivery (org_id, id, subscription_id, event_id, event_type, payload, status, next_try_at, retry_since, created_at, finished_at)
			VALUES ({org}, {id}, {webhook_subscription}, gen_random_uuid(), 'incident.triggered', '{}', 'delivered',
				nightbell_now(), nightbell_now(), nightbell_now(), nightbell_now())`,
	},
}

const (
	comeIncident = `INSERT INTO incident (org_id, id, number, title, status, severity, urgency, source, triggered_at, updated_at)
		SELECT {org}, {id}, max(number) + 1, 'Incident', 'triggered', 'high', 'high', 'api', nightbell_now() + {n} * interval '1 minute', nightbell_now() FROM incident`
	comeSchedule = `INSERT INTO schedule (org_id, id, name, created_at) VALUES ({org}, {id}, 'Schedule {n} ' || {id}, nightbell_now())`
	comeOverride = `INSERT INTO schedule_override (org_id, id, schedule_id, kind, user_id, starts_at, ends_at, created_at)
		VALUES ({org}, {id}, {schedule}, 'take_over', {user}, nightbell_now() + {n} * interval '1 minute', nightbell_now() + interval '1 day', nightbell_now())`
)

// TestAListReadWhileRowsComeAndGoShowsEveryRowThatStayedOnce reads every list by pages of two. Before
// each page a row is deleted and two are made, anywhere in the list.
func TestAListReadWhileRowsComeAndGoShowsEveryRowThatStayedOnce(t *testing.T) {
	t.Parallel()
	n := newRota(t)
	pgtest.FillOrganization(t, n.database, n.orgID)
	for _, method := range methods() {
		if method.Output().Fields().ByName(protoreflect.Name("next_cursor")) != nil && listedRows[shortName(method)].path == "" {
			t.Errorf("%s has a cursor, and nothing here reads it while rows come and go", shortName(method))
		}
	}
	for name, list := range listedRows {
		random := rand.New(rand.NewPCG(1, 2))
		come := func() string {
			id := uuid.NewString()
			n.run(list.come, id, random.IntN(60)-30)
			return id
		}
		var stay, leave []string
		for range 7 {
			stay, leave = append(stay, come()), append(leave, come())
		}
		seen := n.walk(list, func() {
			if len(leave) == 0 {
				return // or a list to whose end rows come would never end
			}
			come()
			come()
			n.run(leaving(list), leave[0], 0)
			leave = leave[1:]
			if list.change != "" {
				for _, id := range stay {
					n.run(list.change, id, 0)
				}
			}
		})
		if len(leave) > 0 {
			t.Errorf("%s ended before rows had left", name)
		}
		for _, id := range stay {
			if times := len(slices.DeleteFunc(slices.Clone(seen), func(one string) bool { return one != id })); times != 1 {
				t.Errorf("%s shows a row that stayed %d times, in %d rows", name, times, len(seen))
			}
		}
	}
}

func leaving(list pagedList) string {
	if list.leave != "" {
		return list.leave
	}
	return "DELETE FROM " + list.table + " WHERE id = {id}"
}

// run executes a statement about a row.
func (n *rota) run(statement, id string, number int) {
	n.t.Helper()
	own := strings.NewReplacer("{id}", "'"+id+"'", "{n}", strconv.Itoa(number))
	n.database.Exec(n.t, n.named(own.Replace(statement), "'"))
}

var rowName = regexp.MustCompile(`\{[a-z_]+\}`)

// named writes the ids of the rows of pgtest.FillOrganization in the place of their names.
func (n *rota) named(text, quote string) string {
	return rowName.ReplaceAllStringFunc(text, func(found string) string {
		if found == "{org}" {
			return quote + n.orgID.String() + quote
		}
		return quote + pgtest.Row(n.orgID, strings.Trim(found, "{}")).String() + quote
	})
}

// walk reads a list to its end, with what happens before each page.
func (n *rota) walk(list pagedList, before func()) (ids []string) {
	n.t.Helper()
	path := n.named(list.path, "")
	join := "?"
	if strings.Contains(path, "?") {
		join = "&"
	}
	where := list.id
	if where == nil {
		where = []string{"id"}
	}
	for cursor, first := "", true; first || cursor != ""; first = false {
		before()
		answer := n.call(n.owner(), http.MethodGet, path+join+"limit=2&cursor="+url.QueryEscape(cursor), nil)
		for _, one := range at[[]any](n.t, answer, list.field) {
			ids = append(ids, at[string](n.t, one.(object), where...))
		}
		cursor, _ = answer["next_cursor"].(string)
	}
	return ids
}
