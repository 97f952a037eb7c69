package app

import (
	"context"
	"fmt"
	"maps"
	"regexp"
	"strings"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"

	"github.com/nightbell/nightbell/api/internal/notify"
	"github.com/nightbell/nightbell/api/internal/platform/postgres"
	"github.com/nightbell/nightbell/api/internal/subscription"
)

// ownedBy tells the rows of an organization ($1) in tables that have no org_id.
var ownedBy = map[string]string{
	"org":           "id = $1",
	"users":         "id IN (SELECT user_id FROM membership WHERE org_id = $1)",
	"refresh_token": "session_id IN (SELECT id FROM session WHERE org_id = $1)",
	"known_device":  "user_id IN (SELECT user_id FROM membership WHERE org_id = $1)",
}

// tables gives every table that has rows of organizations, with the condition that
// tells them.
func (r *rig) tables() map[string]string {
	r.t.Helper()
	found := maps.Clone(ownedBy)
	for _, table := range column[string](r, `
		SELECT c.relname::text FROM pg_class c JOIN pg_attribute a ON a.attrelid = c.oid AND a.attname = 'org_id' AND NOT a.attisdropped
		WHERE c.relnamespace = 'public'::regnamespace AND c.relkind IN ('r', 'p') AND NOT c.relispartition`) {
		found[table] = "org_id = $1"
	}
	return found
}

// column reads a query of one column as nightbell_system, across organizations.
func column[T any](r *rig, sql string, args ...any) []T {
	r.t.Helper()
	var found []T
	err := r.database.InSystem(r.t.Context(), postgres.Background, func(ctx context.Context, tx pgx.Tx) error {
		rows, err := tx.Query(ctx, sql, args...)
		if err != nil {
			return err
		}
		found, err = pgx.CollectRows(rows, pgx.RowTo[T])
		return err
	})
	if err != nil {
		r.t.Fatalf("%s: %v", sql, err)
	}
	return found
}

// sums gives one sum per table over all rows of an organization.
func (r *rig) sums(orgID uuid.UUID) map[string]string {
	r.t.Helper()
	var parts []string
	for table, condition := range r.tables() {
		parts = append(parts, fmt.Sprintf("SELECT '%s=' || count(*) || ' rows ' || md5(coalesce(string_agg(x::text, '|' ORDER BY x::text), '')) FROM %s x WHERE %s", table, table, condition))
	}
	found := map[string]string{}
	for _, line := range column[string](r, strings.Join(parts, " UNION ALL "), orgID) {
		table, sum, _ := strings.Cut(line, "=")
		found[table] = sum
	}
	return found
}

// changes names the tables whose rows are not what they were.
func changes(before, after map[string]string) []string {
	var found []string
	for table := range after {
		if before[table] != after[table] {
			found = append(found, fmt.Sprintf("%s (%s, then %s)", table, before[table], after[table]))
		}
	}
	return found
}

// canary begins every text that stands for an organization's secrets. What follows says
// in which column it stood.
const canary = "cnry_"

var canaries = regexp.MustCompile(canary + `\w+`)

// keptColumns are looked up by their value, so a canary in them would only hide the row.
var keptColumns = map[string]bool{"integration.kind": true}

// jsonCanaries put a canary where the product reads its JSON; elsewhere one more key is
// as good.
var jsonCanaries = map[string]string{
	"incident.details":   `jsonb_build_object('tags', jsonb_build_object('canary', %[1]s), 'metadata', jsonb_build_object('canary', %[1]s))`,
	"integration.config": `integration.config || jsonb_build_object('channel', %[1]s)`,
}

// plantCanaries fills every text of an organization with unique canaries, except words
// that the schema lists, and returns all ids that belong to it.
func (r *rig) plantCanaries(orgID uuid.UUID) {
	r.t.Helper()
	sets := map[string][]string{}
	for _, name := range column[string](r, `
		SELECT c.relname || '.' || a.attname || '.' || format_type(a.atttypid, a.atttypmod)
		FROM pg_class c JOIN pg_attribute a ON a.attrelid = c.oid AND a.attnum > 0 AND NOT a.attisdropped
		WHERE c.relnamespace = 'public'::regnamespace AND c.relkind IN ('r', 'p') AND NOT c.relispartition
		  AND format_type(a.atttypid, a.atttypmod) IN ('text', 'jsonb')
		  AND NOT EXISTS (SELECT FROM pg_constraint k WHERE k.conrelid = c.oid AND k.contype = 'c' AND a.attnum = ANY (k.conkey)
		                  AND pg_get_constraintdef(k.oid) ~ 'ARRAY\[|CASE ')`) {
		parts := strings.Split(name, ".")
		table, col, kind := parts[0], parts[1], parts[2]
		if !keptColumns[table+"."+col] {
			sets[table] = append(sets[table], col+" = "+canaryFor(table, col, kind))
		}
	}
	planted := 0
	for table, condition := range r.tables() {
		if len(sets[table]) > 0 && table != "audit_event" { // whose rows nobody changes, and no call shows
			r.database.Exec(r.t, fmt.Sprintf("UPDATE %s SET %s WHERE %s", table, strings.Join(sets[table], ", "), condition), orgID)
			planted += len(sets[table])
		}
	}
	if planted < 50 {
		r.t.Fatalf("canaries stand in %d columns only", planted)
	}
	r.t.Logf("canaries stand in %d columns", planted)
	r.plantSealed(orgID)
}

// plantSealed does it for what is stored sealed and shown to somebody.
func (r *rig) plantSealed(orgID uuid.UUID) {
	r.t.Helper()
	for _, sealed := range []struct {
		table, column string
		place         func(orgID, rowID uuid.UUID) string
		value         string
	}{
		{"webhook_subscription", "url_sealed", subscription.URLPlace, "https://example.com/" + canary + "url"},
		{"inbox_mail", "text_sealed", notify.MailTextPlace, canary + "text"},
		{"inbox_mail", "html_sealed", notify.MailHTMLPlace, canary + "html"},
	} {
		for _, rowID := range column[uuid.UUID](r, `SELECT id FROM `+sealed.table+` WHERE org_id = $1`, orgID) {
			r.database.Exec(r.t, `UPDATE `+sealed.table+` SET `+sealed.column+` = $3 WHERE org_id = $1 AND id = $2`,
				orgID, rowID, r.box.Seal([]byte(sealed.value), sealed.place(orgID, rowID)))
		}
	}
}

func canaryFor(table, col, kind string) string {
	value := fmt.Sprintf("('%s%s_%s_' || md5(random()::text))", canary, table, col)
	switch {
	case kind == "text":
		return value
	case jsonCanaries[table+"."+col] != "":
		return fmt.Sprintf(jsonCanaries[table+"."+col], value)
	default:
		return fmt.Sprintf("jsonb_build_object('canary', %s) || %s.%s", value, table, col)
	}
}

// idsOf lists every id that an organization's rows have.
func (r *rig) idsOf(orgID uuid.UUID) []string {
	r.t.Helper()
	parts := []string{"SELECT $1::uuid::text"}
	for _, name := range column[string](r, `
		SELECT c.relname || '.' || a.attname FROM pg_class c JOIN pg_attribute a ON a.attrelid = c.oid AND a.attname = 'id'
		WHERE c.relnamespace = 'public'::regnamespace AND c.relkind IN ('r', 'p') AND NOT c.relispartition AND c.relname <> 'org'`) {
		table, _, _ := strings.Cut(name, ".")
		if condition := r.tables()[table]; condition != "" {
			parts = append(parts, fmt.Sprintf("SELECT id::text FROM %s WHERE %s", table, condition))
		}
	}
	return column[string](r, strings.Join(parts, " UNION "), orgID)
}
