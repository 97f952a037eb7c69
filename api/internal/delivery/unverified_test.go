package delivery_test

import (
	"context"
	"errors"
	"strings"
	"testing"
	"time"

	"github.com/google/uuid"

	"github.com/nightbell/nightbell/api/internal/delivery"
	"github.com/nightbell/nightbell/api/internal/notify"
	"github.com/nightbell/nightbell/api/internal/pagingtest"
	"github.com/nightbell/nightbell/api/internal/platform/postgres/pgtest"
)

// withMailServer makes the outbox one from which mail leaves the installation.
func (o *outbox) withMailServer() {
	o.deliverer = delivery.New(o.DB, notify.Email, o.provider, delivery.Options{
		Logger: quiet, PublicURL: "https://nightbell.example", AckKey: linkKey, VerifyMail: true,
		Changed: func(uuid.UUID) {}, Freed: func() {}, Lateness: func(string, time.Duration) {},
	})
}

// TestAnUnverifiedAddressIsNotPaged: a stranger must not be able to send his own text to any
// address. The incident says why, and the next contact is paged.
func TestAnUnverifiedAddressIsNotPaged(t *testing.T) {
	o := newOutbox(t)
	o.withMailServer()
	o.Exec(t, `UPDATE contact_method SET verified_at = nightbell_now() WHERE user_id = $1`, o.Bob)
	o.Accept(t, pagingtest.Firing("checkout", "checkout", pagingtest.Began))
	deliver(t, o.deliverer)
	if sent := o.provider.messages(); len(sent) != 0 {
		t.Fatalf("sent %+v to an address that nobody confirmed", sent)
	}
	said := o.Texts(t, `SELECT message FROM timeline_event WHERE org_id = $1 AND kind = 'page_failed'`, o.Org)
	if len(said) != 1 || !strings.Contains(said[0], "Ada could not be paged by e-mail") || !strings.Contains(said[0], "is not confirmed yet") {
		t.Errorf("the incident says %q", said)
	}
	o.Clock.Advance(6 * time.Minute)
	o.Sweep(t)
	deliver(t, o.deliverer)
	if sent := o.provider.messages(); len(sent) != 1 || sent[0].UserID != o.Bob || sent[0].SignInURL != "" {
		t.Errorf("after Ada's step %+v was sent, want Bob's page", sent)
	}

	o.Exec(t, `UPDATE contact_method SET verified_at = nightbell_now() WHERE user_id = $1`, o.Ada)
	o.Accept(t, pagingtest.Firing("search", "search", pagingtest.Began))
	deliver(t, o.deliverer)
	if sent := o.provider.messages(); len(sent) != 2 || sent[1].UserID != o.Ada {
		t.Errorf("once confirmed, %+v was sent", sent)
	}
}

// TestARoundThatReachesNobodyIsFollowedByTheLastResort: a workspace whose only contact is not confirmed
// yet would otherwise be told after all repeats of its policy, a quarter of an hour later.
func TestARoundThatReachesNobodyIsFollowedByTheLastResort(t *testing.T) {
	o := newOutbox(t)
	o.withMailServer()
	o.Exec(t, `UPDATE membership SET role = 'owner' WHERE user_id = $1`, o.Ada)
	o.Exec(t, `UPDATE escalation_policy SET repeats = 3`)
	o.Accept(t, pagingtest.Firing("checkout", "checkout", pagingtest.Began))
	for range 4 { // each step fails at once, and the next one is due with it
		deliver(t, o.deliverer)
		o.Sweep(t)
	}
	if sent := o.provider.messages(); len(sent) == 0 || sent[0].UserID != o.Ada || sent[0].SignInURL == "" {
		t.Errorf("sent %+v, want the owner's mail", sent)
	}
	if said := o.Texts(t, `SELECT message FROM timeline_event WHERE org_id = $1 AND kind = 'last_resort'`, o.Org); len(said) != 1 || !strings.Contains(said[0], "Nobody could be reached") {
		t.Errorf("the incident says %q", said)
	}
}

// TestTheLastResortReachesAnUnverifiedOwner with the same words for everybody, and so many
// times a day.
func TestTheLastResortReachesAnUnverifiedOwner(t *testing.T) {
	o := newOutbox(t)
	o.Clock.Freeze(pagingtest.Began) // all of it on one day
	o.withMailServer()
	for n := range notify.LastResortShare.MostBefore + 2 {
		name := "problem " + string(rune('a'+n))
		o.Accept(t, pagingtest.Firing(name, name, pagingtest.Began))
		o.Exec(t, `UPDATE notification SET why = why || '{"target_kind": "owner"}' WHERE finished_at IS NULL`)
		deliver(t, o.deliverer)
		o.Clock.Advance(6 * time.Minute) // or the contact would be flooded
	}
	sent := o.provider.messages()
	if len(sent) != notify.LastResortShare.MostBefore {
		t.Fatalf("%d mails in a day to an address that nobody confirmed, want %d", len(sent), notify.LastResortShare.MostBefore)
	}
	if sent[0].SignInURL != "https://nightbell.example/incidents" {
		t.Errorf("the message is %+v", sent[0])
	}
	if n := pgtest.One[int](t, o.Database, `SELECT count(*) FROM timeline_event WHERE kind = 'page_failed' AND message LIKE '%may send in a day%'`); n != 2 {
		t.Errorf("%d incidents say that the share of the day is used up, want 2", n)
	}
	o.Clock.Advance(24 * time.Hour)
	o.Accept(t, pagingtest.Firing("tomorrow", "tomorrow", pagingtest.Began))
	o.Exec(t, `UPDATE notification SET why = why || '{"target_kind": "owner"}' WHERE finished_at IS NULL`)
	deliver(t, o.deliverer)
	if got := len(o.provider.messages()); got != notify.LastResortShare.MostBefore+1 {
		t.Errorf("%d mails after a day", got)
	}
}

// TestAMailServerThatIsAwayUsesUpNoShare keeps the last resort of a day for mails that go out.
func TestAMailServerThatIsAwayUsesUpNoShare(t *testing.T) {
	o := newOutbox(t)
	o.withMailServer()
	o.provider.answers(func(context.Context, notify.Message) error {
		return notify.Installation(errors.New("the mail server cannot be reached"))
	})
	o.Accept(t, pagingtest.Firing("a", "a", pagingtest.Began))
	o.Exec(t, `UPDATE notification SET why = why || '{"target_kind": "owner"}' WHERE finished_at IS NULL`)
	for range 20 {
		deliver(t, o.deliverer)
		o.Clock.Advance(75 * time.Second)
	}
	if got := o.states(t); got != "pending: the mail server cannot be reached" {
		t.Errorf("the page is %q", got)
	}
	o.provider.answers(nil)
	deliver(t, o.deliverer)
	if got := o.states(t); got != "sent" {
		t.Errorf("the page is %q", got)
	}
}
