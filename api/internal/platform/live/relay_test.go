package live_test

import (
	"context"
	"io"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"

	"github.com/nightbell/nightbell/api/internal/kernel/id"
	"github.com/nightbell/nightbell/api/internal/platform/live"
	"github.com/nightbell/nightbell/api/internal/platform/postgres"
	"github.com/nightbell/nightbell/api/internal/platform/postgres/pgtest"
)

// Two replicas share a database; what one publishes shows on the other's screens long before its
// slow look, and a thousand hints are a handful of notifications.
func TestReplicasTellEachOther(t *testing.T) {
	t.Parallel()
	db := pgtest.New(t)
	org := id.New()
	var newest, notifications atomic.Int64
	source := live.Source{
		Newest: func(context.Context, uuid.UUID) (int64, error) { return newest.Load(), nil },
		Read: func(_ context.Context, _ uuid.UUID, after int64, _ int) (events []live.Event, err error) {
			for seq := max(0, after) + 1; seq <= newest.Load(); seq++ {
				events = append(events, live.Event{Seq: seq, Kind: "comment", Data: []byte(`{}`)})
			}
			return events, nil
		},
	}
	connect := db.Dedicated
	notify := func(ctx context.Context, channel, payload string) error {
		notifications.Add(1)
		return db.InSystem(ctx, postgres.Background, func(ctx context.Context, tx pgx.Tx) error {
			_, err := tx.Exec(ctx, "SELECT pg_notify($1, $2)", channel, payload)
			return err
		})
	}
	here, there := replica(t, source, connect, notify), replica(t, source, connect, notify)

	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) { there.Serve(w, r, org, uuid.New()) }))
	defer server.Close()
	defer there.Close()
	request, err := http.NewRequestWithContext(t.Context(), http.MethodGet, server.URL, nil)
	if err != nil {
		t.Fatal(err)
	}
	answer, err := http.DefaultClient.Do(request)
	if err != nil {
		t.Fatal(err)
	}
	defer answer.Body.Close()
	readUntil(t, answer.Body, "event: hello")

	newest.Store(1)
	began := time.Now()
	for range 1000 {
		here.Publish(org)
	}
	readUntil(t, answer.Body, "event: comment")
	took := time.Since(began)
	t.Logf("shown on the other replica after %s and %d notifications", took.Round(time.Millisecond), notifications.Load())
	if sent := notifications.Load(); sent > 3 {
		t.Errorf("1,000 hints became %d notifications", sent)
	}
}

func replica(t *testing.T, source live.Source, connect func(context.Context) (*pgx.Conn, error), notify func(context.Context, string, string) error) *live.Hub {
	t.Helper()
	listening := make(chan struct{}, 100)
	ctx, stop := context.WithCancel(context.Background())
	hub, done := live.New(source, slog.New(slog.DiscardHandler)), make(chan struct{})
	go func() {
		defer close(done)
		hub.Listen(ctx, func(ctx context.Context) (*pgx.Conn, error) {
			conn, err := connect(ctx)
			listening <- struct{}{}
			return conn, err
		}, notify)
	}()
	t.Cleanup(func() {
		stop()
		<-done
	})
	<-listening
	return hub
}

func readUntil(t *testing.T, body io.Reader, wanted string) {
	t.Helper()
	var seen strings.Builder
	buffer := make([]byte, 1024)
	for !strings.Contains(seen.String(), wanted) {
		n, err := body.Read(buffer)
		seen.Write(buffer[:n])
		if err != nil {
			t.Fatalf("%v after %q, waiting for %q", err, seen.String(), wanted)
		}
	}
}
