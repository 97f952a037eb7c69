package backup

import (
	"context"
	"errors"
	"fmt"
	"slices"

	"github.com/jackc/pgx/v5"

	"github.com/nightbell/nightbell/api/internal/platform/postgres"
)

// ErrInUse refuses a database that holds something.
var ErrInUse = errors.New("this database is in use: it holds an installation of Nightbell. A backup is restored into an empty one: name a new folder with --data-dir, or a new database with DATABASE_URL")

// Restore fills the empty database of dsn and brings its schema up to date. It is all or nothing: when
// it fails or is cut off, the database holds no rows and Restore may be called again. The database is a
// restored copy then, wherever it is, and pages nobody until somebody confirms it.
func (a *Archive) Restore(ctx context.Context, dsn string, progress Progress) error {
	known, err := postgres.BuiltinMigrations()
	if err != nil {
		return err
	}
	conn, err := postgres.Connect(ctx, dsn, "nightbell restore")
	if err != nil {
		return err
	}
	defer conn.Close(context.WithoutCancel(ctx)) //nolint:errcheck // nothing is left to lose
	// 1. An empty database, with the schema that the backup was made of.
	if err := checkForeign(ctx, conn); err != nil {
		return err
	}
	if err := postgres.EnsureRoles(ctx, conn); err != nil {
		return err
	}
	if err := checkEmpty(ctx, conn); err != nil {
		return err
	}
	if _, err := known[:len(a.Migrations)].Up(ctx, conn); err != nil {
		return err
	}
	// 2. The rows.
	if err := pgx.BeginFunc(ctx, conn, func(tx pgx.Tx) error { return a.fill(ctx, conn, tx, progress) }); err != nil {
		return err
	}
	// 3. What this program has changed since, and what the planner knows.
	if _, err := known.Up(ctx, conn); err != nil {
		return err
	}
	_, err = conn.Exec(ctx, `ANALYZE`)
	return err
}

// foreignSQL names a table, view or sequence of somebody else's in a database without Nightbell's; what
// extensions bring along is nobody's.
const foreignSQL = `SELECT c.relname FROM pg_class c
WHERE to_regclass('schema_migration') IS NULL AND c.relkind IN ('r', 'p', 'v', 'm', 'f', 'S') AND c.relnamespace = 'public'::regnamespace
  AND NOT EXISTS (SELECT FROM pg_depend d WHERE d.classid = 'pg_class'::regclass AND d.objid = c.oid AND d.deptype = 'e')
ORDER BY c.relkind = 'S', 1 LIMIT 1`

// checkForeign refuses another program's database before anything is made in it.
func checkForeign(ctx context.Context, conn *pgx.Conn) error {
	var name string
	err := conn.QueryRow(ctx, foreignSQL).Scan(&name)
	if errors.Is(err, pgx.ErrNoRows) {
		return nil
	}
	if err == nil {
		err = fmt.Errorf("this database is another program's: it holds %s. A backup is restored into an empty one: name another in DATABASE_URL", name)
	}
	return err
}

// usedSQL tells whether a database holds an installation.
const usedSQL = `SELECT EXISTS (SELECT FROM installation) OR EXISTS (SELECT FROM org) OR EXISTS (SELECT FROM users)`

// checkEmpty refuses a database that somebody uses. One whose restore was cut off has tables, and no rows.
func checkEmpty(ctx context.Context, conn *pgx.Conn) error {
	var migrated bool
	if err := conn.QueryRow(ctx, `SELECT to_regclass('installation') IS NOT NULL`).Scan(&migrated); err != nil || !migrated {
		return err
	}
	return pgx.BeginFunc(ctx, conn, func(tx pgx.Tx) error {
		var used bool
		if _, err := tx.Exec(ctx, `SET LOCAL ROLE `+postgres.SystemRole); err != nil {
			return err
		}
		err := tx.QueryRow(ctx, usedSQL).Scan(&used)
		if err == nil && used {
			return ErrInUse
		}
		return err
	})
}

// fill reads all rows in one transaction. Foreign keys refer to each other in circles, and are looked
// at once more when all rows are there; until then they, and row-level security, which hides rows from
// the owner of the tables, are put aside. Nobody else sees any of it before it is committed.
func (a *Archive) fill(ctx context.Context, conn *pgx.Conn, tx pgx.Tx, progress Progress) error {
	if _, err := tx.Exec(ctx, `SET LOCAL statement_timeout = 0; SET LOCAL idle_in_transaction_session_timeout = 0; SET LOCAL lock_timeout = '10s'`); err != nil {
		return err
	}
	// 1. The tables are those of the backup.
	own, err := tables(ctx, tx)
	if err != nil {
		return err
	}
	sameTable := func(x, y Table) bool { return x.Name == y.Name && slices.Equal(x.Columns, y.Columns) }
	if !slices.EqualFunc(own, a.Tables, sameTable) {
		return errors.New("this database has other tables than the backup. Restore it into an empty one")
	}
	// 2. Put aside what stands in the way.
	if _, err := tx.Exec(ctx, `LOCK TABLE installation, org, users IN ACCESS EXCLUSIVE MODE`); err != nil {
		return err
	}
	aside, err := putAside(ctx, tx)
	if err != nil {
		return err
	}
	// Nobody has begun to use it meanwhile, and nobody does from here on.
	var used bool
	if err := tx.QueryRow(ctx, usedSQL).Scan(&used); err != nil {
		return err
	}
	if used {
		return ErrInUse
	}
	// 3. The rows, in place of what migrations have put there.
	var rows int64
	for i, table := range a.Tables {
		progress(table.Name, i, len(a.Tables), rows)
		if _, err := tx.Exec(ctx, `TRUNCATE `+quoted(table.Name)); err != nil {
			return err
		}
		if err := a.read(ctx, conn, table); err != nil {
			return fmt.Errorf("fill the table %s: %w", table.Name, err)
		}
		rows += table.Rows
	}
	for _, s := range a.Sequences {
		if _, err := tx.Exec(ctx, `SELECT setval($1::text::regclass, $2, $3)`, quoted(s.Name), s.Last, s.Called); err != nil {
			return err
		}
	}
	// 4. No place is this one's home: whoever serves it finds a copy.
	// installation.FromBackup is the same, and lets it be confirmed before its first start.
	if _, err := tx.Exec(ctx, `UPDATE installation SET home = '{"database": "", "address": "a backup", "witness": "a backup"}', copy_found_at = NULL`); err != nil {
		return err
	}
	// 5. Put back what was put aside. Foreign keys look at every row again.
	progress("", len(a.Tables), len(a.Tables), rows)
	for _, one := range aside {
		if _, err := tx.Exec(ctx, one.back); err != nil {
			return err
		}
	}
	return nil
}

// Foreign keys, and row-level security of the tables' owner.
const (
	foreignKeysSQL = `
SELECT format('ALTER TABLE %I DROP CONSTRAINT %I', r.relname, c.conname),
       format('ALTER TABLE %I ADD CONSTRAINT %I %s', r.relname, c.conname, pg_get_constraintdef(c.oid))
FROM pg_constraint c JOIN pg_class r ON r.oid = c.conrelid
WHERE c.contype = 'f' AND c.conparentid = 0 AND c.connamespace = 'public'::regnamespace ORDER BY r.relname, c.conname`
	securitySQL = `
SELECT format('ALTER TABLE %I NO FORCE ROW LEVEL SECURITY', relname), format('ALTER TABLE %I FORCE ROW LEVEL SECURITY', relname)
FROM pg_class WHERE relnamespace = 'public'::regnamespace AND relforcerowsecurity ORDER BY relname`
)

// statement puts something aside for a while, and back.
type statement struct{ aside, back string }

// putAside puts aside what keeps rows from being filled in, and returns how it is put back.
func putAside(ctx context.Context, tx pgx.Tx) (all []statement, err error) {
	for _, sql := range []string{foreignKeysSQL, securitySQL} {
		rows, err := tx.Query(ctx, sql)
		if err != nil {
			return nil, err
		}
		found, err := pgx.CollectRows(rows, func(row pgx.CollectableRow) (s statement, err error) { return s, row.Scan(&s.aside, &s.back) })
		if err != nil {
			return nil, err
		}
		all = append(all, found...)
	}
	for _, one := range all {
		if _, err := tx.Exec(ctx, one.aside); err != nil {
			return nil, err
		}
	}
	return all, nil
}

// read fills a table and refuses it with another number of rows than the manifest says.
func (a *Archive) read(ctx context.Context, conn *pgx.Conn, table Table) error {
	file, err := a.zip.Open(table.file())
	if err != nil {
		return err
	}
	defer file.Close()
	tag, err := conn.PgConn().CopyFrom(ctx, file, fmt.Sprintf("COPY %s (%s) FROM STDIN (ENCODING 'UTF8')", quoted(table.Name), table.columns()))
	if err == nil && tag.RowsAffected() != table.Rows {
		return fmt.Errorf("%d rows, and the manifest says %d", tag.RowsAffected(), table.Rows)
	}
	return err
}
