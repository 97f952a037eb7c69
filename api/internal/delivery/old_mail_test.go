package delivery_test

import (
	"context"
	"errors"
	"testing"
	"time"

	"github.com/google/uuid"

	"github.com/nightbell/nightbell/api/internal/delivery"
	"github.com/nightbell/nightbell/api/internal/incident"
	"github.com/nightbell/nightbell/api/internal/notify"
	"github.com/nightbell/nightbell/api/internal/pagingtest"
	"github.com/nightbell/nightbell/api/internal/platform/postgres/pgtest"
)

// besideAnOldMail is an outbox where the first mail to Ada, about incident a, hangs until end, or until it is broken
// off, and tells nothing about her address. Mails beside it end as answer says.
func besideAnOldMail(t *testing.T, end chan struct{}, answer func(title string) error) (o *outbox, mails *delivery.Outbox, look func()) {
	t.Helper()
	o = newOutbox(t)
	o.Clock.Freeze(o.Clock.Now())
	o.Exec(t, `UPDATE contact_method SET verified_at = nightbell_now()`)
	o.provider.answers(func(ctx context.Context, message notify.Message) error {
		if len(o.provider.messages()) > 1 {
			return answer(message.Incidents[0].Title)
		}
		select {
		case <-ctx.Done():
			return notify.Installation(notify.UnknownOutcome(errors.New("the mail server did not say that it took the mail")))
		case <-end:
			return notify.Installation(errors.New("the mail server did not answer in time"))
		}
	})
	mails = o.patient(o.provider)
	look = func() {
		t.Helper()
		if _, err := mails.Sweep(t.Context()); err != nil {
			t.Fatal(err)
		}
		await(t, func() bool { // the old one is under way, and alone
			return len(o.provider.messages()) > 0 && pgtest.One[int](t, o.Database, `SELECT count(*) FROM delivery WHERE outcome = 'sending'`) <= 1
		})
		o.Clock.Advance(time.Second)
	}
	return o, mails, look
}

// nextTry is in how long Ada's address is tried again.
func (o *outbox) nextTry(t *testing.T) time.Duration {
	t.Helper()
	return pgtest.One[time.Time](t, o.Database, `SELECT next_try_at FROM contact_method WHERE user_id = $1`, o.Ada).Sub(o.Clock.Now())
}

// TestAnOldMailThatToldNothingPutsNoTryOff: it began when the address had failed four times. Since then one mail
// got through, and another was refused for now.
func TestAnOldMailThatToldNothingPutsNoTryOff(t *testing.T) {
	end := make(chan struct{})
	o, mails, look := besideAnOldMail(t, end, func(title string) error {
		if title == "b" {
			return nil
		}
		return errors.New("450 mailbox busy")
	})
	o.Exec(t, `UPDATE contact_method SET failures = 4, failing_since = nightbell_now(), next_try_at = nightbell_now() WHERE user_id = $1`, o.Ada)
	for n, title := range []string{"a", "b", "c"} {
		o.Accept(t, pagingtest.Firing(title, title, pagingtest.Began))
		for len(o.provider.messages()) <= n {
			look()
		}
	}
	want := o.nextTry(t)
	close(end)
	mails.Wait()
	if got := o.nextTry(t); got != want {
		t.Errorf("the address is tried again in %s, and was to be in %s", got, want)
	}
}

// TestAMailThatIsBrokenOffPutsNoTryOff: its incident is answered, after mails beside it failed.
func TestAMailThatIsBrokenOffPutsNoTryOff(t *testing.T) {
	o, mails, look := besideAnOldMail(t, nil, func(string) error { return errors.New("450 mailbox busy") })
	o.Accept(t, pagingtest.Firing("a", "a", pagingtest.Began))
	look()
	first := pgtest.One[uuid.UUID](t, o.Database, `SELECT id FROM incident`)
	o.Accept(t, pagingtest.Firing("b", "b", pagingtest.Began))
	for len(o.provider.messages()) < 5 {
		look()
	}
	want := o.nextTry(t)
	if err := o.Responder.Respond(t.Context(), o.Org, []uuid.UUID{first}, incident.Acknowledge{By: pagingtest.By(o.Bob, "Bob")}); err != nil {
		t.Fatal(err)
	}
	mails.Wait()
	if got := o.nextTry(t); got != want {
		t.Errorf("the address is tried again in %s, and was to be in %s", got, want)
	}
}

// TestAHungMailPutsTheNextTryOffWhereItWasTheLast: the address is failing and the mail server does not answer.
// Without a wait it would be tried again and again.
func TestAHungMailPutsTheNextTryOffWhereItWasTheLast(t *testing.T) {
	end := make(chan struct{})
	o, mails, look := besideAnOldMail(t, end, nil)
	o.Exec(t, `UPDATE contact_method SET failures = 1, failing_since = nightbell_now(), next_try_at = nightbell_now() WHERE user_id = $1`, o.Ada)
	o.Accept(t, pagingtest.Firing("a", "a", pagingtest.Began))
	for range 15 {
		look()
	}
	close(end)
	mails.Wait()
	if got := o.nextTry(t); got < 3*time.Second {
		t.Errorf("the address is tried again in %s", got)
	}
}
