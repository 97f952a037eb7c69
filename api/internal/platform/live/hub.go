// Package live tells every open screen what happened, as server-sent events.
//
// The feed is a table that only grows, and is read again after each hint that something was
// committed. A hint may be late, doubled or lost: rooms look by themselves every two seconds. So
// nothing here takes part in a transaction, and no page depends on it.
package live

import (
	"context"
	"log/slog"
	"sync"
	"time"

	"github.com/google/uuid"
)

// Event is one row of the feed.
type Event struct {
	// Seq is larger for what was written later, but rows become visible in any order.
	Seq  int64
	Kind string
	// Data is a JSON object.
	Data []byte
}

// Source reads the feed of one organization.
type Source struct {
	// Read gives the events with a Seq above after, in its order, at most limit of them.
	Read func(ctx context.Context, orgID uuid.UUID, after int64, limit int) ([]Event, error)
	// Newest gives the largest Seq that is visible, 0 when there is none.
	Newest func(ctx context.Context, orgID uuid.UUID) (int64, error)
	// Allowed says whether the caller whom ctx names may still follow the organization. It is
	// asked every 2 s, because a stream outlives the token it was opened with. May be nil.
	Allowed func(ctx context.Context, orgID uuid.UUID) error
}

const (
	// nearby is how far below the newest event each look reaches back: enough for transactions that
	// commit out of order in ordinary traffic.
	nearby = 200
	// settling is how long a transaction may be late and still be seen, by the slow look.
	settling = 5 * time.Second
	// slowLook is how often a room looks without a hint.
	slowLook = 2 * time.Second
	// coalesce is the shortest time between two looks of a room and between two notifications.
	coalesce = 50 * time.Millisecond
	// readAtOnce bounds one read; whoever is further behind is told to load everything again.
	readAtOnce = 1000
	// maxStreams bounds the goroutines that strangers' browsers may hold here.
	maxStreams = 5000
)

// Hub knows the rooms: one for each organization that somebody is looking at.
type Hub struct {
	source Source
	logger *slog.Logger
	relay  *outbox

	mu     sync.Mutex
	rooms  map[uuid.UUID]*room
	count  int
	closed bool
	done   chan struct{}
}

// New makes a hub. Close ends its streams.
func New(source Source, logger *slog.Logger) *Hub {
	return &Hub{source: source, logger: logger, relay: newOutbox(), rooms: map[uuid.UUID]*room{}, done: make(chan struct{})}
}

// Publish hints that something of the organization was committed. It never blocks and may be called
// as often as one likes.
func (h *Hub) Publish(orgID uuid.UUID) {
	h.wake(orgID)
	h.relay.add(orgID)
}

func (h *Hub) wake(orgID uuid.UUID) {
	h.mu.Lock()
	defer h.mu.Unlock()
	if room, ok := h.rooms[orgID]; ok {
		room.wake()
	}
}

func (h *Hub) wakeAll() {
	h.mu.Lock()
	defer h.mu.Unlock()
	for _, room := range h.rooms {
		room.wake()
	}
}

// Close ends every stream and refuses new ones; browsers come back to another replica.
func (h *Hub) Close() {
	h.mu.Lock()
	defer h.mu.Unlock()
	if !h.closed {
		h.closed = true
		close(h.done)
	}
}

// join opens the organization's room when it is the first; ok is false when the hub is closed or
// full. The subscriber leaves by calling leave.
func (h *Hub) join(orgID uuid.UUID) (*room, *subscriber, bool) {
	h.mu.Lock()
	defer h.mu.Unlock()
	if h.closed || h.count >= maxStreams {
		return nil, nil, false
	}
	h.count++
	place, ok := h.rooms[orgID]
	if !ok {
		place = newRoom(h, orgID)
		h.rooms[orgID] = place
		go place.run()
	}
	return place, place.enter(), true
}

func (h *Hub) leave(place *room, who *subscriber) {
	h.mu.Lock()
	defer h.mu.Unlock()
	h.count--
	if place.exit(who) == 0 {
		delete(h.rooms, place.orgID)
		place.stop()
	}
}
