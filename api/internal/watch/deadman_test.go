package watch_test

import (
	"log/slog"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/google/uuid"

	"github.com/nightbell/nightbell/api/internal/notify"
	"github.com/nightbell/nightbell/api/internal/paging"
	"github.com/nightbell/nightbell/api/internal/watch"
)

// TestADeadManURLThatRefusesIsLogged once, and again when it answers otherwise; its address, which is a secret, never.
func TestADeadManURLThatRefusesIsLogged(t *testing.T) {
	t.Parallel()
	w := newWatched(t)
	var status atomic.Int64
	deadman := httptest.NewServer(http.HandlerFunc(func(answer http.ResponseWriter, _ *http.Request) {
		if status.Load() == 0 {
			panic(http.ErrAbortHandler)
		}
		answer.WriteHeader(int(status.Load()))
	}))
	t.Cleanup(deadman.Close)
	auditor := watch.NewAuditor(w.DB, slog.New(slog.DiscardHandler), nil, paging.Signals{Pages: func(...notify.Kind) {}, Changed: func(uuid.UUID) {}})
	w.watch = watch.New(w.DB, auditor, watch.Options{
		Logger: slog.New(slog.NewTextHandler(&w.logged, nil)), DeadmanURL: deadman.URL + "/secret", OldestOverdue: func(time.Duration) {},
		Repaired: func(string, int) {}, Problem: func(string, bool) {}, Refused: func() int64 { return 0 },
	})
	for _, step := range []struct {
		status int64
		logged string // nothing where empty
	}{
		{200, ""},
		{204, ""},
		{404, "status=404"},
		{404, ""},
		{500, "status=500"},
		{0, "did not answer"},
		{0, ""},
		{404, "status=404"},
		{200, "level=INFO"},
		{200, ""},
		{404, "status=404"},
	} {
		status.Store(step.status)
		w.logged.Reset()
		w.watch.Round(t.Context())
		logged := w.logged.String()
		if (logged != "") != (step.logged != "") || !strings.Contains(logged, step.logged) || strings.Contains(logged, "secret") || strings.Contains(logged, "127.0.0.1") {
			t.Errorf("with %d it logged %q, want %q", step.status, logged, step.logged)
		}
	}
}
