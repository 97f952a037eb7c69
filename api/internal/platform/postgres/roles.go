package postgres

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/jackc/pgx/v5"
)

// login is what the connected role may do.
type login struct {
	name      string
	superuser bool // may become anybody, and is restricted once it has
	inherits  bool // without being told otherwise
	version   int  // server_version_num
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

// EnsureRoles makes sure that nightbell_tenant and nightbell_system exist, and that the connected login role may SET
// ROLE to either but has the rights of neither without it. What it may not do itself, its error says as the statements
// that an administrator has to run.
func EnsureRoles(ctx context.Context, conn *pgx.Conn) error {
	var err error
	for attempt := 1; attempt <= attempts; attempt++ {
		// Roles belong to the whole server, where another database's start may
		// be creating them in the same moment.
		err = pgx.BeginFunc(ctx, conn, func(tx pgx.Tx) error { return ensureRoles(ctx, tx) })
		if err == nil || !isConcurrentCatalogChange(err) {
			return explained(err)
		}
		if err := pause(ctx, attempt); err != nil {
			return err
		}
	}
	return err
}

// CheckRoles says what EnsureRoles would, and changes nothing.
func CheckRoles(ctx context.Context, conn *pgx.Conn) error {
	tx, err := conn.Begin(ctx)
	if err != nil {
		return explained(err)
	}
	return errors.Join(ensureRoles(ctx, tx), tx.Rollback(context.WithoutCancel(ctx)))
}

// isConcurrentCatalogChange: "already exists", or "tuple concurrently updated".
func isConcurrentCatalogChange(err error) bool {
	return slices.Contains([]string{"42710", codeUnique, "XX000"}, Code(err))
}

func ensureRoles(ctx context.Context, tx pgx.Tx) error {
	var me login
	read := func() error {
		return tx.QueryRow(ctx, `SELECT rolname, rolsuper, rolinherit, current_setting('server_version_num')::int
			FROM pg_roles WHERE rolname = current_user`).Scan(&me.name, &me.superuser, &me.inherits, &me.version)
	}
	if err := read(); err != nil {
		return fmt.Errorf("read the login role: %w", err)
	}
	if me.version < 150000 {
		return fmt.Errorf("the server is PostgreSQL %d; Nightbell needs 15 or later", me.version/10000)
	}
	if err := me.prepare(ctx, tx); err != nil {
		return err
	}
	if err := read(); err != nil {
		return fmt.Errorf("read the login role again: %w", err)
	}
	lacking, err := me.lacking(ctx, tx)
	if err != nil {
		return err
	}
	if len(lacking) > 0 {
		return fmt.Errorf("the database role %s may not prepare the roles it needs. An administrator has to run:\n%s",
			me.name, strings.Join(lacking, "\n"))
	}
	if err := ensureSchema(ctx, tx, me); err != nil {
		return err
	}
	return checkSeparation(ctx, tx)
}

// prepare runs what is lacking up to the first statement that this role may not run: a
// later one may need it. A savepoint keeps the transaction usable after the refusal.
func (l login) prepare(ctx context.Context, tx pgx.Tx) error {
	lacking, err := l.lacking(ctx, tx)
	if err != nil {
		return err
	}
	for _, statement := range lacking {
		err := pgx.BeginFunc(ctx, tx, func(savepoint pgx.Tx) error {
			_, err := savepoint.Exec(ctx, statement)
			return err
		})
		if Code(err) == "42501" { // insufficient privilege
			return nil
		}
		if err != nil {
			return err
		}
	}
	return nil
}

// lacking are the statements that are left to run, each whole and in order.
func (l login) lacking(ctx context.Context, tx pgx.Tx) (statements []string, err error) {
	name, member := pgx.Identifier{l.name}.Sanitize(), "SET"
	if l.version < 160000 {
		member = "MEMBER"
	}
	for _, role := range []string{TenantRole, SystemRole} {
		var exists, become, inherits bool
		err := tx.QueryRow(ctx, `SELECT count(*) > 0, coalesce(bool_or(pg_has_role(current_user, oid, $2)), false),
			coalesce(bool_or(pg_has_role(current_user, oid, 'USAGE')), false) FROM pg_roles WHERE rolname = $1`, role, member).
			Scan(&exists, &become, &inherits)
		if err != nil {
			return nil, err
		}
		if !exists {
			statements = append(statements, fmt.Sprintf("CREATE ROLE %s NOLOGIN NOINHERIT;", role))
		}
		if l.superuser {
			continue
		}
		if !become {
			statements = append(statements, "GRANT "+role+" TO "+name+l.grantOptions()+";")
		}
		if inherits && l.version >= 160000 {
			statements = append(statements, "REVOKE INHERIT OPTION FOR "+role+" FROM "+name+";")
		}
	}
	if l.inherits && !l.superuser && l.version < 160000 {
		statements = append(statements, "ALTER ROLE "+name+" NOINHERIT;")
	}
	return statements, nil
}

// ensureSchema gives back what NOINHERIT takes on 15: the database's owner has
// the schema public only through the role pg_database_owner.
func ensureSchema(ctx context.Context, tx pgx.Tx, me login) error {
	if me.superuser || me.version >= 160000 {
		return nil
	}
	var has, owner bool
	err := tx.QueryRow(ctx, `SELECT has_schema_privilege(current_user, 'public', 'CREATE WITH GRANT OPTION'),
		pg_has_role(current_user, 'pg_database_owner', 'MEMBER')`).Scan(&has, &owner)
	if err != nil || has || !owner {
		return err // not the owner: the first migration says what it lacks
	}
	_, err = tx.Exec(ctx, "SET ROLE pg_database_owner; GRANT USAGE, CREATE ON SCHEMA public TO "+
		pgx.Identifier{me.name}.Sanitize()+" WITH GRANT OPTION; RESET ROLE")
	return err
}

// checkSeparation refuses roles that row-level security would not hold.
func checkSeparation(ctx context.Context, tx pgx.Tx) error {
	var above, mixed bool
	err := tx.QueryRow(ctx, `
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
