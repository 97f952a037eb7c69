package authrpc

import (
	"context"

	"github.com/google/uuid"

	"github.com/nightbell/nightbell/api/internal/auth"
	"github.com/nightbell/nightbell/api/internal/platform/callquota"
	"github.com/nightbell/nightbell/api/internal/platform/rpcserver"
)

// Admit refuses, before a call is read, whoever will be refused whatever it says: a stranger beyond
// the quota of the network, who has nothing that could be a token, and who has no call left; and says whose
// share reading the others takes. It asks no database.
func Admit(callers *Authenticator, quota *callquota.Quota, guest uuid.UUID) func(context.Context, *rpcserver.Call) error {
	return func(ctx context.Context, call *rpcserver.Call) error {
		if err := callers.admit(ctx, call); err != nil {
			return err
		}
		if call.Authz.GetPublic() {
			call.Share = shareOf(ctx, auth.Actor{}, guest)
			return nil
		}
		actor := callers.claimed(call.Header)
		call.Share = shareOf(ctx, actor, guest)
		if isAnswer(call) && !call.Share.Stranger {
			return nil
		}
		return spent(ctx, call, actor, quota, guest)
	}
}

// shareOf is that of the organization of a caller who is known; guests of the demo are strangers.
func shareOf(ctx context.Context, actor auth.Actor, guest uuid.UUID) rpcserver.Share {
	switch {
	case actor.Kind == "":
		return rpcserver.Share{ID: networkID(rpcserver.Peer(ctx)), Stranger: true}
	case actor.Kind == auth.User && actor.UserID == guest:
		return rpcserver.Share{ID: *CountedAs(ctx, actor, guest), Stranger: true}
	}
	return rpcserver.Share{ID: actor.OrgID}
}

func (a *Authenticator) admit(ctx context.Context, call *rpcserver.Call) error {
	if call.Authz.GetPublic() {
		if countsForItself(call.Procedure) {
			return nil
		}
		return a.strangers.count(call.Peer)
	}
	token, err := bearer(call.Header)
	switch {
	case err != nil:
		return err
	case auth.IsAPIKey(token):
		return a.guesses.refuse(ctx, a.keys, auth.HashToken(token), a.now())
	case auth.LooksLikeAPIKey(token):
		return errAPIKey
	case auth.IsServiceKey(token):
		return errServiceKey
	}
	grant, err := a.tokens.Read(token, a.now())
	if err == nil && a.hasEnded(grant) {
		err = auth.ErrTokenExpired
	}
	return err
}
