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
	conditions []string
	arguments  []any
	// parts make up the list together: each is read from an index in the list's order.
	parts       []part
	oldestFirst bool
}

// part is the incidents that fit a condition. With values, such as the services of a team, the newest
// of each value are read by its index; by one condition on all values the way to the last of them
// would lead past every incident that has another.
type part struct {
	condition    string
	values, bind string // FROM item, and what ties an incident to one of its rows
}

// newest selects a page of incidents, the newest or the oldest first, before anything is joined to them.
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

// filter adds the conditions that are checked on the rows of the list. Severity, urgency and tags
// have no index: storing an incident would pay for it. What few incidents have is looked for among
// all of them, unless a status, a time or one of the filters of choose comes with it.
func (c *conditions) filter(request *nightbellv1.ListIncidentsRequest) {
	if severities := request.GetSeverity(); len(severities) > 0 {
		c.add("i.severity = ANY ($%d)", severities)
	}
	if urgencies := request.GetUrgency(); len(urgencies) > 0 {
		c.add("i.urgency = ANY ($%d)", urgencies)
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
		c.conditions = append(c.conditions, "("+strings.Join(tags, " OR ")+")")
	}
}

// choose makes the parts of the list: one for each status, each by the index of the filter that fits
// the fewest incidents. The other filters are conditions.
func (c *conditions) choose(request *nightbellv1.ListIncidentsRequest) {
	by := part{}
	// 1. Services and teams: what is asked last is read by its index.
	services, teams := parsed(request.GetServiceId()), parsed(request.GetTeamId())
	var owned []string
	if len(services) > 0 {
		owned = append(owned, c.argue("s.id = ANY ($%d)", services))
	}
	if len(teams) > 0 {
		owned = append(owned, c.argue("s.team_id = ANY ($%d)", teams))
	}
	if len(owned) > 0 {
		from := "FROM service s WHERE s.org_id = $1 AND " + strings.Join(owned, " AND ")
		by = part{values: "(SELECT s.id " + from + ") v", bind: "i.service_id = v.id"}
	}
	// 2. Who has them.
	if assignees := request.GetAssigneeId(); len(assignees) > 0 {
		c.bind(by)
		by = part{}
		people := c.argue("$%d::uuid[]", parsed(assignees))
		if slices.Contains(assignees, "none") {
			c.add("(i.assignee_id = ANY (" + people + ") OR i.assignee_id IS NULL)")
		} else {
			by = part{values: "(SELECT DISTINCT unnest(" + people + ") AS id) v", bind: "i.assignee_id = v.id"}
		}
	}
	// 3. Keys, of which only those of resolved incidents are in an index. Open ones are few.
	if keys := keysOf(request.GetDedupKey()); len(keys) > 0 {
		c.bind(by)
		list := c.argue("$%d::text[]", keys)
		for _, status := range statusesOf(request.GetStatus()) {
			by := part{condition: "i.incident_key = ANY (" + list + ")"}
			if status == "resolved" {
				by = part{values: "(SELECT DISTINCT unnest(" + list + ") AS key) v", bind: "i.incident_key = v.key"}
			}
			c.parts = append(c.parts, by.of(status))
		}
		return
	}
	statuses := statusesOf(request.GetStatus())
	if len(statuses) == len(allStatuses) {
		c.parts = []part{by}
		return
	}
	for _, status := range statuses {
		c.parts = append(c.parts, by.of(status))
	}
}

// bind keeps to the values of a part that another one takes the place of.
func (c *conditions) bind(by part) {
	if by.values != "" {
		c.conditions = append(c.conditions, "EXISTS (SELECT FROM "+by.values+" WHERE "+by.bind+")")
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

// parsed reads ids. Text that is no id names nothing: it becomes Nil, which is nobody's.
func parsed(texts []string) []uuid.UUID {
	ids := make([]uuid.UUID, len(texts))
	for i, text := range texts {
		ids[i], _ = id.Parse(text)
	}
	return ids
}
