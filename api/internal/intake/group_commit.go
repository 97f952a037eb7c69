// Package intake takes alerts in.
//
//  1. Requests that arrive together become one batch; what its trouble may lie in is
//     taken out and stored alone (group_commit.go).
//  2. The batch is one transaction: alerts, incidents, escalation and first pages are
//     stored together (store.go, open.go, cleared.go; first_look.go saves round trips).
//  3. Only after the commit is each sender answered.
//
// What nobody can read opens an incident that says so (undecodable.go).
package intake

import (
	"context"
	"log/slog"
	"sync"
	"sync/atomic"
	"time"

	"github.com/google/uuid"

	"github.com/nightbell/nightbell/api/internal/alert"
	"github.com/nightbell/nightbell/api/internal/catalog"
	"github.com/nightbell/nightbell/api/internal/kernel/fault"
	"github.com/nightbell/nightbell/api/internal/paging"
	"github.com/nightbell/nightbell/api/internal/platform/postgres"
)

// The measures of group commit (anchors: a fixed wait loses two thirds of the rate
// at one connection; waiting only while others are on their way loses a tenth).
const (
	linger            = time.Millisecond      // longest wait for requests that are still being read
	maxTogether       = 256                   // requests in one transaction
	maxAlertsTogether = 10_000                // alerts in one transaction
	queueLength       = 4096                  // requests that may wait; more are told to come back
	lockWait          = 50 * time.Millisecond // longest wait of a batch for somebody's row
	lockWaitAlone     = 2 * time.Second       // longest wait of a request that was taken out of its batch
	aloneAtOnce       = 2                     // requests retried alone at the same time
	// answerWithin is how long a sender waits for its answer. A commit can take longer,
	// for example while no standby confirms it. It is not broken off, because PostgreSQL
	// keeps what is broken off while it waits for the standby, on one server only.
	answerWithin = 2500 * time.Millisecond
)

var errOverloaded = fault.New(fault.Unavailable, "overloaded",
	"Nightbell is taking in more alerts than it can store right now. Send this again in a few seconds.").After(2)

// errDatabaseAway is answered instead of an acceptance that could not be kept.
var errDatabaseAway = fault.New(fault.Unavailable, "database_unavailable",
	"Nightbell cannot store this in its database right now. Send it again in a few seconds.").After(5)

// Intake accepts alerts: it gathers what many requests bring into one transaction
// and answers each only after the commit (design rules 2 and 9).
type Intake struct {
	db       *postgres.DB
	logger   *slog.Logger
	signals  paging.Signals
	queue    chan *submission
	expected atomic.Int64
	// busy is how many requests the last batch left behind and answered: as many are
	// likely to come again. Only Run uses it.
	busy  int
	alone chan struct{}

	mu sync.Mutex
	// held counts, for each service, the requests that were taken out of a batch and
	// are not answered yet; what follows for that service joins them, so that a locked
	// row slows one batch down, not every one.
	held map[uuid.UUID]int
}

type submission struct {
	route  catalog.Route
	batch  alert.Batch
	answer chan error
}

// NewIntake makes an intake; nothing is stored until Run is called.
func NewIntake(db *postgres.DB, logger *slog.Logger, signals paging.Signals) *Intake {
	return &Intake{
		db: db, logger: logger, signals: signals,
		queue: make(chan *submission, queueLength), alone: make(chan struct{}, aloneAtOnce), held: map[uuid.UUID]int{},
	}
}

// Expect announces a request whose alerts are still being read, so that the batch
// waits for it a moment. Call done when the request is over.
func (in *Intake) Expect() (done func()) {
	in.expected.Add(1)
	return func() { in.expected.Add(-1) }
}

// Accept stores the alerts of one request and everything that follows from them: it
// returns nil only after the commit. The error is a fault that tells the sender what
// to do; Unavailable ones are worth sending again.
func (in *Intake) Accept(ctx context.Context, route catalog.Route, batch alert.Batch) error {
	s := &submission{route: route, batch: batch, answer: make(chan error, 1)}
	if in.isHeld(route.ServiceID) {
		in.setAside(ctx, s)
	} else {
		select {
		case in.queue <- s:
		default:
			return errOverloaded
		}
	}
	patience := time.NewTimer(answerWithin)
	defer patience.Stop()
	select {
	case err := <-s.answer:
		return err
	case <-patience.C:
		return errDatabaseAway.Because(context.DeadlineExceeded)
	case <-ctx.Done():
		return errOverloaded.Because(ctx.Err())
	}
}

// AcceptAlone is Accept in a transaction of its own, which waits for no other request
// and longer for a lock. It is what group commit is measured against.
func (in *Intake) AcceptAlone(ctx context.Context, route catalog.Route, batch alert.Batch) error {
	return in.storeAlone(ctx, &submission{route: route, batch: batch})
}

// Run commits batches until ctx ends.
func (in *Intake) Run(ctx context.Context) {
	for {
		select {
		case <-ctx.Done():
			return
		case first := <-in.queue:
			together := in.gather(first)
			in.store(ctx, together)
			in.busy = len(together) + len(in.queue)
		}
	}
}

// gather takes what is waiting, and waits up to linger for requests that are known
// to be on their way, and for those that the last answers are likely to bring: half of
// the senders in each batch would double what a batch costs by itself.
func (in *Intake) gather(first *submission) []*submission {
	together, alerts := []*submission{first}, len(first.batch.Alerts)
	var patience <-chan time.Time
	for len(together) < maxTogether && alerts < maxAlertsTogether {
		if len(in.queue) == 0 {
			if len(together) >= max(in.busy, int(in.expected.Load())) {
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
			together, alerts = append(together, next), alerts+len(next.batch.Alerts)
		case <-patience:
			return together
		}
	}
	return together
}

// store commits a batch. When it fails for a reason that may lie in one request, it is
// divided, so that one tenant never stalls another.
func (in *Intake) store(ctx context.Context, together []*submission) {
	err := in.guardedCommit(ctx, together, lockWait)
	switch {
	case err == nil:
		answer(together, nil)
	case postgres.IsUnavailable(err) && !postgres.IsLockTimeout(err):
		in.logger.ErrorContext(ctx, "alerts were refused: the database is away", "requests", len(together), "error", err)
		answer(together, errDatabaseAway.Because(err))
	default:
		in.logger.WarnContext(ctx, "a batch of alerts is stored in parts", "requests", len(together), "error", err)
		in.divide(ctx, together)
	}
}

// divide stores a failed batch service by service. Only the requests of a service that
// fails again are set aside, where they may have to wait for each other.
func (in *Intake) divide(ctx context.Context, together []*submission) {
	services := map[uuid.UUID][]*submission{}
	for _, s := range together {
		services[s.route.ServiceID] = append(services[s.route.ServiceID], s)
	}
	for _, own := range services {
		if len(services) > 1 && in.guardedCommit(ctx, own, lockWait) == nil {
			answer(own, nil)
			continue
		}
		for _, s := range own {
			in.setAside(ctx, s)
		}
	}
}

func answer(together []*submission, err error) {
	for _, s := range together {
		s.answer <- err
	}
}

// setAside tries one request alone, without making the next batch wait for it.
func (in *Intake) setAside(ctx context.Context, s *submission) {
	in.hold(s.route.ServiceID, 1)
	ctx = context.WithoutCancel(ctx)
	go func() {
		in.alone <- struct{}{}
		defer func() {
			<-in.alone
			in.hold(s.route.ServiceID, -1)
		}()
		s.answer <- in.storeAlone(ctx, s)
	}()
}

func (in *Intake) storeAlone(ctx context.Context, s *submission) error {
	err := in.guardedCommit(ctx, []*submission{s}, lockWaitAlone)
	switch {
	case err == nil:
		return nil
	case postgres.IsUnavailable(err), postgres.IsLockTimeout(err):
		return errDatabaseAway.Because(err)
	case postgres.IsRefusedData(err):
		in.logger.ErrorContext(ctx, "the database refused the content of an alert", "service", s.route.ServiceID, "error", err)
		if err := in.AcceptUndecodable(ctx, s.route, sourceOf(s.batch), "the database refused its content", nil); err != nil {
			return err
		}
		return fault.New(fault.Invalid, "undecodable_alert", "This alert holds something that cannot be stored. An incident was opened to say so.")
	default:
		in.logger.ErrorContext(ctx, "alerts could not be stored", "service", s.route.ServiceID, "error", err)
		return errDatabaseAway.Because(err)
	}
}

func sourceOf(batch alert.Batch) string {
	if len(batch.Alerts) == 0 {
		return "unknown"
	}
	return batch.Alerts[0].Source
}

func (in *Intake) hold(serviceID uuid.UUID, change int) {
	in.mu.Lock()
	defer in.mu.Unlock()
	if in.held[serviceID] += change; in.held[serviceID] == 0 {
		delete(in.held, serviceID)
	}
}

func (in *Intake) isHeld(serviceID uuid.UUID) bool {
	in.mu.Lock()
	defer in.mu.Unlock()
	return in.held[serviceID] > 0
}
