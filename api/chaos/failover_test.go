//go:build chaos

package chaos

import (
	"fmt"
	"slices"
	"sync"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"
)

// The bars of the plan. Of those that hang, the tests assert what a machine under load may take on top.
const (
	killedBar, killedLimit     = 2 * time.Second, 2 * time.Second
	fencedBar, fencedLimit     = 10 * time.Second, 20 * time.Second
	unfencedBar, unfencedLimit = 8 * time.Second, 16 * time.Second
)

// underLoad sends about 200 posts a second until the scenario is told, and gives what
// the oracle says then.
func (w *world) underLoad(scenario func()) verdict {
	w.t.Helper()
	over := make(chan struct{})
	var running sync.WaitGroup
	running.Go(func() { w.run(load{senders: 16, pause: 70 * time.Millisecond, over: over}) })
	time.Sleep(time.Duration(length(2, 1)) * time.Second)
	scenario()
	time.Sleep(time.Second)
	close(over)
	running.Wait()
	return w.check()
}

// failedOver notes a change of the primary: the message that was under way to each contact
// may be sent once more, and the last one's record may be on the old primary only.
func (w *world) failedOver() {
	w.crashed()
	w.unrecorded.Add(int64(len(w.tenants)))
}

// awaitAccepted waits for an alert that was sent after a moment and accepted, and gives
// how long nothing was accepted around it.
func (w *world) awaitAccepted(after time.Duration) (outage time.Duration) {
	w.t.Helper()
	w.await("an alert is accepted", time.Minute, func() error {
		answers := w.answers.all()
		for i := len(answers) - 1; i >= 0 && answers[i].At > after; i-- {
			if answers[i].Status/100 == 2 {
				return nil
			}
		}
		return fmt.Errorf("none of %d answers", len(answers))
	})
	return w.longestGap(after - time.Second)
}

// longestGap is the longest time without an acceptance since a moment.
func (w *world) longestGap(since time.Duration) (longest time.Duration) {
	var ends []time.Duration
	for _, answer := range w.answers.all() {
		if end := answer.At + answer.Took; answer.Status/100 == 2 && end > since {
			ends = append(ends, end)
		}
	}
	slices.Sort(ends)
	for i, end := range ends[1:] {
		longest = max(longest, end-ends[i])
	}
	return longest
}

// measureFailover notes what a failover cost.
func (w *world) measureFailover(id, what string, v verdict, outage, bar, limit time.Duration) {
	w.t.Helper()
	words := bar.String()
	if limit != bar {
		words = fmt.Sprintf("%s, %s asserted", bar, limit)
	}
	measured(w.t, id, what+": longest without an acceptance", outage, words)
	w.measureKept(id, v)
	if outage > limit {
		w.t.Errorf("%s: nothing was accepted for %s", what, outage)
	}
	if v.latenessMax > 30*time.Second {
		w.t.Errorf("%s: a page was first tried %s late", what, v.latenessMax)
	}
}

// TestT40PrimaryKilled kills every process of the primary, promotes its synchronous
// standby, gives that a new standby, and kills it in turn.
func TestT40PrimaryKilled(t *testing.T) {
	begin(t, "T40")
	w, p := paired(t)
	for i := range 4 {
		w.newTenant(fmt.Sprintf("tenant%d", i), step{aDay, []string{"hook"}})
	}
	w.ready()
	rounds, outage := length(20, 1), time.Duration(0)
	v := w.underLoad(func() {
		for range rounds {
			at := elapsed()
			p.primary.kill()
			p.promote(true)
			outage = max(outage, w.awaitAccepted(elapsed()))
			outage = max(outage, w.longestGap(at-time.Second))
			w.failedOver() // a result that could not be written is sent once more
			p.attach()
			time.Sleep(time.Second)
		}
	})
	w.measureFailover("T40", fmt.Sprintf("%d primaries killed", rounds), v, outage, killedBar, killedLimit)
}

// TestT41FencedHang has the primary hang, ends it, and promotes the standby.
func TestT41FencedHang(t *testing.T) {
	begin(t, "T41")
	w, p := paired(t)
	w.newTenant("hung", step{aDay, []string{"hook"}})
	v, outage := w.hang(p, true)
	w.measureFailover("T41", "hung, fenced", v, outage, fencedBar, fencedLimit)
}

// TestT41UnfencedHang has the primary hang, cannot end it, and promotes the standby all
// the same: the program leaves the old one by itself.
func TestT41UnfencedHang(t *testing.T) {
	begin(t, "T41")
	w, p := paired(t)
	w.newTenant("hung", step{aDay, []string{"hook"}})
	v, outage := w.hang(p, false)
	w.measureFailover("T41", "hung, not fenced", v, outage, unfencedBar, unfencedLimit)
}

// hang has the primary hang under load until alerts are accepted by another.
func (w *world) hang(p *pair, fenced bool) (v verdict, outage time.Duration) {
	w.t.Helper()
	w.ready()
	v = w.underLoad(func() {
		at := elapsed()
		p.primary.hang()
		p.promote(fenced)
		w.awaitAccepted(elapsed())
		outage = w.longestGap(at - time.Second)
		w.dsn = p.primary.dsn("nightbell")
		w.failedOver()
	})
	return v, outage
}

// TestT41WithoutReplacement is the same in a program that cannot replace its pools: it
// waits for as long as the old primary hangs.
func TestT41WithoutReplacement(t *testing.T) {
	begin(t, "T41")
	w, p := paired(t)
	w.newTenant("hung", step{aDay, []string{"hook"}})
	n := w.nodes[0]
	n.stop()
	n.binary = fromEnvironment(t, "NIGHTBELL_FAILPOINTS_BIN")
	n.start("NIGHTBELL_FAILPOINTS=watch=hang")
	const patience = 25 * time.Second
	ended := "it goes on when the test ends it"
	var outage time.Duration
	v := w.underLoad(func() {
		at := elapsed()
		p.primary.hang()
		p.promote(false)
		w.dsn = p.primary.dsn("nightbell")
		for until := time.Now().Add(patience); time.Now().Before(until); time.Sleep(100 * time.Millisecond) {
			if w.acceptedSince(at + 3*time.Second) {
				ended = "it ended by itself"
				break
			}
		}
		p.standby.kill()
		w.awaitAccepted(elapsed())
		outage = w.longestGap(at - time.Second)
		w.failedOver()
	})
	measured(t, "T41", "hung, not fenced, without replacement: "+ended, outage, fmt.Sprintf("more than %s", unfencedBar))
	w.measureKept("T41", v)
	if outage <= unfencedBar {
		t.Errorf("without the replacement of pools the outage took %s: it is not needed, or this does not try it", outage)
	}
}

func (w *world) acceptedSince(moment time.Duration) bool {
	return slices.ContainsFunc(w.answers.all(), func(a answered) bool { return a.At > moment && a.Status/100 == 2 })
}

// TestT42OldPrimaryWakes lets a primary that hung run on after its standby was promoted.
// Both take writes then; what was accepted must be on the new one.
func TestT42OldPrimaryWakes(t *testing.T) {
	begin(t, "T42")
	w, p := paired(t)
	w.newTenant("woken", step{aDay, []string{"hook"}})
	w.ready()
	v := w.underLoad(func() {
		p.primary.hang()
		p.promote(false)
		w.awaitAccepted(elapsed())
		p.standby.resume()
		w.dsn = p.primary.dsn("nightbell")
		w.failedOver()
		time.Sleep(time.Duration(length(10, 3)) * time.Second)
	})
	measured(t, "T42", "the old primary wakes, both known: alerts missing on the new one", w.missing(), "0")
	w.measureKept("T42", v)
}

// TestT42OldPrimaryBehindOneAddress is the worst case: the program knows one address,
// and for a while that leads to an old primary which is awake and takes writes, but has
// lost its standby. Each commit there waits for the standby, and somebody who looks after
// the database cancels the waits: PostgreSQL then reports the commits as done.
func TestT42OldPrimaryBehindOneAddress(t *testing.T) {
	begin(t, "T42")
	w := newWorld(t)
	p := newPair(t)
	address := newDoor(t, p.primary.address())
	w.dsn = fmt.Sprintf("postgres://nightbell@%s/nightbell?sslmode=disable&connect_timeout=1", address.address())
	w.serve(1)
	w.newTenant("woken", step{aDay, []string{"hook"}})
	w.ready()
	unconfirmed := 0
	v := w.underLoad(func() {
		p.primary.hang()
		p.promote(false)
		p.standby.resume()
		for until := time.Now().Add(time.Duration(length(20, 8)) * time.Second); time.Now().Before(until); time.Sleep(300 * time.Millisecond) {
			p.standby.run("SELECT pg_cancel_backend(pid) FROM pg_stat_activity WHERE wait_event = 'SyncRep'")
			w.crashed()         // what was sent on the word of the old primary is sent again
			w.unrecorded.Add(1) // what came through is paged at once, and recorded here only
		}
		unconfirmed = w.onlyOn(p.standby, p.primary)
		address.leadTo(p.primary.address())
		p.standby.kill()
		w.awaitAccepted(elapsed())
	})
	measured(t, "T42", "one address: alerts on the old primary alone, not accepted", unconfirmed, "at least 1")
	measured(t, "T42", "one address: alerts missing on the new one", w.missing(), "0")
	w.measureKept("T42", v)
	if unconfirmed == 0 {
		t.Error("the old primary took no writes: the hazard was not tried")
	}
}

// missing counts the alerts that were accepted and are not in the database at all.
func (w *world) missing() (count int) {
	w.t.Helper()
	stored := map[string]bool{}
	for _, title := range rows(w, pgx.RowTo[string], "SELECT title FROM alert") {
		stored[title] = true
	}
	accepted := map[string]bool{}
	for _, answer := range w.answers.all() {
		if answer.Status/100 == 2 && !accepted[answer.Key] {
			accepted[answer.Key] = true
			if !stored[answer.Key] {
				count++
			}
		}
	}
	return count
}

// onlyOn counts the alerts that one server has and the other does not.
func (w *world) onlyOn(one, other *database) (count int) {
	w.t.Helper()
	titles := func(d *database) (list []string) {
		if err := d.ask(10*time.Second, "SELECT coalesce(array_agg(title), '{}') FROM alert", &list); err != nil {
			w.t.Fatal(err)
		}
		return list
	}
	has := map[string]bool{}
	for _, title := range titles(other) {
		has[title] = true
	}
	for _, title := range titles(one) {
		if !has[title] {
			count++
		}
	}
	return count
}
