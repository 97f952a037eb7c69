package delivery_test

import (
	"context"
	"flag"
	"fmt"
	"math/rand/v2"
	"slices"
	"sync"
	"testing"
	"time"

	"github.com/google/uuid"

	"github.com/nightbell/nightbell/api/internal/alert"
	"github.com/nightbell/nightbell/api/internal/delivery"
	"github.com/nightbell/nightbell/api/internal/notify"
	"github.com/nightbell/nightbell/api/internal/platform/postgres/pgtest"
)

var races = flag.Int("races", 200, "how many answers race their pages")

// TestAcknowledgementsRacePages answers incidents within 50 ms of the moment at which
// their page is due, with two replicas sending: no page starts more than a second after
// the answer was accepted (promise P5), and the records agree with what was sent.
func TestAcknowledgementsRacePages(t *testing.T) {
	tries := *races
	seed := rand.Uint64()
	t.Logf("seed %d", seed)
	random := rand.New(rand.NewPCG(seed, 1))
	o := newOutbox(t)
	o.provider.answers(func(context.Context, notify.Message) error { time.Sleep(2 * time.Millisecond); return nil })
	window := max(2*time.Second, time.Duration(tries)*10*time.Millisecond)
	incidents, dueIn := make([]uuid.UUID, tries), make([]time.Duration, tries)
	for n := range tries {
		dueIn[n] = window + time.Duration(random.Int64N(int64(window)))
		_, incidents[n] = o.pageSomebody(t, fmt.Sprint("p", n), alert.Critical, time.Hour)
	}
	start := time.Now()
	for n := range tries { // all due relative to one instant
		o.Exec(t, `UPDATE notification SET due_at = $2, next_try_at = $2 WHERE incident_id = $1`, incidents[n], o.Clock.Now().Add(dueIn[n]-time.Since(start)))
	}
	stop := make(chan struct{})
	var replicas sync.WaitGroup
	for range 2 {
		d := o.replica(notify.Email, o.provider)
		replicas.Go(func() { sweepUntil(t, d, stop) })
	}
	accepted := make([]time.Time, tries)
	var people sync.WaitGroup
	for n := range tries {
		wait := time.Until(start.Add(dueIn[n] + time.Duration(random.Int64N(int64(100*time.Millisecond))) - 50*time.Millisecond))
		people.Go(func() {
			time.Sleep(wait)
			o.acknowledge(t, incidents[n])
			accepted[n] = time.Now()
		})
	}
	people.Wait()
	time.Sleep(300 * time.Millisecond)
	close(stop)
	replicas.Wait()
	o.judge(t, incidents, accepted)
}

func sweepUntil(t *testing.T, d *delivery.Outbox, stop chan struct{}) {
	t.Helper()
	for {
		select {
		case <-stop:
			d.Wait()
			return
		case <-time.After(3 * time.Millisecond):
			if _, err := d.Sweep(context.Background()); err != nil {
				t.Error(err)
			}
		}
	}
}

// judge compares what the provider got with when the answers were accepted and with
// what is recorded.
func (o *outbox) judge(t *testing.T, incidents []uuid.UUID, accepted []time.Time) {
	t.Helper()
	started := map[uuid.UUID]time.Time{}
	for n, message := range o.provider.messages() {
		for _, told := range message.Incidents {
			if _, twice := started[told.ID]; twice {
				t.Errorf("incident %d was sent twice", told.Number)
			}
			started[told.ID] = o.provider.started[n]
		}
	}
	var latest time.Duration
	for n, incidentID := range incidents {
		at, sent := started[incidentID]
		state := pgtest.One[string](t, o.Database, `SELECT state FROM notification WHERE incident_id = $1`, incidentID)
		if want := map[bool]string{true: "sent", false: "cancelled"}[sent]; state != want {
			t.Errorf("sent is %t, but the page is %s", sent, state)
		}
		if sent {
			latest = max(latest, at.Sub(accepted[n]))
		}
	}
	lines := pgtest.One[int](t, o.Database, `SELECT count(*) FROM timeline_event WHERE kind = 'paged'`)
	if lines != len(started) {
		t.Errorf("%d lines for %d pages", lines, len(started))
	}
	if answers := pgtest.One[int](t, o.Database, `SELECT count(*) FROM incident WHERE status = 'acknowledged'`); answers != len(incidents) {
		t.Errorf("%d of %d answers were kept", answers, len(incidents))
	}
	t.Logf("%d of %d pages were sent; the latest pagingtest.Began %s after its answer was accepted", len(started), len(incidents), latest)
	if latest > time.Second {
		t.Errorf("a page pagingtest.Began %s after the answer (promise P5 allows a second)", latest)
	}
}

// A round sends everything that is due at its moment, however many sends that are, and
// nothing before its time (promises P2 and P4). That a loop makes a round as soon as it is
// woken is the sweep package's to prove.
func TestPagesLeaveAtOnce(t *testing.T) {
	o := newOutbox(t)
	o.Clock.Freeze(o.Clock.Now())
	const people = 100
	for n := range people {
		o.pageSomebody(t, fmt.Sprint("p", n), alert.High, 0)
	}
	o.pageSomebody(t, "later", alert.High, time.Second)
	deliver(t, o.deliverer)
	if len(o.lateness) != people || slices.Max(o.lateness) != 0 {
		t.Errorf("%d of %d pages left, the last %s after it was due", len(o.lateness), people, slices.Max(o.lateness))
	}
	o.Clock.Advance(time.Second)
	deliver(t, o.deliverer)
	if len(o.lateness) != people+1 || slices.Max(o.lateness) != 0 {
		t.Errorf("%d pages left, the last %s after it was due", len(o.lateness), slices.Max(o.lateness))
	}
}
