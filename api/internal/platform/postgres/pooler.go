package postgres

import (
	"context"
	"errors"
	"fmt"
	"strings"

	"github.com/jackc/pgx/v5"
)

// ErrPooler is returned for what a connection pooler (PgBouncer, Supavisor, RDS Proxy)
// cannot carry: it gives each transaction another server connection, so that nobody
// hears what a LISTEN asked for.
var ErrPooler = errors.New("DATABASE_URL leads through a connection pooler, which carries no notifications")

// errPoolerFound fails the first connection that finds out, as it may have been made to
// prepare statements. The next one is made for a pooler.
var errPoolerFound = errors.New("a connection pooler answers, which this connection was not made for")

// Pooled reports whether connections lead through a connection pooler. It is known after
// the first connection, so after Check.
func (db *DB) Pooled() bool { return db.pooler.Load() }

// fitPooler keeps a connection behind a pooler from preparing statements by name: the name
// would be known to one server connection, and the statement be sent to another.
func (db *DB) fitPooler(_ context.Context, config *pgx.ConnConfig) error {
	if db.Pooled() {
		config.DefaultQueryExecMode = pgx.QueryExecModeCacheDescribe
	}
	return nil
}

// Connect opens one connection as the login role, which row-level security shows no rows,
// outside all pools. It works behind a pooler. An error says what to change where it can.
func Connect(ctx context.Context, dsn, application string) (*pgx.Conn, error) {
	config, err := pgx.ParseConfig(dsn)
	if err != nil {
		return nil, errBadDSN
	}
	configureConn(config, application)
	config.DefaultQueryExecMode = pgx.QueryExecModeCacheDescribe
	conn, err := pgx.ConnectConfig(ctx, config)
	return conn, explained(err)
}

// ThroughPooler reports whether a pooler lies between, and fails when it is one that
// Nightbell cannot work behind.
func ThroughPooler(ctx context.Context, conn *pgx.Conn) (pooled bool, err error) {
	err = pgx.BeginFunc(ctx, conn, func(tx pgx.Tx) error {
		seen, err := identify(ctx, tx.Conn().PgConn())
		pooled = seen.pooled
		return err
	})
	return pooled, explained(err)
}

// explained says what to change where a pooler refuses.
func explained(err error) error {
	switch text := fmt.Sprint(err); {
	case strings.Contains(text, "statement pooling mode"):
		return fmt.Errorf("DATABASE_URL leads through a pooler that gives each statement another server connection, so that no transaction can run. "+
			"Set pool_mode = transaction there, or let DATABASE_URL name PostgreSQL itself: %w", err)
	case strings.Contains(text, "unsupported startup parameter"):
		return fmt.Errorf("the pooler that DATABASE_URL names refuses a parameter of it. "+
			"Take it out of DATABASE_URL, or add it to ignore_startup_parameters there: %w", err)
	}
	return err
}
