//go:build chaos

package chaos

import (
	"errors"
	"fmt"
	"math/rand/v2"
	"strings"
	"sync"
	"sync/atomic"
	"syscall"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"

	"github.com/nightbell/nightbell/api/internal/platform/postgres/pgtest"
)

// sendsAtOnce is how many messages of one channel a replica has under way at most.
const sendsAtOnce = 16

// lateAtMost is how many messages frozen workers may send after they woke, in all freezes of
// a run: one that is frozen between its look at its lease and its send cannot know.
const lateAtMost = 2

// TestT12WorkerKilledDuringSends kills one of two replicas while both send pages, and
// starts it again. What it held goes out by the other when its lease ends.
func TestT12WorkerKilledDuringSends(t *testing.T) {
	begin(t, "T12")
	w := together(t, 2)
	for i := range 32 { // so many contacts that few pages wait for each other and are bundled
		name := fmt.Sprintf("org%d", i)
		w.newTenant(name, step{aDay, []string{"hook"}})
		w.providers.misbehave(name+"-hook", func() fault { return fault{latency: 50 * time.Millisecond} })
	}
	w.ready()
	random, kills, sends := w.random(1), length(50, 3), length(5_000, 300)
	over := make(chan struct{})
	var running sync.WaitGroup
	running.Go(func() {
		w.run(load{senders: 32, pause: 100 * time.Millisecond, over: over})
	})
	for i := range kills {
		time.Sleep(time.Duration(200+random.IntN(1_000)) * time.Millisecond)
		victim := w.nodes[i%2]
		victim.kill()
		w.killed(victim)
		victim.start()
	}
	w.await("enough messages are sent", patience, func() error {
		if got := len(w.providers.journal.all()); got < sends {
			return fmt.Errorf("%d messages, want %d", got, sends)
		}
		return nil
	})
	close(over)
	running.Wait()
	v := w.check()
	measured(t, "T12", "kills of a sending replica, during so many messages", fmt.Sprintf("%d / %d", kills, v.messages), fmt.Sprintf("%d / %d", kills, sends))
	w.measureKept("T12", v)
	if most := kills * sendsAtOnce; v.extras > most {
		t.Errorf("%d messages were sent again after %d kills", v.extras, kills)
	}
	// 10 s of lease, a tick, and what a loaded machine adds. The plan's bar is 15 s.
	if v.latenessMax > 30*time.Second {
		t.Errorf("a page was first tried %s late", v.latenessMax)
	}
}

// TestT13WorkerFrozen stops a replica's time in the middle of a send, for longer than
// its lease, and lets it run on: the other has taken over, and what the frozen one
// still writes is refused. A few freezes last as long as they would at night; in the
// others the clock of the database, by which leases end, is moved on meanwhile.
func TestT13WorkerFrozen(t *testing.T) {
	begin(t, "T13")
	w := together(t, 2)
	o := w.newTenant("frozen", step{aDay, []string{"hook"}})
	clock := w.clock()
	w.ready()
	held, chance, taken := 0, 0, 0
	var takeover time.Duration
	for i := range length(4, 1) {
		took, written := w.freezeSender(o, i, func() {}, 16*time.Second)
		takeover, taken, held = max(takeover, took), taken+btoi(written), held+1
	}
	quick := time.Duration(0)
	for range length(96, 2) {
		took, written := w.freezeSender(o, held, func() { clock.Advance(11 * time.Second) }, 0)
		quick, taken, held = max(quick, took), taken+btoi(written), held+1
	}
	random, stale := w.random(1), 0
	for range length(100, 3) {
		stale += w.freezeAtRandom(o, held+chance, clock, random)
		chance++
	}
	v := w.check()
	freezes := held + chance
	measured(t, "T13", "freezes: while a provider answers / at a random moment", fmt.Sprintf("%d / %d", held, chance), "200")
	measured(t, "T13", "longest takeover, the lease in real time", takeover, "at most 15 s, 30 s asserted")
	measured(t, "T13", "longest takeover after the end of the lease, moved", quick, "5 s, 20 s asserted")
	measured(t, "T13", "messages that a woken worker sent late, in all freezes", stale, fmt.Sprintf("expected 0, at most %d in all", lateAtMost))
	measured(t, "T13", "messages sent again", v.extras, fmt.Sprintf("at most %d", freezes))
	measured(t, "T13", "results of frozen workers that were taken", taken, "0")
	if takeover > 30*time.Second || quick > 20*time.Second || v.extras > freezes || stale > lateAtMost {
		t.Errorf("takeover after %s and %s, %d messages sent again, %d late", takeover, quick, v.extras, stale)
	}
}

// freezeSender freezes the replica that sends a page while the provider is about to
// answer, and gives how long it took the other to take over.
func (w *world) freezeSender(o *tenant, nth int, during func(), frozenFor time.Duration) (takeover time.Duration, taken bool) {
	w.t.Helper()
	var asked atomic.Int64
	resume := make(chan struct{})
	w.providers.misbehave(o.name+"-hook", func() fault {
		if asked.Add(1) == 1 {
			return fault{hold: resume} // the answer arrives once the worker runs again
		}
		return fault{}
	})
	already := len(w.providers.journal.all())
	key := o.alertKey(nth)
	w.insist(nth, o, key, firing(key))
	victim := w.sender(already)
	victim.signal(syscall.SIGSTOP)
	w.froze(victim)
	frozen := time.Now()
	during()
	w.await("another replica takes the page over", time.Minute, func() error {
		if asked.Load() < 2 {
			return fmt.Errorf("%d messages", asked.Load())
		}
		return nil
	})
	takeover = time.Since(frozen)
	time.Sleep(time.Until(frozen.Add(frozenFor)))
	w.await("the other replica records it", time.Minute, func() error {
		if state := w.settled(key); !strings.HasPrefix(state, "sent") {
			return errors.New(state)
		}
		return nil
	})
	before := w.settled(key)
	victim.signal(syscall.SIGCONT)
	close(resume)
	w.pageBy(victim, o)
	after := w.settled(key)
	if taken = after != before; taken {
		w.t.Errorf("the frozen worker's result was taken: %s, then %s", before, after)
	}
	return takeover, taken
}

func btoi(b bool) int {
	if b {
		return 1
	}
	return 0
}

// freezeAtRandom freezes a replica at some moment around its claim and its send, until
// its lease is over, and counts the messages that it sends after it woke.
func (w *world) freezeAtRandom(o *tenant, nth int, clock *pgtest.Clock, random *rand.Rand) (stale int) {
	w.t.Helper()
	w.providers.misbehave(o.name+"-hook", func() fault { return fault{} })
	victim, other := w.nodes[nth%2], w.nodes[(nth+1)%2]
	key, after := o.alertKey(nth), time.Duration(random.IntN(12_000))*time.Microsecond
	posted := make(chan struct{})
	go func() {
		defer close(posted)
		// Who takes an alert is woken first, so the victim mostly sends its page.
		if w.post(victim, o, key, firing(key))/100 != 2 {
			w.post(other, o, key, firing(key))
		}
	}()
	time.Sleep(after)
	victim.signal(syscall.SIGSTOP)
	frozen := time.Now()
	w.froze(victim)
	stored := func() bool { return w.count("SELECT count(*) FROM alert WHERE title = $1", key) > 0 }
	if stored() {
		clock.Advance(11 * time.Second)
		w.awaitQuiet(patience)
		// A worker sees by its own clock that its last look is half a second old, and that clock is not
		// moved: nobody is frozen for less than that and outlives a lease.
		time.Sleep(time.Until(frozen.Add(600 * time.Millisecond)))
	}
	already := len(w.providers.journal.all())
	victim.signal(syscall.SIGCONT)
	<-posted
	w.awaitQuiet(patience)
	w.pageBy(victim, o)
	for _, message := range w.providers.journal.all()[already:] {
		if message.Sender == victim.pid() && w.sentBefore(message.DeliveryID, already) {
			stale++
		}
	}
	return stale
}

// sentBefore reports whether the page of a delivery was among the first n messages.
func (w *world) sentBefore(deliveryID string, n int) bool {
	w.t.Helper()
	var earlier []string
	for _, message := range w.providers.journal.all()[:n] {
		earlier = append(earlier, message.DeliveryID)
	}
	return w.count(`SELECT count(*) FROM (SELECT org_id, id AS delivery_id, unnest(notification_ids) AS notification_id FROM delivery) a
		JOIN (SELECT org_id, id AS delivery_id, unnest(notification_ids) AS notification_id FROM delivery) b ON b.org_id = a.org_id AND b.notification_id = a.notification_id
		WHERE a.delivery_id = $1::uuid AND b.delivery_id::text = ANY($2)`, deliveryID, earlier) > 0
}

// sender waits for the nth message and gives the replica that is sending it: the one
// that holds the other end of the connection.
func (w *world) sender(nth int) (found *node) {
	w.t.Helper()
	w.await("a replica sends the page", time.Minute, func() error {
		messages := w.providers.journal.all()
		if len(messages) <= nth {
			return errors.New("no message yet")
		}
		for _, n := range w.nodes {
			if n.pid() == messages[nth].Sender {
				found = n
				return nil
			}
		}
		return fmt.Errorf("process %d sent it, which is none of them", messages[nth].Sender)
	})
	return found
}

// pageBy opens incidents until a page of one was sent by that replica and recorded: what it
// was at before is behind it then. It gives how many that took.
func (w *world) pageBy(n *node, o *tenant) (opened int) {
	w.t.Helper()
	w.await(n.name+" sends a page", time.Minute, func() error {
		already := len(w.providers.journal.all())
		opened++
		key := o.alertKey(500_000 + int(w.more.Add(1)))
		for status := 0; status/100 != 2; status = w.post(n, o, key, firing(key)) { // who takes an alert is woken first
			if w.t.Context().Err() != nil {
				return w.t.Context().Err()
			}
		}
		w.awaitQuiet(patience)
		for _, message := range w.providers.journal.all()[already:] {
			if message.Sender == n.pid() {
				return nil
			}
		}
		return fmt.Errorf("%d pages were sent by others", opened)
	})
	return opened
}

// settled says what the database holds of the page of an alert.
func (w *world) settled(key string) string {
	w.t.Helper()
	return rows(w, pgx.RowTo[string], `
		SELECT string_agg(concat_ws(' ', n.state, n.attempts, n.finished_at, d.outcome, d.finished_at), ', ' ORDER BY d.started_at)
		FROM incident i JOIN notification n ON n.incident_id = i.id
		JOIN (SELECT org_id, id AS delivery_id, unnest(notification_ids) AS notification_id FROM delivery) l ON l.notification_id = n.id JOIN delivery d ON d.id = l.delivery_id WHERE i.title = $1`, key)[0]
}
