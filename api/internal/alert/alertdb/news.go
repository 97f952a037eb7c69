package alertdb

import (
	"context"
	"time"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"
)

// LastNews tells when an alert of each incident was last heard of; an incident without alerts is not in the
// answer. A heartbeat that is missing is heard of all the time: nothing repeats it. It is one by its key, which
// names it (package ping): the source is whatever a sender says.
//
// The alerts stay locked until the transaction ends, in the order in which they are stored: what arrives
// meanwhile waits, and sees what became of the incident.
func LastNews(ctx context.Context, tx pgx.Tx, incidents []uuid.UUID) (map[uuid.UUID]time.Time, error) {
	rows, err := tx.Query(ctx, `SELECT incident_id, CASE WHEN status = 'firing' AND alert_key LIKE 'heartbeat:%' AND EXISTS (
			SELECT FROM heartbeat h WHERE h.org_id = a.org_id AND h.service_id = a.service_id AND 'heartbeat:' || h.id = a.alert_key)
			THEN nightbell_now() ELSE last_seen_at END
		FROM alert a WHERE incident_id = ANY($1)
		ORDER BY service_id, alert_key FOR NO KEY UPDATE`, incidents)
	if err != nil {
		return nil, err
	}
	news := make(map[uuid.UUID]time.Time, len(incidents))
	var incident uuid.UUID
	var seen time.Time
	_, err = pgx.ForEachRow(rows, []any{&incident, &seen}, func() error {
		if seen.After(news[incident]) {
			news[incident] = seen
		}
		return nil
	})
	return news, err
}

// QueueRelease adds the statement that lets the alerts of an incident open another one
// when they still fire: the incident resolved itself, and nobody has answered them.
func QueueRelease(batch *pgx.Batch, incidentID uuid.UUID) {
	batch.Queue(`UPDATE alert SET incident_starts_at = NULL WHERE incident_id = $1 AND status = 'firing'`, incidentID)
}
