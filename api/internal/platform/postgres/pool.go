package postgres

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"sync"
	"sync/atomic"
	"time"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgconn"
	"github.com/jackc/pgx/v5/pgxpool"

	"github.com/nightbell/nightbell/api/internal/kernel/fairshare"
)

// Pool names one of the separate connection pools. What pages people shares
// none with what nobody waits for (design rule 8).
type Pool string

// The pools. Tenant is reached by InTenant, Answers by InAnswer, all others by InSystem.
const (
	Tenant     Pool = "tenant"     // RPC handlers, as nightbell_tenant
	Answers    Pool = "answers"    // what people say to incidents, as nightbell_tenant: no list delays it
	Identity   Pool = "identity"   // sign-in and key look-up, before the organization is known
	Ingest     Pool = "ingest"     // the batcher that stores received alerts
	Sweep      Pool = "sweep"      // escalation and the notification outbox
	Audit      Pool = "audit"      // the auditor, which must see when the others are stuck
	Background Pool = "background" // everything nobody waits for at night
	Webhooks   Pool = "webhooks"   // deliveries to webhook subscriptions, which share nothing with pages
	Heartbeats Pool = "heartbeats" // pings, and looking for those that are missing
	Health     Pool = "health"     // readiness, which anybody may ask for
)

// The roles that connections take. Neither is a member of the other.
const (
	TenantRole = "nightbell_tenant"
	SystemRole = "nightbell_system"
)

// poolSettings are what the transactions of a pool run with.
type poolSettings struct {
	role      string
	conns     int32
	statement time.Duration // longest statement
	idleInTx  time.Duration // longest pause inside a transaction: a hung worker loses its locks
	plans     planMode
	commits   commitMode
	patience  int32 // how many AcquireTimeouts a caller waits for a connection
	others    int32 // how many connections are left to organizations that have none
}

// commitMode says who must have a transaction before its commit is answered: a value of
// synchronous_commit, or nothing for the server's own.
type commitMode string

const (
	// everywhere waits for the synchronous standby too: what was promised to a sender or to a
	// person survives the loss of the primary.
	everywhere commitMode = ""
	// here waits for this server alone. What a sweep does is done again when a failover loses
	// it, at the cost of a copy of a page; waiting for a standby that hangs costs the page.
	here commitMode = "local"
)

// planMode says whether PostgreSQL may keep a statement's plan. A plan that was made
// while a queue was empty reads all of it once it is not, until somebody analyzes it:
// a claim took 300 ms instead of 2 beside 200,000 pages.
type planMode string

const (
	cachedPlans planMode = "auto"
	freshPlans  planMode = "force_custom_plan"
	// keyedPlans are generic, kept, and find rows by key: all that the pool's statements do. Planning each time would
	// cost more than most of them, foreign key checks included; without the enable_ settings below, a plan from when
	// tables were small would read and join all of them later.
	keyedPlans planMode = "force_generic_plan"
)

var pools = map[Pool]poolSettings{
	Tenant:     {TenantRole, 7, 10 * time.Second, 12 * time.Second, cachedPlans, everywhere, 1, 2},
	Answers:    {TenantRole, 3, 10 * time.Second, 12 * time.Second, keyedPlans, everywhere, 4, 1}, // whoever is refused presses again, if ever
	Identity:   {SystemRole, 4, 5 * time.Second, 12 * time.Second, cachedPlans, everywhere, 1, 0},
	Ingest:     {SystemRole, 4, 5 * time.Second, 12 * time.Second, keyedPlans, everywhere, 1, 0},
	Sweep:      {SystemRole, 4, 10 * time.Second, 12 * time.Second, keyedPlans, here, 1, 0},
	Audit:      {SystemRole, 1, 5 * time.Second, 12 * time.Second, freshPlans, here, 1, 0},
	Background: {SystemRole, 2, time.Minute, time.Minute, cachedPlans, everywhere, 1, 0},
	Webhooks:   {SystemRole, 3, 10 * time.Second, 12 * time.Second, freshPlans, here, 1, 0},
	Heartbeats: {SystemRole, 2, 5 * time.Second, 12 * time.Second, keyedPlans, everywhere, 1, 0},
	Health:     {SystemRole, 1, 2 * time.Second, 2 * time.Second, cachedPlans, here, 1, 0},
}

// settings are set in every transaction of the pool, as SET LOCAL does. A session's would
// reach other clients, and theirs us, where a transaction pooler lies between.
func (p poolSettings) settings() []setting {
	list := []setting{
		{"role", p.role},
		{"statement_timeout", milliseconds(p.statement)},
		{"idle_in_transaction_session_timeout", milliseconds(p.idleInTx)},
		{"plan_cache_mode", string(p.plans)},
		{"jit", "off"},
		{"timezone", "UTC"},
	}
	if p.plans == keyedPlans {
		list = append(list, setting{"enable_seqscan", "off"}, setting{"enable_hashjoin", "off"}, setting{"enable_mergejoin", "off"})
	}
	if p.commits != everywhere {
		list = append(list, setting{"synchronous_commit", string(p.commits)})
	}
	return list
}

// MostConnections is how many connections one process opens: its pools and the one that
// listens for changes.
func MostConnections() int {
	sum := 1
	for _, p := range pools {
		sum += int(p.conns)
	}
	return sum
}

// Config says where the database is and how many connections may be held.
type Config struct {
	// DSN is a PostgreSQL connection string; it may list several hosts, of
	// which only a writable one is used.
	DSN string
	// ApplicationName shows in pg_stat_activity, followed by the pool's name.
	// Empty means "nightbell".
	ApplicationName string
	// Conns replaces the size of a pool; pools not named keep theirs.
	Conns map[Pool]int32
	// AcquireTimeout is how long a caller waits for a free connection before
	// it is told that the database is unavailable. Zero means 2 seconds.
	// A pool may have more patience.
	AcquireTimeout time.Duration
	// VerifiesMail is set where mail leaves the installation. Statements read it as
	// current_setting('nightbell.verifies_mail', true) = 'on': who can be paged depends on it.
	VerifiesMail bool
}

// VerifiesMail sets what Config says of it, before the first transaction.
func (db *DB) VerifiesMail() { db.config.VerifiesMail = true }

// DB is the database seen through its pools. It is safe for concurrent use.
type DB struct {
	config   Config
	acquire  time.Duration
	current  atomic.Pointer[generation]
	writable writable
	fence    fence
	shares   map[Pool]*fairshare.Gate[uuid.UUID]
	// pooler is set once a connection turned out to lead through a connection pooler.
	pooler atomic.Bool

	mu     sync.Mutex // held while pools are replaced or closed
	closed bool
}

// Open prepares the pools without connecting: the first use of each does, so a
// database that is down at start is reported by Check, not here. It fails when
// the DSN cannot be read. Close releases the connections.
func Open(ctx context.Context, cfg Config) (*DB, error) {
	db := &DB{config: cfg, acquire: cfg.AcquireTimeout, shares: map[Pool]*fairshare.Gate[uuid.UUID]{}}
	for _, name := range []Pool{Tenant, Answers} {
		conns := cfg.conns(name)
		db.shares[name] = fairshare.NewGate[uuid.UUID](int(conns), int(conns-pools[name].others))
	}
	if db.acquire <= 0 {
		db.acquire = 2 * time.Second
	}
	first, err := db.openGeneration(ctx, nil)
	if err != nil {
		return nil, err
	}
	db.current.Store(first)
	return db, nil
}

// errBadDSN takes the place of the parse error, which quotes the DSN, and with it perhaps a
// password.
var errBadDSN = errors.New("DATABASE_URL is not a PostgreSQL connection string. Expected something like postgres://user:password@host:5432/database")

func openPool(ctx context.Context, cfg Config, name Pool, change func(*pgxpool.Config)) (*pgxpool.Pool, error) {
	poolConfig, err := pgxpool.ParseConfig(cfg.DSN)
	if err != nil {
		return nil, errBadDSN
	}
	poolConfig.MaxConns = cfg.conns(name)
	poolConfig.MaxConnLifetime = time.Hour
	poolConfig.MaxConnLifetimeJitter = 5 * time.Minute
	poolConfig.AfterConnect = func(_ context.Context, conn *pgx.Conn) error {
		registerUUID(conn.TypeMap())
		return nil
	}
	configureConn(poolConfig.ConnConfig, cfg.applicationName(name))
	change(poolConfig)
	return pgxpool.NewWithConfig(ctx, poolConfig)
}

func (cfg Config) conns(name Pool) int32 { return cmp.Or(max(cfg.Conns[name], 0), pools[name].conns) }

func (cfg Config) applicationName(name Pool) string {
	return cmp.Or(cfg.ApplicationName, "nightbell") + " " + string(name)
}

// configureConn makes a connection fit for paging: only ever to a primary, quick to
// give up on a host that does not answer, and never deaf to what the server warns of.
func configureConn(conn *pgx.ConnConfig, application string) {
	conn.RuntimeParams["application_name"] = application
	if conn.ConnectTimeout <= 0 {
		conn.ConnectTimeout = 2 * time.Second
	}
	if conn.ValidateConnect == nil {
		conn.ValidateConnect = pgconn.ValidateConnectTargetSessionAttrsReadWrite
	}
	heedNotices(&conn.Config)
}

// sleep reports whether the pause passed before ctx ended.
func sleep(ctx context.Context, pause time.Duration) bool {
	select {
	case <-ctx.Done():
		return false
	case <-time.After(pause):
		return true
	}
}

// Check begins a transaction in each pool and reports the first that fails, or that does
// not run under its role. Call it at start.
func (db *DB) Check(ctx context.Context) error {
	for name, want := range pools {
		var user string
		err := db.inTx(ctx, name, func(ctx context.Context, tx pgx.Tx) error {
			return tx.QueryRow(ctx, "SELECT current_user").Scan(&user)
		}, nil)
		switch {
		case Code(err) == codeNotAllowed:
			return fmt.Errorf("pool %s: the login role cannot become %s; run the migrations first: %w", name, want.role, err)
		case err != nil:
			return fmt.Errorf("pool %s: %w", name, err)
		case user != want.role:
			return fmt.Errorf("pool %s runs as %s instead of %s", name, user, want.role)
		}
	}
	return nil
}

// Reachable reports whether a transaction begins under its role at the primary. It waits for
// no connection that anything else uses.
func (db *DB) Reachable(ctx context.Context) error {
	return db.InSystem(ctx, Health, func(context.Context, pgx.Tx) error { return nil })
}

// Dedicated opens one connection outside the pools, as the login role, which row-level
// security shows no rows: for LISTEN, which occupies a connection for good. It fails with
// ErrPooler where notifications would be lost. The caller closes it.
func (db *DB) Dedicated(ctx context.Context) (*pgx.Conn, error) {
	conn, err := pgx.ConnectConfig(ctx, db.current.Load().pools[Background].Config().ConnConfig)
	if err == nil && db.Pooled() {
		err = errors.Join(ErrPooler, conn.Close(ctx))
	}
	if err != nil {
		return nil, err
	}
	return conn, nil
}

// Stats returns a snapshot of each pool's use, for metrics.
func (db *DB) Stats() map[Pool]*pgxpool.Stat {
	pools := db.current.Load().pools
	stats := make(map[Pool]*pgxpool.Stat, len(pools))
	for name, pool := range pools {
		stats[name] = pool.Stat()
	}
	return stats
}

// Close waits for connections in use to be given back and closes all of them.
func (db *DB) Close() {
	db.mu.Lock()
	db.closed = true
	db.mu.Unlock()
	db.current.Load().close()
}

// withConn lends a connection of the named pool.
func (db *DB) withConn(ctx context.Context, name Pool, use func(*pgxpool.Conn) error) error {
	conn, err := db.borrow(ctx, name)
	if err != nil {
		return err
	}
	defer conn.Release()
	return use(conn)
}

// fullPause is how long a caller waits before it asks again a server without a free connection.
const fullPause = 50 * time.Millisecond

// enter waits until an organization may use one more connection of a pool: some are left to others, whatever
// one of them asks for, and within it people go before programs. It waits as long as borrow does.
func (db *DB) enter(ctx context.Context, name Pool, orgID uuid.UUID) (leave func(), err error) {
	waiting, cancel := context.WithTimeout(ctx, time.Duration(pools[name].patience)*db.acquire)
	defer cancel()
	enter := db.shares[name].Enter
	if ctx.Value(programKey{}) != nil {
		enter = db.shares[name].EnterAsProgram
	}
	leave, err = enter(waiting, orgID)
	if err != nil && ctx.Err() == nil {
		return nil, fmt.Errorf("%w (this organization's share of pool %s): %w", ErrBusy, name, err)
	}
	return leave, err
}

// borrow tells a full pool (ErrBusy) from a caller that gave up. Who waits at a pool
// that is replaced meanwhile waits on at the new one, and who meets max_connections waits
// for what this pool holds already: pgxpool fails at once when it cannot open one more.
func (db *DB) borrow(ctx context.Context, name Pool) (*pgxpool.Conn, error) {
	waiting, cancel := context.WithTimeout(ctx, time.Duration(pools[name].patience)*db.acquire)
	defer cancel()
	for {
		now := db.current.Load()
		pool, ok := now.pools[name]
		if !ok {
			return nil, fmt.Errorf("there is no pool named %q", name)
		}
		conn, err := pool.Acquire(waiting)
		switch {
		case err == nil:
			return conn, nil
		case waiting.Err() == nil && (db.current.Load() != now || errors.Is(err, errPoolerFound)):
			continue
		case Code(err) == codeTooManyConnections && sleep(waiting, fullPause):
			continue
		case ctx.Err() == nil && errors.Is(err, context.DeadlineExceeded):
			return nil, fmt.Errorf("%w (pool %s): %w", ErrBusy, name, err)
		default:
			return nil, err
		}
	}
}
