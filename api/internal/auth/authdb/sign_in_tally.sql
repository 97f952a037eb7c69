-- name: LockTallies :many
-- Locks the slots, and makes the missing ones, in the order of their numbers: two sign-ins that
-- share slots cannot deadlock.
INSERT INTO sign_in_tally (slot, counted_at, next_turn)
SELECT s.slot, @now, @now FROM unnest(@slots::integer[]) AS s (slot) ORDER BY s.slot
ON CONFLICT (slot) DO UPDATE SET slot = excluded.slot
RETURNING slot, failures, counted_at, next_turn;

-- name: SaveTallies :exec
UPDATE sign_in_tally t SET failures = n.failures, counted_at = n.counted_at, next_turn = n.next_turn
FROM (SELECT unnest(@slots::integer[]) AS slot, unnest(@failures::float8[]) AS failures,
             unnest(@counted_at::timestamptz[]) AS counted_at, unnest(@next_turns::timestamptz[]) AS next_turn) n
WHERE t.slot = n.slot;

-- name: ReturnAttempt :exec
-- Takes an attempt out of what it was counted in, and forgets all failures of one of them.
-- FOR UPDATE with ORDER BY locks in the order of LockTallies.
UPDATE sign_in_tally t SET failures = CASE t.slot WHEN @forgotten::integer THEN 0 ELSE greatest(0, t.failures - 1) END
FROM (SELECT l.slot FROM sign_in_tally l WHERE l.slot = ANY (@slots::integer[]) ORDER BY l.slot FOR UPDATE) locked
WHERE t.slot = locked.slot;
