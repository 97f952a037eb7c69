package app

import (
	"bytes"
	"context"
	"io"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"sync"
	"testing"
	"time"

	"github.com/nightbell/nightbell/api/internal/auth"
	"github.com/nightbell/nightbell/api/internal/platform/postgres/pgtest"
	"github.com/nightbell/nightbell/api/internal/platform/rpcserver"
)

// rig is the whole server over a test's own database. What runs by itself does not, but
// for the intake of alerts, so that nothing changes except by what the test does.
type rig struct {
	*server

	t        *testing.T
	database *pgtest.Database
	served   *rpcserver.Server
	handler  http.Handler
	logged   *lines
	slack    *slackDouble
}

func newTestServer(t *testing.T) *rig {
	t.Helper()
	r := &rig{t: t, database: pgtest.New(t), logged: &lines{}, slack: newSlackDouble(t)}
	r.start(Config{
		DatabaseURL: r.database.DSN(), Listen: "127.0.0.1:8480", DataDir: t.TempDir(), EgressAllow: []string{"127.0.0.0/8"},
		SMTPPort: 587, SMTPFrom: "Nightbell <nightbell@localhost>", LogLevel: "debug", LogFormat: "json",
	})
	return r
}

// start opens what the configuration says, as serve does, until the test ends.
func (r *rig) start(config Config) {
	t := r.t
	t.Helper()
	r.server = &server{options: Options{Version: "test", Out: io.Discard}, stopping: make(chan struct{})}
	r.hasher = sure(auth.NewHasher(auth.HashCost{MemoryKiB: 64, Passes: 1})) // tests need accounts, not hashes
	t.Cleanup(func() {
		if err := r.stop(); err != nil {
			t.Errorf("stop the server: %v", err)
		}
	})
	var err error
	r.settings, err = config.check()
	must(t, err)
	must(t, r.startTelemetry(t.Context()))
	r.logger = slog.New(slog.NewJSONHandler(r.logged, &slog.HandlerOptions{Level: slog.LevelDebug}))
	for _, part := range []func(context.Context) error{r.startDatabase, r.unlockSecrets, r.claimInstallation, r.build} {
		must(t, part(t.Context()))
	}
	r.runIntake()
	r.served, err = r.routes()
	must(t, err)
	r.handler = r.served.Handler()
}

func must(t *testing.T, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}

func (r *rig) runIntake() {
	ctx, cancel := context.WithCancel(context.Background())
	done := make(chan struct{})
	go func() { r.intake.Run(ctx); close(done) }()
	r.onStop(func(context.Context) error { cancel(); <-done; return nil })
}

// page sends everything that is due now, and returns when it is sent.
func (r *rig) page() {
	r.t.Helper()
	for before := -1; before != r.notifications("sent"); {
		before = r.notifications("sent")
		r.sweep()
		for deadline := time.Now().Add(10 * time.Second); r.notifications("sending") > 0; time.Sleep(2 * time.Millisecond) {
			if time.Now().After(deadline) {
				r.t.Fatal("a page is still being sent after 10 s")
			}
		}
	}
}

func (r *rig) notifications(state string) int {
	return pgtest.One[int](r.t, r.database, "SELECT count(*) FROM notification WHERE state = $1", state)
}

func (r *rig) sweep() {
	r.t.Helper()
	for _, part := range r.pageSweeps() {
		for again := true; again; {
			var err error
			again, err = part.once(r.t.Context())
			must(r.t, err)
		}
	}
}

// lines keeps what was logged since it was last taken.
type lines struct {
	mu     sync.Mutex
	buffer bytes.Buffer
}

func (l *lines) Write(p []byte) (int, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.buffer.Write(p)
}

func (l *lines) take() string {
	l.mu.Lock()
	defer l.mu.Unlock()
	defer l.buffer.Reset()
	return l.buffer.String()
}

// slackDouble takes what would go to Slack.
type slackDouble struct {
	*httptest.Server
	lines
}

func newSlackDouble(t *testing.T) *slackDouble {
	t.Helper()
	double := &slackDouble{}
	double.Server = httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		_, _ = io.Copy(&double.lines, r.Body)
		_, _ = io.WriteString(w, "ok")
	}))
	t.Cleanup(double.Close)
	return double
}

// webhook is the address of an incoming webhook there.
func (s *slackDouble) webhook() string { return s.URL + "/services/T0/B0/x" }
