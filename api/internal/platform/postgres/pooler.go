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
