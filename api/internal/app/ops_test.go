package app

import (
	"context"
	"io"
	"net"
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"

	"github.com/nightbell/nightbell/api/internal/platform/postgres"
)

// TestReadinessBorrowsFromNoPagePool asks while every connection of every other pool is in use.
func TestReadinessBorrowsFromNoPagePool(t *testing.T) {
	t.Parallel()
	r := newTestServer(t)
	release := make(chan struct{})
	var held []chan error
	for name, stat := range r.db.Stats() {
		if name == postgres.Health {
			continue
		}
		for range stat.MaxConns() {
			begun, done := make(chan struct{}), make(chan error, 1)
			hold := func(context.Context, pgx.Tx) error {
				close(begun)
				<-release
				return nil
			}
			go func() {
				switch name {
				case postgres.Tenant:
					done <- r.db.InTenant(t.Context(), uuid.New(), hold)
				case postgres.Answers:
					done <- r.db.InAnswer(t.Context(), uuid.New(), hold)
				default:
					done <- r.db.InSystem(t.Context(), name, hold)
				}
			}()
			<-begun
			held = append(held, done)
		}
	}
	var answers []chan int
	for range 50 { // at the same time, as anybody may
		answer := make(chan int, 1)
		go func() { answer <- r.plainly(http.MethodGet, "/readyz", "", nil).status }()
		answers = append(answers, answer)
	}
	for _, answer := range answers {
		if status := <-answer; status != http.StatusOK {
			t.Errorf("readiness is %d while the other pools are busy", status)
		}
	}
	close(release)
	for _, done := range held {
		must(t, <-done)
	}
}

func TestReadinessAndMetricsListenOnTheirOwnAddress(t *testing.T) {
	t.Parallel()
	public, ops := freeAddress(t), freeAddress(t)
	first := newTestServer(t) // for a migrated database
	config := first.Config
	config.Listen, config.OpsListen, config.PublicURL = public, ops, ""
	ctx, stop := context.WithCancel(t.Context())
	ended := make(chan error, 1)
	go func() { ended <- Serve(ctx, config, Options{Version: "test", Out: io.Discard}) }()
	for until := time.Now().Add(time.Minute); get("http://"+ops+"/readyz") != http.StatusOK; time.Sleep(50 * time.Millisecond) {
		if time.Now().After(until) {
			t.Fatal("the address for operations does not answer")
		}
	}
	// As any page that does not exist: 404, or 503 in a binary without the site.
	missing := get("http://" + public + "/no-such-page")
	if missing == http.StatusOK {
		t.Error("a page that does not exist is answered 200")
	}
	for url, want := range map[string]int{
		"http://" + ops + "/metrics":    http.StatusOK,
		"http://" + ops + "/v1/stream":  http.StatusNotFound,
		"http://" + public + "/healthz": http.StatusOK,
		"http://" + public + "/readyz":  missing,
		"http://" + public + "/metrics": missing,
	} {
		if status := get(url); status != want {
			t.Errorf("%s answers %d, expected %d", url, status, want)
		}
	}
	if err := Healthcheck(t.Context(), config); err != nil {
		t.Errorf("the health check of a container: %v", err)
	}
	config.OpsListen = ""
	if err := Healthcheck(t.Context(), config); missing == http.StatusNotFound && (err == nil || !strings.Contains(err.Error(), "NIGHTBELL_OPS_LISTEN")) {
		t.Errorf("the health check of the other address: %v", err)
	}
	stop()
	must(t, <-ended)
}

func get(url string) (status int) {
	response, err := http.Get(url)
	if err != nil {
		return 0
	}
	_ = response.Body.Close()
	return response.StatusCode
}

func freeAddress(t *testing.T) string {
	t.Helper()
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	must(t, err)
	defer listener.Close()
	return listener.Addr().String()
}
