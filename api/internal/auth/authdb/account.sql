-- name: InsertAccount :exec
INSERT INTO users (id, name, email, password_hash, phone, timezone, created_at)
VALUES (@id, @name, @email, @password_hash, @phone, @timezone, @created_at);

-- name: LockRegistration :exec
-- Until the transaction ends nobody else registers: "the first account" is decided once.
SELECT pg_advisory_xact_lock(hashtext('nightbell first account'));

-- name: AccountsExist :one
SELECT EXISTS (SELECT FROM users);

-- name: FindAccount :one
-- The account of an e-mail address, and whether it has been used from this device before.
SELECT u.id, u.name, u.password_hash, u.disabled_at,
       EXISTS (SELECT FROM known_device d WHERE d.user_id = u.id AND d.device_hash = @device_hash) AS device_is_known
FROM users u
WHERE lower(u.email) = lower(@email::text);

-- name: ReplacePasswordHash :exec
-- Guarded by the hash that was checked, so that a password changed meanwhile stays.
UPDATE users SET password_hash = @new_hash WHERE id = @id AND password_hash = @old_hash;

-- name: HomeOf :one
-- Where a person lands when signing in: the organization of the latest sign-in, or else the
-- one joined first.
SELECT m.org_id, m.role
FROM membership m
WHERE m.user_id = @user_id
ORDER BY (SELECT max(s.created_at) FROM session s WHERE s.user_id = m.user_id AND s.org_id = m.org_id) DESC NULLS LAST,
         m.created_at, m.org_id
LIMIT 1;

-- name: ReadProfile :one
-- A person in one organization, as the site shows it.
SELECT u.id, u.name, u.email, u.timezone, m.role, o.id AS org_id, o.name AS org_name, o.kind AS org_kind
FROM membership m
JOIN users u ON u.id = m.user_id
JOIN org o ON o.id = m.org_id
WHERE m.org_id = @org_id AND m.user_id = @user_id;

-- name: ReadOrgName :one
SELECT name FROM org WHERE id = @org_id;

-- name: ListOthers :many
-- Who could take somebody's place in an organization, by name.
SELECT u.id, u.name FROM membership m JOIN users u ON u.id = m.user_id
WHERE m.org_id = @org_id AND m.user_id <> @user_id AND u.disabled_at IS NULL
ORDER BY lower(u.name), u.id
LIMIT 1000;
