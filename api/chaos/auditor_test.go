//go:build chaos

package chaos

import (
	"fmt"
	"net/http"
	"net/http/httptest"
	"testing"
	"time"
)

// TestT68DeadMan breaks every loop that pages, and watches what something outside of
// Nightbell hears: pings while all is well, and nothing once a page is late. The
// auditor pages meanwhile.
func TestT68DeadMan(t *testing.T) {
	begin(t, "T68")
	pings := newJournal[time.Duration](t, "pings")
	deadman := httptest.NewServer(http.HandlerFunc(func(http.ResponseWriter, *http.Request) { pings.add(elapsed()) }))
	t.Cleanup(deadman.Close)
	w := together(t, 1, "NIGHTBELL_DEADMAN_URL="+deadman.URL)
	o := w.newTenant("watched", step{60, []string{"first"}}, step{aDay, []string{"second"}})
	n, clock := w.nodes[0], w.clock()
	first := w.await("the first ping", time.Minute, func() error {
		if len(pings.all()) == 0 {
			return fmt.Errorf("no ping")
		}
		return nil
	})
	key := o.alertKey(1)
	w.insist(0, o, key, firing(key))
	w.awaitQuiet(patience)

	n.stop()
	n.binary = fromEnvironment(t, "NIGHTBELL_FAILPOINTS_BIN")
	n.start("NIGHTBELL_FAILPOINTS=sweep=hang")
	w.await("a ping with nothing to do", 2*time.Minute, func() error {
		if before := len(pings.all()); before < 2 {
			return fmt.Errorf("%d pings", before)
		}
		return nil
	})
	clock.Advance(80 * time.Second) // the second person is due, twenty seconds ago
	broken := elapsed()
	told := w.await("the auditor pages the second person", 2*time.Minute, func() error {
		if told := w.told(o)["second"]; told != 1 {
			return fmt.Errorf("told %d times", told)
		}
		return nil
	})
	// The round that found it did not ping; the one after it is well again.
	silent := w.await("a ping after the repair", 2*time.Minute, func() error {
		for _, at := range pings.all() {
			if at > broken+told {
				return nil
			}
		}
		return fmt.Errorf("no ping")
	})
	for _, at := range pings.all() {
		if at > broken && at < broken+told {
			t.Errorf("the dead-man URL was called %s after a page was due that nobody sent", at-broken)
		}
	}
	repairs := n.metric("audit_repairs_total")
	if repairs < 1 {
		t.Error("the repair was not counted")
	}
	measured(t, "T68", "healthy: first ping after", first, "")
	measured(t, "T68", "every loop hangs: late page sent by the auditor after", told, "90 s")
	measured(t, "T68", "no ping from then until", told+silent, "heard of within 90 s")
	measured(t, "T68", "repairs counted", repairs, "at least 1")
	if told > 90*time.Second {
		t.Errorf("the late page went out after %s", told)
	}
	w.check()
	n.kill() // loops that hang cannot be stopped
}
