package paging

import (
	"context"
	"fmt"
	"log/slog"
	"runtime/debug"

	"github.com/nightbell/nightbell/api/internal/platform/postgres"
)

// orEachAlone carries out what is due in one transaction, up to dueAtOnce. When that fails
// for a reason that may lie in one incident, each has a transaction of its own, and the one
// that still fails is postponed and logged: neither a spoiled policy nor a lock that somebody
// holds for long silences the others.
func orEachAlone(ctx context.Context, logger *slog.Logger, what string,
	carryOut func(limit int) (due int, err error), postpone func(cause error) error,
) (due int, err error) {
	due, err = guarded(carryOut, dueAtOnce)
	if err == nil || postgres.IsAway(err) || ctx.Err() != nil {
		return due, err
	}
	logger.ErrorContext(ctx, "what is due could not be carried out together; each incident is tried alone", "kind", what, "error", err)
	for range dueAtOnce {
		due, err := guarded(carryOut, 1)
		switch {
		case err == nil && due == 0:
			return 0, nil
		case err == nil:
			continue
		}
		if err := postpone(err); err != nil {
			return 0, err
		}
	}
	return dueAtOnce, nil
}

// guarded makes a panic in a rule an error like any other.
func guarded(carryOut func(limit int) (int, error), limit int) (due int, err error) {
	defer func() {
		if cause := recover(); cause != nil {
			due, err = 0, fmt.Errorf("panic in a rule: %v\n%s", cause, debug.Stack())
		}
	}()
	return carryOut(limit)
}
