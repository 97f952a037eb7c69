package app

import (
	"context"
	"errors"
	"fmt"

	"github.com/nightbell/nightbell/api/internal/delivery"
	"github.com/nightbell/nightbell/api/internal/platform/postgres"
	"github.com/nightbell/nightbell/api/internal/platform/postgres/embedded"
	"github.com/nightbell/nightbell/api/internal/publish"
)

// startDatabase starts the private PostgreSQL unless another is configured, brings the
// schema up to date and opens the pools.
func (s *server) startDatabase(ctx context.Context) error {
	dsn := s.DatabaseURL
	if s.embedded() {
		private, err := embedded.Start(ctx, embedded.Options{DataDir: s.DataDir, Logger: s.logger, OwnAccount: true})
		if err != nil {
			return fmt.Errorf("start the private PostgreSQL: %w", err)
		}
		s.onStop(private.Stop)
		s.databaseGone = private.Done()
		dsn = private.DSN()
	}
	applied, err := postgres.Migrate(ctx, dsn)
	if err != nil {
		return s.named(fmt.Errorf("bring the database up to date: %w", err))
	}
	for _, migration := range applied {
		s.logger.InfoContext(ctx, "migration applied", "migration", migration.Name)
	}
	if s.db, err = postgres.Open(ctx, postgres.Config{DSN: dsn, VerifiesMail: s.hasMailServer()}); err != nil {
		return s.named(err)
	}
	s.onStop(func(context.Context) error { s.db.Close(); return nil })
	if err := s.db.Check(ctx); err != nil {
		return s.named(fmt.Errorf("connect to the database: %w", err))
	}
	return nil
}

// named says which database an error is about: the folder of the private one, or the variable.
func (s *server) named(err error) error {
	if s.embedded() {
		return fmt.Errorf("the data directory %s: %w", s.DataDir, err)
	}
	return fmt.Errorf("DATABASE_URL: %w", err)
}

// followPrimary keeps the connections at the primary. The private PostgreSQL has no
// standby.
func (s *server) followPrimary(ctx context.Context) {
	if !s.embedded() {
		s.db.Watch(ctx, s.logger)
	}
}

// releaseLeases frees what a crash left claimed in a private database, which is ours alone.
func (s *server) releaseLeases(ctx context.Context) error {
	if !s.embedded() {
		return nil
	}
	released, err := delivery.ReleaseLeases(ctx, s.db)
	if released > 0 {
		s.logger.InfoContext(ctx, "pages that were under way at the last stop are sent again", "pages", released)
	}
	return errors.Join(err, publish.ReleaseLeases(ctx, s.db))
}
