package ping

import (
	"context"
	"errors"
	"time"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"

	"github.com/nightbell/nightbell/api/internal/catalog"
	"github.com/nightbell/nightbell/api/internal/heartbeat"
	"github.com/nightbell/nightbell/api/internal/heartbeat/heartbeatdb"
	"github.com/nightbell/nightbell/api/internal/platform/postgres"
)

// Delete removes a heartbeat, unless check refuses that. An incident that it opened is resolved:
// nothing else would.
func (k *Keeper) Delete(ctx context.Context, orgID, heartbeatID uuid.UUID, check func(row heartbeatdb.Row, now time.Time) error) error {
	var ended []judged
	err := k.db.InSystem(ctx, postgres.Heartbeats, func(ctx context.Context, tx pgx.Tx) error {
		ended = nil
		now, err := postgres.Now(ctx, tx)
		if err != nil {
			return err
		}
		row, err := heartbeatdb.Lock(ctx, tx, orgID, heartbeatID)
		if errors.Is(err, pgx.ErrNoRows) {
			return heartbeat.ErrNotFound
		}
		if err != nil {
			return err
		}
		if err := check(row, now); err != nil {
			return err
		}
		batch := &pgx.Batch{}
		heartbeatdb.QueueDelete(batch, orgID, heartbeatID)
		if !row.Status.IsDown() {
			return postgres.Finish(ctx, tx, batch)
		}
		if err := tx.SendBatch(ctx, batch).Close(); err != nil {
			return err
		}
		ended = []judged{end(row, `Heartbeat "`+row.Name+`" was deleted.`)}
		return resolve(ctx, tx, orgID, row.ServiceID, ended, now)
	}, postgres.LockTimeout(lockWait))
	if err == nil {
		k.tell(ended)
	}
	return err
}

// DeleteOfService removes the heartbeats of a service that is deleted, and resolves what they opened,
// in a transaction that it ends as postgres.Finish does. Tell gives the signals that follow; it is for
// after the commit.
func (k *Keeper) DeleteOfService(ctx context.Context, tx pgx.Tx, orgID, serviceID uuid.UUID, now time.Time) (tell func(), err error) {
	rows, err := heartbeatdb.DeleteOfService(ctx, tx, orgID, serviceID)
	if err != nil {
		return nil, err
	}
	var ended []judged
	for _, row := range rows {
		if row.Status.IsDown() {
			ended = append(ended, end(row, `Heartbeat "`+row.Name+`" was deleted with its service.`))
		}
	}
	tell = func() { k.tell(ended) }
	if len(ended) == 0 {
		return tell, postgres.Finish(ctx, tx, &pgx.Batch{})
	}
	return tell, resolve(ctx, tx, orgID, serviceID, ended, now)
}

// end is what becomes of a heartbeat that is down and removed.
func end(row heartbeatdb.Row, line string) judged {
	return judged{Row: row, verdict: heartbeat.Recovered, words: heartbeat.Words{Title: line, Description: line, Line: line}}
}

// resolve resolves the incidents of what ended. That opens nothing, so the route needs no policy, and
// the service may be deleted already.
func resolve(ctx context.Context, tx pgx.Tx, orgID, serviceID uuid.UUID, ended []judged, now time.Time) error {
	return store(ctx, tx, catalog.Route{OrgID: orgID, ServiceID: serviceID}, ended, now)
}
