package app

import (
	"context"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"net"
	"net/http"
	"os"
	"sync/atomic"
	"time"

	"github.com/google/uuid"

	"github.com/nightbell/nightbell/api/internal/auth"
	"github.com/nightbell/nightbell/api/internal/catalog/catalogdb"
	"github.com/nightbell/nightbell/api/internal/delivery"
	"github.com/nightbell/nightbell/api/internal/forgotten"
	"github.com/nightbell/nightbell/api/internal/handover"
	"github.com/nightbell/nightbell/api/internal/heartbeat"
	"github.com/nightbell/nightbell/api/internal/ingest"
	"github.com/nightbell/nightbell/api/internal/installation"
	"github.com/nightbell/nightbell/api/internal/intake"
	"github.com/nightbell/nightbell/api/internal/invitation"
	"github.com/nightbell/nightbell/api/internal/news"
	"github.com/nightbell/nightbell/api/internal/notify"
	"github.com/nightbell/nightbell/api/internal/org/orgdb"
	"github.com/nightbell/nightbell/api/internal/paging"
	"github.com/nightbell/nightbell/api/internal/ping"
	"github.com/nightbell/nightbell/api/internal/platform/egress"
	"github.com/nightbell/nightbell/api/internal/platform/live"
	"github.com/nightbell/nightbell/api/internal/platform/postgres"
	"github.com/nightbell/nightbell/api/internal/platform/rpcserver"
	"github.com/nightbell/nightbell/api/internal/platform/secret"
	"github.com/nightbell/nightbell/api/internal/platform/sweep"
	"github.com/nightbell/nightbell/api/internal/platform/telemetry"
	"github.com/nightbell/nightbell/api/internal/publish"
	"github.com/nightbell/nightbell/api/internal/respond"
	"github.com/nightbell/nightbell/api/internal/verification"
	"github.com/nightbell/nightbell/api/internal/watch"
)

// stopPatience is how long requests and sends under way may take after a signal.
const stopPatience = 10 * time.Second

// Options say how to serve, besides the configuration.
type Options struct {
	Version string
	// Demo fills one organization with the demo workspace at the first start.
	Demo bool
	// Out is where people read: the banner goes there, logs go to standard error.
	Out io.Writer
}

// server is everything that runs, in the order of its building.
type server struct {
	settings
	options   Options
	logger    *slog.Logger
	metrics   *telemetry.Metrics
	tracing   *telemetry.Tracing
	box       *secret.Box
	db        *postgres.DB
	egress    *egress.Client
	hub       *live.Hub
	intake    *intake.Intake
	hasher    *auth.Hasher // made by passwordHasher
	responder *respond.Responder
	escalator *paging.Escalator
	// timerSweeper has no waker: it looks every second, which is soon enough for timers.
	timerSweeper *paging.TimerSweeper
	watch        *watch.Watch
	verifier     *verification.Verifier
	inviter      *invitation.Mailer
	forgotten    *forgotten.Mailer
	tests        *delivery.Tests
	wakeTests    *sweep.Waker
	handovers    *handover.Notifier
	publisher    *publish.Publisher
	news         *news.Teller
	heartbeats   *ping.Keeper
	webhooks     *sweep.Waker
	// outboxes and wakers are by channel; escalations has a waker of its own.
	outboxes    map[notify.Kind]*delivery.Outbox
	wakers      map[notify.Kind]*sweep.Waker
	escalations *sweep.Waker
	storage     *orgdb.StorageMeter
	senders     *catalogdb.SenderLog
	serviceKeys *ingest.CachedKeys
	// refused counts the requests with alerts that were answered 503 for our own reasons.
	refused  atomic.Int64
	stopping chan struct{}
	// secretBehind is the words of addresses behind which a secret stands; the log masks it.
	secretBehind []string
	// copied is true while the database is a restored copy that nobody has confirmed.
	installation *installation.Installation
	copied       atomic.Bool
	// databaseGone is closed when the private PostgreSQL ended; nil when there is none.
	databaseGone <-chan struct{}
	// undo is what ends each part, run backwards.
	undo []func(context.Context) error
}

// Serve runs Nightbell until ctx ends, then stops it in order: no new requests, those
// under way answered, messages under way sent, the database last. The error says what
// kept it from starting, or what went wrong while stopping.
func Serve(ctx context.Context, config Config, options Options) (err error) {
	started := time.Now()
	tuneMemory()
	s, err := prepare(ctx, config, options)
	defer func() { err = errors.Join(err, s.stop()) }()
	if err != nil {
		return err
	}
	for _, part := range []func(context.Context) error{s.seed, s.build} {
		if err := part(ctx); err != nil {
			return err
		}
	}
	s.startLoops()
	go releaseMemory()
	return s.listen(ctx, started)
}

// prepare reads the configuration and opens the database. The server is never nil and
// must be stopped, also after an error.
func prepare(ctx context.Context, config Config, options Options) (*server, error) {
	s := &server{options: options, stopping: make(chan struct{})}
	var err error
	if s.settings, err = config.check(); err != nil {
		return s, fmt.Errorf("the configuration does not fit:\n%w", err)
	}
	if err := s.checkDemo(); err != nil {
		return s, err
	}
	for _, part := range []func(context.Context) error{s.startTelemetry, s.startDatabase, s.unlockSecrets, s.claimInstallation, s.releaseLeases} {
		if err := part(ctx); err != nil {
			return s, err
		}
	}
	return s, nil
}

func (s *server) onStop(end func(context.Context) error) { s.undo = append(s.undo, end) }

// stop ends every part that was started, the last one first.
func (s *server) stop() error {
	ctx, cancel := context.WithTimeout(context.Background(), 2*stopPatience)
	defer cancel()
	var problems []error
	for len(s.undo) > 0 {
		last := s.undo[len(s.undo)-1]
		s.undo = s.undo[:len(s.undo)-1]
		problems = append(problems, last(ctx))
	}
	return errors.Join(problems...)
}

func (s *server) startTelemetry(context.Context) error {
	var level slog.Level
	if err := level.UnmarshalText([]byte(s.LogLevel)); err != nil {
		return fmt.Errorf("NIGHTBELL_LOG_LEVEL: %w", err)
	}
	var err error
	if s.logger, err = telemetry.NewLogger(os.Stderr, s.LogFormat, level, rpcserver.RequestID); err != nil {
		return fmt.Errorf("NIGHTBELL_LOG_FORMAT: %w", err)
	}
	for _, unknown := range unknownVariables(os.Environ()) {
		s.logger.Warn("an environment variable has no effect", "variable", unknown.name, "because", unknown.advice)
	}
	s.metrics = telemetry.NewMetrics(s.options.Version)
	s.tracing, err = telemetry.StartTracing(os.Getenv, s.options.Version, s.logger)
	s.onStop(func(ctx context.Context) error { return s.tracing.Stop(ctx) })
	return err
}

// build makes the parts that work on the database. Nothing runs by itself yet.
func (s *server) build(ctx context.Context) error {
	s.egress = egress.New(egress.Options{Allow: s.egressAllow})
	s.hub = s.newHub()
	s.storage = orgdb.NewStorageMeter(s.db, int64(s.quotas.StoredMiBPerDay)<<20)
	s.senders = catalogdb.NewSenderLog(s.db, time.Now)
	s.serviceKeys = ingest.NewCachedKeys(s.findRoute, time.Now)
	s.escalations, s.wakers = sweep.NewWaker(), map[notify.Kind]*sweep.Waker{}
	for _, kind := range notify.Kinds {
		s.wakers[kind] = sweep.NewWaker()
	}
	signals := s.signals()
	s.intake = intake.NewIntake(s.db, s.logger, signals)
	s.responder = respond.NewResponder(s.db, signals).Counting(s.storage)
	s.escalator = paging.NewEscalator(s.db, postgres.Sweep, s.logger, signals)
	s.timerSweeper = paging.NewTimerSweeper(s.db, postgres.Sweep, s.logger, signals)
	s.heartbeats = ping.New(s.db, ping.Options{
		Logger: s.logger, Signals: signals, Judged: func(v heartbeat.Verdict) { s.metrics.HeartbeatJudged(string(v)) }, Overdue: s.metrics.HeartbeatOverdue,
	})
	for _, part := range []func(context.Context) error{s.buildOutboxes, s.buildHandovers, s.buildVerifier, s.buildInviter, s.buildForgotten, s.buildPublisher, s.buildNews} {
		if err := part(ctx); err != nil {
			return err
		}
	}
	s.watch = s.newWatch()
	return nil
}

func (s *server) newWatch() *watch.Watch {
	return watch.New(s.db, watch.NewAuditor(s.db, s.logger, s.outboxes, s.signals()), watch.Options{
		Logger: s.logger, DeadmanURL: s.DeadmanURL, RetentionDays: s.RetentionDays, OldestOverdue: s.metrics.OldestOverdue, Repaired: s.metrics.Repaired,
		Problem: s.metrics.Problem, Refused: s.refused.Load,
	})
}

// signals wake the loops in this process, and the screens.
func (s *server) signals() paging.Signals {
	return paging.Signals{
		Pages: s.wakePages, Changed: func(orgID uuid.UUID) { s.hub.Publish(orgID) },
		DueIn: func(after time.Duration) { time.AfterFunc(after, s.escalations.Wake) },
	}
}

// wakePages says that pages may be due by these channels; without any, that pages or
// the steps after them may be.
func (s *server) wakePages(channels ...notify.Kind) {
	for _, kind := range channels {
		if waker, exists := s.wakers[kind]; exists {
			waker.Wake()
		}
	}
	if len(channels) > 0 {
		return
	}
	for _, waker := range s.wakers {
		waker.Wake()
	}
	s.escalations.Wake()
}

// listen serves until ctx ends. The banner is printed once the address answers.
func (s *server) listen(ctx context.Context, started time.Time) error {
	routes, err := s.routes()
	if err != nil {
		return err
	}
	listener, err := (&net.ListenConfig{}).Listen(ctx, "tcp", s.Listen)
	if err != nil {
		return fmt.Errorf("NIGHTBELL_LISTEN: %w. Is Nightbell running already? Choose another address with --listen", err)
	}
	if err := s.listenForOps(ctx); err != nil {
		return errors.Join(err, listener.Close())
	}
	httpServer := rpcserver.NewHTTPServer(s.tracing.Wrap(routes.Handler()), s.logger)
	failed := make(chan error, 1)
	go func() { failed <- httpServer.Serve(listener) }()
	s.onStop(func(ctx context.Context) error { return s.drain(ctx, httpServer) })
	s.logger.InfoContext(ctx, "ready", "address", s.Listen, "version", s.options.Version, "start_ms", time.Since(started).Milliseconds())
	if err := s.printBanner(ctx); err != nil {
		return err
	}
	select {
	case <-ctx.Done():
		s.logger.InfoContext(ctx, "stopping: requests and messages under way are finished first")
		return nil
	case <-s.databaseGone:
		return errors.New("the private PostgreSQL has ended; Nightbell stops so that its supervisor starts both again")
	case err := <-failed:
		return fmt.Errorf("serve: %w", err)
	}
}

// listenForOps serves readiness and metrics where NIGHTBELL_OPS_LISTEN says, until all else
// has stopped.
func (s *server) listenForOps(ctx context.Context) error {
	if s.OpsListen == "" {
		return nil
	}
	listener, err := (&net.ListenConfig{}).Listen(ctx, "tcp", s.OpsListen)
	if err != nil {
		return fmt.Errorf("NIGHTBELL_OPS_LISTEN: %w. Choose an address that nothing listens on", err)
	}
	mux := http.NewServeMux()
	for _, route := range s.opsRoutes() {
		mux.Handle(route.verb+" "+route.path, route.handler)
	}
	httpServer := rpcserver.NewHTTPServer(mux, s.logger)
	go func() {
		if err := httpServer.Serve(listener); !errors.Is(err, http.ErrServerClosed) {
			s.logger.ErrorContext(ctx, "readiness and metrics are not served any more", "error", err)
		}
	}()
	s.onStop(httpServer.Shutdown)
	return nil
}

// drain answers what is under way. Live streams never end by themselves, so they are
// told first.
func (s *server) drain(ctx context.Context, httpServer *http.Server) error {
	close(s.stopping)
	ctx, cancel := context.WithTimeout(ctx, stopPatience)
	defer cancel()
	s.hub.Close()
	return httpServer.Shutdown(ctx)
}
