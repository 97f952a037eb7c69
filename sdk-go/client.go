package nightbell

import (
	"context"
	"log/slog"
	"os"
	"sync"
	"sync/atomic"
	"time"
)

const (
	pathEvents  = "/v1/events"
	pathChanges = "/v1/changes"
	pathSamples = "/v1/samples"

	shutdownGrace = 250 * time.Millisecond // for goroutines to see that the client is closed
)

// Client reports to Nightbell. It is safe for use by many goroutines; make one per
// program. All methods of a nil or disabled client do nothing.
type Client struct {
	settings

	redactor  redactor
	transport *transport
	queue     *queue
	lanes     [2]*lane
	gate      gate
	counters  counters
	log       warner
	spool     *spool
	crash     *os.File
	newID     func() string

	hurry  atomic.Int32 // flushes under way
	root   context.Context
	cancel context.CancelFunc

	mu         sync.Mutex
	closed     bool
	exitBegan  time.Time
	goroutines sync.WaitGroup
	stopping   map[*func()]struct{} // what Close stops first: heartbeats, monitors, signals
}

// New makes a client. It fails only for a configuration that cannot be right
// ([ConfigError]); without a key the client does nothing and warns once.
func New(config Config) (*Client, error) {
	host, _ := os.Hostname()
	s, warnings, err := load(config, os.Getenv, host)
	if err != nil {
		return nil, err
	}
	sender, err := newTransport(&s, config.Transport)
	if err != nil {
		return nil, err
	}
	c := &Client{
		settings:  s,
		redactor:  newRedactor(s.redactKeys),
		transport: sender,
		queue:     newQueue(s.maxQueue),
		log:       warner{logger: config.Logger},
		newID:     newID,
		stopping:  map[*func()]struct{}{},
	}
	c.root, c.cancel = context.WithCancel(context.Background()) //nolint:forbidigo // ended by Close
	c.lanes = [2]*lane{newLane(c, false), newLane(c, true)}
	for _, warning := range warnings {
		c.log.warn(warning, startWarnings[warning])
	}
	if c.enabled && s.spoolDir != "" {
		c.spool = &spool{s.spoolDir}
		c.goroutine(func(context.Context) { c.deliverSpool() })
		if s.autoCapture {
			c.watchCrashes(s.spoolDir)
		}
	}
	return c, nil
}

var startWarnings = map[string]string{
	"key_missing":      "nightbell reports nothing: set NIGHTBELL_SERVICE_KEY or NIGHTBELL_API_KEY",
	"base_url_missing": "nightbell has a key and no server: set NIGHTBELL_BASE_URL",
}

var defaultClient atomic.Pointer[Client]

// Init makes the client that [Default] returns.
func Init(config Config) (*Client, error) {
	c, err := New(config)
	if err == nil {
		defaultClient.Store(c)
	}
	return c, err
}

// Default is the client that Init made, or nil, which does nothing.
func Default() *Client { return defaultClient.Load() }

func (c *Client) on() bool { return c != nil && c.enabled && !c.gate.off() }

func (c *Client) isClosed() bool {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.closed
}

// goroutine runs fn until Close, which waits for it. After Close it does not run.
func (c *Client) goroutine(fn func(context.Context)) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.closed {
		return
	}
	c.goroutines.Go(func() {
		defer c.guard()
		fn(c.root)
	})
}

// guard keeps a fault of the SDK, or of a function the program gave it, from ending the program.
func (c *Client) guard() {
	if fault := recover(); fault != nil {
		c.log.warn("internal", "nightbell recovered from a panic", "fault", fault)
	}
}

// onClose registers what Close stops first. The returned function stops it earlier, once.
func (c *Client) onClose(stop func()) func() {
	once := sync.OnceFunc(stop)
	key := &once
	c.mu.Lock()
	defer c.mu.Unlock()
	c.stopping[key] = struct{}{}
	return func() {
		c.mu.Lock()
		delete(c.stopping, key)
		c.mu.Unlock()
		once()
	}
}

// FlushResult says how far a flush came.
type FlushResult struct {
	Delivered int // since the flush began
	Pending   int
	Dropped   int
}

// Flush sends what waits, without waiting for more to send with it, until ctx ends or
// the flush timeout if ctx has no deadline. It reports an error if something is left.
func (c *Client) Flush(ctx context.Context) (FlushResult, error) {
	if c == nil {
		return FlushResult{}, nil
	}
	if _, bounded := ctx.Deadline(); !bounded {
		var cancel context.CancelFunc
		ctx, cancel = context.WithTimeout(ctx, c.flushTimeout)
		defer cancel()
	}
	before := c.counters.sums()
	c.hurry.Add(1)
	defer c.hurry.Add(-1)
	for _, lane := range c.lanes {
		if c.queue.pending() > 0 {
			lane.stir()
		}
	}
	var err error
	select {
	case <-c.queue.whenIdle():
	case <-ctx.Done():
		err = ctx.Err()
	}
	after := c.counters.sums()
	return FlushResult{Delivered: after.delivered - before.delivered, Dropped: after.dropped - before.dropped, Pending: c.queue.pending()}, err
}

func (c *Client) flushBeforeExit() {
	if c == nil {
		return
	}
	ctx, cancel := c.exitContext()
	defer cancel()
	_, _ = c.Flush(ctx)
}

// Close stops heartbeats and monitors, delivers what waits as Flush does, writes the
// rest to the spool if there is one, and ends all goroutines. Calls after it do nothing.
func (c *Client) Close(ctx context.Context) error {
	if c == nil {
		return nil
	}
	c.mu.Lock()
	stopping := c.stopping
	c.stopping = map[*func()]struct{}{}
	c.mu.Unlock()
	for stop := range stopping {
		(*stop)()
	}
	_, err := c.Flush(ctx)

	c.mu.Lock()
	first := !c.closed
	c.closed = true
	c.mu.Unlock()
	if !first {
		return err
	}
	c.cancel()
	ended := make(chan struct{})
	go func() { c.goroutines.Wait(); close(ended) }()
	select {
	case <-ended:
	case <-time.After(shutdownGrace): // a function of the program does not return
	}
	c.unwatchCrashes()
	c.keep(dropClosed, c.queue.drain())
	c.transport.close()
	return err
}

// Exit delivers and then ends the program: os.Exit alone would lose what waits.
func (c *Client) Exit(code int) {
	c.closeBeforeExit()
	os.Exit(code)
}

func (c *Client) closeBeforeExit() {
	if c == nil {
		return
	}
	ctx, cancel := c.exitContext()
	defer cancel()
	_ = c.Close(ctx)
}

// exitContext gives all steps of one exit the flush timeout together: a panic passes
// through several of them.
func (c *Client) exitContext() (context.Context, context.CancelFunc) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if now := time.Now(); now.Sub(c.exitBegan) > 2*c.flushTimeout {
		c.exitBegan = now
	}
	return context.WithDeadline(context.WithoutCancel(c.root), c.exitBegan.Add(c.flushTimeout))
}

// gate says whether the client may send: not for a while after its key was refused,
// and never again when the server said so.
type gate struct {
	mu     sync.Mutex
	closed atomic.Bool
	until  time.Time
	pause  time.Duration
}

const (
	firstPause   = time.Minute
	longestPause = 15 * time.Minute
)

func (g *gate) off() bool { return g.closed.Load() }

func (g *gate) wait(now time.Time) time.Duration {
	g.mu.Lock()
	defer g.mu.Unlock()
	return g.until.Sub(now)
}

// refused doubles the pause each time; tries that were under way at once count once.
func (g *gate) refused(now time.Time) {
	g.mu.Lock()
	defer g.mu.Unlock()
	if g.until.After(now) {
		return
	}
	g.pause = min(max(2*g.pause, firstPause), longestPause)
	g.until = now.Add(g.pause)
}

func (g *gate) accepted() {
	g.mu.Lock()
	defer g.mu.Unlock()
	g.pause, g.until = 0, time.Time{}
}

// warner writes each kind of warning at most once a minute, with how many were not written.
type warner struct {
	logger *slog.Logger
	mu     sync.Mutex
	last   map[string]time.Time
	hidden map[string]int
}

func (w *warner) warn(kind, message string, args ...any) {
	defer func() { _ = recover() }() // a logger of the program
	now := time.Now()
	w.mu.Lock()
	if w.last == nil {
		w.last, w.hidden = map[string]time.Time{}, map[string]int{}
	}
	if last, ok := w.last[kind]; ok && now.Sub(last) < time.Minute {
		w.hidden[kind]++
		w.mu.Unlock()
		return
	}
	if hidden := w.hidden[kind]; hidden > 0 {
		args = append(args, "not_shown", hidden)
	}
	w.last[kind], w.hidden[kind] = now, 0
	w.mu.Unlock()
	w.out().Warn(message, args...) //nolint:sloglint // the callers' are constant
}

func (w *warner) out() *slog.Logger {
	if w.logger != nil {
		return w.logger
	}
	return slog.Default()
}
