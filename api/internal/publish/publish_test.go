package publish_test

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"net/http"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"

	"github.com/nightbell/nightbell/api/internal/channel/webhook"
	"github.com/nightbell/nightbell/api/internal/incident"
	"github.com/nightbell/nightbell/api/internal/kernel/id"
	"github.com/nightbell/nightbell/api/internal/pagingtest"
	"github.com/nightbell/nightbell/api/internal/platform/postgres"
	"github.com/nightbell/nightbell/api/internal/platform/postgres/pgtest"
	"github.com/nightbell/nightbell/api/internal/publish"
	"github.com/nightbell/nightbell/api/internal/subscription"
)

func TestASubscriptionIsToldWhatHappens(t *testing.T) {
	w := newWorld(t)
	w.subscribe(t, w.Org, "/all")
	w.Accept(t, pagingtest.Firing("a", "g", pagingtest.Began))
	w.Respond(t, incident.Acknowledge{By: pagingtest.By(w.Ada, "Ada")})
	w.Respond(t, incident.Resolve{By: pagingtest.By(w.Ada, "Ada")})
	w.sweep(t)
	got := w.take()
	if want := []string{"incident.acknowledged", "incident.resolved", "incident.triggered"}; !slices.Equal(types(got), want) {
		t.Fatalf("told of %v, want %v", types(got), want)
	}
	first := got[slices.IndexFunc(got, func(one told) bool { return one.Type == "incident.acknowledged" })]
	if first.Data.Incident.Number == 0 || first.Data.Incident.Service.Name != "Checkout" || first.Data.Actor.Name != "Ada" || first.Data.Cursor == "" {
		t.Errorf("told %s", first.body)
	}
	var sent int64
	if _, err := fmt.Sscan(first.timestamp, &sent); err != nil {
		t.Fatal(err)
	}
	if want := webhook.Sign([]byte(secret), first.id, time.Unix(sent, 0), first.body); first.signature != want {
		t.Errorf("signature %q, want %q", first.signature, want)
	}
	w.sweep(t)
	if again := w.take(); len(again) != 0 {
		t.Errorf("told again: %v", types(again))
	}
}

func TestFiltersOfSubscriptions(t *testing.T) {
	w := newWorld(t)
	for path, column := range map[string]string{
		"/service": "service_ids = ARRAY['" + w.Service.String() + "']::uuid[]", "/other-service": "service_ids = ARRAY[gen_random_uuid()]",
		"/team": "team_ids = ARRAY[gen_random_uuid()]", "/severe": "severities = '{critical}'", "/harmless": "severities = '{low}'",
		"/resolved": "event_types = '{incident.resolved}'",
	} {
		w.Exec(t, `UPDATE webhook_subscription SET `+column+` WHERE id = $1`, w.subscribe(t, w.Org, path))
	}
	w.Accept(t, pagingtest.Firing("a", "g", pagingtest.Began))
	w.sweep(t)
	var paths []string
	for _, one := range w.take() {
		paths = append(paths, one.path)
	}
	slices.Sort(paths)
	if !slices.Equal(paths, []string{"/service", "/severe"}) {
		t.Errorf("told at %v", paths)
	}
	if behind := pgtest.One[int](t, w.Database, `SELECT count(*) FROM webhook_subscription s WHERE cursor < (SELECT max(seq) FROM timeline_event WHERE kind = 'declared')`); behind != 0 {
		t.Errorf("%d cursors stand before what their filter held back", behind)
	}
}

// TestBothSecretsSignForADay: a receiver changes over whenever it likes.
func TestBothSecretsSignForADay(t *testing.T) {
	w := newWorld(t)
	old := strings.Repeat("o", 32)
	w.Exec(t, `UPDATE webhook_subscription SET old_secret_sealed = $2, old_secret_until = nightbell_now() + interval '24 hours' WHERE id = $1`, w.subscribe(t, w.Org, "/"), []byte(old))
	for _, want := range []int{2, 1} {
		w.note(t, "hello")(true)
		w.sweep(t)
		got := w.take()
		if n := len(strings.Fields(got[len(got)-1].signature)); n != want {
			t.Errorf("%d signatures, want %d: %q", n, want, got[len(got)-1].signature)
		}
		w.Clock.Advance(25 * time.Hour)
	}
}

// TestALateCommitIsNotPassedBy: the second entry is visible before the first.
func TestALateCommitIsNotPassedBy(t *testing.T) {
	w := newWorld(t)
	w.anyIncident(t)
	w.subscribe(t, w.Org, "/")
	late := w.note(t, "first")
	w.note(t, "second")(true)
	for range 3 {
		w.sweep(t)
	}
	abandoned := w.note(t, "never")
	late(true)
	w.note(t, "third")(true)
	w.sweep(t)
	w.sweep(t)
	abandoned(false)
	w.sweep(t)
	w.sweep(t)
	if got := messages(t, w.take()); !slices.Equal(got, []string{"first", "second", "third"}) {
		t.Errorf("told %v", got)
	}
}

// TestNothingIsLostOrDoubledAmongManyWriters: transactions of random length, a part of them rolled
// back, while two replicas follow.
func TestNothingIsLostOrDoubledAmongManyWriters(t *testing.T) {
	w := newWorld(t)
	incidentID := w.anyIncident(t)
	w.subscribe(t, w.Org, "/")
	var writers, followers sync.WaitGroup
	over := make(chan struct{})
	var mu sync.Mutex
	var want []string
	for n := range 4 {
		writers.Go(func() {
			chance := rand.New(rand.NewPCG(1, uint64(n)))
			for i := range 60 {
				text, commits := fmt.Sprintf("%d-%d", n, i), chance.IntN(4) > 0
				err := w.InSystem(t.Context(), []postgres.Pool{postgres.Sweep, postgres.Ingest, postgres.Identity, postgres.Background}[n], func(ctx context.Context, tx pgx.Tx) error {
					_, err := tx.Exec(ctx, `INSERT INTO timeline_event (org_id, id, incident_id, kind, actor_kind, message, at) VALUES ($1, $2, $3, 'comment', 'system', $4, nightbell_now())`,
						w.Org, id.New(), incidentID, text)
					time.Sleep(time.Duration(chance.IntN(15)) * time.Millisecond)
					if err == nil && !commits {
						err = errRolledBack
					}
					return err
				})
				if err != nil && !errors.Is(err, errRolledBack) {
					t.Errorf("write: %v", err)
				}
				if err == nil {
					mu.Lock()
					want = append(want, text)
					mu.Unlock()
				}
			}
		})
	}
	for _, p := range []*publish.Publisher{w.publisher, w.replica(t)} {
		followers.Go(func() {
			for {
				if _, err := p.Sweep(t.Context()); err != nil {
					t.Errorf("sweep: %v", err)
				}
				select {
				case <-over:
					return
				case <-time.After(3 * time.Millisecond):
				}
			}
		})
	}
	writers.Wait()
	close(over)
	followers.Wait()
	w.sweep(t)
	w.sweep(t)
	w.Clock.Advance(time.Minute) // what the other replica still has under way
	w.sweep(t)
	slices.Sort(want)
	if got := messages(t, w.take()); !slices.Equal(got, want) {
		t.Errorf("%d told, %d written", len(got), len(want))
	}
}

var errRolledBack = errors.New("rolled back")

// TestAnEndAtAnyStepLosesNothing: the next process sends what the last one left, and only what was
// sent without a record is sent twice, under the same webhook-id.
func TestAnEndAtAnyStepLosesNothing(t *testing.T) {
	for moment, copies := range map[string]int{"webhooks_filled": 1, "webhook_claimed": 1, "webhook_sent": 2} {
		t.Run(moment, func(t *testing.T) {
			w := newWorld(t)
			w.anyIncident(t)
			w.subscribe(t, w.Org, "/")
			w.note(t, "one")(true)
			w.publisher.Interrupt(func(at string) bool { return at == moment })
			sweep(t, w.publisher)
			next := w.replica(t)
			sweep(t, next)
			w.Clock.Advance(21 * time.Second) // the lease of a process that ended
			sweep(t, next)
			sweep(t, next)
			got := w.take()
			if len(got) != copies {
				t.Fatalf("sent %d times, want %d", len(got), copies)
			}
			if got[0].id != got[len(got)-1].id || !bytes.Equal(got[0].body, got[len(got)-1].body) {
				t.Error("the copy has another webhook-id or body")
			}
		})
	}
}

// TestWhoLostTheLeaseChangesNothing: whoever lost the lease says nothing any more.
func TestWhoLostTheLeaseChangesNothing(t *testing.T) {
	w := newWorld(t)
	w.anyIncident(t)
	w.subscribe(t, w.Org, "/")
	w.note(t, "one")(true)
	release, first := make(chan struct{}), make(chan struct{})
	var once sync.Once
	w.says(func(rw http.ResponseWriter, _ *http.Request) {
		slow := false
		once.Do(func() { slow = true; close(first) })
		if slow {
			<-release
			rw.WriteHeader(http.StatusInternalServerError)
		}
	})
	if _, err := w.publisher.Sweep(t.Context()); err != nil {
		t.Fatal(err)
	}
	<-first
	w.Clock.Advance(21 * time.Second)
	sweep(t, w.replica(t))
	close(release)
	w.publisher.Wait()
	if got := w.Texts(t, `SELECT status FROM webhook_delivery WHERE org_id = $1`, w.Org); !slices.Equal(got, []string{"delivered"}) {
		t.Errorf("deliveries %v", got)
	}
}

func TestFailuresAreTriedFor48Hours(t *testing.T) {
	w := newWorld(t)
	w.anyIncident(t)
	w.subscribe(t, w.Org, "/")
	w.note(t, "one")(true)
	w.status(http.StatusNotFound) // as a receiver that is being deployed answers
	tries := 0
	began := w.Clock.Now()
	for w.Clock.Now().Sub(began) < 60*time.Hour {
		w.sweep(t)
		tries += len(w.take())
		w.Clock.Advance(10 * time.Minute)
	}
	status := pgtest.One[string](t, w.Database, `SELECT status || ' ' || response_status || ' ' || detail FROM webhook_delivery`)
	if tries < 15 || tries > 30 || status != fmt.Sprintf("failed 404 HTTP 404 (given up after %d tries)", tries) {
		t.Errorf("%d tries, %s", tries, status)
	}
	if took := pgtest.One[time.Duration](t, w.Database, `SELECT finished_at - created_at FROM webhook_delivery`); took < 48*time.Hour || took > 49*time.Hour {
		t.Errorf("given up after %s", took)
	}
}

func TestRetryAfterIsHeeded(t *testing.T) {
	w := newWorld(t)
	w.anyIncident(t)
	w.subscribe(t, w.Org, "/")
	w.note(t, "one")(true)
	w.says(func(rw http.ResponseWriter, _ *http.Request) {
		rw.Header().Set("Retry-After", "3600")
		rw.WriteHeader(http.StatusTooManyRequests)
	})
	w.sweep(t)
	w.status(http.StatusOK)
	w.Clock.Advance(59 * time.Minute)
	w.sweep(t)
	if n := len(w.take()); n != 1 {
		t.Errorf("%d requests before the hour was over, want the first", n)
	}
	w.Clock.Advance(2 * time.Minute)
	w.sweep(t)
	if n := len(w.take()); n != 1 {
		t.Errorf("%d requests after the hour, want 1", n)
	}
}

func TestThreeDaysWithoutASuccessDisable(t *testing.T) {
	w := newWorld(t)
	w.anyIncident(t)
	w.subscribe(t, w.Org, "/")
	w.status(http.StatusInternalServerError)
	enabled := func() bool { return pgtest.One[bool](t, w.Database, `SELECT enabled FROM webhook_subscription`) }
	hours := func(n int) {
		for range n {
			w.note(t, "again")(true)
			w.sweep(t)
			w.Clock.Advance(time.Hour)
		}
	}
	hours(71)
	w.status(http.StatusOK)
	hours(1)
	w.status(http.StatusInternalServerError)
	hours(71)
	if !enabled() {
		t.Fatal("disabled although it worked in between")
	}
	hours(3)
	if enabled() {
		t.Error("enabled after three days without a success")
	}
	if due := pgtest.One[bool](t, w.Database, `SELECT notice_due_at IS NOT NULL AND disabled_reason LIKE '%three days%' FROM webhook_subscription`); !due {
		t.Error("the owners are not told")
	}
}

// TestAReceiverThatIsAwayFillsNoDisk: what is beyond the queue waits in the feed, and comes.
func TestAReceiverThatIsAwayFillsNoDisk(t *testing.T) {
	w := newWorld(t)
	incidentID := w.anyIncident(t)
	w.subscribe(t, w.Org, "/")
	w.status(http.StatusServiceUnavailable)
	const all = subscription.MostPending + 700
	w.Exec(t, `INSERT INTO timeline_event (org_id, id, incident_id, kind, actor_kind, message, at)
		SELECT $1, gen_random_uuid(), $2, 'comment', 'system', n::text, nightbell_now() FROM generate_series(1, $3::int) n`, w.Org, incidentID, all)
	w.sweep(t)
	if n := pgtest.One[int](t, w.Database, `SELECT count(*) FROM webhook_delivery`); n < subscription.MostPending || n >= subscription.MostPending+200 {
		t.Errorf("%d deliveries in the queue", n)
	}
	w.take()
	w.status(http.StatusOK)
	w.Clock.Advance(time.Hour)
	w.sweep(t)
	w.Clock.Advance(time.Hour)
	w.sweep(t)
	if n := len(slices.Compact(messages(t, w.take()))); n != all {
		t.Errorf("%d of %d came", n, all)
	}
}

// TestHangingReceiversLeaveRoomForOthers: receivers of one organization never answer, with a long
// backlog; another organization, and another receiver of the same, are told. While the first wait for
// their timeouts room is kept for it; when there are more of them than there is room, after one timeout.
func TestHangingReceiversLeaveRoomForOthers(t *testing.T) {
	for name, c := range map[string]struct {
		hanging int
		timeout time.Duration
	}{
		"a few, for as long as they may": {4, subscription.AnswerWithin},
		"more than there is room":        {2*publish.SendsPerOrg + 5, barelyAnyTime},
	} {
		t.Run(name, func(t *testing.T) {
			w := newWorld(t)
			w.publisher = w.replicaThatWaits(t, c.timeout)
			w.anyIncident(t)
			other := id.New()
			pgtest.FillOrganization(t, w.Database, other)
			release := make(chan struct{})
			t.Cleanup(func() { close(release) })
			w.says(func(_ http.ResponseWriter, r *http.Request) {
				if strings.HasPrefix(r.URL.Path, "/hangs") {
					select {
					case <-release:
					case <-r.Context().Done():
					}
				}
			})
			for n := range c.hanging {
				w.subscribe(t, w.Org, fmt.Sprintf("/hangs/%d", n))
			}
			for n := range 20 {
				w.note(t, fmt.Sprint(n))(true)
			}
			w.begin(t)
			w.subscribe(t, w.Org, "/well")
			w.subscribe(t, other, "/other")
			w.note(t, "last")(true)
			w.Exec(t, `INSERT INTO timeline_event (org_id, id, incident_id, kind, actor_kind, at) SELECT org_id, gen_random_uuid(), id, 'comment', 'system', nightbell_now() FROM incident WHERE org_id = $1`, other)
			w.beginUntil(t, "/other", "/well")
			hanging := map[string]int{}
			for _, one := range w.take() {
				hanging[one.path]++
			}
			for path, n := range hanging {
				if strings.HasPrefix(path, "/hangs") && n > publish.SendsPerSubscription {
					t.Errorf("%d requests hang at %s", n, path)
				}
			}
		})
	}
}

// begin sweeps without waiting for the receivers.
func (w *world) begin(t *testing.T) {
	t.Helper()
	if _, err := w.publisher.Sweep(t.Context()); err != nil {
		t.Fatal(err)
	}
}

// beginUntil sweeps until the sink was called at each.
func (w *world) beginUntil(t *testing.T, paths ...string) {
	t.Helper()
	for tries := 0; ; tries++ {
		w.begin(t)
		w.mu.Lock()
		missing := slices.ContainsFunc(paths, func(path string) bool {
			return !slices.ContainsFunc(w.got, func(one told) bool { return one.path == path })
		})
		w.mu.Unlock()
		switch {
		case !missing:
			return
		case tries > 5000:
			t.Fatalf("%v were not all called", paths)
		}
		time.Sleep(5 * time.Millisecond)
	}
}

// TestAnInstallationWithoutSubscriptionsRests, and wakes when somebody subscribes.
func TestAnInstallationWithoutSubscriptionsRests(t *testing.T) {
	w := newWorld(t)
	w.anyIncident(t)
	w.sweep(t)
	w.subscribe(t, w.Org, "/")
	w.note(t, "one")(true)
	w.sweep(t)
	if n := len(w.take()); n != 1 {
		t.Errorf("told %d times, want 1", n)
	}
}
