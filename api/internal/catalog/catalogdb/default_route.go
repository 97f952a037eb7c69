// Package catalogdb stores services and their keys; most queries are in service.sql.
package catalogdb

import (
	"context"
	"errors"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"

	"github.com/nightbell/nightbell/api/internal/catalog"
	"github.com/nightbell/nightbell/api/internal/kernel/id"
)

// unnamedService holds the alerts of an organization's events that name no service.
const unnamedService = "Events without a service"

const defaultRouteSQL = `
SELECT s.id, coalesce(s.escalation_policy_id, o.default_policy_id) FROM org o JOIN service s ON s.org_id = o.id AND lower(s.name) = lower($2) AND s.deleted_at IS NULL
WHERE o.id = $1`

// DefaultRoute is where an organization's events go that name no service: a service made for
// them, so that screens and rules treat them like all others: paged for by the default policy
// until somebody chooses another one for it.
func DefaultRoute(ctx context.Context, tx pgx.Tx, orgID uuid.UUID) (catalog.Route, error) {
	route := catalog.Route{OrgID: orgID, ServiceName: unnamedService, Grouping: catalog.ByAlert}
	read := func() error {
		var policy *uuid.UUID
		err := tx.QueryRow(ctx, defaultRouteSQL, orgID, unnamedService).Scan(&route.ServiceID, &policy)
		if policy != nil {
			route.PolicyID = *policy
		}
		return err
	}
	err := read()
	if !errors.Is(err, pgx.ErrNoRows) {
		return route, err
	}
	_, err = tx.Exec(ctx, `INSERT INTO service (org_id, id, name, description, grouping, created_at, updated_at)
		VALUES ($1, $2, $3, 'What programs report without naming a service.', 'alert', nightbell_now(), nightbell_now())
		ON CONFLICT (org_id, lower(name)) WHERE deleted_at IS NULL DO NOTHING`, orgID, id.New(), unnamedService)
	if err != nil {
		return route, err
	}
	return route, read()
}
