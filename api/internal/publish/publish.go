// Package publish tells webhook subscriptions what happens. It stands beside the page path: pages
// write nothing for it, and it shares no queue, connection or sender with them.
//
//  1. Find how far the feed (timeline_event) has settled (settle.go), and add to it which services
//     are better or worse since (health.go).
//  2. Make deliveries of what each subscription lets through, and move its cursor, in one
//     transaction (this file).
//  3. Claim deliveries that are due, organizations in turns, and send them (send.go).
//  4. Record what came of each (send.go). A receiver that does not answer is left alone for a while,
//     and then tried with one event at a time, so that it takes no room from others of its
//     organization. Who fails for three days or answers 410 is disabled, and the owners are mailed
//     (notice.go).
//
// Step 1 is needed because a transaction takes its seq long before its rows are visible: rows of a
// smaller seq may appear after those of a larger one, which a cursor at the largest would pass by.
// Whoever has a seq up to the largest that was taken got the lock of writing before, and holds it
// until its rows are visible; writers that begin later take larger ones and are not waited for.
//
// An event is delivered at least once: a crash between 3 and 4 makes one extra copy, with the same
// webhook-id.
package publish

import (
	"context"
	"errors"
	"log/slog"
	"sync"
	"time"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"

	"github.com/nightbell/nightbell/api/internal/kernel/idle"
	"github.com/nightbell/nightbell/api/internal/notify"
	"github.com/nightbell/nightbell/api/internal/platform/failpoint"
	"github.com/nightbell/nightbell/api/internal/platform/postgres"
	"github.com/nightbell/nightbell/api/internal/subscription"
	"github.com/nightbell/nightbell/api/internal/subscription/subscriptiondb"
)

const (
	// filledAtOnce subscriptions with entriesAtOnce entries each bound one transaction.
	filledAtOnce  = 20
	entriesAtOnce = 200
	// restsFor is how many sweeps are left out while there is no subscription: an installation
	// without any pays for none.
	restsFor = 9
	// sweepTimeout is how long one sweep may wait for the database.
	sweepTimeout = 10 * time.Second
)

// Post hands a message to its receiver and gives the HTTP status, 0 when there was no answer. The
// error says in words what went wrong, without the address; notify.RetryAfter tells what a receiver
// asked for.
type Post func(ctx context.Context, m subscription.Message) (status int, err error)

// Opener opens sealed secrets; secret.Box is one.
type Opener interface {
	Open(sealed []byte, place string) ([]byte, error)
}

// Options are what a Publisher needs besides the database.
type Options struct {
	Logger *slog.Logger
	Opener Opener
	Post   Post
	// Timeout is how long a receiver may take: less than subscriptiondb.Lease.
	Timeout time.Duration
	// Mail reaches the owners of a subscription that was disabled.
	Mail notify.NoticeChannel
	// VerifyMail is set where mail leaves the installation: only confirmed addresses get it.
	VerifyMail bool
	// PublicURL is where people reach this installation, without a slash at the end.
	PublicURL string
	// Freed is told that a send ended, so that there is room for another.
	Freed func()
}

// Publisher follows the feed and delivers. Any number of replicas may run one.
type Publisher struct {
	db      *postgres.DB
	options Options

	// horizon, last and healthLooked belong to Sweep, which runs once at a time.
	horizon horizon
	last    uuid.UUID
	// healthLooked is how far each feed was looked at for changes of health.
	healthLooked map[uuid.UUID]int64
	rest         idle.Rest

	sends sync.WaitGroup
	mu    sync.Mutex
	// underWay counts the sends of each organization and subscription.
	orgs, subscriptions map[uuid.UUID]int
	all                 int
	closed              bool
	aborted             chan struct{}

	// interrupted stands for a crash at a moment; tests set it.
	interrupted func(moment string) bool
}

// New makes a publisher. Its loop calls Sweep.
func New(db *postgres.DB, options Options) *Publisher {
	return &Publisher{
		db: db, options: options, orgs: map[uuid.UUID]int{}, subscriptions: map[uuid.UUID]int{}, aborted: make(chan struct{}),
		interrupted: func(moment string) bool { failpoint.At(moment, ""); return false },
	}
}

// Wake says that somebody subscribed: the next sweep does not rest.
func (p *Publisher) Wake() { p.rest.Wake() }

// Sweep makes deliveries of what has settled in the feed and begins to send what is due. It
// reports whether there is more at once.
func (p *Publisher) Sweep(ctx context.Context) (again bool, err error) {
	if p.rest.Skip() {
		return false, nil
	}
	// What is claimed must be sent: a stop that broke off a claim after its commit would leave the
	// delivery waiting for the end of its lease.
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), sweepTimeout)
	defer cancel()
	more, anybody, err := p.fill(ctx)
	if err != nil {
		return false, err
	}
	if !anybody {
		p.rest.Begin(restsFor)
		return false, nil
	}
	if p.interrupted("webhooks_filled") {
		return false, nil
	}
	again, err = p.sendDue(ctx)
	return again || more, err
}

// fill makes deliveries of the feed. Anybody is false when nobody is to be told anything.
func (p *Publisher) fill(ctx context.Context) (more, anybody bool, err error) {
	next := p.horizon
	var last uuid.UUID
	var looked map[uuid.UUID]int64
	err = p.db.InSystem(ctx, postgres.Webhooks, func(ctx context.Context, tx pgx.Tx) (err error) {
		more, next, last = false, p.horizon, p.last
		if anybody, err = subscriptiondb.AnyEnabled(ctx, tx); err != nil || !anybody {
			return err
		}
		if err := next.look(ctx, tx); err != nil {
			return err
		}
		now, err := postgres.Now(ctx, tx)
		if err != nil {
			return err
		}
		if looked, err = p.noteHealth(ctx, tx, next.settled, now); err != nil {
			return err
		}
		behind, err := subscriptiondb.LockBehind(ctx, tx, next.settled, p.last, filledAtOnce)
		if err != nil {
			return err
		}
		more = len(behind) == filledAtOnce
		for _, one := range behind {
			last = one.ID
			full, err := p.fillOne(ctx, tx, one, next.settled, now)
			if err != nil {
				return err
			}
			more = more || full
		}
		return nil
	})
	if err == nil {
		p.horizon, p.last, p.healthLooked = next, last, looked
	}
	return more, anybody, err
}

// fillOne makes deliveries of the next entries for one subscription. Full reports whether there may
// be more of them.
func (p *Publisher) fillOne(ctx context.Context, tx pgx.Tx, b subscriptiondb.Behind, settled int64, now time.Time) (full bool, err error) {
	entries, err := subscriptiondb.Entries(ctx, tx, b.OrgID, b.Cursor, settled, entriesAtOnce)
	if err != nil || len(entries) == 0 {
		return false, err
	}
	var events []subscriptiondb.Event
	for _, entry := range entries {
		eventType, wanted := b.Match(entry)
		if !wanted {
			continue
		}
		payload, err := subscription.Payload(eventType, entry, p.options.PublicURL)
		if err != nil {
			return false, err
		}
		events = append(events, subscriptiondb.Event{ID: entry.ID, Seq: entry.Seq, Type: eventType, Payload: payload})
	}
	return len(entries) == entriesAtOnce, subscriptiondb.Fill(ctx, tx, b, events, entries[len(entries)-1].Seq, now)
}

// Wait waits for the sends under way.
func (p *Publisher) Wait() { p.sends.Wait() }

// Close claims nothing more and waits for the sends under way. When ctx ends first it breaks them
// off, which leaves them to be tried again.
func (p *Publisher) Close(ctx context.Context) error {
	p.mu.Lock()
	already := p.closed
	p.closed = true
	p.mu.Unlock()
	if already {
		return errors.New("the publisher is closed already")
	}
	done := make(chan struct{})
	go func() { p.sends.Wait(); close(done) }()
	select {
	case <-done:
		return nil
	case <-ctx.Done():
		close(p.aborted)
		<-done
		return ctx.Err()
	}
}

// ReleaseLeases makes due again what this installation was sending when it stopped. Call it before
// the first Sweep, and only where no other process uses the database.
func ReleaseLeases(ctx context.Context, db *postgres.DB) error {
	return db.InSystem(ctx, postgres.Webhooks, func(ctx context.Context, tx pgx.Tx) error {
		now, err := postgres.Now(ctx, tx)
		if err != nil {
			return err
		}
		_, err = subscriptiondb.ReleaseLeases(ctx, tx, now)
		return err
	})
}
