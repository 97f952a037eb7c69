//go:build linux || darwin

package embedded

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"net/url"
	"os"
	"path/filepath"
	"strings"
	"time"

	"github.com/jackc/pgx/v5"
)

const (
	// appName is both the login role and the database that Nightbell uses.
	appName = "nightbell"
	// adminName is the superuser, which Nightbell only uses to create appName.
	adminName = "postgres"
	// startLimit is used when the caller's context has no deadline. Recovery
	// after a crash reads up to max_wal_size of log.
	startLimit = 2 * time.Minute
)

// Server is a running private PostgreSQL.
type Server struct {
	lock    *os.File
	process *process
	sockets string
}

// Start makes the data directory if need be, starts the server and returns when it accepts connections. Errors are
// sentences that say what to do; a second start on the same data directory is refused. When ctx ends before the server
// is ready, the server is stopped again.
func Start(ctx context.Context, options Options) (_ *Server, err error) {
	if options.DataDir == "" {
		return nil, errors.New("a private PostgreSQL needs a data directory: set --data-dir")
	}
	dir, err := filepath.Abs(options.DataDir)
	if err != nil {
		return nil, fmt.Errorf("read the data directory's path: %w", err)
	}
	lock, err := lockDataDir(dir)
	if err != nil {
		return nil, err
	}
	defer func() {
		if err != nil {
			lock.Close() //nolint:errcheck // the error to report is the first one
		}
	}()
	server, err := start(ctx, dir, options)
	if err != nil {
		return nil, err
	}
	server.lock = lock
	return server, nil
}

func start(ctx context.Context, dir string, options Options) (*Server, error) {
	if _, limited := ctx.Deadline(); !limited {
		var cancel context.CancelFunc
		ctx, cancel = context.WithTimeout(ctx, startLimit)
		defer cancel()
	}
	database := filepath.Join(dir, "database")
	account, err := chooseAccount(ctx, database, options)
	if err != nil {
		return nil, err
	}
	if err := account.checkReach(dir); err != nil {
		return nil, err
	}
	programs, err := findPrograms(ctx, dir, database, options)
	if err != nil {
		return nil, err
	}
	sockets, err := makeSocketDir(dir, account)
	if err != nil {
		return nil, err
	}
	if err := ensureCluster(ctx, database, programs, account, options); err != nil {
		return nil, err
	}
	if err := clearLeftovers(ctx, database, sockets, options.logger()); err != nil {
		return nil, err
	}
	return launch(ctx, database, sockets, programs, account, options)
}

func launch(ctx context.Context, database, sockets string, programs programs, account account, options Options) (*Server, error) {
	process, err := startProcess(ctx, programs.path("postgres"), serverArguments(database, sockets, options.Settings), account, options.logger())
	if err != nil {
		return nil, err
	}
	server := &Server{process: process, sockets: sockets}
	if err = process.waitReady(ctx, filepath.Join(database, "postmaster.pid")); err == nil {
		err = server.ensureDatabase(ctx)
	}
	if err != nil {
		grace, cancel := context.WithTimeout(context.WithoutCancel(ctx), 5*time.Second)
		defer cancel()
		return nil, errors.Join(err, process.stop(grace))
	}
	return server, nil
}

// DSN is the connection string of Nightbell's database.
func (s *Server) DSN() string { return s.dsn(appName, appName) }

// AdminDSN connects as the superuser, for tests and repair.
func (s *Server) AdminDSN() string { return s.dsn(adminName, "postgres") }

func (s *Server) dsn(user, database string) string {
	query := url.Values{"host": {s.sockets}, "user": {user}, "sslmode": {"disable"}}
	// A plus sign is a space only in forms; PostgreSQL's clients take it as it is.
	escaped := strings.ReplaceAll(query.Encode(), "+", "%20")
	return (&url.URL{Scheme: "postgres", Path: "/" + database, RawQuery: escaped}).String()
}

// Done is closed when the server has ended, by Stop or by itself. A server that
// ended by itself does not come back: stop Nightbell and start it again.
func (s *Server) Done() <-chan struct{} { return s.process.done }

// Stop ends all connections, writes everything to disk and releases the data
// directory. When ctx ends first the server is cut off instead, which loses
// nothing but makes the next start recover from the log.
func (s *Server) Stop(ctx context.Context) error {
	err := s.process.stop(ctx)
	_ = os.Remove(s.sockets) // it may lie in the temporary folder; the next start makes it again
	return errors.Join(err, s.releaseLock())
}

func (s *Server) releaseLock() error {
	if err := s.lock.Close(); err != nil && !errors.Is(err, os.ErrClosed) {
		return err
	}
	return nil
}

// ensureDatabase creates the login role, which is no superuser, and its
// database. A role that may create roles is all that migrations need. It looks
// before it leaps: a refused connection would stand in the log as FATAL.
func (s *Server) ensureDatabase(ctx context.Context) error {
	admin, err := pgx.Connect(ctx, s.AdminDSN())
	if err != nil {
		return fmt.Errorf("connect to the private PostgreSQL as its administrator: %w", err)
	}
	defer admin.Close(ctx) //nolint:errcheck // nothing is left to lose
	var role, database bool
	err = admin.QueryRow(ctx, `SELECT EXISTS (SELECT FROM pg_roles WHERE rolname = $1), EXISTS (SELECT FROM pg_database WHERE datname = $1)`,
		appName).Scan(&role, &database)
	if err != nil {
		return fmt.Errorf("look for the database: %w", err)
	}
	if !role {
		if _, err := admin.Exec(ctx, "CREATE ROLE "+appName+" LOGIN CREATEROLE"); err != nil {
			return fmt.Errorf("create the login role: %w", err)
		}
	}
	if database {
		return nil
	}
	if _, err := admin.Exec(ctx, "CREATE DATABASE "+appName+" OWNER "+appName); err != nil {
		return fmt.Errorf("create the database: %w", err)
	}
	return nil
}

// serverArguments are the settings of a small private server. They are given at
// every start rather than kept in a file, so that an upgrade changes them.
func serverArguments(database, sockets string, replaced map[string]string) []string {
	settings := map[string]string{
		"listen_addresses":        "", // the socket only
		"unix_socket_directories": quoteList(sockets),
		"unix_socket_permissions": "0700",
		"max_connections":         "100",
		"shared_buffers":          "64MB",
		"max_wal_size":            "512MB",
		"huge_pages":              "off",
		"jit":                     "off",
		// Parallel plans need shared memory that containers have little of.
		"max_parallel_workers_per_gather": "0",
		"timezone":                        "UTC",
		"log_timezone":                    "UTC",
		"logging_collector":               "off",
		"log_destination":                 "stderr",
		"log_line_prefix":                 "",
		"log_checkpoints":                 "off",
		// A failed statement is reported by whoever ran it; the server's log
		// would repeat it with customers' data inside.
		"log_min_messages":        "log",
		"log_min_error_statement": "panic",
	}
	maps.Copy(settings, replaced)
	arguments := []string{"-D", database}
	for name, value := range settings {
		arguments = append(arguments, "-c", name+"="+value)
	}
	return arguments
}

// quoteList writes one element of a setting that is a comma-separated list.
func quoteList(element string) string {
	return `"` + strings.ReplaceAll(element, `"`, `""`) + `"`
}
