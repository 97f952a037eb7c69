package intake

import (
	"context"
	"fmt"
	"maps"
	"runtime/debug"
	"slices"
	"time"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"

	"github.com/nightbell/nightbell/api/internal/alert"
	"github.com/nightbell/nightbell/api/internal/alert/alertdb"
	"github.com/nightbell/nightbell/api/internal/catalog"
	"github.com/nightbell/nightbell/api/internal/escalation/escalationdb"
	"github.com/nightbell/nightbell/api/internal/incident"
	"github.com/nightbell/nightbell/api/internal/incident/incidentdb"
	"github.com/nightbell/nightbell/api/internal/kernel/id"
	"github.com/nightbell/nightbell/api/internal/paging"
	"github.com/nightbell/nightbell/api/internal/platform/failpoint"
	"github.com/nightbell/nightbell/api/internal/platform/postgres"
)

// storeBatch stores the alerts of many requests, and what follows from them, in one
// transaction. Each step is one statement or none, however many alerts came: a batch of
// repeats is two round trips, alerts that open incidents are four.
func (in *Intake) storeBatch(ctx context.Context, together []*submission, wait time.Duration) (*paging.Round, error) {
	var b *batch
	// 1. With BEGIN: lock the alerts that are stored, find the open incidents.
	read := func(first *pgx.Batch) {
		b = newBatch(together)
		b.queueReads(first)
	}
	err := in.db.InSystem(ctx, postgres.Ingest, func(ctx context.Context, tx pgx.Tx) error {
		now, err := postgres.Now(ctx, tx)
		if err != nil {
			return err
		}
		return b.runSteps(ctx, tx, now)
	}, postgres.LockTimeout(wait), postgres.First(read))
	if err != nil {
		return nil, err
	}
	return b.round, nil
}

// runSteps is steps 2 to 8 of storeBatch: its transaction is open, and what step 1 asked for is read.
func (b *batch) runSteps(ctx context.Context, tx pgx.Tx, now time.Time) error {
	b.tx, b.now, b.round = tx, now, paging.NewRound(tx, now)
	// 2. Ask alert.Decide what each alert means, now that its row is known. Events that were sent
	// before are answered as they were then.
	b.replay()
	b.decide()
	// 3. Lock the incidents that alerts join or may resolve, if there are any.
	if err := b.lockIncidents(ctx); err != nil {
		return err
	}
	// 4. Let the others open incidents, and page the first people.
	if err := b.openIncidents(ctx); err != nil {
		return err
	}
	// 5. Make those that were open as severe as their worst alert, and page for that, and for new trouble
	// in what nobody answered.
	if err := b.raiseSeverity(ctx); err != nil {
		return err
	}
	if err := b.pageAgain(ctx); err != nil {
		return err
	}
	// 6. Resolve the incidents whose last alert ended, acknowledge those that events say so of.
	if err := b.resolveCleared(ctx); err != nil {
		return err
	}
	if err := b.acknowledge(ctx); err != nil {
		return err
	}
	// 7. Say what became of each event; queue every alert, with its incident, and a line of the
	// record for each.
	b.settle()
	b.addLines()
	b.queueWrites()
	// 8. With COMMIT: everything that is queued, pages and timeline too.
	b.round.Queue(&b.writes)
	return postgres.Finish(ctx, tx, &b.writes)
}

// decide gives every alert the state that it has now, and says what that means.
func (b *batch) decide() {
	for i := range b.alerts {
		a := &b.alerts[i]
		a.Received = a.Received.ByOurClock(b.now, b.begun.Sub(a.Received.ArrivedAt))
		before, known := b.stored[a.Key()]
		if !known {
			a.Stored = alert.Absorb(nil, a.Received, b.now)
			a.Stored.ID = id.New()
			b.alertIDs[a.Key()] = a.Stored.ID
		} else {
			a.Known, a.Newer = true, !alert.IsOlder(before, a.Received, b.now)
			a.Stored = alert.Absorb(&before, a.Received, b.now)
			// An incident that another replica opened a moment ago may not be visible yet, and
			// must not miss the end of its alert: its lock shows whether it is open.
			a.Stored.IncidentOpen = a.Stored.IncidentOpen || a.Stored.Status == alert.Resolved && a.Stored.IncidentID != uuid.Nil
		}
		b.meanings[i] = alert.Decide(a.Stored)
	}
}

// addLines adds lines; an incident that is not open any more gets its line, too.
func (b *batch) addLines() {
	for _, a := range b.alerts {
		if line, given := b.lines[a.Received.Key]; given && a.Stored.IncidentID != uuid.Nil {
			record := incidentdb.Record{Incident: incident.Incident{OrgID: a.OrgID, ID: a.Stored.IncidentID}}
			b.round.Note(record, line)
		}
	}
}

// queueWrites queues the incidents, the alerts that refer to them, and one line of the
// record for each alert.
func (b *batch) queueWrites() {
	incidentdb.QueueInsert(&b.writes, b.openings, b.opened, escalationdb.Columns(b.pagings), b.now)
	alertdb.QueueChanges(&b.writes, b.alerts, b.now)
	incidentdb.QueueJoined(&b.writes, slices.Collect(maps.Values(b.joined)), b.now)
	lines := b.record()
	for _, a := range b.alerts {
		if a.Received.Event == nil {
			lines = append(lines, alertdb.Event{
				OrgID: a.OrgID, AlertID: a.Stored.ID, IncidentID: a.Stored.IncidentID,
				Status: a.Received.Status, Occurrences: max(1, a.Received.Count),
			})
		}
	}
	alertdb.QueueEvents(&b.writes, lines, b.now)
}

// Options are what a caller of Store may add.
type Options struct {
	// OpenAs is the id of the incident that the alerts open; Nil for a new one.
	OpenAs uuid.UUID
	// Lines are added to the timelines of the alerts' incidents, by alert key.
	Lines map[string]incident.Event
}

// Store runs the steps of storeBatch for alerts of one service at now, in a transaction that it ends as postgres.Finish
// does. It gives no signals, and does not try again when others store the same alerts.
func Store(ctx context.Context, tx pgx.Tx, route catalog.Route, alerts []alert.Received, options Options, now time.Time) error {
	b, reads := newBatch([]*submission{{route: route, batch: alert.Batch{Alerts: alerts}}}), &pgx.Batch{}
	b.openAs, b.lines = options.OpenAs, options.Lines
	b.queueReads(reads)
	if err := tx.SendBatch(ctx, reads).Close(); err != nil {
		return err
	}
	return b.runSteps(ctx, tx, now)
}

// mostConflicts is how often a batch begins again because another transaction stored one
// of its alerts, or opened one of its incidents, since it read them.
const mostConflicts = 10

// guardedCommit stores what the requests brought, all or nothing, and gives the
// signals that follow. A panic in a rule is one request's problem, not the process's.
func (in *Intake) guardedCommit(ctx context.Context, together []*submission, wait time.Duration) (err error) {
	defer func() {
		if cause := recover(); cause != nil {
			err = fmt.Errorf("panic while storing alerts: %v\n%s", cause, debug.Stack())
		}
	}()
	round, err := in.storeBatch(ctx, together, wait)
	for range mostConflicts {
		if !isConflict(err) {
			break
		}
		round, err = in.storeBatch(ctx, together, wait)
	}
	if err != nil {
		return err
	}
	for _, s := range together {
		s.pages = round.PageCount()
	}
	failpoint.At("stored", "")
	in.signal(round)
	return nil
}

// isConflict reports whether an alert or an incident that was to be written first exists
// by now. The insert has waited for the other's commit: who reads again sees it.
func isConflict(err error) bool {
	constraint := postgres.ConstraintName(err)
	return postgres.IsUnique(err) && (constraint == alertdb.ConstraintKey || constraint == incidentdb.ConstraintOpen)
}

func (in *Intake) signal(round *paging.Round) {
	if channels := round.Channels(); len(channels) > 0 {
		in.signals.Pages(channels...)
	}
	for _, orgID := range round.Orgs() {
		in.signals.Changed(orgID)
	}
}
