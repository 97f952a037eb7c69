package postgres_test

import (
	"slices"
	"strings"
	"testing"

	"github.com/jackc/pgx/v5"

	"github.com/nightbell/nightbell/api/internal/platform/postgres/pgtest"
)

// withoutPolicies are the tables that belong to no organization, with the reason why
// each may. The tenant role has no right on any of them.
var withoutPolicies = map[string]string{
	"installation":     "one row about this database",
	"session":          "a person's sign-in, looked up before the organization is known",
	"refresh_token":    "part of a sign-in",
	"known_device":     "part of an account",
	"password_reset":   "part of an account",
	"sign_in_tally":    "counts strangers, who belong to no organization",
	"write_probe":      "written to find out whether it can be",
	"heartbeat_watch":  "when somebody looked last for heartbeats that are missing",
	"enquiry":          "left by visitors for whoever runs the installation",
	"schema_migration": "the schema's history",
	"test_clock":       "exists in tests only, and everybody may read the time",
}

// withOwnPolicies carry no org_id and yet show a tenant only what is its own.
var withOwnPolicies = map[string]string{
	"org":   "its id is the organization",
	"users": "people have one account; a tenant sees its members",
}

// column reads the single text column of a query about the catalog.
func column(t *testing.T, conn *pgx.Conn, sql string, args ...any) []string {
	t.Helper()
	rows, err := conn.Query(t.Context(), sql, args...)
	if err != nil {
		t.Fatal(err)
	}
	found, err := pgx.CollectRows(rows, pgx.RowTo[string])
	if err != nil {
		t.Fatalf("%s: %v", sql, err)
	}
	return found
}

func none(t *testing.T, what string, found []string) {
	t.Helper()
	if len(found) > 0 {
		t.Errorf("%s: %s", what, strings.Join(found, ", "))
	}
}

// tenantTables are those whose rows carry the organization.
func tenantTables(t *testing.T, conn *pgx.Conn) []string {
	t.Helper()
	tables := column(t, conn, `
		SELECT c.relname FROM pg_class c
		JOIN pg_attribute a ON a.attrelid = c.oid AND a.attname = 'org_id' AND NOT a.attisdropped
		WHERE c.relnamespace = 'public'::regnamespace AND c.relkind IN ('r', 'p') AND NOT c.relispartition ORDER BY 1`)
	tables = slices.DeleteFunc(tables, func(table string) bool { return withoutPolicies[table] != "" })
	if len(tables) < 27 {
		t.Fatalf("only %d tables carry org_id: %v", len(tables), tables)
	}
	return tables
}

func TestEveryTableHasAnOrganizationOrAReason(t *testing.T) {
	t.Parallel()
	conn := pgtest.New(t).Owner(t)
	known := tenantTables(t, conn)
	for _, declared := range []map[string]string{withoutPolicies, withOwnPolicies} {
		for table := range declared {
			known = append(known, table)
		}
	}
	all := column(t, conn, `SELECT relname FROM pg_class
		WHERE relnamespace = 'public'::regnamespace AND relkind IN ('r', 'p', 'v', 'm', 'f') AND NOT relispartition`)
	slices.Sort(known)
	slices.Sort(all)
	if !slices.Equal(known, all) {
		t.Errorf("the tables are\n  %v\nand not the tenant tables with those that are declared here:\n  %v", all, known)
	}
}

func TestEveryTenantTableHasRowLevelSecurity(t *testing.T) {
	t.Parallel()
	conn := pgtest.New(t).Owner(t)
	guarded := tenantTables(t, conn)
	for table := range withOwnPolicies {
		guarded = append(guarded, table)
	}
	none(t, "tables without forced row-level security and one permissive policy for each role", column(t, conn, `
		SELECT c.relname FROM pg_class c WHERE c.relnamespace = 'public'::regnamespace AND c.relname = ANY ($1)
		  AND NOT (c.relrowsecurity AND c.relforcerowsecurity AND ARRAY(
			SELECT r.rolname::text FROM pg_policy p JOIN pg_roles r ON r.oid = ANY (p.polroles)
			WHERE p.polrelid = c.oid AND p.polpermissive ORDER BY 1) = ARRAY['nightbell_system', 'nightbell_tenant'])`, guarded))
	none(t, "tenant policies that do not compare org_id with the organization of the transaction, for reading and writing", column(t, conn, `
		SELECT polrelid::regclass::text FROM pg_policy
		WHERE polrelid::regclass::text = ANY ($1) AND 'nightbell_tenant'::regrole = ANY (polroles)
		  AND (pg_get_expr(polqual, polrelid) IS DISTINCT FROM '(org_id = nightbell_org())' OR polcmd <> '*' OR NOT polpermissive
		       OR pg_get_expr(polwithcheck, polrelid) IS DISTINCT FROM '(org_id = nightbell_org())')`, tenantTables(t, conn)))
	none(t, "policies that name no role, and so hold for everybody", column(t, conn,
		`SELECT polrelid::regclass || '.' || polname FROM pg_policy WHERE 0 = ANY (polroles)`))
}

// A view runs with the rights of its owner, a partition has none of its table's
// policies, and a function of a definer sees what the definer sees.
func TestTenantHasNoWayAroundThePolicies(t *testing.T) {
	t.Parallel()
	conn := pgtest.New(t).Owner(t)
	none(t, "tables without policies, partitions or views that a tenant reaches", column(t, conn, `
		SELECT c.relname FROM pg_class c WHERE c.relnamespace = 'public'::regnamespace AND c.relkind IN ('r', 'p', 'v', 'm', 'f')
		  AND (c.relispartition OR c.relkind IN ('v', 'm', 'f') OR c.relname = ANY ($1)) AND c.relname <> 'test_clock'
		  AND (has_table_privilege('nightbell_tenant', c.oid, 'SELECT, INSERT, UPDATE, DELETE, TRUNCATE, REFERENCES, TRIGGER')
		       OR has_any_column_privilege('nightbell_tenant', c.oid, 'SELECT, INSERT, UPDATE, REFERENCES'))`, keys(withoutPolicies)))
	none(t, "tables that a tenant or the system may empty or alter", column(t, conn, `
		SELECT relname || ' by ' || role FROM pg_class, unnest(ARRAY['nightbell_tenant', 'nightbell_system']) AS role
		WHERE relnamespace = 'public'::regnamespace AND relkind IN ('r', 'p')
		  AND (has_table_privilege(role, oid, 'TRUNCATE, TRIGGER, REFERENCES') OR pg_get_userbyid(relowner) = role)`))
	definers := column(t, conn, `SELECT oid::regprocedure::text FROM pg_proc WHERE pronamespace = 'public'::regnamespace AND prosecdef
		  AND has_function_privilege('nightbell_tenant', oid, 'EXECUTE')`)
	if !slices.Equal(definers, []string{"incident_search(text)", "members_seen(uuid[])"}) {
		t.Errorf("functions that a tenant calls and that run with their owner's rights: %v. Each must compare with nightbell_org() and be tested here by name", definers)
	}
	none(t, "roles that row-level security would not hold", column(t, conn, `
		SELECT rolname FROM pg_roles r WHERE rolname IN ('nightbell_tenant', 'nightbell_system')
		  AND (rolsuper OR rolbypassrls OR rolcreaterole OR rolcreatedb OR rolcanlogin OR rolinherit
		       OR EXISTS (SELECT FROM pg_auth_members m WHERE m.member = r.oid))`))
}

func keys(declared map[string]string) []string {
	var names []string
	for name := range declared {
		names = append(names, name)
	}
	return names
}
