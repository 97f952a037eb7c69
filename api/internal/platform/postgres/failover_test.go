package postgres_test

import (
	"context"
	"errors"
	"os"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"

	"github.com/nightbell/nightbell/api/internal/platform/postgres"
	"github.com/nightbell/nightbell/api/internal/platform/postgres/embedded"
	"github.com/nightbell/nightbell/api/internal/platform/postgres/pgtest"
)

func TestAnOldPrimaryIsRefused(t *testing.T) {
	t.Parallel()
	for name, test := range map[string]struct {
		clusters  []string
		timelines []uint32
		refused   bool
	}{
		"the first":                 {[]string{"a"}, []uint32{3}, false},
		"the same again":            {[]string{"a", "a"}, []uint32{3, 3}, false},
		"promoted":                  {[]string{"a", "a"}, []uint32{3, 4}, false},
		"from before the promotion": {[]string{"a", "a", "a"}, []uint32{3, 4, 3}, true},
		"another cluster":           {[]string{"a", "b"}, []uint32{9, 1}, false},
		"one that does not tell":    {[]string{"", ""}, []uint32{0, 0}, false},
	} {
		if err := postgres.Admit(test.clusters, test.timelines); (err != nil) != test.refused {
			t.Errorf("%s: %v", name, err)
		}
	}
}

// TestAPromotionIsFollowedWhileTheOldPrimaryHangs has the promoted server say so while the
// old one, which hangs, has not been given up yet.
func TestAPromotionIsFollowedWhileTheOldPrimaryHangs(t *testing.T) {
	t.Parallel()
	ctx := t.Context()
	db := open(t, postgres.Config{DSN: "postgres://nightbell@192.0.2.1,192.0.2.2/nightbell?sslmode=disable"})
	w := db.Watched()
	steps := []struct {
		says     string
		replaced bool
	}{
		{"the primary is found", w.Says(ctx, 0, 1, true, nil)},
		{"its standby", w.Says(ctx, 1, 1, false, nil)},
		{"the standby again; the primary says nothing any more", w.Says(ctx, 1, 1, false, nil)},
		{"the standby was promoted", w.Says(ctx, 1, 2, true, nil)},
		{"the look at the old primary fails", w.Says(ctx, 0, 0, false, context.DeadlineExceeded)},
		{"the old primary wakes", w.Says(ctx, 0, 1, true, nil)},
		{"the new one is missed once", w.Says(ctx, 1, 0, false, errOurs)},
		{"twice", w.Says(ctx, 1, 0, false, errOurs)},
		{"three times, and there is no other", w.Says(ctx, 1, 0, false, errOurs)},
	}
	for i, step := range steps {
		if want := i == 3 || i == 8; step.replaced != want {
			t.Errorf("%s: pools replaced: %v, expected %v", step.says, step.replaced, want)
		}
	}
}

// A replica that starts while both take writes may have found the old one.
func TestTwoPrimariesAtStart(t *testing.T) {
	t.Parallel()
	db := open(t, postgres.Config{DSN: "postgres://nightbell@192.0.2.1,192.0.2.2/nightbell?sslmode=disable"})
	w := db.Watched()
	if w.Says(t.Context(), 1, 2, true, nil) {
		t.Error("the first primary that is seen replaces the pools")
	}
	if !w.Says(t.Context(), 0, 1, true, nil) {
		t.Error("the pools stay at a server that was the primary once")
	}
}

// TestReplacedPoolsReleaseWhoeverWaits replaces the pools while a statement runs, and
// while somebody waits for a connection.
func TestReplacedPoolsReleaseWhoeverWaits(t *testing.T) {
	t.Parallel()
	db := open(t, postgres.Config{DSN: pgtest.New(t).DSN(), AcquireTimeout: 10 * time.Second})
	sleeping, waiting := make(chan error, 1), make(chan error, 1)
	running := make(chan struct{})
	go func() {
		sleeping <- db.InSystem(t.Context(), postgres.Audit, func(ctx context.Context, tx pgx.Tx) error { // has one connection
			close(running)
			_, err := tx.Exec(ctx, "SELECT pg_sleep(4)")
			return err
		})
	}()
	<-running
	go func() {
		waiting <- db.InSystem(t.Context(), postgres.Audit, func(context.Context, pgx.Tx) error { return nil })
	}()
	time.Sleep(50 * time.Millisecond) // so that it waits; if it does not yet, the test is easier
	began := time.Now()
	if err := db.Replace(t.Context()); err != nil {
		t.Fatal(err)
	}
	if err := <-sleeping; !postgres.IsUnavailable(err) {
		t.Errorf("the statement under way ended with %v", err)
	}
	if err := <-waiting; err != nil {
		t.Errorf("who waited for a connection got %v", err)
	}
	if took := time.Since(began); took > 3*time.Second {
		t.Errorf("they were released after %s", took)
	}
}

// TestACancelledWaitForTheStandbyIsNoSuccess lets PostgreSQL wait for a standby that does
// not exist, and cancels the wait.
func TestACancelledWaitForTheStandbyIsNoSuccess(t *testing.T) {
	t.Parallel()
	dsn, admin := synchronous(t)
	db := open(t, postgres.Config{DSN: dsn})
	for name, commit := range map[string]func(context.Context, pgx.Tx, *pgx.Batch) error{
		"Commit": func(ctx context.Context, tx pgx.Tx, batch *pgx.Batch) error { return tx.SendBatch(ctx, batch).Close() },
		"Finish": postgres.Finish,
	} {
		done := make(chan error, 1)
		go func() {
			done <- db.InSystem(t.Context(), postgres.Background, func(ctx context.Context, tx pgx.Tx) error {
				batch := &pgx.Batch{}
				batch.Queue(`INSERT INTO org (id, kind, name, created_at) VALUES (gen_random_uuid(), 'organization', $1, nightbell_now())`, name)
				return commit(ctx, tx, batch)
			})
		}()
		cancelWaits(t, admin, done, name)
		var kept bool
		if err := admin.QueryRow(t.Context(), "SELECT EXISTS (SELECT FROM org WHERE name = $1)", name).Scan(&kept); err != nil || !kept {
			t.Errorf("%s: PostgreSQL did not keep the row (%v): this is not the hazard", name, err)
		}
	}
	if err := db.InSystem(t.Context(), postgres.Background, func(context.Context, pgx.Tx) error { return nil }); err != nil {
		t.Errorf("a transaction that wrote nothing: %v", err)
	}
}

// TestPagesDoNotWaitForTheStandby writes what sweeps write while no standby confirms.
func TestPagesDoNotWaitForTheStandby(t *testing.T) {
	t.Parallel()
	dsn, _ := synchronous(t)
	db := open(t, postgres.Config{DSN: dsn})
	ctx, cancel := context.WithTimeout(t.Context(), 20*time.Second) // the wait would never end
	defer cancel()
	for _, pool := range []postgres.Pool{postgres.Sweep, postgres.Audit} {
		err := db.InSystem(ctx, pool, func(ctx context.Context, tx pgx.Tx) error {
			_, err := tx.Exec(ctx, `INSERT INTO org (id, kind, name, created_at) VALUES (gen_random_uuid(), 'organization', $1, nightbell_now())`, pool)
			return err
		})
		if err != nil {
			t.Errorf("pool %s: %v", pool, err)
		}
	}
}

func cancelWaits(t *testing.T, admin *pgx.Conn, done <-chan error, name string) {
	t.Helper()
	for deadline := time.Now().Add(10 * time.Second); time.Now().Before(deadline); time.Sleep(20 * time.Millisecond) {
		select {
		case err := <-done:
			if !errors.Is(err, postgres.ErrNotReplicated) || !postgres.IsUnavailable(err) {
				t.Errorf("%s: the commit ended with %v", name, err)
			}
			return
		default:
		}
		if _, err := admin.Exec(t.Context(), "SELECT pg_cancel_backend(pid) FROM pg_stat_activity WHERE wait_event = 'SyncRep'"); err != nil {
			t.Fatal(err)
		}
	}
	t.Fatalf("%s: the commit did not end", name)
}

// synchronous starts a server of its own that waits for a standby which never comes.
func synchronous(t *testing.T) (dsn string, admin *pgx.Conn) {
	t.Helper()
	dir, err := os.MkdirTemp("", "nightbell-synchronous-") //nolint:usetesting // other accounts cannot enter t.TempDir
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = os.RemoveAll(dir) })
	if err := os.Chmod(dir, 0o711); err != nil {
		t.Fatal(err)
	}
	server, err := embedded.Start(t.Context(), embedded.Options{DataDir: dir})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		ctx, cancel := context.WithTimeout(context.Background(), 10*time.Second)
		defer cancel()
		_ = server.Stop(ctx)
	})
	if _, err := postgres.Migrate(t.Context(), server.DSN()); err != nil {
		t.Fatal(err)
	}
	admin, err = pgx.Connect(t.Context(), strings.Replace(server.AdminDSN(), "/postgres?", "/nightbell?", 1))
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = admin.Close(context.Background()) })
	for _, sql := range []string{"SET synchronous_commit = local", "ALTER SYSTEM SET synchronous_standby_names = 'nobody'", "SELECT pg_reload_conf()"} {
		if _, err := admin.Exec(t.Context(), sql); err != nil {
			t.Fatal(err)
		}
	}
	waitForTheSetting(t, server.DSN(), admin)
	return server.DSN(), admin
}

// waitForTheSetting commits until a commit waits for the standby: a reload only signals, and it is
// the checkpointer that lets commits wait from then on.
func waitForTheSetting(t *testing.T, dsn string, admin *pgx.Conn) {
	t.Helper()
	writer, err := pgx.Connect(t.Context(), dsn)
	if err != nil {
		t.Fatal(err)
	}
	var waited atomic.Bool
	ended := make(chan error, 1)
	go func() {
		for !waited.Load() {
			if _, err := writer.Exec(t.Context(), "SELECT pg_logical_emit_message(true, 'test', '')"); err != nil {
				ended <- err
				return
			}
		}
		ended <- writer.Close(t.Context())
	}()
	for {
		select {
		case err := <-ended:
			if err != nil {
				t.Fatal(err)
			}
			return
		case <-time.After(5 * time.Millisecond):
		}
		var cancelled int
		if err := admin.QueryRow(t.Context(), "SELECT count(pg_cancel_backend(pid)) FROM pg_stat_activity WHERE wait_event = 'SyncRep'").Scan(&cancelled); err != nil {
			t.Fatal(err)
		}
		if cancelled > 0 {
			waited.Store(true)
		}
	}
}
