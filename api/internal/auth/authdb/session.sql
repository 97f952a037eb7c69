-- name: InsertSession :exec
INSERT INTO session (id, user_id, org_id, user_agent, created_at, last_used_at)
VALUES (@id, @user_id, @org_id, @user_agent, @created_at, @now);

-- name: DeleteOldSessions :exec
-- Those of an account beyond the @kept newest, ended ones first: then of the program that has the most (by what it
-- says of itself) whose last use is longest ago, so that a script's sign-ins end no phone's. Not what somebody is renewing.
DELETE FROM session WHERE id = ANY(ARRAY(SELECT l.id FROM session l WHERE l.id IN (
    SELECT s.id FROM session s WHERE s.user_id = @user_id
    ORDER BY s.revoked_at IS NULL DESC,
             row_number() OVER (PARTITION BY s.revoked_at IS NULL, s.user_agent ORDER BY s.last_used_at DESC, s.id DESC),
             s.last_used_at DESC, s.id DESC OFFSET @kept::integer) FOR UPDATE SKIP LOCKED));

-- name: InsertRefreshToken :exec
INSERT INTO refresh_token (hash, session_id, issued_at) VALUES (@hash, @session_id, @issued_at);

-- name: LockRefreshToken :one
-- Parallel refreshes of one session wait here for each other. The membership tells the role
-- of this moment; a session of a person who has left is gone with the membership.
SELECT t.used_at, s.id AS session_id, s.user_id, s.org_id, s.created_at, s.last_used_at, s.revoked_at,
       m.role, u.disabled_at
FROM refresh_token t
JOIN session s ON s.id = t.session_id
JOIN membership m ON m.org_id = s.org_id AND m.user_id = s.user_id
JOIN users u ON u.id = s.user_id
WHERE t.hash = @hash
FOR UPDATE OF t, s;

-- name: FindRefreshToken :one
SELECT used_at FROM refresh_token WHERE hash = @hash;

-- name: MarkRefreshTokenUsed :exec
UPDATE refresh_token SET used_at = @used_at::timestamptz WHERE hash = @hash;

-- name: TouchSession :exec
UPDATE session SET last_used_at = @now WHERE id = @id;

-- name: RevokeSession :exec
UPDATE session SET revoked_at = @revoked_at::timestamptz, revoked_for = @revoked_for WHERE id = @id AND revoked_at IS NULL;

-- name: RevokeSessionOfToken :one
UPDATE session SET revoked_at = @revoked_at::timestamptz, revoked_for = 'logout'
WHERE id = (SELECT t.session_id FROM refresh_token t WHERE t.hash = @hash) AND revoked_at IS NULL
RETURNING id;

-- name: ReadSession :one
-- What an access token is checked against.
SELECT s.user_id, s.org_id, s.created_at, s.last_used_at, s.revoked_at, m.role, u.name, u.disabled_at
FROM session s
JOIN membership m ON m.org_id = s.org_id AND m.user_id = s.user_id
JOIN users u ON u.id = s.user_id
WHERE s.id = @id;

-- name: ListSessions :many
-- Those of an account that can still be used, in whichever organization, or one of them.
SELECT s.id, s.user_agent, s.created_at, s.last_used_at, s.org_id, o.name AS org_name
FROM session s JOIN org o ON o.id = s.org_id
WHERE s.user_id = @user_id AND s.revoked_at IS NULL AND s.last_used_at > @used_since AND s.created_at > @created_since
  AND (sqlc.narg('id')::uuid IS NULL OR s.id = sqlc.narg('id')::uuid)
ORDER BY s.created_at, s.id;

-- name: EndSession :execrows
UPDATE session SET revoked_at = @now::timestamptz, revoked_for = @revoked_for WHERE id = @id AND user_id = @user_id AND revoked_at IS NULL;

-- name: EndSessions :execrows
-- All of an account but one, which may be nobody's.
UPDATE session SET revoked_at = @now::timestamptz, revoked_for = @revoked_for WHERE user_id = @user_id AND id <> @except_id AND revoked_at IS NULL;

-- name: ListOrganizations :many
-- Those of an account, by name.
SELECT o.id, o.name, m.role,
       (SELECT count(*) FROM membership c JOIN users u ON u.id = c.user_id WHERE c.org_id = o.id AND u.disabled_at IS NULL)::integer AS user_count
FROM membership m JOIN org o ON o.id = m.org_id WHERE m.user_id = @user_id ORDER BY lower(o.name), o.id;

-- name: FindMembership :one
SELECT role FROM membership WHERE org_id = @org_id AND user_id = @user_id;
