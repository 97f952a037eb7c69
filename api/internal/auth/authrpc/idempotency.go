package authrpc

import (
	"bytes"
	"context"
	"crypto/hmac"
	"crypto/sha256"
	"errors"
	"fmt"
	"log/slog"
	"time"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"
	"google.golang.org/genproto/googleapis/api/annotations"
	"google.golang.org/protobuf/proto"
	"google.golang.org/protobuf/reflect/protoregistry"

	"github.com/nightbell/nightbell/api/internal/auth"
	"github.com/nightbell/nightbell/api/internal/kernel/fault"
	"github.com/nightbell/nightbell/api/internal/platform/postgres"
	"github.com/nightbell/nightbell/api/internal/platform/rpcserver"
	"github.com/nightbell/nightbell/api/internal/platform/secret"
)

const (
	// repeatable is how long a repeat is recognised.
	repeatable = 72 * time.Hour
	// abandoned is when a request that was not carried out is taken to have ended with its process: an answer to
	// many incidents may take 10 s and then 40, and what is kept of it 5 more. Sooner, a repeat would run beside it.
	abandoned = 70 * time.Second
	// longestIdempotencyKey is kept as it is.
	longestIdempotencyKey = 255
)

// Idempotency is the step that carries out a POST with the header Idempotency-Key once for each caller and method: the
// key commits with what the call changes, so that no crash lets a repeat do it again. A repeat within 72 hours gets the
// stored answer, with Idempotent-Replayed. It stands last, and a refusal gives the key back.
func Idempotency(db *postgres.DB, box *secret.Box, logger *slog.Logger) rpcserver.Step {
	return func(ctx context.Context, call *rpcserver.Call, message proto.Message, next rpcserver.Next) (proto.Message, error) {
		actor, known := auth.ActorFrom(ctx)
		text := call.Header.Get("Idempotency-Key")
		if text == "" || !known || !isPost(call) {
			return next(ctx, message)
		}
		if len(text) > longestIdempotencyKey { // its hash stands for it, as for what programs report
			text = fmt.Sprintf("%x", sha256.Sum256([]byte(text)))
		}
		key, err := newIdempotencyKey(actor, call, text, message, box.Derive("idempotency"))
		if err != nil {
			return nil, err
		}
		key.transact, key.box = within(db, call, actor), box
		stored, err := key.claim(ctx)
		if err != nil {
			return nil, err
		}
		if stored != nil {
			return key.replay(call, stored)
		}
		answer, err := next(postgres.WithFirst(ctx, key.carriedOut), message)
		if kept := key.finish(ctx, answer, err); kept != nil {
			logger.ErrorContext(ctx, "the outcome of an Idempotency-Key could not be kept", "error", kept)
		}
		return answer, err
	}
}

// isPost: the rule is about REST's verb, and holds on every transport.
func isPost(call *rpcserver.Call) bool {
	rule, _ := proto.GetExtension(call.Method.Options(), annotations.E_Http).(*annotations.HttpRule)
	return rule.GetPost() != "" && call.Authz.GetMutates() && !call.Stream
}

// idempotencyKey is one key of one caller for one method.
type idempotencyKey struct {
	transact        postgres.Transact
	box             *secret.Box
	orgID, callerID uuid.UUID
	method, key     string
	hash            []byte
	// claimedAt says whose claim it is: a repeat that took the key for abandoned has a later one.
	claimedAt time.Time
}

// newIdempotencyKey has a hash of the decoded request, to which spaces, the order of fields and compression do not
// matter. It has a key of its own, because a request may hold a password, and whoever reads the table could try many.
func newIdempotencyKey(actor auth.Actor, call *rpcserver.Call, text string, message proto.Message, hashKey []byte) (idempotencyKey, error) {
	encoded, err := proto.MarshalOptions{Deterministic: true}.Marshal(message)
	mac := hmac.New(sha256.New, hashKey)
	mac.Write(encoded)
	key := idempotencyKey{orgID: actor.OrgID, method: call.Procedure, key: text, hash: mac.Sum(nil)}
	if caller := actor.ID(); caller != nil {
		key.callerID = *caller
	}
	return key, err
}

var errInProgress = fault.New(fault.Conflict, "idempotency_in_progress",
	"The first request with this Idempotency-Key is still being carried out, or its answer was lost. Try again; if this stays, read what it was to change.").After(1)

// claimLock is how long a repeat waits for the first request to commit: it holds a connection that others need for their
// answers meanwhile.
const claimLock = 500 * time.Millisecond

// claim takes the key, or gives the stored answer of the request that took it first.
func (k *idempotencyKey) claim(ctx context.Context) (stored []byte, err error) {
	err = k.transact(ctx, k.orgID, func(ctx context.Context, tx pgx.Tx) error {
		now, err := postgres.Now(ctx, tx)
		if err != nil {
			return err
		}
		k.claimedAt = now
		claimed, err := tx.Exec(ctx, `
			INSERT INTO idempotency_key AS k (org_id, caller_id, method, key, request_hash, created_at) VALUES ($1, $2, $3, $4, $5, $6)
			ON CONFLICT (org_id, caller_id, method, key) DO UPDATE
			SET request_hash = excluded.request_hash, carried_out = false, response = NULL, created_at = excluded.created_at
			WHERE k.created_at < $7 OR (NOT k.carried_out AND k.created_at < $8)`,
			k.orgID, k.callerID, k.method, k.key, k.hash, now, now.Add(-repeatable), now.Add(-abandoned))
		if err != nil || claimed.RowsAffected() == 1 {
			return err
		}
		stored, err = k.first(ctx, tx)
		return err
	}, postgres.LockTimeout(claimLock))
	if postgres.IsLockTimeout(err) {
		return nil, errInProgress
	}
	return stored, err
}

// first is the answer of the request that has the key, or why there is none.
func (k *idempotencyKey) first(ctx context.Context, tx pgx.Tx) (stored []byte, err error) {
	var hash []byte
	var carriedOut bool
	err = tx.QueryRow(ctx, `SELECT request_hash, carried_out, response FROM idempotency_key
		WHERE org_id = $1 AND caller_id = $2 AND method = $3 AND key = $4`, k.orgID, k.callerID, k.method, k.key).Scan(&hash, &carriedOut, &stored)
	switch {
	case err != nil && !errors.Is(err, pgx.ErrNoRows):
		return nil, err
	case err == nil && !bytes.Equal(hash, k.hash):
		return nil, fault.New(fault.Unprocessable, "idempotency_mismatch", "This Idempotency-Key was used for another request. Use a new one.")
	case err == nil && stored != nil:
		return stored, nil
	}
	// Also when the first one was refused in this moment and has given the key back.
	return nil, errInProgress
}

// carriedOut commits with what the request changes.
func (k *idempotencyKey) carriedOut(batch *pgx.Batch) {
	batch.Queue(`UPDATE idempotency_key SET carried_out = true WHERE org_id = $1 AND caller_id = $2 AND method = $3 AND key = $4 AND created_at = $5`,
		k.orgID, k.callerID, k.method, k.key, k.claimedAt)
}

// place is what the stored answer is sealed for: it may hold secrets.
func (k *idempotencyKey) place() string {
	return "idempotency_key/" + k.orgID.String() + "/" + k.callerID.String() + k.method
}

// finish stores the answer, or gives the key back after a refusal. After a failure of ours it is
// given back only when nothing was committed.
func (k *idempotencyKey) finish(ctx context.Context, answer proto.Message, failure error) error {
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), auditPatience)
	defer cancel()
	var sealed []byte
	if failure == nil {
		plain, err := proto.Marshal(answer)
		if err != nil {
			return err
		}
		sealed = k.box.Seal(plain, k.place())
	}
	refusal, refused := fault.Of(failure)
	refused = refused && refusal.Kind != fault.Internal && refusal.Kind != fault.Unavailable
	return k.transact(ctx, k.orgID, func(ctx context.Context, tx pgx.Tx) error {
		if failure == nil {
			_, err := tx.Exec(ctx, `UPDATE idempotency_key SET carried_out = true, response = $6 WHERE org_id = $1 AND caller_id = $2 AND method = $3 AND key = $4 AND created_at = $5`,
				k.orgID, k.callerID, k.method, k.key, k.claimedAt, sealed)
			return err
		}
		_, err := tx.Exec(ctx, `DELETE FROM idempotency_key WHERE org_id = $1 AND caller_id = $2 AND method = $3 AND key = $4 AND created_at = $5 AND ($6 OR NOT carried_out)`,
			k.orgID, k.callerID, k.method, k.key, k.claimedAt, refused)
		return err
	})
}

// replay gives the stored answer; REST derives the same status and Location from it.
func (k *idempotencyKey) replay(call *rpcserver.Call, stored []byte) (proto.Message, error) {
	plain, err := k.box.Open(stored, k.place())
	if err != nil {
		return nil, err
	}
	known, err := protoregistry.GlobalTypes.FindMessageByName(call.Method.Output().FullName())
	if err != nil {
		return nil, err
	}
	answer := known.New().Interface()
	if err := proto.Unmarshal(plain, answer); err != nil {
		return nil, err
	}
	call.ResponseHeader.Set("Idempotent-Replayed", "true")
	return answer, nil
}
