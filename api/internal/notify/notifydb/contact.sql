-- name: InsertContact :exec
INSERT INTO contact_method (org_id, id, user_id, kind, name, address, address_sealed, secret_sealed, hint, created_at, verified_at, verification_due_at)
VALUES (@org_id, @id, @user_id, @kind, @name, @address, @address_sealed, @secret_sealed, @hint, @now::timestamptz,
        CASE WHEN NOT @verify::boolean THEN @now::timestamptz END, sqlc.narg('mail_at')::timestamptz);

-- name: CountContacts :one
SELECT count(*) FROM contact_method WHERE org_id = @org_id AND deleted_at IS NULL;

-- name: CountContactsOf :one
SELECT count(*) FROM contact_method WHERE org_id = @org_id AND user_id = @user_id::uuid AND deleted_at IS NULL;

-- name: ListContacts :many
-- Those that a caller may see: a person's own and the shared ones, or with everybody all. Narrowed
-- to a person or to one.
SELECT id, user_id, kind, name, hint, created_at, verified_at, failing_since, failing_for,
       CASE WHEN disabled_at IS NULL THEN '' ELSE coalesce(nullif(disabled_for, ''), 'disabled') END::text AS disabled_reason
FROM contact_method
WHERE org_id = @org_id AND deleted_at IS NULL AND (@everybody::boolean OR user_id = @caller_id::uuid OR user_id IS NULL)
  AND (sqlc.narg('user_id')::uuid IS NULL OR user_id = sqlc.narg('user_id')) AND (sqlc.narg('id')::uuid IS NULL OR id = sqlc.narg('id'))
ORDER BY user_id NULLS LAST, created_at, id;

-- name: LockContact :one
-- Whose it is; nobody's when it is shared.
SELECT user_id FROM contact_method WHERE org_id = @org_id AND id = @id AND deleted_at IS NULL FOR NO KEY UPDATE;

-- name: RenameContact :exec
UPDATE contact_method SET name = @name WHERE org_id = @org_id AND id = @id;

-- name: ContactUse :one
-- What would be without a contact that the caller may delete: the policies that page it, and whether
-- it is the last by which an owner is reached.
SELECT ARRAY(SELECT DISTINCT p.name FROM escalation_target t JOIN escalation_policy p ON p.org_id = t.org_id AND p.id = t.policy_id
             WHERE t.org_id = @org_id AND t.contact_method_id = @id ORDER BY p.name)::text[] AS paged_by,
       EXISTS (SELECT FROM contact_method c JOIN membership m ON m.org_id = c.org_id AND m.user_id = c.user_id AND m.role = 'owner'
               WHERE c.org_id = @org_id AND c.id = @id AND (@everybody::boolean OR c.user_id = @user_id::uuid) AND c.disabled_at IS NULL AND NOT EXISTS (
                   SELECT FROM contact_method o WHERE o.org_id = c.org_id AND o.user_id = c.user_id AND o.id <> c.id AND o.disabled_at IS NULL))::boolean AS owners_last;

-- name: DeleteContact :one
-- A person's own; with everybody, any. The row stays, disabled and without its
-- address, so that the log of what was sent to it does; pages that wait go on to the next contact.
WITH gone AS (
    UPDATE contact_method c SET deleted_at = @now::timestamptz, disabled_at = coalesce(c.disabled_at, @now), disabled_for = 'it was deleted',
        address = '', address_sealed = NULL, secret_sealed = NULL, verification_due_at = NULL
    WHERE c.org_id = @org_id AND c.id = @id AND c.deleted_at IS NULL AND (@everybody::boolean OR c.user_id = @user_id::uuid)
    RETURNING c.org_id, c.id
), rules AS (
    DELETE FROM notification_rule r USING gone WHERE r.org_id = gone.org_id AND r.contact_method_id = gone.id
), targets AS (
    DELETE FROM escalation_target t USING gone WHERE t.org_id = gone.org_id AND t.contact_method_id = gone.id
), integrations AS (
    UPDATE integration i SET contact_method_id = NULL FROM gone WHERE i.org_id = gone.org_id AND i.contact_method_id = gone.id
)
SELECT count(*) FROM gone;

-- name: InsertRule :one
-- Writes nothing unless the contact method is the caller's own or, with everybody, another person's.
INSERT INTO notification_rule (org_id, id, user_id, contact_method_id, urgency, delay_seconds, created_at)
SELECT c.org_id, @id, c.user_id, c.id, @urgency, @delay_seconds, @now
FROM contact_method c WHERE c.org_id = @org_id AND c.id = @contact_method_id AND c.deleted_at IS NULL
  AND c.user_id IS NOT NULL AND (@everybody::boolean OR c.user_id = @user_id::uuid)
RETURNING user_id;

-- name: CountRulesOf :one
SELECT count(*) FROM notification_rule WHERE org_id = @org_id AND user_id = @user_id;

-- name: ListRules :many
-- A person's own; with everybody, all. Narrowed to a person or to one.
SELECT id, user_id, contact_method_id, urgency, delay_seconds FROM notification_rule
WHERE org_id = @org_id AND (@everybody::boolean OR user_id = @caller_id::uuid)
  AND (sqlc.narg('user_id')::uuid IS NULL OR user_id = sqlc.narg('user_id')) AND (sqlc.narg('id')::uuid IS NULL OR id = sqlc.narg('id'))
ORDER BY user_id, urgency, delay_seconds, created_at;

-- name: LockRule :one
SELECT user_id FROM notification_rule WHERE org_id = @org_id AND id = @id AND (@everybody::boolean OR user_id = @user_id) FOR UPDATE;

-- name: UpdateRule :exec
UPDATE notification_rule SET urgency = @urgency, delay_seconds = @delay_seconds WHERE org_id = @org_id AND id = @id;

-- name: DeleteRule :execrows
DELETE FROM notification_rule WHERE org_id = @org_id AND id = @id AND (@everybody::boolean OR user_id = @user_id);

-- name: ReachOf :many
-- How people are reached, with how the last test page of each way ended.
SELECT user_id::uuid AS user_id, kind, (verified_at IS NOT NULL)::boolean AS verified, failing_since, tested_at, coalesce(test_status, '')::text AS test_status
FROM contact_method
WHERE org_id = @org_id AND user_id = ANY(@people::uuid[]) AND deleted_at IS NULL AND disabled_at IS NULL
ORDER BY created_at, id;
