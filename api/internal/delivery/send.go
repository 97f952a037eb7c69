package delivery

import (
	"context"
	"errors"
	"fmt"
	"runtime/debug"
	"sync/atomic"
	"time"

	"github.com/jackc/pgx/v5"

	"github.com/nightbell/nightbell/api/internal/notify"
	"github.com/nightbell/nightbell/api/internal/notify/notifydb"
	"github.com/nightbell/nightbell/api/internal/platform/failpoint"
	"github.com/nightbell/nightbell/api/internal/platform/postgres"
)

// errInternal is what the delivery log says of our own mistakes; the cause is in the logs.
var errInternal = errors.New("this message could not be prepared; the server's log says why")

// staleAfter is how old the last look may be when the provider is called (promise P5).
const staleAfter = 500 * time.Millisecond

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
	for range 3 {
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
		if d.options.Uptime()-done.lookedAt <= staleAfter {
			d.send(ctx, claim, message, now, &done)
			return done
		}
		// The process was suspended meanwhile: the pages may be answered, or another's.
	}
	done.abandoned = true
	return done
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
	ctx, answered := d.askAgain(ctx, claim, done.lookedAt)
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

// askAgain has the channel look once more right before the message leaves, where the last look is old by then: a
// connection may take seconds. One that is ready costs nothing. The function that it returns tells what was seen
// when the message did not leave.
func (d *Outbox) askAgain(ctx context.Context, claim notifydb.Claim, lookedAt time.Duration) (asking context.Context, answered func() (notifydb.Checked, bool)) {
	var seen atomic.Pointer[notifydb.Checked]
	asking = notify.WithLastLook(ctx, func(ctx context.Context) bool {
		if d.options.Uptime()-lookedAt <= staleAfter {
			return true
		}
		ctx, cancel := context.WithTimeout(ctx, recordTimeout)
		defer cancel()
		var again try
		if d.allAnswered(ctx, claim, &again) {
			seen.Store(&again.checked)
		}
		return seen.Load() == nil
	})
	return asking, func() (notifydb.Checked, bool) {
		if checked := seen.Load(); checked != nil {
			return *checked, true
		}
		return notifydb.Checked{}, false
	}
}

// allAnswered reports whether somebody has answered all that a send under way tells of. While the database does
// not say so the send goes on: a copy is better than no page.
func (d *Outbox) allAnswered(ctx context.Context, claim notifydb.Claim, again *try) bool {
	if _, err := d.check(ctx, claim, again); err != nil || len(again.checked.Incidents) == 0 {
		return false
	}
	for _, about := range again.checked.Incidents {
		if about.Unanswered {
			return false
		}
	}
	return true
}

// endWhenAnswered looks again and again while a send takes long, and ends it once somebody has answered all
// that it tells of: a mail server that greets late would page for that, and what comes after it waits. The
// function that it returns ends the looking, and tells what was seen when the send was ended.
func (d *Outbox) endWhenAnswered(ctx context.Context, end context.CancelFunc, claim notifydb.Claim) func() (seen notifydb.Checked, answered bool) {
	var again try
	var answered bool
	ctx, stop := context.WithCancel(ctx)
	looked := make(chan struct{})
	go func() {
		defer close(looked)
		for !answered {
			select {
			case <-ctx.Done():
				return
			case <-time.After(staleAfter):
			}
			answered = d.allAnswered(ctx, claim, &again)
		}
		end()
	}()
	return func() (notifydb.Checked, bool) {
		stop()
		<-looked
		return again.checked, answered
	}
}

// look reads what of the claim this process still has and how the incidents stand. It is not ok
// when nothing may be sent.
func (d *Outbox) look(ctx context.Context, claim notifydb.Claim, done *try) (now time.Time, ok bool) {
	now, err := d.check(ctx, claim, done)
	for range 20 {
		if !postgres.IsUnavailable(err) || !d.pause(200*time.Millisecond) {
			break
		}
		now, err = d.check(ctx, claim, done)
	}
	switch {
	case errors.Is(err, pgx.ErrNoRows), postgres.IsUnavailable(err), ctx.Err() != nil:
		done.abandoned = true
	case err != nil:
		d.options.Logger.ErrorContext(ctx, "a claimed message cannot be read", "delivery", claim.DeliveryID, "error", err)
		done.err, done.internal = errInternal, true
	case len(done.checked.Incidents) == 0, done.checked.Until.Sub(now) < 2*time.Second:
		done.abandoned = true
	case done.checked.Contact.Disabled != "":
		done.err = notify.Permanent(fmt.Errorf("the contact method is not used any more: %s", done.checked.Contact.Disabled))
	case d.options.VerifyMail && done.checked.Contact.Unverified:
		return now, d.mayPageUnverified(ctx, claim, done)
	default:
		return now, true
	}
	return now, false
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

// check asks the database once, in one round trip: the person waits for it.
func (d *Outbox) check(ctx context.Context, claim notifydb.Claim, done *try) (now time.Time, err error) {
	return d.db.ReadSystem(ctx, postgres.Sweep, func(batch *pgx.Batch) {
		done.lookedAt, done.checked = d.options.Uptime(), notifydb.Checked{}
		notifydb.QueueCheck(batch, claim, &done.checked)
	})
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

// measure records how late the pages are that go out for the first time.
func (d *Outbox) measure(claim notifydb.Claim, checked notifydb.Checked, now time.Time) {
	for _, page := range claim.Pages {
		if page.Attempts == 1 && checked.Incidents[page.ID].Unanswered {
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
