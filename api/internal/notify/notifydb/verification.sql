-- name: AskVerification :one
-- Makes the mail with the link due again, and says whether the address is verified already.
-- A person may ask for their own contact methods, and with everybody for all.
UPDATE contact_method SET verification_tries = 0, verification_due_at = CASE WHEN verified_at IS NULL AND kind = 'email' THEN @now::timestamptz END
WHERE org_id = @org_id AND id = @id AND deleted_at IS NULL AND (@everybody::boolean OR user_id = @user_id::uuid)
RETURNING (verified_at IS NOT NULL OR kind <> 'email')::boolean AS verified;

-- name: VerificationSent :exec
-- Unless it was asked for again meanwhile.
UPDATE contact_method SET verification_due_at = NULL WHERE org_id = @org_id AND id = @id AND verification_due_at = @next_try_at::timestamptz;

-- name: ReadVerification :one
SELECT hint, (verified_at IS NOT NULL)::boolean AS verified FROM contact_method WHERE org_id = @org_id AND id = @id AND kind = 'email' AND deleted_at IS NULL;

-- name: VerifyContact :execrows
UPDATE contact_method SET verified_at = coalesce(verified_at, @now::timestamptz), verification_due_at = NULL
WHERE org_id = @org_id AND id = @id AND kind = 'email' AND deleted_at IS NULL;
