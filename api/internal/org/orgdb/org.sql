-- name: InsertOrg :exec
INSERT INTO org (id, kind, name, created_at) VALUES (@id, @kind, @name, @created_at);

-- name: SetDefaultPolicy :exec
UPDATE org SET default_policy_id = @policy_id::uuid WHERE id = @org_id;
