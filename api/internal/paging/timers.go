package paging

import (
	"context"
	"fmt"
	"log/slog"
	"time"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"

	"github.com/nightbell/nightbell/api/internal/alert/alertdb"
	"github.com/nightbell/nightbell/api/internal/escalation"
	"github.com/nightbell/nightbell/api/internal/escalation/escalationdb"
	"github.com/nightbell/nightbell/api/internal/heartbeat"
	"github.com/nightbell/nightbell/api/internal/heartbeat/heartbeatdb"
	"github.com/nightbell/nightbell/api/internal/incident"
	"github.com/nightbell/nightbell/api/internal/incident/incidentdb"
	"github.com/nightbell/nightbell/api/internal/kernel/clock"
	"github.com/nightbell/nightbell/api/internal/platform/failpoint"
	"github.com/nightbell/nightbell/api/internal/platform/postgres"
)

// timerLockWait is how long a timer waits for somebody's row.
const timerLockWait = 200 * time.Millisecond

// TimerSweeper does to incidents what their policies ask of the clock besides paging: it
// resolves what brings no news, and pages again for what was acknowledged or snoozed and not
// resolved. Any number of replicas may run one: each takes what the others do not hold.
type TimerSweeper struct {
	db      *postgres.DB
	pool    postgres.Pool
	logger  *slog.Logger
	signals Signals
	later   map[escalation.TimerKind]*later
}

// NewTimerSweeper makes a timer sweeper that reads and writes by connections of pool.
func NewTimerSweeper(db *postgres.DB, pool postgres.Pool, logger *slog.Logger, signals Signals) *TimerSweeper {
	k := &TimerSweeper{db: db, pool: pool, logger: logger, signals: signals, later: map[escalation.TimerKind]*later{}}
	for _, kind := range escalation.TimerKinds {
		k.later[kind] = &later{}
	}
	return k
}

// Sweep carries out the timers that are due and reports whether more may be. It is safe
// to call at any time. When one incident spoils the round, each is tried alone and that
// one later.
func (k *TimerSweeper) Sweep(ctx context.Context) (again bool, err error) {
	for _, kind := range escalation.TimerKinds {
		due, err := k.sweepKind(ctx, kind)
		if err != nil {
			return false, err
		}
		again = again || due == dueAtOnce
	}
	return again, nil
}

func (k *TimerSweeper) sweepKind(ctx context.Context, kind escalation.TimerKind) (due int, err error) {
	return k.later[kind].orEachAlone(ctx, k.logger, string(kind), func(try *try) (int, error) { return k.sweep(ctx, kind, try) })
}

// sweep carries out timers of a kind in one transaction.
func (k *TimerSweeper) sweep(ctx context.Context, kind escalation.TimerKind, try *try) (due int, err error) {
	var round *timerRound
	err = k.db.InSystem(ctx, k.pool, func(ctx context.Context, tx pgx.Tx) error {
		now, err := postgres.Now(ctx, tx)
		if err != nil {
			return err
		}
		claimed, err := escalationdb.ClaimTimers(ctx, tx, kind, now, try.limit, k.later[kind].at(now))
		if err != nil {
			return fmt.Errorf("claim due timers: %w", err)
		}
		try.claims(now, len(claimed), func(i int) uuid.UUID { return claimed[i].IncidentID })
		due, round = len(claimed), &timerRound{Round: NewRound(tx, now)}
		if due == 0 {
			return nil
		}
		if err := round.carryOut(ctx, claimed); err != nil {
			return err
		}
		escalationdb.QueueEndTimers(&round.batch, round.over)
		round.Queue(&round.batch)
		return postgres.Finish(ctx, tx, &round.batch)
	}, postgres.LockTimeout(timerLockWait))
	if err != nil || due == 0 {
		return 0, err
	}
	if len(round.timeline) > 0 {
		k.signals.Pages()
	}
	for _, orgID := range round.Orgs() {
		k.signals.Changed(orgID)
	}
	return due, nil
}

// timerRound is one transaction in which timers act.
type timerRound struct {
	*Round

	batch pgx.Batch
	// over are the timers that have done what they were for.
	over []escalationdb.Timer
	// outage is when the last one ended in which no alert could be heard of, unknownUntil when to ask again whether
	// there was another; zero for none.
	outage, unknownUntil time.Time
}

// carryOut looks at each incident again, now that nobody else can change it. Alerts are
// locked before incidents, as they are when they arrive.
func (r *timerRound) carryOut(ctx context.Context, due []escalationdb.DueTimer) error {
	var ref incidentdb.Ref
	timers := make(map[uuid.UUID]escalationdb.DueTimer, len(due))
	for _, timer := range due {
		ref.Add(timer.OrgID, timer.IncidentID)
		timers[timer.IncidentID] = timer
	}
	news := map[uuid.UUID]time.Time{}
	if due[0].Kind == escalation.AutoResolve {
		var err error
		if news, err = alertdb.LastNews(ctx, r.tx, ref.IDs); err != nil {
			return fmt.Errorf("read when alerts were last heard of: %w", err)
		}
		if err = r.readOutage(ctx); err != nil {
			return fmt.Errorf("read when alerts could not be heard of: %w", err)
		}
	}
	records, err := incidentdb.Lock(ctx, r.tx, ref)
	if err != nil {
		return err
	}
	if err := r.prepare(ctx, records); err != nil {
		return err
	}
	for _, record := range records {
		failpoint.At("timing", record.Title)
		if err := r.act(ctx, record, timers[record.ID], news[record.ID]); err != nil {
			return err
		}
	}
	return nil
}

// readOutage reads when alerts could not be heard of. Package ping looks every second and finds outages: while its last
// look is too long ago, it has yet to find this one. Where nobody ever looked, none is known.
func (r *timerRound) readOutage(ctx context.Context) error {
	at, outage, err := heartbeatdb.Attended(ctx, r.tx)
	if err != nil {
		return err
	}
	if !at.IsZero() && r.now.Sub(at) > heartbeat.Unattended {
		r.unknownUntil = r.now.Add(heartbeat.Unattended)
	}
	if !outage.To.After(r.now) { // else the clock was set back
		r.outage = outage.To
	}
	return nil
}

// act lets one timer do what it is for, if that is still so. What pages waits for the end of
// a quiet time: until then the incident stays with whoever has it.
func (r *timerRound) act(ctx context.Context, record incidentdb.Record, timer escalationdb.DueTimer, news time.Time) error {
	snapshot, err := r.snapshot(ctx, record, escalation.State{})
	if err != nil {
		return err
	}
	until, quiet := escalation.WaitForQuiet(snapshot, r.now)
	r.over = append(r.over, timer.Timer) // a timer that is set below is set after that
	switch timer.Kind {
	case escalation.ConfirmRequest:
		switch {
		case record.WantsConfirmation():
			return r.askAgain(ctx, &r.batch, record)
		case record.Status == incident.Triggered && quiet != nil: // the rise was before the quiet time
			return r.waitToTell(ctx, record, until, quiet)
		case record.Status == incident.Triggered: // nobody has it, and people are to be told
			return r.advance(ctx, &r.batch, record, escalation.Rise)
		}
		return nil
	case escalation.ConfirmTimeout:
		if quiet != nil && record.WantsConfirmation() {
			return r.wait(ctx, record, timer.Kind, until, quiet)
		}
		return r.Command(ctx, &r.batch, record, incident.ConfirmTimeout{ByName: timer.AcknowledgedBy})
	case escalation.AckTimeout, escalation.AutoResolve:
	}
	since, waits := record.AnsweredAt(), record.Status == incident.Acknowledged
	if timer.Kind == escalation.AutoResolve {
		since, waits = clock.Later(timer.TriggeredAt, news), record.Status.Open()
		since = clock.Later(since, record.SnoozedUntil) // somebody is promised to be paged then
	}
	at, ever := snapshot.Policy.TimerDue(timer.Kind, since)
	if timer.Kind == escalation.AckTimeout && !record.SnoozedUntil.IsZero() {
		at, ever = record.SnoozedUntil, true
	}
	if timer.Kind == escalation.AutoResolve {
		at = clock.Later(snapshot.Policy.AfterOutage(at, r.outage), r.unknownUntil)
	}
	switch {
	case !waits || !ever:
		return nil
	case at.After(r.now): // there was news, or the policy waits longer now
		r.setTimer(record, timer.Kind, at)
		return nil
	case timer.Kind == escalation.AutoResolve:
		if told, err := r.waitToBeHeard(ctx, record, snapshot.Policy); err != nil || !told {
			return err
		}
		alertdb.QueueRelease(&r.batch, record.ID)
		return r.Command(ctx, &r.batch, record, incident.NothingNew{For: snapshot.Policy.AutoResolve})
	case quiet != nil:
		return r.wait(ctx, record, timer.Kind, until, quiet)
	}
	return r.Command(ctx, &r.batch, record, incident.AckTimeout{ByName: timer.AcknowledgedBy})
}

// waitToBeHeard keeps an incident of which nobody has heard, because its pages are held: it has its time
// once they are not. It reports whether there is nothing to wait for.
func (r *timerRound) waitToBeHeard(ctx context.Context, record incidentdb.Record, policy escalation.Policy) (told bool, err error) {
	current, found, err := escalationdb.Get(ctx, r.tx, record.OrgID, record.ID, record.PolicyID)
	if err != nil || !found || !escalation.IsHeldUnheard(current.State) {
		return true, err
	}
	r.setTimer(record, escalation.AutoResolve, current.NextDueAt.Add(policy.AutoResolve))
	return false, nil
}

// waitToTell puts off once more what people are to be told of a rise, where that is still to be told.
func (r *timerRound) waitToTell(ctx context.Context, record incidentdb.Record, until time.Time, quiet []escalation.Effect) error {
	current, found, err := escalationdb.Get(ctx, r.tx, record.OrgID, record.ID, record.PolicyID)
	if err != nil || !found || !escalation.IsNews(current.State, record.Severity) {
		return err
	}
	return r.wait(ctx, record, escalation.ConfirmRequest, until, quiet)
}
