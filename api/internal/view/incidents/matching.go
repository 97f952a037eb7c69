package incidents

import (
	"context"
	"fmt"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"

	nightbellv1 "github.com/nightbell/nightbell/api/gen/nightbell/v1"
)

// mostMatching is how many incidents one call may change by a filter.
const mostMatching = 50_000

// Matching reads the incidents that an action by filter is about: the newest that it
// applies to and that the caller can have seen, and whether there are more of them. Its
// transaction is postgres.InOrder.
func Matching(ctx context.Context, tx pgx.Tx, orgID uuid.UUID, action string, filter *nightbellv1.IncidentFilter) (ids []uuid.UUID, more bool, err error) {
	sql, arguments, err := matchingSQL(orgID, action, filter)
	if err != nil {
		return nil, false, err
	}
	rows, err := tx.Query(ctx, sql, arguments...)
	if err != nil {
		return nil, false, err
	}
	ids, err = pgx.CollectRows(rows, pgx.RowTo[uuid.UUID])
	return ids[:min(len(ids), mostMatching)], len(ids) > mostMatching, err
}

func matchingSQL(orgID uuid.UUID, action string, filter *nightbellv1.IncidentFilter) (sql string, arguments []any, err error) {
	status := "open"
	if action == "acknowledge" {
		status = "triggered"
	}
	query, err := listQuery(orgID, &nightbellv1.ListIncidentsRequest{
		Status: []string{status}, Severity: oneIf(filter.GetSeverity()), ServiceId: oneIf(filter.GetServiceId()),
	})
	if err != nil {
		return "", nil, err
	}
	query.add("i.triggered_at <= $%d", filter.GetTriggeredBefore().AsTime())
	query.conditions = append(query.conditions, query.checks...)
	return fmt.Sprintf("SELECT i.id FROM (%s) i", query.newest(mostMatching+1, 0)), query.arguments, nil
}

// oneIf is a filter of one word; no filter when it is empty.
func oneIf(word string) []string {
	if word == "" {
		return nil
	}
	return []string{word}
}
