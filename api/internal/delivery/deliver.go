// Package delivery brings messages out: each channel has an outbox of its own.
//
//  1. Claim the pages that are due, bundled by contact, with a lease and a token; sends
//     are shared fairly by organization (this file, slots.go).
//  2. Look once more whether somebody has answered, and write the message (send.go,
//     message.go).
//  3. Hand it to the provider while the lease lasts; one that may take long has its lease
//     renewed (lease.go).
//  4. Record what came of it, if the lease is still held (result.go, contact.go).
//
// A page is sent at least once; a crash between 3 and 4 makes at most one extra copy.
package delivery

import (
	"context"
	"log/slog"
	"slices"
	"sync"
	"sync/atomic"
	"time"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"

	"github.com/nightbell/nightbell/api/internal/notify"
	"github.com/nightbell/nightbell/api/internal/notify/notifydb"
	"github.com/nightbell/nightbell/api/internal/platform/failpoint"
	"github.com/nightbell/nightbell/api/internal/platform/postgres"
)

const (
	// sendTimeout is how long a provider may take, other than a mail server. It ends, with
	// room to record the result, before the lease does. Who waits for longer is reached by
	// other means meanwhile.
	sendTimeout = 8 * time.Second
	// claimTimeout is how long one look for what is due may take.
	claimTimeout = 5 * time.Second
	// recordTimeout is how long the first try to record a result may take, longestRecord a
	// later one: each may take twice as long as the one before, so that a large result is not
	// rolled back for ever by a slow database.
	recordTimeout = 2 * time.Second
	longestRecord = time.Minute
)

// Opener opens sealed addresses and secrets; secret.Box is one.
type Opener interface {
	Open(sealed []byte, place string) ([]byte, error)
}

// Options are what an Outbox needs besides the database and its channel.
type Options struct {
	Logger *slog.Logger
	Opener Opener
	// PublicURL is where people reach this installation, without a slash at the end.
	PublicURL string
	// VerifyMail is set where mail leaves the installation: an e-mail address is paged only
	// once its owner has opened the link that was mailed to it.
	VerifyMail bool
	// AckKey signs acknowledge links.
	AckKey []byte
	// Changed is told the organization whose timeline grew.
	Changed func(orgID uuid.UUID)
	// Freed is told that a send ended, so that there is room for another.
	Freed func()
	// Moved is told that pages of any channel, or steps, became due in place of pages that
	// did not get through. Nil if nobody waits for it.
	Moved func()
	// IncidentsPerMinute is how many incidents of one organization may open before its pages
	// are bundled; zero is any number.
	IncidentsPerMinute int
	// Patience is how long the provider may take when a lease is too short for it: the
	// lease is renewed meanwhile. Zero if a few seconds are enough.
	Patience time.Duration
	// Lateness is told how long after it was due a page was first handed to the provider.
	Lateness func(channel string, lateness time.Duration)
	// Uptime is a clock that only measures; it finds out that the process was
	// suspended between the last look and the send. Nil means that it never is.
	Uptime func() time.Duration
}

// Outbox delivers by one channel: it claims due pages, bundles them by contact, hands each bundle to the provider and
// records the outcome. Each channel has its own, so that a slow provider delays no other; any number of replicas may
// run it. Delivery is at least once: a crash, or an answer that gets lost, makes at most one extra copy.
type Outbox struct {
	db      *postgres.DB
	kind    notify.Kind
	channel notify.Channel
	options Options

	// aborted is closed when Close ran out of patience.
	aborted chan struct{}
	sends   sync.WaitGroup

	// closing is set by Close.
	closing atomic.Bool

	mu     sync.Mutex
	closed bool
	// drained is closed when the last send has ended after Drain; nil before that.
	drained chan struct{}
	// sending are the sends under way, by delivery.
	sending map[uuid.UUID]*underWay
	// waitUntil names the contacts that must wait.
	waitUntil map[uuid.UUID]time.Time
	// recent are the latest messages to each contact, to see a flood.
	recent map[uuid.UUID][]time.Time
	// opened are how many incidents organizations had at times of the last minute.
	opened map[uuid.UUID][]openedBy
	// skipped are dead pages whose policy's next step is to follow with the next look: another transaction had
	// locked their incident, or they are many. A process that dies with them leaves the step its delay.
	skipped []notifydb.DuePage

	// claimLimit and recordLimit are claimTimeout and recordTimeout; tests of a slow database
	// set others.
	claimLimit, recordLimit time.Duration
	// renewEvery is how often leases are looked after once the loop that sweeps has ended; tests set another.
	renewEvery time.Duration
	// failedOverAt is when a look last went on to other contacts, or found nothing that waits;
	// only Sweep uses it.
	failedOverAt time.Time

	// interrupted stands for a crash at a moment of a delivery; tests set it.
	interrupted func(moment string) bool
}

// failOverGap is how long looks that claim leave out going on to other contacts, which is a
// transaction of its own: in a storm nearly every look claims.
const failOverGap = time.Second

// New makes the outbox of one channel. Its loop calls Sweep.
func New(db *postgres.DB, kind notify.Kind, channel notify.Channel, options Options) *Outbox {
	if options.Uptime == nil {
		options.Uptime = func() time.Duration { return 0 }
	}
	if options.Moved == nil {
		options.Moved = func() {}
	}
	return &Outbox{
		db: db, kind: kind, channel: channel, options: options, aborted: make(chan struct{}),
		sending: map[uuid.UUID]*underWay{}, waitUntil: map[uuid.UUID]time.Time{}, recent: map[uuid.UUID][]time.Time{}, opened: map[uuid.UUID][]openedBy{},
		claimLimit: claimTimeout, recordLimit: recordTimeout, renewEvery: time.Second,
		interrupted: func(moment string) bool { failpoint.At(moment, string(kind)); return false },
	}
}

// Sweep renews the leases of slow sends, claims what is due and begins to send it, without waiting for providers; then
// it goes on to other contacts where a page cannot be sent now. It reports whether more may be due at once. When all
// sends are busy it claims nothing, and Freed tells when to come again.
func (d *Outbox) Sweep(ctx context.Context) (again bool, err error) {
	// What is claimed must be sent: a stop that broke the claim off after its commit would
	// leave the pages waiting for the end of a lease that nobody uses.
	ctx = context.WithoutCancel(ctx)
	var claims []notifydb.Claim
	var room notifydb.Room
	var renewals []notifydb.Renewal
	var without []uuid.UUID
	var dead []notifydb.DuePage
	var now time.Time
	var renewed, due bool
	err = d.inLook(ctx, func(ctx context.Context, tx pgx.Tx) (err error) {
		if now, err = postgres.Now(ctx, tx); err != nil {
			return err
		}
		if renewals, dead, renewed, err = d.renew(ctx, tx, now); err != nil {
			return err
		}
		room, without = d.room(), d.contactsToSkip(now)
		if due {
			claims, err = notifydb.ClaimDue(ctx, tx, d.kind, without, room, now)
		}
		return err
	}, postgres.First(func(batch *pgx.Batch) { notifydb.QueueAnyDue(batch, d.kind, &due) }))
	if err != nil {
		return false, err
	}
	d.renewed(renewals, now)
	d.addSkipped(dead)
	for _, claim := range claims {
		d.limitRate(claim, now)
		d.begin(ctx, claim)
		if room.UnderWay[claim.OrgID]++; room.UnderWay[claim.OrgID] == room.PerOrg {
			again = true
		}
	}
	moved := false
	switch since := now.Sub(d.failedOverAt); {
	case !due && !d.anySkipped():
		d.failedOverAt = now
	case len(claims) == 0, since >= failOverGap, since < 0:
		d.failedOverAt = now
		moved, err = d.failOverDue(ctx, claims, without, room)
	}
	if renewed || moved {
		d.options.Moved()
	}
	return again || len(claims) > 0 && len(claims) == room.All, err
}

// inLook runs fn in a transaction of a look.
func (d *Outbox) inLook(ctx context.Context, fn func(context.Context, pgx.Tx) error, options ...postgres.TxOption) error {
	ctx, cancel := context.WithTimeout(ctx, d.claimLimit)
	defer cancel()
	return d.db.InSystem(ctx, postgres.Sweep, fn, options...)
}

// failOverDue goes on to other contacts for what cannot be sent now. It is a transaction of its
// own, after the claims: none of them waits for it, or is rolled back with it.
func (d *Outbox) failOverDue(ctx context.Context, claims []notifydb.Claim, without []uuid.UUID, room notifydb.Room) (moved bool, err error) {
	var probes []uuid.UUID
	for _, claim := range claims {
		if room.All > 1 && claim.Turn < room.PerOrg {
			without = append(without, claim.ContactMethodID)
		} else { // the last slot may be the one that finds out whether a hung server is back
			probes = append(probes, claim.ContactMethodID)
		}
	}
	skipped := d.takeSkipped()
	still := skipped
	err = d.inLook(ctx, func(ctx context.Context, tx pgx.Tx) error {
		now, err := postgres.Now(ctx, tx)
		if err != nil {
			return err
		}
		still, moved, err = notifydb.FailOverDue(ctx, tx, d.kind, without, probes, skipped, now)
		return err
	})
	if err != nil { // also of the commit: nothing was done
		still, moved = skipped, false
	}
	d.addSkipped(still)
	return moved, err
}

// takeSkipped takes as many as one look can do.
func (d *Outbox) takeSkipped() []notifydb.DuePage {
	d.mu.Lock()
	defer d.mu.Unlock()
	taken := d.skipped[:min(len(d.skipped), notifydb.MaxWaiting)]
	d.skipped = slices.Clone(d.skipped[len(taken):])
	return slices.Clip(taken)
}

func (d *Outbox) anySkipped() bool {
	d.mu.Lock()
	defer d.mu.Unlock()
	return len(d.skipped) > 0
}

func (d *Outbox) addSkipped(pages []notifydb.DuePage) {
	d.mu.Lock()
	defer d.mu.Unlock()
	d.skipped = append(d.skipped, pages...)
}

// begin delivers a claim in the background. It outlives the sweep's context: what was
// claimed is finished, also while the process stops, until Close gives up.
func (d *Outbox) begin(ctx context.Context, claim notifydb.Claim) {
	d.mu.Lock()
	defer d.mu.Unlock()
	if d.closed {
		return // the lease runs out, and another process takes it
	}
	claim.Tries = d.patience(claim)
	d.sending[claim.DeliveryID] = newUnderWay(claim)
	d.sends.Go(func() {
		defer d.end(claim)
		d.deliver(context.WithoutCancel(ctx), claim)
	})
}

func (d *Outbox) end(claim notifydb.Claim) {
	d.mu.Lock()
	delete(d.sending, claim.DeliveryID)
	d.mu.Unlock()
	d.options.Freed()
}

// ReleaseLeases gives back what this installation was sending when it stopped. Call it
// before the first Sweep, and only where no other process uses the database.
func ReleaseLeases(ctx context.Context, db *postgres.DB) (released int, err error) {
	err = db.InSystem(ctx, postgres.Sweep, func(ctx context.Context, tx pgx.Tx) error {
		now, err := postgres.Now(ctx, tx)
		if err != nil {
			return err
		}
		released, err = notifydb.ReleaseLeases(ctx, tx, now)
		return err
	})
	return released, err
}
