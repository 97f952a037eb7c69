// Package respond carries out what people and programs say to incidents.
//
//  1. Lock the incidents.
//  2. Ask incident.Decide what the command means in their state.
//  3. Stop or go on with paging and write the timeline, all in one transaction: once it
//     is committed, no page of an answered incident starts (promise P5).
//
// Many incidents by one call are in many.go, declaring one in declare.go, the link in a
// message in link.go.
package respond

import (
	"cmp"
	"context"
	"math"
	"time"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"

	"github.com/nightbell/nightbell/api/internal/incident"
	"github.com/nightbell/nightbell/api/internal/incident/incidentdb"
	"github.com/nightbell/nightbell/api/internal/kernel/fairshare"
	"github.com/nightbell/nightbell/api/internal/kernel/fault"
	"github.com/nightbell/nightbell/api/internal/paging"
	"github.com/nightbell/nightbell/api/internal/platform/postgres"
)

// ErrNoIncident is the answer for an incident that does not exist in the caller's
// organization (spec section 8).
var ErrNoIncident = fault.New(fault.NotFound, "incident_not_found", "Incident not found")

// Responder carries out what people and programs say to incidents: acknowledge,
// resolve, assign, escalate, comment.
type Responder struct {
	db      *postgres.DB
	signals paging.Signals
	// parts is where the parts of answers to many incidents take turns, programs where whole ones of programs do.
	parts, programs *fairshare.Gate[uuid.UUID]
	long            longAnswers
	storage         Storage // nil where nothing is counted
}

// NewResponder makes a responder.
func NewResponder(db *postgres.DB, signals paging.Signals) *Responder {
	return &Responder{
		db: db, signals: signals,
		parts:    fairshare.NewGate[uuid.UUID](math.MaxInt, partsAtOnce),
		programs: fairshare.NewGate[uuid.UUID](math.MaxInt, programsAtOnce),
		long:     longAnswers{of: map[longKey]int{}},
	}
}

// Respond applies a command to incidents of one organization in one transaction: the status, paging and the timeline
// change together, all or none. An incident that does not exist there is ErrNoIncident, and a command that the state
// does not allow is the fault of incident.Decide.
func (r *Responder) Respond(ctx context.Context, orgID uuid.UUID, incidentIDs []uuid.UUID, command incident.Command) error {
	return r.inAnswer(ctx, orgID, func(ctx context.Context, tx pgx.Tx, round *paging.Round, batch *pgx.Batch) error {
		return commandAll(ctx, tx, round, batch, orgID, incidentIDs, command)
	})
}

// RespondTo is Respond for one incident, and gives the status that it has then.
func (r *Responder) RespondTo(ctx context.Context, orgID, incidentID uuid.UUID, command incident.Command) (status incident.Status, err error) {
	err = r.inAnswer(ctx, orgID, func(ctx context.Context, tx pgx.Tx, round *paging.Round, batch *pgx.Batch) error {
		now, err := postgres.Now(ctx, tx)
		if err != nil {
			return err
		}
		records, err := incidentdb.LockIn(ctx, tx, orgID, []uuid.UUID{incidentID})
		if err != nil {
			return err
		}
		if len(records) == 0 {
			return ErrNoIncident
		}
		result, err := respondToOne(ctx, round, batch, records[0], command, now)
		status = result.Status
		return cmp.Or(err, result.Err)
	})
	return status, err
}

// An answer waits for somebody who changes the same incident for answerPatience. It gives its connection back
// every answerLock: those of answers are few, and one on another incident has its turn then.
const (
	answerPatience = 5 * time.Second
	answerLock     = time.Second
)

// inAnswer runs a change of one organization's incidents in one transaction of those that answers use, and
// gives the signals that follow.
func (r *Responder) inAnswer(ctx context.Context, orgID uuid.UUID, change func(context.Context, pgx.Tx, *paging.Round, *pgx.Batch) error) (err error) {
	patience, cancel := context.WithTimeout(ctx, answerPatience)
	defer cancel()
	for err = r.answer(ctx, orgID, change); postgres.IsLockTimeout(err) && patience.Err() == nil; {
		err = r.answer(ctx, orgID, change)
	}
	switch {
	case postgres.IsLockTimeout(err):
		return errNotChanged.Because(err)
	case err != nil:
		return err
	}
	r.signals.Changed(orgID)
	r.signals.Pages()
	return nil
}

func (r *Responder) answer(ctx context.Context, orgID uuid.UUID, change func(context.Context, pgx.Tx, *paging.Round, *pgx.Batch) error) error {
	return r.db.InAnswer(ctx, orgID, func(ctx context.Context, tx pgx.Tx) error {
		now, err := postgres.Now(ctx, tx)
		if err != nil {
			return err
		}
		round, batch := paging.NewRound(tx, now), &pgx.Batch{}
		if err := change(ctx, tx, round, batch); err != nil {
			return err
		}
		round.Queue(batch)
		return postgres.Finish(ctx, tx, batch)
	}, postgres.LockTimeout(answerLock))
}

// Apply is Respond at now, in a transaction that it ends as postgres.Finish does. It gives
// no signals.
func Apply(ctx context.Context, tx pgx.Tx, orgID uuid.UUID, incidentIDs []uuid.UUID, command incident.Command, now time.Time) error {
	round, batch := paging.NewRound(tx, now), &pgx.Batch{}
	if err := commandAll(ctx, tx, round, batch, orgID, incidentIDs, command); err != nil {
		return err
	}
	round.Queue(batch)
	return postgres.Finish(ctx, tx, batch)
}

func commandAll(ctx context.Context, tx pgx.Tx, round *paging.Round, batch *pgx.Batch, orgID uuid.UUID, incidentIDs []uuid.UUID, command incident.Command) error {
	records, err := incidentdb.LockIn(ctx, tx, orgID, incidentIDs)
	if err != nil {
		return err
	}
	if len(records) == 0 || len(records) < len(incidentIDs) {
		return ErrNoIncident
	}
	for _, record := range records {
		if err := round.Command(ctx, batch, record, command); err != nil {
			return err
		}
	}
	return nil
}
