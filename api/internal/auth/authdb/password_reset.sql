-- name: InsertPasswordReset :execrows
-- For the account of an address, unless it was sent enough of them lately. It is one statement whether
-- or not there is such an account.
INSERT INTO password_reset (id, user_id, token_hash, created_at, expires_at, mail_due_at, mailed)
SELECT @id, u.id, @token_hash, @now::timestamptz, @expires_at, @now::timestamptz, true
FROM users u WHERE lower(u.email) = lower(@email::text) AND u.disabled_at IS NULL
  AND (SELECT count(*) FROM password_reset r WHERE r.user_id = u.id AND r.created_at > @since AND r.mailed) < @most::integer;

-- name: InsertPasswordLink :one
-- One that no mail brings: the operator hands it over.
INSERT INTO password_reset (id, user_id, token_hash, created_at, expires_at)
SELECT @id, u.id, @token_hash, @now::timestamptz, @expires_at
FROM users u WHERE lower(u.email) = lower(@email::text) AND u.disabled_at IS NULL
RETURNING user_id;

-- name: InsertPasswordNotice :exec
-- To an address that nobody has confirmed only where that may be: whoever registered it could have a stranger
-- sent a mail with each change.
INSERT INTO password_reset (id, user_id, token_hash, created_at, expires_at, used_at, used_from, mail_due_at)
SELECT @id, u.id, @token_hash, @now::timestamptz, @expires_at, @now::timestamptz, @used_from, @now::timestamptz
FROM users u WHERE u.id = @user_id AND (@unconfirmed::boolean OR EXISTS (
    SELECT FROM contact_method c WHERE c.user_id = u.id AND c.kind = 'email' AND lower(c.address) = lower(u.email) AND c.verified_at IS NOT NULL));

-- name: FindPasswordReset :one
-- FOR UPDATE: whoever uses a link twice at once waits here.
SELECT r.id, r.user_id, r.expires_at, r.used_at, r.mailed, u.name, u.email
FROM password_reset r JOIN users u ON u.id = r.user_id
WHERE r.token_hash = @token_hash AND u.disabled_at IS NULL FOR UPDATE OF r;

-- name: UsePasswordResets :exec
-- All links of the account: none outlives the password that it was for.
UPDATE password_reset SET used_at = coalesce(used_at, @now::timestamptz), mail_due_at = NULL WHERE user_id = @user_id;

-- name: SetPasswordHash :exec
UPDATE users SET password_hash = @password_hash WHERE id = @id;

-- name: OrgsOf :many
SELECT org_id FROM membership WHERE user_id = @user_id ORDER BY org_id;

-- name: PasswordResetMailed :exec
UPDATE password_reset SET mail_due_at = NULL WHERE id = @id;
