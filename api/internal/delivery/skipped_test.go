package delivery

import (
	"slices"
	"testing"

	"github.com/google/uuid"

	"github.com/nightbell/nightbell/api/internal/notify/notifydb"
)

// TestALookTakesSomeOfWhatWasSkipped, in order, and leaves the others to the next.
func TestALookTakesSomeOfWhatWasSkipped(t *testing.T) {
	var d Outbox
	var all, taken []notifydb.DuePage
	for n := range 2*notifydb.MaxWaiting + 100 {
		all = append(all, notifydb.DuePage{ID: uuid.UUID{14: byte(n >> 8), 15: byte(n)}})
	}
	d.addSkipped(all)
	for looks := 0; d.anySkipped(); looks++ {
		some := d.takeSkipped()
		if len(some) == 0 || len(some) > notifydb.MaxWaiting {
			t.Fatalf("look %d took %d", looks, len(some))
		}
		taken = append(taken, some...)
	}
	if !slices.Equal(taken, all) {
		t.Errorf("%d of %d were taken", len(taken), len(all))
	}
}
