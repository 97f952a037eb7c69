// Package live tells every open screen what happened, as server-sent events.
//
// The feed is a table that only grows, and is read again after each hint that something was
// committed. A hint may be late, doubled or lost: rooms look by themselves every two seconds. So
// nothing here takes part in a transaction, and no page depends on it.
//
// What a client reads (serve.go):
//
//	id: 41            id: 42                          event: resync
//	event: hello      event: incident.acknowledged    data: {"seq":97}
//	data: {"seq":41}  data: {...}
//
// hello comes first and says after which event the stream is complete: the one of Last-Event-ID (or
// ?last_event_id=), or without it the newest. resync, perhaps in place of hello, means that events
// were left out: load everything again. What another transaction committed late during a break is
// not repeated, so whoever reconnects should load again as well.
package live

import (
	"context"
	"log/slog"
	"sync"
	"time"

	"github.com/google/uuid"

	"github.com/nightbell/nightbell/api/internal/kernel/fault"
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
	// maxPerCaller is enough for every tab of a person, and for a program that reconnects.
	maxPerCaller = 20
)

// DefaultPerOrg is how many streams of one organization a process holds open.
const DefaultPerOrg = 500

// Hub knows the rooms: one for each organization that somebody is looking at.
type Hub struct {
	// PerOrg bounds the streams of one organization; set it before the first Serve.
	PerOrg int

	source Source
	logger *slog.Logger
	relay  *outbox

	mu    sync.Mutex
	rooms map[uuid.UUID]*room
	count int
	// callers counts the open streams of each.
	callers map[uuid.UUID]int
	closed  bool
	done    chan struct{}
}

// New makes a hub. Close ends its streams.
func New(source Source, logger *slog.Logger) *Hub {
	return &Hub{
		PerOrg: DefaultPerOrg, source: source, logger: logger, relay: newOutbox(),
		rooms: map[uuid.UUID]*room{}, callers: map[uuid.UUID]int{}, done: make(chan struct{}),
	}
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

var (
	errFull    = fault.New(fault.Unavailable, "stream_unavailable", "No more live streams can be opened here now. Try again.").After(2)
	errNotOpen = fault.New(fault.Unavailable, "stream_unavailable", "The live stream cannot be opened now. Try again.").After(2)
	errMany    = fault.New(fault.Limited, "too_many_streams",
		"You have too many live screens open. Close some; the others go on.").After(15)
	errManyOfOrg = fault.New(fault.Limited, "too_many_streams",
		"Your organization has too many live screens open. Close some; the others go on.").After(15)
)

// join opens the organization's room when it is the first. It refuses when the hub is closed or
// full, and when the caller or the organization has too many streams. The subscriber leaves by
// calling leave.
func (h *Hub) join(orgID, callerID uuid.UUID) (*room, *subscriber, error) {
	h.mu.Lock()
	defer h.mu.Unlock()
	place, ok := h.rooms[orgID]
	switch {
	case h.closed || h.count >= maxStreams:
		return nil, nil, errFull
	case h.callers[callerID] >= maxPerCaller:
		return nil, nil, errMany
	case ok && place.size() >= h.PerOrg:
		return nil, nil, errManyOfOrg
	}
	h.count++
	h.callers[callerID]++
	if !ok {
		place = newRoom(h, orgID)
		h.rooms[orgID] = place
		go place.run()
	}
	return place, place.enter(), nil
}

func (h *Hub) leave(place *room, who *subscriber, callerID uuid.UUID) {
	h.mu.Lock()
	defer h.mu.Unlock()
	h.count--
	if h.callers[callerID]--; h.callers[callerID] == 0 {
		delete(h.callers, callerID)
	}
	if place.exit(who) == 0 {
		delete(h.rooms, place.orgID)
		place.stop()
	}
}
