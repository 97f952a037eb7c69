package delivery

import (
	"context"
	"errors"
	"time"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"

	"github.com/nightbell/nightbell/api/internal/notify"
	"github.com/nightbell/nightbell/api/internal/notify/notifydb"
)

// underWay is a send under way, with what renewing its lease takes.
type underWay struct {
	notifydb.Renewal

	contact      uuid.UUID
	began, until time.Time
	tries        int
	// end breaks the send off; nil until the provider is called.
	end context.CancelCauseFunc
}

func newUnderWay(claim notifydb.Claim) *underWay {
	send := &underWay{
		Renewal: notifydb.Renewal{OrgID: claim.OrgID, DeliveryID: claim.DeliveryID},
		contact: claim.ContactMethodID, tries: claim.Tries,
		began: claim.Began(), until: claim.Until,
	}
	for _, page := range claim.Pages {
		send.Pages = append(send.Pages, page.ID)
	}
	return send
}

// patience is Tries of a claim. Beside a message to the same contact that was tried before,
// and so may wait for minutes, one more finds out whether the server is back, and soon makes room for the next.
func (d *Outbox) patience(claim notifydb.Claim) (tries int) {
	for _, page := range claim.Pages {
		tries = max(tries, page.Attempts)
	}
	for _, send := range d.sending {
		if send.contact == claim.ContactMethodID && send.tries > 1 {
			return 1
		}
	}
	return tries
}

// leftFor is for how long what hung here is left to another replica, whose way to the server may be better.
const leftFor = 5 * time.Second

// leaveToOthers postpones here what the provider kept waiting and has not got.
func (d *Outbox) leaveToOthers(claim notifydb.Claim, done try, now time.Time) {
	if done.called && done.blocked() && !errors.Is(done.err, notify.ErrUnknownOutcome) && now.Sub(claim.Began()) >= sendTimeout {
		d.postpone(claim.ContactMethodID, now.Add(leftFor))
	}
}

// renewals are the sends whose lease is to be renewed at now: each that has used up a third
// of it or turns slow, where the provider is given longer than a lease.
func (d *Outbox) renewals(now time.Time) []notifydb.Renewal {
	d.mu.Lock()
	defer d.mu.Unlock()
	if d.options.Patience == 0 {
		return nil
	}
	var list []notifydb.Renewal
	for _, send := range d.sending {
		slow := now.Sub(send.began) >= sendTimeout
		if left := send.until.Sub(now); left > 0 && (left < notifydb.Lease*2/3 || slow && !send.Slow) {
			send.Slow = slow
			list = append(list, send.Renewal)
		}
	}
	return list
}

// renew breaks off what lost its lease, and renews the leases of the other sends that take long; once that is committed,
// renewed and addSkipped(dead) follow.
func (d *Outbox) renew(ctx context.Context, tx pgx.Tx, now time.Time) (renewals []notifydb.Renewal, dead []notifydb.DuePage, moved bool, err error) {
	d.endLost(now)
	if renewals = d.renewals(now); len(renewals) > 0 {
		dead, moved, err = notifydb.Renew(ctx, tx, renewals, now)
	}
	return renewals, dead, moved, err
}

// renewed notes that these leases were renewed at now.
func (d *Outbox) renewed(renewals []notifydb.Renewal, now time.Time) {
	d.mu.Lock()
	defer d.mu.Unlock()
	for _, renewal := range renewals {
		if send := d.sending[renewal.DeliveryID]; send != nil {
			send.until = now.Add(notifydb.Lease)
		}
	}
}

// errLeaseLost is why a send was broken off.
var errLeaseLost = errors.New("the lease was lost while the message was sent")

// endLost breaks off what lost its lease, while the database was away, another lease ago: its contact's
// pages wait for it.
func (d *Outbox) endLost(now time.Time) {
	d.mu.Lock()
	defer d.mu.Unlock()
	for _, send := range d.sending {
		if send.end != nil && now.Sub(send.until) >= notifydb.Lease {
			send.end(errLeaseLost)
		}
	}
}

// mayEnd says how the claim's send is broken off.
func (d *Outbox) mayEnd(claim notifydb.Claim, end context.CancelCauseFunc) {
	d.mu.Lock()
	defer d.mu.Unlock()
	if send := d.sending[claim.DeliveryID]; send != nil {
		send.end = end
	}
}
