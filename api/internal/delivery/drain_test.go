package delivery_test

import (
	"context"
	"testing"
	"time"

	"github.com/nightbell/nightbell/api/internal/notify"
	"github.com/nightbell/nightbell/api/internal/notify/notifydb"
	"github.com/nightbell/nightbell/api/internal/pagingtest"
	"github.com/nightbell/nightbell/api/internal/platform/postgres/pgtest"
)

// TestAStopKeepsTheLeasesOfWhatIsUnderWay: the mail server takes longer than a lease for its answer, and no loop sweeps
// any more. Another replica would send a copy.
func TestAStopKeepsTheLeasesOfWhatIsUnderWay(t *testing.T) {
	o := newOutbox(t)
	o.Clock.Freeze(o.Clock.Now())
	answer := make(chan struct{})
	o.provider.answers(func(context.Context, notify.Message) error { <-answer; return nil })
	stopping, other := o.patient(o.provider), o.patient(o.provider)
	stopping.RenewEvery(2 * time.Millisecond)
	o.Accept(t, pagingtest.Firing("a", "a", pagingtest.Began))
	if _, err := stopping.Sweep(t.Context()); err != nil {
		t.Fatal(err)
	}
	await(t, func() bool { return len(o.provider.messages()) == 1 })
	swept := make(chan struct{})
	stopping.Drain(t.Context(), swept) // the loops end, which may take a while
	closed := make(chan error, 1)
	for seconds := range 20 {
		if seconds == 4 {
			close(swept)
		}
		if seconds == 8 {
			go func() { closed <- stopping.Close(context.WithoutCancel(t.Context())) }()
		}
		o.Clock.Advance(time.Second)
		await(t, func() bool {
			return pgtest.One[bool](t, o.Database, `SELECT bool_and(lease_until > nightbell_now() + $1::interval) FROM notification`, notifydb.Lease*2/3-time.Millisecond)
		})
		if _, err := other.Sweep(t.Context()); err != nil {
			t.Fatal(err)
		}
	}
	close(answer)
	if err := <-closed; err != nil {
		t.Error(err)
	}
	other.Wait()
	if got := o.states(t); len(o.provider.messages()) != 1 || got != "sent" {
		t.Errorf("%d mails, the page is %q", len(o.provider.messages()), got)
	}
	o.Accept(t, pagingtest.Firing("b", "b", pagingtest.Began))
	if again, err := stopping.Sweep(t.Context()); again || err != nil || len(o.provider.messages()) != 1 {
		t.Errorf("what was drained works on: %t, %v", again, err)
	}
}

// TestAStopSendsWhatASweepIsJustClaiming: the process is told to stop while the claim is under way. Nobody else would send
// it before the lease is over, and it would count as one whose worker died.
func TestAStopSendsWhatASweepIsJustClaiming(t *testing.T) {
	o := newOutbox(t)
	o.Accept(t, pagingtest.Firing("a", "a", pagingtest.Began))
	busy, err := o.Owner(t).Begin(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	defer busy.Rollback(t.Context())
	if _, err := busy.Exec(t.Context(), `LOCK TABLE delivery IN SHARE MODE`); err != nil {
		t.Fatal(err)
	}
	swept := make(chan struct{})
	go func() {
		defer close(swept)
		if _, err := o.deliverer.Sweep(t.Context()); err != nil {
			t.Error(err)
		}
	}()
	await(t, func() bool {
		return pgtest.One[bool](t, o.Database, `SELECT EXISTS (SELECT FROM pg_locks WHERE NOT granted AND relation = 'delivery'::regclass)`)
	})
	ended := o.deliverer.Drain(t.Context(), swept)
	if err := busy.Rollback(t.Context()); err != nil {
		t.Fatal(err)
	}
	<-ended
	if got := o.states(t); len(o.provider.messages()) != 1 || got != "sent" {
		t.Errorf("%d mails, the page is %q", len(o.provider.messages()), got)
	}
}
