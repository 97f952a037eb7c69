package pgtest

import (
	"regexp"
	"testing"

	"github.com/google/uuid"
)

// Row returns the id that FillOrganization gives to the row of an organization that
// goes by this name, for instance "team" or "other_service".
func Row(orgID uuid.UUID, name string) uuid.UUID { return uuid.NewSHA1(orgID, []byte(name)) }

// FillOrganization makes the organization, unless it exists, and puts one row at least
// into every table that belongs to organizations, so that a test can look for what
// leaks out of any of them. Ids are those of Row.
func FillOrganization(tb testing.TB, d *Database, orgID uuid.UUID) {
	tb.Helper()
	for _, statement := range organizationRows {
		d.Exec(tb, withIDs(statement, orgID))
	}
}

var placeholder = regexp.MustCompile(`\{[a-z_]+\}`)

// withIDs replaces {org} by the organization and {name} by Row(orgID, name).
func withIDs(statement string, orgID uuid.UUID) string {
	return placeholder.ReplaceAllStringFunc(statement, func(found string) string {
		if name := found[1 : len(found)-1]; name != "org" {
			return "'" + Row(orgID, name).String() + "'"
		}
		return "'" + orgID.String() + "'"
	})
}

// organizationRows are in the order in which they point at each other.
var organizationRows = []string{
	`INSERT INTO org (id, kind, name, created_at) VALUES ({org}, 'organization', 'Filled', nightbell_now()) ON CONFLICT DO NOTHING`,
	`INSERT INTO users (id, name, email, password_hash, created_at) VALUES ({user}, 'Filled user', {user} || '@example.com', 'hash', nightbell_now())`,
	`INSERT INTO membership (org_id, user_id, role, created_at) VALUES ({org}, {user}, 'responder', nightbell_now())`,
	`INSERT INTO session (id, user_id, org_id, created_at, last_used_at) VALUES ({session}, {user}, {org}, nightbell_now(), nightbell_now())`,
	`INSERT INTO refresh_token (hash, session_id, issued_at) VALUES (sha256({session}), {session}, nightbell_now())`,
	`INSERT INTO known_device (user_id, device_hash, seen_at) VALUES ({user}, sha256({user}), nightbell_now())`,
	`INSERT INTO team (org_id, id, name, created_at) VALUES ({org}, {team}, 'Filled team', nightbell_now())`,
	`INSERT INTO team_member (org_id, team_id, user_id, created_at) VALUES ({org}, {team}, {user}, nightbell_now())`,
	`INSERT INTO api_key (org_id, id, name, prefix, hash, role, scopes, created_by, created_at)
		VALUES ({org}, {api_key}, 'Filled key', 'nb_', sha256({api_key}), 'viewer', '{config:read}', {user}, nightbell_now())`,
	`INSERT INTO invitation (org_id, id, email, role, send, token_hash, invited_by, invited_by_key, created_at, expires_at)
		VALUES ({org}, {invitation}, 'filled-invitation@example.com', 'viewer', 'link', sha256({invitation}), {user}, {api_key}, nightbell_now(), nightbell_now())`,
	`INSERT INTO contact_method (org_id, id, user_id, kind, name, address, created_at)
		VALUES ({org}, {contact_method}, {user}, 'email', 'Filled contact', 'filled@example.com', nightbell_now())`,
	`INSERT INTO contact_method (org_id, id, kind, name, address, created_at)
		VALUES ({org}, {channel}, 'email', 'Filled channel', 'all@example.com', nightbell_now())`,
	`INSERT INTO notification_rule (org_id, id, user_id, contact_method_id, urgency, created_at)
		VALUES ({org}, {notification_rule}, {user}, {contact_method}, 'high', nightbell_now())`,
	`INSERT INTO escalation_policy (org_id, id, name, created_at, updated_at) VALUES ({org}, {policy}, 'Filled policy', nightbell_now(), nightbell_now())`,
	`INSERT INTO schedule (org_id, id, name, team_id, escalation_policy_id, created_at)
		VALUES ({org}, {schedule}, 'Filled schedule', {team}, {policy}, nightbell_now())`,
	`INSERT INTO rotation (org_id, id, schedule_id, position, name, unit, length, turns, starts_at)
		VALUES ({org}, {rotation}, {schedule}, 0, 'Filled rotation', 'week', 1, 1, nightbell_now())`,
	`INSERT INTO rotation_person (org_id, rotation_id, turn, position, user_id) VALUES ({org}, {rotation}, 0, 0, {user})`,
	`INSERT INTO schedule_override (org_id, id, schedule_id, kind, user_id, replaces_user_id, starts_at, ends_at, reason, created_by, created_at)
		VALUES ({org}, {override}, {schedule}, 'cover', {user}, {user}, nightbell_now(), nightbell_now() + interval '1 hour', 'filled', {user}, nightbell_now())`,
	`INSERT INTO calendar_feed (org_id, id, schedule_id, hash, sealed, created_by, created_at)
		VALUES ({org}, {calendar_feed}, {schedule}, sha256({calendar_feed}), 'sealed', {user}, nightbell_now())`,
	`INSERT INTO calendar_feed (org_id, id, user_id, hash, sealed, created_by, created_at)
		VALUES ({org}, {own_calendar_feed}, {user}, sha256({own_calendar_feed}), 'sealed', {user}, nightbell_now())`,
	`INSERT INTO handover_notice (org_id, id, effect_key, schedule_id, user_id, contact_method_id, kind, starts_at, state, next_try_at, created_at)
		VALUES ({org}, {handover_notice}, 'filled ' || {handover_notice}, {schedule}, {user}, {contact_method}, 'on',
			nightbell_now(), 'sent', nightbell_now(), nightbell_now())`,
	`UPDATE org SET default_policy_id = {policy} WHERE id = {org} AND default_policy_id IS NULL`,
	`INSERT INTO escalation_step (org_id, policy_id, position, delay_seconds) VALUES ({org}, {policy}, 0, 300)`,
	`INSERT INTO escalation_step (org_id, policy_id, position, delay_seconds) VALUES ({org}, {policy}, 1, 300)`,
	`INSERT INTO escalation_target (org_id, policy_id, step_position, position, kind, user_id) VALUES ({org}, {policy}, 0, 0, 'user', {user})`,
	`INSERT INTO escalation_target (org_id, policy_id, step_position, position, kind, schedule_id) VALUES ({org}, {policy}, 0, 1, 'schedule', {schedule})`,
	`INSERT INTO escalation_target (org_id, policy_id, step_position, position, kind, team_id) VALUES ({org}, {policy}, 0, 2, 'team', {team})`,
	`INSERT INTO escalation_target (org_id, policy_id, step_position, position, kind, contact_method_id) VALUES ({org}, {policy}, 0, 3, 'channel', {channel})`,
	`INSERT INTO service (org_id, id, name, team_id, owner_user_id, escalation_policy_id, created_at, updated_at)
		VALUES ({org}, {service}, 'Filled service', {team}, {user}, {policy}, nightbell_now(), nightbell_now())`,
	`INSERT INTO service (org_id, id, name, created_at, updated_at) VALUES ({org}, {other_service}, 'Other filled service', nightbell_now(), nightbell_now())`,
	`INSERT INTO service_key (hash, org_id, service_id, sealed, created_at) VALUES (sha256({service}), {org}, {service}, 'sealed', nightbell_now())`,
	`INSERT INTO service_dependency (org_id, service_id, depends_on_id) VALUES ({org}, {service}, {other_service})`,
	`INSERT INTO change_event (org_id, id, service_id, kind, description, user_id, occurred_at)
		VALUES ({org}, {change_event}, {service}, 'deployment', 'Filled deployment', {user}, nightbell_now())`,
	`INSERT INTO sample (org_id, service_id, name, at, sample_count, sum, min, max, last, last_at)
		VALUES ({org}, {service}, 'Filled name', date_trunc('minute', nightbell_now()), 1, 1, 1, 1, 1, nightbell_now())`,
	`INSERT INTO sample_series (org_id, service_id, name, unit, written_at) VALUES ({org}, {service}, 'Filled name', 'Filled unit', nightbell_now())`,
	`INSERT INTO sample_call (org_id, service_id, id, request_hash, created_at) VALUES ({org}, {service}, {sample_call}, 'filled', nightbell_now())`,
	`INSERT INTO sender_call (org_id, service_id, kind, first_at, last_at) VALUES ({org}, {service}, 'alertmanager', nightbell_now(), nightbell_now())`,
	`INSERT INTO incident (org_id, id, number, service_id, title, status, severity, urgency, source, escalation_policy_id,
			assignee_id, acknowledged_by, acknowledged_at, resolved_by, resolved_at, triggered_at, created_by, updated_at, paging_status, paging_policy_id, paging_cycle, paging_updated_at)
		VALUES ({org}, {incident}, 90001, {service}, 'Filled incident', 'resolved', 'low', 'low', 'manual', {policy},
			{user}, {user}, nightbell_now(), {user}, nightbell_now(), nightbell_now(), {user}, nightbell_now(), 'stopped', {policy}, 1, nightbell_now())`,
	`INSERT INTO incident (org_id, id, number, title, status, severity, urgency, source, resolved_at, triggered_at, updated_at, merged_into_id)
		VALUES ({org}, {merged_incident}, 90002, 'Taken in', 'resolved', 'low', 'low', 'manual', nightbell_now(), nightbell_now() - interval '1 minute', nightbell_now(), {incident})`,
	`INSERT INTO incident_link (org_id, incident_id, other_id, created_at)
		VALUES ({org}, least({incident}::uuid, {merged_incident}::uuid), greatest({incident}::uuid, {merged_incident}::uuid), nightbell_now())`,
	`INSERT INTO incident_subscriber (org_id, incident_id, user_id, told_seq, next_try_at, created_at)
		VALUES ({org}, {incident}, {user}, 9e15::bigint, 'infinity', nightbell_now())`,
	`INSERT INTO alert (org_id, id, service_id, alert_key, status, severity, source, title, starts_at, start_known, incident_id, first_seen_at, last_seen_at)
		VALUES ({org}, {alert}, {service}, {alert}, 'resolved', 'low', 'prometheus', 'Filled alert', nightbell_now(), true, {incident}, nightbell_now(), nightbell_now())`,
	`INSERT INTO alert_event (org_id, alert_id, incident_id, status, occurrences, received_at) VALUES ({org}, {alert}, {incident}, 'firing', 1, nightbell_now())`,
	`INSERT INTO undecodable_alert (org_id, id, service_id, sender, reason, body, received_at)
		VALUES ({org}, {undecodable_alert}, {service}, 'prometheus', 'not JSON', 'filled', nightbell_now())`,
	`INSERT INTO timeline_event (org_id, id, incident_id, kind, actor_kind, at) VALUES ({org}, {timeline_event}, {incident}, 'comment', 'system', nightbell_now())`,
	`INSERT INTO incident_timer (org_id, incident_id, kind, due_at) VALUES ({org}, {incident}, 'auto_resolve', nightbell_now() + interval '1 year')`,
	`INSERT INTO maintenance_window (org_id, id, description, starts_at, ends_at, created_by, created_at)
		VALUES ({org}, {maintenance_window}, 'Filled maintenance', nightbell_now(), nightbell_now(), {user}, nightbell_now())`,
	`INSERT INTO maintenance_service (org_id, window_id, service_id) VALUES ({org}, {maintenance_window}, {other_service})`,
	`INSERT INTO notification (org_id, id, effect_key, incident_id, user_id, contact_method_id, channel, cycle, round, step, reason,
			severity_rank, state, due_at, next_try_at, finished_at, created_at)
		VALUES ({org}, {notification}, 'filled ' || {notification}, {incident}, {user}, {contact_method}, 'email', 1, 0, 0, 'filled',
			4, 'sent', nightbell_now(), nightbell_now(), nightbell_now(), nightbell_now())`,
	`INSERT INTO delivery (org_id, id, contact_method_id, user_id, channel, outcome, incident_count, started_at, finished_at)
		VALUES ({org}, {delivery}, {contact_method}, {user}, 'email', 'accepted', 1, nightbell_now(), nightbell_now())`,
	`INSERT INTO test_page (org_id, id, contact_method_id, user_id, channel, status, created_at, finished_at)
		VALUES ({org}, {test_page}, {contact_method}, {user}, 'email', 'sent', nightbell_now(), nightbell_now())`,
	`INSERT INTO inbox_mail (org_id, id, sender, recipient, subject, text_sealed, html_sealed, received_at)
		VALUES ({org}, {inbox_mail}, 'a@example.com', 'b@example.com', 'Filled subject', 'sealed', 'sealed', nightbell_now())`,
	`INSERT INTO integration (org_id, kind, contact_method_id, created_at, updated_at) VALUES ({org}, 'filled', {channel}, nightbell_now(), nightbell_now())`,
	`INSERT INTO audit_event (org_id, id, at, actor_kind, actor_id, method) VALUES ({org}, {audit_event}, nightbell_now(), 'user', {user}, 'filled')`,
	`INSERT INTO idempotency_key (org_id, caller_id, key, method, request_hash, response, created_at) VALUES ({org}, {org}, 'filled', 'filled', 'filled', 'filled', nightbell_now())`,
	`INSERT INTO webhook_subscription (org_id, id, name, url_sealed, hint, event_types, secret_sealed, cursor, created_at, updated_at)
		VALUES ({org}, {webhook_subscription}, 'Filled subscription', 'sealed', 'https://example.com/…', '{incident.triggered}', 'sealed', 9e15::bigint, nightbell_now(), nightbell_now())`,
	`INSERT INTO webhook_delivery (org_id, id, subscription_id, event_id, event_type, payload, status, next_try_at, retry_since, created_at, finished_at)
		VALUES ({org}, {webhook_delivery}, {webhook_subscription}, {timeline_event}, 'incident.triggered', '{}', 'delivered',
			nightbell_now(), nightbell_now(), nightbell_now(), nightbell_now())`,
	`INSERT INTO heartbeat (org_id, id, service_id, name, every_seconds, severity, created_at, updated_at)
		VALUES ({org}, {heartbeat}, {service}, 'filled-heartbeat', 60, 'high', nightbell_now(), nightbell_now())`,
}
