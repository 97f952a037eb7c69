package fairshare

import (
	"context"
	"errors"
	"sync"
	"testing"
	"testing/synctest"
)

// TestAThousandOfOneDelayAnotherByOnePlace: one organization asks for far more than there is. Another's call finds
// a place at once while the first has all it may have, and the next one that becomes free when nothing is left.
func TestAThousandOfOneDelayAnotherByOnePlace(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		gate := NewGate[string](3, 2)
		ctx, cancel := context.WithCancel(t.Context())
		defer cancel()
		var mu sync.Mutex
		var entered []string
		var leaves []func()
		enter := func(ctx context.Context, org string) {
			go func() {
				leave, err := gate.Enter(ctx, org)
				if err != nil {
					return
				}
				mu.Lock()
				defer mu.Unlock()
				entered, leaves = append(entered, org), append(leaves, leave)
			}()
		}
		for range 1000 {
			enter(ctx, "greedy")
		}
		synctest.Wait()
		if len(entered) != 2 {
			t.Fatalf("%d of one organization have entered, of 2 that may", len(entered))
		}
		enter(t.Context(), "other")
		synctest.Wait()
		enter(t.Context(), "third")
		synctest.Wait()
		if len(entered) != 3 || entered[2] != "other" {
			t.Fatalf("entered %v", entered[2:])
		}
		leaves[0]() // of the greedy one, of which hundreds have waited longer
		synctest.Wait()
		if len(entered) != 4 || entered[3] != "third" {
			t.Fatalf("then entered %v", entered[3:])
		}
		cancel() // they hang up
		synctest.Wait()
		leaves[1]()
		leaves[2]()
		leaves[3]()
		if gate.total != 0 || len(gate.inside) != 0 || len(gate.waiting) != 0 {
			t.Errorf("left behind: %d inside, %v, %d wait", gate.total, gate.inside, len(gate.waiting))
		}
	})
}

// TestWhoGivesUpTakesNoPlace: also when it becomes the turn at the same moment.
func TestWhoGivesUpTakesNoPlace(t *testing.T) {
	t.Parallel()
	gate := NewGate[int](2, 2)
	var work sync.WaitGroup
	for org := range 50 {
		work.Go(func() {
			for n := range 100 {
				ctx, cancel := context.WithCancel(t.Context())
				if n%2 == 0 {
					go cancel()
				}
				leave, err := gate.Enter(ctx, org)
				if err == nil {
					leave()
				} else if !errors.Is(err, context.Canceled) {
					t.Error(err)
				}
				cancel()
			}
		})
	}
	work.Wait()
	if gate.total != 0 || len(gate.inside) != 0 || len(gate.waiting) != 0 {
		t.Errorf("left behind: %d inside, %v, %d wait", gate.total, gate.inside, len(gate.waiting))
	}
}
