package app

import (
	"context"
	"time"
)

const (
	// handoverInterval is how often somebody looks for hand-overs, and so how late people
	// may be told.
	handoverInterval = 10 * time.Second
	// handoverRounds bounds what is done at one time.
	handoverRounds = 100
)

// tellHandovers tells people that they come on call, or go off. Nothing of the page path
// waits for it.
func (s *server) tellHandovers(ctx context.Context) {
	for _, work := range []func(context.Context) (bool, error){s.handovers.Announce, s.handovers.Send} {
		for again, rounds := true, 0; again && rounds < handoverRounds; rounds++ {
			var err error
			if again, err = work(ctx); err != nil && ctx.Err() == nil {
				s.logger.WarnContext(ctx, "hand-overs could not be told; it is tried again in ten seconds", "error", err)
			}
			again = again && err == nil && ctx.Err() == nil
		}
	}
}
