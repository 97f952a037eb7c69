package authrpc

import (
	"bytes"
	"context"
	"encoding/json"
	"log/slog"
	"net/http"
	"strings"
	"time"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"
	"google.golang.org/protobuf/encoding/protojson"
	"google.golang.org/protobuf/proto"

	"github.com/nightbell/nightbell/api/internal/auth"
	"github.com/nightbell/nightbell/api/internal/auth/authdb"
	"github.com/nightbell/nightbell/api/internal/kernel/fault"
	"github.com/nightbell/nightbell/api/internal/kernel/id"
	"github.com/nightbell/nightbell/api/internal/platform/callquota"
	"github.com/nightbell/nightbell/api/internal/platform/postgres"
	"github.com/nightbell/nightbell/api/internal/platform/rpcserver"
)

const (
	// auditRequestSize caps what is kept of a request, in bytes.
	auditRequestSize = 8 << 10
	// auditRefusedSize caps it where the call was refused: whoever may do nothing fills no disk.
	auditRefusedSize = 256
	// auditRefusedAnswers caps the rows of one caller in a minute that tell of refused answers to incidents, which
	// are the only calls that nobody counts. No answer is refused for it.
	auditRefusedAnswers = 600
	// auditCutSize is room for what says that a request is cut.
	auditCutSize = 64
	// auditPatience is how long writing a row may take, also for a caller who left.
	auditPatience = 5 * time.Second
)

// Storage counts what each organization stores in a day, and knows who is over the quota.
type Storage interface {
	Over(orgID uuid.UUID) bool
	Add(orgID uuid.UUID, bytes int64)
}

// auditRowBytes is about what a row takes beside its request.
const auditRowBytes = 300

// Audit is the step that writes a row for every call that changes something or shows a stored secret: who, what without
// its secrets, from where, how it ended; refused ones too, as it stands before Authorize. It writes before the answer,
// also after the caller hung up. Where it cannot, it logs: a caller told otherwise would repeat what was done.
func Audit(db *postgres.DB, logger *slog.Logger, storage Storage) rpcserver.Step {
	refusedAnswers := callquota.New("refused answers", auditRefusedAnswers, time.Now)
	return func(ctx context.Context, call *rpcserver.Call, message proto.Message, next rpcserver.Next) (proto.Message, error) {
		actor, known := auth.ActorFrom(ctx)
		if (!call.Authz.GetMutates() && !call.Authz.GetReveals()) || !known {
			return next(ctx, message)
		}
		request := auditedRequest(message) // before the method can change it
		answer, err := next(ctx, message)
		most, uncounted := auditRequestSize, answersIncidents(call, actor)
		if _, refused := fault.Of(err); refused {
			most = auditRefusedSize
			if by := actor.ID(); by != nil && uncounted && refusedAnswers.Count(*by, http.Header{}) != nil {
				return answer, err
			}
		}
		if uncounted && storage != nil {
			if storage.Over(actor.OrgID) {
				// The incident's timeline tells what the answer did: beyond the quota a short row is enough.
				most = auditRefusedSize
			}
			storage.Add(actor.OrgID, int64(auditRowBytes+min(most, len(request))))
		}
		keepAudit(ctx, within(db, call, actor), logger, authdb.InsertAuditEventParams{
			OrgID: actor.OrgID, ID: id.New(), ActorKind: string(actor.Kind), ActorID: actor.ID(), ActorName: actor.Name,
			Method: strings.TrimPrefix(call.Procedure, "/"), Request: cutTo(most, request), Outcome: outcomeOf(err),
			Address: addressOf(call), RequestID: call.RequestID,
		})
		return answer, err
	}
}

// AuditPlain keeps the row of what is no RPC and takes data along.
func AuditPlain(ctx context.Context, db *postgres.DB, logger *slog.Logger, actor auth.Actor, method string, failure error) {
	keepAudit(ctx, db.InTenant, logger, authdb.InsertAuditEventParams{
		OrgID: actor.OrgID, ID: id.New(), ActorKind: string(actor.Kind), ActorID: actor.ID(), ActorName: actor.Name, Method: method,
		Request: json.RawMessage("{}"), Outcome: outcomeOf(failure), Address: rpcserver.Peer(ctx).String(), RequestID: rpcserver.RequestID(ctx),
	})
}

func keepAudit(ctx context.Context, transact postgres.Transact, logger *slog.Logger, row authdb.InsertAuditEventParams) {
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), auditPatience)
	defer cancel()
	err := transact(ctx, row.OrgID, func(ctx context.Context, tx pgx.Tx) (err error) {
		if row.At, err = postgres.Now(ctx, tx); err != nil {
			return err
		}
		return authdb.New(tx).InsertAuditEvent(ctx, row)
	}, postgres.LockTimeout(time.Second)) // only deleting the organization locks its row
	if postgres.ConstraintName(err) == "audit_event_org_id_fkey" {
		logger.InfoContext(ctx, "the organization of this call is deleted, and its audit log with it", "org_id", row.OrgID, "actor_kind", row.ActorKind,
			"actor_id", row.ActorID, "method", row.Method, "outcome", row.Outcome, "address", row.Address, "request_id", row.RequestID)
		return
	}
	if err != nil {
		logger.ErrorContext(ctx, "an audit row could not be stored", "error", err, "org_id", row.OrgID, "actor_kind", row.ActorKind,
			"actor_id", row.ActorID, "method", row.Method, "request", string(row.Request), "outcome", row.Outcome,
			"address", row.Address, "request_id", row.RequestID)
	}
}

// outcomeOf is "ok", or the code of the refusal.
func outcomeOf(err error) string {
	if err == nil {
		return "ok"
	}
	if refusal, ok := fault.Of(err); ok {
		return refusal.Code
	}
	return "internal"
}

func addressOf(call *rpcserver.Call) string {
	if !call.Peer.IsValid() {
		return ""
	}
	return call.Peer.String()
}

// auditedRequest is the request as JSON, without secrets.
func auditedRequest(message proto.Message) json.RawMessage {
	text, err := protojson.MarshalOptions{UseProtoNames: true}.Marshal(redact(message))
	if err != nil {
		return json.RawMessage(`{"unreadable":true}`)
	}
	return text
}

// cutTo keeps at most so many bytes of a request.
func cutTo(most int, text json.RawMessage) json.RawMessage {
	if len(text) <= most {
		return text
	}
	// Escaping doubles the length at most, so half of it always fits.
	beginning := strings.ToValidUTF8(string(text[:(most-auditCutSize)/2]), "")
	var cut bytes.Buffer
	encoder := json.NewEncoder(&cut)
	encoder.SetEscapeHTML(false)
	if err := encoder.Encode(map[string]any{"cut": true, "bytes": len(text), "beginning": beginning}); err != nil {
		return json.RawMessage(`{"cut":true}`)
	}
	return cut.Bytes()
}
