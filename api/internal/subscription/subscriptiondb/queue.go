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

// Lease is how long a delivery that was claimed is nobody else's: longer than a receiver may take,
// with room to record the result.
const Lease = 20 * time.Second

// Room is how many more deliveries this process sends, and of whom there are how many under way.
type Room struct {
	All, PerOrg, PerSubscription int
	// Shared is how many of All organizations may take that have some under way, and SharedPerOrg
	// how many of PerOrg subscriptions may.
	Shared, SharedPerOrg int
	Orgs, Subscriptions  map[uuid.UUID]int
}

// Due is a delivery that waits for a try.
type Due struct {
	OrgID, SubscriptionID, ID uuid.UUID
	// Most is how many of its subscription may be under way.
	Most int
}

// Organizations take turns, and subscriptions within each: the first of each comes before the second
// of any, those under way counted. Who has no room is left out here, so that its backlog hides nobody
// else's. A receiver that did not answer is left alone until paused_until, and then tried once.
const dueSQL = `
SELECT org_id, subscription_id, id, most FROM (
    SELECT s.org_id, d.subscription_id, d.id, d.next_try_at, s.most,
           row_number() OVER (PARTITION BY s.org_id ORDER BY s.under_way + d.place, d.next_try_at, d.id) AS turn
    FROM (SELECT org_id, id, coalesce(n, 0) AS under_way, CASE WHEN paused_until IS NULL THEN $2::integer ELSE 1 END AS most
          FROM webhook_subscription LEFT JOIN unnest($4::uuid[], $5::integer[]) counted (subscription_id, n) ON counted.subscription_id = id
          WHERE enabled AND org_id <> ALL($3::uuid[]) AND (paused_until IS NULL OR paused_until <= $1)) s,
    LATERAL (
        SELECT v.subscription_id, v.id, v.next_try_at, row_number() OVER (ORDER BY v.next_try_at) AS place FROM webhook_delivery v
        WHERE v.subscription_id = s.id AND v.finished_at IS NULL AND v.next_try_at <= $1
        ORDER BY v.next_try_at LIMIT greatest(s.most - s.under_way, 0)) d) due
WHERE turn <= $6 ORDER BY turn, next_try_at LIMIT $7`

// ListDue gives what could be sent now, in the order of turns.
func ListDue(ctx context.Context, tx pgx.Tx, room Room, now time.Time) ([]Due, error) {
	fullOrgs, subscriptions, underWay := []uuid.UUID{}, []uuid.UUID{}, []int{}
	for orgID, n := range room.Orgs {
		if n >= room.PerOrg {
			fullOrgs = append(fullOrgs, orgID)
		}
	}
	for subscriptionID, n := range room.Subscriptions {
		subscriptions, underWay = append(subscriptions, subscriptionID), append(underWay, n)
	}
	rows, err := tx.Query(ctx, dueSQL, now, room.PerSubscription, fullOrgs, subscriptions, underWay, room.PerOrg, 4*room.All)
	if err != nil {
		return nil, err
	}
	return pgx.CollectRows(rows, pgx.RowToStructByPos[Due])
}

// Take is those of due, in their order, for which there is room, and counts them in it.
func (r *Room) Take(due []Due) (taken []Due) {
	for _, d := range due {
		ofOrg, ofSubscription := r.Orgs[d.OrgID], r.Subscriptions[d.SubscriptionID]
		shared := ofOrg > 0
		switch {
		case len(taken) == r.All, ofOrg >= r.PerOrg, ofSubscription >= d.Most:
			continue
		case shared && r.Shared <= 0, ofSubscription > 0 && ofOrg >= r.SharedPerOrg:
			continue
		}
		if shared {
			r.Shared--
		}
		r.Orgs[d.OrgID]++
		r.Subscriptions[d.SubscriptionID]++
		taken = append(taken, d)
	}
	return taken
}

// Claim is a delivery that this process sends now, with what that takes.
type Claim struct {
	Due

	Token      uuid.UUID
	EventID    uuid.UUID
	EventType  string
	Payload    string
	Attempt    int
	RetrySince time.Time
	// FailingSince is since when the receiver took nothing; nil when it took the last.
	FailingSince *time.Time
	// All are sealed; OldSecret is nil unless both secrets sign.
	URL, Secret, OldSecret []byte
}

// A replica that took the delivery meanwhile has moved next_try_at: then this changes nothing.
const claimSQL = `
UPDATE webhook_delivery d SET next_try_at = $1::timestamptz + $2::interval, lease_token = $3, attempt_count = d.attempt_count + 1
FROM webhook_subscription s
WHERE d.id = ANY($4) AND d.org_id = ANY($5) AND d.finished_at IS NULL AND d.next_try_at <= $1 AND s.org_id = d.org_id AND s.id = d.subscription_id
RETURNING d.org_id, d.subscription_id, d.id, d.event_id, d.event_type, d.payload, d.attempt_count, d.retry_since, s.failing_since, s.url_sealed, s.secret_sealed,
          CASE WHEN s.old_secret_until > $1 THEN s.old_secret_sealed END`

// ClaimDue takes deliveries for Lease; those that another replica was faster with are left out.
func ClaimDue(ctx context.Context, tx pgx.Tx, taken []Due, now time.Time) ([]Claim, error) {
	token, ids, orgs := id.New(), make([]uuid.UUID, len(taken)), make([]uuid.UUID, len(taken))
	for i, d := range taken {
		ids[i], orgs[i] = d.ID, d.OrgID
	}
	rows, err := tx.Query(ctx, claimSQL, now, Lease, token, ids, orgs)
	if err != nil {
		return nil, err
	}
	return pgx.CollectRows(rows, func(row pgx.CollectableRow) (c Claim, err error) {
		c.Token = token
		err = row.Scan(&c.OrgID, &c.SubscriptionID, &c.ID, &c.EventID, &c.EventType, &c.Payload, &c.Attempt, &c.RetrySince, &c.FailingSince, &c.URL, &c.Secret, &c.OldSecret)
		return c, err
	})
}

// Result is what came of a try.
type Result struct {
	// Status is delivered, failed, or pending: tried again at NextTryAt.
	Status    string
	NextTryAt time.Time
	// HTTPStatus is 0 when there was no answer.
	HTTPStatus int
	Detail     string
	// Gone is set when the receiver wants nothing any more.
	Gone bool
	// PausedUntil is until when the receiver is left alone; zero when the next event may be tried.
	PausedUntil time.Time
}

const settleSQL = `
UPDATE webhook_delivery SET status = $4::text, next_try_at = coalesce($5::timestamptz, next_try_at), response_status = nullif($6::integer, 0), detail = $7, lease_token = NULL,
       finished_at = CASE WHEN $4 = 'pending' THEN NULL ELSE $8::timestamptz END
WHERE org_id = $1 AND id = $2 AND lease_token = $3 AND finished_at IS NULL`

// A success ends the time of failures. The first failure begins it, and at its end, or when the
// receiver wants nothing any more, the subscription is disabled and its owners are to be mailed.
const successSQL = `UPDATE webhook_subscription SET failing_since = NULL, paused_until = NULL WHERE org_id = $1 AND id = $2 AND failing_since IS NOT NULL`

const failureSQL = `
UPDATE webhook_subscription s
SET failing_since = coalesce(s.failing_since, $3::timestamptz), paused_until = greatest(s.paused_until, $8), enabled = verdict.reason = '', disabled_reason = verdict.reason,
    notice_due_at = CASE WHEN verdict.reason = '' THEN s.notice_due_at ELSE $3 END,
    notice_sent_to = CASE WHEN verdict.reason = '' THEN s.notice_sent_to ELSE '{}' END,
    updated_at = CASE WHEN verdict.reason = '' THEN s.updated_at ELSE $3 END
FROM (SELECT CASE WHEN $4::boolean THEN $6::text WHEN v.failing_since <= $5::timestamptz THEN $7::text ELSE '' END AS reason
      FROM webhook_subscription v WHERE v.org_id = $1 AND v.id = $2) verdict
WHERE s.org_id = $1 AND s.id = $2 AND s.enabled AND (s.failing_since IS NULL OR $8::timestamptz > s.paused_until OR s.paused_until IS NULL AND $8 IS NOT NULL OR verdict.reason <> '')`

// Why a subscription is disabled, in words.
const (
	GoneReason    = "Its receiver answered 410 Gone: it wants nothing any more."
	FailingReason = "Nothing could be delivered for three days."
)

// Settle records a result, and what it means for the subscription. A worker that lost its lease
// changes nothing.
func Settle(ctx context.Context, tx pgx.Tx, c Claim, r Result, now time.Time) error {
	tag, err := tx.Exec(ctx, settleSQL, c.OrgID, c.ID, c.Token, r.Status, postgres.Null(r.NextTryAt), r.HTTPStatus, r.Detail, now)
	if err != nil || tag.RowsAffected() == 0 {
		return err
	}
	if r.Status == "delivered" {
		_, err = tx.Exec(ctx, successSQL, c.OrgID, c.SubscriptionID)
		return err
	}
	_, err = tx.Exec(ctx, failureSQL, c.OrgID, c.SubscriptionID, now, r.Gone, now.Add(-subscription.DisableAfter), GoneReason, FailingReason, postgres.Null(r.PausedUntil))
	return err
}

// ReleaseLeases makes what was under way at the last stop due again. Only where no other process
// uses the database.
func ReleaseLeases(ctx context.Context, tx pgx.Tx, now time.Time) (int64, error) {
	tag, err := tx.Exec(ctx, `UPDATE webhook_delivery SET next_try_at = $1, lease_token = NULL WHERE finished_at IS NULL AND lease_token IS NOT NULL`, now)
	return tag.RowsAffected(), err
}
