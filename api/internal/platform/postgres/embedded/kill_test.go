//go:build linux

package embedded_test

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"os/user"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"

	"github.com/nightbell/nightbell/api/internal/platform/postgres/embedded"
)

// helperVariable makes the test binary a Nightbell that can be killed: its value
// is the data directory.
const helperVariable = "NIGHTBELL_EMBEDDED_HELPER"

func TestMain(m *testing.M) {
	if dir := os.Getenv(helperVariable); dir != "" {
		helper(dir)
	}
	os.Exit(m.Run())
}

// helper starts a server, prints its DSN and waits to be killed.
func helper(dir string) {
	server, err := embedded.Start(context.Background(), embedded.Options{DataDir: dir, ProgramsDir: os.Getenv("PROGRAMS")})
	if err != nil {
		fmt.Println("error:", err)
		os.Exit(1)
	}
	fmt.Println(server.DSN())
	select {}
}

// nightbell is a running helper.
type nightbell struct {
	command    *exec.Cmd
	dsn        string
	postmaster int
}

func startHelper(t *testing.T, dir string, prepare func(*exec.Cmd)) nightbell {
	t.Helper()
	command := exec.Command(os.Args[0])
	command.Env = append(os.Environ(), helperVariable+"="+dir, "PROGRAMS="+programsDir())
	if prepare != nil {
		prepare(command)
	}
	output, err := command.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := command.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if command.Process.Kill() == nil { // not killed by the test
			_ = command.Wait()
		}
	})
	lines := bufio.NewScanner(output)
	if !lines.Scan() || !strings.HasPrefix(lines.Text(), "postgres://") {
		t.Fatalf("the helper says: %s", lines.Text())
	}
	return nightbell{command: command, dsn: lines.Text(), postmaster: postmaster(t, dir)}
}

func postmaster(t *testing.T, dir string) int {
	t.Helper()
	content, err := os.ReadFile(filepath.Join(dir, "database", "postmaster.pid"))
	if err != nil {
		t.Fatal(err)
	}
	line, _, _ := strings.Cut(string(content), "\n")
	pid, err := strconv.Atoi(line)
	if err != nil {
		t.Fatal(err)
	}
	return pid
}

func kill(t *testing.T, pid int) {
	t.Helper()
	if err := syscall.Kill(pid, syscall.SIGKILL); err != nil {
		t.Fatal(err)
	}
}

// kill ends the helper as kill -9 does, and returns when it is gone, as a
// supervisor would know it.
func (n nightbell) kill(t *testing.T) {
	t.Helper()
	kill(t, n.command.Process.Pid)
	_ = n.command.Wait() // "signal: killed"
}

// waitEnd waits until a process is gone or only waits to be reaped.
func waitEnd(t *testing.T, pid int) {
	t.Helper()
	for deadline := time.Now().Add(20 * time.Second); time.Now().Before(deadline); time.Sleep(time.Millisecond) {
		stat, err := os.ReadFile(fmt.Sprintf("/proc/%d/stat", pid))
		if errors.Is(err, os.ErrNotExist) || errors.Is(err, syscall.ESRCH) || strings.Contains(string(stat), ") Z ") {
			return
		}
	}
	t.Fatalf("process %d still runs", pid)
}

const makeRow = "CREATE TABLE IF NOT EXISTS kept (what text); INSERT INTO kept VALUES ('committed'); SELECT what FROM kept LIMIT 1"

func TestServerEndsWithAKilledNightbell(t *testing.T) {
	dir := dataDir(t)
	for round := range 3 {
		running := startHelper(t, dir, nil)
		query(t, running.dsn, makeRow)
		begun := time.Now()
		running.kill(t)
		waitEnd(t, running.postmaster)
		t.Logf("round %d: the server was gone %s after the kill", round, time.Since(begun).Round(time.Millisecond))
		begun = time.Now()
		server := start(t, embedded.Options{DataDir: dir})
		t.Logf("round %d: the next start took %s", round, time.Since(begun).Round(time.Millisecond))
		if got := query(t, server.DSN(), "SELECT count(*)::text FROM kept"); got != strconv.Itoa(round+1) {
			t.Errorf("round %d: %s rows, expected %d", round, got, round+1)
		}
		stop(t, server)
	}
}

// The next start does not wait for a moment when nothing is left: a supervisor
// restarts at once.
func TestStartRightAfterAKill(t *testing.T) {
	t.Parallel()
	dir := dataDir(t)
	running := startHelper(t, dir, nil)
	query(t, running.dsn, makeRow)
	running.kill(t)
	server := start(t, embedded.Options{DataDir: dir})
	if got := query(t, server.DSN(), "SELECT count(*)::text FROM kept"); got != "1" {
		t.Errorf("%s rows, expected 1", got)
	}
}

func TestRecoversWhenBothAreKilled(t *testing.T) {
	t.Parallel()
	dir := dataDir(t)
	for round := range 3 {
		running := startHelper(t, dir, nil)
		query(t, running.dsn, makeRow)
		kill(t, running.postmaster)
		running.kill(t)
		begun := time.Now()
		server := start(t, embedded.Options{DataDir: dir})
		t.Logf("round %d: the next start, with recovery, took %s", round, time.Since(begun).Round(time.Millisecond))
		if got := query(t, server.DSN(), "SELECT count(*)::text FROM kept"); got != strconv.Itoa(round+1) {
			t.Errorf("round %d: %s rows, expected %d", round, got, round+1)
		}
		stop(t, server)
	}
}

// Number 1 always runs and is never ours; a zombie looks alive to kill(2).
func TestStalePidFileOfAnotherProcess(t *testing.T) {
	t.Parallel()
	dir := dataDir(t)
	running := startHelper(t, dir, nil)
	query(t, running.dsn, makeRow)
	kill(t, running.postmaster)
	running.kill(t)
	waitEnd(t, running.postmaster)
	pidFile := filepath.Join(dir, "database", "postmaster.pid")
	content, err := os.ReadFile(pidFile)
	if err != nil {
		t.Fatal(err)
	}
	_, rest, _ := strings.Cut(string(content), "\n")
	socketLock := filepath.Join(dir, "run", ".s.PGSQL.5432.lock")
	for _, file := range []string{pidFile, socketLock} {
		if err := os.WriteFile(file, []byte("1\n"+rest), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	server := start(t, embedded.Options{DataDir: dir})
	if got := query(t, server.DSN(), "SELECT count(*)::text FROM kept"); got != "1" {
		t.Errorf("%s rows, expected 1", got)
	}
}

// A backend in a long statement does not notice at once that its postmaster is
// gone. Two servers on one set of files would ruin it.
func TestWaitsForABackendThatOutlivesItsPostmaster(t *testing.T) {
	t.Parallel()
	dir := dataDir(t)
	running := startHelper(t, dir, nil)
	conn, err := pgx.Connect(t.Context(), running.dsn)
	if err != nil {
		t.Fatal(err)
	}
	backend := int(conn.PgConn().PID())
	if err := syscall.Kill(backend, syscall.SIGSTOP); err != nil {
		t.Fatal(err)
	}
	kill(t, running.postmaster)
	running.kill(t)

	const frozen = 300 * time.Millisecond
	time.AfterFunc(frozen, func() { _ = syscall.Kill(backend, syscall.SIGCONT) })
	begun := time.Now()
	start(t, embedded.Options{DataDir: dir})
	if waited := time.Since(begun); waited < frozen {
		t.Errorf("it started after %s while an old backend still ran", waited)
	}
}

// An ordinary user needs no privileges at all.
func TestStartsAsAnOrdinaryUser(t *testing.T) {
	t.Parallel()
	if os.Getuid() != 0 {
		t.Log("all tests here run as an ordinary user already")
		return
	}
	nobody, err := user.Lookup("nobody")
	if err != nil {
		t.Fatal(err)
	}
	uid, _ := strconv.Atoi(nobody.Uid)
	gid, _ := strconv.Atoi(nobody.Gid)
	parent := filepath.Dir(dataDir(t))
	if err := os.Chown(parent, uid, gid); err != nil {
		t.Fatal(err)
	}
	binary := filepath.Join(parent, "nightbell")
	content, err := os.ReadFile(os.Args[0]) // the folder it lies in is root's alone
	if err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(binary, content, 0o755); err != nil {
		t.Fatal(err)
	}
	running := startHelper(t, filepath.Join(parent, "data"), func(command *exec.Cmd) {
		command.Path, command.Dir = binary, parent
		command.Env = append(command.Env, "PROGRAMS=") // its own
		command.SysProcAttr = &syscall.SysProcAttr{Credential: &syscall.Credential{Uid: uint32(uid), Gid: uint32(gid)}}
	})
	if got := query(t, running.dsn, "SELECT 'fine'"); got != "fine" {
		t.Error(got)
	}
}
