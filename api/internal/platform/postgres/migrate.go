package postgres

import (
	"context"
	"errors"
	"fmt"
	"slices"
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

// Migrations are all steps that this program knows, in order.
type Migrations []Migration

// Migrate connects to dsn, makes sure that the two roles exist and applies the
// builtin migrations that are missing. It returns those it applied. Several
// processes may call it at once: one works, the others wait for it.
func Migrate(ctx context.Context, dsn string) ([]Migration, error) {
	known, err := BuiltinMigrations()
	if err != nil {
		return nil, err
	}
	config, err := pgx.ParseConfig(dsn)
	if err != nil {
		return nil, err
	}
	configureConn(config, "nightbell migrate")
	conn, err := pgx.ConnectConfig(ctx, config)
	if err != nil {
		return nil, err
	}
	defer conn.Close(context.WithoutCancel(ctx)) //nolint:errcheck // nothing is left to lose
	if err := EnsureRoles(ctx, conn); err != nil {
		return nil, err
	}
	return known.Up(ctx, conn)
}

// Up applies what is missing, each migration in its own transaction, and returns
// what it applied. It refuses, and changes nothing, when the database is newer
// than this program or when an applied migration was edited since.
func (ms Migrations) Up(ctx context.Context, conn *pgx.Conn) ([]Migration, error) {
	var done []Migration
	err := ms.locked(ctx, conn, func(applied []MigrationState) error {
		for _, migration := range ms[len(applied):] {
			if err := step(ctx, conn, migration, migration.Up, recordApplied); err != nil {
				return err
			}
			done = append(done, migration)
		}
		return nil
	})
	return done, err
}

// DownTo undoes every migration above version, newest first. It is meant for
// tests and for going back by hand: data of dropped tables is gone.
func (ms Migrations) DownTo(ctx context.Context, conn *pgx.Conn, version int) error {
	return ms.locked(ctx, conn, func(applied []MigrationState) error {
		for _, state := range slices.Backward(applied) {
			if state.Version <= version {
				return nil
			}
			if err := step(ctx, conn, state.Migration, state.Down, recordUndone); err != nil {
				return err
			}
		}
		return nil
	})
}

// Status lists every known migration with the time it was applied. It changes
// nothing and fails like Up when database and program do not fit.
func (ms Migrations) Status(ctx context.Context, conn *pgx.Conn) ([]MigrationState, error) {
	applied, err := ms.applied(ctx, conn)
	if err != nil {
		return nil, err
	}
	for _, migration := range ms[len(applied):] {
		applied = append(applied, MigrationState{Migration: migration})
	}
	return applied, nil
}

// locked runs work while no other process migrates this database.
func (ms Migrations) locked(ctx context.Context, conn *pgx.Conn, work func(applied []MigrationState) error) (err error) {
	// Waiting for another migrating replica is right, however long it takes.
	if _, err := conn.Exec(ctx, fmt.Sprintf("SET lock_timeout = 0; SET statement_timeout = 0; SELECT pg_advisory_lock(%d)", migrationLock)); err != nil {
		return fmt.Errorf("wait for another migration to end: %w", err)
	}
	defer func() {
		_, unlocking := conn.Exec(context.WithoutCancel(ctx),
			fmt.Sprintf("SELECT pg_advisory_unlock(%d); RESET lock_timeout; RESET statement_timeout", migrationLock))
		err = errors.Join(err, unlocking)
	}()
	if _, err := conn.Exec(ctx, `SET lock_timeout = '`+migrationLockTimeout+`';
		CREATE TABLE IF NOT EXISTS schema_migration (
			version    integer PRIMARY KEY,
			name       text NOT NULL,
			applied_at timestamptz NOT NULL,
			checksum   text NOT NULL
		)`); err != nil {
		return fmt.Errorf("create the table schema_migration: %w", err)
	}
	applied, err := ms.applied(ctx, conn)
	if err != nil {
		return err
	}
	return work(applied)
}

// applied reads what the database has had and compares it with what we know.
func (ms Migrations) applied(ctx context.Context, conn *pgx.Conn) ([]MigrationState, error) {
	var exists bool
	if err := conn.QueryRow(ctx, "SELECT to_regclass('schema_migration') IS NOT NULL").Scan(&exists); err != nil || !exists {
		return nil, err
	}
	rows, err := conn.Query(ctx, "SELECT version, name, applied_at, checksum FROM schema_migration ORDER BY version")
	if err != nil {
		return nil, err
	}
	stored, err := pgx.CollectRows(rows, func(row pgx.CollectableRow) (s MigrationState, err error) {
		return s, row.Scan(&s.Version, &s.Name, &s.AppliedAt, &s.Checksum)
	})
	if err != nil {
		return nil, err
	}
	for i := range stored {
		if err := ms.compare(i, stored[i]); err != nil {
			return nil, err
		}
		stored[i].Migration = ms[i]
	}
	return stored, nil
}

func (ms Migrations) compare(i int, stored MigrationState) error {
	switch {
	case stored.Version > len(ms):
		return fmt.Errorf("the database is at migration %s, but this program knows only %d: it was used by a newer Nightbell. Start that version or a later one", stored, len(ms))
	case stored.Version != i+1:
		return fmt.Errorf("the database has applied migration %s but not %s: restore the missing row of schema_migration or a backup", stored, ms[i])
	case stored.Checksum != ms[i].Checksum:
		return fmt.Errorf("migration %s was changed after this database applied it. Applied migrations are never edited: restore the file and put the change into a new migration", ms[i])
	}
	return nil
}

func recordApplied(ctx context.Context, tx pgx.Tx, m Migration) error {
	_, err := tx.Exec(ctx, "INSERT INTO schema_migration (version, name, applied_at, checksum) VALUES ($1, $2, clock_timestamp(), $3)",
		m.Version, m.Name, m.Checksum)
	return err
}

func recordUndone(ctx context.Context, tx pgx.Tx, m Migration) error {
	_, err := tx.Exec(ctx, "DELETE FROM schema_migration WHERE version = $1", m.Version)
	return err
}

// step runs one file and its record in one transaction, again while a lock is
// not to be had.
func step(ctx context.Context, conn *pgx.Conn, m Migration, statements string, record func(context.Context, pgx.Tx, Migration) error) error {
	for attempt := 1; ; attempt++ {
		err := pgx.BeginFunc(ctx, conn, func(tx pgx.Tx) error {
			if _, err := tx.Exec(ctx, statements); err != nil {
				return err
			}
			return record(ctx, tx, m)
		})
		switch {
		case err == nil:
			return nil
		case !IsLockTimeout(err):
			return fmt.Errorf("migration %s%s: %w", m, lineOf(err, statements), err)
		case attempt == migrationLockAttempts:
			return fmt.Errorf("migration %s could not lock a table that a long transaction uses; nothing was changed. End that transaction and start again: %w", m, err)
		}
		if err := pause(ctx, attempt); err != nil {
			return err
		}
	}
}

// lineOf is where in the file the server saw the mistake, when it said so.
func lineOf(err error, statements string) string {
	var fromServer *pgconn.PgError
	if !errors.As(err, &fromServer) || fromServer.Position < 1 || int(fromServer.Position) > len(statements) {
		return ""
	}
	return fmt.Sprintf(" line %d", 1+strings.Count(statements[:fromServer.Position-1], "\n"))
}
