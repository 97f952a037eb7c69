// Package sweep runs what looks for due work again and again: at once when it was
// woken, and at the latest after a tick. A wake-up is only a hint (design rule 1);
// the tick alone is enough.
package sweep

import (
	"context"
	"fmt"
	"log/slog"
	"runtime/debug"
	"time"

	"github.com/nightbell/nightbell/api/internal/platform/failpoint"
)

// Tick is the longest time that due work waits when no hint arrives.
const Tick = time.Second

// Hints are answered at once, sparingly in a storm: after burst rounds in a row one
// follows each breath, and finds more to do together. That is nothing to a person, and
// a round costs as much for one page as for a hundred.
const (
	burst  = 20
	breath = 20 * time.Millisecond
)

// Waker wakes one loop. The zero value is not usable; see NewWaker.
type Waker struct{ hint chan struct{} }

// NewWaker makes a waker.
func NewWaker() *Waker { return &Waker{hint: make(chan struct{}, 1)} }

// Wake makes the loop look for work soon. It never blocks; hints that arrive while
// one is pending are one hint.
func (w *Waker) Wake() {
	select {
	case w.hint <- struct{}{}:
	default:
	}
}

// Func does one round of work and reports whether there may be more at once.
type Func func(ctx context.Context) (again bool, err error)

// Loop calls work until ctx ends. Errors and panics are logged and never end the
// loop; after one it waits for the next tick, whatever hints arrive, so that a
// database that is away is not hammered.
func Loop(ctx context.Context, logger *slog.Logger, name string, waker *Waker, work Func) {
	timer := time.NewTimer(0)
	defer timer.Stop()
	hint := waker.hint
	var pace pacer
	for {
		select {
		case <-ctx.Done():
			return
		case <-hint:
		case <-timer.C:
		}
		pace.wait(ctx)
		hint = waker.hint
		if !drain(ctx, logger, name, work) {
			hint = nil
		}
		timer.Reset(UntilNext(Tick))
	}
}

// UntilNext is how long it is until the clock shows a multiple of interval. What waits for it wakes
// the process up together, and lets it sleep in between: 0.5 % of a core when idle, not 0.8.
func UntilNext(interval time.Duration) time.Duration {
	return interval - time.Duration(time.Now().UnixNano())%interval
}

// pacer lets rounds through: each takes a breath from an allowance of burst.
type pacer struct{ spentUntil time.Time }

func (p *pacer) wait(ctx context.Context) {
	now := time.Now()
	if p.spentUntil.Before(now) {
		p.spentUntil = now
	}
	p.spentUntil = p.spentUntil.Add(breath)
	excess := p.spentUntil.Sub(now) - burst*breath
	if excess <= 0 {
		return
	}
	select {
	case <-ctx.Done():
	case <-time.After(excess):
	}
}

// drain works until nothing is left; false means that it stopped at an error.
func drain(ctx context.Context, logger *slog.Logger, name string, work Func) bool {
	for ctx.Err() == nil {
		again, err := guarded(ctx, name, work)
		if err != nil && ctx.Err() == nil {
			logger.ErrorContext(ctx, "a sweep failed; it is tried again at the next tick", "sweep", name, "error", err)
			return false
		}
		if !again {
			return true
		}
	}
	return true
}

func guarded(ctx context.Context, name string, work Func) (again bool, err error) {
	defer func() {
		if cause := recover(); cause != nil {
			again, err = false, fmt.Errorf("panic: %v\n%s", cause, debug.Stack())
		}
	}()
	failpoint.At("sweep", name)
	return work(ctx)
}
