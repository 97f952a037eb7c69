package catalogdb

import (
	"context"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"

	"github.com/nightbell/nightbell/api/internal/catalog"
	"github.com/nightbell/nightbell/api/internal/platform/postgres"
)

// RouteOf is where the alerts of a service go that have no key. It fails with pgx.ErrNoRows when
// there is no such service.
func RouteOf(ctx context.Context, tx pgx.Tx, orgID, serviceID uuid.UUID) (catalog.Route, error) {
	route := catalog.Route{OrgID: orgID, ServiceID: serviceID}
	var policy *uuid.UUID
	err := tx.QueryRow(ctx, `SELECT s.name, coalesce(s.escalation_policy_id, o.default_policy_id), s.grouping
		FROM service s JOIN org o ON o.id = s.org_id WHERE s.org_id = $1 AND s.id = $2 AND s.deleted_at IS NULL`, orgID, serviceID).
		Scan(&route.ServiceName, &policy, &route.Grouping)
	route.PolicyID = postgres.Value(policy)
	return route, err
}
