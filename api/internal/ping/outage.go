package ping

import (
	"context"
	"time"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"

	"github.com/nightbell/nightbell/api/internal/escalation"
	"github.com/nightbell/nightbell/api/internal/escalation/escalationdb"
	"github.com/nightbell/nightbell/api/internal/heartbeat"
	"github.com/nightbell/nightbell/api/internal/heartbeat/heartbeatdb"
	"github.com/nightbell/nightbell/api/internal/platform/postgres"
)

// sparedAtOnce bounds what is in memory after an outage.
const sparedAtOnce = 500

// attend notes that somebody looks now. If nobody has for a while, what was expected meanwhile gets more time, in the
// same transaction: whoever looks next finds no outage any more. Expected is false when no heartbeat is expected, and
// no incident resolves itself after a time without news, which an outage of ours must not use up.
func (k *Keeper) attend(ctx context.Context) (expected bool, err error) {
	err = k.db.InSystem(ctx, postgres.Heartbeats, func(ctx context.Context, tx pgx.Tx) error {
		expected, err = heartbeatdb.AnyExpected(ctx, tx)
		if err == nil && !expected {
			expected, err = escalationdb.AnyTimer(ctx, tx, escalation.AutoResolve)
		}
		if err != nil || !expected {
			return err
		}
		now, err := postgres.Now(ctx, tx)
		if err != nil {
			return err
		}
		last, err := heartbeatdb.Attend(ctx, tx, now)
		if err != nil {
			return err
		}
		switch {
		case now.Sub(last) > heartbeat.Unattended:
			err = k.spareAll(ctx, tx, heartbeatdb.Outage{From: last, To: now})
		case last.Sub(now) > heartbeat.Unattended: // the clock was set back
			clear(k.resting)
			err = setBack(ctx, tx, now)
		}
		if err != nil {
			return err
		}
		return heartbeatdb.SetAttended(ctx, tx, now)
	}, postgres.LockTimeout(lockWait))
	return expected, err
}

// spareAll keeps an outage, and says what is waited for once more because of it.
func (k *Keeper) spareAll(ctx context.Context, tx pgx.Tx, outage heartbeatdb.Outage) error {
	if err := heartbeatdb.SetOutage(ctx, tx, outage); err != nil {
		return err
	}
	spared, err := spare(ctx, tx, outage)
	if err != nil {
		return err
	}
	if spared > 0 {
		k.options.Logger.WarnContext(ctx, "nobody looked for missing heartbeats for a while; those that were expected meanwhile are waited for once more",
			"from", outage.From, "to", outage.To, "heartbeats", spared)
	}
	return nil
}

// spare gives more time to what was expected in an outage, but for what somebody else holds: nobody
// waits for that, and judge spares it when its time comes.
func spare(ctx context.Context, tx pgx.Tx, outage heartbeatdb.Outage) (spared int, err error) {
	lock := func(after uuid.UUID) ([]heartbeatdb.Row, error) {
		return heartbeatdb.LockExpected(ctx, tx, outage.From, after, sparedAtOnce)
	}
	return change(ctx, tx, lock, outage.To, func(rule heartbeat.Rule, state heartbeat.State) heartbeat.State {
		return rule.Spare(state, outage.From, outage.To)
	})
}

// setBack lets what was heard of before the clock was set back to now count from now on, and forgets an outage that by
// the new clock is still to come. A ping that somebody stores meanwhile counts from now on anyway.
func setBack(ctx context.Context, tx pgx.Tx, now time.Time) error {
	lock := func(after uuid.UUID) ([]heartbeatdb.Row, error) {
		return heartbeatdb.LockAhead(ctx, tx, now, after, sparedAtOnce)
	}
	_, err := change(ctx, tx, lock, now, func(rule heartbeat.Rule, state heartbeat.State) heartbeat.State {
		return rule.SetBack(state, now)
	})
	if err != nil {
		return err
	}
	return heartbeatdb.SetOutage(ctx, tx, heartbeatdb.Outage{})
}

// change stores what becomes of the heartbeats that lock gives, page by page, by their rules at a time.
func change(ctx context.Context, tx pgx.Tx, lock func(after uuid.UUID) ([]heartbeatdb.Row, error), at time.Time,
	to func(heartbeat.Rule, heartbeat.State) heartbeat.State,
) (changed int, err error) {
	for after := uuid.Nil; ; {
		rows, err := lock(after)
		if err != nil || len(rows) == 0 {
			return changed, err
		}
		batch := &pgx.Batch{}
		for _, row := range rows {
			after = row.ID
			rule, _ := row.Rule(at) // a schedule that has come to its end has no more turns to wait for
			if state := to(rule, row.State); state != row.State {
				row.State = state
				heartbeatdb.QueueState(batch, row)
				changed++
			}
		}
		if err := tx.SendBatch(ctx, batch).Close(); err != nil {
			return changed, err
		}
	}
}
