// Package paging decides who is due and writes it down: delivery sends what it wrote.
//
//  1. Claim the incidents whose next step is due (escalate.go).
//  2. Read what decides about them: policies, who is on call, how people are reached,
//     maintenance (round.go).
//  3. Ask the pure rules: escalation.Decide says who is paged, notify.Plan by which
//     contacts (round.go).
//  4. Write pages, states and the timeline in the same transaction (Round.Queue).
//
// Intake and respond do 2 to 4 in transactions of their own: Round.Start when an incident
// opens, Round.Command when somebody answers (command.go). Timers resolve what brings no
// news and page again for what was acknowledged and forgotten (timers.go). Foresee and
// NextPaged ask the same rules and write nothing.
package paging

import (
	"context"
	"fmt"
	"log/slog"
	"time"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"

	"github.com/nightbell/nightbell/api/internal/escalation"
	"github.com/nightbell/nightbell/api/internal/escalation/escalationdb"
	"github.com/nightbell/nightbell/api/internal/incident/incidentdb"
	"github.com/nightbell/nightbell/api/internal/notify"
	"github.com/nightbell/nightbell/api/internal/platform/failpoint"
	"github.com/nightbell/nightbell/api/internal/platform/postgres"
)

// dueAtOnce is how many incidents one transaction of the sweep takes on.
const dueAtOnce = 100

const (
	// foreseeable is how far ahead the sweep looks for the next step: as long as a tick.
	foreseeable = time.Second
	// gathered is how long a step may wait for others, so that many in a row cost a few
	// transactions.
	gathered = 50 * time.Millisecond
)

// Escalator pages the next step of every incident that nobody has answered in time.
// Any number of replicas may run one: each takes what the others do not hold.
type Escalator struct {
	db      *postgres.DB
	pool    postgres.Pool
	logger  *slog.Logger
	signals Signals
	later   later
}

// NewEscalator makes an escalator that reads and writes by connections of pool.
func NewEscalator(db *postgres.DB, pool postgres.Pool, logger *slog.Logger, signals Signals) *Escalator {
	return &Escalator{db: db, pool: pool, logger: logger, signals: signals}
}

// Sweep carries out what is due now and reports whether more may be. It is safe to
// call at any time: what is not due is not touched, and what was decided before is
// not decided twice.
func (e *Escalator) Sweep(ctx context.Context) (again bool, err error) {
	due, err := e.later.orEachAlone(ctx, e.logger, "escalation", func(try *try) (int, error) { return e.sweep(ctx, try) })
	return due == dueAtOnce, err
}

// sweep carries out due escalations in one transaction.
func (e *Escalator) sweep(ctx context.Context, try *try) (due int, err error) {
	var round *Round
	var wait time.Duration
	err = e.db.InSystem(ctx, e.pool, func(ctx context.Context, tx pgx.Tx) error {
		now, err := postgres.Now(ctx, tx)
		if err != nil {
			return err
		}
		claimed, err := escalationdb.ClaimDue(ctx, tx, now, try.limit, e.later.at(now))
		if err != nil {
			return fmt.Errorf("claim due escalations: %w", err)
		}
		try.claims(now, len(claimed), func(i int) uuid.UUID { return claimed[i].IncidentID })
		due, round = len(claimed), NewRound(tx, now)
		if due == 0 {
			next, found, err := escalationdb.NextDue(ctx, tx, now, now.Add(foreseeable))
			if found {
				wait = next.Sub(now) + gathered
			}
			return err
		}
		return round.escalate(ctx, claimed)
	})
	if err == nil && wait > 0 && e.signals.DueIn != nil {
		e.signals.DueIn(wait)
	}
	if err != nil || due == 0 {
		return 0, err
	}
	for _, flaw := range round.flaws() {
		e.logger.WarnContext(ctx, "a policy was paged by as far as it can be read", "error", flaw)
	}
	e.signals.Pages()
	for _, orgID := range round.Orgs() {
		e.signals.Changed(orgID)
	}
	return due, nil
}

// Escalate carries out the next step of one incident at now, due or not, in a transaction
// that it ends as postgres.Finish does. It gives no signals.
func Escalate(ctx context.Context, tx pgx.Tx, orgID, incidentID uuid.UUID, now time.Time) error {
	current, found, err := escalationdb.Get(ctx, tx, orgID, incidentID, uuid.Nil)
	if err != nil || !found {
		return err
	}
	return NewRound(tx, now).escalate(ctx, []escalationdb.Paging{current.Paging})
}

// escalate decides and writes what follows for the claimed incidents.
func (r *Round) escalate(ctx context.Context, due []escalationdb.Paging) error {
	if len(due) == 0 {
		return nil
	}
	var ref incidentdb.Ref
	states := make(map[uuid.UUID]escalationdb.Paging, len(due))
	for _, paging := range due {
		ref.Add(paging.OrgID, paging.IncidentID)
		states[paging.IncidentID] = paging
	}
	records, err := incidentdb.Lock(ctx, r.tx, ref)
	if err != nil {
		return err
	}
	if err := r.prepare(ctx, records); err != nil {
		return err
	}
	unreached, err := escalationdb.UnreachedAmong(ctx, r.tx, due, notify.ProbeAfter, notify.MostFaults)
	if err != nil {
		return err
	}
	for _, record := range records {
		paging := states[record.ID]
		snapshot, err := r.snapshot(ctx, record, paging.Under(record.PolicyID))
		if err != nil {
			return err
		}
		failpoint.At("deciding", record.Title)
		state, effects := escalation.Decide(snapshot, r.now)
		if err := r.decided(ctx, record, state, append(escalation.NextSteps(snapshot, effects, unreached[record.ID]), effects...)); err != nil {
			return err
		}
	}
	batch := &pgx.Batch{}
	r.Queue(batch)
	return postgres.Finish(ctx, r.tx, batch)
}
