package postgres_test

import (
	"context"
	"net/url"
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
	if _, err := postgres.Migrate(t.Context(), server.AdminDSN()); err != nil {
		t.Fatal(err)
	}
	db := open(t, postgres.Config{DSN: server.AdminDSN()})
	if err := db.Check(t.Context()); err != nil {
		t.Fatal(err)
	}
	acme := uuid.New()
	admin, err := pgx.Connect(t.Context(), server.AdminDSN())
	if err != nil {
		t.Fatal(err)
	}
	defer admin.Close(t.Context())
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
	db := pgtest.New(t)
	name := "nightbell_plain_" + strings.ReplaceAll(uuid.NewString(), "-", "")[:12]
	owner := db.Owner(t)
	if _, err := owner.Exec(t.Context(), "CREATE ROLE "+name+" LOGIN PASSWORD 'plain'"); err != nil {
		t.Fatal(err)
	}
	defer dropRole(t, owner, name)
	plain, err := pgx.Connect(t.Context(), withUser(t, db.DSN(), name, "plain"))
	if err != nil {
		t.Fatal(err)
	}
	defer plain.Close(t.Context())
	// What the sentences say is enough.
	var run []string
	for err = postgres.EnsureRoles(t.Context(), plain); err != nil && len(run) < 9; err = postgres.EnsureRoles(t.Context(), plain) {
		_, statement, said := strings.Cut(err.Error(), "An administrator has to run: ")
		statement, _, _ = strings.Cut(statement, " (")
		if _, err := owner.Exec(t.Context(), statement); !said || err != nil {
			t.Fatalf("running %q: %v", statement, err)
		}
		run = append(run, statement)
	}
	if err != nil || len(run) < 2 || !strings.HasPrefix(run[0], "GRANT nightbell_tenant TO") {
		t.Errorf("after running %q: %v", run, err)
	}
}

// dropRole waits for the role's last connection to be gone on the server too,
// because only a superuser may end another role's.
func dropRole(t *testing.T, owner *pgx.Conn, name string) {
	t.Helper()
	for left := 1; left > 0; {
		if err := owner.QueryRow(t.Context(), "SELECT count(*) FROM pg_stat_activity WHERE usename = $1", name).Scan(&left); err != nil {
			t.Fatal(err)
		}
	}
	if _, err := owner.Exec(t.Context(), "DROP ROLE "+name); err != nil {
		t.Error(err)
	}
}

func withUser(t *testing.T, dsn, user, password string) string {
	t.Helper()
	if !strings.Contains(dsn, "://") {
		return dsn + " user=" + user + " password=" + password
	}
	parsed, err := url.Parse(dsn)
	if err != nil {
		t.Fatal(err)
	}
	query := parsed.Query()
	query.Set("user", user)
	query.Set("password", password)
	parsed.RawQuery = query.Encode()
	parsed.User = nil
	return parsed.String()
}
