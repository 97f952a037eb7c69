-- name: InsertOverride :exec
INSERT INTO schedule_override (org_id, id, schedule_id, kind, user_id, replaces_user_id, starts_at, ends_at, reason, created_by, created_at)
VALUES (@org_id, @id, @schedule_id, @kind, @user_id, @replaces_user_id, @starts_at, @ends_at, @reason, @created_by, @now);

-- name: ScheduleOfOverride :one
SELECT schedule_id FROM schedule_override WHERE org_id = @org_id AND id = @id;

-- name: UpdateOverride :exec
UPDATE schedule_override SET kind = @kind, user_id = @user_id, replaces_user_id = @replaces_user_id,
    starts_at = @starts_at, ends_at = @ends_at, reason = @reason
WHERE org_id = @org_id AND id = @id;

-- name: DeleteOverride :exec
DELETE FROM schedule_override WHERE org_id = @org_id AND id = @id;

-- name: ListOverrides :many
-- Overrides that end after since and begin before until, of one schedule or of all, beyond a place in
-- the list if there is one.
SELECT o.id, o.schedule_id, s.name AS schedule_name, o.kind, o.user_id, o.replaces_user_id, o.starts_at, o.ends_at, o.reason, o.created_by, o.created_at
FROM schedule_override o JOIN schedule s ON s.org_id = o.org_id AND s.id = o.schedule_id
WHERE o.org_id = @org_id AND (sqlc.narg('schedule_id')::uuid IS NULL OR o.schedule_id = sqlc.narg('schedule_id'))
  AND (sqlc.narg('id')::uuid IS NULL OR o.id = sqlc.narg('id'))
  AND (sqlc.narg('since')::timestamptz IS NULL OR o.ends_at > sqlc.narg('since'))
  AND (sqlc.narg('until')::timestamptz IS NULL OR o.starts_at < sqlc.narg('until'))
  AND (sqlc.narg('at')::timestamptz IS NULL OR CASE WHEN sqlc.narg('since') IS NULL
       THEN (o.starts_at, o.id) < (sqlc.narg('at'), sqlc.narg('at_id')::uuid) ELSE (o.starts_at, o.id) > (sqlc.narg('at'), sqlc.narg('at_id')) END)
ORDER BY CASE WHEN sqlc.narg('since') IS NULL THEN o.starts_at END DESC, CASE WHEN sqlc.narg('since') IS NULL THEN o.id END DESC, o.starts_at, o.id
LIMIT @most;

-- name: CountOverrides :one
-- How many overrides of a schedule end after since.
SELECT count(*) FROM schedule_override WHERE org_id = @org_id AND schedule_id = @schedule_id AND ends_at > @since;
