-- name: InsertService :exec
INSERT INTO service (org_id, id, name, description, team_id, owner_user_id, escalation_policy_id, repo_url, runbook_url, tier, grouping, created_at, updated_at)
VALUES (@org_id, @id, @name, @description, @team_id, @owner_user_id, @escalation_policy_id, @repo_url, @runbook_url, @tier, @grouping, @now, @now);

-- name: LockService :one
-- Until the transaction ends, nobody else edits it.
SELECT name FROM service WHERE org_id = @org_id AND id = @id AND deleted_at IS NULL FOR NO KEY UPDATE;

-- name: UpdateService :exec
UPDATE service SET name = @name, description = @description, team_id = @team_id, owner_user_id = @owner_user_id,
    escalation_policy_id = @escalation_policy_id, repo_url = @repo_url, runbook_url = @runbook_url, tier = @tier, grouping = @grouping, updated_at = @now
WHERE org_id = @org_id AND id = @id AND deleted_at IS NULL;

-- name: DeleteService :execrows
UPDATE service SET deleted_at = @now::timestamptz, escalation_policy_id = NULL, updated_at = @now::timestamptz WHERE org_id = @org_id AND id = @id AND deleted_at IS NULL;

-- name: DeleteServiceKeys :exec
DELETE FROM service_key WHERE org_id = @org_id AND service_id = @service_id;

-- name: InsertServiceKey :exec
INSERT INTO service_key (hash, org_id, service_id, sealed, created_at) VALUES (@hash, @org_id, @service_id, @sealed, @now);

-- name: ExpireServiceKeys :exec
-- The end of a rotation's overlap; keys that end sooner keep their end.
UPDATE service_key SET expires_at = least(expires_at, @expires_at::timestamptz) WHERE org_id = @org_id AND service_id = @service_id;

-- name: ListServices :many
-- Every service, those after a place in the list, or the one with the id, with what its open incidents say about it.
SELECT s.id, s.name, s.description, s.team_id, s.owner_user_id, s.escalation_policy_id, s.repo_url, s.runbook_url, s.tier, s.grouping, s.created_at, s.updated_at,
       coalesce(t.name, '')::text AS team, coalesce(u.name, '')::text AS owner, coalesce(p.name, '')::text AS policy_name,
       (SELECT count(*) FROM incidents_of_service(s.org_id, s.id))::integer AS open_incidents,
       coalesce((SELECT i.severity FROM incidents_of_service(s.org_id, s.id) i
                 ORDER BY array_position(ARRAY['critical', 'high', 'medium', 'low'], i.severity) LIMIT 1), '')::text AS worst_severity,
       coalesce(last.triggered_at, 'epoch')::timestamptz AS last_incident_at, -- epoch: none yet
       ARRAY(SELECT d.depends_on_id FROM service_dependency d JOIN service n ON n.org_id = d.org_id AND n.id = d.depends_on_id AND n.deleted_at IS NULL
             WHERE d.org_id = s.org_id AND d.service_id = s.id ORDER BY d.depends_on_id)::uuid[] AS depends_on_ids,
       (SELECT k.sealed FROM service_key k WHERE k.org_id = s.org_id AND k.service_id = s.id AND k.expires_at IS NULL
        ORDER BY k.created_at DESC LIMIT 1)::bytea AS sealed_key
FROM service s
LEFT JOIN team t ON t.org_id = s.org_id AND t.id = s.team_id
LEFT JOIN users u ON u.id = s.owner_user_id
LEFT JOIN escalation_policy p ON p.org_id = s.org_id AND p.id = s.escalation_policy_id
LEFT JOIN LATERAL (SELECT i.triggered_at FROM incident i WHERE i.org_id = s.org_id AND i.service_id = s.id
                   ORDER BY i.triggered_at DESC LIMIT 1) last ON true
WHERE s.org_id = @org_id AND s.deleted_at IS NULL AND (sqlc.narg('id')::uuid IS NULL OR s.id = sqlc.narg('id'))
  AND (sqlc.narg('after_name')::text IS NULL OR (lower(s.name), s.id) > (lower(sqlc.narg('after_name')), sqlc.narg('after_id')::uuid))
ORDER BY lower(s.name), s.id LIMIT sqlc.narg('most')::integer;

-- name: CountServices :one
-- How many of these there are.
SELECT count(*) FROM service WHERE org_id = @org_id AND id = ANY(@ids::uuid[]) AND deleted_at IS NULL;

-- name: SetDependencies :exec
-- What is on the list stays, what is not goes.
WITH gone AS (DELETE FROM service_dependency d WHERE d.org_id = @org_id AND d.service_id = @service_id AND d.depends_on_id <> ALL(@ids::uuid[]))
INSERT INTO service_dependency (org_id, service_id, depends_on_id) SELECT @org_id, @service_id, unnest(@ids::uuid[]) ON CONFLICT DO NOTHING;

-- name: FindRoute :one
-- Where the alerts of a key go. Runs before the organization is known.
SELECT k.org_id, k.service_id, s.name, coalesce(s.escalation_policy_id, o.default_policy_id) AS policy_id, s.grouping
FROM service_key k
JOIN service s ON s.org_id = k.org_id AND s.id = k.service_id AND s.deleted_at IS NULL
JOIN org o ON o.id = k.org_id
WHERE k.hash = @hash AND (k.expires_at IS NULL OR k.expires_at > nightbell_now());

-- name: References :one
-- Whether what a service points at exists in this organization.
SELECT (sqlc.narg('team_id')::uuid IS NULL OR EXISTS (SELECT FROM team t WHERE t.org_id = @org_id AND t.id = sqlc.narg('team_id')))::boolean AS team,
       (sqlc.narg('owner_user_id')::uuid IS NULL OR EXISTS (SELECT FROM membership m WHERE m.org_id = @org_id AND m.user_id = sqlc.narg('owner_user_id')))::boolean AS owner,
       (sqlc.narg('policy_id')::uuid IS NULL OR EXISTS (SELECT FROM escalation_policy p WHERE p.org_id = @org_id AND p.id = sqlc.narg('policy_id')))::boolean AS policy;
