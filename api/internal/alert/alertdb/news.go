package alertdb

import (
	"context"
	"time"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"
)

// LastNews says when an alert of each incident was last heard of; incidents without alerts are left out. Its locks,
// taken in storing order, last until COMMIT: what arrives waits, and sees what became of the incident. A missed
// heartbeat, known by its key (its source is the sender's word), counts as heard of now, because nothing repeats it.
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
