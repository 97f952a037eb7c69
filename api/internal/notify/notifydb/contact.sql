-- name: InsertContact :exec
INSERT INTO contact_method (org_id, id, user_id, kind, name, address, address_sealed, secret_sealed, hint, created_at, verified_at, verification_due_at)
VALUES (@org_id, @id, @user_id, @kind, @name, @address, @address_sealed, @secret_sealed, @hint, @now::timestamptz,
        CASE WHEN NOT @verify::boolean THEN @now::timestamptz END, CASE WHEN @verify::boolean THEN @now::timestamptz END);

-- name: ListContacts :many
-- A person's own, then the shared ones.
SELECT id, user_id, kind, name, hint, created_at, verified_at,
       CASE WHEN disabled_at IS NULL THEN '' ELSE coalesce(nullif(disabled_for, ''), 'disabled') END::text AS disabled_reason
FROM contact_method WHERE org_id = @org_id AND (user_id = @user_id::uuid OR user_id IS NULL)
ORDER BY user_id NULLS LAST, created_at, id;

-- name: DeleteContact :execrows
-- A person's own; with shared, one of the organization.
DELETE FROM contact_method WHERE org_id = @org_id AND id = @id AND (user_id = @user_id::uuid OR (@shared::boolean AND user_id IS NULL));

-- name: InsertRule :execrows
-- Writes nothing unless the contact method is the person's own.
INSERT INTO notification_rule (org_id, id, user_id, contact_method_id, urgency, delay_seconds, created_at)
SELECT c.org_id, @id, c.user_id, c.id, @urgency, @delay_seconds, @now
FROM contact_method c WHERE c.org_id = @org_id AND c.id = @contact_method_id AND c.user_id = @user_id::uuid;

-- name: ListRules :many
SELECT id, contact_method_id, urgency, delay_seconds FROM notification_rule
WHERE org_id = @org_id AND user_id = @user_id ORDER BY urgency, delay_seconds, created_at;

-- name: DeleteRule :execrows
DELETE FROM notification_rule WHERE org_id = @org_id AND id = @id AND user_id = @user_id;
