package nightbell

import (
	"bytes"
	"context"
	"math/rand/v2"
	"net/http"
	"sync"
	"time"
)

// lane is one worker: it takes what is due, sends it and decides what becomes of it.
// There are two, so that a critical event never waits behind a batch.
type lane struct {
	c      *Client
	urgent bool
	wake   chan struct{}
	start  sync.Once

	quietUntil time.Time // after a failure that is not the fault of what was sent
}

func newLane(c *Client, urgent bool) *lane {
	return &lane{c: c, urgent: urgent, wake: make(chan struct{}, 1)}
}

// stir wakes the worker, and starts it at the first event.
func (l *lane) stir() {
	l.start.Do(func() { l.c.goroutine(l.run) })
	select {
	case l.wake <- struct{}{}:
	default:
	}
}

func (l *lane) run(ctx context.Context) {
	for ctx.Err() == nil {
		now := time.Now()
		var batch []*item
		wait := max(l.quietUntil.Sub(now), l.c.gate.wait(now))
		if wait <= 0 {
			batch, wait = l.c.queue.take(l.urgent, l.c.hurry.Load() > 0, now)
		}
		if batch != nil {
			l.deliver(ctx, batch)
			continue
		}
		var due <-chan time.Time // without a wait there is only the next event
		if wait > 0 {
			due = time.After(wait)
		}
		select {
		case <-ctx.Done():
		case <-l.wake:
		case <-due:
		}
	}
}

// deliver sends one batch once. Nothing that happens here reaches the program.
func (l *lane) deliver(ctx context.Context, batch []*item) {
	defer func() {
		if fault := recover(); fault != nil {
			l.c.drop(dropInternal, batch...)
			l.c.queue.finished(len(batch))
		}
	}()
	// 1. Build the bodies; some events end here.
	built := batch[:0:0]
	for _, i := range batch {
		if l.c.build(i) {
			built = append(built, i)
		}
	}
	l.c.queue.finished(len(batch) - len(built))
	if batch = built; len(batch) == 0 {
		return
	}
	// 2. One try.
	now := time.Now()
	r := requestOf(batch)
	for _, i := range batch {
		if i.firstTry.IsZero() {
			i.firstTry = now
		}
		i.attempts++
	}
	a := l.c.transport.send(ctx, r, batch[0].attempts)
	v := judge(r.kind, r.ids, a, time.Now())
	l.c.noted(r, v)
	// 3. What becomes of each.
	if v.outcome == split || (v.outcome == tryAgain && batch[0].attempts > 2) {
		// In halves an event that the server cannot stand is soon alone.
		for _, i := range batch {
			i.company = max(len(batch)/2, 1)
		}
	}
	if v.outcome == tryAgain && a.status != http.StatusInternalServerError { // not the fault of what was sent
		delay, _ := background(batch[0].attempts-1, v.wish, 0, rand.Float64())
		l.quietUntil = time.Now().Add(delay)
	}
	l.settle(batch, v)
}

// settle finishes each item, or puts it back for another try.
func (l *lane) settle(batch []*item, v verdict) {
	var again []*item
	for n, i := range batch {
		own := v
		if v.items != nil {
			own = v.items[n]
		}
		switch own.outcome {
		case delivered:
			l.c.delivered(i)
			l.c.queue.finished(1)
		case split:
			again = append(again, i)
		case tryAgain:
			delay, ok := background(i.attempts-1, own.wish, time.Since(i.firstTry), rand.Float64())
			if !ok {
				l.c.giveUp(dropExpired, i)
				l.c.queue.finished(1)
				continue
			}
			if l.quietUntil.After(time.Now()) {
				delay = 0 // the whole lane waits
			}
			i.notBefore = time.Now().Add(delay)
			again = append(again, i)
		case rejected, disabled:
			l.c.drop(dropRejected, i)
			l.c.queue.finished(1)
		}
	}
	l.c.queue.putBack(l.urgent, again)
}

// requestOf makes one request of items that go together.
func requestOf(batch []*item) request {
	first := batch[0]
	if first.kind == kindSample {
		return request{kind: kindSample, path: first.path, body: sampleBody(batch)}
	}
	if len(batch) == 1 {
		return request{kind: first.kind, path: first.path, id: first.id, ids: []string{first.id}, body: first.body}
	}
	var b bytes.Buffer
	b.WriteString(`{"events":[`)
	ids := make([]string, len(batch))
	for n, i := range batch {
		if n > 0 {
			b.WriteByte(',')
		}
		b.Write(i.body)
		ids[n] = i.id
	}
	b.WriteString(`]}`)
	return request{kind: kindBatch, path: pathEvents + "/batch", ids: ids, body: b.Bytes()}
}
