package postgres_test

import (
	"context"
	"errors"
	"net"
	"strings"
	"testing"
	"time"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"

	"github.com/nightbell/nightbell/api/internal/platform/postgres"
	"github.com/nightbell/nightbell/api/internal/platform/postgres/pgtest"
)

func TestEveryPoolRunsAsItsRole(t *testing.T) {
	t.Parallel()
	db := pgtest.New(t)
	if err := db.Check(t.Context()); err != nil {
		t.Fatal(err)
	}
	for _, pool := range postgres.Pools() {
		role := postgres.SystemRole
		if pool == postgres.Tenant || pool == postgres.Answers {
			role = postgres.TenantRole
		}
		if got := settings(t, db, pool); got.user != role || got.application != "pgtest "+string(pool) ||
			got.jit != "off" || got.statement == "0" || got.idle == "0" {
			t.Errorf("pool %s: %+v", pool, got)
		}
	}
}

type setting struct{ user, application, jit, statement, idle string }

func settings(t *testing.T, db *pgtest.Database, pool postgres.Pool) (s setting) {
	t.Helper()
	err := inPool(t, db.DB, pool, uuid.New(), func(ctx context.Context, tx pgx.Tx) error {
		return tx.QueryRow(ctx, `SELECT current_user, current_setting('application_name'), current_setting('jit'),
			current_setting('statement_timeout'), current_setting('idle_in_transaction_session_timeout')`).
			Scan(&s.user, &s.application, &s.jit, &s.statement, &s.idle)
	})
	if err != nil {
		t.Fatal(err)
	}
	return s
}

// inPool runs fn in a transaction of any pool; only those of people have an organization.
func inPool(t *testing.T, db *postgres.DB, pool postgres.Pool, org uuid.UUID, fn func(context.Context, pgx.Tx) error) error {
	t.Helper()
	switch pool {
	case postgres.Tenant:
		return db.InTenant(t.Context(), org, fn)
	case postgres.Answers:
		return db.InAnswer(t.Context(), org, fn)
	default:
		return db.InSystem(t.Context(), pool, fn)
	}
}

func TestFullPoolIsUnavailableNotStuck(t *testing.T) {
	t.Parallel()
	db := open(t, postgres.Config{DSN: pgtest.New(t).DSN(), AcquireTimeout: time.Second})
	err := db.InSystem(t.Context(), postgres.Audit, func(ctx context.Context, _ pgx.Tx) error { // has one connection
		nothing := func(context.Context, pgx.Tx) error { return nil }
		err := db.InSystem(ctx, postgres.Audit, nothing)
		if !errors.Is(err, postgres.ErrBusy) || !postgres.IsUnavailable(err) {
			t.Errorf("a full pool gives %v", err)
		}
		if err := db.InSystem(ctx, postgres.Ingest, nothing); err != nil {
			t.Errorf("another pool suffers from it: %v", err)
		}
		return nil
	})
	if err != nil {
		t.Error(err)
	}
}

// TestOneOrganizationLeavesConnectionsToOthers: it waits for its own, and nobody else does.
func TestOneOrganizationLeavesConnectionsToOthers(t *testing.T) {
	t.Parallel()
	db := open(t, postgres.Config{DSN: pgtest.New(t).DSN(), AcquireTimeout: 200 * time.Millisecond, Conns: map[postgres.Pool]int32{postgres.Tenant: 3}})
	greedy, other := uuid.New(), uuid.New()
	nothing := func(context.Context, pgx.Tx) error { return nil }
	err := db.InTenant(t.Context(), greedy, func(context.Context, pgx.Tx) error { // of three it may have one
		if err := db.InTenant(t.Context(), greedy, nothing); !errors.Is(err, postgres.ErrBusy) {
			t.Errorf("it takes what others may need: %v", err)
		}
		if err := db.InTenant(t.Context(), other, nothing); err != nil {
			t.Errorf("another organization finds none: %v", err)
		}
		return nil
	})
	if err != nil {
		t.Error(err)
	}
	if err := db.InTenant(t.Context(), greedy, nothing); err != nil {
		t.Errorf("its own is not given back: %v", err)
	}
}

// TestAnAnswerWaitsLongerThanOthers: in a storm many people answer at once, and none of them is refused for that.
func TestAnAnswerWaitsLongerThanOthers(t *testing.T) {
	t.Parallel()
	db := open(t, postgres.Config{DSN: pgtest.New(t).DSN(), AcquireTimeout: 2 * time.Second, Conns: map[postgres.Pool]int32{postgres.Answers: 1}})
	held, answered := make(chan struct{}), make(chan error, 1)
	err := db.InAnswer(t.Context(), uuid.New(), func(context.Context, pgx.Tx) error {
		go func() {
			close(held)
			answered <- db.InAnswer(t.Context(), uuid.New(), func(context.Context, pgx.Tx) error { return nil })
		}()
		<-held
		select {
		case err := <-answered:
			answered <- err
		case <-time.After(3 * time.Second):
		}
		return nil
	})
	if err != nil {
		t.Error(err)
	}
	if err := <-answered; err != nil {
		t.Errorf("the answer is refused: %v", err)
	}
}

// TestAServerWithoutAFreeConnectionIsWaitedFor fills PostgreSQL up to its limit, as two
// replicas do where max_connections is small.
func TestAServerWithoutAFreeConnectionIsWaitedFor(t *testing.T) {
	t.Parallel()
	full := pgtest.New(t)
	db := open(t, postgres.Config{DSN: full.DSN()})
	held, free := make(chan struct{}), make(chan struct{})
	first := make(chan error, 1)
	go func() {
		first <- db.InSystem(t.Context(), postgres.Ingest, func(context.Context, pgx.Tx) error {
			close(held)
			<-free
			return nil
		})
	}()
	<-held
	owner := full.Owner(t)
	if _, err := owner.Exec(t.Context(), "DO $$ BEGIN EXECUTE format('ALTER DATABASE %I CONNECTION LIMIT 1', current_database()); END $$"); err != nil {
		t.Fatal(err)
	}
	time.AfterFunc(300*time.Millisecond, func() { close(free) })
	if err := db.InSystem(t.Context(), postgres.Ingest, func(context.Context, pgx.Tx) error { return nil }); err != nil {
		t.Errorf("who meets a full server while the pool has a connection in use gets: %v", err)
	}
	if err := <-first; err != nil {
		t.Error(err)
	}
	if err := db.InSystem(t.Context(), postgres.Sweep, func(context.Context, pgx.Tx) error { return nil }); !postgres.IsUnavailable(err) || !postgres.IsAway(err) {
		t.Errorf("a pool without any connection gives %v", err)
	}
}

func open(t *testing.T, cfg postgres.Config) *postgres.DB {
	t.Helper()
	db, err := postgres.Open(t.Context(), cfg)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(db.Close)
	return db
}

func TestServerThatIsDownIsUnavailable(t *testing.T) {
	t.Parallel()
	db := open(t, postgres.Config{DSN: "postgres://nightbell:secret@" + freeAddress(t) + "/nightbell?sslmode=disable"})
	err := db.Check(t.Context())
	if !postgres.IsUnavailable(err) {
		t.Errorf("a refused connection gives %v", err)
	}
	if strings.Contains(err.Error(), "secret") {
		t.Errorf("the error shows the password: %v", err)
	}
}

// freeAddress is a local address that nobody listens on.
func freeAddress(t *testing.T) string {
	t.Helper()
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer listener.Close()
	return listener.Addr().String()
}

func TestSeveralHostsAreTriedInTurn(t *testing.T) {
	t.Parallel()
	database := pgtest.New(t)
	parsed, err := pgx.ParseConfig(database.DSN())
	if err != nil {
		t.Fatal(err)
	}
	dsn := "host=/nonexistent," + parsed.Host + " port=5432,5432 user=" + parsed.User + " dbname=" + parsed.Database + " sslmode=disable"
	if !strings.HasPrefix(parsed.Host, "/") {
		host, port, _ := net.SplitHostPort(freeAddress(t))
		dsn = strings.Replace(database.DSN(), parsed.Host, host+":"+port+","+parsed.Host, 1)
	}
	if err := open(t, postgres.Config{DSN: dsn}).Check(t.Context()); err != nil {
		t.Errorf("with the first host down: %v", err)
	}
}

func TestBadDSNIsNotRepeated(t *testing.T) {
	t.Parallel()
	_, err := postgres.Open(t.Context(), postgres.Config{DSN: "postgres://user:se cret@host:port/x"})
	if err == nil || strings.Contains(err.Error(), "cret") || !strings.Contains(err.Error(), "DATABASE_URL") {
		t.Errorf("a bad DSN gives %v", err)
	}
}

func TestErrorsOfTheServerAreTold(t *testing.T) {
	t.Parallel()
	db := pgtest.New(t)
	acme, _ := organizations(t, db)
	run := func(sql string, args ...any) error {
		return db.InSystem(t.Context(), postgres.Background, func(ctx context.Context, tx pgx.Tx) error {
			if _, err := tx.Exec(ctx, "SET LOCAL statement_timeout = '100ms'"); err != nil {
				return err
			}
			_, err := tx.Exec(ctx, sql, args...)
			return err
		})
	}
	const insertTeam = "INSERT INTO team (org_id, id, name, created_at) VALUES ($1, gen_random_uuid(), $2, nightbell_now())"
	if err := run(insertTeam, acme, "ACME TEAM"); !postgres.IsUnique(err) || postgres.ConstraintName(err) != "team_name_key" {
		t.Errorf("a second team of the same name gives %v", err)
	}
	if err := run("DELETE FROM org WHERE id = $1", acme); !postgres.IsForeignKey(err) {
		t.Errorf("removing an organization that has teams gives %v", err)
	}
	for name, sql := range map[string]string{
		"slow statement":     "SELECT pg_sleep(5)",
		"out of connections": "DO $$ BEGIN RAISE EXCEPTION 'x' USING ERRCODE = '53300'; END $$",
		"starting up":        "DO $$ BEGIN RAISE EXCEPTION 'x' USING ERRCODE = '57P03'; END $$",
	} {
		err := run(sql)
		if !postgres.IsUnavailable(err) {
			t.Errorf("%s is not unavailable: %v", name, err)
		}
		if slow := name == "slow statement"; postgres.IsAway(err) == slow || postgres.IsStatementTimeout(err) != slow {
			t.Errorf("%s is taken for away or slow: %v", name, err)
		}
	}
	if err := terminated(t, db); !postgres.IsUnavailable(err) {
		t.Errorf("a connection ended by the administrator is not unavailable: %v", err)
	}
	if err := run("SELECT 1/0"); err == nil || postgres.IsUnavailable(err) {
		t.Errorf("our own mistake is unavailable: %v", err)
	}
	if postgres.IsUnavailable(nil) || postgres.Code(errOurs) != "" || postgres.ConstraintName(errOurs) != "" {
		t.Error("an error of ours, or none, is taken for the server's")
	}
}

// terminated is the error of a statement whose connection was just ended.
func terminated(t *testing.T, db *pgtest.Database) error {
	t.Helper()
	owner := db.Owner(t)
	return db.InSystem(t.Context(), postgres.Background, func(ctx context.Context, tx pgx.Tx) error {
		var pid int
		if err := tx.QueryRow(ctx, "SELECT pg_backend_pid()").Scan(&pid); err != nil {
			return err
		}
		if _, err := owner.Exec(ctx, "SELECT pg_terminate_backend($1)", pid); err != nil {
			t.Fatal(err)
		}
		_, err := tx.Exec(ctx, "SELECT pg_sleep(1)")
		return err
	})
}
