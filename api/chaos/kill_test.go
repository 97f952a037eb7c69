//go:build chaos

package chaos

import (
	"fmt"
	"slices"
	"testing"
	"time"
)

// TestT01KilledDuringPosts kills the program without a word while alerts arrive. Its
// private PostgreSQL dies with it and recovers from its log.
func TestT01KilledDuringPosts(t *testing.T) {
	begin(t, "T01")
	w := alone(t)
	for i := range 4 {
		w.newTenant(fmt.Sprintf("tenant%d", i), step{aDay, []string{"hook"}})
	}
	w.ready()
	posts, kills := length(20_000, 2_000), length(20, 3)
	random := w.random(1)
	var at []int
	for range kills {
		at = append(at, posts/20+random.IntN(posts*8/10))
	}
	slices.Sort(at)
	reached, killed := make(chan int, posts), make(chan time.Duration)
	go w.killAt(at, reached, killed)
	began := time.Now()
	w.run(load{posts: posts, senders: 16, progress: func(done int) { reached <- done }})
	close(reached)
	slowest := <-killed
	took := time.Since(began)

	v := w.check()
	measured(t, "T01", "kills during posts", fmt.Sprintf("%d / %d in %s", len(w.crashes.all()), posts, took.Round(time.Second)), "")
	w.measureKept("T01", v)
	measured(t, "T01", "longest time from a kill to ready", slowest, "")
	// One contact has one message under way, so that a kill costs at most one copy there.
	if most := len(w.crashes.all()) * len(w.tenants); v.extras > most {
		t.Errorf("%d messages were sent again after %d kills", v.extras, len(w.crashes.all()))
	}
	if len(w.crashes.all()) != kills {
		t.Errorf("%d kills, want %d", len(w.crashes.all()), kills)
	}
}

// killAt kills the program when so many posts are done, and starts it again. It gives
// the longest time until it was ready.
func (w *world) killAt(at []int, reached <-chan int, killed chan<- time.Duration) {
	n, slowest := w.nodes[0], time.Duration(0)
	for done := range reached {
		if len(at) == 0 || done < at[0] {
			continue
		}
		at = at[1:]
		began := time.Now()
		n.kill()
		w.killed(n)
		n.start()
		slowest = max(slowest, time.Since(began))
	}
	killed <- slowest
}

// measureKept notes what every scenario is about.
func (w *world) measureKept(id string, v verdict) {
	w.t.Helper()
	measured(w.t, id, "accepted / lost", fmt.Sprintf("%d / %d", v.accepted, v.lost), "0 lost")
	measured(w.t, id, "duplicate incidents", v.duplicates, "0")
	measured(w.t, id, "pages / messages / sent again", fmt.Sprintf("%d / %d / %d", v.pages, v.messages, v.extras), "1 copy a page, 1 more a crash that hit its send")
	measured(w.t, id, "first attempt after due, p99 / max", fmt.Sprintf("%s / %s", v.latenessP99.Round(time.Millisecond), v.latenessMax.Round(time.Millisecond)), "")
	if v.longestHit > 0 {
		measured(w.t, id, "longest from a message that was sent again to the kill of its sender", v.longestHit, killHits.String())
	}
	if excused := w.unrecorded.Load(); excused > 0 {
		measured(w.t, id, "messages whose record went with the old primary", v.unrecorded, fmt.Sprintf("at most %d", excused))
	}
}
