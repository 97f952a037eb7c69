package idle_test

import (
	"testing"

	"github.com/nightbell/nightbell/api/internal/kernel/idle"
)

func TestRestLeavesRoundsOutUntilItIsWoken(t *testing.T) {
	t.Parallel()
	var rest idle.Rest
	skipped := func(rounds int) (n int) {
		for range rounds {
			if rest.Skip() {
				n++
			}
		}
		return n
	}
	if skipped(3) != 0 {
		t.Error("it rests before it began to")
	}
	if rest.Begin(2); skipped(5) != 2 {
		t.Error("two rounds are left out, and the third is not")
	}
	rest.Begin(4)
	if rest.Wake(); skipped(4) != 0 {
		t.Error("it rests on although it was woken")
	}
}
