package departure

// What names a person: $1 is the organization, $2 the person, $3 now.
const (
	schedulesSQL = `
SELECT s.id, s.name FROM schedule s WHERE s.org_id = $1 AND (
    EXISTS (SELECT FROM rotation r JOIN rotation_person rp ON rp.org_id = r.org_id AND rp.rotation_id = r.id
            WHERE r.org_id = s.org_id AND r.schedule_id = s.id AND rp.user_id = $2 AND (r.ends_at IS NULL OR r.ends_at > $3))
    OR EXISTS (SELECT FROM schedule_override o WHERE o.org_id = s.org_id AND o.schedule_id = s.id AND o.ends_at > $3 AND $2 IN (o.user_id, o.replaces_user_id)))
ORDER BY lower(s.name), s.id`

	policiesSQL = `
SELECT p.id, p.name FROM escalation_policy p WHERE p.org_id = $1 AND $3::timestamptz IS NOT NULL
  AND EXISTS (SELECT FROM escalation_target t WHERE t.org_id = p.org_id AND t.policy_id = p.id AND t.user_id = $2)
ORDER BY lower(p.name), p.id`

	// A team that no policy pages needs nobody.
	teamsSQL = `
SELECT t.id, t.name FROM team t JOIN team_member m ON m.org_id = t.org_id AND m.team_id = t.id
WHERE t.org_id = $1 AND m.user_id = $2 AND $3::timestamptz IS NOT NULL
  AND EXISTS (SELECT FROM escalation_target e WHERE e.org_id = t.org_id AND e.team_id = t.id)
ORDER BY lower(t.name), t.id`

	servicesSQL = `
SELECT s.id, s.name FROM service s WHERE s.org_id = $1 AND s.owner_user_id = $2 AND s.deleted_at IS NULL AND $3::timestamptz IS NOT NULL
ORDER BY lower(s.name), s.id`

	incidentsSQL = `
SELECT i.id, '#' || i.number || ' ' || i.title FROM incident i
WHERE i.org_id = $1 AND i.status <> 'resolved' AND $2 IN (i.assignee_id, i.acknowledged_by) AND $3::timestamptz IS NOT NULL
ORDER BY i.number`

	keysSQL = `
SELECT k.id, k.name FROM api_key k WHERE k.org_id = $1 AND k.created_by = $2 AND k.revoked_at IS NULL AND (k.expires_at IS NULL OR k.expires_at > $3)
ORDER BY k.created_at, k.id`
)

// lockSQL keeps policies, schedules and teams as they are, in the order in which edits lock them.
var lockSQL = []string{
	`SELECT FROM escalation_policy WHERE org_id = $1 ORDER BY id FOR NO KEY UPDATE`,
	`SELECT FROM schedule WHERE org_id = $1 ORDER BY id FOR NO KEY UPDATE`,
	`SELECT FROM team WHERE org_id = $1 ORDER BY id FOR NO KEY UPDATE`,
}

// lockMembersSQL locks the person, the replacement and the owners. FOR UPDATE: a row that is about
// to name one of them waits, and is refused by its foreign key.
const lockMembersSQL = `
SELECT m.user_id, u.name, m.role FROM membership m JOIN users u ON u.id = m.user_id
WHERE m.org_id = $1 AND (m.user_id IN ($2, $3) OR m.role = 'owner') AND u.disabled_at IS NULL
ORDER BY m.user_id FOR UPDATE OF m`

// waitingSQL finds the open incidents that wait for person $2: acknowledged by them, or paging them in
// this round while nobody else of the step is paged whom they could count on. With a replacement ($3),
// each that has not paged the replacement in this round.
const waitingSQL = `
SELECT i.id FROM incident i WHERE i.org_id = $1 AND i.status <> 'resolved' AND (
    i.status = 'acknowledged' AND i.acknowledged_by = $2
    OR i.status = 'triggered' AND EXISTS (
        SELECT FROM notification n WHERE n.org_id = i.org_id AND n.incident_id = i.id AND n.user_id = $2
           AND n.cycle = i.paging_cycle AND n.round = i.paging_round
           AND NOT EXISTS (SELECT FROM notification o WHERE o.org_id = i.org_id AND o.incident_id = i.id AND o.cycle = n.cycle AND o.round = n.round
                             AND o.user_id IS DISTINCT FROM n.user_id AND o.state <> 'failed'
                             AND CASE WHEN $3::uuid IS NULL THEN o.step >= n.step ELSE o.user_id = $3 END)))
ORDER BY i.id`

const assignedSQL = `SELECT id FROM incident WHERE org_id = $1 AND assignee_id = $2 AND status <> 'resolved' ORDER BY id`

// replaceSQL puts person $3 in the place of $2. Where both would stand, one place goes.
var replaceSQL = []string{
	// Steps that mean the person begin to mean the replacement: rounds under way page them for it.
	`WITH named AS (
	    SELECT DISTINCT t.policy_id, t.step_position FROM escalation_target t WHERE t.org_id = $1 AND $4::timestamptz IS NOT NULL AND $3::uuid IS NOT NULL AND (t.user_id = $2
	        OR EXISTS (SELECT FROM team_member m WHERE m.org_id = t.org_id AND m.team_id = t.team_id AND m.user_id = $2)
	        OR EXISTS (SELECT FROM rotation r JOIN rotation_person rp ON rp.org_id = r.org_id AND rp.rotation_id = r.id
	                   WHERE r.org_id = t.org_id AND r.schedule_id = t.schedule_id AND rp.user_id = $2)
	        OR EXISTS (SELECT FROM schedule_override o WHERE o.org_id = t.org_id AND o.schedule_id = t.schedule_id AND o.user_id = $2 AND o.ends_at > $4))),
	edited AS (
	    UPDATE escalation_policy p SET revision = p.revision + 1, updated_at = $4
	    WHERE p.org_id = $1 AND p.id IN (SELECT policy_id FROM named) RETURNING p.id, p.revision)
	UPDATE escalation_step s SET changed_in = e.revision FROM edited e, named n
	WHERE s.org_id = $1 AND s.policy_id = e.id AND n.policy_id = e.id AND s.position = n.step_position`,

	`DELETE FROM escalation_target t WHERE t.org_id = $1 AND t.user_id = $2 AND $4::timestamptz IS NOT NULL
	   AND EXISTS (SELECT FROM escalation_target o WHERE o.org_id = t.org_id AND o.policy_id = t.policy_id AND o.step_position = t.step_position AND o.user_id = $3)`,
	`UPDATE escalation_target SET user_id = $3 WHERE org_id = $1 AND user_id = $2 AND $4::timestamptz IS NOT NULL`,

	`DELETE FROM rotation_person p WHERE p.org_id = $1 AND p.user_id = $2 AND $4::timestamptz IS NOT NULL
	   AND EXISTS (SELECT FROM rotation_person o WHERE o.org_id = p.org_id AND o.rotation_id = p.rotation_id AND o.turn = p.turn AND o.user_id = $3)`,
	// Hand-overs are looked at again: somebody else may be on call now.
	`UPDATE schedule s SET look_at = NULL, updated_at = $4 WHERE s.org_id = $1 AND $3::uuid IS NOT NULL AND (
	    EXISTS (SELECT FROM rotation r JOIN rotation_person p ON p.org_id = r.org_id AND p.rotation_id = r.id WHERE r.org_id = s.org_id AND r.schedule_id = s.id AND p.user_id = $2)
	    OR EXISTS (SELECT FROM schedule_override o WHERE o.org_id = s.org_id AND o.schedule_id = s.id AND o.ends_at > $4 AND $2 IN (o.user_id, o.replaces_user_id)))`,
	`UPDATE rotation_person SET user_id = $3 WHERE org_id = $1 AND user_id = $2 AND $4::timestamptz IS NOT NULL`,

	// Who covers for themselves covers nothing.
	`DELETE FROM schedule_override WHERE org_id = $1 AND kind = 'cover' AND ends_at > $4 AND (user_id = $2 AND replaces_user_id = $3 OR user_id = $3 AND replaces_user_id = $2)`,
	`UPDATE schedule_override SET user_id = CASE WHEN user_id = $2 THEN $3::uuid ELSE user_id END,
	        replaces_user_id = CASE WHEN replaces_user_id = $2 THEN $3::uuid ELSE replaces_user_id END
	 WHERE org_id = $1 AND $2 IN (user_id, replaces_user_id) AND ends_at > $4`,

	`DELETE FROM team_member m WHERE m.org_id = $1 AND m.user_id = $2 AND $4::timestamptz IS NOT NULL
	   AND EXISTS (SELECT FROM team_member o WHERE o.org_id = m.org_id AND o.team_id = m.team_id AND o.user_id = $3)`,
	`UPDATE team_member SET user_id = $3 WHERE org_id = $1 AND user_id = $2 AND $4::timestamptz IS NOT NULL`,

	`UPDATE service SET owner_user_id = $3, updated_at = $4 WHERE org_id = $1 AND owner_user_id = $2`,
}

// forgetOverSQL keeps who acted in an incident that is over readable. One statement for both names: the keys
// of the membership then find nothing to clear.
const forgetOverSQL = `
UPDATE incident i SET
    acknowledged_name = CASE WHEN i.acknowledged_by = $2 THEN u.name ELSE i.acknowledged_name END, acknowledged_by = nullif(i.acknowledged_by, $2),
    resolved_name = CASE WHEN i.resolved_by = $2 THEN u.name ELSE i.resolved_name END, resolved_by = nullif(i.resolved_by, $2)
FROM users u WHERE u.id = $2 AND i.org_id = $1 AND i.status = 'resolved' AND $2 IN (i.acknowledged_by, i.resolved_by)`

// forgetSQL calls off what waits for person $2 and removes the membership; keys of the rest follow it.
// A contact method stays without person and address, for the log of what was sent to it.
var forgetSQL = []string{
	forgetOverSQL + ` AND $3::timestamptz IS NOT NULL`, // what was resolved since
	`UPDATE notification SET state = 'cancelled', finished_at = $3, finished_for = 'removed'
	 WHERE org_id = $1 AND user_id = $2 AND state = 'pending' AND finished_at IS NULL`,
	`UPDATE contact_method SET user_id = NULL, address = '', address_sealed = NULL, secret_sealed = NULL, verification_due_at = NULL, next_try_at = NULL,
	        disabled_at = coalesce(disabled_at, $3), disabled_for = 'The person has left the organization.', deleted_at = coalesce(deleted_at, $3)
	 WHERE org_id = $1 AND user_id = $2`,
	// Keys belong to the organization. An invitation does not outlive the person here: it may be to another
	// address of theirs.
	`UPDATE api_key SET created_by = NULL WHERE org_id = $1 AND created_by = $2 AND $3::timestamptz IS NOT NULL`,
	`UPDATE invitation i SET revoked_at = $3, mail_due_at = NULL WHERE i.org_id = $1 AND i.accepted_at IS NULL AND i.revoked_at IS NULL AND i.invited_by = $2`,
	`DELETE FROM membership WHERE org_id = $1 AND user_id = $2 AND $3::timestamptz IS NOT NULL`,
}
