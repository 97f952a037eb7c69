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
// request is validated already; a service that does not exist has no incidents. A list
// without text reads as many rows as it gives when its transaction is postgres.InOrder.
func List(ctx context.Context, tx pgx.Tx, orgID uuid.UUID, request *nightbellv1.ListIncidentsRequest) (*nightbellv1.ListIncidentsResponse, error) {
	limit := int(request.GetLimit())
	if limit == 0 {
		limit = defaultLimit
	}
	query, err := listQuery(orgID, request)
	if err != nil {
		return nil, err
	}
	sql := fmt.Sprintf("SELECT %s FROM (%s)%s ORDER BY i.triggered_at DESC, i.id DESC",
		columns, query.newest(limit+1, int(request.GetOffset())), withService)
	rows, err := tx.Query(ctx, sql, query.arguments...)
	if err != nil {
		return nil, err
	}
	found, err := collect(ctx, tx, rows)
	if err != nil {
		return nil, err
	}
	response := &nightbellv1.ListIncidentsResponse{}
	if len(found) > limit {
		found = found[:limit]
		last := found[limit-1]
		response.NextCursor = page.Encode(orgID, last.triggeredAt, last.id)
	}
	for _, r := range found {
		response.Incidents = append(response.Incidents, r.incident)
	}
	return response, nil
}

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
	const order = " ORDER BY i.triggered_at DESC, i.id DESC"
	where := "SELECT * FROM incident i WHERE " + strings.Join(c.conditions, " AND ")
	if len(c.either) == 0 {
		return where + order + fmt.Sprintf(" LIMIT %d OFFSET %d", limit, offset)
	}
	parts := make([]string, len(c.either))
	for n, condition := range c.either {
		parts[n] = "(" + where + " AND " + condition + order + fmt.Sprintf(" LIMIT %d)", limit+offset)
	}
	return "SELECT * FROM (" + strings.Join(parts, " UNION ALL ") + ") i" + order + fmt.Sprintf(" LIMIT %d OFFSET %d", limit, offset)
}

func (c *conditions) add(condition string, arguments ...any) {
	places := make([]any, len(arguments))
	for i, argument := range arguments {
		c.arguments = append(c.arguments, argument)
		places[i] = len(c.arguments)
	}
	c.conditions = append(c.conditions, fmt.Sprintf(condition, places...))
}

func listQuery(orgID uuid.UUID, request *nightbellv1.ListIncidentsRequest) (*conditions, error) {
	query := &conditions{}
	query.add("i.org_id = $%d", orgID)
	switch status := request.GetStatus(); status {
	case "":
	case "open":
		query.either = []string{"i.status = 'triggered'", "i.status = 'acknowledged'"}
	default:
		query.add("i.status = $%d", status)
	}
	if severity := request.GetSeverity(); severity != "" {
		query.add("i.severity = $%d", severity)
	}
	if service := request.GetServiceId(); service != "" {
		// Text that is no id names no service; Nil is nobody's.
		serviceID, _ := id.Parse(service)
		query.add("i.service_id = $%d", serviceID)
	}
	if text := strings.TrimSpace(request.GetText()); text != "" {
		query.add("i.id IN (SELECT incident_search($%d))", escapeLike(text))
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

// escapeLike makes every character of text stand for itself in LIKE.
func escapeLike(text string) string {
	return strings.NewReplacer(`\`, `\\`, `%`, `\%`, `_`, `\_`).Replace(text)
}

// Count reads how many incidents are in each status.
func Count(ctx context.Context, tx pgx.Tx, orgID uuid.UUID) (*nightbellv1.CountIncidentsResponse, error) {
	response := &nightbellv1.CountIncidentsResponse{}
	err := tx.QueryRow(ctx, `SELECT count(*) FILTER (WHERE status = 'triggered'), count(*) FILTER (WHERE status = 'acknowledged'),
		count(*) FILTER (WHERE status = 'resolved') FROM incident WHERE org_id = $1`, orgID).
		Scan(&response.Triggered, &response.Acknowledged, &response.Resolved)
	return response, err
}
