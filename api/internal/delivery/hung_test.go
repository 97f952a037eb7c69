package delivery_test

import (
	"context"
	"errors"
	"testing"
	"time"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"

	"github.com/nightbell/nightbell/api/internal/delivery"
	"github.com/nightbell/nightbell/api/internal/notify"
	"github.com/nightbell/nightbell/api/internal/notify/notifydb"
	"github.com/nightbell/nightbell/api/internal/pagingtest"
	"github.com/nightbell/nightbell/api/internal/platform/postgres"
	"github.com/nightbell/nightbell/api/internal/platform/postgres/pgtest"
)

// TestAPageBehindAMailThatHangsLeavesByAConnectionOfItsOwn: Ada has nothing but e-mail, and the mail server
// took a connection and says nothing. What comes later does not wait ten minutes for it, from any replica.
func TestAPageBehindAMailThatHangsLeavesByAConnectionOfItsOwn(t *testing.T) {
	o := newOutbox(t)
	o.Exec(t, `UPDATE contact_method SET verified_at = nightbell_now() WHERE user_id = $1`, o.Ada)
	hang := make(chan struct{})
	hangs := map[string]bool{"a": true, "b": true, "c": true, "d": true}
	o.provider.answers(func(_ context.Context, message notify.Message) error {
		if hangs[message.Incidents[0].Title] {
			<-hang
		}
		return nil
	})
	outboxes := []*delivery.Outbox{o.patient(o.provider), o.patient(o.provider)}
	look := func(after time.Duration) {
		for range int(after / time.Second) { // as leases want to be renewed
			o.Clock.Advance(time.Second)
			for _, outbox := range outboxes {
				if _, err := outbox.Sweep(t.Context()); err != nil {
					t.Fatal(err)
				}
			}
		}
	}
	begun := func(after time.Duration, want int, why string) {
		t.Helper()
		look(after)
		await(t, func() bool { return len(o.provider.messages()) >= want })
		if got := len(o.provider.messages()); got != want {
			t.Fatalf("%d mails began, want %d: %s", got, want, why)
		}
	}
	accept := func(name string) { o.Accept(t, pagingtest.Firing(name, name, pagingtest.Began)) }
	accept("a")
	begun(time.Second, 1, "nothing is under way")
	accept("b")
	begun(notifydb.Lease-2*time.Second, 1, "the first may still be on its way")
	begun(3*time.Second, 2, "the first hangs")
	accept("c")
	begun(4*notifydb.Lease-3*time.Second, 2, "two are under way")
	begun(4*time.Second, 3, "both hang")
	accept("d")
	begun(4*notifydb.Lease+time.Second, 4, "three hang")
	accept("e")
	begun(30*notifydb.Lease, 4, "four hang")
	close(hang)
	outboxes[0].Wait()
	outboxes[1].Wait()
	begun(time.Second, 5, "the server answers")
	outboxes[0].Wait()
	outboxes[1].Wait()
	if got := o.states(t); got != "sent\nsent\nsent\nsent\nsent" {
		t.Errorf("the pages are %q", got)
	}
	for _, message := range o.provider.messages() {
		if len(message.Incidents) != 1 {
			t.Errorf("a mail tells of %d incidents", len(message.Incidents))
		}
	}
}

// TestAMailWhoseLeaseWasLostIsBrokenOff: the database was away while a mail hung, so that nobody renewed
// its lease. Its pages, and what came after them, would wait until the mail server gives the connection up.
func TestAMailWhoseLeaseWasLostIsBrokenOff(t *testing.T) {
	o := newOutbox(t)
	o.provider.answers(func(ctx context.Context, _ notify.Message) error {
		if len(o.provider.messages()) > 1 {
			return nil
		}
		<-ctx.Done()
		return notify.Installation(errors.New("the mail server did not answer in time"))
	})
	mails := o.patient(o.provider)
	sweep := func() {
		if _, err := mails.Sweep(t.Context()); err != nil {
			t.Fatal(err)
		}
	}
	o.Accept(t, pagingtest.Firing("a", "a", pagingtest.Began))
	sweep()
	await(t, func() bool { return len(o.provider.messages()) == 1 })
	o.Accept(t, pagingtest.Firing("b", "b", pagingtest.Began))
	o.Clock.Advance(notifydb.Lease + time.Second) // nobody looks
	sweep()
	if got := len(o.provider.messages()); got != 1 {
		t.Fatalf("%d mails began while the send may still come to its end", got)
	}
	o.Clock.Advance(notifydb.Lease)
	sweep()
	mails.Wait()
	for range 10 {
		sweep()
		mails.Wait()
		o.Clock.Advance(time.Second)
	}
	if got := o.states(t); got != "sent\nsent" {
		t.Errorf("the pages are %q", got)
	}
}

// TestAnOldFailureIsNoNews: the try began when the contact had failed four times, and ends after another
// message got through. The contact rests as after its first failure.
func TestAnOldFailureIsNoNews(t *testing.T) {
	o := newOutbox(t)
	o.Exec(t, `UPDATE contact_method SET failures = 4 WHERE user_id = $1`, o.Ada)
	o.provider.answers(func(context.Context, notify.Message) error {
		o.Exec(t, `UPDATE contact_method SET failures = 0, next_try_at = NULL WHERE user_id = $1`, o.Ada)
		return errors.New("the mail server refused the recipient for now")
	})
	o.Accept(t, pagingtest.Firing("a", "a", pagingtest.Began))
	deliver(t, o.deliverer)
	if got := pgtest.One[int](t, o.Database, `SELECT count(*) FROM contact_method WHERE user_id = $1 AND failures = 1 AND next_try_at < nightbell_now() + interval '5 seconds'`, o.Ada); got != 1 {
		t.Error("a contact that works is rested for long")
	}
}

// TestAContactThatWorksFreesWhatJustFailed: a message fails while the success of another is recorded. Its
// page waits for the contact to work, and nothing else would say so for two hours.
func TestAContactThatWorksFreesWhatJustFailed(t *testing.T) {
	o := newOutbox(t)
	o.Accept(t, pagingtest.Firing("a", "a", pagingtest.Began))
	contact := pgtest.One[uuid.UUID](t, o.Database, `SELECT contact_method_id FROM notification`)
	failing, err := o.Owner(t).Begin(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	for _, sql := range []string{
		`SET LOCAL ROLE nightbell_system`,
		`UPDATE notification SET next_try_at = nightbell_now() + interval '2 hours'`,
		`UPDATE contact_method SET failures = failures + 1, next_try_at = nightbell_now() + interval '2 seconds'`,
	} {
		if _, err := failing.Exec(t.Context(), sql); err != nil {
			t.Fatal(err)
		}
	}
	recorded := make(chan error)
	go func() {
		recorded <- o.InSystem(t.Context(), postgres.Sweep, func(ctx context.Context, tx pgx.Tx) error {
			now, err := postgres.Now(ctx, tx)
			if err != nil {
				return err
			}
			batch := &pgx.Batch{}
			notifydb.QueueContactWorks(batch, notifydb.Claim{OrgID: o.Org, ContactMethodID: contact}, now)
			return postgres.Finish(ctx, tx, batch)
		})
	}()
	await(t, func() bool {
		return pgtest.One[int](t, o.Database, `SELECT count(*) FROM pg_locks WHERE NOT granted`) > 0
	})
	if err := failing.Commit(t.Context()); err != nil {
		t.Fatal(err)
	}
	if err := <-recorded; err != nil {
		t.Fatal(err)
	}
	if got := pgtest.One[int](t, o.Database, `SELECT count(*) FROM notification WHERE next_try_at <= nightbell_now()`); got != 1 {
		t.Error("the page waits on, and the contact works")
	}
}

// TestAContactThatFailedBesideAMailThatHangsIsTriedAgain: of three mails to Ada the first fails, the second gets
// through, and the third hangs. Nothing waits for the third.
func TestAContactThatFailedBesideAMailThatHangsIsTriedAgain(t *testing.T) {
	for name, second := range map[string]error{"after another got through": nil, "after another failed beside it": errors.New("greylisted")} {
		t.Run(name, func(t *testing.T) {
			o := newOutbox(t)
			o.Exec(t, `UPDATE contact_method SET verified_at = nightbell_now() WHERE user_id = $1`, o.Ada)
			answers := map[string]chan error{"a": make(chan error), "b": make(chan error), "c": make(chan error)}
			o.provider.answers(func(_ context.Context, message notify.Message) error {
				title := message.Incidents[0].Title
				if answer := answers[title]; answer != nil && o.provider.first(title) {
					return <-answer
				}
				return nil
			})
			mails := o.patient(o.provider)
			look := func(seconds int) {
				for range seconds {
					o.Clock.Advance(time.Second)
					if _, err := mails.Sweep(t.Context()); err != nil {
						t.Fatal(err)
					}
				}
			}
			for i, title := range []string{"a", "b", "c"} {
				o.Accept(t, pagingtest.Firing(title, title, pagingtest.Began))
				look(45)
				await(t, func() bool { return len(o.provider.messages()) == i+1 })
			}
			ended := func() int {
				return pgtest.One[int](t, o.Database, `SELECT count(*) FROM delivery WHERE outcome <> 'sending'`)
			}
			answers["a"] <- errors.New("greylisted")
			await(t, func() bool { return ended() == 1 })
			answers["b"] <- second
			await(t, func() bool { return ended() == 2 })
			if got := o.failing(t, pgtest.One[uuid.UUID](t, o.Database, `SELECT id FROM contact_method WHERE user_id = $1`, o.Ada)); second != nil && got != "1 true greylisted" {
				t.Errorf("the contact is %q, want one failure: neither try began after the other", got)
			}
			look(20)
			await(t, func() bool {
				return pgtest.One[int](t, o.Database, `SELECT count(*) FROM notification WHERE state = 'sent'`) == 2
			})
			answers["c"] <- nil
			mails.Wait()
		})
	}
}

// first reports whether only one message begins with the incident.
func (p *provider) first(title string) bool {
	n := 0
	for _, message := range p.messages() {
		if message.Incidents[0].Title == title {
			n++
		}
	}
	return n == 1
}
