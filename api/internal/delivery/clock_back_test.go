package delivery_test

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"testing"
	"time"

	"github.com/google/uuid"

	"github.com/nightbell/nightbell/api/internal/delivery"
	"github.com/nightbell/nightbell/api/internal/incident"
	"github.com/nightbell/nightbell/api/internal/notify"
	"github.com/nightbell/nightbell/api/internal/paging"
	"github.com/nightbell/nightbell/api/internal/pagingtest"
	"github.com/nightbell/nightbell/api/internal/platform/postgres/pgtest"
	"github.com/nightbell/nightbell/api/internal/watch"
)

// to counts the messages to a person.
func (o *outbox) to(person uuid.UUID) (n int) {
	for _, message := range o.provider.messages() {
		if message.UserID == person {
			n++
		}
	}
	return n
}

// TestAFloodEndsWhenTheClockIsSetBack: Ada's mails are bundled when the clock of the database goes back by half an
// hour, and what comes next is not bundled until that half hour is over.
func TestAFloodEndsWhenTheClockIsSetBack(t *testing.T) {
	for name, c := range map[string]struct {
		perMinute int // zero: her own flood, and not the quota of her organization
		incidents int
	}{"flood": {0, 21}, "quota": {3, 6}} {
		t.Run(name, func(t *testing.T) {
			o := newOutbox(t)
			o.SetSteps(t, pagingtest.Step{Wait: 24 * time.Hour, Targets: []pagingtest.Target{pagingtest.User(o.Ada)}})
			o.Clock.Freeze(o.Clock.Now())
			d := delivery.New(o.DB, notify.Email, o.provider, delivery.Options{
				Logger: quiet, PublicURL: "https://nightbell.example", AckKey: linkKey, IncidentsPerMinute: c.perMinute,
				Changed: func(uuid.UUID) {}, Freed: func() {}, Lateness: func(string, time.Duration) {},
			})
			fire := func(name string) { o.Accept(t, pagingtest.Firing(name, name, pagingtest.Began)) }
			for n := range c.incidents {
				fire(fmt.Sprint("storm", n))
				deliver(t, d)
				o.Clock.Advance(100 * time.Millisecond)
			}
			before := o.to(o.Ada)
			if before == c.incidents {
				t.Fatalf("%d mails for %d incidents: nothing is bundled", before, c.incidents)
			}
			o.Clock.Advance(-30 * time.Minute)
			for n := range 3 { // also what was noted of the minute before
				fire(fmt.Sprint("after", n))
				deliver(t, d)
				if got := o.to(o.Ada) - before; got != n+1 {
					t.Fatalf("%d mails for %d incidents after the clock was set back", got, n+1)
				}
				o.Clock.Advance(100 * time.Millisecond)
			}
		})
	}
}

// TestAMailThatHangsHoldsNoOtherWhenTheClockIsSetBack: by the clock the mail begins in half an hour.
func TestAMailThatHangsHoldsNoOtherWhenTheClockIsSetBack(t *testing.T) {
	o := newOutbox(t)
	o.Clock.Freeze(o.Clock.Now())
	o.Exec(t, `UPDATE contact_method SET verified_at = nightbell_now() WHERE user_id = $1`, o.Ada)
	hang := make(chan struct{})
	o.provider.answers(func(_ context.Context, message notify.Message) error {
		if message.Incidents[0].Title == "a" {
			<-hang
		}
		return nil
	})
	d := o.patient(o.provider)
	sweep := func() {
		if _, err := d.Sweep(t.Context()); err != nil {
			t.Fatal(err)
		}
	}
	o.Accept(t, pagingtest.Firing("a", "a", pagingtest.Began))
	sweep()
	await(t, func() bool { return len(o.provider.messages()) == 1 })
	o.Clock.Advance(-30 * time.Minute)
	o.Accept(t, pagingtest.Firing("b", "b", pagingtest.Began))
	sweep()
	await(t, func() bool { return len(o.provider.messages()) == 2 })
	close(hang)
	d.Wait()
}

// TestAContactThatFailedWaitsForNoClock: Ada's only contact fails once and Bob answers. Then the clock of the database
// is set back, and the next page is to leave with the first round of the auditor, which comes every half minute.
func TestAContactThatFailedWaitsForNoClock(t *testing.T) {
	for name, c := range map[string]struct {
		back, before time.Duration // for how long it has been failing
	}{
		"since a moment, 10 s back":     {10 * time.Second, 0},
		"since a moment, 9 minutes":     {9 * time.Minute, 0},
		"since a moment, half an hour":  {30 * time.Minute, 0},
		"since yesterday, two minutes":  {2 * time.Minute, 24 * time.Hour},
		"since yesterday, half an hour": {30 * time.Minute, 24 * time.Hour},
	} {
		t.Run(name, func(t *testing.T) {
			o := newOutbox(t)
			o.SetSteps(t, pagingtest.Step{Wait: 24 * time.Hour, Targets: []pagingtest.Target{pagingtest.User(o.Ada)}})
			o.Clock.Freeze(o.Clock.Now())
			auditor := watch.NewAuditor(o.DB, slog.New(slog.DiscardHandler), map[notify.Kind]*delivery.Outbox{notify.Email: o.deliverer}, paging.Signals{Pages: func(...notify.Kind) {}, Changed: func(uuid.UUID) {}})
			o.provider.answers(func(context.Context, notify.Message) error { return errors.New("450 greylisted") })
			o.Accept(t, pagingtest.Firing("a", "a", pagingtest.Began))
			deliver(t, o.deliverer)
			o.Exec(t, `UPDATE contact_method SET failing_since = failing_since - $2::interval WHERE org_id = $1`, o.Org, c.before)
			o.Respond(t, incident.Acknowledge{By: pagingtest.By(o.Bob, "Bob")})
			o.Clock.Advance(-c.back)
			o.Accept(t, pagingtest.Firing("b", "b", pagingtest.Began))
			deliver(t, o.deliverer)
			if found, err := auditor.Find(t.Context()); err != nil || found.ClockSetBack == 0 {
				t.Fatalf("the auditor found %+v, %v", found, err)
			}
			if err := auditor.Repair(t.Context()); err != nil {
				t.Fatal(err)
			}
			o.deliverer.Wait()
			if got := len(o.provider.messages()); got != 2 {
				t.Fatalf("%d messages, want one more at once", got)
			}
			if failing := pgtest.One[int](t, o.Database, `SELECT count(*) FROM contact_method WHERE failing_since > nightbell_now() OR next_try_at > nightbell_now() + interval '10 seconds'`); failing != 0 {
				t.Error("the contact waits, or has been failing since a time to come, so that it would not be dead before")
			}
			if found, err := auditor.Find(t.Context()); err != nil || found.Any() {
				t.Errorf("after the repair: %+v, %v", found, err)
			}
		})
	}
}

// TestWhatAProviderAskedForIsNoClockSetBack: a webhook may ask for ten minutes, a mail server for nothing.
func TestWhatAProviderAskedForIsNoClockSetBack(t *testing.T) {
	for _, c := range []struct {
		kind notify.Kind
		wait time.Duration
	}{{notify.Webhook, time.Hour}, {notify.Email, 0}} {
		t.Run(string(c.kind), func(t *testing.T) {
			o := newOutbox(t)
			o.Clock.Freeze(o.Clock.Now())
			failure := errors.New("HTTP 429")
			if c.wait > 0 {
				failure = notify.After(failure, c.wait)
			}
			failing := &provider{answer: func(context.Context, notify.Message) error { return failure }}
			d := o.replica(c.kind, failing)
			if c.kind == notify.Webhook {
				o.hookFirst(t, -1)
			}
			auditor := watch.NewAuditor(o.DB, quiet, nil, paging.Signals{Pages: func(...notify.Kind) {}, Changed: func(uuid.UUID) {}})
			o.Accept(t, pagingtest.Firing("a", "a", pagingtest.Began))
			for range 12 * 25 { // of five seconds
				before := len(failing.messages())
				deliver(t, d)
				if len(failing.messages()) > before {
					if found, err := auditor.Find(t.Context()); err != nil || found.ClockSetBack > 0 {
						t.Fatalf("found %+v, %v", found, err)
					}
				}
				o.Clock.Advance(5 * time.Second)
			}
		})
	}
}

// TestWhatIsKeptWaitsForNoClock: the mail server fails, or refuses what the mail says, and has put the page off when the
// clock is set back to a time at which the page was there already.
func TestWhatIsKeptWaitsForNoClock(t *testing.T) {
	for name, c := range map[string]struct {
		failure   error
		age, back time.Duration
	}{
		"the server fails":              {notify.Installation(errors.New("451 try later")), 70 * time.Minute, 30 * time.Minute},
		"the server fails for hours":    {notify.Installation(errors.New("451 try later")), 3 * time.Hour, 30 * time.Minute},
		"it is refused":                 {errQuota, 70 * time.Minute, 30 * time.Minute},
		"it is refused for two hours":   {errQuota, 119 * time.Minute, time.Hour},
		"the clock goes 2 minutes back": {errQuota, 70 * time.Minute, 2 * time.Minute},
	} {
		t.Run(name, func(t *testing.T) {
			o := newOutbox(t)
			o.SetSteps(t, pagingtest.Step{Wait: 24 * time.Hour, Targets: []pagingtest.Target{pagingtest.User(o.Ada)}})
			o.Clock.Freeze(o.Clock.Now())
			auditor := watch.NewAuditor(o.DB, quiet, map[notify.Kind]*delivery.Outbox{notify.Email: o.deliverer}, paging.Signals{Pages: func(...notify.Kind) {}, Changed: func(uuid.UUID) {}})
			o.provider.answers(func(context.Context, notify.Message) error { return c.failure })
			o.Accept(t, pagingtest.Firing("a", "a", pagingtest.Began))
			for start := o.Clock.Now(); o.Clock.Now().Sub(start) < c.age; o.Clock.Advance(time.Minute) {
				before := len(o.provider.messages())
				deliver(t, o.deliverer)
				if found, err := auditor.Find(t.Context()); len(o.provider.messages()) > before && (err != nil || found.ClockSetBack > 0) {
					t.Fatalf("without a clock that was set back: %+v, %v", found, err)
				}
			}
			o.Exec(t, `UPDATE notification SET next_try_at = nightbell_now()`)
			deliver(t, o.deliverer)
			before := len(o.provider.messages())
			o.Clock.Advance(-c.back)
			if found, err := auditor.Find(t.Context()); err != nil || found.ClockSetBack != 1 {
				t.Fatalf("the auditor found %+v, %v", found, err)
			}
			if err := auditor.Repair(t.Context()); err != nil {
				t.Fatal(err)
			}
			o.deliverer.Wait()
			if got := len(o.provider.messages()) - before; got != 1 {
				t.Errorf("%d messages, want one more at once", got)
			}
			if found, err := auditor.Find(t.Context()); err != nil || found.ClockSetBack > 0 {
				t.Errorf("after the repair: %+v, %v", found, err)
			}
		})
	}
}

// TestWhatIsKeptForItsContactIsNoClockSetBack: the mail server failed, and then the contact, for which its pages wait two
// hours.
func TestWhatIsKeptForItsContactIsNoClockSetBack(t *testing.T) {
	o := newOutbox(t)
	o.SetSteps(t, pagingtest.Step{Wait: 24 * time.Hour, Targets: []pagingtest.Target{pagingtest.User(o.Ada)}})
	o.Clock.Freeze(o.Clock.Now())
	o.Accept(t, pagingtest.Firing("a", "a", pagingtest.Began))
	o.provider.answers(func(context.Context, notify.Message) error { return notify.Installation(errors.New("451 try later")) })
	deliver(t, o.deliverer)
	o.Exec(t, `UPDATE contact_method SET failures = 6, failing_since = nightbell_now() - interval '1 hour', next_try_at = nightbell_now() + interval '1 minute' WHERE user_id = $1`, o.Ada)
	o.Clock.Advance(10 * time.Second)
	deliver(t, o.deliverer)
	if !pgtest.One[bool](t, o.Database, `SELECT next_try_at > nightbell_now() + interval '1 hour' AND blocked_since IS NOT NULL FROM notification`) {
		t.Fatal("the page does not wait for its contact")
	}
	auditor := watch.NewAuditor(o.DB, quiet, nil, paging.Signals{Pages: func(...notify.Kind) {}, Changed: func(uuid.UUID) {}})
	if found, err := auditor.Find(t.Context()); err != nil || found.ClockSetBack > 0 {
		t.Errorf("found %+v, %v", found, err)
	}
}
