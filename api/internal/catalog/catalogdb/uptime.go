package catalogdb

import (
	"context"
	"errors"
	"time"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"
)

// range_agg joins incidents that were open at once. The bound of 90 days keeps to the recent end of
// incident_service_idx; what is open is few, and found by incident_open_idx.
const uptimeSQL = `
WITH asked AS (
    SELECT greatest($3::timestamptz, created_at) AS since, $4::timestamptz AS until
    FROM service WHERE org_id = $1 AND id = $2 AND created_at < $4::timestamptz
), down AS (
    SELECT range_agg(tstzrange(greatest(i.triggered_at, a.since), least(coalesce(i.resolved_at, a.until), a.until))) AS times
    FROM asked a JOIN incident i ON i.org_id = $1 AND i.service_id = $2 AND i.severity = 'critical'
        AND i.triggered_at < a.until AND (i.triggered_at > a.since - interval '90 days' OR i.status <> 'resolved')
        AND (i.resolved_at IS NULL OR i.resolved_at > greatest(a.since, i.triggered_at))
)
SELECT 1 - coalesce((SELECT sum(extract(epoch FROM upper(r) - lower(r))) FROM down, unnest(down.times) r), 0)::float8
    / extract(epoch FROM until - since)::float8
FROM asked`

// Uptime is the share of a time in which no critical incident of a service was open, from 0 to 1,
// counted from when the service was added; nil for a time before that.
func Uptime(ctx context.Context, tx pgx.Tx, orgID, serviceID uuid.UUID, since, until time.Time) (*float64, error) {
	var share float64
	err := tx.QueryRow(ctx, uptimeSQL, orgID, serviceID, since, until).Scan(&share)
	if errors.Is(err, pgx.ErrNoRows) {
		return nil, nil
	}
	return &share, err
}
