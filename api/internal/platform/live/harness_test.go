package live

import (
	"context"
	"fmt"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/google/uuid"

	"github.com/nightbell/nightbell/api/internal/kernel/id"
)

var acme = id.New()

// feed is a table whose rows become visible in any order.
type feed struct {
	mu      sync.Mutex
	visible []Event
	reads   int
	broken  error
	denied  error
}

func (f *feed) commit(seqs ...int64) {
	f.mu.Lock()
	defer f.mu.Unlock()
	for _, seq := range seqs {
		f.visible = append(f.visible, Event{seq, "comment", fmt.Appendf(nil, "{\"n\":\n%d}", seq)})
	}
	slices.SortFunc(f.visible, func(a, b Event) int { return int(a.Seq - b.Seq) })
}

func (f *feed) source() Source {
	return Source{
		Read: func(_ context.Context, _ uuid.UUID, after int64, limit int) (events []Event, err error) {
			f.mu.Lock()
			defer f.mu.Unlock()
			f.reads++
			for _, event := range f.visible {
				if event.Seq > after && len(events) < limit {
					events = append(events, event)
				}
			}
			return events, f.broken
		},
		Newest: func(context.Context, uuid.UUID) (int64, error) {
			f.mu.Lock()
			defer f.mu.Unlock()
			if len(f.visible) == 0 {
				return 0, f.broken
			}
			return f.visible[len(f.visible)-1].Seq, f.broken
		},
		Allowed: func(context.Context, uuid.UUID) error {
			f.mu.Lock()
			defer f.mu.Unlock()
			return f.denied
		},
	}
}

func (f *feed) set(change func()) {
	f.mu.Lock()
	defer f.mu.Unlock()
	change()
}

// screen is a browser that keeps what it is sent.
type screen struct {
	header    http.Header
	status    int
	mu        sync.Mutex
	content   strings.Builder
	deadlines []time.Time
	gone      error
	stuck     chan struct{} // Write waits until it is closed; nil means that it does not
}

func (s *screen) Header() http.Header { return s.header }

func (s *screen) WriteHeader(status int) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.status = status
}

func (s *screen) Flush() {}
func (s *screen) SetWriteDeadline(at time.Time) error {
	s.deadlines = append(s.deadlines, at)
	return nil
}

func (s *screen) Write(content []byte) (int, error) {
	if s.stuck != nil {
		<-s.stuck
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.gone != nil {
		return 0, s.gone
	}
	return s.content.Write(content)
}

func (s *screen) text() string {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.content.String()
}

// ids are the ids of the events of this kind, in the order they came.
func (s *screen) ids(kind string) (list []string) {
	for block := range strings.SplitSeq(s.text(), "\n\n") {
		first, rest, _ := strings.Cut(block, "\n")
		if strings.HasPrefix(rest, "event: "+kind+"\n") {
			list = append(list, strings.TrimPrefix(first, "id: "))
		}
	}
	return list
}

func (s *screen) expect(tb testing.TB, kind string, want ...string) {
	tb.Helper()
	if got := s.ids(kind); !slices.Equal(got, want) {
		tb.Errorf("%s events %v, want %v", kind, got, want)
	}
}

// open begins a stream; the returned function says whether it has ended.
func open(t bubble, lastID string) (*screen, func() bool, context.CancelFunc) {
	t.Helper()
	ctx, cancel := context.WithCancel(t.Context())
	request := httptest.NewRequestWithContext(ctx, http.MethodGet, "/v1/stream", nil)
	if lastID != "" {
		request.Header.Set("Last-Event-ID", lastID)
	}
	shown, ended := &screen{header: http.Header{}}, make(chan struct{})
	go func() {
		defer close(ended)
		t.hub.Serve(shown, request, acme, uuid.New())
	}()
	synctest.Wait()
	return shown, func() bool {
		synctest.Wait()
		select {
		case <-ended:
			return true
		default:
			return false
		}
	}, cancel
}

// bubble is a test in moved time.
type bubble struct {
	*testing.T
	rows *feed
	hub  *Hub
}

func inBubble(t *testing.T, test func(bubble)) {
	t.Helper()
	synctest.Test(t, func(t *testing.T) {
		rows := &feed{}
		hub := New(rows.source(), slog.New(slog.DiscardHandler))
		test(bubble{t, rows, hub})
		hub.Close()
		synctest.Wait()
		if hub.count != 0 || len(hub.rooms) != 0 {
			t.Errorf("%d streams and %d rooms are left", hub.count, len(hub.rooms))
		}
	})
}

func settle() {
	time.Sleep(2 * coalesce)
	synctest.Wait()
}
