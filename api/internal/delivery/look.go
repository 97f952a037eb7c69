package delivery

import (
	"context"
	"errors"
	"fmt"
	"sync/atomic"
	"time"

	"github.com/jackc/pgx/v5"

	"github.com/nightbell/nightbell/api/internal/notify"
	"github.com/nightbell/nightbell/api/internal/notify/notifydb"
	"github.com/nightbell/nightbell/api/internal/platform/postgres"
)

const (
	// staleAfter is how old the last look should be at most when the provider is called (promise P5).
	staleAfter = 500 * time.Millisecond
	// mostLooks is how often it is taken while it is older than that.
	mostLooks = 3
	// sendSpare is what a lease must last for yet when the provider is called.
	sendSpare = 2 * time.Second
)

// next is what follows from a last look.
type next int

const (
	sendNow next = iota
	lookAgain
	leaveIt
)

// afterLook says what follows when so many looks were taken, the last of them age ago, when the lease was to last for
// left. Two old ones in a row are a slow database, not a process that was suspended for once: then the page leaves
// rather stale than never, unless the lease may be over, which another may have taken.
func afterLook(looks int, age, left time.Duration) next {
	spare := left - age
	switch {
	case age <= staleAfter:
		return sendNow
	case looks < mostLooks && (looks == 1 || spare < sendSpare || spare-age >= sendSpare):
		return lookAgain
	case spare >= sendSpare:
		return sendNow
	default:
		return leaveIt
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
	case len(done.checked.Incidents) == 0, done.checked.Until.Sub(now) < sendSpare:
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

// check asks the database once, in one round trip: the person waits for it.
func (d *Outbox) check(ctx context.Context, claim notifydb.Claim, done *try) (now time.Time, err error) {
	return d.db.ReadSystem(ctx, postgres.Sweep, func(batch *pgx.Batch) {
		done.lookedAt, done.checked = d.options.Uptime(), notifydb.Checked{}
		notifydb.QueueCheck(batch, d.kind, claim, &done.checked)
	})
}

// askAgain has the channel look once more right before the message leaves, where the last look is old by then: a
// connection may take seconds. One that is ready costs nothing. The function that it returns tells what was seen
// when the message did not leave.
func (d *Outbox) askAgain(ctx context.Context, claim notifydb.Claim, lookedAt, longest time.Duration) (asking context.Context, answered func() (notifydb.Checked, bool)) {
	var seen atomic.Pointer[notifydb.Checked]
	asking = notify.WithLastLook(ctx, func(ctx context.Context) bool {
		if d.options.Uptime()-lookedAt <= staleAfter {
			return true
		}
		ctx, cancel := context.WithTimeout(ctx, longest)
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
