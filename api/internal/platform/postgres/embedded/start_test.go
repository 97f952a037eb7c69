//go:build linux || darwin

package embedded_test

import (
	"context"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"syscall"
	"testing"
	"testing/fstest"
	"time"

	"github.com/jackc/pgx/v5"

	"github.com/nightbell/nightbell/api/internal/platform/postgres/embedded"
)

// dataDir is a place for a server's data. t.TempDir is closed to the account
// that the server runs as when the tests run as root.
func dataDir(t *testing.T) string {
	t.Helper()
	dir, err := os.MkdirTemp("", "nb-embedded-") //nolint:usetesting // see above
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = os.RemoveAll(dir) })
	if err := os.Chmod(dir, 0o711); err != nil {
		t.Fatal(err)
	}
	return filepath.Join(dir, "data")
}

// programsDir is shared by the tests of this package, so that the archive is
// unpacked once.
var programsDir = sync.OnceValue(func() string {
	dir := filepath.Join(os.TempDir(), fmt.Sprintf("nb-embedded-programs-%d", os.Getuid()))
	_ = os.MkdirAll(dir, 0o755) // Start says what is wrong with it
	return dir
})

// noSync is for the tests that are not about what survives: they mostly wait for
// the disk otherwise.
var noSync = map[string]string{"fsync": "off"}

func quick(dir string) embedded.Options { return embedded.Options{DataDir: dir, Settings: noSync} }

func start(t *testing.T, options embedded.Options) *embedded.Server {
	t.Helper()
	if options.ProgramsDir == "" {
		options.ProgramsDir = programsDir()
	}
	server, err := embedded.Start(t.Context(), options)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { stop(t, server) })
	return server
}

func stop(t *testing.T, server *embedded.Server) {
	t.Helper()
	if err := server.Stop(context.Background()); err != nil {
		t.Errorf("stop: %v", err)
	}
}

// query runs one or more statements and returns the last one's value as text.
func query(t *testing.T, dsn, sql string) string {
	t.Helper()
	conn, err := pgx.Connect(t.Context(), dsn)
	if err != nil {
		t.Fatal(err)
	}
	defer conn.Close(t.Context())
	results, err := conn.PgConn().Exec(t.Context(), sql).ReadAll()
	if err != nil {
		t.Fatalf("%s: %v", sql, err)
	}
	return string(results[len(results)-1].Rows[0][0])
}

func TestFirstStartLaterStartAndStop(t *testing.T) {
	dir := dataDir(t)
	timed := func(what string, do func()) {
		begun := time.Now()
		do()
		t.Logf("%s: %s", what, time.Since(begun).Round(time.Millisecond))
	}
	var server *embedded.Server
	// Its own programs, so that the figure includes unpacking them.
	options := embedded.Options{DataDir: dir, ProgramsDir: filepath.Join(dir, "postgres")}
	timed("first start", func() { server = start(t, options) })
	query(t, server.DSN(), "CREATE TABLE kept AS SELECT 'still here' AS what; SELECT what FROM kept")
	timed("stop", func() { stop(t, server) })
	timed("later start", func() { server = start(t, options) })
	if got := query(t, server.DSN(), "SELECT what FROM kept"); got != "still here" {
		t.Errorf("after a restart the row says %q", got)
	}
	t.Run("is private and safe", func(t *testing.T) { checkSettings(t, server.DSN()) })
	t.Run("belongs to its account", func(t *testing.T) { checkOwners(t, dir) })
}

func checkSettings(t *testing.T, dsn string) {
	t.Helper()
	for setting, want := range map[string]string{
		"listen_addresses": "", "fsync": "on", "full_page_writes": "on", "synchronous_commit": "on",
		"jit": "off", "data_checksums": "on", "server_encoding": "UTF8", "TimeZone": "UTC",
	} {
		if got := query(t, dsn, "SELECT current_setting('"+setting+"')"); got != want {
			t.Errorf("%s is %q, expected %q", setting, got, want)
		}
	}
	if got := query(t, dsn, "SELECT format('%s super=%s', current_user, rolsuper) FROM pg_roles WHERE rolname = current_user"); got != "nightbell super=f" {
		t.Errorf("the login role is %q, expected no superuser", got)
	}
	if got := query(t, dsn, "SELECT upper('é') || (CASE WHEN 'Z' < 'a' THEN ' by code point' ELSE '' END)"); got != "É by code point" {
		t.Errorf("text is compared and changed like %q", got)
	}
}

func checkOwners(t *testing.T, dir string) {
	t.Helper()
	for _, folder := range []string{"database", "run"} {
		info, err := os.Stat(filepath.Join(dir, folder))
		if err != nil {
			t.Fatal(err)
		}
		if info.Mode().Perm() != 0o700 {
			t.Errorf("%s is open to others: %s", folder, info.Mode())
		}
		if uid := info.Sys().(*syscall.Stat_t).Uid; os.Getuid() == 0 && uid == 0 {
			t.Errorf("%s belongs to root, which PostgreSQL does not run as", folder)
		}
	}
	// The account must not be able to change the programs it runs, when another.
	_ = filepath.WalkDir(filepath.Join(dir, "postgres"), func(path string, entry fs.DirEntry, err error) error {
		if err != nil {
			return err // an installed PostgreSQL is used: nothing is unpacked
		}
		info, _ := entry.Info()
		if uid := int(info.Sys().(*syscall.Stat_t).Uid); uid != os.Getuid() || (info.Mode()&fs.ModeSymlink == 0 && info.Mode().Perm()&0o022 != 0) {
			t.Errorf("others can change %s: %s", path, info.Mode())
		}
		return nil
	})
}

func TestDirectoryIsUsedOnce(t *testing.T) {
	t.Parallel()
	dir := dataDir(t)
	server := start(t, quick(dir))
	_, err := embedded.Start(t.Context(), embedded.Options{DataDir: dir, ProgramsDir: programsDir()})
	if err == nil || !strings.Contains(err.Error(), "another Nightbell") || !strings.Contains(err.Error(), fmt.Sprint(os.Getpid())) {
		t.Errorf("a second start gives: %v", err)
	}
	if got := query(t, server.DSN(), "SELECT 'alive'"); got != "alive" {
		t.Error("the first server suffered")
	}
}

func TestLongAndOddPaths(t *testing.T) {
	t.Parallel()
	for name, tail := range map[string]string{
		"longer than a socket may be": strings.Repeat("a-long-name/", 9),
		"signs that need quoting":     `it's "a" folder, really?&x=1`,
	} {
		dir := filepath.Join(dataDir(t), tail)
		server := start(t, quick(dir))
		if got := query(t, server.DSN(), "SELECT 'fine'"); got != "fine" {
			t.Errorf("%s: %q", name, got)
		}
		stop(t, server)
	}
}

func TestInterruptedFirstStartIsDoneAgain(t *testing.T) {
	t.Parallel()
	dir := dataDir(t)
	partial := filepath.Join(dir, "database.partial")
	if err := os.MkdirAll(partial, 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(partial, "PG_VERSION"), []byte("17\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	if err := os.Chmod(dir, 0o711); err != nil {
		t.Fatal(err)
	}
	server := start(t, quick(dir))
	if got := query(t, server.DSN(), "SELECT 'fine'"); got != "fine" {
		t.Error(got)
	}
}

func TestCopyOfAStoppedServer(t *testing.T) {
	t.Parallel()
	original := dataDir(t)
	server := start(t, quick(original))
	query(t, server.DSN(), "CREATE TABLE kept AS SELECT 'copied' AS what; SELECT what FROM kept")
	stop(t, server)
	clone := start(t, embedded.Options{DataDir: dataDir(t), CopyOf: original, Settings: noSync})
	if got := query(t, clone.DSN(), "SELECT what FROM kept"); got != "copied" {
		t.Errorf("the copy says %q", got)
	}
}

func TestDataOfAnotherReleaseIsRefused(t *testing.T) {
	t.Parallel()
	dir := dataDir(t)
	if err := os.MkdirAll(filepath.Join(dir, "database"), 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.Chmod(dir, 0o711); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(dir, "database", "PG_VERSION"), []byte("12\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	_, err := embedded.Start(t.Context(), embedded.Options{DataDir: dir, ProgramsDir: programsDir()})
	if err == nil || !strings.Contains(err.Error(), "written by PostgreSQL 12") || !strings.Contains(err.Error(), "pg_dump") {
		t.Errorf("data of release 12 gives: %v", err)
	}
}

// A binary without the archive uses an installed PostgreSQL, or says what to do.
func TestWithoutArchive(t *testing.T) {
	t.Parallel()
	options := embedded.Options{DataDir: dataDir(t), Archive: fstest.MapFS{}, Settings: noSync}
	release, err := embedded.Release(t.Context(), options)
	if err != nil {
		if !strings.Contains(err.Error(), "Install one") || !strings.Contains(err.Error(), "DATABASE_URL") {
			t.Errorf("with no PostgreSQL at all: %v", err)
		}
		return
	}
	server := start(t, options)
	t.Logf("installed: %s", release)
	if got := query(t, server.DSN(), "SELECT split_part(current_setting('server_version'), '.', 1)"); !strings.HasPrefix(release, got) {
		t.Errorf("the server is PostgreSQL %s, announced was %s", got, release)
	}
}

func TestBadSettingIsReportedWithTheServersWords(t *testing.T) {
	t.Parallel()
	_, err := embedded.Start(t.Context(), embedded.Options{
		DataDir: dataDir(t), ProgramsDir: programsDir(),
		Settings: map[string]string{"shared_buffers": "plenty", "fsync": "off"},
	})
	if err == nil || !strings.Contains(err.Error(), `invalid value for parameter "shared_buffers"`) {
		t.Errorf("a bad setting gives: %v", err)
	}
}

func TestStartGivesUpWithItsContext(t *testing.T) {
	t.Parallel()
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	dir := dataDir(t)
	if _, err := embedded.Start(ctx, embedded.Options{DataDir: dir, ProgramsDir: programsDir(), Settings: noSync}); err == nil {
		t.Fatal("it started for a caller that had gone")
	}
	start(t, quick(dir)) // and left nothing in the way
}
