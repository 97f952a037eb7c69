-- name: InsertTeam :exec
INSERT INTO team (org_id, id, name, description, created_at) VALUES (@org_id, @id, @name, @description, @created_at);

-- name: InsertTeamMembers :exec
-- Breaks a foreign key when one of them is not a member of the organization.
INSERT INTO team_member (org_id, team_id, user_id, created_at)
SELECT @org_id, @team_id, unnest(@user_ids::uuid[]), @created_at;

-- name: ListTeams :many
SELECT t.id, t.name, t.description,
       coalesce(array_agg(tm.user_id ORDER BY tm.user_id) FILTER (WHERE tm.user_id IS NOT NULL), '{}')::uuid[] AS member_ids
FROM team t
LEFT JOIN team_member tm ON tm.org_id = t.org_id AND tm.team_id = t.id
WHERE t.org_id = @org_id
GROUP BY t.org_id, t.id
ORDER BY lower(t.name);
