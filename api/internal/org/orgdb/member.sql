-- name: InsertMember :exec
INSERT INTO membership (org_id, user_id, role, created_at) VALUES (@org_id, @user_id, @role, @created_at);

-- name: ListMembers :many
-- The members of the transaction's organization, in the order of their names, or the one with the id.
SELECT u.id, u.name, u.email, u.timezone, m.role, m.created_at AS joined_at
FROM membership m
JOIN users u ON u.id = m.user_id
WHERE m.org_id = @org_id AND u.disabled_at IS NULL AND (sqlc.narg('id')::uuid IS NULL OR u.id = sqlc.narg('id'))
  AND (sqlc.narg('after_name')::text IS NULL OR (lower(u.name), u.id) > (lower(sqlc.narg('after_name')), sqlc.narg('after_id')::uuid))
ORDER BY lower(u.name), u.id LIMIT sqlc.narg('most')::integer;
