//go:build chaos

package chaos

import (
	"context"
	"fmt"
	"net/http"
	"slices"
	"sync"
	"testing"
	"time"
)

// openLoopRate is how many requests a second are sent, however slow the answers are.
const openLoopRate = 2_000

// TestT08OpenLoop locks one alert of one tenant for 0.4 s while four tenants send 500
// repeats a second each. Nobody else may notice, and the tenant itself gets its whole rate
// back as soon as the lock is gone.
func TestT08OpenLoop(t *testing.T) {
	begin(t, "T08")
	w := together(t, 1)
	const keys, lockAt, lockFor = 50, 2 * time.Second, 400 * time.Millisecond
	length := time.Duration(length(6, 5)) * time.Second
	for i := range 4 {
		o := w.newTenant([]string{"held", "free1", "free2", "free3"}[i], step{aDay, []string{"hook"}})
		for n := range keys {
			w.insist(0, o, o.alertKey(n), firing(o.alertKey(n)))
		}
	}
	w.awaitQuiet(patience)
	began := elapsed()
	time.AfterFunc(lockAt, func() { w.lockAlert(w.tenants[0].alertKey(0), lockFor) })
	var sending sync.WaitGroup
	start := time.Now()
	for n := 0; time.Since(start) < length; n++ {
		time.Sleep(time.Until(start.Add(time.Duration(n) * time.Second / openLoopRate)))
		o := w.tenants[n%len(w.tenants)]
		key := o.alertKey(n / len(w.tenants) % keys)
		sending.Go(func() { w.post(w.nodes[0], o, key, firing(key)) })
	}
	sending.Wait()
	phases := []struct {
		name        string
		from, until time.Duration
		afterwards  bool
	}{
		{"before the lock", began + lockAt - time.Second, began + lockAt, false},
		{"during the lock", began + lockAt, began + lockAt + lockFor, false},
		{"in the second after it", began + lockAt + lockFor, began + lockAt + lockFor + time.Second, true},
		{"later", began + lockAt + lockFor + time.Second, began + length, true},
	}
	for _, phase := range phases {
		own, others := w.flowOf(true, phase.from, phase.until), w.flowOf(false, phase.from, phase.until)
		measured(t, "T08", "open loop, "+phase.name+": locked tenant", own, "")
		measured(t, "T08", "open loop, "+phase.name+": three others", others, "none refused")
		if others.refused > 0 {
			t.Errorf("%s %d requests of other tenants were refused", phase.name, others.refused)
		}
		// Beside tenants that send as much, so that a slow machine changes nothing.
		if phase.afterwards && (own.refused > 0 || own.rate < others.rate/3*8/10) {
			t.Errorf("%s the tenant that was locked has %s, the three others %s", phase.name, own, others)
		}
	}
}

// flow is what was sent in a while, by when it was sent, and how it was answered.
type flow struct {
	rate, refused int // accepted a second; not accepted
	p50, p99      time.Duration
}

func (f flow) String() string {
	return fmt.Sprintf("%d/s, %d refused, p50 %s, p99 %s", f.rate, f.refused, f.p50.Round(time.Millisecond), f.p99.Round(time.Millisecond))
}

// flowOf sums up the first tenant's requests, or everybody else's.
func (w *world) flowOf(first bool, from, until time.Duration) (f flow) {
	var took []time.Duration
	accepted := 0
	for _, answer := range w.answers.all() {
		if (answer.Tenant == w.tenants[0].name) != first {
			continue
		}
		if answer.Status == http.StatusOK && answer.At+answer.Took >= from && answer.At+answer.Took < until {
			accepted++
		}
		if answer.At < from || answer.At >= until {
			continue
		}
		took = append(took, answer.Took)
		if answer.Status != http.StatusOK {
			f.refused++
		}
	}
	slices.Sort(took)
	f.rate = int(float64(accepted) / (until - from).Seconds())
	f.p50, f.p99 = took[len(took)/2], took[len(took)*99/100]
	return f
}

// lockAlert holds the row of an alert for a while.
func (w *world) lockAlert(key string, length time.Duration) {
	conn, err := w.connect()
	if err != nil {
		w.t.Error(err)
		return
	}
	defer conn.Close(context.Background())
	for _, sql := range []string{"BEGIN", "SELECT FROM alert WHERE title = '" + key + "' FOR UPDATE"} {
		if _, err := conn.Exec(context.Background(), sql); err != nil {
			w.t.Error(err)
		}
	}
	time.Sleep(length)
}
