-- name: InsertAuditEvent :exec
INSERT INTO audit_event (org_id, id, at, actor_kind, actor_id, method, request, outcome, address, request_id)
VALUES (@org_id, @id, @at, @actor_kind, @actor_id, @method, @request, @outcome, @address, @request_id);
