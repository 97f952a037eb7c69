//go:build chaos

package chaos

import (
	"fmt"
	"net/http"
	"sync"
	"testing"
	"time"
)

// TestT23Tarpit lets one organization page 64 webhooks that never answer, with a new incident
// every 0.7 s. The pages of another organization leave as if it were alone.
func TestT23Tarpit(t *testing.T) {
	begin(t, "T23")
	w := alone(t)
	release := make(chan struct{})
	released := sync.OnceFunc(func() { close(release) })
	t.Cleanup(released)
	var steps []step
	for s := range 4 {
		var contacts []string
		for n := range 16 {
			contact := fmt.Sprintf("hook%d", 16*s+n)
			w.providers.misbehave("tar-"+contact, func() fault {
				select {
				case <-release:
					return fault{}
				default:
					return fault{hold: release, status: http.StatusServiceUnavailable}
				}
			})
			contacts = append(contacts, contact)
		}
		steps = append(steps, step{60, contacts})
	}
	tar := w.newTenant("tar", steps...)
	before, quiet := w.newTenant("before", step{aDay, []string{"hook"}}), w.newTenant("quiet", step{aDay, []string{"hook"}})
	w.ready()
	for n := range 20 {
		key := before.alertKey(n)
		w.insist(0, before, key, firing(key))
		time.Sleep(100 * time.Millisecond)
	}
	var sending sync.WaitGroup
	last := length(120, 15)
	sending.Go(func() {
		for n := range last * 10 / 7 {
			key := tar.alertKey(n)
			w.insist(0, tar, key, firing(key))
			time.Sleep(700 * time.Millisecond)
		}
	})
	sending.Go(func() {
		time.Sleep(5 * time.Second)
		for n := range last - 5 {
			key := quiet.alertKey(n)
			w.insist(0, quiet, key, firing(key))
			time.Sleep(time.Second)
		}
	})
	sending.Wait()
	told, alone, beside := w.countTold("quiet-hook"), w.lateness("before"), w.lateness("quiet")
	released()
	w.check()
	measured(t, "T23", "pages of an organization alone, p99", alone, "")
	measured(t, "T23", "beside 64 webhooks that never answer, p99", beside, "1 s")
	measured(t, "T23", "incidents of it that were told while they hung", fmt.Sprintf("%d of %d", told.incidents, last-5), "all")
	if beside > time.Second || told.incidents != last-5 {
		t.Errorf("beside the tarpit pages took %s, and %d of %d incidents were told", beside, told.incidents, last-5)
	}
}
