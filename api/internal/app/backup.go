package app

import (
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"time"

	"github.com/nightbell/nightbell/api/internal/backup"
	"github.com/nightbell/nightbell/api/internal/platform/postgres"
	"github.com/nightbell/nightbell/api/internal/platform/postgres/embedded"
	"github.com/nightbell/nightbell/api/internal/platform/secret"
)

// Backup writes everything that the installation has stored into a file, or to options.Out for "-",
// whether or not Nightbell runs meanwhile. The file appears when it is whole.
func Backup(ctx context.Context, config Config, options Options, path string) error {
	tell := options.Out
	if path == "-" {
		tell = os.Stderr
	}
	return withStoredDatabase(ctx, config, options, func(s settings, dsn string) error {
		var made backup.Manifest
		write := func(out io.Writer) (err error) {
			made, err = backup.Write(ctx, dsn, options.Version, out, progress())
			return err
		}
		var err error
		if path == "-" {
			err = write(options.Out)
		} else {
			err = writeWhole(path, write)
		}
		if err != nil {
			return fmt.Errorf("back up: %w", err)
		}
		where := path
		if info, err := os.Stat(path); err == nil {
			where = fmt.Sprintf("%s (%.1f MB)", path, float64(info.Size())/1e6)
		}
		_, err = fmt.Fprintf(tell, "Backed up %d rows of %d tables to %s.\n%s", made.Rows(), len(made.Tables), where, s.keyAdvice(made.KeyFingerprint))
		return err
	})
}

// keyAdvice says what has to be kept beside a backup.
func (s settings) keyAdvice(fingerprint string) string {
	if fingerprint == "" {
		return ""
	}
	key := "the file " + filepath.Join(s.DataDir, "data-key")
	if s.dataKey != nil {
		key = "NIGHTBELL_DATA_KEY"
	}
	return fmt.Sprintf("Keep %s with it, in another place: only that key (fingerprint %s) opens the sealed secrets.\n"+
		"The file holds addresses, phone numbers and password hashes: keep it where nobody else reads it.\n", key, fingerprint)
}

// withStoredDatabase gives work the configured database, or the private one: that of the server that
// runs, or else started for as long as the work takes. It makes none where there is none.
func withStoredDatabase(ctx context.Context, config Config, options Options, work func(s settings, dsn string) error) error {
	s, err := config.check()
	if err != nil {
		return fmt.Errorf("the configuration does not fit:\n%w", err)
	}
	if config.DatabaseURL != "" {
		return work(s, config.DatabaseURL)
	}
	if _, _, err := embedded.Place(s.DataDir); err != nil {
		return fmt.Errorf("no database of Nightbell is in %s. Name the server's folder with --data-dir, or its database with DATABASE_URL: %w", s.DataDir, err)
	}
	if dsn := embedded.RunningDSN(s.DataDir); dsn != "" {
		if conn, err := postgres.Connect(ctx, dsn, "nightbell"); err == nil {
			_ = conn.Close(ctx)
			return work(s, dsn)
		}
	}
	return withDatabase(ctx, config, options, func(dsn string) error { return work(s, dsn) })
}

// writeWhole makes a file that nobody but its owner reads, and that has its name only once it is whole
// and on the disk. It replaces none.
func writeWhole(path string, write func(io.Writer) error) (err error) {
	if _, err := os.Lstat(path); err == nil {
		return fmt.Errorf("%s exists already. Choose another name", path)
	}
	file, err := os.CreateTemp(filepath.Dir(path), "."+filepath.Base(path)+".*") // 0600
	if err != nil {
		return err
	}
	defer func() {
		if err != nil {
			_ = file.Close()
			_ = os.Remove(file.Name())
		}
	}()
	if err := write(file); err != nil {
		return err
	}
	if err := errors.Join(file.Sync(), file.Close()); err != nil {
		return err
	}
	return os.Rename(file.Name(), path)
}

// Restore fills an empty database with what a backup holds. What it made pages nobody until somebody
// confirms it.
func Restore(ctx context.Context, config Config, options Options, path string) (err error) {
	s, err := config.check()
	if err != nil {
		return fmt.Errorf("the configuration does not fit:\n%w", err)
	}
	archive, err := CheckBackup(options, path)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, archive.Close()) }()
	missing, err := s.checkKeyOf(archive.KeyFingerprint)
	if err != nil {
		return err
	}
	if err := withDatabase(ctx, config, options, func(dsn string) error { return archive.Restore(ctx, dsn, progress()) }); err != nil {
		return fmt.Errorf("restore: %w", err)
	}
	_, err = fmt.Fprintf(options.Out, "Restored %d rows of %d tables.\n%sIt takes alerts and shows everything, and pages nobody until you stop the original and run, with the same settings: nightbell restored confirm\n",
		archive.Rows(), len(archive.Tables), missing)
	return err
}

// CheckBackup opens a backup, reads it to its end and says what it is.
func CheckBackup(options Options, path string) (*backup.Archive, error) {
	archive, err := backup.Open(path, progress())
	if err != nil {
		return nil, err
	}
	_, err = fmt.Fprintf(options.Out, "%s is whole: %d rows of %d tables, made %s by Nightbell %s.\n",
		path, archive.Rows(), len(archive.Tables), archive.MadeAt.Format(time.RFC3339), archive.Version)
	return archive, err
}

// checkKeyOf refuses a data key that opens nothing of a backup. While there is none, it says what is
// needed before the first start.
func (s settings) checkKeyOf(fingerprint string) (advice string, err error) {
	key, err := existingKey(s.dataKey, s.DataDir, "data-key")
	switch {
	case fingerprint == "":
		return "", nil
	case errors.Is(err, fs.ErrNotExist):
		return fmt.Sprintf("Before the first start, put the data key that was kept with the backup (fingerprint %s) into %s, or set NIGHTBELL_DATA_KEY.\n",
			fingerprint, filepath.Join(s.DataDir, "data-key")), nil
	case err != nil:
		return "", fmt.Errorf("NIGHTBELL_DATA_KEY: %w", err)
	}
	box, err := secret.NewBox(key)
	if err == nil && box.Fingerprint() != fingerprint {
		err = fmt.Errorf("the data key here (fingerprint %s) is not the one that sealed the backup's secrets (fingerprint %s). Put that one into %s or NIGHTBELL_DATA_KEY",
			box.Fingerprint(), fingerprint, filepath.Join(s.DataDir, "data-key"))
	}
	return "", err
}

// progress says on standard error how far long work is, at most once a second.
func progress() backup.Progress {
	last := time.Now()
	return func(table string, done, tables int, rows int64) {
		if time.Since(last) < time.Second {
			return
		}
		last = time.Now()
		if table == "" {
			table = "checking references"
		}
		_, _ = fmt.Fprintf(os.Stderr, "  [%d/%d] %s, %d rows so far\n", done, tables, table, rows)
	}
}
