package live

import "sync"

// maxPending is how many events wait for one slow reader.
const maxPending = 256

// subscriber is one open stream's queue. A reader that is too slow loses all of it and is told to
// load everything again; it never holds up the others.
type subscriber struct {
	ready chan struct{}

	mu      sync.Mutex
	pending []Event
	lostTo  int64 // the largest Seq that was dropped, 0 for none
}

func newSubscriber() *subscriber { return &subscriber{ready: make(chan struct{}, 1)} }

func (s *subscriber) push(event Event) {
	s.mu.Lock()
	if len(s.pending) >= maxPending {
		for _, dropped := range s.pending {
			s.lostTo = max(s.lostTo, dropped.Seq)
		}
		s.pending = nil
	}
	s.pending = append(s.pending, event)
	s.mu.Unlock()
	select {
	case s.ready <- struct{}{}:
	default:
	}
}

// take empties the queue. lostTo is above 0 when events up to it were dropped before these.
func (s *subscriber) take() (events []Event, lostTo int64) {
	s.mu.Lock()
	defer s.mu.Unlock()
	events, lostTo = s.pending, s.lostTo
	s.pending, s.lostTo = nil, 0
	return events, lostTo
}
