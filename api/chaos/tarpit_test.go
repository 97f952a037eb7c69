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
func TestT23Tarpit(t *testing.T) { tarpit(t, 0, "beside 64 webhooks that never answer, p99") }

// TestT23TarpitWithABacklog is the same beside more than 10,000 pages that wait for them.
func TestT23TarpitWithABacklog(t *testing.T) {
	tarpit(t, 700, "beside 64 webhooks that never answer with 10,000 pages behind them, p99")
}

// tarpit opens so many incidents of the silent webhooks at once, before the others.
func tarpit(t *testing.T, backlog int, what string) {
	t.Helper()
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
	for sender := range 8 {
		sending.Go(func() {
			for n := sender; n < backlog; n += 8 {
				key := tar.alertKey(1_000_000 + n)
				w.insist(0, tar, key, firing(key))
			}
		})
	}
	sending.Wait()
	if backlog > 0 {
		w.await("more than 10,000 pages wait", time.Minute, func() error {
			if n := w.count(`SELECT count(*) FROM notification WHERE finished_at IS NULL`); n <= 10_000 {
				return fmt.Errorf("%d do", n)
			}
			return nil
		})
	}
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
	measured(t, "T23", what, beside, "1 s")
	measured(t, "T23", "incidents of it that were told while they hung", fmt.Sprintf("%d of %d", told.incidents, last-5), "all")
	if beside > time.Second || told.incidents != last-5 {
		t.Errorf("beside the tarpit pages took %s, and %d of %d incidents were told", beside, told.incidents, last-5)
	}
}
