//go:build chaos

package chaos

import (
	"context"
	"fmt"
	"net/http"
	"sync"
	"testing"
	"time"

	"github.com/nightbell/nightbell/api/internal/platform/postgres/pgtest"
)

// TestT09DatabaseAway takes PostgreSQL away for a while under load, and gives it back.
// Nightbell keeps running, refuses with 503 and Retry-After, and recovers by itself.
func TestT09DatabaseAway(t *testing.T) {
	begin(t, "T09")
	w := together(t, 1)
	w.newTenant("away", step{aDay, []string{"hook"}})
	w.ready()
	var running sync.WaitGroup
	running.Go(func() {
		w.run(load{posts: length(4_000, 1_500), senders: 8, pause: 5 * time.Millisecond})
	})
	time.Sleep(time.Second)
	from := len(w.answers.all())
	w.stopPostgres()
	time.Sleep(time.Duration(length(10, 4)) * time.Second)
	w.startPostgres()
	back := elapsed()
	running.Wait()
	v := w.check()
	refused, slowest, first := w.checkRefusals(from, back)
	measured(t, "T09", "refused with 503 and Retry-After, nothing else", refused, "at least 1, no other refusal")
	measured(t, "T09", "slowest refusal", slowest, "3 s, 10 s asserted")
	measured(t, "T09", "first acceptance after PostgreSQL was back", first, "5 s, 30 s asserted")
	w.measureKept("T09", v)
	if slowest > 10*time.Second || first > 30*time.Second {
		t.Errorf("the slowest refusal took %s, the first acceptance came after %s", slowest, first)
	}
}

// TestT09StandbyAway has the synchronous standby hang under load. What it does not
// confirm is not accepted, and all is well by itself when it goes on.
func TestT09StandbyAway(t *testing.T) {
	begin(t, "T09")
	w, p := paired(t)
	w.newTenant("alone", step{aDay, []string{"hook"}})
	w.ready()
	var from int
	var back time.Duration
	v := w.underLoad(func() {
		from = len(w.answers.all())
		p.standby.hang()
		w.crashed()
		time.Sleep(time.Duration(length(15, 6)) * time.Second)
		p.standby.resume()
		back = elapsed()
		w.awaitAccepted(back)
	})
	refused, slowest, first := w.checkRefusals(from, back)
	measured(t, "T09", "standby hangs: refused with 503 and Retry-After", refused, "at least 1, no other refusal")
	measured(t, "T09", "standby hangs: slowest refusal", slowest, "3 s, 10 s asserted")
	measured(t, "T09", "standby hangs: first acceptance after it went on", first, "5 s, 30 s asserted")
	w.measureKept("T09", v)
	if slowest > 10*time.Second || first > 30*time.Second {
		t.Errorf("the slowest refusal took %s, the first acceptance came after %s", slowest, first)
	}
}

// TestT09PagesWhileStandbyAway hangs the standby while incidents wait for their next step:
// alerts cannot be accepted then, but whoever is due is paged all the same.
func TestT09PagesWhileStandbyAway(t *testing.T) {
	begin(t, "T09")
	w, p := paired(t)
	const delay = 300
	o := w.newTenant("waiting", step{delay, []string{"first"}}, step{aDay, []string{"second"}})
	clock := pgtest.TakeClock(t, w.dsn+"&synchronous_commit=local") // it moves while nothing is confirmed
	w.ready()
	incidents := length(200, 40)
	for key := range incidents {
		w.insist(key, o, o.alertKey(key), firing(o.alertKey(key)))
	}
	w.awaitQuiet(patience)
	p.standby.hang()
	clock.Advance(delay * time.Second)
	late := w.await("the second step while the standby hangs", patience, func() error {
		if got := w.told(o)["second"]; got < incidents {
			return fmt.Errorf("told of %d of %d incidents", got, incidents)
		}
		return nil
	})
	p.standby.resume()
	w.awaitQuiet(patience)
	v := w.check()
	measured(t, "T09", "standby hangs: last page of the next step after its clock reached it", late, "3 s, 30 s asserted")
	measured(t, "T09", "standby hangs: messages sent again", v.extras, "0")
	if late > 30*time.Second || v.extras > 0 {
		t.Errorf("the last page came after %s, %d messages were sent again", late, v.extras)
	}
}

// checkRefusals looks at the answers from the nth on: whatever was not accepted was
// refused as the contract says. first is from back to the next acceptance.
func (w *world) checkRefusals(nth int, back time.Duration) (refused int, slowest, first time.Duration) {
	w.t.Helper()
	for _, answer := range w.answers.all()[nth:] {
		end := answer.At + answer.Took
		switch {
		case answer.Status/100 == 2:
			if end > back && (first == 0 || end-back < first) {
				first = end - back
			}
		case answer.Status == http.StatusServiceUnavailable && answer.RetryAfter:
			refused++
			slowest = max(slowest, answer.Took)
		case answer.Status == http.StatusBadRequest, answer.Status == http.StatusUnprocessableEntity:
		default:
			w.t.Errorf("an alert was answered with %d (Retry-After: %t) while the database was away", answer.Status, answer.RetryAfter)
		}
	}
	if refused == 0 {
		w.t.Error("nothing was refused: the database was never away")
	}
	return refused, slowest, first
}

// TestT43DatabaseRestarts restarts PostgreSQL again and again under load.
func TestT43DatabaseRestarts(t *testing.T) {
	begin(t, "T43")
	w := together(t, 1)
	w.newTenant("restarted", step{aDay, []string{"hook"}})
	w.ready()
	var running sync.WaitGroup
	running.Go(func() {
		w.run(load{posts: length(6_000, 1_000), senders: 8, pause: 10 * time.Millisecond})
	})
	restarts, longest := length(10, 2), time.Duration(0)
	for range restarts {
		time.Sleep(500 * time.Millisecond)
		went := elapsed()
		w.crashed() // a result that cannot be written may be sent once more
		w.stopPostgres()
		w.startPostgres()
		restarted := elapsed()
		w.await("an acceptance after the restart", time.Minute, func() error {
			answers := w.answers.all()
			for i := len(answers) - 1; i >= 0 && answers[i].At > restarted; i-- {
				if answers[i].Status/100 == 2 {
					longest = max(longest, answers[i].At+answers[i].Took-went)
					return nil
				}
			}
			return fmt.Errorf("none of %d answers", len(answers))
		})
	}
	running.Wait()
	v := w.check()
	refused, _, _ := w.checkRefusals(0, elapsed())
	measured(t, "T43", fmt.Sprintf("longest outage of writes in %d restarts", restarts), longest, "5 s, 30 s asserted")
	measured(t, "T43", "refused with 503 and Retry-After, nothing else", refused, "no other refusal")
	w.measureKept("T43", v)
	if longest > 30*time.Second {
		t.Errorf("writes were out for %s", longest)
	}
}

// TestT08LockHeld holds the row of one tenant's incident for a minute, as a forgotten
// transaction would. Only what concerns that incident waits.
func TestT08LockHeld(t *testing.T) {
	begin(t, "T08")
	w := together(t, 1)
	held := w.newTenant("held", step{aDay, []string{"hook"}})
	for i := range 3 {
		w.newTenant(fmt.Sprintf("free%d", i), step{aDay, []string{"hook"}})
	}
	w.ready()
	key := held.alertKey(1)
	w.insist(0, held, key, firing(key))
	w.awaitQuiet(patience)
	release := w.holdIncident(key)
	w.tenants = w.tenants[1:]
	began, until := elapsed(), time.Now().Add(time.Duration(length(60, 10))*time.Second)
	var running sync.WaitGroup
	running.Go(func() {
		for n := 2; time.Now().Before(until); n++ { // its repeats, its end, and other alerts of the same service
			w.post(w.nodes[0], held, key, []func(string) []byte{firing, resolved}[n%2](key))
			other := held.alertKey(n)
			w.insist(0, held, other, firing(other))
		}
	})
	for n := 0; time.Now().Before(until); n++ {
		o := w.tenants[n%3]
		alert := o.alertKey(n)
		w.post(w.nodes[0], o, alert, firing(alert))
	}
	release()
	running.Wait()
	w.insist(0, held, key, resolved(key))
	v := w.check()
	slowest, refused := time.Duration(0), 0
	for _, answer := range w.answers.all() {
		if answer.Tenant == held.name || answer.At < began {
			continue
		}
		slowest = max(slowest, answer.Took)
		if answer.Status != http.StatusOK {
			refused++
		}
	}
	measured(t, "T08", "other tenants: refused beside the lock", refused, "0")
	measured(t, "T08", "other tenants: slowest answer beside the lock", slowest, "5 s asserted")
	measured(t, "T08", "all tenants: first attempt after due, p99", v.latenessP99, "5 s")
	if refused > 0 || slowest > 5*time.Second || v.latenessP99 > 5*time.Second {
		t.Errorf("%d of the others' alerts were refused, the slowest answer took %s, pages were %s late", refused, slowest, v.latenessP99)
	}
}

// holdIncident locks the incident about an alert until release.
func (w *world) holdIncident(key string) (release func()) {
	w.t.Helper()
	ctx := context.Background()
	conn, err := w.connect()
	if err != nil {
		w.t.Fatal(err)
	}
	for _, sql := range []string{"BEGIN", "SELECT FROM incident WHERE title = '" + key + "' FOR UPDATE"} {
		if _, err := conn.Exec(ctx, sql); err != nil {
			w.t.Fatal(err)
		}
	}
	return func() { conn.Close(ctx) }
}
