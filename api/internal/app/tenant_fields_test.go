//go:build !rlsonly

package app

import (
	"fmt"
	"maps"
	"net/http"
	"regexp"
	"slices"
	"strings"
	"testing"

	"google.golang.org/protobuf/reflect/protoreflect"
)

// TestTenantServerOwnedFields sends every change twice: as it is meant, and with a forged
// value for every column of the database that the request has no field for. Both must
// store the same, or the second is refused and stores nothing. Each call leaves exactly
// one audit row.
func TestTenantServerOwnedFields(t *testing.T) {
	t.Parallel()
	c := newCampaign(t)
	forged := c.forgedFields()
	changing := 0
	for _, method := range methods() {
		if !authzOf(method).GetMutates() {
			continue
		}
		changing++
		t.Run(shortName(method), func(t *testing.T) {
			honest := c.stored(t, method, viaREST, nil)
			if rows := audited(honest); rows != 1 {
				t.Errorf("it adds %d audit rows, want 1", rows)
			}
			for _, via := range []transport{viaREST, viaConnectJSON} {
				got := c.stored(t, method, via, unknownTo(method, forged))
				if refusesUnknown(method) && len(got) == 1 && audited(got) == 1 {
					continue // refused, and nothing but that is stored
				}
				if !slices.Equal(got, honest) {
					t.Errorf("with forged fields, via %s, it stores\n%s\nand without them\n%s", via, strings.Join(got, "\n"), strings.Join(honest, "\n"))
				}
				if text := strings.Join(got, "\n"); strings.Contains(text, "forged") || strings.Contains(text, "<stranger>") {
					t.Errorf("via %s, it stores what was forged:\n%s", via, text)
				}
			}
			c.checkUnharmed(t)
		})
	}
	t.Logf("%d methods change something; each was sent with %d forged fields", changing, len(forged))
}

// unknownTo takes away what the request has a field for. An id stays: where the path
// says which thing is meant, a body that says otherwise must not count.
func unknownTo(method protoreflect.MethodDescriptor, forged map[string]any) map[string]any {
	extra := maps.Clone(forged)
	for field := range fieldsOf(method.Input()) {
		if field.Name() != "id" {
			delete(extra, string(field.Name()))
			delete(extra, field.JSONName())
		}
	}
	return extra
}

// stored makes one call as a's owner, naming new things of a's, and lists the rows that
// it removed from the database and added to it, without what differs each time.
func (c *campaign) stored(t *testing.T, method protoreflect.MethodDescriptor, via transport, extra map[string]any) []string {
	t.Helper()
	if method.Parent().Name() == "SlackService" {
		c.call(c.a.owner(), http.MethodPost, "/v1/integrations/slack/configure",
			object{"bot_token": "xoxb-1234567890", "channel": "#alerts", "webhook_url": c.slack.webhook()})
	}
	if method.Name() == "ConfirmInstallation" {
		c.database.Exec(t, `UPDATE installation SET copy_found_at = nightbell_now()`)
		c.copied.Store(true)
		t.Cleanup(func() { c.copied.Store(false) })
	}
	fill := filling{variant: variant{target: "user"}, own: c.a.fresh, values: c.values()}
	s := sending{via: via, method: method, body: fill.request(method), bearer: c.a.owner(), extra: extra}
	before := c.rows()
	got := c.send(t.Context(), s)
	refused := len(extra) > 0 && refusesUnknown(method) && strings.Contains(got.body, "does not exist")
	if !allowed(method, got) && !refused && !unfinished[shortName(method)] {
		t.Errorf("untested: via %s it answers %s", via, got.whole())
	}
	return c.difference(before, c.rows())
}

// rows reads every row of a's as text.
func (c *campaign) rows() map[string]bool {
	c.t.Helper()
	var parts []string
	for table, condition := range c.tables() {
		parts = append(parts, fmt.Sprintf("SELECT '%s ' || to_jsonb(x)::text FROM %s x WHERE %s", table, table, condition))
	}
	found := map[string]bool{}
	for _, row := range column[string](c.rig, strings.Join(parts, " UNION ALL "), c.a.orgID) {
		found[row] = true
	}
	return found
}

func (c *campaign) difference(before, after map[string]bool) []string {
	var found []string
	for row := range before {
		if !after[row] {
			found = append(found, "- "+c.plain(row))
		}
	}
	for row := range after {
		if !before[row] {
			found = append(found, "+ "+c.plain(row))
		}
	}
	slices.Sort(found)
	return found
}

func audited(rows []string) int {
	added := 0
	for _, row := range rows {
		if strings.HasPrefix(row, "+ audit_event ") {
			added++
		}
	}
	return added
}

// forgedTime and forgedNumber are nobody's.
const (
	forgedTime   = "2001-02-03T04:05:06Z"
	forgedNumber = 424242
)

// passing is what differs from call to call.
var passing = []struct {
	pattern *regexp.Regexp
	name    string
}{
	{regexp.MustCompile(`2001-02-03T[\d:.+]+|424242`), "forged"},
	{regexp.MustCompile(`[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}`), "<id>"},
	{regexp.MustCompile(`\d{4}-\d\d-\d\dT[\d:.+]+`), "<time>"},
	{regexp.MustCompile(`\\\\x[0-9a-f]+`), "<bytes>"},
	{regexp.MustCompile(`"(number|seq|version|last_incident_number)": \d+`), `"$1": <number>`},
	{regexp.MustCompile(`"prefix": "\w+"`), `"prefix": <prefix>`},
	{regexp.MustCompile(`10\.\d+\.\d+\.\d+`), "<address>"},
	{regexp.MustCompile(`(Sample|Service|Team|Policy|Schedule|Incident) \d+`), "$1 <n>"},
}

func (c *campaign) plain(row string) string {
	for _, id := range c.ids {
		row = strings.ReplaceAll(row, id, "<stranger>")
	}
	for _, one := range passing {
		row = one.pattern.ReplaceAllString(row, one.name)
	}
	return row
}

// privileged are words that the schema takes and that a client would like to set.
var privileged = map[string]any{"role": "owner", "status": "resolved", "state": "cancelled", "kind": "channel", "outcome": "accepted"}

// forgedFields names every column of the database, as the contract would write it and as
// JSON clients do, with a value that must not be believed.
func (c *campaign) forgedFields() map[string]any {
	c.t.Helper()
	fields := map[string]any{"org": object{"id": c.b.orgID.String()}, "actor": object{"id": c.b.people["owner"]}}
	for _, name := range column[string](c.rig, `
		SELECT DISTINCT a.attname || ' ' || format_type(a.atttypid, a.atttypmod)
		FROM pg_class c JOIN pg_attribute a ON a.attrelid = c.oid AND a.attnum > 0 AND NOT a.attisdropped
		WHERE c.relnamespace = 'public'::regnamespace AND c.relkind IN ('r', 'p') ORDER BY 1`) {
		col, kind, _ := strings.Cut(name, " ")
		fields[col] = c.forgery(col, kind)
		fields[camel(col)] = fields[col]
	}
	maps.Copy(fields, privileged)
	return fields
}

func (c *campaign) forgery(col, kind string) any {
	switch kind {
	case "uuid":
		if strings.HasPrefix(col, "org") {
			return c.b.orgID.String()
		}
		return c.b.people["owner"]
	case "timestamp with time zone":
		return forgedTime
	case "integer", "bigint", "smallint":
		return forgedNumber
	case "boolean":
		return true
	case "jsonb":
		return object{"forged": "forged"}
	default:
		return "forged"
	}
}

var afterUnderscore = regexp.MustCompile(`_[a-z]`)

// camel is how JSON clients write a name.
func camel(name string) string {
	return afterUnderscore.ReplaceAllStringFunc(name, func(found string) string { return strings.ToUpper(found[1:]) })
}
