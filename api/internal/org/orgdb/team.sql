-- name: InsertTeam :exec
INSERT INTO team (org_id, id, name, description, created_at) VALUES (@org_id, @id, @name, @description, @created_at);

-- name: InsertTeamMembers :exec
-- Breaks a foreign key when one of them is not a member of the organization. Who is in the team
-- already keeps the place in its order.
INSERT INTO team_member (org_id, team_id, user_id, created_at)
SELECT @org_id, @team_id, unnest(@user_ids::uuid[]), @created_at
ON CONFLICT (org_id, team_id, user_id) DO NOTHING;

-- name: ListTeams :many
-- Every team, or the one with the id.
SELECT t.id, t.name, t.description,
       coalesce(array_agg(tm.user_id ORDER BY tm.user_id) FILTER (WHERE tm.user_id IS NOT NULL), '{}')::uuid[] AS member_ids
FROM team t
LEFT JOIN team_member tm ON tm.org_id = t.org_id AND tm.team_id = t.id
WHERE t.org_id = @org_id AND (sqlc.narg('id')::uuid IS NULL OR t.id = sqlc.narg('id'))
  AND (sqlc.narg('after_name')::text IS NULL OR (lower(t.name), t.id) > (lower(sqlc.narg('after_name')), sqlc.narg('after_id')::uuid))
GROUP BY t.org_id, t.id
ORDER BY lower(t.name), t.id LIMIT sqlc.narg('most')::integer;

-- name: UpdateTeam :exec
UPDATE team SET name = @name, description = @description WHERE org_id = @org_id AND id = @id;

-- name: DeleteTeamMembers :exec
-- Removes the members of a team, but for those to keep.
DELETE FROM team_member WHERE org_id = @org_id AND team_id = @team_id AND NOT user_id = ANY(@keep::uuid[]);

-- name: LockTeam :one
-- Until the transaction ends, nobody else edits it, and no policy begins to page it.
SELECT name FROM team WHERE org_id = @org_id AND id = @id FOR UPDATE;

-- name: ListPoliciesOfTeam :many
-- The policies that page a team.
SELECT DISTINCT p.name FROM escalation_target t JOIN escalation_policy p ON p.org_id = t.org_id AND p.id = t.policy_id
WHERE t.org_id = @org_id AND t.team_id = @team_id::uuid ORDER BY p.name;

-- name: DeleteTeam :exec
DELETE FROM team WHERE org_id = @org_id AND id = @id;
