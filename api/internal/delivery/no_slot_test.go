package delivery_test

import (
	"context"
	"fmt"
	"testing"
	"time"

	"github.com/google/uuid"

	"github.com/nightbell/nightbell/api/internal/delivery"
	"github.com/nightbell/nightbell/api/internal/kernel/id"
	"github.com/nightbell/nightbell/api/internal/notify"
	"github.com/nightbell/nightbell/api/internal/notify/notifydb"
	"github.com/nightbell/nightbell/api/internal/pagingtest"
	"github.com/nightbell/nightbell/api/internal/platform/postgres/pgtest"
)

// addPeople adds people whose first contact method is of a kind, and whose next one, of
// another, follows ten minutes later. A step pages all of them.
func (o *outbox) addPeople(t *testing.T, w *pagingtest.Workspace, n int, first, next notify.Kind) {
	t.Helper()
	var team []pagingtest.Target
	for i := range n {
		person := w.AddPerson(t, fmt.Sprint("Member ", i))
		team = append(team, pagingtest.User(person))
		w.Exec(t, `DELETE FROM contact_method WHERE user_id = $1`, person)
		for delay, kind := range map[int]notify.Kind{0: first, 600: next} {
			contact := id.New()
			w.Exec(t, `INSERT INTO contact_method (org_id, id, user_id, kind, name, address, verified_at, created_at)
				VALUES ($1, $2, $3, $4, 'way', $5, nightbell_now(), nightbell_now())`, w.Org, contact, person, kind, fmt.Sprint(kind, i))
			w.Exec(t, `INSERT INTO notification_rule (org_id, id, user_id, contact_method_id, urgency, delay_seconds, created_at)
				VALUES ($1, $2, $3, $4, 'high', $5, nightbell_now())`, w.Org, id.New(), person, contact, delay)
		}
	}
	w.SetSteps(t, pagingtest.Page(team...))
}

// patient is an outbox whose sends may take an hour, as those of e-mail do.
func (o *outbox) patient(channel notify.Channel) *delivery.Outbox {
	return delivery.New(o.DB, notify.Email, channel, delivery.Options{
		Logger: quiet, PublicURL: "https://nightbell.example", AckKey: linkKey, Patience: time.Hour,
		Changed: func(uuid.UUID) {}, Freed: func() {}, Lateness: func(string, time.Duration) {},
	})
}

// sweepUntilNothingBegins sweeps, without waiting for providers, until no send begins any more.
func (o *outbox) sweepUntilNothingBegins(t *testing.T, outbox *delivery.Outbox, sent func() int) {
	t.Helper()
	before := pgtest.One[int](t, o.Database, `SELECT count(*) FROM delivery`) - sent()
	for begun := -1; begun != sent(); {
		begun = sent()
		if _, err := outbox.Sweep(t.Context()); err != nil {
			t.Fatal(err)
		}
		claimed := pgtest.One[int](t, o.Database, `SELECT count(*) FROM delivery`) - before
		await(t, func() bool { return sent() == claimed })
	}
}

// TestWhoGetsNoSlotOfAHungMailServerIsReachedByTheNextMethod pages 40 people by a mail server
// that takes connections and never answers. Who has no send slot hears of it 8 seconds later
// by the next method, which the rules would use after ten minutes, and only once by each.
func TestWhoGetsNoSlotOfAHungMailServerIsReachedByTheNextMethod(t *testing.T) {
	o := newOutbox(t)
	const people = 40
	o.addPeople(t, o.Workspace, people, notify.Email, notify.Webhook)
	hung := newTarpit(t, "email")
	mails, hooks := o.patient(hung), &provider{}
	hookOutbox := o.replica(notify.Webhook, hooks)
	o.Accept(t, pagingtest.Firing("a", "a", pagingtest.Began))
	sent := func() int { return len(hung.messages()) }
	o.sweepUntilNothingBegins(t, mails, sent)
	hanging := sent()
	if hanging == 0 || hanging >= people {
		t.Fatalf("%d of %d mails hang, want some to have no slot", hanging, people)
	}
	o.Clock.Advance(notifydb.Lease / 2)
	o.sweepUntilNothingBegins(t, mails, sent)
	deliver(t, hookOutbox)
	if got := len(hooks.messages()); got != 0 {
		t.Errorf("after 5 seconds the next method was used %d times", got)
	}
	o.Clock.Advance(4 * time.Second)
	o.sweepUntilNothingBegins(t, mails, sent)
	deliver(t, hookOutbox)
	if got := len(hooks.messages()); got != people {
		t.Errorf("after 9 seconds %d of %d people were reached by the next method", got, people)
	}
	hung.answers(nil)
	close(hung.release)
	mails.Wait()
	for range 20 {
		deliver(t, mails)
		deliver(t, hookOutbox)
		o.Clock.Advance(75 * time.Second)
	}
	copies := map[string]int{}
	for _, message := range append(hung.messages()[hanging:], hooks.messages()...) {
		copies[message.To.Address]++
	}
	for address, n := range copies {
		if n > 2 { // a mail that hung and was told to have failed is tried again
			t.Errorf("%s got %d messages", address, n)
		}
	}
	if got := pgtest.One[int](t, o.Database, `SELECT count(*) FROM notification WHERE state = 'sent'`); got != 2*people {
		t.Errorf("%d pages were sent in the end, want each planned one: %d", got, 2*people)
	}
}

// TestOneMailAtATimeFindsOutWhetherAHungServerIsBack: connections that the server forgot hang
// for up to ten minutes more, and must not keep the mails that it would take again.
func TestOneMailAtATimeFindsOutWhetherAHungServerIsBack(t *testing.T) {
	o := newOutbox(t)
	const people = 40
	o.addPeople(t, o.Workspace, people, notify.Email, notify.Webhook)
	hung := newTarpit(t, "email")
	mails := o.patient(hung)
	o.Accept(t, pagingtest.Firing("a", "a", pagingtest.Began))
	sent := func() int { return len(hung.messages()) }
	o.sweepUntilNothingBegins(t, mails, sent)
	hanging := sent()
	for probe := range 3 { // each turns slow, too
		o.Clock.Advance(notifydb.Lease / 2)
		o.sweepUntilNothingBegins(t, mails, sent)
		o.Clock.Advance(4 * time.Second)
		o.sweepUntilNothingBegins(t, mails, sent)
		if got := sent(); got != hanging+probe+1 {
			t.Fatalf("%d mails began after %d hung for %d x 9 seconds, want one more each time", got, hanging, probe+1)
		}
	}
	o.Clock.Advance(notifydb.Lease / 2)
	o.sweepUntilNothingBegins(t, mails, sent)
	o.Clock.Advance(4 * time.Second)
	hung.answers(func(context.Context, notify.Message) error { return nil }) // to new connections
	for range people {
		if _, err := mails.Sweep(t.Context()); err != nil {
			t.Fatal(err)
		}
		await(t, func() bool {
			return pgtest.One[int](t, o.Database, `SELECT count(*) FROM delivery WHERE outcome = 'sending'`) == hanging+3
		})
	}
	if got := sent(); got != people {
		t.Errorf("%d of %d mails were sent while the old connections hang", got, people)
	}
}

// TestWhoGetsNoSlotOfHisOrganizationIsReachedByTheNextMethod, by webhook and Slack alike: all
// slots of the organization hang. Nobody else is told early.
func TestWhoGetsNoSlotOfHisOrganizationIsReachedByTheNextMethod(t *testing.T) {
	for _, kind := range []notify.Kind{notify.Webhook, notify.Slack} {
		t.Run(string(kind), func(t *testing.T) {
			o := newOutbox(t)
			people := delivery.SendsPerOrg(kind) + 30
			o.addPeople(t, o.Workspace, people, kind, notify.Email)
			hung := newTarpit(t, string(kind))
			outbox := o.replica(kind, hung)
			o.Accept(t, pagingtest.Firing("a", "a", pagingtest.Began))
			other := o.another(t)
			sent := func() int { return len(hung.messages()) }
			o.sweepUntilNothingBegins(t, outbox, sent)
			if sent() != delivery.SendsPerOrg(kind) {
				t.Fatalf("%d sends hang, want all that the organization may have", sent())
			}
			o.Clock.Advance(9 * time.Second) // the sends end by the wall clock, which stands still here
			o.sweepUntilNothingBegins(t, outbox, sent)
			deliver(t, o.deliverer)
			if got := len(o.provider.messages()); got != 30 {
				t.Errorf("%d people without a slot were reached by mail, want 30", got)
			}
			if got := pgtest.One[int](t, o.Database, `SELECT count(*) FROM notification WHERE org_id = $1`, other.Org); got != 0 {
				t.Errorf("another organization has %d pages", got)
			}
			close(hung.release)
			outbox.Wait()
		})
	}
}

// TestAPacedContactKeepsItsPages: bundling makes pages wait on purpose, for longer than a slot
// is waited for.
func TestAPacedContactKeepsItsPages(t *testing.T) {
	o := newOutbox(t)
	hook := addHook(t, o.Workspace, &o.Ada, "ada")
	o.Exec(t, `INSERT INTO notification_rule (org_id, id, user_id, contact_method_id, urgency, delay_seconds, created_at) VALUES ($1, $2, $3, $4, 'high', 600, nightbell_now())`,
		o.Org, id.New(), o.Ada, hook)
	outbox := delivery.New(o.DB, notify.Email, o.provider, delivery.Options{
		Logger: quiet, PublicURL: "https://nightbell.example", AckKey: linkKey, IncidentsPerMinute: 1,
		Changed: func(uuid.UUID) {}, Freed: func() {}, Lateness: func(string, time.Duration) {},
	})
	hooks := &provider{}
	hookOutbox := o.replica(notify.Webhook, hooks)
	for n := range 40 {
		o.Accept(t, pagingtest.Firing(fmt.Sprint("a", n), fmt.Sprint("a", n), pagingtest.Began))
		deliver(t, outbox)
		deliver(t, hookOutbox)
		o.Clock.Advance(time.Second)
	}
	if mails := len(o.provider.messages()); mails > 10 || len(hooks.messages()) != 0 {
		t.Errorf("%d mails and %d calls: want few mails, and no call for pages that are bundled", mails, len(hooks.messages()))
	}
}
