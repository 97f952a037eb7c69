package delivery

import (
	"maps"
	"time"

	"github.com/google/uuid"
)

// standing is what the sends of this process say of the provider that all contacts of a channel share.
type standing struct {
	acceptedAt time.Time
	// failed are the contacts whose last message failed.
	failed map[uuid.UUID]failure
}

type failure struct {
	first, last time.Time
	// ours is set when it failed for the installation's own reasons.
	ours bool
	// alone is set once the provider took a message to another: since then it is the contact's own.
	alone bool
}

const (
	// failedFor is how long nothing but failures makes it the provider's.
	failedFor = time.Minute
	// failedWithin is how long a failure says something.
	failedWithin = 10 * time.Minute
	// failedContacts is how many contacts must have failed when each could be its own fault.
	failedContacts = 3
)

func (s *standing) note(contact uuid.UUID, done try, at time.Time) {
	switch {
	case !done.called:
	case done.err == nil:
		s.acceptedAt = later(s.acceptedAt, at)
		delete(s.failed, contact)
		for other, known := range s.failed {
			known.alone = true
			s.failed[other] = known
		}
	default:
		if s.failed == nil {
			s.failed = map[uuid.UUID]failure{}
		}
		known := s.failed[contact]
		if known.first.IsZero() || at.Sub(known.last) > failedWithin {
			known = failure{first: at}
		}
		known.last, known.ours = at, known.ours || done.blocked()
		s.failed[contact] = known
		maps.DeleteFunc(s.failed, func(_ uuid.UUID, one failure) bool { return at.Sub(one.last) > failedWithin })
	}
}

// failing says since when nothing but failures is known; ok is false while that may be the contacts' fault.
func (s *standing) failing(now time.Time) (since time.Time, ok bool) {
	since = now
	contacts := 0
	for _, one := range s.failed {
		if one.alone || now.Sub(one.last) > failedWithin {
			continue
		}
		contacts++
		ok = ok || one.ours
		if one.first.Before(since) {
			since = one.first
		}
	}
	return since, (ok || contacts >= failedContacts) && now.Sub(since) >= failedFor
}

func (d *Outbox) note(contact uuid.UUID, done try, at time.Time) {
	d.mu.Lock()
	defer d.mu.Unlock()
	d.standing.note(contact, done, at)
}

// AcceptedAt is when this process last handed a message over; zero before the first.
func (d *Outbox) AcceptedAt() time.Time {
	d.mu.Lock()
	defer d.mu.Unlock()
	return d.standing.acceptedAt
}

// FailingSince says since when all messages of the channel fail, to several contacts or for the
// installation's own reasons; ok is false when they do not.
func (d *Outbox) FailingSince(now time.Time) (since time.Time, ok bool) {
	d.mu.Lock()
	defer d.mu.Unlock()
	return d.standing.failing(now)
}
