package postgres

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgconn"
)

const (
	// migrationLock is the advisory lock that one migrating process holds:
	// "nightbel" in ASCII.
	migrationLock = 0x6e6967687462656c
	// A migration that cannot have its lock at once makes every later
	// statement on the table wait behind it, so it gives up and tries again.
	migrationLockTimeout  = "2s"
	migrationLockAttempts = 5
)

// MigrationState is a migration and when the database applied it; AppliedAt is
// zero when it did not yet.
type MigrationState struct {
	Migration
	AppliedAt time.Time
}

// Migrate connects to dsn, makes sure that the two roles exist and applies the
// builtin migrations that are missing. It returns those it applied. Several
// processes may call it at once: one works, the others wait for it.
func Migrate(ctx context.Context, dsn string) ([]Migration, error) {
	known, err := BuiltinMigrations()
	if err != nil {
		return nil, err
	}
	conn, err := Connect(ctx, dsn, "nightbell migrate")
	if err != nil {
		return nil, err
	}
	defer conn.Close(context.WithoutCancel(ctx)) //nolint:errcheck // nothing is left to lose
	if err := EnsureRoles(ctx, conn); err != nil {
		return nil, err
	}
	done, err := known.Up(ctx, conn)
	return done, explained(err)
}

// Up applies what is missing, each migration in its own transaction, and returns what it applied. A database that a
// newer program has migrated is left as it is, when its migrations still serve this program. Up refuses, and changes
// nothing, when they do not or when an applied migration was edited since.
func (ms Migrations) Up(ctx context.Context, conn *pgx.Conn) ([]Migration, error) {
	var done []Migration
	for attempt := 1; ; {
		next, err := ms.applyNext(ctx, conn)
		switch {
		case err == nil && next == nil:
			return done, nil
		case err == nil:
			done, attempt = append(done, *next), 1
		case !IsLockTimeout(err):
			return done, err
		case attempt == migrationLockAttempts:
			return done, fmt.Errorf("a table is in use by a long transaction, so that nothing was changed. End that transaction and start again: %w", err)
		default:
			if err := pause(ctx, attempt); err != nil {
				return done, err
			}
			attempt++
		}
	}
}

// applyNext applies the first migration that is missing, and returns nil when none is.
// Lock and timeouts end with the transaction: a session's would be left behind on a
// server connection when a transaction pooler lies between.
func (ms Migrations) applyNext(ctx context.Context, conn *pgx.Conn) (*Migration, error) {
	var next *Migration
	err := pgx.BeginFunc(ctx, conn, func(tx pgx.Tx) error {
		// 1. Wait for another migrating process, however long it takes.
		if _, err := tx.Exec(ctx, fmt.Sprintf(`SET LOCAL lock_timeout = 0; SET LOCAL statement_timeout = 0;
			SELECT pg_advisory_xact_lock(%d); SET LOCAL lock_timeout = '%s'`, migrationLock, migrationLockTimeout)); err != nil {
			return fmt.Errorf("wait for another migration to end: %w", err)
		}
		// 2. See what is missing.
		if _, err := tx.Exec(ctx, `CREATE TABLE IF NOT EXISTS schema_migration (
				version        integer PRIMARY KEY,
				name           text NOT NULL,
				oldest_program integer NOT NULL,
				checksum       text NOT NULL,
				applied_at     timestamptz NOT NULL
			)`); err != nil {
			return fmt.Errorf("create the table schema_migration: %w", err)
		}
		applied, err := ms.applied(ctx, tx)
		if err != nil || len(applied) >= len(ms) {
			return err
		}
		// 3. Apply the first of them.
		m := ms[len(applied)]
		if _, err := tx.Exec(ctx, m.Up); err != nil {
			return fmt.Errorf("migration %s%s: %w", m.Name, lineOf(err, m.Up), err)
		}
		next = &m
		_, err = tx.Exec(ctx, "INSERT INTO schema_migration (version, name, oldest_program, checksum, applied_at) VALUES ($1, $2, $3, $4, clock_timestamp())",
			m.Version, m.Name, m.OldestProgram, m.Checksum)
		return err
	})
	if err != nil {
		return nil, err
	}
	return next, nil
}

// Status lists every known migration, and those of a newer program, with the time it was
// applied. It changes nothing and fails like Up when database and program do not fit.
func (ms Migrations) Status(ctx context.Context, conn *pgx.Conn) ([]MigrationState, error) {
	var exists bool
	if err := conn.QueryRow(ctx, "SELECT to_regclass('schema_migration') IS NOT NULL").Scan(&exists); err != nil {
		return nil, err
	}
	var states []MigrationState
	if exists {
		var err error
		if states, err = ms.applied(ctx, conn); err != nil {
			return nil, err
		}
	}
	for _, missing := range ms[min(len(states), len(ms)):] {
		states = append(states, MigrationState{Migration: missing})
	}
	return states, nil
}

type querier interface {
	Query(ctx context.Context, sql string, args ...any) (pgx.Rows, error)
}

// applied reads what the database has had and compares it with what we know.
func (ms Migrations) applied(ctx context.Context, db querier) ([]MigrationState, error) {
	rows, err := db.Query(ctx, "SELECT version, name, oldest_program, checksum, applied_at FROM schema_migration ORDER BY version")
	if err != nil {
		return nil, err
	}
	stored, err := pgx.CollectRows(rows, func(row pgx.CollectableRow) (s MigrationState, err error) {
		return s, row.Scan(&s.Version, &s.Name, &s.OldestProgram, &s.Checksum, &s.AppliedAt)
	})
	if err != nil {
		return nil, err
	}
	for i, s := range stored {
		if err := ms.compare(i, s); err != nil {
			return nil, err
		}
	}
	return stored, nil
}

// compare checks one applied migration against this program.
func (ms Migrations) compare(i int, stored MigrationState) error {
	switch {
	case stored.Version != i+1:
		return fmt.Errorf("the database has applied migration %s but not number %04d: restore the missing row of schema_migration or a backup", stored.Name, i+1)
	case i >= len(ms) && stored.OldestProgram > len(ms):
		return fmt.Errorf("a newer Nightbell has brought the database to migration %s, which serves programs that know migration %04d or later. "+
			"This one knows %04d: start a newer version", stored.Name, stored.OldestProgram, len(ms))
	case i < len(ms) && stored.Checksum != ms[i].Checksum:
		return fmt.Errorf("these data were made by another, unreleased build of Nightbell. Go on with that build, move the data directory away, or start with another --data-dir "+
			"(or DATABASE_URL). For developers: migration %s was changed after this database applied it; restore it and put the change into a new one", ms[i].Name)
	}
	return nil
}

// lineOf is where in the file the server saw the mistake, when it said so.
func lineOf(err error, statements string) string {
	var fromServer *pgconn.PgError
	if !errors.As(err, &fromServer) || fromServer.Position < 1 || int(fromServer.Position) > len(statements) {
		return ""
	}
	return fmt.Sprintf(" line %d", 1+strings.Count(statements[:fromServer.Position-1], "\n"))
}
