package intake

import (
	"context"
	"fmt"
	"time"

	"github.com/jackc/pgx/v5"

	"github.com/nightbell/nightbell/api/internal/alert"
	"github.com/nightbell/nightbell/api/internal/catalog"
	"github.com/nightbell/nightbell/api/internal/incident"
	"github.com/nightbell/nightbell/api/internal/incident/incidentdb"
	"github.com/nightbell/nightbell/api/internal/kernel/id"
	"github.com/nightbell/nightbell/api/internal/paging"
	"github.com/nightbell/nightbell/api/internal/platform/postgres"
)

// keptBytes is how much of a message that we cannot read is kept.
const keptBytes = 64 << 10

// AcceptUndecodable keeps what a sender with a known key sent but nobody can read, and
// opens one incident for each service and hour: a sender such as Alertmanager never
// repeats what was answered with 4xx, so without it the trouble would stay unheard.
func (in *Intake) AcceptUndecodable(ctx context.Context, route catalog.Route, sender, reason string, body []byte) error {
	var round *paging.Round
	err := in.db.InSystem(ctx, postgres.Ingest, func(ctx context.Context, tx pgx.Tx) error {
		now, err := postgres.Now(ctx, tx)
		if err != nil {
			return err
		}
		round = paging.NewRound(tx, now)
		_, err = tx.Exec(ctx, `INSERT INTO undecodable_alert (org_id, id, service_id, sender, reason, body, received_at)
			VALUES ($1, $2, $3, $4, $5, $6, $7)`, route.OrgID, id.New(), route.ServiceID, sender, reason, append([]byte{}, body[:min(len(body), keptBytes)]...), now)
		if err != nil {
			return err
		}
		return openUndecodable(ctx, tx, round, now, route, sender, reason)
	}, postgres.LockTimeout(lockWaitAlone))
	if err != nil {
		return errDatabaseAway.Because(err)
	}
	in.signal(round)
	return nil
}

func openUndecodable(ctx context.Context, tx pgx.Tx, round *paging.Round, now time.Time, route catalog.Route, sender, reason string) error {
	opened, err := incidentdb.Open(ctx, tx, []incidentdb.Opening{{
		OrgID: route.OrgID, ServiceID: route.ServiceID, PolicyID: route.PolicyID,
		Key:         "undecodable:" + now.Format("2006-01-02T15"),
		Title:       "Undecodable alert from " + sender,
		Description: fmt.Sprintf("%s was sent an alert that could not be read: %s. What it said is unknown, so look at the sender.", route.ServiceName, reason),
		Severity:    alert.High, Source: sender,
	}}, now)
	if err != nil {
		return err
	}
	for _, o := range opened {
		if !o.Fresh {
			continue
		}
		round.Note(o.Record, incident.Event{Kind: "declared", Message: "Declared because an alert could not be read: " + reason + "."})
		if err := round.Start(ctx, o.Record); err != nil {
			return err
		}
	}
	batch := &pgx.Batch{}
	round.Queue(batch)
	return postgres.Finish(ctx, tx, batch)
}
