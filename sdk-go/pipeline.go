package nightbell

import (
	"encoding/json"
	"maps"
	"slices"
	"sync"
	"time"
)

// Reasons for which something was not delivered.
const (
	dropQueueFull  = "queue_full"
	dropRejected   = "rejected"
	dropExpired    = "expired"
	dropBeforeSend = "before_send"
	dropClosed     = "closed"
	dropInternal   = "internal"
)

// enqueueEvent queues an event that is built later, on the worker's goroutine.
func (c *Client) enqueueEvent(e *Event, i *item) {
	i.kind, i.id, i.path, i.event = kindEvent, e.ID, pathEvents, e
	i.weight, i.urgent = e.Severity.weight(), e.Severity == Critical
	i.size = 1024 + len(e.Title) + len(e.Description) + 64*len(e.Tags) + 256*len(e.Metadata)
	if e.Error != nil {
		i.size += 256*len(e.Error.Exceptions) + 128*len(e.Error.Breadcrumbs)
	}
	c.enqueue(i)
}

// enqueue reports whether the item waits now.
func (c *Client) enqueue(i *item) bool {
	if i.queuedAt.IsZero() {
		i.queuedAt = time.Now()
	}
	if c.gate.off() {
		c.drop(dropRejected, i)
		return false
	}
	if c.isClosed() {
		c.keep(dropClosed, []*item{i})
		return false
	}
	for _, lost := range c.queue.add(i) {
		c.drop(dropQueueFull, lost)
		if lost == i {
			return false
		}
	}
	c.lanes[laneOf(i.urgent)].stir()
	return true
}

// build makes the final body of an item on the worker. It reports whether there is
// something to send.
func (c *Client) build(i *item) bool {
	if i.body != nil || i.sample != nil {
		return true
	}
	e := i.event
	if e.Count < 2 {
		e.Count = 0
	}
	if len(i.stack) > 0 && e.Error != nil && len(e.Error.Exceptions) > 0 {
		e.Error.Exceptions[0].Frames = framesOf(i.stack, i.panicked)
	}
	body, err := c.seal(e)
	if err != nil {
		reason := dropInternal
		if err == error(errDropped) { //nolint:errorlint // it is never wrapped
			reason = dropBeforeSend
		}
		c.drop(reason, i)
		return false
	}
	i.body, i.event, i.stack = body, nil, nil
	return true
}

var errDropped = &APIError{Kind: ErrDropped}

// seal adds what every event has, asks BeforeSend, redacts, limits and encodes.
func (c *Client) seal(e *Event) ([]byte, error) {
	id := e.ID
	if e.Error != nil {
		if e.Error.Fingerprint == "" {
			e.Error.Fingerprint, _ = fingerprint(c.environment, e.Error.Exceptions)
		}
		if e.Title == "" {
			e.Title = errorTitle(e.Error.Exceptions)
		}
	}
	if e.Environment == "" {
		e.Environment = c.environment
	}
	if e.Source == "" {
		e.Source = c.serverName
	}
	if e.Release == "" {
		e.Release = c.release
	}
	if e = c.askBeforeSend(e); e == nil {
		return nil, errDropped
	}
	e.ID = id // retries and the queue know the event by it
	e.Metadata = snapshot(e.Metadata)
	c.redactor.event(e)
	return limit(e)
}

// askBeforeSend gives the program the last word. If it panics, the event goes as it was.
func (c *Client) askBeforeSend(e *Event) (kept *Event) {
	if c.beforeSend == nil {
		return e
	}
	before := *e
	before.Tags, before.Metadata = maps.Clone(e.Tags), maps.Clone(e.Metadata)
	defer func() {
		if fault := recover(); fault != nil {
			c.log.warn("before_send", "nightbell: BeforeSend panicked; the event was sent as it was", "fault", fault)
			kept = &before
		}
	}()
	return c.beforeSend(e)
}

// noted warns, counts and closes the gate after a verdict.
func (c *Client) noted(r request, v verdict) {
	c.counters.sentOne()
	if v.err == nil {
		c.gate.accepted()
		if c.debug {
			c.log.out().Info("nightbell delivered", "path", r.path, "events", max(len(r.ids), 1))
		}
		return
	}
	switch {
	case v.outcome == disabled:
		c.gate.closed.Store(true)
		c.log.warn("disabled", "nightbell: the server told this program to stop sending")
	case v.pause:
		c.gate.refused(time.Now())
		c.log.warn("auth", "nightbell: the key was refused, sending pauses", "error", v.err.Error(), "key", mask(c.credential()))
	case v.outcome == tryAgain:
		c.counters.retriedOne()
		if c.debug {
			c.log.warn("retry", "nightbell: sending failed and is tried again", "error", v.err.Error())
		}
	}
}

func (c *Client) delivered(i *item) {
	c.counters.deliveredOne()
	i.spooled.done()
}

// drop counts what is lost, and says so without debug too.
func (c *Client) drop(reason string, items ...*item) {
	if len(items) == 0 {
		return
	}
	c.counters.dropped(reason, len(items))
	c.log.warn("drop_"+reason, "nightbell dropped events", "reason", reason, "count", len(items))
	for _, i := range items {
		i.spooled.done()
	}
}

// giveUp spools an item, or drops it.
func (c *Client) giveUp(reason string, i *item) { c.keep(reason, []*item{i}) }

// keep writes items to the spool and drops what it does not take.
func (c *Client) keep(reason string, items []*item) {
	var lines []*item
	for _, i := range items {
		switch {
		case c.spool == nil || i.kind == kindPing:
			c.drop(reason, i)
		case c.build(i):
			if i.body == nil {
				i.body = sampleBody([]*item{i})
			}
			lines = append(lines, i)
		}
	}
	if len(lines) == 0 {
		return
	}
	refused, err := c.spool.write(lines, time.Now())
	if err != nil {
		c.log.warn("spool", "nightbell cannot write its spool", "error", err.Error())
	}
	c.drop(reason, refused...)
	for _, i := range lines {
		if !slices.Contains(refused, i) {
			i.spooled.done()
		}
	}
}

// deliverSpool queues what earlier processes left.
func (c *Client) deliverSpool() {
	for _, i := range c.spool.claim(time.Now()) {
		if !json.Valid(i.body) {
			c.drop(dropInternal, i)
			continue
		}
		c.enqueue(i)
	}
}

// Stats are counts since the client was made.
type Stats struct {
	Pending   int            // waiting or under way
	Requests  int            // made
	Retries   int            // of requests that failed
	Delivered int            // events, changes and samples
	Dropped   map[string]int // by reason: queue_full, rejected, expired, before_send, closed, internal
}

// Stats tells what became of everything so far.
func (c *Client) Stats() Stats {
	if c == nil {
		return Stats{}
	}
	s := c.counters.stats()
	s.Pending = c.queue.pending()
	return s
}

type counters struct {
	mu    sync.Mutex
	total Stats
}

type sums struct{ delivered, dropped int }

func (n *counters) count(change func(*Stats)) {
	n.mu.Lock()
	defer n.mu.Unlock()
	change(&n.total)
}

func (n *counters) sentOne()      { n.count(func(s *Stats) { s.Requests++ }) }
func (n *counters) retriedOne()   { n.count(func(s *Stats) { s.Retries++ }) }
func (n *counters) deliveredOne() { n.count(func(s *Stats) { s.Delivered++ }) }

func (n *counters) dropped(reason string, count int) {
	n.count(func(s *Stats) {
		if s.Dropped == nil {
			s.Dropped = map[string]int{}
		}
		s.Dropped[reason] += count
	})
}

func (n *counters) stats() (s Stats) {
	n.count(func(total *Stats) {
		s = *total
		s.Dropped = maps.Clone(total.Dropped)
	})
	return s
}

func (n *counters) sums() sums {
	s := n.stats()
	dropped := 0
	for _, count := range s.Dropped {
		dropped += count
	}
	return sums{s.Delivered, dropped}
}
