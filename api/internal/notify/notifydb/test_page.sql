-- name: CountTestPages :one
-- Those of a person since a time, and whether one to this contact is under way.
SELECT count(*) FILTER (WHERE created_at > @since)::integer AS sent,
       coalesce(bool_or(contact_method_id = @contact_method_id AND finished_at IS NULL), false)::boolean AS under_way
FROM test_page WHERE org_id = @org_id AND user_id = @user_id AND created_at > @since;

-- name: FindTestable :one
-- One of a person's own contact methods.
SELECT kind, (verified_at IS NOT NULL)::boolean AS verified, CASE WHEN disabled_at IS NULL THEN '' ELSE coalesce(nullif(disabled_for, ''), 'disabled') END::text AS disabled_reason
FROM contact_method WHERE org_id = @org_id AND id = @id AND user_id = @user_id::uuid AND deleted_at IS NULL FOR NO KEY UPDATE;

-- name: InsertTestPage :exec
INSERT INTO test_page (org_id, id, contact_method_id, user_id, channel, status, created_at)
VALUES (@org_id, @id, @contact_method_id, @user_id, @channel, 'queued', @created_at);

-- name: ListTestPages :many
-- A person's own, or one of them.
SELECT id, contact_method_id, channel, status, detail, created_at, finished_at FROM test_page
WHERE org_id = @org_id AND user_id = @user_id AND (sqlc.narg('id')::uuid IS NULL OR id = sqlc.narg('id'))
  AND (sqlc.narg('before')::timestamptz IS NULL OR (created_at, id) < (sqlc.narg('before'), sqlc.narg('before_id')::uuid))
ORDER BY created_at DESC, id DESC LIMIT sqlc.narg('most')::integer;

-- name: EndDeadTestPages :exec
-- Whoever sent them has died.
UPDATE test_page SET status = 'failed', finished_at = @now::timestamptz, lease_until = NULL, detail = 'Nightbell stopped before it heard the answer.'
WHERE finished_at IS NULL AND status = 'sending' AND lease_until < @now::timestamptz;

-- name: ClaimTestPages :many
-- Those that wait, so that no other replica sends them.
UPDATE test_page p SET status = 'sending', lease_until = @lease_until::timestamptz
FROM (SELECT w.org_id, w.id FROM test_page w WHERE w.finished_at IS NULL AND w.status = 'queued'
      ORDER BY w.created_at LIMIT @most FOR UPDATE SKIP LOCKED) due
WHERE p.org_id = due.org_id AND p.id = due.id
RETURNING p.org_id, p.id, p.contact_method_id, p.user_id, p.channel;

-- name: FinishTestPage :exec
WITH ended AS (
    UPDATE test_page p SET status = @status::text, finished_at = @now::timestamptz, lease_until = NULL, detail = @detail, provider_id = @provider_id
    WHERE p.org_id = @org_id AND p.id = @id AND p.status = 'sending' RETURNING p.org_id, p.contact_method_id
)
UPDATE contact_method c SET tested_at = @now::timestamptz, test_status = @status::text FROM ended e WHERE c.org_id = e.org_id AND c.id = e.contact_method_id;
