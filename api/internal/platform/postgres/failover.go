package postgres

import (
	"context"
	"errors"
	"log/slog"
	"sync"
	"time"

	"github.com/jackc/pgx/v5/pgconn"
	"github.com/jackc/pgx/v5/pgxpool"

	"github.com/nightbell/nightbell/api/internal/platform/failpoint"
)

const (
	// lookInterval is the time between two looks at a server.
	lookInterval = 500 * time.Millisecond
	// lookBudget is how long a server may take to say who it is.
	lookBudget = time.Second
	// patientLooks is how many looks a primary may miss, while there is no other, before
	// those who wait for it are told that it is unavailable.
	patientLooks = 3
)

// Watch keeps the pools at the primary until ctx ends: it asks each server of the connection string who it is, on a
// connection and at a pace of its own, and replaces all pools at once when another was promoted or the primary hangs.
// Without it, a call to a server that hangs while its network is up waits for as long as the server does.
func (db *DB) Watch(ctx context.Context, logger *slog.Logger) {
	w := db.newWatch(logger)
	reports := make(chan report)
	var asking sync.WaitGroup
	for _, l := range w.lookouts {
		asking.Go(func() { l.run(ctx, reports) })
	}
	defer asking.Wait()
	for {
		failpoint.At("watch", "")
		select {
		case <-ctx.Done():
			return
		case r := <-reports:
			w.hear(ctx, r)
		}
	}
}

// watch is what Watch knows.
type watch struct {
	db       *DB
	logger   *slog.Logger
	lookouts []*lookout

	// primary is the server that the pools should be at; nil before the first look.
	primary *lookout
	since   identity
	missed  int
}

func (db *DB) newWatch(logger *slog.Logger) *watch {
	w := &watch{db: db, logger: logger}
	parsed, err := pgxpool.ParseConfig(db.config.DSN)
	if err != nil {
		return w // Open has refused it already
	}
	for _, host := range hostsOf(parsed.ConnConfig) {
		config := parsed.ConnConfig.Copy().Config
		host.only(&config)
		config.ConnectTimeout, config.ValidateConnect = lookBudget, nil
		config.RuntimeParams["application_name"] = db.config.applicationName("watch")
		w.lookouts = append(w.lookouts, &lookout{host: host, config: config})
	}
	return w
}

// hear notes what a server said and acts on what is known of all. It waits for none of the
// others: the one that hangs is the one that was replaced.
func (w *watch) hear(ctx context.Context, r report) {
	first := !r.from.heard
	r.from.heard, r.from.seen, r.from.err = true, r.seen, r.err
	best := w.best()
	switch {
	case best == nil:
		if r.from == w.primary {
			w.miss(ctx)
		}
		return
	case first && w.writable() > 1: // the pools may have found the old one
		w.replace(ctx, best)
	case w.primary == nil: // the pools have found it, or not yet
	case best != w.primary || best.seen.timeline != w.since.timeline || best.seen.cluster != w.since.cluster:
		w.logger.WarnContext(ctx, "the database's primary is another server now; every connection is replaced",
			"primary", best.host.address, "timeline", best.seen.timeline, "before", w.primary.host.address, "problem", errorText(w.primary.err))
		w.replace(ctx, best)
	}
	w.primary, w.since, w.missed = best, best.seen, 0
}

// best is the writable server that was promoted last; of several, the one that is used.
func (w *watch) best() (best *lookout) {
	for _, l := range w.lookouts {
		switch {
		case l.err != nil || !l.seen.writable:
		case best == nil, l.seen.timeline > best.seen.timeline, l.seen.timeline == best.seen.timeline && l == w.primary:
			best = l
		}
	}
	if best == nil || w.db.fence.admit(best.seen) != nil {
		return nil
	}
	return best
}

func (w *watch) writable() (count int) {
	for _, l := range w.lookouts {
		if l.err == nil && l.seen.writable {
			count++
		}
	}
	return count
}

// miss notes that there is no primary. Once it has been away for a while, whoever still
// waits for it is released.
func (w *watch) miss(ctx context.Context) {
	w.missed++
	if w.missed != patientLooks || w.primary == nil {
		return
	}
	w.logger.ErrorContext(ctx, "the database has no primary that answers; whoever waits for it is told so",
		"last", w.primary.host.address, "problem", errorText(w.primary.err))
	w.replace(ctx, nil)
}

func errorText(err error) string {
	if err == nil {
		return "none"
	}
	return err.Error()
}

func (w *watch) replace(ctx context.Context, by *lookout) {
	var preferred *host
	if by != nil {
		preferred = by.host
	}
	if err := w.db.replace(ctx, preferred); err != nil {
		w.logger.ErrorContext(ctx, "the database's connections could not be replaced", "error", err)
	}
}

// replace puts new pools in the place of the present ones, and breaks their connections.
func (db *DB) replace(ctx context.Context, preferred *host) error {
	next, err := db.openGeneration(context.WithoutCancel(ctx), preferred)
	if err != nil {
		return err
	}
	db.mu.Lock()
	defer db.mu.Unlock()
	if db.closed {
		next.close()
		return errors.New("the pools are closed")
	}
	db.current.Swap(next).abandon()
	return nil
}

// lookout asks one server who it is, on a connection that it keeps.
type lookout struct {
	host   *host
	config pgconnConfig

	conn    *pgconn.PgConn
	sockets *sockets

	// seen is the answer to the last look, unless that failed with err; only hear uses them.
	heard bool
	seen  identity
	err   error
}

// report is what one look gave.
type report struct {
	from *lookout
	seen identity
	err  error
}

// run looks at every interval until ctx ends.
func (l *lookout) run(ctx context.Context, reports chan<- report) {
	defer l.drop()
	ticker := time.NewTicker(lookInterval)
	defer ticker.Stop()
	for {
		seen, err := l.look(ctx)
		select {
		case <-ctx.Done():
			return
		case reports <- report{l, seen, err}:
		}
		select {
		case <-ctx.Done():
			return
		case <-ticker.C:
		}
	}
}

func (l *lookout) look(ctx context.Context) (identity, error) {
	ctx, cancel := context.WithTimeout(ctx, lookBudget)
	defer cancel()
	if l.conn == nil {
		if err := l.connect(ctx); err != nil {
			l.drop()
			return identity{}, err
		}
	}
	seen, err := identify(ctx, l.conn)
	if err != nil {
		l.drop()
	}
	return seen, err
}

func (l *lookout) connect(ctx context.Context) (err error) {
	config := l.config
	l.sockets = &sockets{}
	l.sockets.watch(&config)
	l.conn, err = pgconn.ConnectConfig(ctx, &config)
	return err
}

// drop breaks the connection off. A goodbye to a server that hangs would hang too.
func (l *lookout) drop() {
	if l.sockets != nil {
		l.sockets.cut()
	}
	l.conn, l.sockets = nil, nil
}
