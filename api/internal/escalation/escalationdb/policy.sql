-- name: InsertPolicy :exec
INSERT INTO escalation_policy (org_id, id, name, description, repeats, ack_timeout_seconds, auto_resolve_seconds, timezone, last_resort, quiet, created_at, updated_at)
VALUES (@org_id, @id, @name, @description, @repeats, @ack_timeout_seconds, @auto_resolve_seconds, @timezone, @last_resort, @quiet, @now, @now);

-- name: UpdatePolicy :one
UPDATE escalation_policy SET name = @name, description = @description, repeats = @repeats, ack_timeout_seconds = @ack_timeout_seconds,
    auto_resolve_seconds = @auto_resolve_seconds, timezone = @timezone, last_resort = @last_resort, quiet = @quiet,
    revision = revision + 1, updated_at = @now
WHERE org_id = @org_id AND id = @id
RETURNING revision;

-- name: ReleaseQuiet :exec
-- What the policy's quiet times put off is due now: whoever carries it out asks the policy again.
-- All ones stand for a quiet time. Locked in the order in which everybody locks incidents.
UPDATE incident i SET paging_due_at = @now, paging_updated_at = @now
FROM (SELECT w.org_id, w.id FROM incident w WHERE w.org_id = @org_id AND w.status = 'triggered' AND w.escalation_policy_id = @policy_id::uuid
        AND w.paging_held_by = 'ffffffff-ffff-ffff-ffff-ffffffffffff' AND w.paging_due_at > @now
      ORDER BY w.id FOR NO KEY UPDATE) held
WHERE i.org_id = held.org_id AND i.id = held.id;

-- name: ReleaseQuietTimers :exec
-- As ReleaseQuiet, for timers that were put off. SKIP LOCKED: who
-- has a timer claimed may wait for the policy.
UPDATE incident_timer t SET due_at = @now FROM (
    SELECT r.org_id, r.incident_id, r.kind FROM incident_timer r
    JOIN incident i ON i.org_id = r.org_id AND i.id = r.incident_id AND i.escalation_policy_id = @policy_id::uuid
    WHERE r.org_id = @org_id AND r.held AND r.due_at > @now FOR NO KEY UPDATE OF r SKIP LOCKED) waiting
WHERE t.org_id = waiting.org_id AND t.incident_id = waiting.incident_id AND t.kind = waiting.kind;

-- name: LockPolicy :one
-- Until the transaction ends, nobody else edits it.
SELECT name FROM escalation_policy WHERE org_id = @org_id AND id = @id FOR NO KEY UPDATE;

-- name: DeletePolicy :execrows
DELETE FROM escalation_policy WHERE org_id = @org_id AND id = @id;

-- name: DeleteSteps :exec
DELETE FROM escalation_step WHERE org_id = @org_id AND policy_id = @policy_id;

-- name: InsertStep :exec
INSERT INTO escalation_step (org_id, policy_id, position, id, changed_in, delay_seconds, assignment, severities, windows)
VALUES (@org_id, @policy_id, @position, @id, @changed_in, @delay_seconds, @assignment, @severities, @windows);

-- name: FindMember :one
SELECT u.id FROM users u JOIN membership m ON m.user_id = u.id WHERE m.org_id = @org_id AND lower(u.email) = lower(@email);

-- name: InsertTarget :execrows
-- Writes nothing when the target does not exist in this organization.
INSERT INTO escalation_target (org_id, policy_id, step_position, position, kind, user_id, schedule_id, team_id, contact_method_id)
SELECT @org_id, @policy_id, @step_position, @position, @kind::text,
       CASE WHEN @kind = 'user' THEN @target_id::uuid END, CASE WHEN @kind = 'schedule' THEN @target_id END,
       CASE WHEN @kind = 'team' THEN @target_id END, CASE WHEN @kind = 'channel' THEN @target_id END
WHERE CASE @kind
    WHEN 'user' THEN EXISTS (SELECT FROM membership m WHERE m.org_id = @org_id AND m.user_id = @target_id)
    WHEN 'schedule' THEN EXISTS (SELECT FROM schedule s WHERE s.org_id = @org_id AND s.id = @target_id)
    WHEN 'team' THEN EXISTS (SELECT FROM team t WHERE t.org_id = @org_id AND t.id = @target_id)
    ELSE EXISTS (SELECT FROM contact_method c WHERE c.org_id = @org_id AND c.id = @target_id AND c.user_id IS NULL AND c.deleted_at IS NULL) END;

-- name: ListPolicies :many
SELECT p.id, p.name, p.description, p.repeats, p.ack_timeout_seconds, p.auto_resolve_seconds, p.timezone, p.last_resort, p.quiet,
       (o.default_policy_id IS NOT DISTINCT FROM p.id)::boolean AS is_default,
       ARRAY(SELECT s.id FROM service s WHERE s.org_id = p.org_id AND s.escalation_policy_id = p.id AND s.deleted_at IS NULL
             ORDER BY lower(s.name), s.id)::uuid[] AS used_by,
       ARRAY(SELECT s.name FROM service s WHERE s.org_id = p.org_id AND s.escalation_policy_id = p.id AND s.deleted_at IS NULL
             ORDER BY lower(s.name), s.id)::text[] AS used_by_names
FROM escalation_policy p JOIN org o ON o.id = p.org_id
WHERE p.org_id = @org_id AND (sqlc.narg('id')::uuid IS NULL OR p.id = sqlc.narg('id'))
  AND (sqlc.narg('after_name')::text IS NULL OR (lower(p.name), p.id) > (lower(sqlc.narg('after_name')), sqlc.narg('after_id')::uuid))
ORDER BY lower(p.name), p.id LIMIT sqlc.narg('most')::integer;

-- name: ListTargets :many
SELECT s.policy_id, s.id AS step_id, s.changed_in, s.position AS step_position, s.delay_seconds, s.assignment, s.severities, s.windows, coalesce(t.kind, '')::text AS kind,
       coalesce(t.user_id, t.schedule_id, t.team_id, t.contact_method_id, '00000000-0000-0000-0000-000000000000')::uuid AS target_id,
       coalesce(u.name, sc.name, te.name, c.name, '')::text AS name
FROM escalation_step s
LEFT JOIN escalation_target t ON t.org_id = s.org_id AND t.policy_id = s.policy_id AND t.step_position = s.position
LEFT JOIN users u ON u.id = t.user_id
LEFT JOIN schedule sc ON sc.org_id = t.org_id AND sc.id = t.schedule_id
LEFT JOIN team te ON te.org_id = t.org_id AND te.id = t.team_id
LEFT JOIN contact_method c ON c.org_id = t.org_id AND c.id = t.contact_method_id
WHERE s.org_id = @org_id AND (sqlc.narg('policy_id')::uuid IS NULL OR s.policy_id = sqlc.narg('policy_id'))
ORDER BY s.policy_id, s.position, t.position;

-- name: PolicyUse :one
-- What would be left without its policy.
SELECT EXISTS (SELECT FROM service s WHERE s.org_id = @org_id AND s.escalation_policy_id = @id AND s.deleted_at IS NULL)::boolean AS by_service,
       EXISTS (SELECT FROM incident i WHERE i.org_id = @org_id AND i.escalation_policy_id = @id AND i.status <> 'resolved')::boolean AS by_incident,
       EXISTS (SELECT FROM org o WHERE o.id = @org_id AND o.default_policy_id = @id)::boolean AS as_default;

-- name: MakeDefaultPolicy :execrows
UPDATE org SET default_policy_id = @id::uuid
WHERE org.id = @org_id AND EXISTS (SELECT FROM escalation_policy p WHERE p.org_id = @org_id AND p.id = @id::uuid);
