package postgres_test

import (
	"context"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"

	"github.com/nightbell/nightbell/api/internal/platform/postgres"
	"github.com/nightbell/nightbell/api/internal/platform/postgres/embedded"
	"github.com/nightbell/nightbell/api/internal/platform/postgres/pgtest"
)

func TestLoginRoleHasNoRightsOfItsOwn(t *testing.T) {
	t.Parallel()
	db := pgtest.New(t)
	organizations(t, db)
	conn := db.Owner(t)
	var superuser, inherits bool
	var seen int
	err := conn.QueryRow(t.Context(), `SELECT rolsuper, pg_has_role('nightbell_system', 'USAGE') OR pg_has_role('nightbell_tenant', 'USAGE'),
		(SELECT count(*) FROM team) FROM pg_roles WHERE rolname = current_user`).Scan(&superuser, &inherits, &seen)
	if err != nil {
		t.Fatal(err)
	}
	if superuser {
		return // of a server given by the environment: it may everything until SET ROLE
	}
	if inherits || seen != 0 {
		t.Errorf("without SET ROLE the login role inherits: %v, and sees %d teams", inherits, seen)
	}
}

// A superuser ignores row-level security, so it must hold once the pool has
// become another role, for those whose DATABASE_URL names one.
func TestSuperuserLoginIsRestrictedToo(t *testing.T) {
	t.Parallel()
	dsn := ownServer(t)
	if _, err := postgres.Migrate(t.Context(), dsn); err != nil {
		t.Fatal(err)
	}
	db := open(t, postgres.Config{DSN: dsn})
	if err := db.Check(t.Context()); err != nil {
		t.Fatal(err)
	}
	acme := uuid.New()
	admin := connect(t, dsn)
	for _, id := range []uuid.UUID{acme, uuid.New()} {
		_, err := admin.Exec(t.Context(), `WITH o AS (INSERT INTO org (id, kind, name, created_at) VALUES ($1, 'individual', 'x', now()) RETURNING id)
			INSERT INTO team (org_id, id, name, created_at) SELECT o.id, gen_random_uuid(), o.id::text, now() FROM o`, id)
		if err != nil {
			t.Fatal(err)
		}
	}
	if names := teamNames(t, db, acme); !slices.Equal(names, []string{acme.String()}) {
		t.Errorf("through a superuser's DATABASE_URL the tenant sees %v", names)
	}
}

func TestEnsureRolesSaysWhatAnAdministratorHasToRun(t *testing.T) {
	t.Parallel()
	dsn := ownServer(t)
	owner := connect(t, dsn)
	for _, statement := range []string{"CREATE ROLE ordinary LOGIN", "CREATE DATABASE ordinary OWNER ordinary"} {
		if _, err := owner.Exec(t.Context(), statement); err != nil {
			t.Fatal(err)
		}
	}
	ordinary := connect(t, strings.NewReplacer("user=postgres", "user=ordinary", "/postgres?", "/ordinary?").Replace(dsn))
	checked, err := postgres.CheckRoles(t.Context(), ordinary), postgres.EnsureRoles(t.Context(), ordinary)
	if err == nil || checked == nil || checked.Error() != err.Error() {
		t.Fatalf("the check says %v, the start %v", checked, err)
	}
	// Each line but the first is a statement, and what they say is enough.
	lines := strings.Split(err.Error(), "\n")
	if len(lines) < 5 || lines[1] != "CREATE ROLE nightbell_tenant NOLOGIN NOINHERIT;" {
		t.Fatalf("it says:\n%v", err)
	}
	for _, statement := range lines[1:] {
		if _, err := owner.Exec(t.Context(), statement); err != nil {
			t.Errorf("running %q: %v", statement, err)
		}
	}
	if err := postgres.EnsureRoles(t.Context(), ordinary); err != nil {
		t.Errorf("after all of them: %v", err)
	}
}

// Doctor asks by it, and must leave a server as it is.
func TestCheckRolesChangesNothing(t *testing.T) {
	t.Parallel()
	owner := connect(t, ownServer(t))
	if err := postgres.CheckRoles(t.Context(), owner); err != nil {
		t.Fatal(err)
	}
	var roles int
	if err := owner.QueryRow(t.Context(), `SELECT count(*) FROM pg_roles WHERE rolname LIKE 'nightbell\_%'`).Scan(&roles); err != nil || roles != 0 {
		t.Errorf("after the check there are %d roles: %v", roles, err)
	}
}

// ownServer starts a PostgreSQL that nobody has prepared, and says how its superuser connects.
func ownServer(t *testing.T) (superuser string) {
	t.Helper()
	dir, err := os.MkdirTemp("", "nb-super-") //nolint:usetesting // t.TempDir is closed to the server's account
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = os.RemoveAll(dir) })
	if err := os.Chmod(dir, 0o711); err != nil {
		t.Fatal(err)
	}
	server, err := embedded.Start(t.Context(), embedded.Options{DataDir: filepath.Join(dir, "data"), Settings: map[string]string{"fsync": "off"}})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = server.Stop(context.Background()) })
	return server.AdminDSN()
}

func connect(t *testing.T, dsn string) *pgx.Conn {
	t.Helper()
	conn, err := pgx.Connect(t.Context(), dsn)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = conn.Close(context.Background()) })
	return conn
}
