package postgres_test

import (
	"context"
	"slices"
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
	for _, migration := range slices.Backward(known) {
		if err := undo(t, conn, migration); err != nil {
			t.Fatalf("down: %v", err)
		}
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

// undo goes back as an administrator does by hand.
func undo(t *testing.T, conn *pgx.Conn, m postgres.Migration) error {
	t.Helper()
	return pgx.BeginFunc(t.Context(), conn, func(tx pgx.Tx) error {
		if _, err := tx.Exec(t.Context(), m.Down); err != nil {
			return err
		}
		_, err := tx.Exec(t.Context(), "DELETE FROM schema_migration WHERE version = $1", m.Version)
		return err
	})
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
	known, err := postgres.LoadMigrations(mapFS(files))
	if err != nil {
		t.Fatal(err)
	}
	return known
}

func twoSteps() map[string]string {
	return map[string]string{
		"0001_first.up.sql": "-- oldest-program: 1\nCREATE TABLE first (id int)", "0001_first.down.sql": "DROP TABLE first",
		"0002_second.up.sql": "-- oldest-program: 1\nCREATE TABLE second (id int)", "0002_second.down.sql": "DROP TABLE second",
	}
}

func TestUpAppliesWhatStatusMisses(t *testing.T) {
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
				t.Errorf("%s applied: %v, expected %v", state.Name, got, applied[i])
			}
		}
	}
	expect(false, false)
	if done, err := known[:1].Up(t.Context(), conn); err != nil || len(done) != 1 {
		t.Fatalf("applied %v: %v", done, err)
	}
	expect(true, false)
	if done, err := known.Up(t.Context(), conn); err != nil || len(done) != 1 || done[0].Name != "0002_second" {
		t.Fatalf("applied %v: %v", done, err)
	}
	expect(true, true)
	if done, err := known.Up(t.Context(), conn); err != nil || len(done) != 0 {
		t.Fatalf("nothing was missing, yet it applied %v: %v", done, err)
	}
}

// A rolling update and a rollback: the program that knows one migration starts while, and
// after, the database has two.
func TestProgramServesANewerSchemaThatServesIt(t *testing.T) {
	t.Parallel()
	conn, known := inSchema(t, pgtest.New(t)), load(t, twoSteps())
	if _, err := known.Up(t.Context(), conn); err != nil {
		t.Fatal(err)
	}
	old := known[:1]
	if done, err := old.Up(t.Context(), conn); err != nil || len(done) != 0 {
		t.Errorf("the program before applied %v: %v", done, err)
	}
	states, err := old.Status(t.Context(), conn)
	if err != nil || len(states) != 2 || states[1].Name != "0002_second" {
		t.Errorf("the program before lists %v: %v", states, err)
	}
	if done, err := known.Up(t.Context(), conn); err != nil || len(done) != 0 {
		t.Errorf("the newer program, started again, applied %v: %v", done, err)
	}
}

func TestProgramRefusesANewerSchemaThatDoesNotServeIt(t *testing.T) {
	t.Parallel()
	conn, files := inSchema(t, pgtest.New(t)), twoSteps()
	files["0002_second.up.sql"] = "-- oldest-program: 2\nALTER TABLE first RENAME TO second"
	files["0002_second.down.sql"] = "ALTER TABLE second RENAME TO first"
	// What serves less stays in force when a later migration says nothing of it.
	files["0003_third.up.sql"], files["0003_third.down.sql"] = "-- oldest-program: 1\nCREATE TABLE third (id int)", "DROP TABLE third"
	known := load(t, files)
	if _, err := known.Up(t.Context(), conn); err != nil {
		t.Fatal(err)
	}
	_, err := known[:1].Up(t.Context(), conn)
	if err == nil || !strings.Contains(err.Error(), "0002_second, which serves programs that know migration 0002 or later. This one knows 0001: start a newer version") {
		t.Errorf("a program that needs the old table: %v", err)
	}
	if done, err := known[:2].Up(t.Context(), conn); err != nil || len(done) != 0 {
		t.Errorf("a program that knows the new table applied %v: %v", done, err)
	}
}

func TestUpRefusesAnEditedMigration(t *testing.T) {
	t.Parallel()
	conn := inSchema(t, pgtest.New(t))
	if _, err := load(t, twoSteps()).Up(t.Context(), conn); err != nil {
		t.Fatal(err)
	}
	edited := twoSteps()
	edited["0002_second.up.sql"] += ";"
	if _, err := load(t, edited).Up(t.Context(), conn); err == nil ||
		!strings.Contains(err.Error(), "made by another, unreleased build of Nightbell") || !strings.Contains(err.Error(), "0002_second was changed after") {
		t.Errorf("an edited migration: %v", err)
	}
}

func TestFailedMigrationChangesNothingAndNamesTheLine(t *testing.T) {
	t.Parallel()
	conn := inSchema(t, pgtest.New(t))
	files := twoSteps()
	files["0002_second.up.sql"] = "-- oldest-program: 1\nCREATE TABLE second (id int);\nCREATE TABLE third (id nonsense)"
	_, err := load(t, files).Up(t.Context(), conn)
	if err == nil || !strings.Contains(err.Error(), "0002_second line 3") {
		t.Errorf("the mistake on line 3 gives: %v", err)
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
		"0001_a.up.sql": "-- oldest-program: 1\nCREATE TABLE a (id int)", "0001_a.down.sql": "DROP TABLE a",
		"0002_b.up.sql": "-- oldest-program: 1\nALTER TABLE a ADD b int", "0002_b.down.sql": "ALTER TABLE a DROP b",
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
	const up = "-- oldest-program: 1\nSELECT 1"
	for name, test := range map[string]struct {
		files map[string]string
		says  string
	}{
		"gap":         {map[string]string{"0001_a.up.sql": up, "0001_a.down.sql": up, "0003_c.up.sql": up, "0003_c.down.sql": up}, "0002 is missing"},
		"two files":   {map[string]string{"0001_a.up.sql": up, "0001_a.down.sql": up, "0001_b.up.sql": up, "0001_b.down.sql": up}, "has two files"},
		"no down":     {map[string]string{"0001_a.up.sql": up}, "needs both"},
		"bad name":    {map[string]string{"1_a.up.sql": up, "1_a.down.sql": up}, "0001 is missing"},
		"no programs": {map[string]string{"0001_a.up.sql": "SELECT 1", "0001_a.down.sql": up}, "which programs it still serves"},
		"no such one": {map[string]string{"0001_a.up.sql": "-- oldest-program: 2\nSELECT 1", "0001_a.down.sql": up}, "between 1 and its own"},
	} {
		if _, err := postgres.LoadMigrations(mapFS(test.files)); err == nil || !strings.Contains(err.Error(), test.says) {
			t.Errorf("%s: %v", name, err)
		}
	}
}

func mapFS(files map[string]string) fstest.MapFS {
	folder := fstest.MapFS{}
	for name, content := range files {
		folder[name] = &fstest.MapFile{Data: []byte(content)}
	}
	return folder
}
