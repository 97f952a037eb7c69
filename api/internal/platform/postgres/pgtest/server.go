package pgtest

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"net/url"
	"os"
	"strings"
	"sync"
	"syscall"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgxpool"

	"github.com/nightbell/nightbell/api/internal/platform/postgres"
)

// serverVariable names a server to use instead of a private one.
const serverVariable = "NIGHTBELL_TEST_DATABASE_URL"

// startLimit is for a busy machine; a start takes a quarter of a second.
const startLimit = 2 * time.Minute

// server is where the tests of this process have their databases.
type server struct {
	dsn      string // of the login role
	template string // the database that each test's is a copy of
	admin    *pgxpool.Pool
}

// startServer starts or finds the server, once per process.
var startServer = sync.OnceValues(func() (*server, error) {
	ctx, cancel := context.WithTimeout(context.Background(), startLimit)
	defer cancel()
	if dsn := os.Getenv(serverVariable); dsn != "" {
		return connect(ctx, dsn)
	}
	dsn, err := startPrivate(ctx)
	if err != nil {
		return nil, err
	}
	return connect(ctx, dsn)
})

// connect prepares the template on the server of dsn, unless it is there.
func connect(ctx context.Context, dsn string) (*server, error) {
	pool, err := pgxpool.New(ctx, dsn)
	if err != nil {
		return nil, err
	}
	s := &server{dsn: dsn, admin: pool}
	if s.template, err = templateName(); err != nil {
		return nil, err
	}
	if err := s.ensureTemplate(ctx); err != nil {
		return nil, err
	}
	return s, nil
}

// templateName changes whenever what is in the template does.
func templateName() (string, error) {
	sum, err := schemaSum()
	return "nightbell_template_" + sum, err
}

// ensureTemplate makes the template once, however many processes want it.
func (s *server) ensureTemplate(ctx context.Context) error {
	conn, err := s.admin.Acquire(ctx)
	if err != nil {
		return fmt.Errorf("connect to the test server: %w", err)
	}
	defer conn.Release()
	const lock = 0x7067746573740001 // "pgtest"
	if _, err := conn.Exec(ctx, "SELECT pg_advisory_lock($1)", int64(lock)); err != nil {
		return err
	}
	defer conn.Exec(context.WithoutCancel(ctx), "SELECT pg_advisory_unlock($1)", int64(lock))
	var exists bool
	if err := conn.QueryRow(ctx, "SELECT EXISTS (SELECT FROM pg_database WHERE datname = $1)", s.template).Scan(&exists); err != nil || exists {
		return err
	}
	// It gets its name when it is complete.
	partial := s.template + "_partial"
	if _, err := conn.Exec(ctx, "DROP DATABASE IF EXISTS "+partial); err != nil {
		return err
	}
	if _, err := conn.Exec(ctx, "CREATE DATABASE "+partial+" TEMPLATE template0"); err != nil {
		return err
	}
	if err := migrate(ctx, withDatabase(s.dsn, partial)); err != nil {
		return err
	}
	_, err = conn.Exec(ctx, "ALTER DATABASE "+partial+" RENAME TO "+s.template)
	return err
}

func migrate(ctx context.Context, dsn string) error {
	if _, err := postgres.Migrate(ctx, dsn); err != nil {
		return err
	}
	conn, err := pgx.Connect(ctx, dsn)
	if err != nil {
		return err
	}
	_, err = conn.Exec(ctx, clockSQL)
	return errors.Join(err, conn.Close(ctx))
}

// clone makes a database that is a copy of the template. FILE_COPY writes no log of each of its pages,
// and the checkpoint that it needs costs nothing while nothing is synced.
func (s *server) clone(ctx context.Context, name string) error {
	_, err := s.admin.Exec(ctx, "CREATE DATABASE "+name+" TEMPLATE "+s.template+" STRATEGY FILE_COPY")
	return err
}

// drop removes a database, with whoever is still connected.
func (s *server) drop(ctx context.Context, name string) error {
	_, err := s.admin.Exec(ctx, "DROP DATABASE IF EXISTS "+name+" WITH (FORCE)")
	return err
}

// patience is how many seconds a connection may take on a machine that other tests keep busy, where a
// server of ours would have gone to the next host.
const patience = "20"

// withDatabase is dsn with another database, in either form of a DSN.
func withDatabase(dsn, database string) string {
	if !strings.Contains(dsn, "://") {
		return dsn + " connect_timeout=" + patience + " dbname=" + database // the last one counts
	}
	parsed, err := url.Parse(dsn)
	if err != nil {
		return dsn // refused where it is used
	}
	parsed.Path = "/" + database
	query := parsed.Query()
	query.Del("dbname")
	query.Set("connect_timeout", patience)
	query.Del("database")
	parsed.RawQuery = query.Encode()
	return parsed.String()
}

// programsRoot is where the programs of private servers are kept, one folder per user.
func programsRoot() string { return ofUser(cmp.Or(os.Getenv("TMPDIR"), "/tmp")) }

// enoughMemory is what the memory's file system must have left: the largest tests fill a quarter.
const enoughMemory = 8 << 30

// dataRoot is where the data of private servers is kept: in memory where there is plenty, and nobody
// chose another place. A copy of the template takes a third of the time there. Programs stay out: it
// is often mounted noexec.
func dataRoot() string {
	var memory syscall.Statfs_t
	const shared = "/dev/shm"
	if os.Getenv("TMPDIR") == "" && syscall.Statfs(shared, &memory) == nil && memory.Bavail*uint64(memory.Bsize) >= enoughMemory {
		return ofUser(shared)
	}
	return programsRoot()
}

func ofUser(folder string) string { return fmt.Sprintf("%s/nightbell-pgtest-%d", folder, os.Getuid()) }
