package delivery_test

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/google/uuid"

	"github.com/nightbell/nightbell/api/internal/alert"
	"github.com/nightbell/nightbell/api/internal/delivery"
	"github.com/nightbell/nightbell/api/internal/incident"
	"github.com/nightbell/nightbell/api/internal/notify"
	"github.com/nightbell/nightbell/api/internal/notify/notifydb"
	"github.com/nightbell/nightbell/api/internal/pagingtest"
	"github.com/nightbell/nightbell/api/internal/platform/postgres/pgtest"
)

// once is true the first time only.
func once(moment string) func(string) bool {
	var done atomic.Bool
	return func(at string) bool { return at == moment && done.CompareAndSwap(false, true) }
}

func TestADeadWorkersPagesAreSentByAnother(t *testing.T) {
	for _, c := range []struct {
		moment string
		copies int
	}{{"claimed", 1}, {"sent", 2}} {
		t.Run(c.moment, func(t *testing.T) {
			o := newOutbox(t)
			o.Accept(t, pagingtest.Firing("a", "a", pagingtest.Began))
			o.deliverer.Interrupt(once(c.moment))
			deliver(t, o.deliverer)
			other := o.replica(notify.Email, o.provider)
			deliver(t, other)
			if got := len(o.provider.messages()); got != c.copies-1 {
				t.Fatalf("within the lease %d were sent", got)
			}
			o.Clock.Advance(notifydb.Lease)
			deliver(t, other)
			deliver(t, o.deliverer)
			sent := o.provider.messages()
			if len(sent) != c.copies || o.states(t) != "sent" {
				t.Fatalf("%d copies, the page is %q", len(sent), o.states(t))
			}
			if sent[0].ID != sent[len(sent)-1].ID || c.copies == 2 && sent[0].DeliveryID == sent[1].DeliveryID {
				t.Error("a copy must carry the same id, of another delivery")
			}
			if want := "temporary_failure 1 The worker stopped before it heard the answer.\naccepted 1 taken"; o.deliveries(t) != want {
				t.Errorf("the delivery log says\n%s", o.deliveries(t))
			}
		})
	}
}

// TestADeathDelaysNoPageThatCameAlong lets a worker die with a page that waited for its
// next try and came along with another: it is sent when the lease is over, not only when
// that try is due.
func TestADeathDelaysNoPageThatCameAlong(t *testing.T) {
	o := newOutbox(t)
	o.provider.answers(func(context.Context, notify.Message) error {
		return notify.Installation(errors.New("HTTP 429"))
	})
	o.Accept(t, pagingtest.Firing("first", "first", pagingtest.Began))
	deliver(t, o.deliverer)
	o.provider.answers(nil)
	o.Accept(t, pagingtest.Firing("second", "second", pagingtest.Began))
	dying := o.replica(notify.Email, o.provider)
	dying.Interrupt(once("claimed"))
	deliver(t, dying)
	if got := o.states(t); got != "sending: HTTP 429\nsending" {
		t.Fatalf("the pages are %q", got)
	}
	o.Exec(t, `UPDATE notification SET state = 'cancelled', lease_token = NULL, lease_until = NULL, finished_at = nightbell_now() WHERE attempts = 1`)
	o.Clock.Advance(notifydb.Lease)
	deliver(t, o.replica(notify.Email, o.provider))
	if got := o.states(t); got != "sent\ncancelled" {
		t.Errorf("the pages are %q", got)
	}
}

// TestAClaimFromTheFutureHoldsNobody leaves the log of a delivery from before the clock was
// set back: its contact is paged all the same.
func TestAClaimFromTheFutureHoldsNobody(t *testing.T) {
	o := newOutbox(t)
	o.pageSomebody(t, "ahead", alert.High, 0)
	o.Exec(t, `INSERT INTO delivery (org_id, id, contact_method_id, user_id, channel, outcome, incident_count, started_at)
		SELECT org_id, gen_random_uuid(), contact_method_id, user_id, channel, 'sending', 1, nightbell_now() + interval '1 hour' FROM notification`)
	deliver(t, o.deliverer)
	if got := o.states(t); got != "sent" {
		t.Errorf("the page is %q", got)
	}
}

// TestManyDeaths kills the worker at random moments of many sends: nothing is lost, and
// each death costs at most one copy of each message that was under way.
func TestManyDeaths(t *testing.T) {
	o := newOutbox(t)
	const people = 60
	for n := range people {
		o.pageSomebody(t, fmt.Sprint("p", n), alert.High, 0)
	}
	var deaths, afterSend atomic.Int32
	var calls atomic.Uint32
	dies := func(moment string) bool {
		if deaths.Load() >= 50 || calls.Add(1)*2654435761>>30 != 0 { // about one in four
			return false
		}
		deaths.Add(1)
		if moment == "sent" {
			afterSend.Add(1)
		}
		return true
	}
	replicas := []*delivery.Outbox{o.replica(notify.Email, o.provider), o.replica(notify.Email, o.provider)}
	for _, d := range replicas {
		d.Interrupt(dies)
	}
	for range 40 {
		for _, d := range replicas {
			deliver(t, d)
		}
		o.Clock.Advance(notifydb.Lease)
	}
	copies := map[uuid.UUID]int{}
	for _, message := range o.provider.messages() {
		copies[message.ID]++
	}
	total := len(o.provider.messages())
	if unsent := pgtest.One[int](t, o.Database, `SELECT count(*) FROM notification WHERE state <> 'sent'`); unsent != 0 || len(copies) != people {
		t.Errorf("%d pages lost, %d of %d people reached", unsent, len(copies), people)
	}
	if extra := total - people; extra != int(afterSend.Load()) {
		t.Errorf("%d extra copies for %d deaths after the send", extra, afterSend.Load())
	}
	t.Logf("%d deaths, %d of them after the send: %d messages for %d people", deaths.Load(), afterSend.Load(), total, people)
}

// TestAWorkerThatWakesUpLateChangesNothing lets a worker hang in its provider for longer
// than its lease while another one sends the page.
func TestAWorkerThatWakesUpLateChangesNothing(t *testing.T) {
	o := newOutbox(t)
	o.Accept(t, pagingtest.Firing("a", "a", pagingtest.Began))
	release, entered := make(chan struct{}), make(chan struct{})
	o.provider.answers(func(context.Context, notify.Message) error {
		close(entered)
		<-release
		return notify.Permanent(errors.New("too late to say so"))
	})
	if _, err := o.deliverer.Sweep(t.Context()); err != nil {
		t.Fatal(err)
	}
	<-entered
	o.provider.answers(nil)
	o.Clock.Advance(notifydb.Lease + time.Second)
	if _, err := o.deliverer.Sweep(t.Context()); err != nil { // it never takes over from itself
		t.Fatal(err)
	}
	if got := len(o.provider.messages()); got != 1 {
		t.Fatalf("a worker took over its own send: %d messages", got)
	}
	deliver(t, o.replica(notify.Email, o.provider))
	close(release)
	o.deliverer.Wait()
	if got := o.states(t); got != "sent" {
		t.Errorf("the late worker's result was taken: %q", got)
	}
	if got := pgtest.One[int](t, o.Database, `SELECT count(*) FROM timeline_event WHERE kind = 'page_failed'`); got != 0 {
		t.Error("the late worker wrote to the timeline")
	}
}

func TestAFrozenWorkerLooksAgain(t *testing.T) {
	o := newOutbox(t)
	o.Accept(t, pagingtest.Firing("a", "a", pagingtest.Began))
	var ticks atomic.Int64
	frozen := delivery.New(o.DB, notify.Email, o.provider, delivery.Options{
		Logger: quiet, PublicURL: "https://nightbell.example", AckKey: linkKey,
		Changed: func(uuid.UUID) {}, Freed: func() {}, Lateness: func(string, time.Duration) {},
		// Each measurement is a minute after the last, until the incident was answered.
		Uptime: func() time.Duration {
			if ticks.Add(1) == 2 {
				o.acknowledge(t, pgtest.One[uuid.UUID](t, o.Database, `SELECT id FROM incident`))
			}
			return time.Duration(ticks.Load()) * time.Minute
		},
	})
	deliver(t, frozen)
	if len(o.provider.messages()) != 0 || o.states(t) != "cancelled: acknowledged" {
		t.Errorf("%d messages, the page is %q", len(o.provider.messages()), o.states(t))
	}
}

func TestOneSpoiledPageDoesNotTakeTheOthersAlong(t *testing.T) {
	o := newOutbox(t)
	o.provider.answers(func(_ context.Context, message notify.Message) error {
		for _, told := range message.Incidents {
			if strings.Contains(told.Title, "poison") {
				panic("cannot render this")
			}
		}
		return nil
	})
	for _, key := range []string{"a", "poison", "b", "c"} {
		o.Accept(t, pagingtest.Firing(key, key, pagingtest.Began))
	}
	for range 30 {
		deliver(t, o.deliverer)
		o.Clock.Advance(30 * time.Second)
	}
	states := strings.Split(o.states(t), "\n")
	if want := "failed: this message could not be prepared; the server's log says why"; !strings.HasPrefix(states[1], want) {
		t.Errorf("the spoiled page is %q", states[1])
	}
	if !slices.Equal([]string{states[0], states[2], states[3]}, []string{"sent", "sent", "sent"}) {
		t.Errorf("the others are %q", states)
	}
	if got := len(o.Texts(t, `SELECT message FROM timeline_event WHERE org_id = $1 AND kind = 'page_failed'`, o.Org)); got != 1 {
		t.Errorf("%d lines say that a page failed", got)
	}
	if got := pgtest.One[int](t, o.Database, `SELECT faults FROM notification WHERE state = 'failed'`); got != 5 {
		t.Errorf("it failed %d times", got)
	}
}

func TestOwnLeasesAreReleasedAtBoot(t *testing.T) {
	o := newOutbox(t)
	o.Accept(t, pagingtest.Firing("a", "a", pagingtest.Began))
	o.deliverer.Interrupt(once("claimed"))
	deliver(t, o.deliverer)
	released, err := delivery.ReleaseLeases(t.Context(), o.DB)
	if err != nil || released != 1 {
		t.Fatalf("released %d, %v", released, err)
	}
	deliver(t, o.replica(notify.Email, o.provider))
	if len(o.provider.messages()) != 1 || o.states(t) != "sent" {
		t.Errorf("%d messages, the page is %q", len(o.provider.messages()), o.states(t))
	}
	if want := "temporary_failure 1 Nightbell stopped before it heard the answer.\naccepted 1 taken"; o.deliveries(t) != want {
		t.Errorf("the delivery log says\n%s", o.deliveries(t))
	}
}

func TestReplicasShareTheWork(t *testing.T) {
	o := newOutbox(t)
	const people = 120
	for n := range people {
		o.pageSomebody(t, fmt.Sprint("p", n), alert.High, 0)
	}
	o.provider.answers(func(context.Context, notify.Message) error { time.Sleep(3 * time.Millisecond); return nil })
	start := time.Now()
	var replicas sync.WaitGroup
	for range 3 {
		d := o.replica(notify.Email, o.provider)
		replicas.Go(func() {
			for pgtest.One[int](t, o.Database, `SELECT count(*) FROM notification WHERE state IN ('pending', 'sending')`) > 0 {
				if _, err := d.Sweep(context.Background()); err != nil {
					t.Error(err)
					return
				}
				time.Sleep(2 * time.Millisecond)
			}
			d.Wait()
		})
	}
	replicas.Wait()
	t.Logf("%d people were paged in %s", people, time.Since(start).Round(time.Millisecond))
	if got := len(o.provider.messages()); got != people {
		t.Errorf("%d messages for %d people", got, people)
	}
}

func TestClosingWaitsAndThenBreaksOff(t *testing.T) {
	o := newOutbox(t)
	o.Accept(t, pagingtest.Firing("a", "a", pagingtest.Began))
	entered := make(chan struct{})
	o.provider.answers(func(ctx context.Context, _ notify.Message) error {
		close(entered)
		<-ctx.Done()
		return ctx.Err()
	})
	if _, err := o.deliverer.Sweep(t.Context()); err != nil {
		t.Fatal(err)
	}
	<-entered
	patience, cancel := context.WithTimeout(t.Context(), 50*time.Millisecond)
	defer cancel()
	if err := o.deliverer.Close(patience); !errors.Is(err, context.DeadlineExceeded) {
		t.Errorf("Close: %v", err)
	}
	if got := o.states(t); !strings.HasPrefix(got, "pending") {
		t.Errorf("what was broken off is %q", got)
	}
	o.Accept(t, pagingtest.Firing("b", "b", pagingtest.Began))
	if again, err := o.deliverer.Sweep(t.Context()); again || err != nil || len(o.provider.messages()) != 1 {
		t.Errorf("a closed deliverer works on: %t, %v", again, err)
	}
}

func TestNothingDueCostsLittle(t *testing.T) {
	o := newOutbox(t)
	o.Accept(t, pagingtest.Firing("a", "a", pagingtest.Began))
	deliver(t, o.deliverer)
	// History that the claim must not walk through.
	o.Exec(t, `INSERT INTO notification (org_id, id, effect_key, incident_id, user_id, contact_method_id, channel, cycle, round, step, reason,
			severity_rank, state, due_at, next_try_at, finished_at, created_at)
		SELECT n.org_id, gen_random_uuid(), gen_random_uuid()::text, n.incident_id, n.user_id, n.contact_method_id, 'email', 1, 0, 0, 'test', 0,
			'sent', n.due_at, n.due_at, n.due_at, n.due_at FROM notification n, generate_series(1, 20000)`)
	o.Exec(t, `ANALYZE notification`)
	read := o.rowsRead(t, func(d *delivery.Outbox) {
		for range 20 {
			if again, err := d.Sweep(t.Context()); again || err != nil {
				t.Fatalf("again %t, %v", again, err)
			}
		}
	})
	if read["notification"] > 40 {
		t.Errorf("20 idle sweeps beside 20,000 old pages read %d of them", read["notification"])
	}
}

// acknowledge answers an incident as Bob, through the story that browsers use.
func (o *outbox) acknowledge(t *testing.T, ids ...uuid.UUID) {
	t.Helper()
	by := incident.Actor{Kind: incident.User, ID: o.Bob, Name: "Bob"}
	if err := o.Responder.Respond(t.Context(), o.Org, ids, incident.Acknowledge{By: by}); err != nil {
		t.Error(err)
	}
}

func TestAFloodIsBundled(t *testing.T) {
	o := newOutbox(t)
	o.Clock.Freeze(o.Clock.Now())
	for n := range 100 {
		o.Accept(t, pagingtest.Firing(fmt.Sprint("k", n), fmt.Sprint("k", n), pagingtest.Began))
		deliver(t, o.deliverer)
	}
	if got := len(o.provider.messages()); got != 20 {
		t.Fatalf("%d messages at one instant", got)
	}
	o.Clock.Advance(5 * time.Second)
	deliver(t, o.deliverer)
	sent := o.provider.messages()
	if last := sent[len(sent)-1]; len(sent) != 21 || len(last.Incidents) != 80 || !strings.Contains(last.Subject(), "[80 incidents]") {
		t.Errorf("%d messages, the last of %d incidents", len(sent), len(last.Incidents))
	}
	o.Clock.Advance(time.Minute)
	o.Accept(t, pagingtest.Firing("quiet", "quiet", pagingtest.Began))
	deliver(t, o.deliverer)
	if got := len(o.provider.messages()); got != 22 {
		t.Errorf("after the flood a page waits: %d messages", got)
	}
}

// TestAFullHistoryDelaysNoPage delivers beside many pages that nobody has counted yet
// (no ANALYZE), which is what a storm leaves for the planner.
func TestAFullHistoryDelaysNoPage(t *testing.T) {
	o := newOutbox(t)
	for n := range 10 { // long enough for the server to want to keep the plans
		o.pageSomebody(t, fmt.Sprint("before", n), alert.High, 0)
		deliver(t, o.deliverer)
	}
	o.Exec(t, `INSERT INTO notification (org_id, id, effect_key, incident_id, user_id, contact_method_id, channel, cycle, round, step, reason,
			severity_rank, state, finished_at, due_at, next_try_at, created_at)
		SELECT n.org_id, gen_random_uuid(), gen_random_uuid()::text, n.incident_id, n.user_id, n.contact_method_id, 'email', 1, 0, 0, 'test', 0,
			CASE WHEN g % 10 = 0 THEN 'pending' ELSE 'sent' END, CASE WHEN g % 10 > 0 THEN n.due_at END,
			n.due_at + interval '1 day', n.due_at + interval '1 day', n.due_at
		FROM notification n, generate_series(1, 5000) g`)
	const pages = 10
	for n := range pages {
		o.pageSomebody(t, fmt.Sprint("after", n), alert.High, 0)
	}
	read := o.rowsRead(t, func(d *delivery.Outbox) { deliver(t, d) })
	if sent := pgtest.One[int](t, o.Database, `SELECT count(*) FROM notification n JOIN users u ON u.id = n.user_id WHERE u.name LIKE 'after%' AND n.state = 'sent'`); sent != pages {
		t.Errorf("%d of %d pages were sent", sent, pages)
	}
	if read["notification"] > 20*pages {
		t.Errorf("%d pages beside 50,000 others read %d of them", pages, read["notification"])
	}
}

// TestAResultThatCannotBeToldIsKept lets the timeline refuse the line of a page that was
// sent: the person must not be paged again for that.
func TestAResultThatCannotBeToldIsKept(t *testing.T) {
	o := newOutbox(t)
	if _, err := o.Owner(t).Exec(t.Context(), `ALTER TABLE timeline_event ADD CHECK (kind <> 'paged')`); err != nil {
		t.Fatal(err)
	}
	o.Accept(t, pagingtest.Firing("a", "a", pagingtest.Began))
	for range 3 {
		deliver(t, o.deliverer)
		o.Clock.Advance(notifydb.Lease)
	}
	if len(o.provider.messages()) != 1 || o.states(t) != "sent" {
		t.Errorf("%d messages, the page is %q", len(o.provider.messages()), o.states(t))
	}
}

// TestAResultThatTakesLongIsRecorded gives the first try to record a result no time at all, as a
// database under load does with a large one.
func TestAResultThatTakesLongIsRecorded(t *testing.T) {
	o := newOutbox(t)
	o.Accept(t, pagingtest.Firing("a", "a", pagingtest.Began))
	o.deliverer.Limit(time.Hour, time.Microsecond)
	deliver(t, o.deliverer)
	if got := o.states(t); got != "sent" {
		t.Errorf("the page is %q", got)
	}
}

// TestALargeBundleCostsByThePage delivers one message with thousands of pages by plans
// about as many incidents by plans that were made while there were few: none may look at
// each page once for each other.
func TestALargeBundleCostsByThePage(t *testing.T) {
	o := newOutbox(t)
	for n := range 10 {
		o.pageSomebody(t, fmt.Sprint("before", n), alert.High, 0)
		deliver(t, o.deliverer)
	}
	o.Clock.Advance(time.Minute)
	const pages = 5000
	o.Exec(t, `WITH sample AS (SELECT i.org_id, i.service_id, i.title, i.severity, i.urgency, i.source, i.triggered_at, n.user_id, n.contact_method_id, n.due_at
				FROM notification n JOIN incident i ON i.org_id = n.org_id AND i.id = n.incident_id LIMIT 1),
			opened AS (INSERT INTO incident (org_id, id, number, service_id, title, severity, urgency, source, status, triggered_at, updated_at)
				SELECT s.org_id, gen_random_uuid(), 1000 + g, s.service_id, s.title, s.severity, s.urgency, s.source, 'triggered', s.triggered_at, s.triggered_at
				FROM sample s, generate_series(1, $1::integer) g RETURNING org_id, id)
		INSERT INTO notification (org_id, id, effect_key, incident_id, user_id, contact_method_id, channel, cycle, round, step, reason,
			severity_rank, state, due_at, next_try_at, created_at)
		SELECT o.org_id, gen_random_uuid(), o.id::text, o.id, s.user_id, s.contact_method_id, 'email', 1, 0, 0, 'test', 0, 'pending', s.due_at, s.due_at, s.due_at
		FROM opened o, sample s`, pages)
	read := o.rowsRead(t, func(d *delivery.Outbox) {
		d.Limit(time.Hour, time.Hour) // a try that is broken off reads everything once more
		deliver(t, d)
	})
	if sent := pgtest.One[int](t, o.Database, `SELECT count(*) FROM notification WHERE state = 'sent'`); sent != pages+10 {
		t.Errorf("%d pages are sent", sent)
	}
	if sum := read["notification"] + read["incident"]; sum > 20*pages { // by pairs it is millions
		t.Errorf("%d pages read %d rows", pages, sum)
	}
}
