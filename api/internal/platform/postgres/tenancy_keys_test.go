package postgres_test

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"

	"github.com/nightbell/nightbell/api/internal/platform/postgres"
	"github.com/nightbell/nightbell/api/internal/platform/postgres/pgtest"
)

// link is a foreign key from one table of organizations to another.
type link struct {
	Name, Table, Target   string
	Columns, TargetColumn []string
}

func (l link) String() string {
	return fmt.Sprintf("%s(%s) -> %s(%s)", l.Table, strings.Join(l.Columns, ", "), l.Target, strings.Join(l.TargetColumn, ", "))
}

func links(t *testing.T, conn *pgx.Conn) []link {
	t.Helper()
	rows, err := conn.Query(t.Context(), `
		SELECT f.conname, f.conrelid::regclass::text, f.confrelid::regclass::text,
		       ARRAY(SELECT a.attname::text FROM unnest(f.conkey) WITH ORDINALITY k(num, place) JOIN pg_attribute a ON a.attrelid = f.conrelid AND a.attnum = k.num ORDER BY k.place),
		       ARRAY(SELECT a.attname::text FROM unnest(f.confkey) WITH ORDINALITY k(num, place) JOIN pg_attribute a ON a.attrelid = f.confrelid AND a.attnum = k.num ORDER BY k.place)
		FROM pg_constraint f WHERE f.contype = 'f' AND f.connamespace = 'public'::regnamespace AND f.confrelid::regclass::text = ANY ($1)
		ORDER BY 2, 1`, tenantTables(t, conn))
	if err != nil {
		t.Fatal(err)
	}
	found, err := pgx.CollectRows(rows, pgx.RowToStructByPos[link])
	if err != nil {
		t.Fatal(err)
	}
	return found
}

// organization is the column that says whose a row is.
func organization(table string) string {
	if table == "org" {
		return "id"
	}
	return "org_id"
}

// A child that names its parent without the organization could name a stranger's.
func TestForeignKeysStayInTheOrganization(t *testing.T) {
	t.Parallel()
	db := pgtest.New(t)
	acme, umbrella := two(t, db)
	found := links(t, db.Owner(t))
	for _, l := range found {
		if i := slices.Index(l.TargetColumn, "org_id"); i < 0 || l.Columns[i] != organization(l.Table) {
			t.Errorf("%s does not include the organization", l)
			continue
		}
		tryForeignKey(t, db, l, acme, umbrella)
	}
	t.Logf("%d foreign keys between tenant tables", len(found))
	if len(found) < 40 {
		t.Errorf("only %d foreign keys were found", len(found))
	}
}

// tryForeignKey points Acme's rows at a row that only Umbrella has. nightbell_system
// does it, whom no policy stops: the key alone must.
func tryForeignKey(t *testing.T, db *pgtest.Database, l link, acme, umbrella uuid.UUID) {
	t.Helper()
	own := organization(l.Table)
	var sets, wanted []string
	for i, column := range l.Columns {
		if column != own {
			sets = append(sets, fmt.Sprintf("%s = (SELECT u.%s FROM %s u WHERE u.org_id = $2 ORDER BY u.%s LIMIT 1)", column, l.TargetColumn[i], l.Target, l.TargetColumn[i]))
			wanted = append(wanted, column+" IS NOT NULL")
		}
	}
	pick := fmt.Sprintf("(SELECT ctid FROM %s WHERE %s = $1 AND %s ORDER BY ctid DESC LIMIT 1)", l.Table, own, strings.Join(wanted, " AND "))
	sql := fmt.Sprintf("UPDATE %s SET %s WHERE ctid = %s", l.Table, strings.Join(sets, ", "), pick)
	var changed int64
	err := db.InSystem(t.Context(), postgres.Background, func(ctx context.Context, tx pgx.Tx) error {
		tag, err := tx.Exec(ctx, sql, acme, umbrella)
		changed = tag.RowsAffected()
		return errOr(err, errOurs) // nothing may stay
	})
	switch {
	case postgres.IsForeignKey(err) && postgres.ConstraintName(err) == l.Name:
	case changed == 0 && err == errOurs: //nolint:errorlint // our own, given back as it is
		t.Errorf("no row of %s has %v set. Add one to pgtest.FillOrganization", l.Table, l.Columns)
	default:
		t.Errorf("Acme's row may point at Umbrella's: %s: %v", l, err)
	}
}

// A plan must not depend on who was large when statistics were taken: an organization
// that is new since would have each of its keys looked for among all of its rows.
func TestPlansKnowNothingOfOrganizations(t *testing.T) {
	t.Parallel()
	owner := pgtest.New(t).Owner(t)
	for _, table := range tenantTables(t, owner) {
		if table == "org" || table == "users" {
			continue
		}
		var target int
		err := owner.QueryRow(t.Context(), `SELECT coalesce(attstattarget, -1) FROM pg_attribute
			WHERE attrelid = $1::regclass AND attname = 'org_id'`, table).Scan(&target)
		if err != nil || target != 0 {
			t.Errorf("%s keeps statistics of org_id (target %d): %v", table, target, err)
		}
	}
}

// TestKeysAreFoundByTheirKey asks how a key that others point at is looked for while the
// tables are empty, which is when the plans of the page path are made. Any index that
// begins with the organization looks as good then, and reads all of the organization
// later: when this fails, let your new index begin with another column, or create it
// before the primary key, as incident does.
func TestKeysAreFoundByTheirKey(t *testing.T) {
	t.Parallel()
	owner := pgtest.New(t).Owner(t)
	targets := map[string][]string{}
	for _, l := range links(t, owner) {
		if len(l.TargetColumn) == 2 {
			targets[l.Target] = l.TargetColumn
		}
	}
	if _, err := owner.Exec(t.Context(), "SET enable_seqscan = off; SET ROLE nightbell_system"); err != nil {
		t.Fatal(err)
	}
	for table, columns := range targets {
		// pgx would ask for the values of the parameters.
		results, err := owner.PgConn().Exec(t.Context(), fmt.Sprintf("EXPLAIN (GENERIC_PLAN) SELECT 1 FROM ONLY %s WHERE %s = $1 AND %s = $2 FOR KEY SHARE",
			table, columns[0], columns[1])).ReadAll()
		if err != nil {
			t.Fatal(err)
		}
		plan := fmt.Sprintf("%s", results[0].Rows)
		if !strings.Contains(plan, table+"_pkey") {
			t.Errorf("the key of %s is looked for by %s", table, plan)
		}
	}
}

// TestAnIncidentIsFoundByItsKeyHoweverManyThereAre: of some hundred incidents the primary key has a level more
// than an index with shorter or repeated entries. If that one begins with the organization it looks cheaper
// then, and a plan kept from that moment reads all incidents for each one in a storm: pages wait for minutes.
func TestAnIncidentIsFoundByItsKeyHoweverManyThereAre(t *testing.T) {
	t.Parallel()
	owner := pgtest.New(t).Owner(t)
	ask := func(sql string) string {
		results, err := owner.PgConn().Exec(t.Context(), sql).ReadAll()
		if err != nil {
			t.Fatal(err)
		}
		return fmt.Sprintf("%s", results[len(results)-1].Rows)
	}
	ask(`SET enable_seqscan = off; SET enable_hashjoin = off; SET enable_mergejoin = off; SET ROLE nightbell_system`)
	ask(`INSERT INTO org (id, kind, name, created_at) VALUES ('01980000-0000-7000-8000-000000000001', 'organization', 'Acme', nightbell_now())`)
	const step = 10
	for n := 0; n < 2000; n += step {
		ask(fmt.Sprintf(`INSERT INTO incident (org_id, id, number, title, status, severity, urgency, source, triggered_at, updated_at)
			SELECT '01980000-0000-7000-8000-000000000001', gen_random_uuid(), n, 'Disk full', 'triggered', 'critical', 'high', 'prometheus', nightbell_now(), nightbell_now()
			FROM generate_series(%d, %d) n`, n+1, n+step))
		plan := ask(`EXPLAIN (GENERIC_PLAN) SELECT FROM incident WHERE org_id = $1 AND id = $2`)
		if !strings.Contains(plan, "incident_pkey") {
			t.Fatalf("of %d incidents one is looked for by %s", n+step, plan)
		}
	}
}
