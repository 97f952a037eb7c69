// Package intake takes alerts in.
//
//  1. Requests that arrive together become one batch (group_commit.go). When it fails, its
//     services are stored each on its own until the lock is gone, or the request at fault
//     is found; its service stays out of the others' batches for a minute (isolated.go).
//  2. storeBatch is one transaction: alerts, incidents, escalation and first pages are
//     stored together. store.go is its steps, batch.go what they work on; incidents.go opens and
//     joins incidents, incident_changes.go raises, pages again and resolves.
//  3. Only after the commit is each sender answered.
//
// Events (POST /v1/events) are alerts, too; what else becomes of them is in events.go. One
// transaction holds those of a problem that want the same (event_turns.go).
//
// What nobody can read opens an incident that says so (undecodable.go).
package intake

import (
	"context"
	"errors"
	"log/slog"
	"sync"
	"sync/atomic"
	"time"

	"github.com/google/uuid"

	"github.com/nightbell/nightbell/api/internal/alert"
	"github.com/nightbell/nightbell/api/internal/catalog"
	"github.com/nightbell/nightbell/api/internal/kernel/fairshare"
	"github.com/nightbell/nightbell/api/internal/kernel/fault"
	"github.com/nightbell/nightbell/api/internal/paging"
	"github.com/nightbell/nightbell/api/internal/platform/postgres"
)

// Group commit limits. A fixed wait loses two thirds of the rate at one connection;
// waiting only while others are on their way loses a tenth (measured).
const (
	linger            = time.Millisecond      // longest wait for requests that are still being read
	maxTogether       = 256                   // requests in one transaction
	maxAlertsTogether = 2000                  // alerts in one transaction
	firstPiece        = 250                   // alerts of a large request in its first transaction
	maxPiece          = 1000                  // and in each later one
	pagesTogether     = 5000                  // pages that those are expected to make, at most
	queuedRequests    = 8192                  // requests that may wait; of one organization at most half
	queuedBytes       = 128 << 20             // and the memory that they may take
	lockWait          = 50 * time.Millisecond // longest wait of a batch for somebody's row
	// answerWithin is how long a sender waits for its answer, for each piece of a large
	// request. A commit that takes longer, for example while no standby confirms it, is not
	// cancelled: PostgreSQL would keep what it wrote, on the primary only.
	answerWithin = 2500 * time.Millisecond
)

var errOverloaded = fault.New(fault.Unavailable, "overloaded",
	"Nightbell is taking in more alerts than it can store right now. Send this again in a few seconds.").After(2)

// errDatabaseAway is answered instead of an acceptance that could not be kept.
var errDatabaseAway = fault.New(fault.Unavailable, "database_unavailable",
	"Nightbell cannot store this in its database right now. Send it again in a few seconds.").After(5)

// ErrOwnDoing is the cause of a refusal for which the sender's own requests are the reason, and
// not the installation: others are stored meanwhile. More of them wait than their organization's
// share, or one of them holds more alerts than can be stored in a statement's time.
var ErrOwnDoing = errors.New("the sender's own requests are the reason")

// Intake accepts alerts: it gathers what many requests bring into one transaction
// and answers each only after the commit (design rules 2 and 9).
type Intake struct {
	db       *postgres.DB
	logger   *slog.Logger
	signals  paging.Signals
	queue    chan *submission
	requests *fairshare.Pool[uuid.UUID]
	bytes    *fairshare.Pool[uuid.UUID]
	expected atomic.Int64
	// lastLoad is how many requests the last batch left behind and answered: as many are
	// likely to come again. Only Run uses it.
	lastLoad int
	// later are requests whose events must not share the last batch; see eventTurns. Only Run uses it.
	later       []*submission
	isolated    isolatedServices
	undecodable undecodables
}

// submission is one request, or one piece of a large one, on its way into the database.
type submission struct {
	route  catalog.Route
	batch  alert.Batch
	answer chan error
	slot   *queueSlot
	// pages is how many its transaction planned; it may be read after the answer.
	pages int
	// abandoned is set when the sender has been told to come again.
	abandoned atomic.Bool
}

// queueSlot is what one request holds of the queue until its last piece is answered and its
// sender has left.
type queueSlot struct {
	users  atomic.Int32
	vacate func()
}

func (q *queueSlot) leave() {
	if q.users.Add(-1) == 0 {
		q.vacate()
	}
}

// NewIntake makes an intake; nothing is stored until Run is called.
func NewIntake(db *postgres.DB, logger *slog.Logger, signals paging.Signals) *Intake {
	return &Intake{
		db: db, logger: logger, signals: signals, isolated: newIsolatedServices(), undecodable: newUndecodables(),
		queue: make(chan *submission, queuedRequests), requests: fairshare.New[uuid.UUID](queuedRequests), bytes: fairshare.New[uuid.UUID](queuedBytes),
	}
}

// Expect announces a request whose alerts are still being read, so that the batch
// waits for it a moment. Call done when the request is over.
func (in *Intake) Expect() (done func()) {
	in.expected.Add(1)
	return func() { in.expected.Add(-1) }
}

// Accept stores the alerts of one request and all that follows from them; nil means committed. The error is a fault
// that tells the sender what to do: Unavailable is worth sending again, ErrOwnDoing tells whose fault it is. A large
// request is stored in pieces, one after the other, so that others need not wait for all of it.
func (in *Intake) Accept(ctx context.Context, route catalog.Route, batch alert.Batch) error {
	slot, err := in.takeSlot(route.OrgID, batch.Bytes())
	if err != nil {
		return err
	}
	defer slot.leave()
	size := len(batch.Alerts)
	if size > firstPiece {
		batch, size = batch.ForPieces(), firstPiece
		ctx = context.WithoutCancel(ctx) // a sender that leaves must not leave half of it behind
	}
	for rest := batch.Alerts; ; {
		n := min(size, len(rest))
		slot.users.Add(1)
		s := &submission{route: route, batch: alert.Batch{Alerts: rest[:n], Truncated: batch.Truncated}, answer: make(chan error, 1), slot: slot}
		in.queue <- s // has room for every request that has a slot
		if err := in.wait(ctx, s); err != nil {
			return err
		}
		if rest = rest[n:]; len(rest) == 0 {
			return nil
		}
		// What an alert pages is known from those before it. Repeats, such as the part that is stored
		// already of what is sent again, page nobody and tell nothing of the rest.
		if s.pages > 0 {
			size = min(maxPiece, max(1, pagesTogether*n/s.pages))
		}
	}
}

// takeSlot takes what a request needs of the queue, out of its organization's share.
func (in *Intake) takeSlot(orgID uuid.UUID, size int) (*queueSlot, error) {
	if !in.requests.Take(orgID, 1) {
		return nil, overloaded(in.requests, orgID, 1)
	}
	if !in.bytes.Take(orgID, size) {
		in.requests.Return(orgID, 1)
		return nil, overloaded(in.bytes, orgID, size)
	}
	slot := &queueSlot{vacate: func() {
		in.requests.Return(orgID, 1)
		in.bytes.Return(orgID, size)
	}}
	slot.users.Add(1)
	return slot, nil
}

// overloaded refuses who was not let into the pool.
func overloaded(pool *fairshare.Pool[uuid.UUID], orgID uuid.UUID, size int) error {
	if pool.IsOwnDoing(orgID, size) {
		return errOverloaded.Because(ErrOwnDoing)
	}
	return errOverloaded
}

// wait gives the answer, or tells the sender to come again when it takes too long.
func (in *Intake) wait(ctx context.Context, s *submission) error {
	patience := time.NewTimer(answerWithin)
	defer patience.Stop()
	select {
	case err := <-s.answer:
		return err
	case <-patience.C:
		s.abandoned.Store(true)
		if len(s.batch.Alerts) > 1 && in.isolated.isTooSlow(s.route.ServiceID) {
			return errTooSlow.Because(ErrOwnDoing)
		}
		return errDatabaseAway.Because(context.DeadlineExceeded)
	case <-ctx.Done():
		s.abandoned.Store(true)
		return errOverloaded.Because(ctx.Err())
	}
}

func (s *submission) finish(err error) {
	s.answer <- err
	s.slot.leave()
}

func answer(together []*submission, err error) {
	for _, s := range together {
		s.finish(err)
	}
}

// Run commits batches until ctx ends. What is being committed then is finished.
func (in *Intake) Run(ctx context.Context) {
	var beside sync.WaitGroup
	defer beside.Wait()
	for range isolatedAtOnce {
		beside.Go(func() { in.retryIsolated(ctx) })
	}
	beside.Go(func() { in.keepUndecodable(ctx) })
	for ctx.Err() == nil {
		first := in.later
		if len(first) == 0 {
			select {
			case <-ctx.Done():
				return
			case next := <-in.queue:
				first = []*submission{next}
			}
		}
		if together := in.gather(first); len(together) > 0 {
			in.commitBatch(context.WithoutCancel(ctx), together)
			in.lastLoad = len(together) + len(in.queue)
		}
	}
}

// gather takes what waits, and up to linger also what is being read or is likely to follow the last answers: half of
// the senders in each batch would double its cost. Requests of isolated services are left to retryIsolated, and those
// whose events have to wait to the next batch.
func (in *Intake) gather(first []*submission) (together []*submission) {
	alerts, turns := 0, eventTurns{}
	in.later = nil
	take := func(s *submission) {
		switch {
		case in.isolated.join(s):
		case len(together) < maxTogether && alerts < maxAlertsTogether && turns.admit(s):
			together, alerts = append(together, s), alerts+len(s.batch.Alerts)
		default:
			in.later = append(in.later, s)
		}
	}
	for _, s := range first {
		take(s)
	}
	var patience <-chan time.Time
	for len(together) < maxTogether && alerts < maxAlertsTogether {
		if len(in.queue) == 0 {
			if len(together) >= max(in.lastLoad, int(in.expected.Load())) {
				return together
			}
			if patience == nil {
				timer := time.NewTimer(linger)
				defer timer.Stop()
				patience = timer.C
			}
		}
		select {
		case next := <-in.queue:
			take(next)
		case <-patience:
			return together
		}
	}
	return together
}

// commitBatch stores a batch and answers its requests. When it fails for a reason that may lie in one request, all of
// its services are isolated, and the next batch is stored without them.
func (in *Intake) commitBatch(ctx context.Context, together []*submission) {
	err := in.guardedCommit(ctx, together, lockWait)
	switch {
	case err == nil:
		answer(together, nil)
	case postgres.IsAway(err):
		in.logger.ErrorContext(ctx, "alerts were refused: the database is away", "requests", len(together), "error", err)
		answer(together, errDatabaseAway.Because(err))
	default:
		in.logger.WarnContext(ctx, "a batch of alerts is stored service by service", "requests", len(together), "error", err)
		in.isolated.isolate(together)
	}
}
