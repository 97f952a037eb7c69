package publish_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"net/netip"
	"slices"
	"sync"
	"testing"
	"time"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"

	"github.com/nightbell/nightbell/api/internal/channel/webhook"
	"github.com/nightbell/nightbell/api/internal/kernel/id"
	"github.com/nightbell/nightbell/api/internal/notify"
	"github.com/nightbell/nightbell/api/internal/pagingtest"
	"github.com/nightbell/nightbell/api/internal/platform/egress"
	"github.com/nightbell/nightbell/api/internal/platform/postgres"
	"github.com/nightbell/nightbell/api/internal/publish"
	"github.com/nightbell/nightbell/api/internal/subscription"
	"github.com/nightbell/nightbell/api/internal/subscription/subscriptiondb"
)

// told is one request that a receiver got.
type told struct {
	path, id, signature, timestamp string
	body                           []byte
	Type                           string
	Data                           struct {
		Incident struct {
			Number           int
			Status, Severity string
			Service          struct{ Name string }
		}
		Actor   struct{ Name string }
		Cursor  string
		Changes map[string]any
	}
}

// sink receives and keeps everything; answer decides what it says.
type sink struct {
	*httptest.Server

	mu     sync.Mutex
	got    []told
	answer func(w http.ResponseWriter, r *http.Request)
}

func newSink(t *testing.T) *sink {
	t.Helper()
	s := &sink{answer: func(http.ResponseWriter, *http.Request) {}}
	s.Server = httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		one := told{path: r.URL.Path, id: r.Header.Get("Webhook-Id"), signature: r.Header.Get("Webhook-Signature"), timestamp: r.Header.Get("Webhook-Timestamp")}
		one.body, _ = io.ReadAll(r.Body)
		if err := json.Unmarshal(one.body, &one); err != nil {
			t.Errorf("the body %q: %v", one.body, err)
		}
		s.mu.Lock()
		s.got = append(s.got, one)
		answer := s.answer
		s.mu.Unlock()
		answer(w, r)
	}))
	t.Cleanup(s.Close)
	return s
}

func (s *sink) says(answer func(http.ResponseWriter, *http.Request)) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.answer = answer
}

func (s *sink) status(code int) {
	s.says(func(w http.ResponseWriter, _ *http.Request) { w.WriteHeader(code) })
}

// take gives what came since the last call.
func (s *sink) take() []told {
	s.mu.Lock()
	defer s.mu.Unlock()
	got := s.got
	s.got = nil
	return got
}

func types(list []told) (found []string) {
	for _, one := range list {
		found = append(found, one.Type)
	}
	slices.Sort(found)
	return found
}

// mails keeps what the owners are told.
type mails struct {
	mu   sync.Mutex
	list []notify.Notice
	fail error
	// away is who alone cannot be mailed.
	away string
}

func (m *mails) SendNotice(_ context.Context, notice notify.Notice) (notify.Receipt, error) {
	m.mu.Lock()
	defer m.mu.Unlock()
	if m.away != "" && notice.Envelope().PersonName == m.away {
		return notify.Receipt{}, errors.New("this mailbox is away")
	}
	m.list = append(m.list, notice)
	return notify.Receipt{}, m.fail
}

// plain is a box that seals nothing.
type plain struct{}

func (plain) Open(sealed []byte, _ string) ([]byte, error) { return sealed, nil }

type world struct {
	*pagingtest.Workspace
	*sink
	mail      *mails
	publisher *publish.Publisher
}

func newWorld(t *testing.T) *world {
	t.Helper()
	w := &world{Workspace: pagingtest.New(t), sink: newSink(t), mail: &mails{}}
	w.publisher = w.replica(t)
	return w
}

func (w *world) replica(t *testing.T) *publish.Publisher {
	t.Helper()
	return w.replicaThatWaits(t, subscription.AnswerWithin)
}

// replicaThatWaits gives receivers that long to answer.
func (w *world) replicaThatWaits(t *testing.T, timeout time.Duration) *publish.Publisher {
	t.Helper()
	p := publish.New(w.DB, publish.Options{
		Logger: slog.New(slog.DiscardHandler), Opener: plain{}, Mail: w.mail, PublicURL: "https://nightbell.example", Freed: func() {}, Timeout: timeout,
		Post: webhook.Post(egress.New(egress.Options{Allow: []netip.Prefix{netip.MustParsePrefix("127.0.0.0/8")}})),
	})
	t.Cleanup(func() {
		ctx, cancel := context.WithTimeout(context.Background(), time.Second)
		defer cancel()
		_ = p.Close(ctx)
	})
	return p
}

const secret = "0123456789abcdef0123456789abcdef"

// subscribe makes a subscription to everything but health, at that path of the sink.
func (w *world) subscribe(t *testing.T, orgID uuid.UUID, path string) uuid.UUID {
	t.Helper()
	subscriptionID := id.New()
	types := slices.DeleteFunc(subscription.Types(), func(eventType string) bool { return eventType == subscription.HealthChanged })
	own := subscriptiondb.Subscription{ID: subscriptionID, Name: "Tickets", URLSealed: []byte(w.URL + path), Filter: subscription.Filter{Types: types}}
	err := w.InTenant(t.Context(), orgID, func(ctx context.Context, tx pgx.Tx) error {
		now, err := postgres.Now(ctx, tx)
		if err != nil {
			return err
		}
		return subscriptiondb.Insert(ctx, tx, orgID, own, []byte(secret), now)
	})
	if err != nil {
		t.Fatal(err)
	}
	w.publisher.Wake()
	return subscriptionID
}

// sweep publishes all that is due and waits for the receivers.
func (w *world) sweep(t *testing.T) { sweep(t, w.publisher) }

func sweep(t *testing.T, p *publish.Publisher) {
	t.Helper()
	for range 1000 {
		again, err := p.Sweep(t.Context())
		if err != nil {
			t.Fatalf("sweep: %v", err)
		}
		p.Wait()
		if !again {
			return
		}
	}
	t.Fatal("the publisher finds no end")
}

// note writes an entry of the feed in a transaction of its own, which ends when commit is called.
func (w *world) note(t *testing.T, message string) (commit func(ok bool)) {
	t.Helper()
	proceed, done := make(chan bool), make(chan struct{})
	written := make(chan struct{})
	incidentID := w.anyIncident(t)
	go func() {
		defer close(done)
		err := w.InSystem(context.WithoutCancel(t.Context()), postgres.Sweep, func(ctx context.Context, tx pgx.Tx) error {
			_, err := tx.Exec(ctx, `INSERT INTO timeline_event (org_id, id, incident_id, kind, actor_kind, message, at) VALUES ($1, $2, $3, 'comment', 'system', $4, nightbell_now())`,
				w.Org, id.New(), incidentID, message)
			if err != nil {
				t.Errorf("note: %v", err)
			}
			close(written)
			if !<-proceed {
				return fmt.Errorf("rolled back")
			}
			return err
		})
		if err != nil && err.Error() != "rolled back" {
			t.Errorf("note: %v", err)
		}
	}()
	<-written
	return func(ok bool) { proceed <- ok; <-done }
}

func (w *world) anyIncident(t *testing.T) uuid.UUID {
	t.Helper()
	ids := w.Texts(t, `SELECT id::text FROM incident WHERE org_id = $1 LIMIT 1`, w.Org)
	if len(ids) == 0 {
		w.Accept(t, pagingtest.Firing("any", "any", pagingtest.Began))
		return w.anyIncident(t)
	}
	return uuid.MustParse(ids[0])
}

// messages are the texts of the comments that were told, sorted.
func messages(t *testing.T, list []told) (found []string) {
	t.Helper()
	for _, one := range list {
		var body struct{ Data struct{ Message string } }
		if err := json.Unmarshal(one.body, &body); err != nil {
			t.Fatal(err)
		}
		found = append(found, body.Data.Message)
	}
	slices.Sort(found)
	return found
}
