// Package subscriptiondb stores webhook subscriptions and their queue: follow.go makes deliveries
// of the feed, queue.go hands them out and records what came of them, subscription.go is what
// people configure.
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

// allocated is SQL for the largest seq that was ever taken; a sequence begins with a last_value that
// nobody has.
const allocated = `(SELECT last_value - (NOT is_called)::integer FROM timeline_event_seq_seq)`

// Allocated is the largest seq that any transaction has taken, committed or not.
func Allocated(ctx context.Context, tx pgx.Tx) (seq int64, err error) {
	err = tx.QueryRow(ctx, `SELECT `+allocated).Scan(&seq)
	return seq, err
}

// Writers are the transactions that hold the lock of writing to the feed. Each takes it before it
// takes a seq and holds it until its rows are visible or gone.
func Writers(ctx context.Context, tx pgx.Tx) (writers []string, err error) {
	rows, err := tx.Query(ctx, `SELECT virtualtransaction FROM pg_locks
		WHERE relation = 'timeline_event'::regclass AND mode = 'RowExclusiveLock' AND granted
		  AND database = (SELECT oid FROM pg_database WHERE datname = current_database())`)
	if err != nil {
		return nil, err
	}
	return pgx.CollectRows(rows, pgx.RowTo[string])
}

// AnyEnabled reports whether anybody is to be told anything.
func AnyEnabled(ctx context.Context, tx pgx.Tx) (enabled bool, err error) {
	err = tx.QueryRow(ctx, `SELECT EXISTS (SELECT FROM webhook_subscription WHERE enabled)`).Scan(&enabled)
	return enabled, err
}

// Behind is a subscription for which there is something in the feed.
type Behind struct {
	OrgID, ID uuid.UUID
	Cursor    int64
	subscription.Filter
}

// Subscriptions take turns: those after the last one that was filled come first.
const lockBehindSQL = `
SELECT s.org_id, s.id, s.cursor, s.event_types, s.service_ids, s.team_ids, s.severities
FROM webhook_subscription s
WHERE s.enabled AND s.cursor < $1
  AND EXISTS (SELECT FROM timeline_event t WHERE t.org_id = s.org_id AND t.seq > s.cursor AND t.seq <= $1)
  AND (SELECT count(*) FROM (SELECT FROM webhook_delivery d WHERE d.subscription_id = s.id AND d.finished_at IS NULL LIMIT $4) waiting) < $4
ORDER BY s.id <= $2, s.id LIMIT $3
FOR NO KEY UPDATE OF s SKIP LOCKED`

// LockBehind gives subscriptions whose cursor is behind the feed up to settled, and keeps other
// replicas from filling them. Those with a full queue wait.
func LockBehind(ctx context.Context, tx pgx.Tx, settled int64, after uuid.UUID, most int) (list []Behind, err error) {
	rows, err := tx.Query(ctx, lockBehindSQL, settled, after, most, subscription.MostPending)
	if err != nil {
		return nil, err
	}
	return pgx.CollectRows(rows, func(row pgx.CollectableRow) (b Behind, err error) {
		err = row.Scan(&b.OrgID, &b.ID, &b.Cursor, &b.Types, &b.Services, &b.Teams, &b.Severities)
		return b, err
	})
}

const entriesSQL = `
SELECT t.seq, t.id, t.kind, t.at, t.actor_kind, t.actor_id, t.actor_name, t.message, t.data,
       i.id, i.number, i.title, i.status, i.severity, i.triggered_at, i.acknowledged_at, i.resolved_at, i.alert_count,
       s.id, s.name, coalesce(s.team_id, c.team_id), i.assignee_id, coalesce(u.name, '')
FROM (SELECT * FROM timeline_event WHERE org_id = $1 AND seq > $2 AND seq <= $3 ORDER BY seq LIMIT $4) t
LEFT JOIN incident i ON i.org_id = t.org_id AND i.id = t.incident_id
LEFT JOIN service s ON s.org_id = t.org_id AND s.id = coalesce(i.service_id, (t.data->'service'->>'id')::uuid)
LEFT JOIN schedule c ON c.org_id = t.org_id AND c.id = (t.data->'schedule'->>'id')::uuid
LEFT JOIN users u ON u.id = i.assignee_id
ORDER BY t.seq`

// Entries reads an organization's feed after a place and up to settled, in order.
func Entries(ctx context.Context, tx pgx.Tx, orgID uuid.UUID, after, settled int64, most int) ([]subscription.Entry, error) {
	rows, err := tx.Query(ctx, entriesSQL, orgID, after, settled, most)
	if err != nil {
		return nil, err
	}
	return pgx.CollectRows(rows, scanEntry)
}

// incidentRow is an incident that may be none.
type incidentRow struct {
	id, assignee            *uuid.UUID
	number, alerts          *int
	title, status, severity *string
	triggeredAt             *time.Time
	acknowledgedAt          *time.Time
	resolvedAt              *time.Time
}

func scanEntry(row pgx.CollectableRow) (e subscription.Entry, err error) {
	var i incidentRow
	var service, team *uuid.UUID
	var serviceName *string
	var assigneeName string
	err = row.Scan(&e.Seq, &e.ID, &e.Kind, &e.At, &e.Actor.Kind, &e.Actor.ID, &e.Actor.Name, &e.Message, &e.Facts,
		&i.id, &i.number, &i.title, &i.status, &i.severity, &i.triggeredAt, &i.acknowledgedAt, &i.resolvedAt, &i.alerts,
		&service, &serviceName, &team, &i.assignee, &assigneeName)
	e.ServiceID, e.TeamID = postgres.Value(service), postgres.Value(team)
	if err != nil || i.id == nil {
		return e, err
	}
	e.Incident = &subscription.Incident{
		ID: *i.id, Number: postgres.Value(i.number), Title: postgres.Value(i.title), Status: postgres.Value(i.status), Severity: postgres.Value(i.severity),
		TriggeredAt: postgres.Value(i.triggeredAt), AcknowledgedAt: i.acknowledgedAt, ResolvedAt: i.resolvedAt, AlertCount: postgres.Value(i.alerts),
	}
	if service != nil {
		e.Incident.Service = &subscription.Named{ID: *service, Name: postgres.Value(serviceName)}
	}
	if i.assignee != nil {
		e.Incident.Assignee = &subscription.Named{ID: *i.assignee, Name: assigneeName}
	}
	return e, nil
}

// Event is what a subscription is to be told.
type Event struct {
	ID      uuid.UUID
	Seq     int64
	Type    string
	Payload []byte
}

// Fill makes deliveries of events and moves the cursor past all that was read, also what the filter
// held back. Both are one transaction: a crash makes neither an event twice nor loses it.
func Fill(ctx context.Context, tx pgx.Tx, b Behind, events []Event, cursor int64, now time.Time) error {
	n := len(events)
	ids, eventIDs := make([]uuid.UUID, n), make([]uuid.UUID, n)
	seqs, types, payloads := make([]int64, n), make([]string, n), make([]string, n)
	for i, e := range events {
		ids[i], eventIDs[i], seqs[i], types[i], payloads[i] = id.New(), e.ID, e.Seq, e.Type, string(e.Payload)
	}
	batch := &pgx.Batch{}
	if n > 0 {
		batch.Queue(`INSERT INTO webhook_delivery (org_id, id, subscription_id, event_id, seq, event_type, payload, next_try_at, retry_since, created_at)
			SELECT $1, unnest($3::uuid[]), $2, unnest($4::uuid[]), unnest($5::bigint[]), unnest($6::text[]), unnest($7::text[]), $8, $8, $8`,
			b.OrgID, b.ID, ids, eventIDs, seqs, types, payloads, now)
	}
	batch.Queue(`UPDATE webhook_subscription SET cursor = $3 WHERE org_id = $1 AND id = $2`, b.OrgID, b.ID, cursor)
	return tx.SendBatch(ctx, batch).Close()
}
