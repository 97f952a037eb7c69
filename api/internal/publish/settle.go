package publish

import (
	"context"
	"slices"

	"github.com/jackc/pgx/v5"

	"github.com/nightbell/nightbell/api/internal/subscription/subscriptiondb"
)

// horizon finds how far the feed can be read without a gap, as the package comment explains: read the largest seq that
// was ever taken, then list who holds the lock of writing to the table. Once all of those have ended, nothing up to
// that seq can appear any more.
type horizon struct {
	// settled is the seq up to which everything is visible that ever will be.
	settled int64
	// candidate is the next one, once all of writers have ended; 0 when there is none.
	candidate int64
	writers   []string
}

// look moves the horizon as far as it goes now.
func (h *horizon) look(ctx context.Context, tx pgx.Tx) error {
	if h.candidate == 0 {
		allocated, err := subscriptiondb.Allocated(ctx, tx)
		if err != nil || allocated == h.settled {
			return err
		}
		if h.writers, err = subscriptiondb.Writers(ctx, tx); err != nil {
			return err
		}
		h.candidate = allocated
	} else {
		present, err := subscriptiondb.Writers(ctx, tx)
		if err != nil {
			return err
		}
		h.writers = slices.DeleteFunc(slices.Clone(h.writers), func(one string) bool { return !slices.Contains(present, one) })
	}
	if len(h.writers) == 0 {
		h.settled, h.candidate = h.candidate, 0
	}
	return nil
}
