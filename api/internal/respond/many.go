package respond

import (
	"bytes"
	"context"
	"errors"
	"slices"
	"sync"
	"time"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"

	"github.com/nightbell/nightbell/api/internal/incident"
	"github.com/nightbell/nightbell/api/internal/incident/incidentdb"
	"github.com/nightbell/nightbell/api/internal/kernel/fault"
	"github.com/nightbell/nightbell/api/internal/paging"
	"github.com/nightbell/nightbell/api/internal/platform/postgres"
)

const (
	// changedTogether is how many incidents one transaction changes: few enough that what
	// arrives for them waits a moment only.
	changedTogether = 250
	// lockPatience is the longest wait for an incident that somebody else is changing.
	lockPatience = 2 * time.Second
	// partsAtOnce is how many parts of longer answers an organization changes at a time: of the two connections
	// that it may use while others use none, one is for single ones. People take turns part by part, and with them
	// one of its programs at a time (programsAtOnce): a loop of calls takes half of the turns at most.
	partsAtOnce    = 1
	programsAtOnce = 1
	// longAtOnce is how many such answers of an organization's people may be under way or wait in a process, and as
	// many of its programs: each holds its incidents in memory, also when its caller has left.
	longAtOnce = 8
	// manyFor is how long each answer may take once it begins, with its turns: 10,000 take some seconds. It is told
	// before the connection is closed after a minute, also that it did not get to all of them.
	manyFor = 40 * time.Second
)

var errAnsweringMany = fault.New(fault.Unavailable, "answering_many",
	"Somebody of your organization is answering many incidents at the moment. Try again in a few seconds, or answer up to 250 at once.").After(5)

var errNotChanged = fault.New(fault.Unavailable, "not_changed", "This incident could not be changed right now. Try again.").After(2)

// Result is what became of one incident of many.
type Result struct {
	IncidentID uuid.UUID
	// Status is empty when there is no such incident, or nothing is known of it.
	Status incident.Status
	// Err is a fault, nil when the incident is as the command wants it.
	Err error
}

// RespondToMany applies a command to many incidents of one organization, a part in each transaction: one result each,
// in the order of ids; no failure stops the others. It begins and goes on after the caller hung up: a phone that lost
// its connection must not be paged on. An error, of the database or the wait for others, means that nothing changed.
func (r *Responder) RespondToMany(ctx context.Context, orgID uuid.UUID, by incident.ActorKind, ids []uuid.UUID, command incident.Command) ([]Result, error) {
	if len(ids) <= changedTogether {
		return r.respondToAll(ctx, orgID, ids, command, r.respondToPart)
	}
	leaveLong, ok := r.long.take(longKey{orgID, by == incident.APIKey})
	if !ok {
		return nil, errAnsweringMany
	}
	defer leaveLong()
	if by == incident.APIKey {
		leave, err := r.programs.Enter(ctx, orgID)
		if err != nil {
			return nil, errAnsweringMany.Because(err)
		}
		defer leave()
	}
	return r.respondToAll(ctx, orgID, ids, command, r.respondInTurn)
}

// longAnswers counts the answers to many incidents that are under way or wait.
type longAnswers struct {
	mu sync.Mutex
	of map[longKey]int
}

type longKey struct {
	orgID   uuid.UUID
	program bool
}

// take counts one more, unless there are as many as may be, and gives the way to end it.
func (l *longAnswers) take(key longKey) (leave func(), ok bool) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.of[key] >= longAtOnce {
		return nil, false
	}
	l.of[key]++
	return func() {
		l.mu.Lock()
		defer l.mu.Unlock()
		if l.of[key]--; l.of[key] == 0 {
			delete(l.of, key)
		}
	}, true
}

// responding is respondToPart, or respondInTurn.
type responding func(ctx context.Context, orgID uuid.UUID, ids []uuid.UUID, command incident.Command) ([]Result, error)

// respondToAll is RespondToMany once no other has to end before it.
func (r *Responder) respondToAll(ctx context.Context, orgID uuid.UUID, ids []uuid.UUID, command incident.Command, respond responding) ([]Result, error) {
	sorted := slices.SortedFunc(slices.Values(ids), func(a, b uuid.UUID) int { return bytes.Compare(a[:], b[:]) })
	sorted = slices.Compact(sorted)
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), manyFor)
	defer cancel()
	if _, escalates := command.(incident.Escalate); len(sorted) > changedTogether && !escalates {
		// Carried out is what all parts are. After a crash between them a repeat begins again: what was
		// changed already is as the command wants it, except that escalating goes one step further.
		ctx = postgres.WithoutFirst(ctx)
	}
	known := make(map[uuid.UUID]Result, len(sorted))
	var failed []error
	changed := false
	for part := range slices.Chunk(sorted, changedTogether) {
		results, err := respond(ctx, orgID, part, command)
		if err != nil {
			failed = append(failed, err)
			for _, incidentID := range part {
				known[incidentID] = Result{IncidentID: incidentID, Err: errNotChanged.Because(err)}
			}
			continue
		}
		for _, result := range results {
			known[result.IncidentID] = result
		}
		changed = true
		r.signals.Changed(orgID)
		r.signals.Pages()
	}
	if !changed {
		return nil, errors.Join(failed...)
	}
	results := make([]Result, 0, len(known))
	for _, incidentID := range ids {
		if result, ok := known[incidentID]; ok {
			results = append(results, result)
			delete(known, incidentID) // named twice, answered once
		}
	}
	return results, nil
}

// respondInTurn is respondToPart between the parts of others, so that nobody waits for the whole of theirs.
func (r *Responder) respondInTurn(ctx context.Context, orgID uuid.UUID, ids []uuid.UUID, command incident.Command) ([]Result, error) {
	leave, err := r.parts.Enter(ctx, orgID)
	if err != nil {
		return nil, errAnsweringMany.Because(err)
	}
	defer leave()
	return r.respondToPart(ctx, orgID, ids, command)
}

// respondToPart is one transaction of RespondToMany.
func (r *Responder) respondToPart(ctx context.Context, orgID uuid.UUID, ids []uuid.UUID, command incident.Command) (results []Result, err error) {
	err = r.db.InAnswer(ctx, orgID, func(ctx context.Context, tx pgx.Tx) error {
		now, err := postgres.Now(ctx, tx)
		if err != nil {
			return err
		}
		records, err := incidentdb.LockIn(ctx, tx, orgID, ids)
		if err != nil {
			return err
		}
		round, batch := paging.NewRound(tx, now), &pgx.Batch{}
		results = make([]Result, 0, len(ids)) // empty again when the transaction is repeated
		found := map[uuid.UUID]bool{}
		for _, record := range records {
			result, err := respondToOne(ctx, round, batch, record, command, now)
			if err != nil {
				return err
			}
			results, found[record.ID] = append(results, result), true
		}
		for _, incidentID := range ids {
			if !found[incidentID] {
				results = append(results, Result{IncidentID: incidentID, Err: ErrNoIncident})
			}
		}
		round.Queue(batch)
		return postgres.Finish(ctx, tx, batch)
	}, postgres.LockTimeout(lockPatience))
	return results, err
}

// respondToOne adds what the command means for one incident; what its state does not
// allow is its result and no error.
func respondToOne(ctx context.Context, round *paging.Round, batch *pgx.Batch, record incidentdb.Record, command incident.Command, now time.Time) (Result, error) {
	outcome, err := incident.Decide(record.Incident, command, now)
	if _, refused := fault.Of(err); refused {
		return Result{IncidentID: record.ID, Status: record.Status, Err: err}, nil
	}
	if err != nil {
		return Result{}, err
	}
	return Result{IncidentID: record.ID, Status: outcome.Next.Status}, round.Command(ctx, batch, record, command)
}
