package authrpc

import (
	"context"
	"net/http"
	"time"

	"github.com/google/uuid"
	"google.golang.org/protobuf/proto"

	"github.com/nightbell/nightbell/api/gen/nightbell/v1/nightbellv1connect"
	"github.com/nightbell/nightbell/api/internal/auth"
	"github.com/nightbell/nightbell/api/internal/platform/callquota"
	"github.com/nightbell/nightbell/api/internal/platform/rpcserver"
)

const (
	// strangersPerMinute is of one network: 9,000 people behind one address renew their sessions every
	// 15 minutes. On the loopback interface everybody behind a proxy on this machine looks the same.
	strangersPerMinute      = 600
	localStrangersPerMinute = 6000
)

// StrangerQuota is the step that counts the calls of nobody in particular for their network, and
// refuses those beyond the quota. Sign-up and sign-in count for themselves: too many wait for their
// turn, so that nobody else locks out the person on call. Others of the network use up what is left,
// so answers do not say it.
func StrangerQuota(now func() time.Time) rpcserver.Step {
	networks := callquota.New("strangers", strangersPerMinute, now)
	local := callquota.New("strangers", localStrangersPerMinute, now)
	return func(ctx context.Context, call *rpcserver.Call, message proto.Message, next rpcserver.Next) (proto.Message, error) {
		actor, _ := auth.ActorFrom(ctx)
		if actor.ID() != nil || !call.Authz.GetPublic() || countsForItself(call.Procedure) {
			return next(ctx, message)
		}
		quota, peer := networks, rpcserver.Peer(ctx)
		if peer.IsLoopback() {
			quota = local
		}
		if err := quota.Count(uuid.NewSHA1(uuid.Nil, []byte(networkOf(peer))), http.Header{}); err != nil {
			return nil, err
		}
		return next(ctx, message)
	}
}

func countsForItself(procedure string) bool {
	return procedure == nightbellv1connect.AuthServiceRegisterProcedure || procedure == nightbellv1connect.AuthServiceLoginProcedure
}
