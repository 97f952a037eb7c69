package publish

import (
	"context"
	"time"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"

	"github.com/nightbell/nightbell/api/internal/subscription/subscriptiondb"
)

// noteHealth puts into the feed which services are better or worse than subscriptions know. It looks
// after the feed moved, because nothing else changes a service's health: so neither alerts nor
// answers write a line for it. Health that lasts for less than a look is not told.
func (p *Publisher) noteHealth(ctx context.Context, tx pgx.Tx, settled int64, now time.Time) (looked map[uuid.UUID]int64, err error) {
	feeds, err := subscriptiondb.HealthFeeds(ctx, tx, settled)
	if err != nil {
		return nil, err
	}
	looked = map[uuid.UUID]int64{}
	for _, feed := range feeds {
		if before, known := p.healthLooked[feed.OrgID]; !known || before < feed.Newest {
			if err := subscriptiondb.NoteHealth(ctx, tx, feed.OrgID, now); err != nil {
				return nil, err
			}
		}
		looked[feed.OrgID] = feed.Newest
	}
	return looked, nil
}
