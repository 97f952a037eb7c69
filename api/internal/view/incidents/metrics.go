package incidents

import (
	"context"
	"time"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"
	"google.golang.org/protobuf/types/known/timestamppb"

	nightbellv1 "github.com/nightbell/nightbell/api/gen/nightbell/v1"
	"github.com/nightbell/nightbell/api/internal/incident"
)

// metricsSQL reads the incidents of one period by incident_recent_idx. Of those that were open at its
// end it looks back as far as $4: a row that was resolved since stands in no index by that time.
// A merge ends an incident and resolves nothing, as in Analytics (analyticsdb).
const metricsSQL = `
SELECT count(*) FILTER (WHERE recent), count(acknowledged_at) FILTER (WHERE recent), count(resolved_at) FILTER (WHERE recent AND NOT merged),
       coalesce(extract(epoch FROM sum(acknowledged_at - triggered_at) FILTER (WHERE recent)), 0)::float8,
       coalesce(extract(epoch FROM sum(resolved_at - triggered_at) FILTER (WHERE recent AND NOT merged)), 0)::float8,
       count(*) FILTER (WHERE resolved_at IS NULL OR resolved_at > $3)
           + (SELECT count(*) FROM incident WHERE org_id = $1 AND status <> 'resolved' AND triggered_at <= $4)
FROM (SELECT triggered_at, acknowledged_at, resolved_at, triggered_at > $2 AS recent, merged_into_id IS NOT NULL AS merged
      FROM incident WHERE org_id = $1 AND triggered_at > $4 AND triggered_at <= $3) period`

// lookBack is how long an incident may have been open to be counted as open in the past.
const lookBack = 90 * 24 * time.Hour

// Compare gives the figures of the days that end now and of as many days before them.
func Compare(ctx context.Context, tx pgx.Tx, orgID uuid.UUID, days int, now time.Time) (*nightbellv1.GetIncidentMetricsResponse, error) {
	length := time.Duration(days) * 24 * time.Hour
	current, err := metrics(ctx, tx, orgID, now.Add(-length), now)
	if err != nil {
		return nil, err
	}
	before, err := metrics(ctx, tx, orgID, now.Add(-2*length), now.Add(-length))
	return &nightbellv1.GetIncidentMetricsResponse{Current: current, Before: before}, err
}

func metrics(ctx context.Context, tx pgx.Tx, orgID uuid.UUID, from, to time.Time) (*nightbellv1.IncidentMetrics, error) {
	since := to.Add(-lookBack)
	if from.Before(since) {
		since = from
	}
	var f incident.Figures
	var open int32
	err := tx.QueryRow(ctx, metricsSQL, orgID, from, to, since).
		Scan(&f.Triggered, &f.Acknowledged, &f.Resolved, &f.SecondsToAcknowledge, &f.SecondsToResolve, &open)
	return &nightbellv1.IncidentMetrics{
		From: timestamppb.New(from), To: timestamppb.New(to), OpenCount: open,
		TriggeredCount: int32(f.Triggered), AcknowledgedCount: int32(f.Acknowledged), ResolvedCount: int32(f.Resolved),
		MttaSeconds: f.MTTA(), MttrSeconds: f.MTTR(),
	}, err
}
