-- name: InsertMember :exec
INSERT INTO membership (org_id, user_id, role, created_at) VALUES (@org_id, @user_id, @role, @created_at);

-- name: LockRoles :many
-- A member and the owners, as nobody else can change them until the transaction ends. In one order,
-- so that two owners who demote each other do not deadlock.
SELECT m.user_id, m.role FROM membership m JOIN users u ON u.id = m.user_id
WHERE m.org_id = @org_id AND (m.user_id = @user_id OR m.role = 'owner') AND u.disabled_at IS NULL
ORDER BY m.user_id FOR NO KEY UPDATE OF m;

-- name: UpdateRole :exec
UPDATE membership SET role = @role WHERE org_id = @org_id AND user_id = @user_id;

-- name: NameAccount :exec
-- The policy of users lets the rest of the transaction change this account alone.
SELECT set_config('nightbell.account', @account::text, true);

-- name: UpdateProfile :exec
UPDATE users SET name = @name, timezone = @timezone WHERE id = @id;

-- name: ListMembers :many
-- The members of the transaction's organization, in the order of their names, or the one with the id.
SELECT u.id, u.name, u.email, u.timezone, m.role, m.created_at AS joined_at
FROM membership m
JOIN users u ON u.id = m.user_id
WHERE m.org_id = @org_id AND u.disabled_at IS NULL AND (sqlc.narg('id')::uuid IS NULL OR u.id = sqlc.narg('id'))
  AND (sqlc.narg('after_name')::text IS NULL OR (lower(u.name), u.id) > (lower(sqlc.narg('after_name')), sqlc.narg('after_id')::uuid))
ORDER BY lower(u.name), u.id LIMIT sqlc.narg('most')::integer;
