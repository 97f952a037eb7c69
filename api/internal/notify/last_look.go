package notify

import (
	"context"
	"errors"
)

// ErrNotWanted is why a message did not leave: nobody need be told any more.
var ErrNotWanted = errors.New("nobody need be told any more")

type lastLook struct{}

// WithLastLook lets a channel ask right before the message leaves whether it is still wanted: the way to the
// provider may have taken seconds to open.
func WithLastLook(ctx context.Context, wanted func(context.Context) bool) context.Context {
	return context.WithValue(ctx, lastLook{}, wanted)
}

// LastLook fails with ErrNotWanted when the message need not leave.
func LastLook(ctx context.Context) error {
	if wanted, ok := ctx.Value(lastLook{}).(func(context.Context) bool); ok && !wanted(ctx) {
		return ErrNotWanted
	}
	return nil
}
