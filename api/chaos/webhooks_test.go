//go:build chaos

package chaos

import (
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

// subscriber notes the webhook-id of each event that it was told and answered.
type subscriber struct {
	*httptest.Server

	mu      sync.Mutex
	told    map[string]int
	release chan struct{}
}

// newSubscriber answers at /well and never at /hangs, until release is closed.
func newSubscriber(t *testing.T) *subscriber {
	t.Helper()
	s := &subscriber{told: map[string]int{}, release: make(chan struct{})}
	s.Server = httptest.NewServer(http.HandlerFunc(func(_ http.ResponseWriter, r *http.Request) {
		_, err := io.Copy(io.Discard, r.Body)
		if strings.HasPrefix(r.URL.Path, "/hangs") {
			select {
			case <-s.release:
			case <-r.Context().Done():
			}
			return
		}
		if err != nil {
			panic(http.ErrAbortHandler) // cut off half way: nothing was received
		}
		s.mu.Lock()
		s.told[r.Header.Get("Webhook-Id")]++
		s.mu.Unlock()
	}))
	t.Cleanup(func() {
		s.CloseClientConnections()
		s.Close()
	})
	return s
}

// missing counts those of the events that it was not told.
func (s *subscriber) missing(events []string) (missing int) {
	s.mu.Lock()
	defer s.mu.Unlock()
	for _, event := range events {
		if s.told[event] == 0 {
			missing++
		}
	}
	return missing
}

// TestT24Webhooks kills the program 20 times while alerts arrive: a subscription is told every
// event of the feed, and its hanging neighbours delay neither it nor a page.
func TestT24Webhooks(t *testing.T) {
	begin(t, "T24")
	w := alone(t)
	subscriber := newSubscriber(t)
	o := w.newTenant("telling", step{aDay, []string{"hook"}})
	for _, path := range []string{"/well", "/hangs/1", "/hangs/2", "/hangs/3", "/hangs/4"} {
		o.call("POST", "/v1/webhook-subscriptions", map[string]any{
			"name": path, "url": subscriber.URL + path,
			"event_types": []string{"incident.triggered", "incident.resolved", "page.sent", "page.failed"},
		}, nil)
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

	// Pages that leave now, without kills, beside 16 requests that hang.
	calm := w.newTenant("calm", step{aDay, []string{"hook"}})
	for n := range length(60, 10) {
		key := calm.alertKey(n)
		w.insist(0, calm, key, firing(key))
		time.Sleep(200 * time.Millisecond)
	}
	w.check()
	beside := w.lateness("calm")
	var events []string
	took := w.await("the subscription is told everything", 3*patience, func() error {
		events = rows(w, pgx.RowTo[string], `SELECT t.id::text FROM timeline_event t JOIN org o ON o.id = t.org_id
			WHERE o.name = 'telling' AND t.kind IN ('declared', 'resolved', 'paged', 'page_failed')`)
		if missing := subscriber.missing(events); missing > 0 {
			return fmt.Errorf("%d of %d events are missing", missing, len(events))
		}
		return nil
	})
	again := 0
	subscriber.mu.Lock()
	for _, times := range subscriber.told {
		again += times - 1
	}
	subscriber.mu.Unlock()
	close(subscriber.release)
	measured(t, "T24", fmt.Sprintf("events told / lost, %d kills", len(w.crashes.all())), fmt.Sprintf("%d / %d", len(events), subscriber.missing(events)), "0 lost")
	measured(t, "T24", "events told again", again, "")
	measured(t, "T24", "the last of them after the last alert", took, "")
	measured(t, "T24", "pages beside receivers that hang, p99", beside, "1 s")
	if beside > time.Second {
		t.Errorf("beside receivers that hang pages took %s", beside)
	}
}
