package nightbell

import (
	"slices"
	"sync"
	"time"
)

const (
	maxQueueBytes = 4 << 20
	maxBatch      = 100
	maxBatchBytes = 256 << 10
	linger        = time.Second
)

// item is one thing that waits to be sent.
type item struct {
	kind     kind
	id       string
	path     string
	body     []byte // final, once it was built: every try sends the same bytes
	event    *Event
	stack    []uintptr // of a captured error, turned into frames when it is built
	panicked bool
	sample   *sample
	urgent   bool
	weight   int // of the severity: the lightest is dropped first
	size     int
	merge    uint64 // equal errors that wait become one with a count; 0 never

	queuedAt  time.Time
	firstTry  time.Time
	notBefore time.Time
	attempts  int
	company   int        // most events to send it with, after failures; 0: no limit of its own
	spooled   *spoolFile // where it also lies on disk
}

func (i *item) occurrences() int {
	if i.event != nil && i.event.Count > 1 {
		return i.event.Count
	}
	return 1
}

// queue holds what waits, bounded by number and bytes, in two lanes: what is
// critical never waits behind a batch that gets no answer.
type queue struct {
	mu      sync.Mutex
	most    int
	lanes   [2][]*item
	merging map[uint64]*item
	bytes   int
	flying  int // taken by a lane and not finished
	idle    []chan struct{}
}

func newQueue(most int) *queue { return &queue{most: most, merging: map[uint64]*item{}} }

func laneOf(urgent bool) int {
	if urgent {
		return 1
	}
	return 0
}

// add puts an item in and returns what had to go for it: the oldest of the least
// severe, which may be the item itself.
func (q *queue) add(i *item) (dropped []*item) {
	q.mu.Lock()
	defer q.mu.Unlock()
	if i.merge != 0 {
		if same := q.merging[i.merge]; same != nil {
			same.event.Count = same.occurrences() + 1
			return nil
		}
	}
	for len(q.lanes[0])+len(q.lanes[1])+q.flying >= q.most || q.bytes+i.size > maxQueueBytes {
		lightest := q.lightest()
		if lightest == nil || lightest.weight > i.weight {
			return append(dropped, i)
		}
		q.remove(lightest)
		dropped = append(dropped, lightest)
	}
	if i.merge != 0 {
		i.event.Count = 1
		q.merging[i.merge] = i
	}
	q.bytes += i.size
	lane := laneOf(i.urgent)
	q.lanes[lane] = append(q.lanes[lane], i)
	return dropped
}

func (q *queue) lightest() *item {
	var found *item
	for _, lane := range q.lanes {
		for _, i := range lane {
			if found == nil || i.weight < found.weight {
				found = i
			}
		}
	}
	return found
}

func (q *queue) remove(i *item) {
	lane := &q.lanes[laneOf(i.urgent)]
	if at := slices.Index(*lane, i); at >= 0 {
		*lane = slices.Delete(*lane, at, at+1)
		q.forget(i)
	}
}

// forget is for an item that no longer waits: it takes no more occurrences.
func (q *queue) forget(i *item) {
	q.bytes -= i.size
	if i.merge != 0 && q.merging[i.merge] == i {
		delete(q.merging, i.merge)
	}
}

// take removes what can be sent together now, or says how long to wait (0: until
// something is added). hurry ignores the linger of a batch, not the delay of a retry.
func (q *queue) take(urgent, hurry bool, now time.Time) ([]*item, time.Duration) {
	q.mu.Lock()
	defer q.mu.Unlock()
	lane := &q.lanes[laneOf(urgent)]
	var batch []*item
	var wait time.Duration
	sooner := func(d time.Duration) {
		if wait == 0 || d < wait {
			wait = d
		}
	}
	most, size := 0, 0
	oldest := now
	for _, i := range *lane {
		if d := i.notBefore.Sub(now); d > 0 {
			sooner(d)
			continue
		}
		switch {
		case len(batch) == 0:
			most = batchLimit(i)
		case !together(batch[0], i) || len(batch) >= most || size+i.size > maxBatchBytes:
			continue
		}
		batch, size = append(batch, i), size+i.size
		if i.attempts == 0 && i.queuedAt.Before(oldest) {
			oldest = i.queuedAt
		}
	}
	if len(batch) == 0 {
		return nil, wait
	}
	ready := urgent || hurry || batch[0].kind == kindPing || len(batch) >= most || size >= maxBatchBytes/2 || batch[0].attempts > 0
	if rest := linger - now.Sub(oldest); !ready && rest > 0 {
		sooner(rest)
		return nil, wait
	}
	*lane = slices.DeleteFunc(*lane, func(i *item) bool { return slices.Contains(batch, i) })
	for _, i := range batch {
		q.forget(i)
	}
	q.flying += len(batch)
	return batch, 0
}

// batchLimit is how many may travel with an item.
func batchLimit(first *item) int {
	switch {
	case first.kind != kindEvent && first.kind != kindSample:
		return 1
	case first.company > 0:
		return first.company
	default:
		return maxBatch
	}
}

func together(a, b *item) bool {
	switch {
	case a.kind != b.kind:
		return false
	case a.kind == kindSample:
		return a.sample != nil && b.sample != nil && a.sample.Name == b.sample.Name && a.sample.Unit == b.sample.Unit
	default:
		return a.kind == kindEvent
	}
}

// putBack returns items to the front of their lane for another try.
func (q *queue) putBack(urgent bool, items []*item) {
	q.mu.Lock()
	defer q.mu.Unlock()
	q.flying -= len(items)
	for _, i := range items {
		i.merge = 0 // what was sent once does not change
		q.bytes += i.size
	}
	lane := &q.lanes[laneOf(urgent)]
	*lane = slices.Concat(items, *lane)
	q.tellIdle()
}

// finished says that these items need nothing more.
func (q *queue) finished(count int) {
	q.mu.Lock()
	defer q.mu.Unlock()
	q.flying -= count
	q.tellIdle()
}

func (q *queue) tellIdle() {
	if q.pendingLocked() > 0 {
		return
	}
	for _, waiting := range q.idle {
		close(waiting)
	}
	q.idle = nil
}

// whenIdle is closed as soon as nothing waits and nothing is under way.
func (q *queue) whenIdle() <-chan struct{} {
	q.mu.Lock()
	defer q.mu.Unlock()
	waiting := make(chan struct{})
	if q.pendingLocked() == 0 {
		close(waiting)
	} else {
		q.idle = append(q.idle, waiting)
	}
	return waiting
}

func (q *queue) pending() int {
	q.mu.Lock()
	defer q.mu.Unlock()
	return q.pendingLocked()
}

func (q *queue) pendingLocked() int { return len(q.lanes[0]) + len(q.lanes[1]) + q.flying }

// drain empties the queue, for the spool.
func (q *queue) drain() []*item {
	q.mu.Lock()
	defer q.mu.Unlock()
	items := slices.Concat(q.lanes[1], q.lanes[0])
	q.lanes = [2][]*item{}
	q.bytes = 0
	clear(q.merging)
	q.tellIdle()
	return items
}
