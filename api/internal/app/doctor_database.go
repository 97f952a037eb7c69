package app

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"log/slog"
	"os"
	"path/filepath"
	"strconv"
	"time"

	"github.com/jackc/pgx/v5"

	"github.com/nightbell/nightbell/api/internal/installation"
	"github.com/nightbell/nightbell/api/internal/platform/postgres"
	"github.com/nightbell/nightbell/api/internal/platform/postgres/embedded"
	"github.com/nightbell/nightbell/api/internal/platform/secret"
)

const doctorPatience = 5 * time.Second

// examine connects to the database and checks what is stored there. The error is what
// would keep Nightbell from starting.
func (s settings) examine(ctx context.Context) (findings []finding, err error) {
	dsn, stop, err := s.reachDatabase(ctx)
	if err != nil || dsn == "" {
		return nil, err
	}
	defer func() { err = errors.Join(err, stop(context.WithoutCancel(ctx))) }()
	ctx, cancel := context.WithTimeout(ctx, doctorPatience)
	defer cancel()
	conn, err := postgres.Connect(ctx, dsn, "nightbell doctor")
	if err != nil {
		return nil, fmt.Errorf("DATABASE_URL: the database does not answer, or refuses this user and password. Check the address, and that PostgreSQL is running: %w", err)
	}
	defer conn.Close(context.WithoutCancel(ctx)) //nolint:errcheck // nothing was written
	var version string
	var migrated bool
	if err := conn.QueryRow(ctx, `SELECT current_setting('server_version'), to_regclass('installation') IS NOT NULL`).Scan(&version, &migrated); err != nil {
		return nil, err
	}
	findings = append(findings, finding{"connection", "PostgreSQL " + version, "answers"})
	pooled, err := postgres.ThroughPooler(ctx, conn)
	if err != nil {
		return findings, err
	}
	if pooled {
		findings = append(findings, finding{"pooler", "lies between", "works; screens show what another replica did up to two seconds later"})
	} else {
		room, err := examineRoom(ctx, conn)
		if err != nil {
			return findings, err
		}
		findings = append(findings, room)
	}
	if err := postgres.CheckRoles(ctx, conn); err != nil {
		return findings, fmt.Errorf("DATABASE_URL: %w", err)
	}
	findings = append(findings, finding{"roles", postgres.TenantRole + ", " + postgres.SystemRole, "there, or made by the first start"})
	if !migrated {
		return append(findings, finding{"schema", "missing", "the first start makes it"}), nil
	}
	stored, err := installation.Load(ctx, conn)
	if err != nil {
		return findings, err
	}
	if err := s.examineKey(stored); err != nil {
		return findings, err
	}
	home, err := s.home(ctx, conn)
	if err != nil {
		return findings, err
	}
	if stored.IsCopy(home) {
		return append(findings, finding{"copy", "RESTORED COPY", "pages nobody until you run: nightbell restored confirm (or, with one organization, its owner confirms it on any screen)"}), nil
	}
	return append(findings, finding{"copy", "no", "this database is the installation's own"}), nil
}

// examineRoom says how many processes PostgreSQL has connections for.
func examineRoom(ctx context.Context, conn *pgx.Conn) (finding, error) {
	var allowed int
	err := conn.QueryRow(ctx, `SELECT current_setting('max_connections')::int - current_setting('superuser_reserved_connections')::int
		- COALESCE(current_setting('reserved_connections', true), '0')::int`).Scan(&allowed)
	return room(allowed, postgres.MostConnections()), err
}

// room counts processes of so many connections each. A rolling update runs one more than usual.
func room(allowed, each int) finding {
	f := finding{"connections", strconv.Itoa(allowed), fmt.Sprintf("enough for %d processes of %d; a rolling update runs one more than usual", allowed/each, each)}
	switch allowed / each {
	case 0:
		f.advice = fmt.Sprintf("TOO FEW: one process takes up to %d; raise max_connections of PostgreSQL", each)
	case 1:
		f.advice = fmt.Sprintf("enough for one process of %d; raise max_connections of PostgreSQL before a second runs, also during a rolling update", each)
	}
	return f
}

// reachDatabase gives the connection string of the configured database, or of the private
// one, which is started when nobody runs it. It is empty when there is none yet.
func (s settings) reachDatabase(ctx context.Context) (dsn string, stop func(context.Context) error, err error) {
	stop = func(context.Context) error { return nil }
	if !s.embedded() {
		return s.DatabaseURL, stop, nil
	}
	if _, err := os.Stat(filepath.Join(s.DataDir, "database", "PG_VERSION")); err != nil {
		return "", stop, nil //nolint:nilerr // nothing was ever started here
	}
	if running := embedded.RunningDSN(s.DataDir); running != "" {
		if conn, err := pgx.Connect(ctx, running); err == nil {
			return running, stop, conn.Close(ctx)
		}
	}
	private, err := embedded.Start(ctx, embedded.Options{DataDir: s.DataDir, Logger: slog.New(slog.DiscardHandler)})
	if err != nil {
		return "", stop, fmt.Errorf("start the private PostgreSQL: %w", err)
	}
	return private.DSN(), private.Stop, nil
}

// examineKey checks that the data key opens what is stored.
func (s settings) examineKey(stored installation.State) error {
	key, err := existingKey(s.dataKey, s.DataDir, "data-key")
	if errors.Is(err, fs.ErrNotExist) {
		return stored.CheckKey("")
	}
	if err != nil {
		return fmt.Errorf("NIGHTBELL_DATA_KEY: %w", err)
	}
	box, err := secret.NewBox(key)
	if err != nil {
		return err
	}
	return stored.CheckKey(box.Fingerprint())
}

// home is where this configuration finds its database.
func (s settings) home(ctx context.Context, conn *pgx.Conn) (home installation.Home, err error) {
	if home.Address, home.Witness, err = s.place(); err != nil {
		return home, err
	}
	home.Database, err = installation.DatabaseIdentity(ctx, conn)
	return home, err
}
