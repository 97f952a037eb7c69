package incidents

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"

	nightbellv1 "github.com/nightbell/nightbell/api/gen/nightbell/v1"
	"github.com/nightbell/nightbell/api/internal/alert"
	"github.com/nightbell/nightbell/api/internal/kernel/id"
	"github.com/nightbell/nightbell/api/internal/kernel/page"
)

// defaultLimit is how many incidents a list holds when the caller does not say.
const defaultLimit = 50

// List reads incidents, the newest first unless another sort is asked for, and the cursor of the next page. The
// request is validated already; a service that does not exist has no incidents. Its
// transaction is postgres.InOrder, so that it reads little more than it gives.
func List(ctx context.Context, tx pgx.Tx, orgID uuid.UUID, request *nightbellv1.ListIncidentsRequest) (*nightbellv1.ListIncidentsResponse, error) {
	limit := int(request.GetLimit())
	if limit == 0 {
		limit = defaultLimit
	}
	query, err := listQuery(orgID, request)
	if err != nil {
		return nil, err
	}
	found, known, err := query.read(ctx, tx, limit+1, int(request.GetOffset()), strings.TrimSpace(request.GetText()))
	if err != nil {
		return nil, err
	}
	response := &nightbellv1.ListIncidentsResponse{}
	if len(found) > limit {
		found = found[:limit]
		last := found[limit-1]
		response.NextCursor = new(page.Encode(orgID, last.triggeredAt, last.id))
	}
	response.Incidents = make([]*nightbellv1.IncidentSummary, len(found))
	for i := range found {
		response.Incidents[i] = found[i].summary(known)
	}
	return response, nil
}

// lookedThrough is how many of the newest incidents a search looks through before it
// asks the index of texts. What is found often fills a page from these, where the index
// would give everything that was ever like it; what is found rarely costs the index little.
const lookedThrough = 2_000

// read gives a page of the incidents that fit, by text if there is any.
func (c *conditions) read(ctx context.Context, tx pgx.Tx, limit, offset int, text string) ([]row, *known, error) {
	if text == "" {
		return c.rows(ctx, tx, c.newest(limit, offset))
	}
	first := *c
	where := first.argue(`i.title || E'\n' || i.description ILIKE '%%' || $%[1]d || '%%'
		OR i.service_id IN (SELECT s.id FROM service s WHERE s.name ILIKE '%%' || $%[1]d || '%%')`, escapeLike(text))
	found, known, err := first.rows(ctx, tx, fmt.Sprintf("SELECT * FROM (%s) i WHERE %s%s LIMIT %d OFFSET %d", first.newest(lookedThrough, 0), where, c.inOrder(), limit, offset))
	if err != nil || len(found) == limit {
		return found, known, err
	}
	// These come in no order.
	if _, err := tx.Exec(ctx, "SET LOCAL enable_sort = on"); err != nil {
		return nil, nil, err
	}
	c.add("i.id IN (SELECT incident_search($%d))", escapeLike(text))
	return c.rows(ctx, tx, c.newest(limit, offset))
}

func (c *conditions) rows(ctx context.Context, tx pgx.Tx, chosen string) ([]row, *known, error) {
	rows, err := tx.Query(ctx, "SELECT "+listColumns+" FROM ("+chosen+") i"+c.inOrder(), c.arguments...)
	if err != nil {
		return nil, nil, err
	}
	return collect(ctx, tx, rows)
}

func (c *conditions) inOrder() string {
	if c.oldestFirst {
		return " ORDER BY i.triggered_at, i.id"
	}
	return " ORDER BY i.triggered_at DESC, i.id DESC"
}

// conditions of a list; every value is an argument, never part of the text.
type conditions struct {
	conditions []string
	arguments  []any
	// either are conditions of which one holds, each with an index in the list's order.
	either      []string
	oldestFirst bool
}

// newest selects a page of incidents, the newest or the oldest first, before anything is joined to them. What is open
// is two lists, each read from its index: by "not resolved" the way to the last open
// incident would lead past every resolved one.
func (c *conditions) newest(limit, offset int) string {
	where := "SELECT * FROM incident i WHERE " + strings.Join(c.conditions, " AND ")
	if len(c.either) == 0 {
		return where + c.inOrder() + fmt.Sprintf(" LIMIT %d OFFSET %d", limit, offset)
	}
	parts := make([]string, len(c.either))
	for n, condition := range c.either {
		parts[n] = "(" + where + " AND " + condition + c.inOrder() + fmt.Sprintf(" LIMIT %d)", limit+offset)
	}
	return "SELECT * FROM (" + strings.Join(parts, " UNION ALL ") + ") i" + c.inOrder() + fmt.Sprintf(" LIMIT %d OFFSET %d", limit, offset)
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
	query := &conditions{}
	query.add("i.org_id = $%d", orgID)
	query.oneOfStatuses(request.GetStatus())
	switch severities := request.GetSeverity(); len(severities) {
	case 0:
	case 1:
		query.add("i.severity = $%d", severities[0])
	default:
		query.add("i.severity = ANY ($%d)", severities)
	}
	services := parsed(request.GetServiceId())
	switch len(services) {
	case 0:
	case 1:
		query.add("i.service_id = $%d", services[0])
	default:
		query.add("i.service_id = ANY ($%d)", services)
	}
	query.filter(request)
	beyond := "<"
	if query.oldestFirst = request.GetSort() == "triggered_at"; query.oldestFirst {
		beyond = ">"
	}
	if cursor := request.GetCursor(); cursor != "" {
		at, last, err := page.Decode(orgID, cursor)
		if err != nil {
			return nil, err
		}
		query.add("(i.triggered_at, i.id) "+beyond+" ($%d, $%d)", at, last)
	}
	return query, nil
}

// parsed reads ids. Text that is no id names nothing: it becomes Nil, which is nobody's.
func parsed(texts []string) []uuid.UUID {
	ids := make([]uuid.UUID, len(texts))
	for i, text := range texts {
		ids[i], _ = id.Parse(text)
	}
	return ids
}

// filter adds the conditions that have no index of their own: they are checked on the rows of the
// list, in its order.
func (c *conditions) filter(request *nightbellv1.ListIncidentsRequest) {
	if assignees := request.GetAssigneeId(); len(assignees) > 0 {
		c.add("(i.assignee_id = ANY ($%d) OR i.assignee_id IS NULL AND $%d)", parsed(assignees), slices.Contains(assignees, "none"))
	}
	if teams := request.GetTeamId(); len(teams) > 0 {
		c.add("i.service_id IN (SELECT s.id FROM service s WHERE s.org_id = i.org_id AND s.team_id = ANY ($%d))", parsed(teams))
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
	var tags []string
	for _, tag := range request.GetTag() {
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
	var keys []string
	for _, key := range request.GetDedupKey() {
		keys = append(keys, alert.IncidentKey(alert.ByAlert, alert.Received{Key: key}), alert.IncidentKey(alert.ByGroup, alert.Received{Group: key}))
	}
	if len(keys) > 0 {
		c.add("i.incident_key = ANY ($%d)", keys)
	}
}

// oneOfStatuses reads several statuses as many lists, each from its index.
func (c *conditions) oneOfStatuses(asked []string) {
	wanted := map[string]bool{}
	for _, status := range asked {
		wanted[status] = true
	}
	open := wanted["open"]
	for _, status := range []string{"triggered", "acknowledged", "resolved"} {
		if wanted[status] || (open && status != "resolved") {
			c.either = append(c.either, fmt.Sprintf("i.status = '%s'", status))
		}
	}
	switch len(c.either) {
	case 1:
		c.add(c.either[0])
		c.either = nil
	case 3: // all there are
		c.either = nil
	}
}

// escapeLike makes every character of text stand for itself in LIKE.
func escapeLike(text string) string {
	return strings.NewReplacer(`\`, `\\`, `%`, `\%`, `_`, `\_`).Replace(text)
}
