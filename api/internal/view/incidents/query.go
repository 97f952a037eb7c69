package incidents

import (
	"fmt"
	"slices"
	"strings"

	"github.com/google/uuid"

	nightbellv1 "github.com/nightbell/nightbell/api/gen/nightbell/v1"
	"github.com/nightbell/nightbell/api/internal/alert"
	"github.com/nightbell/nightbell/api/internal/kernel/id"
	"github.com/nightbell/nightbell/api/internal/kernel/page"
)

// conditions of a list; every value is an argument, never part of the text.
type conditions struct {
	// conditions are what the indexes of the list's order lead to.
	conditions []string
	// checks are looked at row by row: a page looks through mostChecked rows of the parts and no more.
	checks    []string
	arguments []any
	// parts make up the list together: each is read from an index in the list's order.
	parts       []part
	oldestFirst bool
}

// mostChecked is how many incidents a page looks through for those that pass its checks. What it
// finds by then is the page, and its cursor goes on where it stopped: what fits few incidents of
// very many costs several short calls instead of one that reads all.
const mostChecked = 10_000

// part is the incidents that fit a condition. With values, such as the services of a team, the newest
// of each value are read by its index; by one condition on all values the way to the last of them
// would lead past every incident that has another.
type part struct {
	condition    string
	values, bind string // FROM item, and what ties an incident to one of its rows
}

// page selects a page of incidents, before anything is joined to them.
func (c *conditions) page(limit, offset int) string {
	if len(c.checks) == 0 {
		return c.newest(limit, offset)
	}
	return c.checked(mostChecked, limit, offset, c.checks...)
}

// checked selects what passes the checks among the first most of the parts.
func (c *conditions) checked(most, limit, offset int, checks ...string) string {
	return fmt.Sprintf("SELECT * FROM (%s) i WHERE %s%s LIMIT %d OFFSET %d", c.newest(most, 0), strings.Join(checks, " AND "), c.inOrder(), limit, offset)
}

// newest selects the first of the parts, the newest or the oldest first, without the checks.
func (c *conditions) newest(limit, offset int) string {
	parts := make([]string, len(c.parts))
	for n, part := range c.parts {
		parts[n] = "(" + c.newestOf(part, limit+offset) + ")"
	}
	return "SELECT * FROM (" + strings.Join(parts, " UNION ALL ") + ") i" + c.inOrder() + fmt.Sprintf(" LIMIT %d OFFSET %d", limit, offset)
}

func (c *conditions) newestOf(part part, limit int) string {
	all := slices.Clone(c.conditions)
	for _, condition := range []string{part.condition, part.bind} {
		if condition != "" {
			all = append(all, condition)
		}
	}
	page := c.inOrder() + fmt.Sprintf(" LIMIT %d", limit)
	sql := "SELECT * FROM incident i WHERE " + strings.Join(all, " AND ") + page
	if part.values != "" {
		sql = "SELECT i.* FROM " + part.values + " CROSS JOIN LATERAL (" + sql + ") i" + page
	}
	return sql
}

func (c *conditions) inOrder() string {
	if c.oldestFirst {
		return " ORDER BY i.triggered_at, i.id"
	}
	return " ORDER BY i.triggered_at DESC, i.id DESC"
}

func (c *conditions) add(condition string, arguments ...any) {
	c.conditions = append(c.conditions, c.argue(condition, arguments...))
}

func (c *conditions) check(condition string, arguments ...any) {
	c.checks = append(c.checks, c.argue(condition, arguments...))
}

// argue keeps the arguments of a condition and writes their places into it.
func (c *conditions) argue(condition string, arguments ...any) string {
	places := make([]any, len(arguments))
	for i, argument := range arguments {
		c.arguments = append(c.arguments, argument)
		places[i] = len(c.arguments)
	}
	return fmt.Sprintf(condition, places...)
}

func listQuery(orgID uuid.UUID, request *nightbellv1.ListIncidentsRequest) (*conditions, error) {
	query := &conditions{oldestFirst: request.GetSort() == "triggered_at"}
	query.add("i.org_id = $%d", orgID)
	query.filter(request)
	query.oneTagOf(request.GetTag())
	query.choose(request)
	if cursor := request.GetCursor(); cursor != "" {
		at, last, err := page.Decode(orgID, cursor)
		if err != nil {
			return nil, err
		}
		beyond := "<"
		if query.oldestFirst {
			beyond = ">"
		}
		query.add("(i.triggered_at, i.id) "+beyond+" ($%d, $%d)", at, last)
	}
	return query, nil
}

// filter adds severity and urgency, which are checked, as tags are: they have no index, because
// storing an incident would pay for it. Times are in every index.
func (c *conditions) filter(request *nightbellv1.ListIncidentsRequest) {
	if severities := request.GetSeverity(); len(severities) > 0 {
		c.check("i.severity = ANY ($%d)", severities)
	}
	if urgencies := request.GetUrgency(); len(urgencies) > 0 {
		c.check("i.urgency = ANY ($%d)", urgencies)
	}
	if since := request.GetSince(); since != nil {
		c.add("i.triggered_at >= $%d", since.AsTime())
	}
	if until := request.GetUntil(); until != nil {
		c.add("i.triggered_at < $%d", until.AsTime())
	}
}

func (c *conditions) oneTagOf(asked []string) {
	var tags []string
	for _, tag := range asked {
		name, value, valued := strings.Cut(tag, ":")
		if condition := "i.details->'tags' ? $%d::text"; !valued {
			tags = append(tags, c.argue(condition, name))
		} else {
			tags = append(tags, c.argue("i.details->'tags'->>$%d::text = $%d", name, value))
		}
	}
	if len(tags) > 0 {
		c.check("(" + strings.Join(tags, " OR ") + ")")
	}
}

// choose makes the parts of the list: one for each status, each by the index of the filter that fits
// the fewest incidents. The other filters are checked.
func (c *conditions) choose(request *nightbellv1.ListIncidentsRequest) {
	by := c.ofServices(id.ParseAll(request.GetServiceId()), id.ParseAll(request.GetTeamId()))
	if assignees := request.GetAssigneeId(); len(assignees) > 0 {
		c.checkInstead(by)
		by = c.ofAssignees(assignees)
	}
	keys := request.GetDedupKey()
	if len(keys) > 0 {
		c.checkInstead(by)
		by = part{}
	}
	// Many values beside checks would be looked through value by value, each as far as the bound.
	if by.values != "" && len(c.checks) > 0 {
		c.checkInstead(by)
		by = part{}
	}
	statuses := statusesOf(request.GetStatus())
	if len(keys) > 0 {
		c.ofKeys(keys, statuses)
		return
	}
	if len(statuses) == len(allStatuses) {
		c.parts = []part{by}
		return
	}
	for _, status := range statuses {
		c.parts = append(c.parts, by.of(status))
	}
}

func (c *conditions) ofServices(services, teams []uuid.UUID) part {
	var owned []string
	if len(services) == 1 && len(teams) == 0 {
		return part{condition: c.argue("i.service_id = $%d", services[0])}
	}
	if len(services) > 0 {
		owned = append(owned, c.argue("s.id = ANY ($%d)", services))
	}
	if len(teams) > 0 {
		owned = append(owned, c.argue("s.team_id = ANY ($%d)", teams))
	}
	if len(owned) == 0 {
		return part{}
	}
	return part{values: "(SELECT s.id FROM service s WHERE s.org_id = $1 AND " + strings.Join(owned, " AND ") + ") v", bind: "i.service_id = v.id"}
}

func (c *conditions) ofAssignees(assignees []string) part {
	people := id.ParseAll(assignees)
	switch {
	case slices.Contains(assignees, "none"):
		c.check("(i.assignee_id = ANY ($%d::uuid[]) OR i.assignee_id IS NULL)", people)
		return part{}
	case len(people) == 1:
		return part{condition: c.argue("i.assignee_id = $%d", people[0])}
	}
	return part{values: "(SELECT DISTINCT unnest(" + c.argue("$%d::uuid[]", people) + ") AS id) v", bind: "i.assignee_id = v.id"}
}

// ofKeys makes the parts by keys, of which only those of resolved incidents are in an index. Open
// incidents are few. What was merged is found with the incident that took it in, which has its alerts.
func (c *conditions) ofKeys(asked, statuses []string) {
	list := c.argue("$%d::text[]", keysOf(asked))
	tookIn := "ARRAY(SELECT m.merged_into_id FROM incident m WHERE m.org_id = $1 AND m.incident_key = ANY (" + list + ") AND m.merged_into_id IS NOT NULL)"
	for _, status := range statuses {
		if status != "resolved" {
			c.parts = append(c.parts, part{condition: "(i.incident_key = ANY (" + list + ") OR i.id = ANY (" + tookIn + "))"}.of(status))
			continue
		}
		c.parts = append(c.parts,
			part{values: "(SELECT DISTINCT unnest(" + list + ") AS key) v", bind: "i.incident_key = v.key"}.of(status),
			part{condition: "i.id = ANY (" + tookIn + ") AND (i.incident_key = ANY (" + list + ")) IS NOT TRUE"}.of(status))
	}
}

// checkInstead checks what a part would have been read by, when another takes its place.
func (c *conditions) checkInstead(by part) {
	switch {
	case by.values != "":
		c.check("EXISTS (SELECT FROM " + by.values + " WHERE " + by.bind + ")")
	case by.condition != "":
		c.check(by.condition)
	}
}

// of is the part of one status.
func (p part) of(status string) part {
	condition := fmt.Sprintf("i.status = '%s'", status)
	if p.condition != "" {
		condition += " AND " + p.condition
	}
	p.condition = condition
	return p
}

var allStatuses = []string{"triggered", "acknowledged", "resolved"}

// statusesOf are the statuses that are asked for, each once; all when none is.
func statusesOf(asked []string) []string {
	if len(asked) == 0 {
		return allStatuses
	}
	open := slices.Contains(asked, "open")
	return slices.DeleteFunc(slices.Clone(allStatuses), func(status string) bool {
		return !slices.Contains(asked, status) && (!open || status == "resolved")
	})
}

// keysOf are the incident keys that a dedup_key may have become.
func keysOf(asked []string) (keys []string) {
	for _, key := range asked {
		keys = append(keys, alert.IncidentKey(alert.ByAlert, alert.Received{Key: key}), alert.IncidentKey(alert.ByGroup, alert.Received{Group: key}))
	}
	return keys
}
