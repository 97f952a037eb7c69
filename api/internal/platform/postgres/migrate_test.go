package postgres_test

import (
	"context"
	"strings"
	"sync"
	"testing"
	"testing/fstest"
	"time"

	"github.com/jackc/pgx/v5"

	"github.com/nightbell/nightbell/api/internal/platform/postgres"
	"github.com/nightbell/nightbell/api/internal/platform/postgres/pgtest"
)

func TestBuiltinMigrationsGoUpDownAndUp(t *testing.T) {
	t.Parallel()
	known, err := postgres.BuiltinMigrations()
	if err != nil {
		t.Fatal(err)
	}
	conn := pgtest.New(t).Owner(t) // migrated up already
	before := describeSchema(t, conn)
	if err := known.DownTo(t.Context(), conn, 0); err != nil {
		t.Fatalf("down: %v", err)
	}
	if left := describeSchema(t, conn); left != "" {
		t.Errorf("the down files leave something behind:\n%s", left)
	}
	applied, err := known.Up(t.Context(), conn)
	if err != nil || len(applied) != len(known) {
		t.Fatalf("up again applied %d of %d: %v", len(applied), len(known), err)
	}
	if after := describeSchema(t, conn); after != before {
		t.Errorf("up, down, up gives another schema.\nbefore:\n%s\nafter:\n%s", before, after)
	}
}

// describeSchema lists what migrations make, without what pgtest, the migrator
// and extensions have.
func describeSchema(t *testing.T, conn *pgx.Conn) string {
	t.Helper()
	var all string
	err := conn.QueryRow(t.Context(), `
		SELECT coalesce(string_agg(line, E'\n' ORDER BY line), '') FROM (
			SELECT table_name || '.' || column_name || ' ' || data_type AS line
			FROM information_schema.columns WHERE table_schema = 'public'
			UNION ALL
			SELECT 'function ' || oid::regprocedure FROM pg_proc
			WHERE pronamespace = 'public'::regnamespace
			  AND NOT EXISTS (SELECT FROM pg_depend d WHERE d.objid = pg_proc.oid AND d.deptype = 'e')
			UNION ALL
			SELECT 'policy ' || polrelid::regclass || '.' || polname FROM pg_policy
			UNION ALL
			SELECT indexdef FROM pg_indexes WHERE schemaname = 'public'
		) AS lines WHERE line !~ 'test_clock|schema_migration'`).Scan(&all)
	if err != nil {
		t.Fatal(err)
	}
	return all
}

// inSchema connects to a schema of its own, where other migrations can be tried.
func inSchema(t *testing.T, db *pgtest.Database) *pgx.Conn {
	t.Helper()
	conn := db.Owner(t)
	if _, err := conn.Exec(t.Context(), "CREATE SCHEMA IF NOT EXISTS trial; SET search_path = trial"); err != nil {
		t.Fatal(err)
	}
	return conn
}

func load(t *testing.T, files map[string]string) postgres.Migrations {
	t.Helper()
	folder := fstest.MapFS{}
	for name, content := range files {
		folder[name] = &fstest.MapFile{Data: []byte(content)}
	}
	known, err := postgres.LoadMigrations(folder)
	if err != nil {
		t.Fatal(err)
	}
	return known
}

func twoSteps() map[string]string {
	return map[string]string{
		"0001_first.up.sql": "CREATE TABLE first (id int)", "0001_first.down.sql": "DROP TABLE first",
		"0002_second.up.sql": "CREATE TABLE second (id int)", "0002_second.down.sql": "DROP TABLE second",
	}
}

func TestUpStatusDownTo(t *testing.T) {
	t.Parallel()
	conn, known := inSchema(t, pgtest.New(t)), load(t, twoSteps())
	expect := func(applied ...bool) {
		t.Helper()
		states, err := known.Status(t.Context(), conn)
		if err != nil || len(states) != len(applied) {
			t.Fatalf("status has %d entries: %v", len(states), err)
		}
		for i, state := range states {
			if got := !state.AppliedAt.IsZero(); got != applied[i] {
				t.Errorf("%s applied: %v, expected %v", state, got, applied[i])
			}
		}
	}
	expect(false, false)
	if done, err := known[:1].Up(t.Context(), conn); err != nil || len(done) != 1 {
		t.Fatalf("applied %v: %v", done, err)
	}
	expect(true, false)
	if done, err := known.Up(t.Context(), conn); err != nil || len(done) != 1 || done[0].Name != "second" {
		t.Fatalf("applied %v: %v", done, err)
	}
	expect(true, true)
	if done, err := known.Up(t.Context(), conn); err != nil || len(done) != 0 {
		t.Fatalf("nothing was missing, yet it applied %v: %v", done, err)
	}
	if err := known.DownTo(t.Context(), conn, 1); err != nil {
		t.Fatal(err)
	}
	expect(true, false)
}

func TestUpRefusesWhatDoesNotFit(t *testing.T) {
	t.Parallel()
	conn, known := inSchema(t, pgtest.New(t)), load(t, twoSteps())
	if _, err := known.Up(t.Context(), conn); err != nil {
		t.Fatal(err)
	}
	edited := twoSteps()
	edited["0002_second.up.sql"] += ";"
	for name, test := range map[string]struct {
		known postgres.Migrations
		says  string
	}{
		"newer database":   {known[:1], "newer Nightbell"},
		"edited migration": {load(t, edited), "was changed after"},
	} {
		if _, err := test.known.Up(t.Context(), conn); err == nil || !strings.Contains(err.Error(), test.says) {
			t.Errorf("%s: %v", name, err)
		}
	}
}

func TestFailedMigrationChangesNothingAndNamesTheLine(t *testing.T) {
	t.Parallel()
	conn := inSchema(t, pgtest.New(t))
	files := twoSteps()
	files["0002_second.up.sql"] = "CREATE TABLE second (id int);\nCREATE TABLE third (id nonsense)"
	_, err := load(t, files).Up(t.Context(), conn)
	if err == nil || !strings.Contains(err.Error(), "0002_second line 2") {
		t.Errorf("the mistake on line 2 gives: %v", err)
	}
	var second, first bool
	if err := conn.QueryRow(t.Context(), "SELECT to_regclass('second') IS NULL, to_regclass('first') IS NULL").Scan(&second, &first); err != nil {
		t.Fatal(err)
	}
	if !second || first {
		t.Errorf("second absent: %v (expected true), first absent: %v (expected false)", second, first)
	}
}

func TestProcessesMigrateOneAtATime(t *testing.T) {
	t.Parallel()
	db, known := pgtest.New(t), load(t, twoSteps())
	var done [4][]postgres.Migration
	var wait sync.WaitGroup
	for i := range done {
		conn := inSchema(t, db)
		wait.Go(func() {
			var err error
			if done[i], err = known.Up(t.Context(), conn); err != nil {
				t.Error(err)
			}
		})
	}
	wait.Wait()
	total := 0
	for _, applied := range done {
		total += len(applied)
	}
	if total != len(known) {
		t.Errorf("%d migrations were applied in all, expected %d", total, len(known))
	}
}

func TestUpWaitsForATableInUse(t *testing.T) {
	t.Parallel()
	db := pgtest.New(t)
	conn, other, known := inSchema(t, db), inSchema(t, db), load(t, map[string]string{
		"0001_a.up.sql": "CREATE TABLE a (id int)", "0001_a.down.sql": "DROP TABLE a",
		"0002_b.up.sql": "ALTER TABLE a ADD b int", "0002_b.down.sql": "ALTER TABLE a DROP b",
	})
	if _, err := known[:1].Up(t.Context(), conn); err != nil {
		t.Fatal(err)
	}
	tx, err := other.Begin(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	if _, err := tx.Exec(t.Context(), "SELECT * FROM a"); err != nil {
		t.Fatal(err)
	}
	// Longer than one lock_timeout, so a second attempt has to succeed.
	released := make(chan error)
	time.AfterFunc(2500*time.Millisecond, func() { released <- tx.Rollback(context.Background()) })
	if _, err := known.Up(t.Context(), conn); err != nil {
		t.Errorf("a reader of the table ended after 2.5 s, yet: %v", err)
	}
	if err := <-released; err != nil {
		t.Error(err)
	}
}

func TestLoadMigrationsRefusesDisorder(t *testing.T) {
	t.Parallel()
	for name, test := range map[string]struct {
		files []string
		says  string
	}{
		"gap":       {[]string{"0001_a.up.sql", "0001_a.down.sql", "0003_c.up.sql", "0003_c.down.sql"}, "0002 is missing"},
		"no down":   {[]string{"0001_a.up.sql"}, "needs both"},
		"two names": {[]string{"0001_a.up.sql", "0001_b.down.sql"}, "two names"},
		"bad name":  {[]string{"1_a.up.sql"}, "is not named like"},
	} {
		folder := fstest.MapFS{}
		for _, file := range test.files {
			folder[file] = &fstest.MapFile{Data: []byte("SELECT 1")}
		}
		if _, err := postgres.LoadMigrations(folder); err == nil || !strings.Contains(err.Error(), test.says) {
			t.Errorf("%s: %v", name, err)
		}
	}
}
