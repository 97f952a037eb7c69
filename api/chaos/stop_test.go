//go:build chaos

package chaos

import (
	"fmt"
	"sync"
	"testing"
	"time"
)

// TestT60StoppedUnderLoad asks one of two programs to end while alerts arrive and
// pages go out, as a rolling restart does, again and again.
func TestT60StoppedUnderLoad(t *testing.T) {
	begin(t, "T60")
	w := together(t, 2)
	w.newTenant("stopped", step{aDay, []string{"hook"}})
	w.newTenant("beside", step{aDay, []string{"hook"}})
	w.providers.misbehave("stopped-hook", func() fault { return fault{latency: 100 * time.Millisecond} })
	w.ready()
	var running sync.WaitGroup
	running.Go(func() { w.run(load{posts: length(6_000, 1_000), senders: 8, pause: 10 * time.Millisecond}) })
	stops, slowest := length(6, 2), time.Duration(0)
	for i := range stops {
		time.Sleep(300 * time.Millisecond)
		n := w.nodes[1-i%2] // the first is looked at for leaks, and ends up fresh
		slowest = max(slowest, n.stop())
		n.start()
	}
	running.Wait()
	v := w.check()
	w.measureKept("T60", v)
	measured(t, "T60", fmt.Sprintf("longest of %d stops under load", stops), slowest, "at most 20 s")
	if slowest > graceBar {
		t.Errorf("a stop took %s, want %s at most", slowest, graceBar)
	}
	// A clean stop finishes or gives back what it was sending, so nothing is sent twice.
	if v.extras > 0 {
		t.Errorf("%d messages were sent again, although nothing crashed", v.extras)
	}
}
