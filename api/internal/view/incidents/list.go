package incidents

import (
	"context"
	"fmt"
	"strings"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"

	nightbellv1 "github.com/nightbell/nightbell/api/gen/nightbell/v1"
	"github.com/nightbell/nightbell/api/internal/kernel/id"
	"github.com/nightbell/nightbell/api/internal/kernel/page"
)

// defaultLimit is how many incidents a list holds when the caller does not say.
const defaultLimit = 50

// List reads incidents, the newest first, and the cursor of the next page. The
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
	found, known, err := first.rows(ctx, tx, fmt.Sprintf("SELECT * FROM (%s) i WHERE %s%s LIMIT %d OFFSET %d", first.newest(lookedThrough, 0), where, inOrder, limit, offset))
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
	rows, err := tx.Query(ctx, "SELECT "+listColumns+" FROM ("+chosen+") i"+inOrder, c.arguments...)
	if err != nil {
		return nil, nil, err
	}
	return collect(ctx, tx, rows)
}

const inOrder = " ORDER BY i.triggered_at DESC, i.id DESC"

// conditions of a list; every value is an argument, never part of the text.
type conditions struct {
	conditions []string
	arguments  []any
	// either are conditions of which one holds, each with an index in the list's order.
	either []string
}

// newest selects a page of incidents before anything is joined to them. What is open
// is two lists, each read from its index: by "not resolved" the way to the last open
// incident would lead past every resolved one.
func (c *conditions) newest(limit, offset int) string {
	where := "SELECT * FROM incident i WHERE " + strings.Join(c.conditions, " AND ")
	if len(c.either) == 0 {
		return where + inOrder + fmt.Sprintf(" LIMIT %d OFFSET %d", limit, offset)
	}
	parts := make([]string, len(c.either))
	for n, condition := range c.either {
		parts[n] = "(" + where + " AND " + condition + inOrder + fmt.Sprintf(" LIMIT %d)", limit+offset)
	}
	return "SELECT * FROM (" + strings.Join(parts, " UNION ALL ") + ") i" + inOrder + fmt.Sprintf(" LIMIT %d OFFSET %d", limit, offset)
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
	services := make([]uuid.UUID, len(request.GetServiceId()))
	for i, text := range request.GetServiceId() {
		services[i], _ = id.Parse(text) // text that is no id names no service; Nil is nobody's
	}
	switch len(services) {
	case 0:
	case 1:
		query.add("i.service_id = $%d", services[0])
	default:
		query.add("i.service_id = ANY ($%d)", services)
	}
	if cursor := request.GetCursor(); cursor != "" {
		at, last, err := page.Decode(orgID, cursor)
		if err != nil {
			return nil, err
		}
		query.add("(i.triggered_at, i.id) < ($%d, $%d)", at, last)
	}
	return query, nil
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
