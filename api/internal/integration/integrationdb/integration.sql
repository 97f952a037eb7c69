-- name: GetIntegration :one
SELECT is_active, config, sealed, contact_method_id FROM integration WHERE org_id = @org_id AND kind = @kind;

-- name: SaveIntegration :exec
INSERT INTO integration (org_id, kind, is_active, config, sealed, contact_method_id, created_at, updated_at)
VALUES (@org_id, @kind, true, @config, @sealed, @contact_method_id, @now, @now)
ON CONFLICT (org_id, kind) DO UPDATE SET is_active = true, config = excluded.config, sealed = excluded.sealed,
    contact_method_id = excluded.contact_method_id, updated_at = excluded.updated_at;

-- name: DeleteIntegration :execrows
DELETE FROM integration WHERE org_id = @org_id AND kind = @kind;
