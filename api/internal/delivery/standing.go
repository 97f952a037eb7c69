package delivery

import (
	"time"

	"github.com/google/uuid"

	"github.com/nightbell/nightbell/api/internal/notify/notifydb"
)

// standing is what the sends of this process say of the provider that all contacts of a channel share.
type standing struct {
	acceptedAt time.Time
	// lost are the contacts of which a page was given up since it took a message.
	lost map[uuid.UUID]loss
}

type loss struct {
	orgID       uuid.UUID
	first, last time.Time
	// ours is set when it was given up for the installation's own reasons.
	ours bool
}

const (
	// lossesSpan is for how long pages are given up until it is the provider's fault.
	lossesSpan = time.Minute
	// lossesLast is how long a loss says something.
	lossesLast = 10 * time.Minute
	// lossesAlone is how many contacts must have lost a page where each could be its own fault.
	lossesAlone = 3
)

func (s *standing) note(claim notifydb.Claim, done try, gaveUp bool, at time.Time) {
	switch {
	case !done.called:
	case done.err == nil:
		s.acceptedAt, s.lost = later(s.acceptedAt, at), nil
	case gaveUp:
		if s.lost == nil {
			s.lost = map[uuid.UUID]loss{}
		}
		known := s.lost[claim.ContactMethodID]
		if at.Sub(known.last) > lossesLast {
			known = loss{orgID: claim.OrgID, first: at}
		}
		known.last, known.ours = at, known.ours || done.blocked()
		s.lost[claim.ContactMethodID] = known
	}
}

// losing says since when pages are given up and nothing is taken, unless that may be the fault of contacts:
// of fewer than three, or all of one organization among several.
func (s *standing) losing(now time.Time, several bool) (since time.Time, ok bool) {
	var last time.Time
	contacts, orgs, ours := 0, map[uuid.UUID]bool{}, false
	for _, one := range s.lost {
		if now.Sub(one.last) > lossesLast {
			continue
		}
		contacts++
		orgs[one.orgID], ours, last = true, ours || one.ours, later(last, one.last)
		if since.IsZero() || one.first.Before(since) {
			since = one.first
		}
	}
	theirs := contacts >= lossesAlone && (len(orgs) > 1 || !several)
	return since, (ours || theirs) && last.Sub(since) >= lossesSpan
}

func (d *Outbox) note(claim notifydb.Claim, done try, gaveUp bool, at time.Time) {
	d.mu.Lock()
	defer d.mu.Unlock()
	d.standing.note(claim, done, gaveUp, at)
}

// AcceptedAt is when this process last handed a message over; zero before the first.
func (d *Outbox) AcceptedAt() time.Time {
	d.mu.Lock()
	defer d.mu.Unlock()
	return d.standing.acceptedAt
}

// LosingSince says since when pages of the channel are given up and none is taken, by the fault of the
// provider or of this installation; several is whether there is more than one organization.
func (d *Outbox) LosingSince(now time.Time, several bool) (since time.Time, ok bool) {
	d.mu.Lock()
	defer d.mu.Unlock()
	return d.standing.losing(now, several)
}
