package watch

import (
	"context"
	"time"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"

	"github.com/nightbell/nightbell/api/internal/notify"
)

const (
	// lossesSpan is how long ago the first page was given up, and for how long contacts lose pages, until it
	// is the provider's fault.
	lossesSpan = time.Minute
	// lossesLast is how long a loss says something.
	lossesLast = 10 * time.Minute
)

// loss is what a contact lost: its pages were given up.
type loss struct {
	orgID, contactID uuid.UUID
	first, last      time.Time
	// ours is set when one was given up for the installation's own reasons.
	ours bool
}

// losing says since when pages are given up, unless that may be the fault of contacts: of fewer than three, or
// all of one organization among several, or all at one time. One page is enough that was lost by the installation's
// own fault, or on a quiet night: no other was taken.
func losing(losses []loss, now time.Time, several, quiet bool) (since time.Time, ok bool) {
	var last time.Time
	orgs, ours := map[uuid.UUID]bool{}, false
	for _, one := range losses {
		orgs[one.orgID], ours = true, ours || one.ours
		if one.last.After(last) {
			last = one.last
		}
		if since.IsZero() || one.first.Before(since) {
			since = one.first
		}
	}
	theirs := len(losses) >= manyAtFault && (len(orgs) > 1 || !several) && last.Sub(since) >= lossesSpan
	return since, theirs || (ours || quiet && len(losses) > 0) && now.Sub(since) >= lossesSpan
}

// lostSQL finds the losses of a channel since a moment. What was kept before it was lost counts from when it was.
const lostSQL = `
SELECT org_id, contact_method_id, min(greatest(least(blocked_since, lost_at), $2)), max(lost_at), bool_or(blocked_since IS NOT NULL)
FROM notification WHERE lost_at > $2 AND channel = $1 GROUP BY org_id, contact_method_id`

func lossesSince(ctx context.Context, tx pgx.Tx, kind notify.Kind, since time.Time) (losses []loss, err error) {
	rows, err := tx.Query(ctx, lostSQL, string(kind), since)
	if err != nil {
		return nil, err
	}
	var one loss
	_, err = pgx.ForEachRow(rows, []any{&one.orgID, &one.contactID, &one.first, &one.last, &one.ours}, func() error {
		losses = append(losses, one)
		return nil
	})
	return losses, err
}

// acceptedAt is when a provider of the channel last took a message, by any replica; zero for never. What was
// written before the clock was set back tells nothing.
func acceptedAt(ctx context.Context, tx pgx.Tx, kind notify.Kind, now time.Time) (at time.Time, err error) {
	rows, err := tx.Query(ctx, `SELECT finished_at FROM delivery WHERE outcome = 'accepted' AND channel = $1 AND finished_at <= $2 ORDER BY finished_at DESC LIMIT 1`,
		string(kind), now)
	if err != nil {
		return time.Time{}, err
	}
	_, err = pgx.ForEachRow(rows, []any{&at}, func() error { return nil })
	return at, err
}
