-- name: InsertSchedule :exec
INSERT INTO schedule (org_id, id, name, description, team_id, timezone, status, escalation_policy_id, created_at, updated_at)
VALUES (@org_id, @id, @name, @description, @team_id, @timezone, @status, @escalation_policy_id, @now, @now);

-- name: UpdateSchedule :execrows
UPDATE schedule SET name = @name, description = @description, team_id = @team_id, timezone = @timezone, status = @status,
    escalation_policy_id = @escalation_policy_id, updated_at = @now
WHERE org_id = @org_id AND id = @id;

-- name: TouchSchedule :execrows
UPDATE schedule SET updated_at = @now WHERE org_id = @org_id AND id = @id;

-- name: LockSchedule :one
-- Until the transaction ends, nobody else edits it, and no policy begins to page it.
SELECT name FROM schedule WHERE org_id = @org_id AND id = @id FOR UPDATE;

-- name: ListPagingPolicies :many
-- The policies that page a schedule.
SELECT DISTINCT p.name FROM escalation_target t JOIN escalation_policy p ON p.org_id = t.org_id AND p.id = t.policy_id
WHERE t.org_id = @org_id AND t.schedule_id = @schedule_id::uuid ORDER BY p.name;

-- name: DeleteSchedule :execrows
DELETE FROM schedule WHERE org_id = @org_id AND id = @id;

-- name: ListSchedules :many
-- What is told of schedules besides their definition: every one by name, or the one with the id.
SELECT s.id, s.name, s.description, s.team_id, s.timezone, s.status, s.escalation_policy_id, s.created_at, s.updated_at,
       coalesce(t.name, '')::text AS team, coalesce(p.name, '')::text AS policy,
       ARRAY(SELECT x.id FROM escalation_policy x WHERE x.org_id = s.org_id
             AND x.id IN (SELECT e.policy_id FROM escalation_target e WHERE e.org_id = s.org_id AND e.schedule_id = s.id) ORDER BY x.name, x.id)::uuid[] AS used_by,
       ARRAY(SELECT x.name FROM escalation_policy x WHERE x.org_id = s.org_id
             AND x.id IN (SELECT e.policy_id FROM escalation_target e WHERE e.org_id = s.org_id AND e.schedule_id = s.id) ORDER BY x.name, x.id)::text[] AS used_by_names
FROM schedule s
LEFT JOIN team t ON t.org_id = s.org_id AND t.id = s.team_id
LEFT JOIN escalation_policy p ON p.org_id = s.org_id AND p.id = s.escalation_policy_id
WHERE s.org_id = @org_id AND (sqlc.narg('id')::uuid IS NULL OR s.id = sqlc.narg('id')) AND (NOT @active_only::boolean OR s.status = 'active')
  AND (sqlc.narg('after_name')::text IS NULL OR (lower(s.name), s.id) > (lower(sqlc.narg('after_name')), sqlc.narg('after_id')::uuid))
ORDER BY lower(s.name), s.id LIMIT sqlc.narg('most')::integer;

-- name: References :one
-- Whether what a schedule points at exists in this organization.
SELECT (sqlc.narg('team_id')::uuid IS NULL OR EXISTS (SELECT FROM team t WHERE t.org_id = @org_id AND t.id = sqlc.narg('team_id')))::boolean AS team,
       (sqlc.narg('policy_id')::uuid IS NULL OR EXISTS (SELECT FROM escalation_policy p WHERE p.org_id = @org_id AND p.id = sqlc.narg('policy_id')))::boolean AS policy;

-- name: ListNames :many
-- The names of members. Somebody who is disabled is not active.
SELECT u.id, u.name, (u.disabled_at IS NULL)::boolean AS active
FROM membership m JOIN users u ON u.id = m.user_id
WHERE m.org_id = @org_id AND m.user_id = ANY(@ids::uuid[]);

-- name: ListRotationStarts :many
SELECT id, starts_at FROM rotation WHERE org_id = @org_id AND schedule_id = @schedule_id;

-- name: PutRotation :exec
INSERT INTO rotation (org_id, id, schedule_id, position, name, unit, length, turns, handover, weekday, starts_at, ends_at, windows)
VALUES (@org_id, @id, @schedule_id, @position, @name, @unit, @length, @turns, @handover, @weekday, @starts_at, @ends_at, @windows)
ON CONFLICT (org_id, id) DO UPDATE SET position = excluded.position, name = excluded.name, unit = excluded.unit, length = excluded.length,
    turns = excluded.turns, handover = excluded.handover, weekday = excluded.weekday, starts_at = excluded.starts_at,
    ends_at = excluded.ends_at, windows = excluded.windows;

-- name: DeleteRotations :exec
-- Removes the rotations of a schedule, but for those to keep.
DELETE FROM rotation WHERE org_id = @org_id AND schedule_id = @schedule_id AND NOT id = ANY(@keep::uuid[]);

-- name: DeletePeople :exec
DELETE FROM rotation_person WHERE org_id = @org_id AND rotation_id = @rotation_id;

-- name: InsertPeople :exec
INSERT INTO rotation_person (org_id, rotation_id, turn, position, user_id)
SELECT @org_id, @rotation_id, unnest(@turns::integer[]), unnest(@positions::integer[]), unnest(@user_ids::uuid[]);
