package live

import (
	"context"
	"strings"
	"sync"
	"time"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"

	"github.com/nightbell/nightbell/api/internal/kernel/id"
)

// channel is the PostgreSQL channel between replicas.
const channel = "nightbell_live"

// everyone stands for more organizations than fit into a notification (8,000 bytes).
const (
	everyone  = "*"
	maxListed = 150
)

// Listen makes what is published here wake the rooms of all replicas until ctx ends; without it or the database, rooms
// look every two seconds. It owns connect's connections. notify runs pg_notify(channel, payload) outside any
// transaction that matters, because NOTIFY takes a lock that all committers share, and at most every 50 ms.
func (h *Hub) Listen(ctx context.Context, connect func(context.Context) (*pgx.Conn, error), notify func(ctx context.Context, channel, payload string) error) {
	var sending sync.WaitGroup
	self := id.New().String()
	sending.Go(func() { h.send(ctx, self, notify) })
	defer sending.Wait()
	for wait := coalesce; ctx.Err() == nil; wait = min(2*wait, slowLook) {
		began := time.Now()
		err := h.receive(ctx, self, connect)
		if ctx.Err() != nil {
			return
		}
		h.logger.WarnContext(ctx, "the connection between replicas broke; connecting again", "error", err)
		if time.Since(began) > slowLook {
			wait = coalesce
		}
		select {
		case <-ctx.Done():
		case <-time.After(wait):
		}
	}
}

// receive wakes rooms until the connection breaks.
func (h *Hub) receive(ctx context.Context, self string, connect func(context.Context) (*pgx.Conn, error)) error {
	conn, err := connect(ctx)
	if err != nil {
		return err
	}
	defer func() {
		closing, cancel := context.WithTimeout(context.WithoutCancel(ctx), time.Second)
		defer cancel()
		_ = conn.Close(closing)
	}()
	if _, err := conn.Exec(ctx, "LISTEN "+channel); err != nil {
		return err
	}
	h.wakeAll() // for what was said while nobody listened
	for {
		notification, err := conn.WaitForNotification(ctx)
		if err != nil {
			return err
		}
		h.hear(self, notification.Payload)
	}
}

// hear reads "<replica> <organization>,<organization>".
func (h *Hub) hear(self, payload string) {
	from, list, _ := strings.Cut(payload, " ")
	switch {
	case from == self:
		return
	case list == everyone:
		h.wakeAll()
		return
	}
	for text := range strings.SplitSeq(list, ",") {
		if orgID, ok := id.Parse(text); ok {
			h.wake(orgID)
		}
	}
}

// send tells the other replicas what was published here. A notification that fails is not repeated:
// they look by themselves.
func (h *Hub) send(ctx context.Context, self string, notify func(ctx context.Context, channel, payload string) error) {
	for {
		select {
		case <-ctx.Done():
			return
		case <-h.relay.ready:
		}
		if err := notify(ctx, channel, self+" "+h.relay.take()); err != nil && ctx.Err() == nil {
			h.logger.WarnContext(ctx, "the other replicas were not told", "error", err)
		}
		select {
		case <-ctx.Done():
		case <-time.After(coalesce):
		}
	}
}

// outbox collects the organizations to tell the other replicas about.
type outbox struct {
	ready chan struct{}
	mu    sync.Mutex
	orgs  map[uuid.UUID]struct{}
}

func newOutbox() *outbox {
	return &outbox{ready: make(chan struct{}, 1), orgs: map[uuid.UUID]struct{}{}}
}

func (o *outbox) add(orgID uuid.UUID) {
	o.mu.Lock()
	if len(o.orgs) <= maxListed { // one more than is listed already stands for all
		o.orgs[orgID] = struct{}{}
	}
	o.mu.Unlock()
	select {
	case o.ready <- struct{}{}:
	default:
	}
}

// take empties the outbox into the list of a notification.
func (o *outbox) take() string {
	o.mu.Lock()
	defer o.mu.Unlock()
	orgs := o.orgs
	o.orgs = map[uuid.UUID]struct{}{}
	if len(orgs) > maxListed {
		return everyone
	}
	list := make([]string, 0, len(orgs))
	for orgID := range orgs {
		list = append(list, orgID.String())
	}
	return strings.Join(list, ",")
}
