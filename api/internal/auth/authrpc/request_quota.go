package authrpc

import (
	"context"
	"fmt"
	"strings"
	"sync"
	"time"

	"github.com/google/uuid"
	lru "github.com/hashicorp/golang-lru/v2"
	"google.golang.org/protobuf/proto"

	"github.com/nightbell/nightbell/api/internal/auth"
	"github.com/nightbell/nightbell/api/internal/kernel/fault"
	"github.com/nightbell/nightbell/api/internal/platform/rpcserver"
)

const (
	quotaWindow = time.Minute
	// quotaCallers bounds the memory; whoever is forgotten begins again.
	quotaCallers = 1 << 14
)

// RequestQuota is the step that lets each account and API key make so many calls a minute in this
// process. Answers say what is left (draft-ietf-httpapi-ratelimit-headers-10); what is beyond it is
// refused with 429. What is said to incidents is never counted or refused: whoever acknowledges
// must not be paged on. now is only compared with itself.
func RequestQuota(most int, now func() time.Time) rpcserver.Step {
	// Cannot fail: the size is above 0.
	windows, _ := lru.New[uuid.UUID, *window](quotaCallers)
	policy := fmt.Sprintf(`"requests";q=%d;w=%d`, most, int(quotaWindow.Seconds()))
	var mu sync.Mutex
	count := func(caller uuid.UUID, at time.Time) (left int, resets time.Duration) {
		mu.Lock()
		defer mu.Unlock()
		w, known := windows.Get(caller)
		if !known || !at.Before(w.ends) {
			w = &window{ends: at.Add(quotaWindow)}
			windows.Add(caller, w)
		}
		w.calls++
		return most - w.calls, w.ends.Sub(at)
	}
	return func(ctx context.Context, call *rpcserver.Call, message proto.Message, next rpcserver.Next) (proto.Message, error) {
		actor, _ := auth.ActorFrom(ctx)
		caller := actor.ID()
		if caller == nil || answersIncidents(call) {
			return next(ctx, message)
		}
		left, resets := count(*caller, now())
		seconds := int((resets + time.Second - 1) / time.Second)
		call.ResponseHeader.Set("RateLimit-Policy", policy)
		call.ResponseHeader.Set("RateLimit", fmt.Sprintf(`"requests";r=%d;t=%d`, max(0, left), seconds))
		if left < 0 {
			return nil, fault.Newf(fault.Limited, "rate_limited",
				"You have made more than %d calls in a minute. Wait for as long as Retry-After says, or ask for more at once.", most).After(seconds)
		}
		return next(ctx, message)
	}
}

// window is the calls of one caller in one minute.
type window struct {
	ends  time.Time
	calls int
}

// answersIncidents tells the calls that change incidents.
func answersIncidents(call *rpcserver.Call) bool {
	return call.Authz.GetMutates() && strings.HasPrefix(call.Procedure, "/nightbell.v1.IncidentService/")
}
