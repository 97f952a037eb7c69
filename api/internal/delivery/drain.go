package delivery

import (
	"context"
	"errors"
	"sync"
	"time"

	"github.com/jackc/pgx/v5"

	"github.com/nightbell/nightbell/api/internal/notify/notifydb"
	"github.com/nightbell/nightbell/api/internal/platform/postgres"
)

// Drain renews the leases of the sends under way until they end, because the loop that does so ends with a stop, and after
// a lease another replica would send a copy. What sweeps claim until swept is closed, which is once they have ended, is
// still sent; then nothing more is. It does not wait, and outlives ctx.
func (d *Outbox) Drain(ctx context.Context, swept <-chan struct{}) (ended <-chan struct{}) {
	d.mu.Lock()
	defer d.mu.Unlock()
	if d.drained == nil {
		d.drained = make(chan struct{})
		go d.drain(context.WithoutCancel(ctx), swept)
	}
	return d.drained
}

func (d *Outbox) drain(ctx context.Context, swept <-chan struct{}) {
	defer close(d.drained)
	ctx, cancel := context.WithCancel(ctx)
	var renewing sync.WaitGroup
	renewing.Go(func() { d.keepLeases(ctx) })
	select {
	case <-swept:
	case <-d.aborted:
	}
	d.mu.Lock()
	d.closed = true // before anybody waits for sends: none begins any more
	d.mu.Unlock()
	ended := make(chan struct{})
	go func() { d.sends.Wait(); close(ended) }()
	select {
	case <-ended:
	case <-d.aborted:
	}
	cancel()
	renewing.Wait()
	<-ended
}

// Close drains the outbox, whose sweeps have ended, and waits for the sends under way. When ctx ends first it
// breaks them off, which leaves them to be tried again, and returns ctx's error.
func (d *Outbox) Close(ctx context.Context) error {
	if !d.closing.CompareAndSwap(false, true) {
		return errors.New("the outbox is closed already")
	}
	swept := make(chan struct{})
	close(swept)
	ended := d.Drain(ctx, swept)
	select {
	case <-ended:
		return nil
	case <-ctx.Done():
		close(d.aborted)
		<-ended
		return ctx.Err()
	}
}

// keepLeases renews leases until ctx ends.
func (d *Outbox) keepLeases(ctx context.Context) {
	if d.options.Patience == 0 {
		return // none is renewed: the provider has no longer than a lease
	}
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
