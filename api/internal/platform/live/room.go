package live

import (
	"context"
	"sync"
	"time"

	"github.com/google/uuid"
)

// room is one organization that somebody is looking at. It reads the feed once for all of them.
type room struct {
	hub   *Hub
	orgID uuid.UUID
	hint  chan struct{}
	// opened is closed once the room knows where the feed stands.
	opened chan struct{}
	ctx    context.Context
	stop   context.CancelFunc

	mu          sync.Mutex
	subscribers map[*subscriber]struct{}
	// newest is the largest Seq seen; known are those above the settled mark.
	newest int64
	known  map[int64]struct{}
	// marks remember where newest stood, to know what has had time to settle.
	marks []mark
}

type mark struct {
	at     time.Time
	newest int64
}

func newRoom(hub *Hub, orgID uuid.UUID) *room {
	ctx, stop := context.WithCancel(context.Background()) // a room outlives the request that opened it
	return &room{
		hub: hub, orgID: orgID, ctx: ctx, stop: stop,
		hint: make(chan struct{}, 1), opened: make(chan struct{}),
		subscribers: map[*subscriber]struct{}{}, known: map[int64]struct{}{},
	}
}

func (r *room) wake() {
	select {
	case r.hint <- struct{}{}:
	default:
	}
}

func (r *room) enter() *subscriber {
	r.mu.Lock()
	defer r.mu.Unlock()
	who := newSubscriber()
	r.subscribers[who] = struct{}{}
	return who
}

func (r *room) size() int {
	r.mu.Lock()
	defer r.mu.Unlock()
	return len(r.subscribers)
}

func (r *room) exit(who *subscriber) (left int) {
	r.mu.Lock()
	defer r.mu.Unlock()
	delete(r.subscribers, who)
	return len(r.subscribers)
}

// run looks after every hint, but not more often than coalesce allows, and slowly without any.
func (r *room) run() {
	if !r.open() {
		return
	}
	slow := time.NewTicker(slowLook)
	defer slow.Stop()
	for {
		reach := r.near
		select {
		case <-r.ctx.Done():
			return
		case <-r.hint:
		case <-slow.C:
			reach = r.settled
		}
		if err := r.look(reach()); err != nil && r.ctx.Err() == nil {
			r.hub.logger.WarnContext(r.ctx, "the live feed cannot be read; trying again", "org_id", r.orgID, "error", err)
		}
		if !r.rest(coalesce) {
			return
		}
	}
}

// open finds out where the feed stands, for as long as it takes; false when everybody left.
func (r *room) open() bool {
	for wait := coalesce; ; wait = min(2*wait, slowLook) {
		err := r.start()
		if err == nil {
			close(r.opened)
			return true
		}
		if r.ctx.Err() == nil {
			r.hub.logger.WarnContext(r.ctx, "the live feed cannot be opened; trying again", "org_id", r.orgID, "error", err)
		}
		if !r.rest(wait) {
			return false
		}
	}
}

// start takes what is visible now as known, so that only what comes later is told.
func (r *room) start() error {
	newest, err := r.hub.source.Newest(r.ctx, r.orgID)
	if err != nil {
		return err
	}
	events, err := r.hub.source.Read(r.ctx, r.orgID, newest-nearby, readAtOnce)
	if err != nil {
		return err
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	r.newest = newest
	r.marks = []mark{{time.Now(), newest}}
	for _, event := range events {
		r.learn(event.Seq)
	}
	return nil
}

func (r *room) rest(wait time.Duration) bool {
	select {
	case <-r.ctx.Done():
		return false
	case <-time.After(wait):
		return true
	}
}

// near is where a look after a hint begins: cheap, and enough for almost everything.
func (r *room) near() int64 {
	r.mu.Lock()
	defer r.mu.Unlock()
	return max(r.newest-nearby, r.floor())
}

// settled is where the slow look begins: at what was newest so long ago that no transaction from
// before is still open.
func (r *room) settled() int64 {
	r.mu.Lock()
	defer r.mu.Unlock()
	now := time.Now()
	r.marks = append(r.marks, mark{now, r.newest})
	for len(r.marks) > 1 && now.Sub(r.marks[1].at) >= settling {
		r.marks = r.marks[1:]
	}
	r.forget()
	return r.floor()
}

// floor is the lowest Seq, exclusive, whose events are remembered.
func (r *room) floor() int64 { return min(r.marks[0].newest, r.newest) - nearby }

func (r *room) forget() {
	floor := r.floor()
	for seq := range r.known {
		if seq <= floor {
			delete(r.known, seq)
		}
	}
}

// look tells everybody what was not known before.
func (r *room) look(after int64) error {
	for {
		events, err := r.hub.source.Read(r.ctx, r.orgID, after, readAtOnce)
		if err != nil {
			return err
		}
		r.tell(events)
		if len(events) < readAtOnce {
			return nil
		}
		after = events[len(events)-1].Seq
	}
}

func (r *room) tell(events []Event) {
	r.mu.Lock()
	defer r.mu.Unlock()
	for _, event := range events {
		if !r.learn(event.Seq) {
			continue
		}
		for who := range r.subscribers {
			who.push(event)
		}
	}
}

// learn remembers an event; false when it was known.
func (r *room) learn(seq int64) bool {
	if _, ok := r.known[seq]; ok {
		return false
	}
	r.known[seq] = struct{}{}
	r.newest = max(r.newest, seq)
	return true
}

// newestSeq is the newest Seq that was told.
func (r *room) newestSeq() int64 {
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.newest
}
