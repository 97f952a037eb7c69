package pgtest

import (
	"context"
	"crypto/rand"
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"

	"github.com/nightbell/nightbell/api/internal/platform/postgres"
)

// Database is one test's own database. The embedded DB has the pools of a real
// installation, only smaller.
type Database struct {
	*postgres.DB
	// Clock moves what nightbell_now(), and so postgres.Now, says.
	Clock *Clock

	dsn string
}

// New returns an empty, migrated database that is dropped when the test ends.
// It fails the test when no server can be had or the migrations do not apply.
func New(tb testing.TB) *Database {
	tb.Helper()
	server, err := startServer()
	if err != nil {
		tb.Fatalf("no PostgreSQL for this test: %v", err)
	}
	name := "nightbell_test_" + strings.ToLower(rand.Text())
	if err := server.clone(tb.Context(), name); err != nil {
		tb.Fatalf("make the test's database: %v", err)
	}
	dsn := withDatabase(server.dsn, name)
	db, err := postgres.Open(tb.Context(), postgres.Config{
		DSN: dsn, ApplicationName: "pgtest", Conns: smallPools(),
		AcquireTimeout: 20 * time.Second, // a connection takes a while on a machine that other tests keep busy
	})
	if err != nil {
		tb.Fatalf("open the test's database: %v", err)
	}
	database := &Database{DB: db, Clock: &Clock{tb: tb, dsn: dsn}, dsn: dsn}
	tb.Cleanup(func() {
		database.Close()
		database.Clock.close()
		// The test's context is over by now.
		if err := server.drop(context.Background(), name); err != nil {
			tb.Errorf("drop the test's database: %v", err)
		}
	})
	return database
}

// smallPools keep many parallel tests below the server's max_connections.
func smallPools() map[postgres.Pool]int32 {
	return map[postgres.Pool]int32{
		postgres.Tenant: 4, postgres.Answers: 2, postgres.Identity: 2, postgres.Ingest: 4,
		postgres.Sweep: 4, postgres.Audit: 1, postgres.Background: 2,
	}
}

// DSN connects to the test's database as the login role, as DATABASE_URL does in
// an installation: for tests of the whole program.
func (d *Database) DSN() string { return d.dsn }

// Owner connects as the login role, which owns the tables; row-level security is
// forced on it too, so it sees definitions but no tenant's rows. The connection
// is closed when the test ends.
func (d *Database) Owner(tb testing.TB) *pgx.Conn {
	tb.Helper()
	conn, err := pgx.Connect(tb.Context(), d.dsn)
	if err != nil {
		tb.Fatalf("connect as the owner: %v", err)
	}
	tb.Cleanup(func() { _ = conn.Close(context.Background()) })
	return conn
}

// Exec runs one statement as nightbell_system, across organizations, and fails
// the test when it fails.
func (d *Database) Exec(tb testing.TB, sql string, args ...any) {
	tb.Helper()
	err := d.InSystem(tb.Context(), postgres.Background, func(ctx context.Context, tx pgx.Tx) error {
		_, err := tx.Exec(ctx, sql, args...)
		return err
	})
	if err != nil {
		tb.Fatalf("%s: %v", brief(sql), err)
	}
}

// Waiting counts the locks of this database that somebody waits for.
func (d *Database) Waiting(tb testing.TB) int {
	tb.Helper()
	return One[int](tb, d, `SELECT count(*) FROM pg_locks l JOIN pg_stat_activity a USING (pid) WHERE NOT l.granted AND a.datname = current_database()`)
}

// One returns the single value that a query yields as nightbell_system, and
// fails the test when it fails or finds no row.
func One[T any](tb testing.TB, d *Database, sql string, args ...any) T {
	tb.Helper()
	var value T
	err := d.InSystem(tb.Context(), postgres.Background, func(ctx context.Context, tx pgx.Tx) error {
		return tx.QueryRow(ctx, sql, args...).Scan(&value)
	})
	if err != nil {
		tb.Fatalf("%s: %v", brief(sql), err)
	}
	return value
}

func brief(sql string) string {
	text := strings.Join(strings.Fields(sql), " ")
	if len(text) > 80 {
		return fmt.Sprintf("%.77s...", text)
	}
	return text
}
