package subscriptiondb

import (
	"context"
	"time"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"

	"github.com/nightbell/nightbell/api/internal/subscription"
)

// Subscription is what people configure, with how it fares.
type Subscription struct {
	ID   uuid.UUID
	Name string
	// URLSealed is where events are sent, sealed; Hint is what may be shown of it without the key.
	URLSealed []byte
	Hint      string
	subscription.Filter

	Enabled        bool
	DisabledReason string
	FailingSince   *time.Time
	OldSecretUntil *time.Time
	CreatedAt      time.Time
	UpdatedAt      time.Time
}

const columns = `s.id, s.name, s.url_sealed, s.hint, s.event_types, s.service_ids, s.team_ids, s.severities, s.enabled, s.disabled_reason, s.failing_since,
	s.old_secret_until, s.created_at, s.updated_at`

func scanSubscription(row pgx.CollectableRow) (s Subscription, err error) {
	err = row.Scan(&s.ID, &s.Name, &s.URLSealed, &s.Hint, &s.Types, &s.Services, &s.Teams, &s.Severities, &s.Enabled, &s.DisabledReason, &s.FailingSince,
		&s.OldSecretUntil, &s.CreatedAt, &s.UpdatedAt)
	return s, err
}

// Count gives how many subscriptions an organization has.
func Count(ctx context.Context, tx pgx.Tx, orgID uuid.UUID) (n int, err error) {
	err = tx.QueryRow(ctx, `SELECT count(*) FROM webhook_subscription WHERE org_id = $1`, orgID).Scan(&n)
	return n, err
}

// Insert stores a new subscription, which is told what happens from now on.
func Insert(ctx context.Context, tx pgx.Tx, orgID uuid.UUID, s Subscription, secretSealed []byte, now time.Time) error {
	_, err := tx.Exec(ctx, `INSERT INTO webhook_subscription
			(org_id, id, name, url_sealed, hint, event_types, service_ids, team_ids, severities, secret_sealed, cursor, created_at, updated_at)
		VALUES ($1, $2, $3, $4, $5, $6, coalesce($7::uuid[], '{}'), coalesce($8::uuid[], '{}'), coalesce($9::text[], '{}'), $10, `+allocated+`, $11, $11)`,
		orgID, s.ID, s.Name, s.URLSealed, s.Hint, s.Types, s.Services, s.Teams, s.Severities, secretSealed, now)
	return err
}

// Lock keeps others from changing a subscription until the transaction ends.
func Lock(ctx context.Context, tx pgx.Tx, orgID, subscriptionID uuid.UUID) (found bool, err error) {
	tag, err := tx.Exec(ctx, `SELECT FROM webhook_subscription WHERE org_id = $1 AND id = $2 FOR NO KEY UPDATE`, orgID, subscriptionID)
	return tag.RowsAffected() > 0, err
}

// Update stores what people configure. One that is enabled again begins with what happens from now
// on, and its failures are forgotten; so they are when it has moved to another receiver.
func Update(ctx context.Context, tx pgx.Tx, orgID uuid.UUID, s Subscription, moved bool, now time.Time) error {
	_, err := tx.Exec(ctx, `UPDATE webhook_subscription SET name = $3, url_sealed = $4, hint = $5, event_types = $6, service_ids = coalesce($7::uuid[], '{}'),
			team_ids = coalesce($8::uuid[], '{}'), severities = coalesce($9::text[], '{}'), enabled = $10, updated_at = $11,
			cursor = CASE WHEN $10 AND NOT enabled THEN `+allocated+` ELSE cursor END,
			disabled_reason = CASE WHEN $10 THEN '' ELSE disabled_reason END, notice_due_at = CASE WHEN $10 THEN NULL ELSE notice_due_at END,
			failing_since = CASE WHEN $10 AND NOT enabled OR $12 THEN NULL ELSE failing_since END,
			paused_until = CASE WHEN $10 AND NOT enabled OR $12 THEN NULL ELSE paused_until END
		WHERE org_id = $1 AND id = $2`, orgID, s.ID, s.Name, s.URLSealed, s.Hint, s.Types, s.Services, s.Teams, s.Severities, s.Enabled, now, moved)
	return err
}

// Get reads one, or fails with pgx.ErrNoRows.
func Get(ctx context.Context, tx pgx.Tx, orgID, subscriptionID uuid.UUID) (Subscription, error) {
	rows, err := tx.Query(ctx, `SELECT `+columns+` FROM webhook_subscription s WHERE s.org_id = $1 AND s.id = $2`, orgID, subscriptionID)
	if err != nil {
		return Subscription{}, err
	}
	return pgx.CollectExactlyOneRow(rows, scanSubscription)
}

// List gives most of an organization's, the newest first, from before a place on.
func List(ctx context.Context, tx pgx.Tx, orgID uuid.UUID, before uuid.UUID, most int) ([]Subscription, error) {
	rows, err := tx.Query(ctx, `SELECT `+columns+` FROM webhook_subscription s WHERE s.org_id = $1 AND s.id < $2 ORDER BY s.id DESC LIMIT $3`, orgID, before, most)
	if err != nil {
		return nil, err
	}
	return pgx.CollectRows(rows, scanSubscription)
}

// Delete removes a subscription with its queue.
func Delete(ctx context.Context, tx pgx.Tx, orgID, subscriptionID uuid.UUID) (deleted bool, err error) {
	tag, err := tx.Exec(ctx, `DELETE FROM webhook_subscription WHERE org_id = $1 AND id = $2`, orgID, subscriptionID)
	return tag.RowsAffected() > 0, err
}

// Rotate makes the present secret the old one, which signs until then, too.
func Rotate(ctx context.Context, tx pgx.Tx, orgID, subscriptionID uuid.UUID, secretSealed []byte, until, now time.Time) (rotated bool, err error) {
	tag, err := tx.Exec(ctx, `UPDATE webhook_subscription SET old_secret_sealed = secret_sealed, old_secret_until = $4, secret_sealed = $3,
			updated_at = $5 WHERE org_id = $1 AND id = $2`, orgID, subscriptionID, secretSealed, until, now)
	return tag.RowsAffected() > 0, err
}

// Replay moves the cursor back to before what happened since; never forward. The order of at is
// that of seq but for transactions side by side, hence the minute.
func Replay(ctx context.Context, tx pgx.Tx, orgID, subscriptionID uuid.UUID, since time.Time) (replayed bool, err error) {
	tag, err := tx.Exec(ctx, `UPDATE webhook_subscription SET cursor = least(cursor, coalesce(
			(SELECT seq FROM timeline_event WHERE org_id = $1 AND at < $3::timestamptz - interval '1 minute' ORDER BY seq DESC LIMIT 1), 0)), paused_until = NULL
		WHERE org_id = $1 AND id = $2`, orgID, subscriptionID, since)
	return tag.RowsAffected() > 0, err
}

// Unknown gives those of the services and teams that the organization does not have.
func Unknown(ctx context.Context, tx pgx.Tx, orgID uuid.UUID, f subscription.Filter) (services, teams int, err error) {
	err = tx.QueryRow(ctx, `SELECT
			(SELECT count(*) FROM unnest($2::uuid[]) x WHERE NOT EXISTS (SELECT FROM service WHERE org_id = $1 AND id = x AND deleted_at IS NULL)),
			(SELECT count(*) FROM unnest($3::uuid[]) x WHERE NOT EXISTS (SELECT FROM team WHERE org_id = $1 AND id = x))`,
		orgID, f.Services, f.Teams).Scan(&services, &teams)
	return services, teams, err
}

// Delivery is one of the queue, as people see it.
type Delivery struct {
	ID, EventID       uuid.UUID
	EventType, Status string
	Attempts          int
	NextTryAt         time.Time
	ResponseStatus    *int32
	Detail            string
	CreatedAt         time.Time
	FinishedAt        *time.Time
}

const deliveryColumns = `d.id, d.event_id, d.event_type, d.status, d.attempt_count, greatest(d.next_try_at, s.paused_until), d.response_status, d.detail, d.created_at, d.finished_at`

// ListDeliveries gives most of a subscription's, the newest first, from before a place on; status
// is empty for all.
func ListDeliveries(ctx context.Context, tx pgx.Tx, orgID, subscriptionID uuid.UUID, status string, before uuid.UUID, most int) ([]Delivery, error) {
	rows, err := tx.Query(ctx, `SELECT `+deliveryColumns+` FROM webhook_delivery d JOIN webhook_subscription s ON s.org_id = d.org_id AND s.id = d.subscription_id
		WHERE d.org_id = $1 AND d.subscription_id = $2 AND ($3 = '' OR d.status = $3) AND d.id < $4 ORDER BY d.id DESC LIMIT $5`,
		orgID, subscriptionID, status, before, most)
	if err != nil {
		return nil, err
	}
	return pgx.CollectRows(rows, pgx.RowToStructByPos[Delivery])
}

// GetDelivery reads one, or fails with pgx.ErrNoRows.
func GetDelivery(ctx context.Context, tx pgx.Tx, orgID, subscriptionID, deliveryID uuid.UUID) (Delivery, error) {
	rows, err := tx.Query(ctx, `SELECT `+deliveryColumns+` FROM webhook_delivery d JOIN webhook_subscription s ON s.org_id = d.org_id AND s.id = d.subscription_id
		WHERE d.org_id = $1 AND d.subscription_id = $2 AND d.id = $3`,
		orgID, subscriptionID, deliveryID)
	if err != nil {
		return Delivery{}, err
	}
	return pgx.CollectExactlyOneRow(rows, pgx.RowToStructByPos[Delivery])
}

// WaitingTypes are those of a subscription's deliveries that are still tried.
func WaitingTypes(ctx context.Context, tx pgx.Tx, orgID, subscriptionID uuid.UUID) ([]string, error) {
	rows, err := tx.Query(ctx, `SELECT DISTINCT event_type FROM webhook_delivery WHERE org_id = $1 AND subscription_id = $2 AND finished_at IS NULL`, orgID, subscriptionID)
	if err != nil {
		return nil, err
	}
	return pgx.CollectRows(rows, pgx.RowTo[string])
}

// InsertTest queues an event that is no entry of the feed.
func InsertTest(ctx context.Context, tx pgx.Tx, orgID, subscriptionID, deliveryID uuid.UUID, e Event, now time.Time) error {
	_, err := tx.Exec(ctx, `INSERT INTO webhook_delivery (org_id, id, subscription_id, event_id, event_type, payload, next_try_at, retry_since, created_at)
		VALUES ($1, $2, $3, $4, $5, $6, $7, $7, $7)`, orgID, deliveryID, subscriptionID, e.ID, e.Type, string(e.Payload), now)
	if err != nil {
		return err
	}
	return endPause(ctx, tx, orgID, subscriptionID)
}

// endPause lets the next delivery be tried at once: somebody asked for it, and may have repaired the receiver.
func endPause(ctx context.Context, tx pgx.Tx, orgID, subscriptionID uuid.UUID) error {
	_, err := tx.Exec(ctx, `UPDATE webhook_subscription SET paused_until = NULL WHERE org_id = $1 AND id = $2 AND paused_until IS NOT NULL`, orgID, subscriptionID)
	return err
}

// Redeliver makes a delivery due again. One that is being sent is sent once more after its lease.
func Redeliver(ctx context.Context, tx pgx.Tx, orgID, subscriptionID, deliveryID uuid.UUID, now time.Time) error {
	_, err := tx.Exec(ctx, `UPDATE webhook_delivery SET status = 'pending', finished_at = NULL, attempt_count = 0, retry_since = $4,
			next_try_at = CASE WHEN lease_token IS NULL THEN $4 ELSE next_try_at END
		WHERE org_id = $1 AND subscription_id = $2 AND id = $3`, orgID, subscriptionID, deliveryID, now)
	if err != nil {
		return err
	}
	return endPause(ctx, tx, orgID, subscriptionID)
}
