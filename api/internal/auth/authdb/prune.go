package authdb

import (
	"context"
	"time"

	"github.com/jackc/pgx/v5"

	"github.com/nightbell/nightbell/api/internal/auth"
)

// Prune removes the sessions that ended by not being used, with their refresh tokens,
// and returns how many. A periodic job calls it; nothing depends on when.
func Prune(ctx context.Context, tx pgx.Tx, now time.Time) (int64, error) {
	return New(tx).DeleteSessionsUnusedSince(ctx, now.Add(-auth.SessionIdle))
}
