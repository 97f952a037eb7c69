-- name: InsertInvitation :exec
-- mail_due_at is when the mail is due, NULL for a link.
INSERT INTO invitation (org_id, id, email, role, send, token_hash, invited_by, invited_by_key, created_at, expires_at, mail_due_at)
VALUES (@org_id, @id, @email, @role, @send, @token_hash, sqlc.narg('invited_by'), sqlc.narg('invited_by_key'), @created_at, @expires_at, sqlc.narg('mail_due_at'));

-- name: RevokeInvitationsOf :exec
-- Those of an address that still wait.
UPDATE invitation SET revoked_at = @now::timestamptz, mail_due_at = NULL
WHERE org_id = @org_id AND lower(email) = lower(@email::text) AND accepted_at IS NULL AND revoked_at IS NULL;

-- name: RevokeInvitation :exec
-- Unless nothing waits any more.
UPDATE invitation SET revoked_at = @now::timestamptz, mail_due_at = NULL
WHERE org_id = @org_id AND id = @id AND accepted_at IS NULL AND revoked_at IS NULL;

-- name: LockOrgForInvitations :exec
-- Two invitations of one address, or the last two that an organization may have, follow each other.
SELECT pg_advisory_xact_lock(hashtext('nightbell invitations'), hashtext(@organization::text));

-- name: CountWaitingInvitations :one
SELECT count(*) FROM invitation
WHERE org_id = @org_id AND accepted_at IS NULL AND revoked_at IS NULL AND expires_at > @now;

-- name: IsMember :one
SELECT EXISTS (SELECT FROM membership m JOIN users u ON u.id = m.user_id
               WHERE m.org_id = @org_id AND lower(u.email) = lower(@email::text))::boolean;

-- name: ListInvitations :many
-- All of them, or one, or those of a status.
SELECT i.id, i.email, i.role, i.send, i.invited_by, i.invited_by_key, coalesce(u.name, k.name, '')::text AS invited_by_name, i.created_at, i.expires_at,
       i.accepted_at, i.revoked_at, i.mailed_at, i.mail_error
FROM invitation i LEFT JOIN users u ON u.id = i.invited_by LEFT JOIN api_key k ON k.org_id = i.org_id AND k.id = i.invited_by_key
WHERE i.org_id = @org_id AND (sqlc.narg('id')::uuid IS NULL OR i.id = sqlc.narg('id'))
  AND (@status::text = '' OR @status = CASE WHEN i.accepted_at IS NOT NULL THEN 'accepted' WHEN i.revoked_at IS NOT NULL THEN 'revoked'
                                            WHEN i.expires_at <= @now::timestamptz THEN 'expired' ELSE 'pending' END)
  AND (sqlc.narg('before')::timestamptz IS NULL OR (i.created_at, i.id) < (sqlc.narg('before'), sqlc.narg('before_id')::uuid))
ORDER BY i.created_at DESC, i.id DESC LIMIT sqlc.narg('most')::integer;

-- name: FindInvitation :one
-- What a link is for. FOR UPDATE of the invitation alone: whoever accepts it twice waits here.
SELECT i.org_id, i.id, i.email, i.role, i.send, i.expires_at, i.accepted_at, i.revoked_at, o.name AS org_name,
       coalesce(inviter.name, '')::text AS invited_by_name,
       EXISTS (SELECT FROM users a WHERE lower(a.email) = lower(i.email))::boolean AS has_account
FROM invitation i
JOIN org o ON o.id = i.org_id
LEFT JOIN users inviter ON inviter.id = i.invited_by
WHERE i.token_hash = @token_hash FOR NO KEY UPDATE OF i;

-- name: AcceptInvitation :exec
UPDATE invitation SET accepted_at = @now::timestamptz, mail_due_at = NULL WHERE org_id = @org_id AND id = @id;

-- name: InvitationMailed :exec
UPDATE invitation SET mailed_at = @now::timestamptz, mail_due_at = NULL, mail_error = '' WHERE org_id = @org_id AND id = @id AND accepted_at IS NULL AND revoked_at IS NULL;

-- name: InvitationMailFailed :exec
-- A failure for good ends the tries.
UPDATE invitation SET mail_error = @mail_error, mail_due_at = CASE WHEN @permanent::boolean THEN NULL ELSE mail_due_at END
WHERE org_id = @org_id AND id = @id;

-- name: LockInviter :one
-- What a person or key that invites is now, as nobody else can change it until the transaction ends: what
-- is known of a caller may be some seconds old.
SELECT role FROM membership WHERE org_id = @org_id AND user_id = @user_id FOR SHARE;

-- name: LockInvitingKey :one
SELECT role, scopes FROM api_key WHERE org_id = @org_id AND id = @id AND revoked_at IS NULL FOR SHARE;

-- name: WithdrawInvitations :exec
-- Those of a person or key that give another role than these.
UPDATE invitation SET revoked_at = @now::timestamptz, mail_due_at = NULL
WHERE org_id = @org_id AND @inviter::uuid IN (invited_by, invited_by_key) AND NOT role = ANY(@gives::text[])
  AND accepted_at IS NULL AND revoked_at IS NULL;
