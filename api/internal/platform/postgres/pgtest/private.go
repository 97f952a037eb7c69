package pgtest

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"syscall"
	"time"

	"github.com/jackc/pgx/v5"

	"github.com/nightbell/nightbell/api/internal/platform/postgres"
	"github.com/nightbell/nightbell/api/internal/platform/postgres/embedded"
)

// quick trades safety for speed: the data of tests need not survive anything.
var quick = map[string]string{
	"fsync": "off", "full_page_writes": "off", "synchronous_commit": "off",
	"autovacuum": "off", "max_connections": "300", "max_locks_per_transaction": "128",
	"wal_level": "minimal", "max_wal_senders": "0",
}

const (
	// young folders may belong to a process that is about to lock them.
	young = time.Minute
	// seedKept is for how long the seed of other migrations, perhaps of another
	// branch, is kept after its last use.
	seedKept = 24 * time.Hour
)

// private is kept for the life of the process: the server ends when its thread
// does, and its lock must not be closed by the garbage collector.
var private *embedded.Server

// startPrivate starts this process's own server on a copy of the seed.
func startPrivate(ctx context.Context) (dsn string, err error) {
	root := dataRoot()
	for _, folder := range []string{root, programsRoot()} {
		if err := os.MkdirAll(folder, 0o711); err != nil {
			return "", err
		}
	}
	seed, err := ensureSeed(ctx, root)
	if err != nil {
		return "", err
	}
	removeEnded(root)
	dir, err := os.MkdirTemp(root, "run-")
	if err != nil {
		return "", err
	}
	if err := os.Chmod(dir, 0o711); err != nil { // the server's account passes through
		return "", err
	}
	private, err = embedded.Start(ctx, options(dir, seed))
	if err != nil {
		return "", err
	}
	return private.DSN(), nil
}

func options(dir, seed string) embedded.Options {
	return embedded.Options{DataDir: dir, ProgramsDir: filepath.Join(programsRoot(), "postgres"), CopyOf: seed, Settings: quick}
}

// ensureSeed returns the data directory of a stopped server that has the roles
// and the template, and makes it first if need be.
func ensureSeed(ctx context.Context, root string) (string, error) {
	name, err := seedName(ctx)
	if err != nil {
		return "", err
	}
	unlock, err := lockRoot(root)
	if err != nil {
		return "", err
	}
	defer unlock()
	seed := filepath.Join(root, name)
	if _, err := os.Stat(seed); err == nil {
		now := time.Now()
		return seed, os.Chtimes(seed, now, now)
	}
	removeOldSeeds(root)
	partial := seed + ".partial"
	if err := os.RemoveAll(partial); err != nil {
		return "", err
	}
	if err := plant(ctx, options(partial, "")); err != nil {
		return "", err
	}
	return seed, os.Rename(partial, seed)
}

// plant makes a server with the template and stops it.
func plant(ctx context.Context, options embedded.Options) (err error) {
	server, err := embedded.Start(ctx, options)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, server.Stop(ctx)) }()
	conn, err := pgx.Connect(ctx, server.AdminDSN())
	if err != nil {
		return err
	}
	_, err = conn.Exec(ctx, "ALTER ROLE nightbell CREATEDB")
	if err := errors.Join(err, conn.Close(ctx)); err != nil {
		return err
	}
	prepared, err := connect(ctx, server.DSN())
	if err != nil {
		return err
	}
	prepared.admin.Close()
	return nil
}

// seedName changes with the template and with the server that wrote the data.
func seedName(ctx context.Context) (string, error) {
	schema, err := schemaSum()
	if err != nil {
		return "", err
	}
	release, err := embedded.Release(ctx, options("", ""))
	if err != nil {
		return "", err
	}
	sum := sha256.Sum256([]byte(release))
	return "seed-" + schema + "-" + hex.EncodeToString(sum[:4]), nil
}

// schemaSum stands for everything that is in the template.
func schemaSum() (string, error) {
	known, err := postgres.BuiltinMigrations()
	if err != nil {
		return "", err
	}
	hash := sha256.New()
	for _, migration := range known {
		fmt.Fprintln(hash, migration.Name, migration.Checksum)
	}
	fmt.Fprint(hash, clockSQL)
	return hex.EncodeToString(hash.Sum(nil)[:6]), nil
}

func lockRoot(root string) (unlock func(), err error) {
	file, err := os.OpenFile(filepath.Join(root, "seed.lock"), os.O_RDWR|os.O_CREATE, 0o600)
	if err != nil {
		return nil, err
	}
	if err := syscall.Flock(int(file.Fd()), syscall.LOCK_EX); err != nil {
		return nil, errors.Join(err, file.Close())
	}
	return func() { _ = file.Close() }, nil
}

// removeEnded removes the data of servers whose process is gone. What cannot be
// removed only takes space.
func removeEnded(root string) {
	folders, _ := filepath.Glob(filepath.Join(root, "run-*"))
	for _, folder := range folders {
		if info, err := os.Stat(folder); err == nil && time.Since(info.ModTime()) > young && isUnlocked(folder) {
			_ = os.RemoveAll(folder)
		}
	}
}

func isUnlocked(folder string) bool {
	file, err := os.Open(filepath.Join(folder, "postgres.lock"))
	if err != nil {
		return true // it never started
	}
	defer file.Close()
	return syscall.Flock(int(file.Fd()), syscall.LOCK_EX|syscall.LOCK_NB) == nil
}

func removeOldSeeds(root string) {
	folders, _ := filepath.Glob(filepath.Join(root, "seed-*"))
	for _, folder := range folders {
		if info, err := os.Stat(folder); err == nil && info.IsDir() && time.Since(info.ModTime()) > seedKept {
			_ = os.RemoveAll(folder)
		}
	}
}
