package postgres_test

import (
	"context"
	"errors"
	"testing"
	"time"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgconn"

	"github.com/nightbell/nightbell/api/internal/platform/postgres"
	"github.com/nightbell/nightbell/api/internal/platform/postgres/pgtest"
)

var errOurs = errors.New("ours")

// organizations makes two with a team each and returns their ids.
func organizations(t *testing.T, db *pgtest.Database) (acme, umbrella uuid.UUID) {
	t.Helper()
	acme, umbrella = uuid.New(), uuid.New()
	for name, id := range map[string]uuid.UUID{"Acme": acme, "Umbrella": umbrella} {
		db.Exec(t, "INSERT INTO org (id, kind, name, created_at) VALUES ($1, 'organization', $2, nightbell_now())", id, name)
		db.Exec(t, "INSERT INTO team (org_id, id, name, created_at) VALUES ($1, gen_random_uuid(), $2, nightbell_now())", id, name+" team")
	}
	return acme, umbrella
}

func teamNames(t *testing.T, db *postgres.DB, org uuid.UUID) (names []string) {
	t.Helper()
	err := db.InTenant(t.Context(), org, func(ctx context.Context, tx pgx.Tx) error {
		rows, err := tx.Query(ctx, "SELECT name FROM team ORDER BY name")
		if err != nil {
			return err
		}
		names, err = pgx.CollectRows(rows, pgx.RowTo[string])
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return names
}

func TestTenantSeesOnlyItsOrganization(t *testing.T) {
	t.Parallel()
	db := pgtest.New(t)
	acme, umbrella := organizations(t, db)

	if names := teamNames(t, db.DB, acme); len(names) != 1 || names[0] != "Acme team" {
		t.Errorf("Acme sees %v", names)
	}
	// The same connections serve the next organization.
	if names := teamNames(t, db.DB, umbrella); len(names) != 1 || names[0] != "Umbrella team" {
		t.Errorf("Umbrella sees %v", names)
	}
	if names := teamNames(t, db.DB, uuid.New()); len(names) != 0 {
		t.Errorf("a stranger sees %v", names)
	}
	err := db.InTenant(t.Context(), acme, func(ctx context.Context, tx pgx.Tx) error {
		_, err := tx.Exec(ctx, "INSERT INTO team (org_id, id, name, created_at) VALUES ($1, gen_random_uuid(), 'x', nightbell_now())", umbrella)
		return err
	})
	if postgres.Code(err) != "42501" {
		t.Errorf("Acme could write into Umbrella: %v", err)
	}
	if total := pgtest.One[int](t, db, "SELECT count(*) FROM team"); total != 2 {
		t.Errorf("the system sees %d teams, expected 2", total)
	}
}

func TestTenantNeedsAnOrganizationAndSystemAPool(t *testing.T) {
	t.Parallel()
	db := pgtest.New(t)
	never := func(context.Context, pgx.Tx) error {
		t.Error("the function ran")
		return nil
	}
	if err := db.InTenant(t.Context(), uuid.Nil, never); err == nil {
		t.Error("a tenant transaction without an organization began")
	}
	if err := db.InSystem(t.Context(), postgres.Tenant, never); err == nil {
		t.Error("a system transaction began in the tenant pool")
	}
	if err := db.InAnswer(t.Context(), uuid.Nil, never); err == nil {
		t.Error("an answer without an organization began")
	}
	if err := db.InSystem(t.Context(), postgres.Answers, never); err == nil {
		t.Error("a system transaction began in the pool of answers")
	}
	if err := db.InSystem(t.Context(), "nonsense", never); err == nil {
		t.Error("a transaction began in a pool that is not there")
	}
}

func TestRollbackOnErrorAndPanic(t *testing.T) {
	t.Parallel()
	db := pgtest.New(t)
	insert := func(ctx context.Context, tx pgx.Tx) error {
		_, err := tx.Exec(ctx, "INSERT INTO installation (environment_id, created_at) VALUES (gen_random_uuid(), nightbell_now())")
		return err
	}
	err := db.InSystem(t.Context(), postgres.Sweep, func(ctx context.Context, tx pgx.Tx) error {
		return errors.Join(insert(ctx, tx), errOurs)
	})
	if !errors.Is(err, errOurs) {
		t.Errorf("the function's error became %v", err)
	}
	func() {
		defer func() { _ = recover() }()
		_ = db.InSystem(t.Context(), postgres.Sweep, func(ctx context.Context, tx pgx.Tx) error {
			_ = insert(ctx, tx)
			panic("ours")
		})
	}()
	if rows := pgtest.One[int](t, db, "SELECT count(*) FROM installation"); rows != 0 {
		t.Errorf("%d rows outlived their transaction", rows)
	}
	if held := db.Stats()[postgres.Sweep].AcquiredConns(); held != 0 {
		t.Errorf("%d connections were not given back", held)
	}
}

func TestRepeatsOnlyWhatPostgresSaysMayWork(t *testing.T) {
	t.Parallel()
	db := pgtest.New(t)
	for name, test := range map[string]struct {
		code     string
		failures int
		runs     int
		fails    bool
	}{
		"serialization failure, then fine": {"40001", 1, 2, false},
		"deadlock, then fine":              {"40P01", 2, 3, false},
		"never fine":                       {"40001", 9, 3, true},
		"another error":                    {"22012", 1, 1, true},
	} {
		runs := 0
		err := db.InSystem(t.Context(), postgres.Sweep, func(ctx context.Context, tx pgx.Tx) error {
			if runs++; runs > test.failures {
				return nil
			}
			_, err := tx.Exec(ctx, "DO $$ BEGIN RAISE EXCEPTION 'x' USING ERRCODE = '"+test.code+"'; END $$")
			return err
		})
		if runs != test.runs || (err != nil) != test.fails {
			t.Errorf("%s: ran %d times (expected %d), error %v", name, runs, test.runs, err)
		}
	}
}

func TestCancelledCallerGivesTheConnectionBack(t *testing.T) {
	t.Parallel()
	db := pgtest.New(t)
	ctx, cancel := context.WithCancel(t.Context())
	err := db.InSystem(ctx, postgres.Audit, func(ctx context.Context, tx pgx.Tx) error {
		_, err := tx.Exec(ctx, "SELECT 1")
		cancel()
		return errors.Join(err, ctx.Err())
	})
	if !errors.Is(err, context.Canceled) || postgres.IsUnavailable(err) {
		t.Errorf("a caller that gave up gets %v", err)
	}
	stat := db.Stats()[postgres.Audit]
	if stat.AcquiredConns() != 0 || stat.TotalConns() != 1 {
		t.Errorf("%d connections held, %d open; expected 0 and 1", stat.AcquiredConns(), stat.TotalConns())
	}
}

func TestLockTimeout(t *testing.T) {
	t.Parallel()
	db := pgtest.New(t)
	acme, _ := organizations(t, db)
	rename := func(ctx context.Context, tx pgx.Tx) error {
		_, err := tx.Exec(ctx, "UPDATE team SET name = 'renamed' WHERE org_id = $1", acme)
		return err
	}
	err := db.InSystem(t.Context(), postgres.Sweep, func(ctx context.Context, tx pgx.Tx) error {
		if err := rename(ctx, tx); err != nil {
			return err
		}
		start := time.Now()
		err := db.InSystem(ctx, postgres.Ingest, rename, postgres.LockTimeout(50*time.Millisecond))
		if !postgres.IsLockTimeout(err) {
			t.Errorf("a locked row gives %v", err)
		}
		if waited := time.Since(start); waited < 50*time.Millisecond {
			t.Errorf("it gave up after %s already", waited)
		}
		return nil
	})
	if err != nil {
		t.Error(err)
	}
}

func TestReadOnlyRefusesWrites(t *testing.T) {
	t.Parallel()
	db := pgtest.New(t)
	acme, _ := organizations(t, db)
	err := db.InTenant(t.Context(), acme, func(ctx context.Context, tx pgx.Tx) error {
		_, err := tx.Exec(ctx, "DELETE FROM team")
		return err
	}, postgres.ReadOnly())
	if postgres.Code(err) != "25006" {
		t.Errorf("a read-only transaction wrote: %v", err)
	}
	if names := teamNames(t, db.DB, acme); len(names) != 1 {
		t.Errorf("teams afterwards: %v", names)
	}
}

// A read in one round trip runs as the system, gives the database's time and leaves the
// connection clean, also when a statement of it fails.
func TestReadSystemIsOneRoundTrip(t *testing.T) {
	t.Parallel()
	db := pgtest.New(t)
	organizations(t, db)
	var role string
	var orgs int
	read := func(batch *pgx.Batch) {
		batch.Queue("SELECT current_user").QueryRow(func(row pgx.Row) error { return row.Scan(&role) })
		batch.Queue("SELECT count(*) FROM org").QueryRow(func(row pgx.Row) error { return row.Scan(&orgs) })
	}
	before := db.Clock.Now()
	now, err := db.ReadSystem(t.Context(), postgres.Sweep, read)
	if err != nil || role != "nightbell_system" || orgs != 2 || now.Before(before) {
		t.Errorf("role %s, %d organizations, at %s: %v", role, orgs, now, err)
	}
	_, err = db.ReadSystem(t.Context(), postgres.Sweep, func(batch *pgx.Batch) {
		batch.Queue("SELECT id FROM org WHERE name = 'Nobody'").QueryRow(func(row pgx.Row) error { return row.Scan(&role) })
	})
	if !errors.Is(err, pgx.ErrNoRows) {
		t.Errorf("a row that is not there: %v", err)
	}
	_, err = db.ReadSystem(t.Context(), postgres.Sweep, func(batch *pgx.Batch) { batch.Queue("SELECT 1/0").Exec(func(pgconn.CommandTag) error { return nil }) })
	if postgres.Code(err) != "22012" {
		t.Errorf("a statement that fails: %v", err)
	}
	if _, err := db.ReadSystem(t.Context(), postgres.Sweep, read); err != nil {
		t.Errorf("the connection is not clean: %v", err)
	}
}
