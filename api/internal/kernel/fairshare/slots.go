package fairshare

import (
	"slices"
	"sync"
)

// Slots are places in which work goes on side by side: so many of all, and few of one organization, so
// that what hangs delays its own organization at most. K is the key of an organization. It is safe for
// concurrent use.
type Slots[K comparable] struct {
	most, perOrg int

	mu    sync.Mutex
	taken []K
	work  sync.WaitGroup
	ended chan struct{}
}

// Room is what may begin: Most of all, and of one organization PerOrg with those in Taken, which has the
// organization of each slot that is taken.
type Room[K comparable] struct {
	Most, PerOrg int
	Taken        []K
}

// NewSlots makes that many slots, all free.
func NewSlots[K comparable](most, perOrg int) *Slots[K] {
	return &Slots[K]{most: most, perOrg: perOrg, taken: []K{}, ended: make(chan struct{}, 1)}
}

// Room says what may begin now.
func (s *Slots[K]) Room() Room[K] {
	s.mu.Lock()
	defer s.mu.Unlock()
	return Room[K]{Most: max(0, s.most-len(s.taken)), PerOrg: s.perOrg, Taken: slices.Clone(s.taken)}
}

// Begin does work for which there was room.
func (s *Slots[K]) Begin(orgID K, work func()) {
	s.mu.Lock()
	s.taken = append(s.taken, orgID)
	s.mu.Unlock()
	s.work.Go(func() {
		defer s.free(orgID)
		work()
	})
}

func (s *Slots[K]) free(orgID K) {
	s.mu.Lock()
	i := slices.Index(s.taken, orgID)
	s.taken = slices.Delete(s.taken, i, i+1)
	s.mu.Unlock()
	select {
	case s.ended <- struct{}{}:
	default: // nobody has looked since the last one
	}
}

// Ended tells that work has ended since it was asked last.
func (s *Slots[K]) Ended() <-chan struct{} { return s.ended }

// Wait waits until all slots are free.
func (s *Slots[K]) Wait() { s.work.Wait() }
