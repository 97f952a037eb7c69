package notifydb

import "testing"

// TestPagesAtFaultAreTriedInSmallerGroups until the one at fault is alone at its last try, of as many as a look claims.
func TestPagesAtFaultAreTriedInSmallerGroups(t *testing.T) {
	for _, c := range []struct {
		pages, faults, want int
		probe               bool
	}{
		{5000, 0, 5000, false},
		{5000, 1, 625, false},
		{625, 2, 9, false},
		{9, 3, 1, false},
		{5000, 4, 1, false},
		{30, 5, 30, false}, // refused alone, and kept: they leave together once anything is taken
		{5000, 6, 625, false},
		{7, 9, 1, false},
		{100, 1, 64, false},
		{30, 1, 30, false},
		{30, 2, 8, false},
		{30, 3, 1, false},
		{7, 1, 1, false},
		{5000, 0, 1, true},
		{0, 0, 0, false},
	} {
		due := make([]duePage, c.pages)
		for i := range due {
			due[i].Faults = c.faults
		}
		if got := len(bundle(due, c.probe)); got != c.want {
			t.Errorf("%d pages that failed %d times: %d travel together, want %d", c.pages, c.faults, got, c.want)
		}
	}
	mixed := []duePage{{}, {}, {ClaimedPage: ClaimedPage{Faults: 1}}, {ClaimedPage: ClaimedPage{Faults: 2}}}
	if got := bundle(mixed, false); len(got) != 2 || got[0].Faults+got[1].Faults != 0 {
		t.Errorf("beside pages at fault travel %v", got)
	}
}
