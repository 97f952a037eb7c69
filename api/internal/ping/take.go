package ping

import (
	"context"
	"errors"
	"strings"
	"time"

	"github.com/jackc/pgx/v5"

	"github.com/nightbell/nightbell/api/internal/alert"
	"github.com/nightbell/nightbell/api/internal/catalog"
	"github.com/nightbell/nightbell/api/internal/heartbeat"
	"github.com/nightbell/nightbell/api/internal/heartbeat/heartbeatdb"
	"github.com/nightbell/nightbell/api/internal/kernel/fault"
	"github.com/nightbell/nightbell/api/internal/kernel/id"
	"github.com/nightbell/nightbell/api/internal/kernel/plaintext"
	"github.com/nightbell/nightbell/api/internal/platform/postgres"
)

const (
	// pingsAtOnce are under way in a process; one organization gets half of them at most.
	pingsAtOnce = 256
	// lockWait is how long a ping waits for somebody's row.
	lockWait = 2 * time.Second
	// mostConflicts is how often it begins again because others stored the same alert.
	mostConflicts = 3
)

var (
	errUnknown = fault.New(fault.NotFound, "heartbeat_not_found",
		"This service has no heartbeat of that name. Create it, or say with its first ping how often it comes: every_seconds.")
	errBusy     = fault.New(fault.Unavailable, "overloaded", "Too many pings of your organization are under way. Send this again in a second.").After(1)
	errMismatch = fault.New(fault.Unprocessable, "idempotency_mismatch",
		"The last ping had this Idempotency-Key and said something else. Give each ping a key of its own, or none.")
	errBadName = fault.InvalidField("name", fault.BadFormat, "Give the heartbeat a name of at most 200 characters, without control and invisible ones.")
)

// Take takes a ping of a service's heartbeat in, and answers with where that stands. It returns nil
// only after the commit. A ping with the key of the last one is replayed: it was sent again, because
// the answer was lost.
func (k *Keeper) Take(ctx context.Context, route catalog.Route, name string, report heartbeat.Report) (state heartbeat.State, replayed bool, err error) {
	if !k.arriving.Take(route.OrgID, 1) {
		return heartbeat.State{}, false, errBusy
	}
	defer k.arriving.Return(route.OrgID, 1)
	if plaintext.Blank(name) || plaintext.Check(name) != "" || len([]rune(name)) > heartbeat.MaxName {
		return heartbeat.State{}, false, errBadName
	}
	taken, err := k.take(ctx, route, name, report)
	for range mostConflicts {
		if !postgres.IsUnique(err) {
			break
		}
		taken, err = k.take(ctx, route, name, report)
	}
	if err != nil {
		return taken.State, taken.replayed, err
	}
	k.Wake()
	if taken.verdict != heartbeat.Nothing {
		k.tell([]judged{taken})
	}
	return taken.State, taken.replayed, nil
}

func (k *Keeper) take(ctx context.Context, route catalog.Route, name string, report heartbeat.Report) (taken judged, err error) {
	found := false
	read := func(first *pgx.Batch) {
		found = false
		heartbeatdb.QueueFind(first, route.OrgID, route.ServiceID, name, func(row heartbeatdb.Row) { taken, found = judged{Row: row}, true })
	}
	err = k.db.InSystem(ctx, postgres.Heartbeats, func(ctx context.Context, tx pgx.Tx) error {
		now, err := postgres.Now(ctx, tx)
		if err != nil {
			return err
		}
		if !found {
			if taken.Row, err = create(ctx, tx, route, name, report, now); err != nil {
				return err
			}
		}
		return taken.apply(ctx, tx, route, report, now)
	}, postgres.LockTimeout(lockWait), postgres.First(read))
	return taken, err
}

// create makes the heartbeat that a first ping is about.
func create(ctx context.Context, tx pgx.Tx, route catalog.Route, name string, report heartbeat.Report, now time.Time) (heartbeatdb.Row, error) {
	row := heartbeatdb.Row{OrgID: route.OrgID, ID: id.New(), ServiceID: route.ServiceID, Name: name}
	if !report.Creates() {
		return row, errUnknown
	}
	row.Settings = heartbeat.Settings{Severity: alert.High}.With(report)
	if _, err := row.Rule(now); err != nil {
		return row, err
	}
	if _, err := heartbeatdb.Insert(ctx, tx, row, now); err != nil {
		return row, err
	}
	err := error(heartbeat.ErrNotFound)
	batch := &pgx.Batch{} // another ping may have created it
	heartbeatdb.QueueFind(batch, route.OrgID, route.ServiceID, name, func(stored heartbeatdb.Row) { row, err = stored, nil })
	return row, errors.Join(tx.SendBatch(ctx, batch).Close(), err)
}

// apply stores what a ping changes, in a transaction that it ends.
func (j *judged) apply(ctx context.Context, tx pgx.Tx, route catalog.Route, report heartbeat.Report, now time.Time) error {
	batch := &pgx.Batch{}
	if key, digest, _ := strings.Cut(j.LastKey, " "); report.Key != "" && key == report.Key {
		if digest != report.Digest {
			return errMismatch
		}
		j.replayed = true
		return postgres.Finish(ctx, tx, batch)
	}
	settings := j.With(report)
	rule, err := settings.Rule(now)
	if err != nil {
		return err
	}
	if !settings.Equal(j.Settings) {
		j.Settings, j.State = settings, rule.Restart(j.State, now)
		heartbeatdb.QueueSettings(batch, j.Row, now)
	}
	j.State, j.verdict = rule.Ping(j.State, report.Ping, now)
	if report.Key != "" {
		j.LastKey = report.Key + " " + report.Digest
	}
	heartbeatdb.QueueState(batch, j.Row)
	if j.verdict == heartbeat.Nothing {
		return postgres.Finish(ctx, tx, batch)
	}
	if err := tx.SendBatch(ctx, batch).Close(); err != nil {
		return err
	}
	j.words = rule.WordsFor(j.verdict, j.Name, j.State)
	return store(ctx, tx, route, []judged{*j}, now)
}
