package fairshare

import (
	"context"
	"errors"
	"math"
	"slices"
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

// TestTwoOrganizationsLeaveRoomToTheNext: whoever has two asks for all that both may have, and others find a place
// at once. One alone has its whole share, and where nothing is left to others, all have all.
func TestTwoOrganizationsLeaveRoomToTheNext(t *testing.T) {
	for _, c := range []struct{ most, perOrg, alone, both, others int }{
		{7, 5, 5, 5, 2}, {3, 2, 2, 2, 1}, {2, 0, 1, 2, 0}, {1, 0, 1, 1, 0}, {3, 3, 3, 3, 0}, {math.MaxInt, 1, 1, 2, 50},
	} {
		synctest.Test(t, func(t *testing.T) {
			gate := NewGate[string](c.most, c.perOrg)
			ctx, cancel := context.WithCancel(t.Context())
			entered := map[string]int{}
			var mu sync.Mutex
			var leaves []func()
			enter := func(org string, times int) {
				for range times {
					go func() {
						if leave, err := gate.Enter(ctx, org); err == nil {
							mu.Lock()
							entered[org]++
							leaves = append(leaves, leave)
							mu.Unlock()
						}
					}()
				}
				synctest.Wait()
			}
			enter("a", 100)
			if entered["a"] != c.alone {
				t.Errorf("%d of %d places: alone it has %d, want %d", c.perOrg, c.most, entered["a"], c.alone)
			}
			enter("b", 100)
			for range 100 { // whatever they give back is theirs to share
				leave := leaves[0]
				leaves = leaves[1:]
				leave()
				synctest.Wait()
			}
			if now := gate.inside["a"] + gate.inside["b"]; now != c.both {
				t.Errorf("%d of %d places: two organizations have %d, want %d", c.perOrg, c.most, now, c.both)
			}
			for n := range c.others {
				org := string(rune('c' + n))
				enter(org, 2)
				if entered[org] != 1 {
					t.Errorf("%d of %d places: another organization has %d, want 1", c.perOrg, c.most, entered[org])
				}
			}
			cancel()
			synctest.Wait()
			for _, leave := range leaves {
				leave()
			}
			if gate.total != 0 || len(gate.inside) != 0 || len(gate.waiting) != 0 {
				t.Errorf("left behind: %d inside, %v, %d wait", gate.total, gate.inside, len(gate.waiting))
			}
		})
	}
}

// TestAsManyBusyOrganizationsAsPlacesStarveNoOther: each of them always has somebody who waits, and gets a place as
// often as the next.
func TestAsManyBusyOrganizationsAsPlacesStarveNoOther(t *testing.T) {
	for _, most := range []int{1, 2, 3, 7} {
		synctest.Test(t, func(t *testing.T) {
			gate := NewGate[int](most, max(1, most-1))
			ctx, cancel := context.WithCancel(t.Context())
			var entered []int
			var mu sync.Mutex
			var leaves []func()
			enter := func(org int) {
				go func() {
					if leave, err := gate.Enter(ctx, org); err == nil {
						mu.Lock()
						entered, leaves = append(entered, org), append(leaves, leave)
						mu.Unlock()
					}
				}()
			}
			busy := most
			for range 100 {
				for org := range busy {
					enter(org)
				}
			}
			synctest.Wait()
			enter(busy) // the newcomer
			synctest.Wait()
			for range busy + 1 { // whoever is inside already leaves first
				leave := leaves[0]
				leaves = leaves[1:]
				leave()
				synctest.Wait()
			}
			if !slices.Contains(entered, busy) {
				t.Errorf("%d places: after a turn of each of %d organizations, these had one: %v", most, busy, entered)
			}
			cancel()
			synctest.Wait()
			for _, leave := range leaves {
				leave()
			}
		})
	}
}

// TestWhoFindsAPlaceEntersThoughItsCallerLeft: only whoever waits is forgotten.
func TestWhoFindsAPlaceEntersThoughItsCallerLeft(t *testing.T) {
	t.Parallel()
	left, leave := context.WithCancel(t.Context())
	leave()
	gate := NewGate[int](1, 1)
	for range 100 {
		leave, err := gate.Enter(left, 1)
		if err != nil {
			t.Fatal(err)
		}
		leave()
	}
}

// TestAPersonGoesBeforeTheProgramsOfTheOrganization: a call that takes five turns, one after the other, lets in five
// programs at most of the 3,000 that came before it. When many people ask without end, programs have a turn in four.
func TestAPersonGoesBeforeTheProgramsOfTheOrganization(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		gate := NewGate[string](3, 2)
		ctx, cancel := context.WithCancel(t.Context())
		var mu sync.Mutex
		var entered []string
		var leaves []func()
		ask := func(who string, enter func(context.Context, string) (func(), error)) {
			go func() {
				if leave, err := enter(ctx, "org"); err == nil {
					mu.Lock()
					entered, leaves = append(entered, who), append(leaves, leave)
					mu.Unlock()
				}
			}()
		}
		turn := func() { // whoever is inside for longest has done
			leave := leaves[0]
			leaves = leaves[1:]
			leave()
			synctest.Wait()
		}
		programs := func() (count int) {
			for _, who := range entered {
				if who == "program" {
					count++
				}
			}
			return count
		}
		for range 3000 {
			ask("program", gate.EnterAsProgram)
		}
		synctest.Wait()
		before := programs()
		for range 5 {
			ask("person", gate.Enter)
			synctest.Wait()
			for asked := len(entered) - programs(); len(entered)-programs() == asked; {
				turn()
			}
		}
		if let := programs() - before; let > 5 {
			t.Errorf("the person's call let in %d programs", let)
		}
		for range 200 {
			ask("person", gate.Enter)
		}
		synctest.Wait()
		before = programs()
		for range 100 {
			turn()
		}
		if let := programs() - before; let != 25 {
			t.Errorf("beside many people programs had %d of 100 turns", let)
		}
		cancel()
		synctest.Wait()
		for _, leave := range leaves {
			leave()
		}
		if gate.total != 0 || len(gate.inside) != 0 || len(gate.waiting) != 0 {
			t.Errorf("left behind: %d inside, %v, %d wait", gate.total, gate.inside, len(gate.waiting))
		}
	})
}
