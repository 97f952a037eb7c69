-- name: RememberDevice :exec
INSERT INTO known_device (user_id, device_hash, seen_at) VALUES (@user_id, @device_hash, @seen_at)
ON CONFLICT (user_id, device_hash) DO UPDATE SET seen_at = excluded.seen_at;

-- name: ForgetOldDevices :exec
-- Keeps the twenty that were seen last.
DELETE FROM known_device d
WHERE d.user_id = @user_id AND d.device_hash NOT IN (
    SELECT k.device_hash FROM known_device k WHERE k.user_id = @user_id ORDER BY k.seen_at DESC LIMIT 20);
