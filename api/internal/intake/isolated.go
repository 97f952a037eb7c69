package intake

import (
	"context"
	"maps"
	"sync"
	"time"

	"github.com/google/uuid"

	"github.com/nightbell/nightbell/api/internal/alert"
	"github.com/nightbell/nightbell/api/internal/kernel/fault"
	"github.com/nightbell/nightbell/api/internal/platform/postgres"
)

const (
	// isolatedAtOnce is how many isolated services are stored at the same time, each in one
	// transaction. Both together leave half of the pool's connections to everybody else.
	isolatedAtOnce = 2
	// lockWaitAgain is the longest wait for a lock of a part of what has just waited
	// lockWait in vain.
	lockWaitAgain = 5 * time.Millisecond
	// asideFor is how long a service is stored by itself after one of its requests was at
	// fault. Its senders come again within that time.
	asideFor = time.Minute
)

// errTooSlow is answered when the alerts of a single request cannot be stored within one
// statement's time.
var errTooSlow = fault.New(fault.Unavailable, "alerts_too_slow",
	"Storing these alerts takes longer than Nightbell allows. Send fewer at once, for example with max_alerts.").After(5)

// isolatedServices are the services of batches that failed: a row may be locked, or a request at fault. Each is stored
// on its own until all its requests are answered, those included that come meanwhile; after one at fault it stays so
// for longer (asideFor). It is safe for concurrent use.
type isolatedServices struct {
	mu      sync.Mutex
	waiting map[uuid.UUID]*isolatedRequests
	// ready are the isolated services that have something to store, first in, first out.
	ready chan uuid.UUID
	now   func() time.Time
}

// isolatedRequests are the requests of one isolated service.
type isolatedRequests struct {
	fresh []*submission // not tried yet
	stuck []*submission // tried alone: a lock is in their way
	// queued is set while the service is in ready, or being stored.
	queued bool
	// asideUntil is when the service may rejoin the ordinary batches.
	asideUntil time.Time
	// tooSlow is set once it was set aside for requests of several alerts that took too long.
	tooSlow bool
}

func newIsolatedServices() isolatedServices {
	// A service in ready has a request that waits, so there is room for all of them.
	return isolatedServices{waiting: map[uuid.UUID]*isolatedRequests{}, ready: make(chan uuid.UUID, queuedRequests), now: time.Now}
}

// isolate takes the services of a batch that failed out of the ordinary batches.
func (h *isolatedServices) isolate(together []*submission) {
	h.mu.Lock()
	defer h.mu.Unlock()
	maps.DeleteFunc(h.waiting, func(_ uuid.UUID, own *isolatedRequests) bool { return h.over(own) })
	for _, s := range together {
		service := s.route.ServiceID
		if h.waiting[service] == nil {
			h.waiting[service] = &isolatedRequests{}
		}
		h.add(h.waiting[service], s)
	}
}

// join adds a request to those that wait for its service, and reports whether that is isolated.
func (h *isolatedServices) join(s *submission) bool {
	h.mu.Lock()
	defer h.mu.Unlock()
	own := h.waiting[s.route.ServiceID]
	if own == nil || h.over(own) {
		delete(h.waiting, s.route.ServiceID)
		return false
	}
	h.add(own, s)
	return true
}

func (h *isolatedServices) add(own *isolatedRequests, s *submission) {
	own.fresh = append(own.fresh, s)
	if !own.queued {
		own.queued = true
		h.ready <- s.route.ServiceID
	}
}

// over reports whether a service that was set aside may rejoin.
func (h *isolatedServices) over(own *isolatedRequests) bool {
	return !own.queued && !h.now().Before(own.asideUntil)
}

// setAside keeps a service, one of whose requests was at fault, out of the ordinary batches
// for a while: the next such request would take another batch of everybody's apart.
func (h *isolatedServices) setAside(service uuid.UUID, tooSlow bool) {
	h.mu.Lock()
	defer h.mu.Unlock()
	own := h.waiting[service]
	own.asideUntil, own.tooSlow = h.now().Add(asideFor), own.tooSlow || tooSlow
}

// isTooSlow reports whether a service is set aside for requests that took too long.
func (h *isolatedServices) isTooSlow(service uuid.UUID) bool {
	h.mu.Lock()
	defer h.mu.Unlock()
	own := h.waiting[service]
	return own != nil && own.tooSlow
}

// take gives what to store of a service next: a batch of requests that were not tried yet,
// up to one whose events have to wait for the next, and all that are stuck.
func (h *isolatedServices) take(service uuid.UUID) (fresh, stuck []*submission) {
	h.mu.Lock()
	defer h.mu.Unlock()
	own, n, alerts, turns := h.waiting[service], 0, 0, eventTurns{}
	for n < min(len(own.fresh), maxTogether) && alerts < maxAlertsTogether && turns.admit(own.fresh[n]) {
		alerts += len(own.fresh[n].batch.Alerts)
		n++
	}
	fresh, stuck = own.fresh[:n], own.stuck
	own.fresh, own.stuck = own.fresh[n:], nil
	return fresh, stuck
}

// release says that a service was stored. Without stuck requests it is isolated no more, unless it is
// set aside, and those that came meanwhile are returned: they go back to the ordinary batches.
func (h *isolatedServices) release(service uuid.UUID, stuck []*submission) (rejoin []*submission) {
	h.mu.Lock()
	defer h.mu.Unlock()
	own := h.waiting[service]
	own.stuck, own.queued = stuck, false
	aside := !h.over(own)
	switch {
	case len(stuck) > 0, aside && len(own.fresh) > 0:
		own.queued = true
		h.ready <- service
	case !aside:
		delete(h.waiting, service)
		return own.fresh
	}
	return nil
}

// retryIsolated stores isolated services, one after the other, until ctx ends.
func (in *Intake) retryIsolated(ctx context.Context) {
	for {
		select {
		case <-ctx.Done():
			return
		case service := <-in.isolated.ready:
			in.retryService(context.WithoutCancel(ctx), service)
		}
	}
}

// retryService stores what waits for a service, as far as no lock is in the way. A
// request that is stuck is tried each time until its sender was told to come again.
func (in *Intake) retryService(ctx context.Context, service uuid.UUID) {
	fresh, stuck := in.isolated.take(service)
	stuck = append(in.storeParts(ctx, stuck, lockWait), in.storeParts(ctx, fresh, lockWait)...)
	var patient []*submission
	for _, s := range stuck {
		if s.abandoned.Load() {
			s.finish(errDatabaseAway)
		} else {
			patient = append(patient, s)
		}
	}
	for _, s := range in.isolated.release(service, patient) {
		in.queue <- s // has room for every request that has a slot
	}
}

// storeParts stores requests of one service together, and when that fails halves of them,
// down to the requests at fault: those that met a lock are returned, others refused.
func (in *Intake) storeParts(ctx context.Context, together []*submission, wait time.Duration) (stuck []*submission) {
	if len(together) == 0 {
		return nil
	}
	err := in.guardedCommit(ctx, together, wait)
	switch {
	case err == nil:
		answer(together, nil)
	case postgres.IsAway(err):
		in.logger.ErrorContext(ctx, "alerts were refused: the database is away", "requests", len(together), "error", err)
		answer(together, errDatabaseAway.Because(err))
	case len(together) > 1:
		half := len(together) / 2
		return append(in.storeParts(ctx, together[:half], lockWaitAgain), in.storeParts(ctx, together[half:], lockWaitAgain)...)
	case postgres.IsBlocked(err):
		return together
	default:
		in.refuse(ctx, together[0], err)
	}
	return nil
}

// refuse answers the one request whose alerts cannot be stored. When it is for what they
// say, sending them again would not help: an incident tells of it instead.
func (in *Intake) refuse(ctx context.Context, s *submission, err error) {
	in.logger.ErrorContext(ctx, "alerts could not be stored", "service", s.route.ServiceID, "error", err)
	several := len(s.batch.Alerts) > 1
	in.isolated.setAside(s.route.ServiceID, several && postgres.IsStatementTimeout(err))
	switch {
	case several && postgres.IsStatementTimeout(err):
		s.finish(errTooSlow.Because(ErrOwnDoing)) // it was alone in its transaction, and could be smaller
	case postgres.IsStatementTimeout(err):
		s.finish(errTooSlow.Because(err))
	case postgres.IsRefusedData(err):
		if !in.undecodable.add(s.route, sourceOf(s.batch), "The database refused its content.", titles(s.batch), s.finishUndecodable) {
			s.finish(errOverloaded.Because(ErrOwnDoing))
		}
	default:
		s.finish(errDatabaseAway.Because(err))
	}
}

// finishUndecodable answers when the incident about the request is committed.
func (s *submission) finishUndecodable(err error) {
	if err == nil {
		err = fault.New(fault.Invalid, "undecodable_alert", "This alert holds something that cannot be stored. An incident was opened to say so.")
	}
	s.finish(err)
}

func titles(batch alert.Batch) []byte {
	var text []byte
	for _, received := range batch.Alerts {
		text = append(append(text, received.Title...), '\n')
	}
	return text
}

func sourceOf(batch alert.Batch) string {
	if len(batch.Alerts) == 0 {
		return "unknown"
	}
	return batch.Alerts[0].Source
}
