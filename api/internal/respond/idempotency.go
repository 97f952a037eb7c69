package respond

import (
	"bytes"
	"context"
	"time"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"

	"github.com/nightbell/nightbell/api/internal/kernel/fault"
)

// IdempotencyKey is what a caller sent in the header Idempotency-Key, with a hash of
// the request it belongs to. The zero value means that there was none.
type IdempotencyKey struct {
	Key         string
	Method      string
	RequestHash []byte
}

// remembered is how long a repeat is recognised.
const remembered = 24 * time.Hour

// claim takes the key for this transaction, or finds the answer of the request that
// took it first; a concurrent one is waited for. The same key with another request
// is a conflict.
func (k IdempotencyKey) claim(ctx context.Context, tx pgx.Tx, orgID uuid.UUID, now time.Time) (first uuid.UUID, repeated bool, err error) {
	if k.Key == "" {
		return uuid.Nil, false, nil
	}
	var hash, response []byte
	var fresh bool
	err = tx.QueryRow(ctx, `
		INSERT INTO idempotency_key AS k (org_id, key, method, request_hash, response, created_at)
		VALUES ($1, $2, $3, $4, '', $5)
		ON CONFLICT (org_id, method, key) DO UPDATE SET
		    request_hash = CASE WHEN k.created_at < $6 THEN excluded.request_hash ELSE k.request_hash END,
		    response     = CASE WHEN k.created_at < $6 THEN '' ELSE k.response END,
		    created_at   = CASE WHEN k.created_at < $6 THEN excluded.created_at ELSE k.created_at END
		RETURNING request_hash, response, length(response) = 0`,
		orgID, k.Key, k.Method, k.RequestHash, now, now.Add(-remembered)).Scan(&hash, &response, &fresh)
	switch {
	case err != nil || fresh:
		return uuid.Nil, false, err
	case !bytes.Equal(hash, k.RequestHash):
		return uuid.Nil, false, fault.New(fault.Conflict, "idempotency_key_reused",
			"This Idempotency-Key was used for another request. Use a new one.")
	}
	first, err = uuid.FromBytes(response)
	return first, true, err
}

// queueRemember adds the statement that stores what the first request made, for its
// repeats, to a pipelined batch.
func (k IdempotencyKey) queueRemember(batch *pgx.Batch, orgID, made uuid.UUID) {
	if k.Key != "" {
		batch.Queue(`UPDATE idempotency_key SET response = $4 WHERE org_id = $1 AND method = $2 AND key = $3`, orgID, k.Method, k.Key, made[:])
	}
}
