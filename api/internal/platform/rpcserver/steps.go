package rpcserver

import (
	"context"
	"fmt"
	"runtime/debug"
	"time"

	"google.golang.org/protobuf/proto"
)

// Recover turns a panic into an internal fault, logged with its stack, so that one broken call
// never takes the others down. It belongs first.
func Recover() Step {
	return func(ctx context.Context, call *Call, message proto.Message, next Next) (answer proto.Message, err error) {
		defer func() {
			panicked := recover()
			if panicked == nil {
				return
			}
			if aborts(panicked) {
				panic(panicked)
			}
			requestFrom(ctx).logger.ErrorContext(ctx, "panic", "procedure", call.Procedure,
				"panic", fmt.Sprint(panicked), "stack", string(debug.Stack()))
			answer, err = nil, errInternal.Because(fmt.Errorf("panic: %v", panicked))
		}()
		return next(ctx, message)
	}
}

// MapFaults makes every error a fault. classify may be nil; see Classifier. It belongs second, so
// that the errors of all other steps pass through it.
func MapFaults(classify Classifier) Step {
	return func(ctx context.Context, _ *Call, message proto.Message, next Next) (proto.Message, error) {
		answer, err := next(ctx, message)
		if err != nil {
			return nil, refusal(ctx, err, classify)
		}
		return answer, nil
	}
}

// Timeout ends a call that takes longer; the caller is told to try again. Streams are left alone.
func Timeout(limit time.Duration) Step {
	return func(ctx context.Context, call *Call, message proto.Message, next Next) (proto.Message, error) {
		if call.Stream {
			return next(ctx, message)
		}
		ctx, cancel := context.WithTimeout(ctx, limit)
		defer cancel()
		return next(ctx, message)
	}
}
