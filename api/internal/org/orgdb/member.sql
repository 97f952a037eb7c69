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
UPDATE users SET name = @name, timezone = @timezone, phone = @phone WHERE id = @id;

-- name: ListMembers :many
-- The members of the transaction's organization, in the order of their names, or the one with the id.
SELECT u.id, u.name, u.email, u.timezone, u.phone, m.role, m.created_at AS joined_at
FROM membership m
JOIN users u ON u.id = m.user_id
WHERE m.org_id = @org_id AND u.disabled_at IS NULL AND (sqlc.narg('id')::uuid IS NULL OR u.id = sqlc.narg('id'))
  AND (sqlc.narg('after_name')::text IS NULL OR (lower(u.name), u.id) > (lower(sqlc.narg('after_name')), sqlc.narg('after_id')::uuid))
ORDER BY lower(u.name), u.id LIMIT sqlc.narg('most')::integer;

-- name: TeamsOf :many
-- The teams of people, by name.
SELECT m.user_id, t.id, t.name FROM team_member m JOIN team t ON t.org_id = m.org_id AND t.id = m.team_id
WHERE m.org_id = @org_id AND m.user_id = ANY(@people::uuid[]) ORDER BY lower(t.name), t.id;

-- name: SeenOf :many
-- When people were here last. Sessions are out of a tenant's reach: the function knows the organization.
SELECT s.user_id::uuid AS user_id, s.seen_at::timestamptz AS seen_at FROM members_seen(@people::uuid[]) s;
