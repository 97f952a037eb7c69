//go:build chaos

package chaos

import (
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"
)

// subscriber notes the events that it was told and answered: of each webhook-id how often, and its cursor.
type subscriber struct {
	*httptest.Server

	mu      sync.Mutex
	told    map[string]int
	cursors map[string]string
	total   int
	// changed are events that came again with another cursor.
	changed int
	release chan struct{}
}

// newSubscriber answers at /well and never at /hangs, until release is closed.
func newSubscriber(t *testing.T) *subscriber {
	t.Helper()
	s := &subscriber{told: map[string]int{}, cursors: map[string]string{}, release: make(chan struct{})}
	s.Server = httptest.NewServer(http.HandlerFunc(func(_ http.ResponseWriter, r *http.Request) {
		body, err := io.ReadAll(r.Body)
		if strings.HasPrefix(r.URL.Path, "/hangs") {
			select {
			case <-s.release:
			case <-r.Context().Done():
			}
			return
		}
		var event struct{ Data struct{ Cursor string } }
		if err != nil || json.Unmarshal(body, &event) != nil {
			panic(http.ErrAbortHandler) // cut off half way: nothing was received
		}
		s.note(r.Header.Get("Webhook-Id"), event.Data.Cursor)
	}))
	t.Cleanup(func() {
		s.CloseClientConnections()
		s.Close()
	})
	return s
}

func (s *subscriber) note(eventID, cursor string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.total++
	if s.told[eventID]++; s.told[eventID] == 1 {
		s.cursors[eventID] = cursor
	} else if s.cursors[eventID] != cursor {
		s.changed++
	}
}

// counts gives how many requests there were, and how many of them were not the first of their event.
func (s *subscriber) counts() (total, again, changed int) {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.total, s.total - len(s.told), s.changed
}

// missing counts those of the events that it was not told, or was told at another place of the feed.
func (s *subscriber) missing(events []feedEntry) (missing int) {
	s.mu.Lock()
	defer s.mu.Unlock()
	for _, event := range events {
		if s.cursors[event.ID] != event.Seq {
			missing++
		}
	}
	return missing
}

// feedEntry is an event as the database has it.
type feedEntry struct{ ID, Seq string }

// toTell are the events that the subscriptions of T24 are to be told.
func (w *world) toTell() []feedEntry {
	w.t.Helper()
	return rows(w, pgx.RowToStructByPos[feedEntry], `SELECT t.id::text, t.seq::text FROM timeline_event t JOIN org o ON o.id = t.org_id
		WHERE o.name = 'telling' AND t.kind IN ('declared', 'resolved', 'paged', 'page_failed')`)
}

// pagesOf sends alerts one after the other and gives how late their pages left, as the 99th percentile.
func (w *world) pagesOf(name string) time.Duration {
	w.t.Helper()
	o := w.newTenant(name, step{aDay, []string{"hook"}})
	for n := range length(100, 10) {
		key := o.alertKey(n)
		w.insist(0, o, key, firing(key))
		time.Sleep(100 * time.Millisecond)
	}
	w.check()
	return w.lateness(name)
}

// toldAll waits until the subscriber was told everything.
func (w *world) toldAll(s *subscriber) (events []feedEntry) {
	w.t.Helper()
	w.await("the subscription is told everything", 3*patience, func() error {
		events = w.toTell()
		if missing := s.missing(events); missing > 0 {
			return fmt.Errorf("%d of %d events are missing", missing, len(events))
		}
		return nil
	})
	return events
}

// TestT24Webhooks kills the program 20 times while alerts arrive: a subscription is told every
// event of the feed, and its hanging neighbours delay neither it nor a page. Then all of it is replayed:
// how soon that is told, and how late pages beside it are.
func TestT24Webhooks(t *testing.T) {
	begin(t, "T24")
	w := alone(t)
	without := w.pagesOf("without")
	w.tenants = nil
	subscriber := newSubscriber(t)
	o := w.newTenant("telling", step{aDay, []string{"hook"}})
	var well string
	for _, path := range []string{"/hangs/1", "/hangs/2", "/hangs/3", "/hangs/4", "/well"} {
		var made struct {
			Subscription struct{ ID string } `json:"webhook_subscription"`
		}
		o.call("POST", "/v1/webhook-subscriptions", map[string]any{
			"name": path, "url": subscriber.URL + path,
			"event_types": []string{"incident.triggered", "incident.resolved", "page.sent", "page.failed"},
		}, &made)
		well = made.Subscription.ID
	}
	w.ready()
	posts, kills := length(4_000, 400), length(20, 3)
	random := w.random(24)
	var at []int
	for range kills {
		at = append(at, posts/20+random.IntN(posts*8/10))
	}
	slices.Sort(at)
	reached, killed := make(chan int, posts), make(chan time.Duration)
	go w.killAt(at, reached, killed)
	w.run(load{posts: posts, senders: 8, progress: func(done int) { reached <- done }})
	close(reached)
	<-killed
	ended := time.Now()
	w.awaitQuiet(3 * patience)
	events := w.toldAll(subscriber)
	took := time.Since(ended)
	_, again, _ := subscriber.counts()

	// Everything once more, without kills, beside pages and four receivers that hang.
	before, _, _ := subscriber.counts()
	o.call("POST", "/v1/webhook-subscriptions/"+well+"/replay", map[string]any{"since": time.Now().Add(-time.Hour).UTC()}, nil)
	began, drained := time.Now(), make(chan time.Duration, 1)
	go func() {
		for total := before; total < before+len(events) && t.Context().Err() == nil; total, _, _ = subscriber.counts() {
			time.Sleep(10 * time.Millisecond)
		}
		drained <- time.Since(began)
	}()
	beside := w.pagesOf("beside")
	waited := <-drained
	_, _, changed := subscriber.counts()
	lost := subscriber.missing(events)
	close(subscriber.release)
	perSecond := int(float64(len(events)) / waited.Seconds())
	measured(t, "T24", fmt.Sprintf("events told / lost, %d kills", len(w.crashes.all())), fmt.Sprintf("%d / %d", len(events), lost), "0 lost")
	measured(t, "T24", "events told again / with another cursor", fmt.Sprintf("%d / %d", again, changed), "at most 4 a kill / 0")
	measured(t, "T24", "the last of them after the last alert", took, "")
	measured(t, "T24", "a backlog is told", fmt.Sprintf("%d in %s, %d/s", len(events), waited.Round(time.Second/10), perSecond), "100/s, 20/s asserted")
	measured(t, "T24", "pages without subscriptions, p99", without, "")
	measured(t, "T24", "pages beside the backlog and four receivers that hang, p99", beside, "1 s")
	if most := 4 * len(w.crashes.all()); again > most || changed > 0 {
		t.Errorf("%d events were told again after %d kills, %d of them changed", again, len(w.crashes.all()), changed)
	}
	if beside > time.Second || perSecond < 20 {
		t.Errorf("beside %d events a second pages took %s", perSecond, beside)
	}
}
