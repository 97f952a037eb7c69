package postgres_test

import (
	"context"
	"slices"
	"testing"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"

	"github.com/nightbell/nightbell/api/internal/platform/postgres"
	"github.com/nightbell/nightbell/api/internal/platform/postgres/pgtest"
)

// two makes two organizations with a row in every tenant table.
func two(t *testing.T, db *pgtest.Database) (acme, umbrella uuid.UUID) {
	t.Helper()
	acme, umbrella = uuid.New(), uuid.New()
	pgtest.FillOrganization(t, db, acme)
	pgtest.FillOrganization(t, db, umbrella)
	return acme, umbrella
}

func TestTenantSeesItsRowsInEveryTable(t *testing.T) {
	t.Parallel()
	db := pgtest.New(t)
	acme, umbrella := two(t, db)
	tables := tenantTables(t, db.Owner(t))
	for _, table := range tables {
		own := pgtest.One[int](t, db, "SELECT count(*) FROM "+table+" WHERE org_id = $1", acme)
		if own == 0 {
			t.Errorf("%s has no row. Add one to pgtest.FillOrganization, so that this test sees the table", table)
		}
		var seen, foreign int
		inTenant(t, db, acme, func(ctx context.Context, tx pgx.Tx) error {
			return tx.QueryRow(ctx, "SELECT count(*), count(*) FILTER (WHERE org_id = $1) FROM "+table, umbrella).Scan(&seen, &foreign)
		})
		if seen != own || foreign != 0 {
			t.Errorf("%s: Acme sees %d rows, %d of them Umbrella's; it has %d", table, seen, foreign, own)
		}
	}
	t.Logf("%d tenant tables", len(tables))
}

func inTenant(t *testing.T, db *pgtest.Database, orgID uuid.UUID, work func(context.Context, pgx.Tx) error) {
	t.Helper()
	if err := db.InTenant(t.Context(), orgID, work); err != nil {
		t.Fatal(err)
	}
}

func TestWithoutAnOrganizationThereAreNoRows(t *testing.T) {
	t.Parallel()
	db := pgtest.New(t)
	acme, _ := two(t, db)
	conn := db.Owner(t)
	if _, err := conn.Exec(t.Context(), "SET ROLE "+postgres.TenantRole); err != nil {
		t.Fatal(err)
	}
	tables := append(tenantTables(t, db.Owner(t)), keys(withOwnPolicies)...)
	for _, setting := range []string{"", "SET nightbell.org_id = ''; "} {
		if _, err := conn.Exec(t.Context(), setting); err != nil {
			t.Fatal(err)
		}
		for _, table := range tables {
			var seen int
			column := map[string]string{"org": "id", "users": "id"}[table]
			if err := conn.QueryRow(t.Context(), "SELECT count("+or(column, "org_id")+") FROM "+table).Scan(&seen); err != nil || seen != 0 {
				t.Errorf("%s shows %d rows without an organization (%q): %v", table, seen, setting, err)
			}
		}
		_, err := conn.Exec(t.Context(), "INSERT INTO team (org_id, id, name, created_at) VALUES ($1, gen_random_uuid(), 'x', nightbell_now())", acme)
		if postgres.Code(err) != "42501" {
			t.Errorf("a team was written without an organization: %v", err)
		}
	}
}

func or(text, otherwise string) string {
	if text == "" {
		return otherwise
	}
	return text
}

// SET LOCAL ends with the transaction, also when it ends badly.
func TestReusedConnectionForgetsTheOrganization(t *testing.T) {
	t.Parallel()
	database := pgtest.New(t)
	acme, umbrella := two(t, database)
	db := open(t, postgres.Config{DSN: database.DSN(), Conns: map[postgres.Pool]int32{postgres.Tenant: 1}})
	backends := map[int]bool{}
	for _, end := range []error{nil, errOurs} {
		_ = db.InTenant(t.Context(), acme, func(ctx context.Context, tx pgx.Tx) error {
			return errOr(note(ctx, tx, backends), end)
		})
		err := db.InTenant(t.Context(), umbrella, func(ctx context.Context, tx pgx.Tx) error {
			var foreign int
			if err := tx.QueryRow(ctx, "SELECT count(*) FROM incident WHERE org_id = $1", acme).Scan(&foreign); err != nil || foreign > 0 {
				t.Errorf("after Acme's turn Umbrella sees %d of its incidents (%v)", foreign, err)
			}
			return note(ctx, tx, backends)
		})
		if err != nil {
			t.Fatal(err)
		}
	}
	if len(backends) != 1 {
		t.Fatalf("%d connections served this test; it says something about one only", len(backends))
	}
}

func errOr(err, otherwise error) error {
	if err != nil {
		return err
	}
	return otherwise
}

func note(ctx context.Context, tx pgx.Tx, backends map[int]bool) error {
	var backend int
	err := tx.QueryRow(ctx, "SELECT pg_backend_pid()").Scan(&backend)
	backends[backend] = true
	return err
}

func TestAuditRowsStay(t *testing.T) {
	t.Parallel()
	db := pgtest.New(t)
	acme, _ := two(t, db)
	for _, change := range []string{"UPDATE audit_event SET outcome = 'forged'", "DELETE FROM audit_event"} {
		try := func(ctx context.Context, tx pgx.Tx) error { _, err := tx.Exec(ctx, change); return err }
		if err := db.InTenant(t.Context(), acme, try); postgres.Code(err) != "42501" {
			t.Errorf("a tenant may run %s: %v", change, err)
		}
	}
	// Retention may delete rows that are older than a year; see watch.TestNobodyDeletesYoungAuditRows.
	forge := func(ctx context.Context, tx pgx.Tx) error {
		_, err := tx.Exec(ctx, "UPDATE audit_event SET outcome = 'forged'")
		return err
	}
	if err := db.InSystem(t.Context(), postgres.Background, forge); postgres.Code(err) != "42501" {
		t.Errorf("the system may change the audit log: %v", err)
	}
}

func TestTenantSeesMembersAndNoPasswords(t *testing.T) {
	t.Parallel()
	db := pgtest.New(t)
	acme, umbrella := two(t, db)
	err := db.InTenant(t.Context(), acme, func(ctx context.Context, tx pgx.Tx) error {
		_, err := tx.Exec(ctx, "SELECT password_hash FROM users")
		return err
	})
	if postgres.Code(err) != "42501" {
		t.Errorf("a tenant reads password hashes: %v", err)
	}
	// Also the row of a colleague is only to be read.
	for _, change := range []string{"UPDATE users SET email = 'x'", "DELETE FROM users", "UPDATE org SET kind = 'individual'", "DELETE FROM org"} {
		err := db.InTenant(t.Context(), acme, func(ctx context.Context, tx pgx.Tx) error { _, err := tx.Exec(ctx, change); return err })
		if postgres.Code(err) != "42501" {
			t.Errorf("a tenant may run %s: %v", change, err)
		}
	}
	inTenant(t, db, acme, func(ctx context.Context, tx pgx.Tx) error {
		tag, err := tx.Exec(ctx, "UPDATE users SET name = 'x'")
		if tag.RowsAffected() > 0 {
			t.Errorf("a tenant that names no account changes %d", tag.RowsAffected())
		}
		return err
	})
	var seen []uuid.UUID
	inTenant(t, db, acme, func(ctx context.Context, tx pgx.Tx) error {
		rows, err := tx.Query(ctx, "SELECT id FROM users UNION ALL SELECT id FROM org")
		if err != nil {
			return err
		}
		seen, err = pgx.CollectRows(rows, pgx.RowTo[uuid.UUID])
		return err
	})
	if want := []uuid.UUID{pgtest.Row(acme, "user"), acme}; !slices.Equal(seen, want) {
		t.Errorf("Acme sees the people and organizations %v, want %v; Umbrella is %v", seen, want, umbrella)
	}
}

func TestSearchSeesOneOrganization(t *testing.T) {
	t.Parallel()
	db := pgtest.New(t)
	acme, _ := two(t, db)
	var found []uuid.UUID
	inTenant(t, db, acme, func(ctx context.Context, tx pgx.Tx) error {
		rows, err := tx.Query(ctx, "SELECT incident_search('filled')")
		if err != nil {
			return err
		}
		found, err = pgx.CollectRows(rows, pgx.RowTo[uuid.UUID])
		return err
	})
	if want := []uuid.UUID{pgtest.Row(acme, "incident")}; !slices.Equal(found, want) {
		t.Errorf("the search finds %v, want %v", found, want)
	}
}

func TestWhoWasSeenIsOfOneOrganization(t *testing.T) {
	t.Parallel()
	db := pgtest.New(t)
	acme, umbrella := two(t, db)
	var seen []uuid.UUID
	inTenant(t, db, acme, func(ctx context.Context, tx pgx.Tx) error {
		rows, err := tx.Query(ctx, "SELECT user_id FROM members_seen($1)", []uuid.UUID{pgtest.Row(acme, "user"), pgtest.Row(umbrella, "user")})
		if err != nil {
			return err
		}
		seen, err = pgx.CollectRows(rows, pgx.RowTo[uuid.UUID])
		return err
	})
	if want := []uuid.UUID{pgtest.Row(acme, "user")}; !slices.Equal(seen, want) {
		t.Errorf("Acme learns when %v were seen, want %v", seen, want)
	}
}
