package watch

import (
	"context"
	"slices"
	"time"

	"github.com/jackc/pgx/v5"

	"github.com/nightbell/nightbell/api/internal/kernel/clock"
	"github.com/nightbell/nightbell/api/internal/notify"
)

// channelFails tells of a channel to addresses of organizations (webhook, Slack) that takes nothing from anybody, as
// losing judges it, and of pages by it that were lost by a mistake of our own. A dead address is common there, and
// tells nothing by itself, also on a quiet night.
func channelFails(ctx context.Context, tx pgx.Tx, kind notify.Kind, several bool, now time.Time) ([]Blocked, error) {
	accepted, err := acceptedAt(ctx, tx, kind, now)
	if err != nil {
		return nil, err
	}
	ours, err := lossesSince(ctx, tx, kind, clock.Later(accepted, now.Add(-lossesLast)))
	if err != nil {
		return nil, err
	}
	ours = slices.DeleteFunc(ours, func(l loss) bool { return !l.ours })
	if since, ok := losing(ours, now, several, false); ok {
		return []Blocked{{Channel: kind, Since: since, Pages: len(ours), Reason: "pages were given up by a mistake of our own, and none was taken since"}}, nil
	}
	if now.Sub(accepted) < lastAccepted {
		return nil, nil
	}
	theirs, reason, err := unheard(ctx, tx, kind, accepted, now)
	if err != nil {
		return nil, err
	}
	if since, ok := losing(theirs, now, several, false); ok {
		return []Blocked{{Channel: kind, Since: since, Pages: len(theirs), Contacts: len(theirs), Reason: reason}}, nil
	}
	return nil, nil
}

// unheardSQL finds the contacts of a channel that failed for a minute, keep or lost a page which was tried, and began
// to fail after the channel took its last message: what took one beside a contact that failed already is not what
// fails now, so addresses that are dead for long never count.
const unheardSQL = `
WITH lost AS MATERIALIZED (
    SELECT contact_method_id AS id, max(lost_at) AS at FROM notification WHERE lost_at > $2::timestamptz - $6::interval AND channel = $1 GROUP BY 1
)
SELECT c.org_id, c.id, c.failing_since, CASE WHEN page.waits THEN $2 ELSE lost.at END, c.failing_for
FROM contact_method c LEFT JOIN lost ON lost.id = c.id,
LATERAL (SELECT EXISTS (SELECT FROM notification n WHERE n.contact_method_id = c.id AND n.finished_at IS NULL AND n.attempts > 0) AS waits) page
WHERE c.kind = $1 AND c.next_try_at > $2 - $4::interval AND c.failing_since > $5 AND c.failing_since <= $2 - $3::interval
  AND (page.waits OR lost.at IS NOT NULL)
ORDER BY c.failing_since DESC`

// unheard gives them as losses, with what the one that fails for longest was told: it is read last.
func unheard(ctx context.Context, tx pgx.Tx, kind notify.Kind, accepted, now time.Time) (losses []loss, reason string, err error) {
	rows, err := tx.Query(ctx, unheardSQL, string(kind), now, latePage, notify.LongestWait, accepted, lossesLast)
	if err != nil {
		return nil, "", err
	}
	var one loss
	_, err = pgx.ForEachRow(rows, []any{&one.orgID, &one.contactID, &one.first, &one.last, &reason}, func() error {
		losses = append(losses, one)
		return nil
	})
	return losses, reason, err
}
