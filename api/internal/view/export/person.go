package export

const accountSQL = `
SELECT jsonb_build_object('id', id, 'name', name, 'email', email, 'phone', phone, 'timezone', timezone, 'created_at', created_at)
FROM users WHERE id = $1`

const placesSQL = `
SELECT o.id, o.name, m.role, m.created_at FROM membership m JOIN org o ON o.id = m.org_id
WHERE m.user_id = $1 ORDER BY lower(o.name), o.id`

// identitySections are of the account itself: $1 is the key before, $2 how many, $3 the person. Hashes
// of tokens and devices are nobody's to read.
var identitySections = []section{
	{"sessions", beforeIDs, `
SELECT s.id::text, jsonb_build_object('id', s.id, 'org_id', s.org_id, 'user_agent', s.user_agent, 'created_at', s.created_at,
       'last_used_at', s.last_used_at, 'revoked_at', s.revoked_at, 'revoked_for', s.revoked_for)
FROM session s WHERE s.user_id = $3 AND s.id > $1::text::uuid ORDER BY s.id LIMIT $2`},
	{"devices", beforeSeqs, `
SELECT n::text, jsonb_build_object('last_signed_in_at', seen_at) FROM (
    SELECT d.seen_at, row_number() OVER (ORDER BY d.seen_at, d.device_hash) AS n FROM known_device d WHERE d.user_id = $3) numbered
WHERE n > $1::text::bigint ORDER BY n LIMIT $2`},
	{"password_resets", beforeIDs, `
SELECT r.id::text, jsonb_build_object('created_at', r.created_at, 'used_at', r.used_at, 'used_from', r.used_from)
FROM password_reset r WHERE r.user_id = $3 AND r.id > $1::text::uuid ORDER BY r.id LIMIT $2`},
}

// personSections are of a person in one organization: $1 is the key before, $2 how many, $3 the
// organization, $4 the person.
var personSections = []section{
	{"teams", beforeIDs, `
SELECT t.id::text, jsonb_build_object('id', t.id, 'name', t.name, 'joined_at', m.created_at)
FROM team_member m JOIN team t ON t.org_id = m.org_id AND t.id = m.team_id
WHERE m.org_id = $3 AND m.user_id = $4 AND t.id > $1::text::uuid ORDER BY t.id LIMIT $2`},
	// An address that may hold a secret of another service is written as the site shows it.
	{"contact_methods", beforeIDs, `
SELECT c.id::text, jsonb_build_object('id', c.id, 'kind', c.kind, 'name', c.name, 'address', coalesce(nullif(c.address, ''), c.hint),
       'verified_at', c.verified_at, 'disabled_at', c.disabled_at, 'disabled_for', c.disabled_for, 'created_at', c.created_at)
FROM contact_method c WHERE c.org_id = $3 AND c.user_id = $4 AND c.id > $1::text::uuid ORDER BY c.id LIMIT $2`},
	{"notification_rules", beforeIDs, `
SELECT r.id::text, jsonb_build_object('id', r.id, 'contact_method_id', r.contact_method_id, 'urgency', r.urgency,
       'delay_seconds', r.delay_seconds, 'created_at', r.created_at)
FROM notification_rule r WHERE r.org_id = $3 AND r.user_id = $4 AND r.id > $1::text::uuid ORDER BY r.id LIMIT $2`},
	{"schedule_turns", beforeIDs, `
SELECT r.id::text, jsonb_build_object('rotation_id', r.id, 'rotation', r.name, 'schedule', s.name, 'time_zone', s.timezone, 'unit', r.unit,
       'length', r.length, 'starts_at', r.starts_at, 'ends_at', r.ends_at,
       'turns', (SELECT jsonb_agg(p.turn ORDER BY p.turn) FROM rotation_person p WHERE p.org_id = r.org_id AND p.rotation_id = r.id AND p.user_id = $4))
FROM rotation r JOIN schedule s ON s.org_id = r.org_id AND s.id = r.schedule_id
WHERE r.org_id = $3 AND r.id > $1::text::uuid
  AND EXISTS (SELECT FROM rotation_person p WHERE p.org_id = r.org_id AND p.rotation_id = r.id AND p.user_id = $4)
ORDER BY r.id LIMIT $2`},
	{"overrides", beforeIDs, `
SELECT o.id::text, jsonb_build_object('id', o.id, 'schedule', s.name, 'kind', o.kind, 'takes_over', o.user_id IS NOT DISTINCT FROM $4,
       'starts_at', o.starts_at, 'ends_at', o.ends_at, 'reason', o.reason, 'created_at', o.created_at)
FROM schedule_override o JOIN schedule s ON s.org_id = o.org_id AND s.id = o.schedule_id
WHERE o.org_id = $3 AND $4 IN (o.user_id, o.replaces_user_id) AND o.id > $1::text::uuid ORDER BY o.id LIMIT $2`},
	{"escalation_steps", beforeIDs, `
SELECT DISTINCT ON (s.id) s.id::text, jsonb_build_object('policy', p.name, 'position', s.position)
FROM escalation_target t
JOIN escalation_step s ON s.org_id = t.org_id AND s.policy_id = t.policy_id AND s.position = t.step_position
JOIN escalation_policy p ON p.org_id = t.org_id AND p.id = t.policy_id
WHERE t.org_id = $3 AND t.user_id = $4 AND s.id > $1::text::uuid ORDER BY s.id LIMIT $2`},
	{"services_owned", beforeIDs, `
SELECT s.id::text, jsonb_build_object('id', s.id, 'name', s.name)
FROM service s WHERE s.org_id = $3 AND s.owner_user_id = $4 AND s.deleted_at IS NULL AND s.id > $1::text::uuid ORDER BY s.id LIMIT $2`},
	{"calendars", beforeIDs, `
SELECT f.id::text, jsonb_build_object('id', f.id, 'created_at', f.created_at, 'last_used_at', f.last_used_at)
FROM calendar_feed f WHERE f.org_id = $3 AND f.user_id = $4 AND f.id > $1::text::uuid ORDER BY f.id LIMIT $2`},
	{"api_keys_made", beforeIDs, `
SELECT k.id::text, jsonb_build_object('id', k.id, 'name', k.name, 'role', k.role, 'scopes', k.scopes, 'created_at', k.created_at,
       'expires_at', k.expires_at, 'revoked_at', k.revoked_at)
FROM api_key k WHERE k.org_id = $3 AND k.created_by = $4 AND k.id > $1::text::uuid ORDER BY k.id LIMIT $2`},
	{"incidents", beforeIDs, `
SELECT i.id::text, jsonb_strip_nulls(jsonb_build_object('id', i.id, 'number', i.number, 'title', i.title, 'status', i.status, 'severity', i.severity,
       'triggered_at', i.triggered_at, 'assigned', nullif(i.assignee_id IS NOT DISTINCT FROM $4, false), 'declared', nullif(i.created_by IS NOT DISTINCT FROM $4, false),
       'acknowledged_at', CASE WHEN i.acknowledged_by = $4 THEN i.acknowledged_at END, 'resolved_at', CASE WHEN i.resolved_by = $4 THEN i.resolved_at END))
FROM incident i WHERE i.org_id = $3 AND $4 IN (i.assignee_id, i.acknowledged_by, i.resolved_by, i.created_by) AND i.id > $1::text::uuid ORDER BY i.id LIMIT $2`},
	{"incidents_followed", beforeIDs, `
SELECT f.incident_id::text, jsonb_build_object('incident_id', f.incident_id, 'created_at', f.created_at)
FROM incident_subscriber f WHERE f.org_id = $3 AND f.user_id = $4 AND f.incident_id > $1::text::uuid ORDER BY f.incident_id LIMIT $2`},
	{"timeline", beforeSeqs, `
SELECT t.seq::text, jsonb_build_object('at', t.at, 'incident_id', t.incident_id, 'kind', t.kind, 'message', t.message)
FROM timeline_event t WHERE t.org_id = $3 AND t.actor_id = $4 AND t.seq > $1::text::bigint ORDER BY t.seq LIMIT $2`},
	{"pages", beforeIDs, `
SELECT n.id::text, jsonb_build_object('id', n.id, 'incident_id', n.incident_id, 'contact_method_id', n.contact_method_id, 'channel', n.channel,
       'reason', n.reason, 'state', n.state, 'due_at', n.due_at, 'finished_at', n.finished_at)
FROM notification n WHERE n.org_id = $3 AND n.user_id = $4 AND n.id > $1::text::uuid ORDER BY n.id LIMIT $2`},
	{"test_pages", beforeIDs, `
SELECT p.id::text, jsonb_build_object('id', p.id, 'contact_method_id', p.contact_method_id, 'channel', p.channel, 'status', p.status, 'created_at', p.created_at, 'finished_at', p.finished_at)
FROM test_page p WHERE p.org_id = $3 AND p.user_id = $4 AND p.id > $1::text::uuid ORDER BY p.id LIMIT $2`},
	{"handover_messages", beforeIDs, `
SELECT h.id::text, jsonb_build_object('id', h.id, 'schedule', s.name, 'kind', h.kind, 'starts_at', h.starts_at, 'state', h.state, 'created_at', h.created_at)
FROM handover_notice h JOIN schedule s ON s.org_id = h.org_id AND s.id = h.schedule_id
WHERE h.org_id = $3 AND h.user_id = $4 AND h.id > $1::text::uuid ORDER BY h.id LIMIT $2`},
	{"audit_log", beforeIDs, `
SELECT a.id::text, jsonb_build_object('at', a.at, 'method', a.method, 'outcome', a.outcome, 'address', a.address)
FROM audit_event a WHERE a.org_id = $3 AND a.actor_id = $4 AND a.id > $1::text::uuid ORDER BY a.id LIMIT $2`},
}
