package subscriptiondb

import (
	"context"
	"time"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"

	"github.com/nightbell/nightbell/api/internal/kernel/id"
	"github.com/nightbell/nightbell/api/internal/subscription"
)

// Lease is how long a delivery that was claimed is nobody else's: longer than a receiver may take,
// with room to record the result.
const Lease = 20 * time.Second

// Room is how many more deliveries this process sends, and of whom there are how many under way.
type Room struct {
	All, PerOrg, PerSubscription int
	// Shared is how many of All organizations may take that have some under way.
	Shared              int
	Orgs, Subscriptions map[uuid.UUID]int
}

// Due is a delivery that waits for a try.
type Due struct{ OrgID, SubscriptionID, ID uuid.UUID }

// Organizations take turns: the first of each comes before the second of any. Who has no room is
// left out here, so that its backlog hides nobody else's.
const dueSQL = `
SELECT org_id, subscription_id, id FROM (
    SELECT s.org_id, d.subscription_id, d.id, d.next_try_at, row_number() OVER (PARTITION BY s.org_id ORDER BY d.next_try_at, d.id) AS turn
    FROM webhook_subscription s, LATERAL (
        SELECT v.subscription_id, v.id, v.next_try_at FROM webhook_delivery v
        WHERE v.subscription_id = s.id AND v.finished_at IS NULL AND v.next_try_at <= $1
        ORDER BY v.next_try_at LIMIT $2) d
    WHERE s.enabled AND s.org_id <> ALL($3::uuid[]) AND s.id <> ALL($4::uuid[])) due
WHERE turn <= $5 ORDER BY turn, next_try_at LIMIT $6`

// ListDue gives what could be sent now, in the order of turns.
func ListDue(ctx context.Context, tx pgx.Tx, room Room, now time.Time) ([]Due, error) {
	fullOrgs, full := atLeast(room.Orgs, room.PerOrg), atLeast(room.Subscriptions, room.PerSubscription)
	rows, err := tx.Query(ctx, dueSQL, now, room.PerSubscription, fullOrgs, full, room.PerOrg, 4*room.All)
	if err != nil {
		return nil, err
	}
	return pgx.CollectRows(rows, pgx.RowToStructByPos[Due])
}

func atLeast(underWay map[uuid.UUID]int, most int) []uuid.UUID {
	full := []uuid.UUID{}
	for key, n := range underWay {
		if n >= most {
			full = append(full, key)
		}
	}
	return full
}

// Take is those of due, in their order, for which there is room, and counts them in it.
func (r *Room) Take(due []Due) (taken []Due) {
	for _, d := range due {
		shared := r.Orgs[d.OrgID] > 0
		if len(taken) == r.All || r.Orgs[d.OrgID] >= r.PerOrg || r.Subscriptions[d.SubscriptionID] >= r.PerSubscription || shared && r.Shared <= 0 {
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
	URL        string
	// Secret and OldSecret are sealed; OldSecret is nil unless both sign.
	Secret, OldSecret []byte
}

// A replica that took the delivery meanwhile has moved next_try_at: then this changes nothing.
const claimSQL = `
UPDATE webhook_delivery d SET next_try_at = $1::timestamptz + $2::interval, lease_token = $3, attempt_count = d.attempt_count + 1
FROM webhook_subscription s
WHERE d.id = ANY($4) AND d.org_id = ANY($5) AND d.finished_at IS NULL AND d.next_try_at <= $1 AND s.org_id = d.org_id AND s.id = d.subscription_id
RETURNING d.org_id, d.subscription_id, d.id, d.event_id, d.event_type, d.payload, d.attempt_count, d.retry_since, s.url, s.secret_sealed,
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
		err = row.Scan(&c.OrgID, &c.SubscriptionID, &c.ID, &c.EventID, &c.EventType, &c.Payload, &c.Attempt, &c.RetrySince, &c.URL, &c.Secret, &c.OldSecret)
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
}

const settleSQL = `
UPDATE webhook_delivery SET status = $4::text, next_try_at = coalesce($5::timestamptz, next_try_at), response_status = nullif($6::integer, 0), detail = $7, lease_token = NULL,
       finished_at = CASE WHEN $4 = 'pending' THEN NULL ELSE $8::timestamptz END
WHERE org_id = $1 AND id = $2 AND lease_token = $3 AND finished_at IS NULL`

// A success ends the time of failures. The first failure begins it, and at its end, or when the
// receiver wants nothing any more, the subscription is disabled and its owners are to be mailed.
const successSQL = `UPDATE webhook_subscription SET failing_since = NULL WHERE org_id = $1 AND id = $2 AND failing_since IS NOT NULL`

const failureSQL = `
UPDATE webhook_subscription s
SET failing_since = coalesce(s.failing_since, $3::timestamptz), enabled = verdict.reason = '', disabled_reason = verdict.reason,
    notice_due_at = CASE WHEN verdict.reason = '' THEN s.notice_due_at ELSE $3 END,
    updated_at = CASE WHEN verdict.reason = '' THEN s.updated_at ELSE $3 END
FROM (SELECT CASE WHEN $4::boolean THEN $6::text WHEN v.failing_since <= $5::timestamptz THEN $7::text ELSE '' END AS reason
      FROM webhook_subscription v WHERE v.org_id = $1 AND v.id = $2) verdict
WHERE s.org_id = $1 AND s.id = $2 AND s.enabled AND (s.failing_since IS NULL OR verdict.reason <> '')`

// Why a subscription is disabled, in words.
const (
	GoneReason    = "Its receiver answered 410 Gone: it wants nothing any more."
	FailingReason = "Nothing could be delivered for three days."
)

// Settle records a result, and what it means for the subscription. A worker that lost its lease
// changes nothing.
func Settle(ctx context.Context, tx pgx.Tx, c Claim, r Result, now time.Time) error {
	var next *time.Time
	if !r.NextTryAt.IsZero() {
		next = &r.NextTryAt
	}
	tag, err := tx.Exec(ctx, settleSQL, c.OrgID, c.ID, c.Token, r.Status, next, r.HTTPStatus, r.Detail, now)
	if err != nil || tag.RowsAffected() == 0 {
		return err
	}
	if r.Status == "delivered" {
		_, err = tx.Exec(ctx, successSQL, c.OrgID, c.SubscriptionID)
		return err
	}
	_, err = tx.Exec(ctx, failureSQL, c.OrgID, c.SubscriptionID, now, r.Gone, now.Add(-subscription.DisableAfter), GoneReason, FailingReason)
	return err
}

// ReleaseLeases makes what was under way at the last stop due again. Only where no other process
// uses the database.
func ReleaseLeases(ctx context.Context, tx pgx.Tx, now time.Time) (int64, error) {
	tag, err := tx.Exec(ctx, `UPDATE webhook_delivery SET next_try_at = $1, lease_token = NULL WHERE finished_at IS NULL AND lease_token IS NOT NULL`, now)
	return tag.RowsAffected(), err
}
