//go:build chaos

package chaos

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"

	"github.com/jackc/pgx/v5"
)

// notCloned are folders whose content belongs to the running server, as pg_basebackup
// leaves them out.
var notCloned = []string{"pg_wal", "pg_replslot", "pg_dynshmem", "pg_notify", "pg_serial", "pg_snapshots", "pg_stat_tmp", "pg_subtrans"}

// clone copies the primary while it runs, by PostgreSQL's own protocol for base backups:
// pg_basebackup is not among the programs that are packed.
func (p *pair) clone() {
	p.t.Helper()
	if err := os.RemoveAll(p.standby.dir); err != nil {
		p.t.Fatal(err)
	}
	ctx := context.Background()
	conn, err := pgx.Connect(ctx, p.primary.dsn("postgres"))
	if err != nil {
		p.t.Fatal(err)
	}
	defer conn.Close(ctx)
	if _, err := conn.Exec(ctx, "SELECT pg_backup_start('clone', true)"); err != nil {
		p.t.Fatal(err)
	}
	copying := copyRunning(p.primary.dir, p.standby.dir)
	var label string
	err = conn.QueryRow(ctx, "SELECT labelfile FROM pg_backup_stop(false)").Scan(&label)
	if err := errors.Join(copying, err, p.become(label)); err != nil {
		p.t.Fatalf("clone the primary: %v", err)
	}
}

// become writes what makes a copy a standby. It inherits no wait for a standby of its
// own.
func (p *pair) become(label string) error {
	to := p.standby.dir
	follow := fmt.Sprintf("primary_conninfo = 'host=%s port=%s user=postgres application_name=standby'\n", p.primary.host, p.primary.port)
	var problems []error
	for name, content := range map[string]string{"backup_label": label, "standby.signal": "", "postgresql.auto.conf": follow} {
		problems = append(problems, os.WriteFile(filepath.Join(to, name), []byte(content), 0o600))
	}
	for _, folder := range []string{"archive_status", "summaries"} {
		problems = append(problems, os.Mkdir(filepath.Join(to, "pg_wal", folder), 0o700))
	}
	problems = append(problems, filepath.WalkDir(to, func(path string, _ fs.DirEntry, err error) error {
		if err != nil || p.credential == nil {
			return err
		}
		return os.Lchown(path, int(p.credential.Uid), int(p.credential.Gid))
	}))
	return errors.Join(problems...)
}

// copyRunning copies a folder in which files come and go.
func copyRunning(from, to string) error {
	return filepath.WalkDir(from, func(path string, entry fs.DirEntry, err error) error {
		if errors.Is(err, fs.ErrNotExist) {
			return nil
		}
		if err != nil {
			return err
		}
		name, _ := filepath.Rel(from, path)
		switch {
		case entry.IsDir():
			if err := os.Mkdir(filepath.Join(to, name), 0o700); err != nil {
				return err
			}
			if slices.Contains(notCloned, name) {
				return fs.SkipDir
			}
			return nil
		case slices.Contains([]string{"postmaster.pid", "postmaster.opts", "backup_label", "standby.signal"}, name):
			return nil
		}
		content, err := os.ReadFile(path)
		if errors.Is(err, fs.ErrNotExist) {
			return nil
		}
		if err != nil {
			return err
		}
		return os.WriteFile(filepath.Join(to, name), content, 0o600)
	})
}
