-- name: SaveSharedContact :exec
-- The channel of an integration: written again whenever the integration is configured. What waits for
-- it to answer again is then tried at once.
INSERT INTO contact_method (org_id, id, kind, name, address_sealed, hint, created_at)
VALUES (@org_id, @id, @kind, @name, @address_sealed, @hint, @now)
ON CONFLICT (org_id, id) DO UPDATE SET name = excluded.name, address_sealed = excluded.address_sealed, hint = excluded.hint,
    disabled_at = NULL, disabled_for = '', failures = 0, failing_since = NULL, failing_for = '',
    next_try_at = CASE WHEN contact_method.next_try_at IS NOT NULL THEN excluded.created_at END;

-- name: DisableContact :exec
UPDATE contact_method SET disabled_at = @now::timestamptz, disabled_for = @reason WHERE org_id = @org_id AND id = @id;

-- name: ListInbox :many
SELECT id, sender, recipient, subject, received_at FROM inbox_mail WHERE org_id = @org_id AND (sqlc.narg('before')::timestamptz IS NULL OR (received_at, id) < (sqlc.narg('before'), sqlc.narg('before_id')::uuid))
ORDER BY received_at DESC, id DESC LIMIT @most;

-- name: GetInboxMail :one
SELECT id, sender, recipient, subject, text_sealed, html_sealed, received_at FROM inbox_mail WHERE org_id = @org_id AND id = @id;
