package incidents

import (
	"context"
	"sync"
	"time"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"

	nightbellv1 "github.com/nightbell/nightbell/api/gen/nightbell/v1"
)

const (
	// keptFrom is how many incidents an organization has whose past is worth keeping.
	keptFrom = 10_000
	// keptFor is how long it is kept before it is counted again.
	keptFor = 10 * time.Minute
	// settled is the age from which on no incident begins any more.
	settled = time.Hour
)

// Counter counts incidents. Incidents stay, so those that began long ago are counted
// once in a while, and what is counted each time is few: the open ones, and those that
// began since. The zero value is ready to use.
type Counter struct {
	mu    sync.Mutex
	pasts map[uuid.UUID]past
}

// past is how many incidents of an organization began before a moment.
type past struct {
	before, counted time.Time
	incidents       int32
}

// Count reads how many incidents are in each status at now, the time of the transaction.
func (c *Counter) Count(ctx context.Context, tx pgx.Tx, orgID uuid.UUID, now time.Time) (*nightbellv1.CountIncidentsResponse, error) {
	then, err := c.past(ctx, tx, orgID, now)
	if err != nil {
		return nil, err
	}
	response := &nightbellv1.CountIncidentsResponse{}
	var since int32
	err = tx.QueryRow(ctx, `SELECT (SELECT count(*) FROM incident WHERE org_id = $1 AND status = 'triggered'),
		(SELECT count(*) FROM incident WHERE org_id = $1 AND status = 'acknowledged'),
		(SELECT count(*) FROM incident WHERE org_id = $1 AND triggered_at >= $2)`, orgID, then.before).
		Scan(&response.TriggeredCount, &response.AcknowledgedCount, &since)
	response.ResolvedCount = then.incidents + since - response.TriggeredCount - response.AcknowledgedCount
	return response, err
}

func (c *Counter) past(ctx context.Context, tx pgx.Tx, orgID uuid.UUID, now time.Time) (past, error) {
	c.mu.Lock()
	kept, known := c.pasts[orgID]
	c.mu.Unlock()
	if age := now.Sub(kept.counted); known && age >= 0 && age < keptFor {
		return kept, nil
	}
	fresh := past{before: now.Add(-settled), counted: now}
	err := tx.QueryRow(ctx, `SELECT count(*) FROM incident WHERE org_id = $1 AND triggered_at < $2`, orgID, fresh.before).Scan(&fresh.incidents)
	if err != nil || fresh.incidents < keptFrom {
		return fresh, err
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.pasts == nil {
		c.pasts = map[uuid.UUID]past{}
	}
	c.pasts[orgID] = fresh
	return fresh, nil
}
