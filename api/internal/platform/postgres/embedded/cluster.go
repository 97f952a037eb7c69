//go:build linux || darwin

package embedded

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
)

// ensureCluster makes the server's data when there is none. An interrupted
// attempt leaves nothing behind: the data appears by a rename.
func ensureCluster(ctx context.Context, database string, programs programs, account account, options Options) error {
	if _, err := os.Stat(filepath.Join(database, "PG_VERSION")); err == nil {
		return nil
	}
	if entries, _ := os.ReadDir(database); len(entries) > 0 {
		return fmt.Errorf("%s holds files but no PostgreSQL data. Move them away, or choose another directory with --data-dir", database)
	}
	partial := database + ".partial"
	if err := os.RemoveAll(partial); err != nil {
		return err
	}
	if err := account.makeDir(partial); err != nil {
		return err
	}
	var err error
	if options.CopyOf != "" {
		err = copyCluster(filepath.Join(options.CopyOf, "database"), partial, account)
	} else {
		err = initdb(ctx, partial, programs, account, options.Settings["fsync"] != "off")
	}
	if err != nil {
		return errors.Join(err, os.RemoveAll(partial))
	}
	return os.Rename(partial, database)
}

// initdb makes empty data. Text is compared by code point (C.UTF-8), so that
// the system's C library, and its updates, cannot change an index's order.
func initdb(ctx context.Context, database string, programs programs, account account, durable bool) error {
	locale := []string{"--locale-provider=builtin", "--builtin-locale=C.UTF-8", "--locale=C"}
	if programs.major < 17 { // no builtin provider yet
		locale = []string{"--locale=C.UTF-8"}
	}
	arguments := append([]string{
		"-D", database, "-U", adminName, "--encoding=UTF8", "--auth=trust",
		"--data-checksums", "--no-instructions",
	}, locale...)
	if !durable {
		arguments = append(arguments, "--no-sync")
	}
	command := exec.CommandContext(ctx, programs.path("initdb"), arguments...)
	account.prepare(command)
	output, err := outputOnOwnThread(command)
	if err == nil {
		return nil
	}
	if account.name == "" {
		return fmt.Errorf("PostgreSQL cannot make its data as %s, which has no entry in /etc/passwd. Run Nightbell as an account that has one, or set DATABASE_URL (%w)", account, err)
	}
	return fmt.Errorf("PostgreSQL could not make its data in %s as %s (%w): %s", database, account, err, strings.TrimSpace(string(output)))
}

// copyCluster clones the data of a stopped server.
func copyCluster(from, to string, account account) error {
	if err := os.CopyFS(to, os.DirFS(from)); err != nil {
		return fmt.Errorf("copy the data of %s: %w", from, err)
	}
	return filepath.WalkDir(to, func(path string, entry os.DirEntry, err error) error {
		if err != nil {
			return err
		}
		mode := os.FileMode(0o600)
		if entry.IsDir() {
			mode = 0o700
		}
		return errors.Join(os.Chmod(path, mode), account.own(path))
	})
}
