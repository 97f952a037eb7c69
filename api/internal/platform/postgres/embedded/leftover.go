//go:build linux || darwin

package embedded

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"log/slog"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"syscall"
	"time"
)

// clearLeftovers ends what a killed Nightbell left running and removes the files
// by which PostgreSQL would take a dead server for a running one. The caller
// holds the data directory's lock, so whatever still runs on it is an orphan.
func clearLeftovers(ctx context.Context, database, sockets string, log *slog.Logger) error {
	pidFile := filepath.Join(database, "postmaster.pid")
	content, err := os.ReadFile(pidFile)
	if errors.Is(err, fs.ErrNotExist) {
		return removeSockets(sockets)
	}
	if err != nil {
		return err
	}
	log.InfoContext(ctx, "the database server was not stopped cleanly; it recovers from its log")
	line, _, _ := strings.Cut(string(content), "\n")
	postmaster, _ := strconv.Atoi(strings.TrimSpace(line)) // 0 for a damaged file
	if err := endOrphans(ctx, postmaster, database); err != nil {
		return err
	}
	if err := os.Remove(pidFile); err != nil && !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	return removeSockets(sockets)
}

// endOrphans waits until no process of the old server is left: one that outlived its postmaster could still write to
// the data. The pid file must not be removed before, as PostgreSQL's own check for such processes rests on it.
func endOrphans(ctx context.Context, postmaster int, database string) error {
	for _, signal := range []syscall.Signal{syscall.SIGINT, syscall.SIGQUIT, syscall.SIGKILL} {
		orphans := serverProcesses(postmaster, database)
		if len(orphans) == 0 {
			return nil
		}
		for _, pid := range orphans {
			// With a postmaster, it ends its own; a SIGINT to the others would
			// only cancel their statements.
			if signal != syscall.SIGINT || pid == postmaster || !slices.Contains(orphans, postmaster) {
				_ = syscall.Kill(pid, signal) // it may be gone by now
			}
		}
		if waitGone(ctx, postmaster, database, 10*time.Second) {
			return nil
		}
	}
	return fmt.Errorf("an old PostgreSQL (processes %v) still runs on %s and cannot be stopped. Stop it and start Nightbell again",
		serverProcesses(postmaster, database), database)
}

func waitGone(ctx context.Context, postmaster int, database string, limit time.Duration) bool {
	for deadline := time.Now().Add(limit); time.Now().Before(deadline) && ctx.Err() == nil; {
		if len(serverProcesses(postmaster, database)) == 0 {
			return true
		}
		time.Sleep(5 * time.Millisecond)
	}
	return false
}
