package incidents

import (
	"context"
	"errors"
	"strings"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"

	nightbellv1 "github.com/nightbell/nightbell/api/gen/nightbell/v1"
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
	text := strings.TrimSpace(request.GetText())
	found, known, err := query.read(ctx, tx, limit+1, int(request.GetOffset()), text)
	if err != nil {
		return nil, err
	}
	response := &nightbellv1.ListIncidentsResponse{}
	encode := func(last row) string { return page.Encode(orgID, last.triggeredAt, last.id) }
	found, response.NextCursor = page.Next(found, limit, encode)
	if response.NextCursor == nil && text == "" && len(query.checks) > 0 {
		if response.NextCursor, err = query.beyondChecked(ctx, tx, encode); err != nil {
			return nil, err
		}
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
		return c.rows(ctx, tx, c.page(limit, offset))
	}
	first := *c
	where := first.argue(`(i.title || E'\n' || i.description ILIKE '%%' || $%[1]d || '%%'
		OR i.service_id IN (SELECT s.id FROM service s WHERE s.name ILIKE '%%' || $%[1]d || '%%'))`, escapeLike(text))
	found, known, err := first.rows(ctx, tx, first.checked(lookedThrough, limit, offset, append(first.checks, where)...))
	if err != nil || len(found) == limit {
		return found, known, err
	}
	// These come in no order.
	if _, err := tx.Exec(ctx, "SET LOCAL enable_sort = on"); err != nil {
		return nil, nil, err
	}
	c.add("i.id IN (SELECT incident_search($%d))", escapeLike(text))
	c.conditions = append(c.conditions, c.checks...)
	return c.rows(ctx, tx, c.newest(limit, offset))
}

// beyondChecked is the cursor of what a page with checks did not look through; nil when that was all.
func (c *conditions) beyondChecked(ctx context.Context, tx pgx.Tx, encode func(row) string) (*string, error) {
	var last row
	var fits *bool // asked so that every argument has a place
	sql := "SELECT i.triggered_at, i.id, " + strings.Join(c.checks, " AND ") + " FROM (" + c.newest(1, mostChecked-1) + ") i"
	err := tx.QueryRow(ctx, sql, c.arguments...).Scan(&last.triggeredAt, &last.id, &fits)
	if errors.Is(err, pgx.ErrNoRows) {
		return nil, nil
	}
	return new(encode(last)), err
}

func (c *conditions) rows(ctx context.Context, tx pgx.Tx, chosen string) ([]row, *known, error) {
	rows, err := tx.Query(ctx, "SELECT "+listColumns+" FROM ("+chosen+") i"+c.inOrder(), c.arguments...)
	if err != nil {
		return nil, nil, err
	}
	return collect(ctx, tx, rows)
}

// escapeLike makes every character of text stand for itself in LIKE.
func escapeLike(text string) string {
	return strings.NewReplacer(`\`, `\\`, `%`, `\%`, `_`, `\_`).Replace(text)
}
