package postgres

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"strconv"
	"time"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgxpool"
)

const (
	// attempts is how often a transaction is tried when PostgreSQL says that a
	// repeat may succeed.
	attempts = 3
	// rollbackGrace is how long a rollback may take after the caller gave up.
	rollbackGrace = time.Second
)

// TxOption changes how a transaction begins. Options cost no round trip.
type TxOption func(*beginning)

// beginning is what opens a transaction.
type beginning struct {
	mode     string // of BEGIN
	settings []setting
	orgID    *uuid.UUID
	first    []func(*pgx.Batch)
	whole    bool // nothing follows after first
}

// setting is a parameter of PostgreSQL for one transaction. Neither part may come from
// outside: both become text of a statement.
type setting struct{ name, value string }

func (b *beginning) set(name, value string) {
	b.settings = append(b.settings, setting{name, value})
}

func milliseconds(d time.Duration) string {
	return strconv.FormatInt(max(1, d.Milliseconds()), 10)
}

// LockTimeout gives up on a lock after d (at least a millisecond); the error is
// then an IsLockTimeout, and the transaction is rolled back.
func LockTimeout(d time.Duration) TxOption {
	return func(b *beginning) {
		b.set("lock_timeout", milliseconds(d))
	}
}

// StatementTimeout ends each statement after d instead of the pool's time.
func StatementTimeout(d time.Duration) TxOption {
	return func(b *beginning) { b.set("statement_timeout", milliseconds(d)) }
}

// ReadOnly makes the transaction refuse writes and gives all its statements one
// snapshot, so that what they read fits together.
func ReadOnly() TxOption {
	return func(b *beginning) { b.mode = " ISOLATION LEVEL REPEATABLE READ READ ONLY" }
}

// InOrder reads rows from an index in the order that is asked for, and stops when it has
// enough. Beside row-level security PostgreSQL takes every organization for small, and
// would rather gather all its rows and sort them.
func InOrder() TxOption {
	return func(b *beginning) { b.set("enable_sort", "off") }
}

// First sends the statements that add queues in the round trip that opens the
// transaction, after the clock. They are added again when the transaction is repeated.
func First(add func(*pgx.Batch)) TxOption {
	return func(b *beginning) { b.first = append(b.first, add) }
}

// ReadSystem reads as nightbell_system what the statements ask that add queues, each with a
// snapshot of its own, in one round trip. It gives the database's time before them. Add may
// be called again after a deadlock.
func (db *DB) ReadSystem(ctx context.Context, pool Pool, add func(*pgx.Batch)) (now time.Time, err error) {
	err = db.InSystem(ctx, pool, func(ctx context.Context, tx pgx.Tx) (err error) {
		now, err = Now(ctx, tx)
		return err
	}, First(add), func(b *beginning) { b.whole = true })
	return now, err
}

type firstKey struct{}

// WithFirst is First for every tenant transaction below ctx that may write, so that what add
// queues commits with what a call changes, whoever opens the transaction.
func WithFirst(ctx context.Context, add func(*pgx.Batch)) context.Context {
	return context.WithValue(ctx, firstKey{}, add)
}

// WithoutFirst takes WithFirst back, for a call that changes things in several transactions: what add
// queues would say after the first of them that all is done.
func WithoutFirst(ctx context.Context) context.Context {
	return context.WithValue(ctx, firstKey{}, nil)
}

type programKey struct{}

// AsProgram makes every tenant transaction below ctx let the organization's people go first: a script that resolves
// thousands of incidents at once must not have whoever acknowledges one paged on.
func AsProgram(ctx context.Context) context.Context {
	return context.WithValue(ctx, programKey{}, true)
}

// Transact is InTenant, or InAnswer: for what is the same in lists and in answers to incidents.
type Transact func(ctx context.Context, orgID uuid.UUID, fn func(context.Context, pgx.Tx) error, options ...TxOption) error

// InTenant runs fn in a transaction of the tenant pool that sees only the organization's rows. It commits when fn
// returns nil, and rolls back when fn returns an error or panics. After a deadlock or a serialization failure the whole
// of fn runs again, three times at most.
func (db *DB) InTenant(ctx context.Context, orgID uuid.UUID, fn func(context.Context, pgx.Tx) error, options ...TxOption) error {
	return db.inOrganization(ctx, Tenant, orgID, fn, options)
}

// InAnswer is InTenant for what is said to incidents. Its statements find rows by key alone,
// also while a storm of alerts fills tables faster than PostgreSQL analyzes them: an
// acknowledgement that read all of them took 24 ms of a processor among 5,000 incidents.
func (db *DB) InAnswer(ctx context.Context, orgID uuid.UUID, fn func(context.Context, pgx.Tx) error, options ...TxOption) error {
	return db.inOrganization(ctx, Answers, orgID, fn, options)
}

func (db *DB) inOrganization(ctx context.Context, pool Pool, orgID uuid.UUID, fn func(context.Context, pgx.Tx) error, options []TxOption) error {
	if orgID == uuid.Nil {
		return errors.New("a tenant transaction needs an organization")
	}
	leave, err := db.enter(ctx, pool, orgID)
	if err != nil {
		return err
	}
	defer leave()
	scope := orgSetting(ctx, orgID)
	organization := func(b *beginning) { b.orgID = &scope }
	return db.inTx(ctx, pool, fn, append([]TxOption{organization}, options...))
}

// InSystem runs fn in a transaction of the named pool (neither Tenant nor Answers) as
// nightbell_system, which sees every organization. Commit, rollback and
// repetition are as with InTenant.
func (db *DB) InSystem(ctx context.Context, pool Pool, fn func(context.Context, pgx.Tx) error, options ...TxOption) error {
	if pools[pool].role == TenantRole {
		return fmt.Errorf("the pool %s has no system transactions; use InTenant or InAnswer", pool)
	}
	return db.inTx(ctx, pool, fn, options)
}

func (db *DB) inTx(ctx context.Context, pool Pool, fn func(context.Context, pgx.Tx) error, options []TxOption) error {
	opening := beginning{settings: pools[pool].settings()}
	if db.config.VerifiesMail {
		opening.set("nightbell.verifies_mail", "on")
	}
	for _, option := range options {
		option(&opening)
	}
	if add, ok := ctx.Value(firstKey{}).(func(*pgx.Batch)); ok && opening.orgID != nil && opening.mode == "" {
		opening.first = append(opening.first, add)
	}
	for attempt := 1; ; attempt++ {
		err := db.withConn(ctx, pool, func(conn *pgxpool.Conn) error {
			return runTx(ctx, conn, opening, fn)
		})
		if !isRepeatable(err) || attempt == attempts {
			return err
		}
		if err := pause(ctx, attempt); err != nil {
			return err
		}
	}
}

func runTx(ctx context.Context, conn *pgxpool.Conn, opening beginning, fn func(context.Context, pgx.Tx) error) error {
	tx, err := begin(ctx, conn.Conn(), opening)
	if err != nil {
		return err
	}
	// Runs after a panic too; after a commit it does nothing.
	defer func() { _ = tx.Rollback(ctx) }()
	if err := fn(ctx, tx); err != nil {
		return err
	}
	return tx.Commit(ctx)
}

// pause waits a little, and not equally long for both sides of a deadlock.
func pause(ctx context.Context, attempt int) error {
	if !sleep(ctx, time.Duration(attempt)*5*time.Millisecond+rand.N(10*time.Millisecond)) {
		return ctx.Err()
	}
	return nil
}

// Now is the time of the page path (design rule 5): the database's clock, which
// tests can move, as it was when the transaction began. Take it once and pass it down.
func Now(ctx context.Context, tx pgx.Tx) (time.Time, error) {
	if own, ok := tx.(*transaction); ok {
		return own.now, nil
	}
	var now time.Time
	if err := tx.QueryRow(ctx, "SELECT nightbell_now()").Scan(&now); err != nil {
		return time.Time{}, fmt.Errorf("read the database clock: %w", err)
	}
	return now.UTC(), nil
}
