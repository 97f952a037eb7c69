-- name: InsertOrg :exec
INSERT INTO org (id, kind, name, plan, trial_ends_at, created_at) VALUES (@id, @kind, @name, @plan, @trial_ends_at, @created_at);

-- name: SetDefaultPolicy :exec
UPDATE org SET default_policy_id = @policy_id::uuid WHERE id = @org_id;

-- name: ReadOrg :one
SELECT id, kind, name, created_at FROM org WHERE id = @org_id;

-- name: LockOrg :exec
SELECT FROM org WHERE id = @org_id FOR NO KEY UPDATE;

-- name: RenameOrg :exec
UPDATE org SET name = @name WHERE id = @org_id;
