package app

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"net"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/jackc/pgx/v5"

	"github.com/nightbell/nightbell/api/internal/installation"
	"github.com/nightbell/nightbell/api/internal/platform/postgres"
	"github.com/nightbell/nightbell/api/internal/platform/postgres/embedded"
	"github.com/nightbell/nightbell/api/internal/platform/secret"
)

// installationInterval is how soon a copy that was confirmed begins to page.
const installationInterval = 5 * time.Second

// unlockSecrets reads the keys, or makes them at the first start. A data key that is
// missing from a database in use is not made: it would open nothing that is stored.
func (s *server) unlockSecrets(ctx context.Context) error {
	if err := s.secureDataDir(); err != nil {
		return err
	}
	var err error
	if s.jwtSecret, err = keptKey(s.jwtSecret, s.DataDir, "jwt-secret"); err != nil {
		return fmt.Errorf("NIGHTBELL_JWT_SECRET: %w", err)
	}
	var stored installation.State
	err = s.db.InSystem(ctx, postgres.Background, func(ctx context.Context, tx pgx.Tx) (err error) {
		stored, err = installation.Load(ctx, tx)
		return err
	})
	if err != nil {
		return fmt.Errorf("read whose database this is: %w", err)
	}
	if s.dataKey, err = existingKey(s.dataKey, s.DataDir, "data-key"); errors.Is(err, fs.ErrNotExist) {
		if err := stored.CheckKey(""); err != nil {
			return err
		}
		s.dataKey, err = keptKey(nil, s.DataDir, "data-key")
	}
	if err != nil {
		return fmt.Errorf("NIGHTBELL_DATA_KEY: %w", err)
	}
	s.box, err = secret.NewBox(s.dataKey)
	return err
}

// claimInstallation takes the database into use. A restored copy pages nobody until a
// person confirms it.
func (s *server) claimInstallation(ctx context.Context) error {
	address, witness, err := s.place()
	if err != nil {
		return err
	}
	s.installation = installation.New(s.db, s.box.Fingerprint(), address, witness)
	copied, err := s.installation.Claim(ctx)
	if err != nil {
		return err
	}
	s.noteCopy(ctx, copied)
	return nil
}

// watchInstallation asks again whether the database is a copy. While nobody can tell, what
// was found last holds.
func (s *server) watchInstallation(ctx context.Context) {
	copied, err := s.installation.IsCopy(ctx)
	if err != nil {
		if ctx.Err() == nil && !postgres.IsUnavailable(err) {
			s.logger.ErrorContext(ctx, "cannot tell whether this database is a restored copy", "error", err)
		}
		return
	}
	s.noteCopy(ctx, copied)
}

func (s *server) noteCopy(ctx context.Context, copied bool) {
	switch before := s.copied.Swap(copied); {
	case copied && !before:
		s.logger.ErrorContext(ctx, "this database is a restored copy: NOBODY IS PAGED until you run: nightbell restored confirm (or, with one organization, its owner confirms it on any screen)")
	case before && !copied:
		s.logger.WarnContext(ctx, "the restored copy was confirmed: paging begins")
		s.wakePages()
	}
}

// unlessCopy keeps a sweep of the page path from running on a restored copy.
func (s *server) unlessCopy(sweep func(context.Context) (bool, error)) func(context.Context) (bool, error) {
	return func(ctx context.Context) (again bool, err error) {
		if s.copied.Load() {
			return false, nil
		}
		return sweep(ctx)
	}
}

// unlessCopied keeps a periodic job from running on a restored copy. The auditor is one, so
// that the dead-man URL, which the copy shares with its original, is not pinged from here.
func (s *server) unlessCopied(do func(context.Context)) func(context.Context) {
	return func(ctx context.Context) {
		if !s.copied.Load() {
			do(ctx)
		}
	}
}

// place says where this configuration reaches its database, see installation.Home.
func (s settings) place() (address, witness string, err error) {
	if s.embedded() {
		return embedded.Place(s.DataDir)
	}
	config, err := pgx.ParseConfig(s.DatabaseURL)
	if err != nil {
		return "", "", errors.New("DATABASE_URL is not a PostgreSQL connection string. Expected something like postgres://user:password@host:5432/database")
	}
	hosts := []string{net.JoinHostPort(config.Host, strconv.Itoa(int(config.Port)))}
	for _, other := range config.Fallbacks {
		hosts = append(hosts, net.JoinHostPort(other.Host, strconv.Itoa(int(other.Port))))
	}
	slices.Sort(hosts)
	return strings.Join(slices.Compact(hosts), ",") + "/" + config.Database, s.PublicURL, nil
}

// ConfirmRestored lets a restored copy page, however many organizations it holds.
func ConfirmRestored(ctx context.Context, config Config, options Options) error {
	return withPools(ctx, config, options, func(s *server) error {
		leftOut, err := installation.Confirm(ctx, s.db)
		if err == nil {
			_, err = fmt.Fprintln(options.Out, installation.Confirmed(leftOut))
		}
		return err
	})
}

// AcceptNewKey goes on without a data key that is lost.
func AcceptNewKey(ctx context.Context, config Config, options Options) error {
	return withPools(ctx, config, options, func(s *server) (err error) {
		if err := s.secureDataDir(); err != nil {
			return err
		}
		if s.dataKey, err = keptKey(s.dataKey, s.DataDir, "data-key"); err != nil {
			return fmt.Errorf("NIGHTBELL_DATA_KEY: %w", err)
		}
		if s.box, err = secret.NewBox(s.dataKey); err != nil {
			return err
		}
		if err := installation.NewKey(ctx, s.db, s.box.Fingerprint()); err != nil {
			return err
		}
		_, err = fmt.Fprintln(options.Out, "The data key in use now is this installation's. Contacts and webhook subscriptions whose address the lost key had sealed are disabled: enter them again.")
		return err
	})
}

// withPools gives work a server whose database is open, and nothing else.
func withPools(ctx context.Context, config Config, options Options, work func(*server) error) (err error) {
	s := &server{options: options}
	defer func() { err = errors.Join(err, s.stop()) }()
	if s.settings, err = config.check(); err != nil {
		return fmt.Errorf("the configuration does not fit:\n%w", err)
	}
	// A start would make a new database where there is none, and answer about that one.
	if _, _, err := embedded.Place(s.DataDir); s.embedded() && err != nil {
		return fmt.Errorf("no database of Nightbell is in %s. Name the server's folder with --data-dir, or its database with DATABASE_URL: %w", s.DataDir, err)
	}
	for _, part := range []func(context.Context) error{s.startTelemetry, s.startDatabase} {
		if err := part(ctx); err != nil {
			return err
		}
	}
	return work(s)
}

// mailPlace is where mail goes, for screens that say so.
func (s *server) mailPlace() installation.Mail {
	if s.hasMailServer() {
		return installation.Server
	}
	return installation.Inbox
}
