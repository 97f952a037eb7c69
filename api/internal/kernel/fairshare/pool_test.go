package fairshare_test

import (
	"testing"

	"github.com/nightbell/nightbell/api/internal/kernel/fairshare"
)

// drain takes units one by one until there is no room, and tells how many it got.
func drain(pool *fairshare.Pool[string], orgID string) (taken int) {
	for pool.Take(orgID, 1) {
		taken++
	}
	return taken
}

func TestGreedyOrganizationsLeaveRoomForTheNext(t *testing.T) {
	t.Parallel()
	pool, a, b, c := fairshare.New[string](120), "a", "b", "c"
	if got := drain(pool, a); got != 60 {
		t.Errorf("the first got %d of 120, want half", got)
	}
	if got := drain(pool, b); got != 30 {
		t.Errorf("the second got %d of the 60 that were left, want half of them", got)
	}
	pool.Return(a, 60)
	if got := drain(pool, a); got != 45 {
		t.Errorf("beside 30 that are held the first got %d, want 45", got)
	}
	if !pool.IsOwnDoing(a, 20) || pool.IsOwnDoing(c, 23) {
		t.Error("the first has used up its share, and a newcomer finds half of the 45 that are free")
	}
	if !pool.Take(c, 20) {
		t.Error("there was no room for a newcomer")
	}
}

func TestWhatDoesNotFitTakesNothing(t *testing.T) {
	t.Parallel()
	pool, a := fairshare.New[string](10), "a"
	if pool.Take(a, 6) {
		t.Error("6 of 10 are more than a share")
	}
	if !pool.Take(a, 5) {
		t.Error("a share is 5 of 10")
	}
	pool.Return(a, 5)
	if !pool.Take(a, 5) {
		t.Error("what was given back was not free again")
	}
}
