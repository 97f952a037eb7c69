// Package activity reads what happened about a service: its changes and its incidents in one list.
package activity

import (
	"context"
	"time"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"
	"google.golang.org/protobuf/types/known/timestamppb"

	nightbellv1 "github.com/nightbell/nightbell/api/gen/nightbell/v1"
)

// Each half is read from its index in the list's order, so that a page costs the same at any depth.
const serviceSQL = `
SELECT * FROM (
    (SELECT c.id, c.kind, left(c.description, 500), c.occurred_at AS at, coalesce(nullif(c.author, ''), u.name), nullif(c.version, ''),
            NULL::integer, NULL::text, NULL::text
     FROM change_event c LEFT JOIN users u ON u.id = c.user_id
     WHERE c.org_id = $1 AND c.service_id = $2 AND (c.occurred_at, c.id) < ($3::timestamptz, $4::uuid)
     ORDER BY c.occurred_at DESC, c.id DESC LIMIT $5)
    UNION ALL
    (SELECT i.id, 'incident', left(i.title, 500), i.triggered_at, NULL, NULL, i.number, i.status, i.severity
     FROM incident i
     WHERE i.org_id = $1 AND i.service_id = $2 AND (i.triggered_at, i.id) < ($3, $4)
     ORDER BY i.triggered_at DESC, i.id DESC LIMIT $5)) both_kinds
ORDER BY at DESC, id DESC LIMIT $5`

// OfService reads at most limit entries about a service, the newest first, from before a place on;
// a zero time is the newest.
func OfService(ctx context.Context, tx pgx.Tx, orgID, serviceID uuid.UUID, beforeAt time.Time, beforeID uuid.UUID, limit int) ([]*nightbellv1.ServiceActivity, error) {
	if beforeAt.IsZero() {
		beforeAt, beforeID = time.Date(9999, 12, 31, 0, 0, 0, 0, time.UTC), uuid.Max
	}
	rows, err := tx.Query(ctx, serviceSQL, orgID, serviceID, beforeAt, beforeID, limit)
	if err != nil {
		return nil, err
	}
	return pgx.CollectRows(rows, func(row pgx.CollectableRow) (*nightbellv1.ServiceActivity, error) {
		entry := &nightbellv1.ServiceActivity{}
		var entryID uuid.UUID
		var at time.Time
		err := row.Scan(&entryID, &entry.Kind, &entry.Summary, &at, &entry.Author, &entry.Version, &entry.IncidentNumber, &entry.Status, &entry.Severity)
		entry.Id, entry.At = entryID.String(), timestamppb.New(at)
		return entry, err
	})
}
