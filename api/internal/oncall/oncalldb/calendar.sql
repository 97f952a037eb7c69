-- name: ListFeeds :many
-- The feeds of schedules, and the person's own.
SELECT f.id, f.schedule_id, coalesce(s.name, '')::text AS schedule_name, f.sealed, f.created_at, f.last_used_at
FROM calendar_feed f LEFT JOIN schedule s ON s.org_id = f.org_id AND s.id = f.schedule_id
WHERE f.org_id = @org_id AND (f.user_id IS NULL OR f.user_id = @user_id::uuid)
ORDER BY f.user_id NULLS LAST, lower(s.name), f.id;

-- name: PutScheduleFeed :one
INSERT INTO calendar_feed (org_id, id, schedule_id, hash, sealed, created_by, created_at)
VALUES (@org_id, @id, @schedule_id::uuid, @hash, @sealed, sqlc.narg('created_by'), @now)
ON CONFLICT (org_id, schedule_id) DO UPDATE SET hash = excluded.hash, sealed = excluded.sealed,
    created_by = excluded.created_by, created_at = excluded.created_at, last_used_at = NULL
RETURNING id;

-- name: PutPersonFeed :one
INSERT INTO calendar_feed (org_id, id, user_id, hash, sealed, created_by, created_at)
VALUES (@org_id, @id, @user_id::uuid, @hash, @sealed, @user_id, @now)
ON CONFLICT (org_id, user_id) DO UPDATE SET hash = excluded.hash, sealed = excluded.sealed,
    created_by = excluded.created_by, created_at = excluded.created_at, last_used_at = NULL
RETURNING id;

-- name: DeleteFeed :execrows
DELETE FROM calendar_feed WHERE org_id = @org_id AND id = @id AND (user_id IS NULL OR user_id = @user_id::uuid);

-- name: FindFeed :one
-- Whose feed an address is. Runs before the organization is known. It ends with the account of
-- whoever made it, because that one knows the address; a program's goes on until it is replaced.
SELECT f.org_id, f.id, f.schedule_id, f.user_id
FROM calendar_feed f LEFT JOIN users u ON u.id = f.created_by
WHERE f.hash = @hash AND u.disabled_at IS NULL;

-- name: NoteFeedUse :exec
-- Once an hour is enough to see whether anybody still reads a feed.
UPDATE calendar_feed SET last_used_at = @now
WHERE org_id = @org_id AND id = @id AND (last_used_at IS NULL OR last_used_at <= @hour_ago);

-- name: ListSchedulesOfPerson :many
-- The active schedules on which somebody can be on call, now or by an override that ends after since.
SELECT s.id FROM schedule s
WHERE s.org_id = @org_id AND s.status = 'active' AND (
    EXISTS (SELECT FROM rotation r JOIN rotation_person p ON p.org_id = r.org_id AND p.rotation_id = r.id
            WHERE r.org_id = s.org_id AND r.schedule_id = s.id AND p.user_id = @user_id)
    OR EXISTS (SELECT FROM schedule_override o
               WHERE o.org_id = s.org_id AND o.schedule_id = s.id AND o.user_id = @user_id::uuid AND o.ends_at > @since))
ORDER BY lower(s.name), s.id;

-- name: LatestChange :one
-- When one of the schedules, or an override of one, was changed last.
SELECT coalesce(max(coalesce(updated_at, created_at)), 'epoch')::timestamptz AS changed_at FROM schedule
WHERE org_id = @org_id AND id = ANY(@ids::uuid[]);
