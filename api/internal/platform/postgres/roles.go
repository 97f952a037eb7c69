package postgres

import (
	"context"
	"fmt"
	"slices"

	"github.com/jackc/pgx/v5"
)

// login is what the connected role may do.
type login struct {
	name       string
	superuser  bool
	createRole bool
	version    int // server_version_num
}

// grantOptions keep the login role from having the rights of both roles at
// once, which would let a forgotten SET ROLE see every organization. Before 16
// that is a property of the login role instead.
func (l login) grantOptions() string {
	if l.version >= 160000 {
		return " WITH INHERIT FALSE, SET TRUE"
	}
	return ""
}

// EnsureRoles makes sure that nightbell_tenant and nightbell_system exist, that
// the connected login role may become either by SET ROLE, and that it has the
// rights of neither without doing so. What it may not do itself, it says as the
// statement that an administrator has to run.
func EnsureRoles(ctx context.Context, conn *pgx.Conn) error {
	var err error
	for attempt := 1; attempt <= attempts; attempt++ {
		// Roles belong to the whole server, where another database's start may
		// be creating them in the same moment.
		if err = ensureRoles(ctx, conn); err == nil || !isConcurrentCatalogChange(err) {
			return err
		}
		if err := pause(ctx, attempt); err != nil {
			return err
		}
	}
	return err
}

// isConcurrentCatalogChange: "already exists", or "tuple concurrently updated".
func isConcurrentCatalogChange(err error) bool {
	return slices.Contains([]string{"42710", codeUnique, "XX000"}, Code(err))
}

func ensureRoles(ctx context.Context, conn *pgx.Conn) error {
	var me login
	err := conn.QueryRow(ctx, `SELECT rolname, rolsuper, rolcreaterole, current_setting('server_version_num')::int
		FROM pg_roles WHERE rolname = current_user`).Scan(&me.name, &me.superuser, &me.createRole, &me.version)
	if err != nil {
		return fmt.Errorf("read the login role: %w", err)
	}
	if me.version < 150000 {
		return fmt.Errorf("the server is PostgreSQL %d; Nightbell needs 15 or later", me.version/10000)
	}
	for _, role := range []string{TenantRole, SystemRole} {
		if err := ensureRole(ctx, conn, me, role); err != nil {
			return err
		}
	}
	if err := ensureSchema(ctx, conn, me); err != nil {
		return err
	}
	return checkSeparation(ctx, conn)
}

// ensureSchema gives back what NOINHERIT takes on 15: the database's owner has
// the schema public only through the role pg_database_owner.
func ensureSchema(ctx context.Context, conn *pgx.Conn, me login) error {
	if me.superuser || me.version >= 160000 {
		return nil
	}
	var has, owner bool
	err := conn.QueryRow(ctx, `SELECT has_schema_privilege(current_user, 'public', 'CREATE WITH GRANT OPTION'),
		pg_has_role(current_user, 'pg_database_owner', 'MEMBER')`).Scan(&has, &owner)
	if err != nil || has || !owner {
		return err // not the owner: the first migration says what it lacks
	}
	_, err = conn.Exec(ctx, "SET ROLE pg_database_owner; GRANT USAGE, CREATE ON SCHEMA public TO "+
		pgx.Identifier{me.name}.Sanitize()+" WITH GRANT OPTION; RESET ROLE")
	return err
}

func ensureRole(ctx context.Context, conn *pgx.Conn, me login, role string) error {
	var exists bool
	if err := conn.QueryRow(ctx, "SELECT EXISTS (SELECT FROM pg_roles WHERE rolname = $1)", role).Scan(&exists); err != nil {
		return err
	}
	if !exists {
		create := fmt.Sprintf("CREATE ROLE %s NOLOGIN NOINHERIT", role)
		if err := administer(ctx, conn, me, create, me.superuser || me.createRole); err != nil {
			return err
		}
	}
	if me.superuser {
		return nil // may become anybody, and is restricted once it has
	}
	return ensureMembership(ctx, conn, me, role)
}

// ensureMembership lets the login role become role, and only that.
func ensureMembership(ctx context.Context, conn *pgx.Conn, me login, role string) error {
	become, inherits, err := membership(ctx, conn, me, role)
	if err != nil {
		return err
	}
	name := pgx.Identifier{me.name}.Sanitize()
	if !become || (inherits && me.version >= 160000) {
		if err := administer(ctx, conn, me, "GRANT "+role+" TO "+name+me.grantOptions(), true); err != nil {
			return err
		}
	}
	if _, inherits, err = membership(ctx, conn, me, role); err != nil || !inherits {
		return err
	}
	if me.version >= 160000 {
		return fmt.Errorf("the role %s inherits the rights of %s by a grant of somebody else. An administrator has to run: REVOKE INHERIT OPTION FOR %s FROM %s", me.name, role, role, name)
	}
	return administer(ctx, conn, me, "ALTER ROLE "+name+" NOINHERIT", me.createRole)
}

// membership says whether the login role can become role, and whether it has
// role's rights without becoming it.
func membership(ctx context.Context, conn *pgx.Conn, me login, role string) (become, inherits bool, err error) {
	kind := "SET"
	if me.version < 160000 {
		kind = "MEMBER"
	}
	err = conn.QueryRow(ctx, "SELECT pg_has_role(current_user, $1::name, $2), pg_has_role(current_user, $1::name, 'USAGE')", role, kind).
		Scan(&become, &inherits)
	return become, inherits, err
}

// administer runs a statement about roles, or says who has to.
func administer(ctx context.Context, conn *pgx.Conn, me login, statement string, allowed bool) error {
	refusal := fmt.Sprintf("the database role %s may not prepare the roles it needs. An administrator has to run: %s", me.name, statement)
	if !allowed {
		return fmt.Errorf("%s", refusal)
	}
	if _, err := conn.Exec(ctx, statement); err != nil {
		if Code(err) == "42501" { // insufficient privilege
			return fmt.Errorf("%s (%w)", refusal, err)
		}
		return err
	}
	return nil
}

// checkSeparation refuses roles that row-level security would not hold.
func checkSeparation(ctx context.Context, conn *pgx.Conn) error {
	var above, mixed bool
	err := conn.QueryRow(ctx, `
		SELECT bool_or(rolsuper OR rolbypassrls OR rolcreaterole),
		       pg_has_role($1::name, $2::name, 'MEMBER') OR pg_has_role($2::name, $1::name, 'MEMBER')
		FROM pg_roles WHERE rolname IN ($1, $2)`, TenantRole, SystemRole).Scan(&above, &mixed)
	switch {
	case err != nil:
		return err
	case above:
		return fmt.Errorf("%s and %s must not be SUPERUSER, BYPASSRLS or CREATEROLE: organizations would see each other's rows", TenantRole, SystemRole)
	case mixed:
		return fmt.Errorf("%s and %s must not be members of each other: organizations would see each other's rows", TenantRole, SystemRole)
	}
	return nil
}
