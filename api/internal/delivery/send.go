package delivery

import (
	"context"
	"errors"
	"runtime/debug"
	"time"

	"github.com/jackc/pgx/v5"

	"github.com/nightbell/nightbell/api/internal/notify"
	"github.com/nightbell/nightbell/api/internal/notify/notifydb"
	"github.com/nightbell/nightbell/api/internal/platform/failpoint"
	"github.com/nightbell/nightbell/api/internal/platform/postgres"
)

// errInternal is what the delivery log says of our own mistakes; the cause is in the logs.
var errInternal = errors.New("this message could not be prepared; the server's log says why")

// try is one try to deliver a claim, as far as it got.
type try struct {
	checked notifydb.Checked
	// lookedAt is when checked was read, by the clock that only measures.
	lookedAt time.Duration
	receipt  notify.Receipt
	// called is set once the provider was called.
	called bool
	err    error
	// internal is set when err is our mistake, and abandoned when there is nothing to
	// record: somebody else has the pages now, or will.
	internal, abandoned bool
	// lost is set when we broke the send off: nobody could renew its lease, or the process stops. It does not
	// count as one of the tries that a lost answer has.
	lost bool
	// failures are how many tries to the contact failed in a row, with this one, and since when; none if it is not to blame.
	failures int
	since    time.Time
	// spared is set while a message that may have arrived leaves the contact alive.
	spared bool
	// counted is set once the try took of the organization's share of mails to addresses that
	// are not verified.
	counted bool
}

// deliver sends one claim and records how it went.
func (d *Outbox) deliver(ctx context.Context, claim notifydb.Claim) {
	if d.interrupted("claimed") {
		return
	}
	done := d.try(ctx, claim)
	d.returnShare(ctx, claim, done)
	if done.abandoned || d.interrupted("sent") {
		return
	}
	d.record(ctx, claim, done)
}

// try takes the last look and calls the provider. It never panics.
func (d *Outbox) try(ctx context.Context, claim notifydb.Claim) (done try) {
	defer func() {
		if cause := recover(); cause != nil {
			d.options.Logger.ErrorContext(ctx, "a delivery panicked", "channel", d.kind, "delivery", claim.DeliveryID,
				"panic", cause, "stack", string(debug.Stack()))
			done.err, done.internal, done.abandoned = errInternal, true, false
		}
	}()
	for looks := 1; ; looks++ {
		now, ok := d.look(ctx, claim, &done)
		if !ok {
			return done
		}
		message, err := d.message(claim, done.checked, now)
		if err != nil {
			d.options.Logger.ErrorContext(ctx, "a contact method cannot be used", "contact_method", claim.ContactMethodID, "error", err)
			done.err = notify.Permanent(errors.New("the contact method's address does not open; was NIGHTBELL_DATA_KEY changed?"))
			return done
		}
		if len(message.Incidents) == 0 {
			return done
		}
		age := d.options.Uptime() - done.lookedAt
		switch afterLook(looks, age, done.checked.Until.Sub(now)) {
		case lookAgain:
			continue
		case leaveIt:
			d.options.Logger.WarnContext(ctx, "a page could not leave: the last look before it took too long for its lease; it is claimed again",
				"channel", d.kind, "delivery", claim.DeliveryID, "looks", looks, "took", age)
			done.abandoned = true
			return done
		case sendNow:
		}
		if age > staleAfter {
			d.options.Logger.WarnContext(ctx, "a page leaves by an old look at who has answered: the database is slow, or the process was suspended",
				"channel", d.kind, "delivery", claim.DeliveryID, "looks", looks, "took", age)
		}
		d.send(ctx, claim, message, now.Add(age), &done)
		return done
	}
}

// send calls the provider, for no longer than the lease allows, or for as long as Patience
// does: then the lease is renewed.
func (d *Outbox) send(ctx context.Context, claim notifydb.Claim, message notify.Message, now time.Time, done *try) {
	d.measure(claim, done.checked, now)
	limit := min(sendTimeout, done.checked.Until.Sub(now)-time.Second)
	if d.options.Patience > 0 {
		limit = d.options.Patience
	}
	ctx, end := context.WithCancelCause(ctx)
	defer end(nil)
	ctx, cancel := d.sendContext(ctx, limit)
	defer cancel()
	failpoint.At("sending", message.Incidents[0].Title)
	done.called = true
	ctx, answered := d.askAgain(ctx, claim, done.lookedAt, min(recordTimeout, limit/2))
	if d.options.Patience > 0 {
		d.mayEnd(claim, end)
		answered = d.endWhenAnswered(ctx, cancel, claim)
	}
	done.receipt, done.err = d.channel.Send(ctx, message)
	done.lost = errors.Is(context.Cause(ctx), errLeaseLost) || d.hasAborted()
	if checked, all := answered(); all && done.err != nil {
		done.checked = checked
		if !errors.Is(done.err, notify.ErrUnknownOutcome) { // it may have gone out, and the log says so
			done.called, done.err = false, nil
		}
	}
}

// countLock is how long a mail waits to be counted for its organization, whose row somebody may hold who
// erases it: escalations are swept by the same connections.
const countLock = time.Second

// mayPageUnverified lets only the last resort reach an address that nobody has confirmed, so
// many times a day. What comes after those waits, and goes out together once an hour.
func (d *Outbox) mayPageUnverified(ctx context.Context, claim notifydb.Claim, done *try) bool {
	if !done.checked.LastResort {
		done.err = notify.ErrUnverified
		return false
	}
	if done.counted {
		return true
	}
	err := d.db.InSystem(ctx, postgres.Sweep, func(ctx context.Context, tx pgx.Tx) error {
		now, err := postgres.Now(ctx, tx)
		if err != nil {
			return err
		}
		return notifydb.CountUnverified(ctx, tx, claim.OrgID, notify.LastResortShare, now)
	}, postgres.LockTimeout(countLock))
	switch {
	case errors.Is(err, notify.ErrPageWaits):
		done.err = err
	case err != nil:
		d.options.Logger.WarnContext(ctx, "a mail to an unverified address could not be counted", "delivery", claim.DeliveryID, "error", err)
		done.abandoned = true // claimed again when the lease ends
	}
	done.counted = err == nil
	return done.counted
}

// returnShare gives back what a mail took of the day's share when it did not go out: a mail
// server that is away, or defers a first mail (greylisting), would use the share up by itself.
func (d *Outbox) returnShare(ctx context.Context, claim notifydb.Claim, done try) {
	temporary := done.err != nil && !errors.Is(done.err, notify.ErrPermanent) && !errors.Is(done.err, notify.ErrUnknownOutcome)
	if !done.counted || done.called && !temporary {
		return
	}
	ctx, cancel := context.WithTimeout(ctx, recordTimeout)
	defer cancel()
	err := d.db.InSystem(ctx, postgres.Sweep, func(ctx context.Context, tx pgx.Tx) error {
		now, err := postgres.Now(ctx, tx)
		if err != nil {
			return err
		}
		return notifydb.ReturnUnverified(ctx, tx, claim.OrgID, now)
	}, postgres.LockTimeout(countLock))
	if err != nil {
		d.options.Logger.WarnContext(ctx, "a mail that did not go out counts toward the day's share", "delivery", claim.DeliveryID, "error", err)
	}
}

// pause waits before another try, and is false when Close gives up.
func (d *Outbox) pause(wait time.Duration) bool {
	select {
	case <-d.aborted:
		return false
	case <-time.After(wait):
		return true
	}
}

func (d *Outbox) hasAborted() bool {
	select {
	case <-d.aborted:
		return true
	default:
		return false
	}
}

// sendContext ends with the time a provider may take, or when Close gives up.
func (d *Outbox) sendContext(ctx context.Context, limit time.Duration) (context.Context, context.CancelFunc) {
	ctx, cancel := context.WithTimeout(ctx, limit)
	go func() {
		select {
		case <-d.aborted:
			cancel()
		case <-ctx.Done():
		}
	}()
	return ctx, cancel
}

// measure records how late the pages are that are handed over for the first time: each claim before this one ended
// without a word.
func (d *Outbox) measure(claim notifydb.Claim, checked notifydb.Checked, now time.Time) {
	for _, page := range claim.Pages {
		if page.Attempts == page.Orphaned+1 && checked.Incidents[page.ID].Unanswered {
			d.options.Lateness(string(d.kind), now.Sub(page.Due))
		}
	}
}

// record writes what came of a try. While the database is away it tries again, because
// what is not recorded is sent once more. When the whole result cannot be written, the
// pages' states alone are, so that an internal error does not page somebody forever.
func (d *Outbox) record(ctx context.Context, claim notifydb.Claim, done try) {
	const patience = 300
	refused, limit, wait := 0, d.recordLimit, 200*time.Millisecond
	for range patience {
		err := d.settle(ctx, claim, done, refused > 1, limit)
		if err == nil {
			return
		}
		if errors.Is(err, context.DeadlineExceeded) {
			limit = min(2*limit, longestRecord)
		}
		if !postgres.IsUnavailable(err) && !errors.Is(err, context.DeadlineExceeded) {
			d.options.Logger.ErrorContext(ctx, "the result of a delivery cannot be recorded", "delivery", claim.DeliveryID, "error", err)
			if refused++; refused > 3 {
				return
			}
		}
		if !d.pause(wait) {
			return
		}
		if postgres.IsLockTimeout(err) { // an organization may just be deleted, which takes a while
			wait = min(2*wait, 2*time.Second)
		}
	}
}
