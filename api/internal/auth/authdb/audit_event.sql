-- name: InsertAuditEvent :exec
INSERT INTO audit_event (org_id, id, at, actor_kind, actor_id, actor_name, method, request, outcome, address, request_id)
VALUES (@org_id, @id, @at, @actor_kind, @actor_id, @actor_name, @method, @request, @outcome, @address, @request_id);

-- name: ListAuditEvents :many
-- Ids are UUIDv7: their order is that of time, and the primary key has it. services are the names that
-- methods of an area begin with, methods those of single ones; NULL is all of them.
SELECT id, at, actor_kind, actor_id, actor_name, method, outcome, address, request, request_id
FROM audit_event
WHERE org_id = @org_id AND (sqlc.narg('before_id')::uuid IS NULL OR id < sqlc.narg('before_id')::uuid)
  AND (sqlc.narg('actor_id')::uuid IS NULL OR actor_id = sqlc.narg('actor_id')::uuid)
  AND (sqlc.narg('pattern')::text IS NULL OR method ~ sqlc.narg('pattern')::text)
  AND (sqlc.narg('since')::timestamptz IS NULL OR at >= sqlc.narg('since')::timestamptz)
  AND (sqlc.narg('until')::timestamptz IS NULL OR at < sqlc.narg('until')::timestamptz)
ORDER BY id DESC LIMIT @most;
