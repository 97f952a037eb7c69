//go:build chaos

package chaos

import (
	"fmt"
	"testing"
	"time"

	"github.com/nightbell/nightbell/api/internal/platform/postgres/pgtest"
)

// TestT02Failpoints ends the program exactly between two steps that belong together:
// the commit and its answer, the claim of a page and its sending, the sending and the
// record of its result.
func TestT02Failpoints(t *testing.T) {
	begin(t, "T02")
	binary := fromEnvironment(t, "NIGHTBELL_FAILPOINTS_BIN")
	w := together(t, 1)
	w.newTenant("failing", step{aDay, []string{"hook"}})
	n, clock := w.nodes[0], w.clock()
	n.stop()
	n.binary = binary
	runs, key := length(100, 5), 0
	for _, moment := range []string{"stored", "claimed", "sent"} {
		before := w.copiesSoFar()
		for range runs {
			key++
			w.failAt(clock, moment, key)
		}
		again := w.copiesSoFar() - before
		measured(t, "T02", fmt.Sprintf("%d exits at %q: messages sent again", runs, moment), again, fmt.Sprintf("at most %d", runs))
		if again > runs || moment != "sent" && again > 0 {
			t.Errorf("%d messages were sent again after %d exits at %q", again, runs, moment)
		}
	}
	v := w.check()
	measured(t, "T02", "accepted / lost", fmt.Sprintf("%d / %d", v.accepted, v.lost), "0 lost")
	measured(t, "T02", "duplicate incidents", v.duplicates, "0")
}

// failAt sends one alert to a program that ends at that moment, and to the next one
// when it was not answered.
func (w *world) failAt(clock *pgtest.Clock, moment string, key int) {
	w.t.Helper()
	n, o := w.nodes[0], w.tenants[0]
	name := o.alertKey(key)
	n.start("NIGHTBELL_FAILPOINTS=" + moment + "=exit")
	status := w.post(n, o, name, firing(name))
	if moment == "stored" && status != 0 {
		w.t.Errorf("a program that ended at %q answered %d", moment, status)
	}
	n.awaitEnd(startLimit)
	w.killed(n)
	clock.Advance(11 * time.Second) // the lease of a dead worker runs out after ten
	n.start()
	if status/100 != 2 {
		w.insist(0, o, name, firing(name))
	}
	w.awaitQuiet(patience)
	n.stop()
}

func (w *world) copiesSoFar() int {
	_, again, _ := w.copies()
	return again
}
