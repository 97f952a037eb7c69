package postgres_test

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"

	"github.com/nightbell/nightbell/api/internal/app"
	"github.com/nightbell/nightbell/api/internal/platform/postgres"
	"github.com/nightbell/nightbell/api/internal/platform/postgres/pgtest"
)

// TestBehindATransactionPooler migrates an empty database and works in all pools at once
// through fewer server connections than there are clients, so that they are mixed.
func TestBehindATransactionPooler(t *testing.T) {
	t.Parallel()
	database := pgtest.New(t)
	dsn := pooled(t, emptyDatabase(t, database), "transaction")
	if applied, err := postgres.Migrate(t.Context(), dsn); err != nil || len(applied) == 0 {
		t.Fatalf("migrate: applied %v: %v", applied, err)
	}
	db := open(t, postgres.Config{DSN: dsn, AcquireTimeout: 20 * time.Second})
	if err := db.Check(t.Context()); err != nil {
		t.Fatal(err)
	}
	if !db.Pooled() {
		t.Error("the pooler is not noticed")
	}
	var work sync.WaitGroup
	for range 4 {
		work.Go(func() {
			for range 20 {
				everyPoolHasItsRole(t, db)
			}
		})
	}
	work.Wait()
	plain, err := pgx.Connect(t.Context(), dsn+" default_query_exec_mode=simple_protocol")
	if err != nil {
		t.Fatal(err)
	}
	defer plain.Close(t.Context())
	for range 20 { // each may be another server connection
		var user, plans, org string
		err := plain.QueryRow(t.Context(), "SELECT current_user, current_setting('plan_cache_mode'), coalesce(current_setting('nightbell.org_id', true), '')").Scan(&user, &plans, &org)
		if err != nil || strings.HasPrefix(user, "nightbell_") || plans != "auto" || org != "" {
			t.Fatalf("another client runs as %s with %s plans for organization %q: %v", user, plans, org, err)
		}
	}
	if _, err := db.Dedicated(t.Context()); !errors.Is(err, postgres.ErrPooler) {
		t.Errorf("a connection to LISTEN on gives %v", err)
	}
}

// everyPoolHasItsRole asserts role, organization and settings inside a transaction of each pool.
func everyPoolHasItsRole(t *testing.T, db *postgres.DB) {
	t.Helper()
	const ask = `SELECT current_user, coalesce(current_setting('nightbell.org_id', true), ''), current_setting('enable_seqscan'), current_setting('synchronous_commit') = 'local'`
	check := func(role, org, scans string, here bool) func(context.Context, pgx.Tx) error {
		return func(ctx context.Context, tx pgx.Tx) error {
			var gotRole, gotOrg, gotScans string
			var gotHere bool
			if err := tx.QueryRow(ctx, ask).Scan(&gotRole, &gotOrg, &gotScans, &gotHere); err != nil {
				return err
			}
			if gotRole != role || gotOrg != org || gotScans != scans || gotHere != here {
				return fmt.Errorf("runs as %s for %q, seqscan %s, commits here alone %v", gotRole, gotOrg, gotScans, gotHere)
			}
			return nil
		}
	}
	org := uuid.New()
	expected := map[postgres.Pool]struct {
		role, org, scans string
		here             bool
	}{
		postgres.Tenant: {postgres.TenantRole, org.String(), "on", false}, postgres.Answers: {postgres.TenantRole, org.String(), "off", false},
		postgres.Identity: {postgres.SystemRole, "", "on", false}, postgres.Ingest: {postgres.SystemRole, "", "off", false},
		postgres.Sweep: {postgres.SystemRole, "", "off", true}, postgres.Audit: {postgres.SystemRole, "", "on", true},
		postgres.Background: {postgres.SystemRole, "", "on", false}, postgres.Webhooks: {postgres.SystemRole, "", "on", true},
		postgres.Heartbeats: {postgres.SystemRole, "", "off", false}, postgres.Health: {postgres.SystemRole, "", "on", true},
	}
	for _, pool := range postgres.Pools() {
		want, named := expected[pool]
		if !named {
			t.Errorf("nothing says what %s runs as", pool)
		}
		if err := inPool(t, db, pool, org, check(want.role, want.org, want.scans, want.here)); err != nil {
			t.Errorf("%s: %v", pool, err)
		}
	}
}

func TestEveryTransactionHasTheRoleOfItsPool(t *testing.T) {
	t.Parallel()
	db := pgtest.New(t)
	for range 3 {
		everyPoolHasItsRole(t, db.DB)
	}
	if db.Pooled() {
		t.Error("a pooler is seen where there is none")
	}
}

func TestWhatAPoolerCannotDoIsRefusedWithTheRemedy(t *testing.T) {
	t.Parallel()
	database := pgtest.New(t)
	_, err := postgres.Migrate(t.Context(), pooled(t, database.DSN(), "statement"))
	if err == nil || !strings.Contains(err.Error(), "Set pool_mode = transaction there") {
		t.Errorf("statement pooling: %v", err)
	}
	_, err = postgres.Migrate(t.Context(), pooled(t, database.DSN(), "transaction")+" statement_timeout=1000")
	if err == nil || !strings.Contains(err.Error(), "Take it out of DATABASE_URL") {
		t.Errorf("a startup parameter: %v", err)
	}
}

func TestDoctorSaysWhatAPoolerCannotDo(t *testing.T) {
	t.Parallel()
	database := pgtest.New(t)
	config := app.Config{Listen: "127.0.0.1:8480", SMTPPort: 587, SMTPFrom: "Nightbell <nightbell@example.com>", DataDir: t.TempDir()}
	for _, refused := range []struct{ dsn, remedy string }{
		{pooled(t, database.DSN(), "statement"), "Set pool_mode = transaction there"},
		{pooled(t, database.DSN(), "transaction") + " statement_timeout=1000", "Take it out of DATABASE_URL"},
	} {
		config.DatabaseURL = refused.dsn
		if err := app.Doctor(t.Context(), config, io.Discard); err == nil || !strings.Contains(err.Error(), refused.remedy) {
			t.Errorf("doctor says %v, want %q", err, refused.remedy)
		}
	}
}

// emptyDatabase is one without a schema, dropped with the test.
func emptyDatabase(t *testing.T, beside *pgtest.Database) (dsn string) {
	t.Helper()
	owner := beside.Owner(t)
	name := owner.Config().Database + "_pooled"
	if _, err := owner.Exec(t.Context(), "CREATE DATABASE "+name+" TEMPLATE template0"); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		conn, err := pgx.Connect(context.Background(), beside.DSN())
		if err == nil {
			_, err = conn.Exec(context.Background(), "DROP DATABASE "+name+" WITH (FORCE)")
			_ = conn.Close(context.Background())
		}
		if err != nil {
			t.Error(err)
		}
	})
	return strings.Replace(beside.DSN(), owner.Config().Database, name, 1)
}

// pooled starts PgBouncer in front of the server of dsn, with eight server connections.
func pooled(t *testing.T, dsn, mode string) string {
	t.Helper()
	program, err := exec.LookPath("pgbouncer")
	if err != nil {
		if program = "/usr/sbin/pgbouncer"; !runs(program) { // not in everybody's PATH
			t.Fatal("this test needs PgBouncer: run make deps")
		}
	}
	target, err := pgx.ParseConfig(dsn)
	if err != nil {
		t.Fatal(err)
	}
	dir, err := os.MkdirTemp("", "nightbell-pooler-") //nolint:usetesting // other accounts cannot enter t.TempDir
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = os.RemoveAll(dir) })
	_, port, _ := net.SplitHostPort(freeAddress(t))
	server := fmt.Sprintf("host=%s port=%d user=%s", target.Host, target.Port, target.User)
	if target.Password != "" {
		server += " password=" + target.Password
	}
	ini := fmt.Sprintf("[databases]\n* = %s\n[pgbouncer]\nlisten_addr = 127.0.0.1\nlisten_port = %s\nunix_socket_dir =\n"+
		"auth_type = any\npool_mode = %s\ndefault_pool_size = 8\n", server, port, mode)
	file := filepath.Join(dir, "pgbouncer.ini")
	if err := errors.Join(os.WriteFile(file, []byte(ini), 0o644), os.Chmod(dir, 0o755)); err != nil {
		t.Fatal(err)
	}
	var said strings.Builder
	bouncer := exec.Command(program, file)
	bouncer.Stdout, bouncer.Stderr = &said, &said
	bouncer.SysProcAttr = &syscall.SysProcAttr{Pdeathsig: syscall.SIGKILL, Credential: ownerOf(t, target.Host)}
	if err := bouncer.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		_ = bouncer.Process.Kill()
		_ = bouncer.Wait()
		if t.Failed() {
			t.Logf("PgBouncer said:\n%s", said.String())
		}
	})
	address := net.JoinHostPort("127.0.0.1", port)
	for range 100 {
		if conn, err := net.Dial("tcp", address); err == nil {
			_ = conn.Close()
			return fmt.Sprintf("host=127.0.0.1 port=%s user=%s dbname=%s sslmode=disable", port, target.User, target.Database)
		}
		time.Sleep(50 * time.Millisecond)
	}
	t.Fatalf("PgBouncer does not answer on %s", address)
	return ""
}

func runs(program string) bool {
	info, err := os.Stat(program)
	return err == nil && !info.IsDir()
}

// ownerOf is the account that may enter the server's socket folder; PgBouncer refuses to
// run as root.
func ownerOf(t *testing.T, host string) *syscall.Credential {
	t.Helper()
	if os.Getuid() != 0 {
		return nil
	}
	info, err := os.Stat(host)
	if err != nil {
		return &syscall.Credential{Uid: 65534, Gid: 65534} // a server on a network
	}
	owner := info.Sys().(*syscall.Stat_t)
	return &syscall.Credential{Uid: owner.Uid, Gid: owner.Gid}
}
