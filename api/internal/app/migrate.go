package app

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/nightbell/nightbell/api/internal/platform/postgres"
	"github.com/nightbell/nightbell/api/internal/platform/postgres/embedded"
)

// MigrateUp brings the database up to date and says what it did.
func MigrateUp(ctx context.Context, config Config, options Options) error {
	return withDatabase(ctx, config, options, func(dsn string) error {
		applied, err := postgres.Migrate(ctx, dsn)
		if err != nil {
			return err
		}
		for _, migration := range applied {
			if _, err := fmt.Fprintln(options.Out, "applied", migration.Name); err != nil {
				return err
			}
		}
		_, err = fmt.Fprintln(options.Out, "The database is up to date.")
		return err
	})
}

// MigrateStatus lists every migration and when it was applied.
func MigrateStatus(ctx context.Context, config Config, options Options) error {
	return withDatabase(ctx, config, options, func(dsn string) error {
		migrations, err := postgres.BuiltinMigrations()
		if err != nil {
			return err
		}
		conn, err := postgres.Connect(ctx, dsn, "nightbell migrate")
		if err != nil {
			return err
		}
		defer func() { _ = conn.Close(ctx) }()
		states, err := migrations.Status(ctx, conn)
		if err != nil {
			return err
		}
		for _, state := range states {
			if _, err := fmt.Fprintf(options.Out, "%-40s %s\n", state.Name, describe(state)); err != nil {
				return err
			}
		}
		return nil
	})
}

func describe(state postgres.MigrationState) string {
	if state.AppliedAt.IsZero() {
		return "missing; run: nightbell migrate up"
	}
	return "applied " + state.AppliedAt.UTC().Format(time.RFC3339)
}

// withDatabase gives work the configured database, or the private one, started for as
// long as the work takes.
func withDatabase(ctx context.Context, config Config, options Options, work func(dsn string) error) (err error) {
	s := &server{options: options}
	defer func() { err = errors.Join(err, s.stop()) }()
	if s.settings, err = config.check(); err != nil {
		return fmt.Errorf("the configuration does not fit:\n%w", err)
	}
	if err := s.startTelemetry(ctx); err != nil {
		return err
	}
	if !s.embedded() {
		return work(s.DatabaseURL)
	}
	if err := s.secureDataDir(); err != nil {
		return err
	}
	private, err := embedded.Start(ctx, embedded.Options{DataDir: s.DataDir, Logger: s.logger})
	if err != nil {
		return fmt.Errorf("start the private PostgreSQL: %w", err)
	}
	s.onStop(private.Stop)
	return work(private.DSN())
}
