package delivery

import (
	"context"
	"errors"
	"time"

	"github.com/jackc/pgx/v5"

	"github.com/nightbell/nightbell/api/internal/kernel/clock"
	"github.com/nightbell/nightbell/api/internal/notify"
	"github.com/nightbell/nightbell/api/internal/notify/notifydb"
)

// readAgain reads what may have changed about the contact since a try that failed began.
func (t *try) readAgain(ctx context.Context, tx pgx.Tx, claim notifydb.Claim, now time.Time) (err error) {
	if t.waitsItsTurn() {
		// Whoever confirms the address at this moment waits for this, and then frees the pages.
		if confirmed, err := notifydb.IsConfirmed(ctx, tx, claim); err != nil {
			return err
		} else if confirmed {
			t.err = notify.After(t.err, 0)
		}
	}
	if t.called && t.err != nil && !t.blocked() {
		failures, since, err := notifydb.LockContact(ctx, tx, claim, now)
		if errors.Is(err, pgx.ErrNoRows) { // the contact is gone, and its pages with it
			return nil
		}
		if t.since = now; since != nil {
			t.since = *since
		}
		t.checked.Contact.Failures = min(t.checked.Contact.Failures, failures)
		t.failures = notify.Failures(t.checked.Contact.Failures, t.since, now, t.unsure())
		t.spared = t.unsure() && now.Sub(t.since) < notify.UnknownFor
		if errors.Is(t.err, notify.ErrTurnedAway) { // nobody waits for the server to be put right
			t.failures = max(notify.DeadAfter, t.failures)
		}
		return err
	}
	return nil
}

// queueContact notes what the try tells of the contact itself.
func (t try) queueContact(batch *pgx.Batch, claim notifydb.Claim, now time.Time) {
	switch {
	case !t.called:
	case t.err == nil:
		alone := !claim.Behind && now.Before(claim.Until) // else another may have failed beside it
		if !alone || t.checked.Contact.Failures > 0 || t.checked.Contact.Waited {
			notifydb.QueueContactWorks(batch, claim, now)
		}
	case t.blocked():
		notifydb.QueueContactWaits(batch, claim, t.contactNext(claim, now))
	default:
		notifydb.QueueContactFails(batch, claim, t.failures, t.said(t.err.Error()), t.contactNext(claim, now), now)
	}
}

// contactNext is when the contact is tried again after a failure: also once it has failed for so long that it is dead.
func (t try) contactNext(claim notifydb.Claim, now time.Time) time.Time {
	next := now.Add(notify.Backoff(max(t.failures, t.checked.Contact.Failures+1), seedOf(claim)))
	if dead := t.since.Add(notify.DeadFor); now.Before(dead) && dead.Before(next) {
		next = dead
	}
	if wait, asked := notify.RetryAfter(t.err); asked {
		next = clock.Later(next, now.Add(min(wait, notify.LongestWait)))
	}
	return next
}

// blocked reports whether the try failed for this installation's own reasons.
func (t try) blocked() bool { return t.internal || errors.Is(t.err, notify.ErrInstallation) }

// unsure reports whether the provider may have taken the message.
func (t try) unsure() bool { return errors.Is(t.err, notify.ErrUnknownOutcome) }

// dead reports whether the contact is dead, so that the policy's next step waits for none of its pages; turnsDead,
// whether it is since this try.
func (t try) dead() bool      { return t.failures >= notify.DeadAfter && !t.spared }
func (t try) turnsDead() bool { return t.failures == notify.DeadAfter && !t.spared }

// queueFailOver goes on to the person's next contact method for what did not get through,
// and to the policy's next step for what never will, as far as one can tell: what may have arrived keeps
// the step its time, so that no fault of seconds uses a policy up.
func (t try) queueFailOver(batch *pgx.Batch, claim notifydb.Claim, results []notifydb.Result, skipped *[]notifydb.DuePage, now time.Time) (moved bool) {
	var pages, hopeless []notifydb.DuePage
	for _, result := range results {
		page := notifydb.DuePage{OrgID: claim.OrgID, ID: result.PageID}
		if result.State == "pending" || result.State == "failed" {
			pages = append(pages, page)
		}
		if result.State == "failed" && !result.Unknown || result.State == "pending" && (t.dead() || result.Hopeless) {
			hopeless = append(hopeless, page)
		}
	}
	notifydb.QueueFailOver(batch, pages, now)
	notifydb.QueueNextStep(batch, hopeless, skipped, now)
	return len(pages)+len(hopeless) > 0
}
