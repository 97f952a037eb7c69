package ping

import (
	"context"
	"errors"
	"fmt"
	"runtime/debug"
	"time"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"

	"github.com/nightbell/nightbell/api/internal/catalog/catalogdb"
	"github.com/nightbell/nightbell/api/internal/heartbeat"
	"github.com/nightbell/nightbell/api/internal/heartbeat/heartbeatdb"
	"github.com/nightbell/nightbell/api/internal/platform/failpoint"
	"github.com/nightbell/nightbell/api/internal/platform/postgres"
)

const (
	placesAtOnce = 50  // services that one sweep looks at
	missedAtOnce = 100 // heartbeats of a service in one transaction
	// sweepLockWait is how long a sweep waits for the row of an alert or incident: others wait too.
	sweepLockWait = 200 * time.Millisecond
	// How long heartbeats rest of which one could not be stored: because somebody held a row, or for
	// any other reason.
	shortRest, longRest = 2 * time.Second, 30 * time.Second
	// idleSweeps is how many sweeps are left out while no heartbeat is expected: an installation
	// without any pays for none. What another replica takes in may be noticed that much later.
	idleSweeps = 4
)

// errUnattended says that an outage was not looked at yet: nothing may be called missing.
var errUnattended = errors.New("nobody has looked for some time")

// Sweep opens incidents for what is missing and reports whether there may be more. A miss is noticed
// within two ticks of package sweep of its deadline, while the database answers; the first of all
// within six.
func (k *Keeper) Sweep(ctx context.Context) (again bool, err error) {
	if k.unused.Skip() {
		return false, nil
	}
	expected, err := k.attend(ctx)
	if err != nil {
		return false, err
	}
	if !expected {
		k.unused.Begin(idleSweeps)
		k.options.Overdue(0)
		return false, nil
	}
	var places []heartbeatdb.Place
	var now time.Time
	err = k.db.InSystem(ctx, postgres.Heartbeats, func(ctx context.Context, tx pgx.Tx) (err error) {
		if now, err = postgres.Now(ctx, tx); err != nil {
			return err
		}
		oldest, err := heartbeatdb.Oldest(ctx, tx, now)
		if err != nil {
			return err
		}
		if oldest.IsZero() {
			oldest = now
		}
		k.options.Overdue(now.Sub(oldest))
		places, err = heartbeatdb.Overdue(ctx, tx, now, k.whoRests(now), placesAtOnce)
		return err
	})
	if err != nil {
		return false, err
	}
	again = len(places) == placesAtOnce
	for _, place := range places {
		more, err := k.openAll(ctx, place, now)
		again = again || more
		if errors.Is(err, errUnattended) {
			return true, nil
		}
		if err != nil && ctx.Err() == nil {
			k.options.Logger.ErrorContext(ctx, "missing heartbeats of a service could not be stored; it is tried again soon", "service_id", place.ServiceID, "error", err)
		}
	}
	return again, nil
}

// whoRests are the heartbeats that are left alone at now.
func (k *Keeper) whoRests(now time.Time) []uuid.UUID {
	list := []uuid.UUID{}
	for heartbeatID, until := range k.resting {
		if until.After(now) {
			list = append(list, heartbeatID)
		} else {
			delete(k.resting, heartbeatID)
		}
	}
	return list
}

// openAll opens the incidents of a service's missing heartbeats, and reports whether there may be
// more. When one of them cannot be stored, each is tried alone, and that one rests.
func (k *Keeper) openAll(ctx context.Context, place heartbeatdb.Place, now time.Time) (more bool, err error) {
	claimed, err := k.open(ctx, place, k.whoRests(now), missedAtOnce)
	switch {
	case err == nil, errors.Is(err, errUnattended):
		return len(claimed) == missedAtOnce, err
	case postgres.IsLockTimeout(err):
		k.rest(claimed, now.Add(shortRest))
		return false, err
	case len(claimed) < 2:
		k.rest(claimed, now.Add(longRest))
		return false, err
	}
	tried := k.whoRests(now)
	for range claimed {
		one, failure := k.open(ctx, place, tried, 1)
		if failure != nil {
			k.rest(one, now.Add(longRest))
			err = failure
		}
		tried = append(tried, one...)
	}
	return false, err
}

func (k *Keeper) rest(list []uuid.UUID, until time.Time) {
	for _, heartbeatID := range list {
		k.resting[heartbeatID] = until
	}
}

// open opens the incidents of a service's missing heartbeats that nobody else holds, in one
// transaction. Claimed are the heartbeats that it was about, also when it failed.
func (k *Keeper) open(ctx context.Context, place heartbeatdb.Place, resting []uuid.UUID, most int) (claimed []uuid.UUID, err error) {
	defer func() {
		if cause := recover(); cause != nil {
			err = fmt.Errorf("panic: %v\n%s", cause, debug.Stack())
		}
	}()
	var missing []judged
	err = k.db.InSystem(ctx, postgres.Sweep, func(ctx context.Context, tx pgx.Tx) error {
		claimed, missing = nil, nil
		now, err := postgres.Now(ctx, tx)
		if err != nil {
			return err
		}
		rows, outage, err := claim(ctx, tx, place, resting, most, now)
		if err != nil || len(rows) == 0 {
			return err
		}
		for _, row := range rows {
			claimed = append(claimed, row.ID)
		}
		route, err := catalogdb.RouteOf(ctx, tx, place.OrgID, place.ServiceID)
		deleted := errors.Is(err, pgx.ErrNoRows)
		if err != nil && !deleted {
			return err
		}
		found, err := k.judge(ctx, tx, rows, outage, now)
		if err != nil || deleted || len(found) == 0 {
			return err
		}
		missing = found
		return store(ctx, tx, route, missing, now)
	}, postgres.LockTimeout(sweepLockWait))
	if err == nil {
		k.tell(missing)
	}
	return claimed, err
}

// claim locks missing heartbeats of a service, unless an outage was not looked at yet.
func claim(ctx context.Context, tx pgx.Tx, place heartbeatdb.Place, resting []uuid.UUID, most int, now time.Time) (rows []heartbeatdb.Row, outage heartbeatdb.Outage, err error) {
	attended, outage, err := heartbeatdb.Attended(ctx, tx)
	if err != nil {
		return nil, outage, err
	}
	if now.Sub(attended) > heartbeat.Unattended {
		return nil, outage, errUnattended
	}
	rows, err = heartbeatdb.LockOverdue(ctx, tx, place, now, resting, most)
	return rows, outage, err
}

// judge stores that heartbeats are missing, or that somebody held them when an outage was found and
// they are waited for once more.
func (k *Keeper) judge(ctx context.Context, tx pgx.Tx, rows []heartbeatdb.Row, outage heartbeatdb.Outage, now time.Time) (missing []judged, err error) {
	batch := &pgx.Batch{}
	for _, row := range rows {
		failpoint.At("heartbeat", row.Name)
		rule, err := row.Rule(now)
		if err != nil { // a schedule that has come to its end; what was due is missing all the same
			k.options.Logger.WarnContext(ctx, "a heartbeat has settings that do not work any more", "heartbeat_id", row.ID, "error", err)
		}
		one := judged{Row: row}
		if !row.Spared && !row.LastPingAt.After(outage.To) {
			one.State = rule.Spare(one.State, outage.From, outage.To)
		}
		one.State, one.verdict = rule.Look(one.State, now)
		if one.verdict == heartbeat.Nothing {
			if one.State != row.State {
				heartbeatdb.QueueState(batch, one.Row)
			}
			continue
		}
		one.words = rule.WordsFor(one.verdict, one.Name, one.State)
		heartbeatdb.QueueState(batch, one.Row)
		missing = append(missing, one)
	}
	return missing, tx.SendBatch(ctx, batch).Close()
}
