-- Roles are left: other databases of the server may use them.
-- On 15 a login role without INHERIT owns only what it made itself.
SET LOCAL ROLE nightbell_system;
DROP FUNCTION incident_search(text);
DROP FUNCTION members_seen(uuid[]);
RESET ROLE;
DROP FUNCTION incidents_of_service(uuid, uuid);
DROP FUNCTION weekly_partitions(text, text, timestamptz, interval);
ALTER TABLE org DROP CONSTRAINT org_id_default_policy_id_fkey;
DROP TABLE enquiry, heartbeat_watch, heartbeat, webhook_delivery, webhook_subscription, idempotency_key, audit_event, integration, maintenance_service, maintenance_window, inbox_mail,
    test_page, delivery, notification, incident_subscriber, incident_link, incident_timer, timeline_event,
    undecodable_alert, alert_event, alert, incident, sender_call, sample_call, sample_series, sample, change_event, service_dependency, service_key, service,
    escalation_target, escalation_step, handover_notice, calendar_feed, schedule_override, rotation_person,
    rotation, schedule, escalation_policy, notification_rule, contact_method, api_key, sign_in_tally, password_reset, known_device,
    refresh_token, session, invitation, team_member, team, membership, users, org, write_probe, installation;
DROP FUNCTION nightbell_org();
DROP FUNCTION nightbell_now();
