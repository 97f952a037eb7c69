-- name: InsertAPIKey :exec
INSERT INTO api_key (org_id, id, name, prefix, hash, role, scopes, created_by, created_at, expires_at)
VALUES (@org_id, @id, @name, @prefix, @hash, @role, @scopes, sqlc.narg('created_by'), @created_at, @expires_at);

-- name: ListAPIKeys :many
-- All of them, or one, or those that have no scope besides the held ones.
SELECT id, name, prefix, role, scopes, created_at, expires_at, last_used_at, revoked_at
FROM api_key WHERE org_id = @org_id AND (sqlc.narg('id')::uuid IS NULL OR id = sqlc.narg('id'))
  AND (sqlc.narg('held')::text[] IS NULL OR scopes <@ sqlc.narg('held'))
  AND (sqlc.narg('before')::timestamptz IS NULL OR (created_at, id) < (sqlc.narg('before'), sqlc.narg('before_id')::uuid))
ORDER BY created_at DESC, id DESC LIMIT sqlc.narg('most')::integer;

-- name: LockAPIKey :one
SELECT hash FROM api_key WHERE org_id = @org_id AND id = @id FOR UPDATE;

-- name: UpdateAPIKey :exec
UPDATE api_key SET name = @name, role = @role, scopes = @scopes WHERE org_id = @org_id AND id = @id;

-- name: RevokeAPIKey :one
-- Revoking again keeps the first time.
UPDATE api_key SET revoked_at = coalesce(revoked_at, @revoked_at::timestamptz)
WHERE org_id = @org_id AND id = @id
RETURNING hash;

-- name: FindAPIKey :one
SELECT id, org_id, name, role, scopes, expires_at, revoked_at FROM api_key WHERE hash = @hash;

-- name: TouchAPIKey :exec
-- Only when it was last used before unless_since, so that a busy key does not write all the time.
UPDATE api_key SET last_used_at = @used_at::timestamptz
WHERE hash = @hash AND (last_used_at IS NULL OR last_used_at < @unless_since::timestamptz);
