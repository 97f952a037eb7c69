package subscriptiondb

import (
	"context"
	"time"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"

	"github.com/nightbell/nightbell/api/internal/kernel/id"
	"github.com/nightbell/nightbell/api/internal/platform/postgres"
	"github.com/nightbell/nightbell/api/internal/subscription"
)

// QueueNews adds the statements that write news into the feed to a pipelined batch. They are told
// when the transaction has committed, and only then.
func QueueNews(batch *pgx.Batch, news []subscription.News, now time.Time) error {
	for _, one := range news {
		facts, err := one.Facts()
		if err != nil {
			return err
		}
		batch.Queue(`INSERT INTO timeline_event (org_id, id, incident_id, kind, actor_kind, message, data, at) VALUES ($1, $2, $3, $4, 'system', $5, $6, $7)`,
			one.OrgID, id.New(), postgres.Null(one.IncidentID), one.Type, one.Message, facts, now)
	}
	return nil
}

// Unread is an organization whose feed has entries that nobody has looked at for changes of health.
type Unread struct {
	OrgID uuid.UUID
	// Newest is its last entry up to the horizon.
	Newest int64
}

const feedsSQL = `
SELECT s.org_id, coalesce((SELECT max(t.seq) FROM timeline_event t WHERE t.org_id = s.org_id AND t.seq <= $1), 0)
FROM (SELECT DISTINCT org_id FROM webhook_subscription WHERE enabled AND $2 = ANY(event_types)) s`

// HealthFeeds gives where the feeds of the organizations end of which a subscription wants to be told of
// changes of health.
func HealthFeeds(ctx context.Context, tx pgx.Tx, settled int64) ([]Unread, error) {
	rows, err := tx.Query(ctx, feedsSQL, settled, subscription.HealthChanged)
	if err != nil {
		return nil, err
	}
	return pgx.CollectRows(rows, pgx.RowToStructByPos[Unread])
}

const healthSQL = `
SELECT s.id, s.name, s.told_health, coalesce((
           SELECT i.severity FROM unnest(ARRAY['critical', 'high', 'medium', 'low']) WITH ORDINALITY w (severity, rank)
           JOIN LATERAL (SELECT o.severity FROM incidents_of_service(s.org_id, s.id) o WHERE o.severity = w.severity LIMIT 1) i ON true
           ORDER BY w.rank LIMIT 1), '')
FROM service s WHERE s.org_id = $1 AND s.deleted_at IS NULL`

func listHealth(ctx context.Context, tx pgx.Tx, orgID uuid.UUID) ([]subscription.Health, error) {
	rows, err := tx.Query(ctx, healthSQL, orgID)
	if err != nil {
		return nil, err
	}
	return pgx.CollectRows(rows, func(row pgx.CollectableRow) (h subscription.Health, err error) {
		err = row.Scan(&h.Service.ID, &h.Service.Name, &h.Told, &h.Worst)
		return h, err
	})
}

// NoteHealth puts into the feed which services of an organization are better or worse than
// subscriptions know. Call it before somebody begins to be told of health, so that what was so before
// is no news to them.
func NoteHealth(ctx context.Context, tx pgx.Tx, orgID uuid.UUID, now time.Time) error {
	services, err := listHealth(ctx, tx, orgID)
	if err != nil {
		return err
	}
	var news []subscription.News
	for _, one := range services {
		next, changed := one.News(orgID)
		if !changed {
			continue
		}
		// Another replica may have been faster: then this changes nothing, and is told by that one.
		tag, err := tx.Exec(ctx, `UPDATE service SET told_health = $4 WHERE org_id = $1 AND id = $2 AND told_health = $3`, orgID, one.Service.ID, one.Told, one.Health())
		if err != nil {
			return err
		}
		if tag.RowsAffected() > 0 {
			news = append(news, next)
		}
	}
	batch := &pgx.Batch{}
	if err := QueueNews(batch, news, now); err != nil || len(news) == 0 {
		return err
	}
	return tx.SendBatch(ctx, batch).Close()
}
