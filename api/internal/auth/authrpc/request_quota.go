package authrpc

import (
	"context"
	"strings"

	"github.com/google/uuid"
	"google.golang.org/protobuf/proto"
	"google.golang.org/protobuf/reflect/protoreflect"

	"github.com/nightbell/nightbell/api/internal/auth"
	"github.com/nightbell/nightbell/api/internal/platform/callquota"
	"github.com/nightbell/nightbell/api/internal/platform/postgres"
	"github.com/nightbell/nightbell/api/internal/platform/rpcserver"
)

// RequestQuota is the step that counts the calls of each account and API key, those of the guests' account by
// CountedAs, and refuses those beyond the quota. Answers to incidents by those who may are never counted or
// refused: whoever acknowledges must not be paged on.
func RequestQuota(quota *callquota.Quota, guest uuid.UUID) rpcserver.Step {
	return func(ctx context.Context, call *rpcserver.Call, message proto.Message, next rpcserver.Next) (proto.Message, error) {
		actor, _ := auth.ActorFrom(ctx)
		if caller := CountedAs(ctx, actor, guest); caller != nil && !answersIncidents(call, actor) {
			if err := quota.Count(*caller, call.ResponseHeader); err != nil {
				return nil, err
			}
		}
		return next(ctx, message)
	}
}

// answers are the methods of IncidentService that say who is on it, and what becomes of the paging. What is
// only told beside it (comments, links, subscribers) stops no page, and is counted.
var answers = map[protoreflect.Name]bool{
	"CreateIncident": true, "AcknowledgeIncident": true, "ResolveIncident": true, "ChangeIncidents": true, "AssignIncident": true,
	"EscalateIncident": true, "SnoozeIncident": true, "ChangeIncidentSeverity": true, "MergeIncident": true,
}

// FinishAnswers is the step that carries an answer to incidents out though its caller hangs up: a phone may lose its
// connection as soon as it has sent one, and nobody may be paged on for that. It stands before Timeout.
func FinishAnswers() rpcserver.Step {
	return func(ctx context.Context, call *rpcserver.Call, message proto.Message, next rpcserver.Next) (proto.Message, error) {
		if isAnswer(call) {
			ctx = context.WithoutCancel(ctx)
		}
		return next(ctx, message)
	}
}

// SpentQuota is the step that refuses whoever has no call left before Authenticate asks the database again, which
// RequestQuota comes too late for, and Admit too early when many are being read at once. It counts nothing: who
// calls is only known afterwards.
func SpentQuota(callers *Authenticator, quota *callquota.Quota, guest uuid.UUID) rpcserver.Step {
	return func(ctx context.Context, call *rpcserver.Call, message proto.Message, next rpcserver.Next) (proto.Message, error) {
		if call.Authz.GetPublic() || !isGrave(call) || strings.HasPrefix(call.Procedure, "/nightbell.v1.IncidentService/") {
			return next(ctx, message)
		}
		if err := spent(ctx, call, callers.claimed(call.Header), quota, guest); err != nil {
			return nil, err
		}
		return next(ctx, message)
	}
}

// spent refuses a caller that has no call left.
func spent(ctx context.Context, call *rpcserver.Call, actor auth.Actor, quota *callquota.Quota, guest uuid.UUID) error {
	if caller := CountedAs(ctx, actor, guest); caller != nil {
		return quota.Spent(*caller, call.ResponseHeader)
	}
	return nil
}

// within is where what is kept of a call is stored. Of an answer to an incident it is the pool of these,
// which nobody's lists fill; whoever may only look does not get there.
func within(db *postgres.DB, call *rpcserver.Call, actor auth.Actor) postgres.Transact {
	if answersIncidents(call, actor) && auth.Role(call.Authz.GetRole()).AtLeast(auth.Responder) {
		return db.InAnswer
	}
	return db.InTenant
}

// answersIncidents tells the calls that answer incidents, of callers who may make them.
func answersIncidents(call *rpcserver.Call, actor auth.Actor) bool {
	return isAnswer(call) && auth.Allow(ruleOf(call.Authz), actor) == nil
}

// isAnswer tells them of callers who are not known yet.
func isAnswer(call *rpcserver.Call) bool {
	return strings.HasPrefix(call.Procedure, "/nightbell.v1.IncidentService/") && answers[call.Method.Name()]
}
