package delivery

import (
	"context"
	"errors"
	"time"

	"github.com/jackc/pgx/v5"

	"github.com/nightbell/nightbell/api/internal/notify/notifydb"
	"github.com/nightbell/nightbell/api/internal/platform/postgres"
)

// Drain claims nothing more, and renews the leases of the sends under way until they end: the loop that does so has
// ended with a stop, and after a lease another replica would send a copy. It does not wait, and outlives ctx.
func (d *Outbox) Drain(ctx context.Context) (ended <-chan struct{}) {
	d.mu.Lock()
	defer d.mu.Unlock()
	if d.drained == nil {
		drained := make(chan struct{})
		d.closed, d.drained = true, drained
		go func() {
			defer close(drained)
			d.keepLeases(context.WithoutCancel(ctx))
			d.sends.Wait()
		}()
	}
	return d.drained
}

// Close drains the outbox and waits for the sends under way. When ctx ends first it
// breaks them off, which leaves them to be tried again, and returns ctx's error.
func (d *Outbox) Close(ctx context.Context) error {
	if !d.closing.CompareAndSwap(false, true) {
		return errors.New("the outbox is closed already")
	}
	ended := d.Drain(ctx)
	select {
	case <-ended:
		return nil
	case <-ctx.Done():
		close(d.aborted)
		<-ended
		return ctx.Err()
	}
}

// keepLeases renews leases until the sends under way have ended, or Close gives up.
func (d *Outbox) keepLeases(ctx context.Context) {
	if d.options.Patience == 0 {
		return // none is renewed: the provider has no longer than a lease
	}
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	go func() {
		defer cancel()
		ended := make(chan struct{})
		go func() { d.sends.Wait(); close(ended) }()
		select {
		case <-ended:
		case <-d.aborted:
		}
	}()
	for {
		select {
		case <-ctx.Done():
			return
		case <-time.After(d.renewEvery):
		}
		var renewals []notifydb.Renewal
		var now time.Time
		err := d.inLook(ctx, func(ctx context.Context, tx pgx.Tx) (err error) {
			if now, err = postgres.Now(ctx, tx); err != nil {
				return err
			}
			renewals, _, _, err = d.renew(ctx, tx, now) // the next steps of dead pages keep their delay
			return err
		})
		switch {
		case err == nil:
			d.renewed(renewals, now)
		case ctx.Err() == nil:
			d.options.Logger.WarnContext(ctx, "the leases of messages under way could not be renewed while stopping", "channel", d.kind, "error", err)
		}
	}
}
