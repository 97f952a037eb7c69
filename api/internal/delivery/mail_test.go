package delivery_test

import (
	"context"
	"errors"
	"fmt"
	"net/mail"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/emersion/go-smtp"

	"github.com/nightbell/nightbell/api/e2e/smtpcatcher"
	"github.com/nightbell/nightbell/api/internal/alert"
	"github.com/nightbell/nightbell/api/internal/channel/email"
	"github.com/nightbell/nightbell/api/internal/notify"
	"github.com/nightbell/nightbell/api/internal/pagingtest"
	"github.com/nightbell/nightbell/api/internal/platform/postgres/pgtest"
)

// mailOutbox delivers to a mail server that can misbehave.
func mailOutbox(t *testing.T) (*outbox, *smtpcatcher.Catcher) {
	t.Helper()
	catcher, err := smtpcatcher.Start(smtpcatcher.Options{})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = catcher.Close() })
	o := newOutbox(t)
	o.deliverer = o.replica(notify.Email, email.NewServer(email.Options{
		Host: catcher.Host(), Port: catcher.Port(), From: mail.Address{Name: "Nightbell", Address: "nightbell@acme.example"},
	}))
	return o, catcher
}

// TestALostAnswerMakesOneCopy lets the server take each mail and drop the connection
// before it says so: every mail arrives, twice at most, and the copy can be recognised.
func TestALostAnswerMakesOneCopy(t *testing.T) {
	o, catcher := mailOutbox(t)
	const people = 100
	catcher.Fail(smtpcatcher.Fault{At: smtpcatcher.AfterData, Drop: true, Times: people})
	for n := range people {
		o.pageSomebody(t, fmt.Sprint("p", n), alert.High, 0)
	}
	for range 14 {
		deliver(t, o.deliverer)
		o.Clock.Advance(3 * time.Second)
	}
	copies := map[string]int{}
	for _, caught := range catcher.Mails() {
		copies[caught.Get("Message-Id")]++
	}
	if len(copies) != people {
		t.Errorf("%d of %d mails arrived", len(copies), people)
	}
	for id, n := range copies {
		if n != 2 {
			t.Errorf("%s arrived %d times", id, n)
		}
	}
	if got := pgtest.One[int](t, o.Database, `SELECT count(*) FROM notification WHERE state = 'sent'`); got != people {
		t.Errorf("%d pages are sent", got)
	}
}

// TestAnUnknownOutcomeIsRetriedOnce lets the server take every mail and never say so.
func TestAnUnknownOutcomeIsRetriedOnce(t *testing.T) {
	o, catcher := mailOutbox(t)
	catcher.Fail(smtpcatcher.Fault{At: smtpcatcher.AfterData, Drop: true, Times: 1000})
	o.Accept(t, pagingtest.Firing("a", "a", pagingtest.Began))
	for range 20 {
		deliver(t, o.deliverer)
		o.Clock.Advance(time.Minute)
	}
	if got := len(catcher.Mails()); got != 2 {
		t.Errorf("%d copies arrived", got)
	}
	if want := "failed: the mail server got the whole mail and did not say that it took it (2 tries)"; o.states(t) != want {
		t.Errorf("the page is %q", o.states(t))
	}
}

// losesAnswers is a server that may have taken each message while it is broken.
func losesAnswers(broken *atomic.Bool) *provider {
	return &provider{answer: func(context.Context, notify.Message) error {
		if broken.Load() {
			return notify.Installation(notify.UnknownOutcome(errors.New("the answer was lost")))
		}
		return nil
	}}
}

// TestAFaultOfSecondsUsesNoPolicyUp drops each connection at the end of the mail: for six seconds, which
// must lose no page, and for good, which must not take the time of the policy's steps away.
func TestAFaultOfSecondsUsesNoPolicyUp(t *testing.T) {
	for fault, want := range map[time.Duration]string{6 * time.Second: "sent", time.Hour: "failed: the answer was lost (2 tries)"} {
		o := newOutbox(t)
		var broken atomic.Bool
		mails := o.replica(notify.Email, losesAnswers(&broken))
		o.Accept(t, pagingtest.Firing("a", "a", pagingtest.Began))
		for second := range 120 {
			broken.Store(time.Duration(second)*time.Second < fault)
			o.Sweep(t)
			deliver(t, mails)
			o.Clock.Advance(time.Second)
		}
		if got := o.states(t); got != want {
			t.Errorf("a fault of %s: %q, want %q", fault, got, want)
		}
		if got := o.Pages(t); len(got) != 1 {
			t.Errorf("a fault of %s brought the next step on: %v", fault, got)
		}
	}
}

// TestAFaultOfSecondsInAStormLosesNoPage has a page come each second while the server answers no mail.
func TestAFaultOfSecondsInAStormLosesNoPage(t *testing.T) {
	o := newOutbox(t)
	var broken atomic.Bool
	mails := o.replica(notify.Email, losesAnswers(&broken))
	for second := range 45 {
		broken.Store(second < 6)
		if second < 8 {
			o.Accept(t, pagingtest.Firing(fmt.Sprint("a", second), "", pagingtest.Began.Add(time.Duration(second)*time.Second)))
		}
		deliver(t, mails)
		o.Clock.Advance(time.Second)
	}
	if got := pgtest.One[string](t, o.Database, `SELECT string_agg(DISTINCT state, ' ') || ' ' || count(*) FROM notification`); got != "sent 8" {
		t.Errorf("the pages are %q", got)
	}
}

func TestAGreylistedMailArrivesLater(t *testing.T) {
	o, catcher := mailOutbox(t)
	catcher.Fail(smtpcatcher.Fault{At: smtpcatcher.AtRecipient, Code: 451, Message: "greylisted", Times: 3})
	o.Accept(t, pagingtest.Firing("a", "a", pagingtest.Began))
	for _, wait := range []time.Duration{0, 3 * time.Second, 7 * time.Second, 20 * time.Second} {
		o.Clock.Advance(wait)
		deliver(t, o.deliverer)
	}
	if got := len(catcher.Mails()); got != 1 || o.states(t) != "sent" {
		t.Errorf("%d mails, the page is %q", got, o.states(t))
	}
}

func TestAnUnknownMailboxIsSaidAtOnce(t *testing.T) {
	o, catcher := mailOutbox(t)
	catcher.Fail(smtpcatcher.Fault{At: smtpcatcher.AtRecipient, Code: 550, Enhanced: smtp.EnhancedCode{5, 1, 1}, Message: "no such mailbox", Times: 100})
	o.Accept(t, pagingtest.Firing("a", "a", pagingtest.Began))
	deliver(t, o.deliverer)
	if want := "failed: the mail server refused the mail for good: 550 5.1.1 no such mailbox"; o.states(t) != want {
		t.Errorf("the page is %q", o.states(t))
	}
}

// TestWhatIsTurnedAwayWaitsForTheServer: it refuses whom it relays for, as it may refuse mail from outside to one
// recipient. The policy goes on at once, and nothing is lost once it is put right.
func TestWhatIsTurnedAwayWaitsForTheServer(t *testing.T) {
	o, catcher := mailOutbox(t)
	catcher.Fail(smtpcatcher.Fault{At: smtpcatcher.AtRecipient, Code: 554, Enhanced: smtp.EnhancedCode{5, 7, 1}, Message: "Relay access denied", Times: 2})
	o.Accept(t, pagingtest.Firing("a", "a", pagingtest.Began))
	deliver(t, o.deliverer)
	if got := pgtest.One[bool](t, o.Database, `SELECT paging_due_at <= nightbell_now() FROM incident`); !got {
		t.Error("the next step waits for whom the server turns away")
	}
	for range 2 {
		o.Clock.Advance(80 * time.Second)
		deliver(t, o.deliverer)
	}
	if got := len(catcher.Mails()); got != 1 || o.states(t) != "sent" {
		t.Errorf("%d mails, the page is %q", got, o.states(t))
	}
}

// TestAMailThatIsRefusedForWhatItSaysTakesNoOtherAlong: two pages travel together, and the server refuses what
// one of them says. The contact is not to blame.
func TestAMailThatIsRefusedForWhatItSaysTakesNoOtherAlong(t *testing.T) {
	o := newOutbox(t)
	var tries atomic.Int32
	o.provider.answers(func(_ context.Context, message notify.Message) error {
		for _, told := range message.Incidents {
			if told.Title == "spam" {
				tries.Add(1)
				return notify.Installation(notify.Refused(errors.New("554 spam")))
			}
		}
		return nil
	})
	o.Accept(t, pagingtest.Firing("spam", "spam", pagingtest.Began), pagingtest.Firing("sound", "sound", pagingtest.Began))
	for range 55 {
		deliver(t, o.deliverer)
		o.Clock.Advance(time.Second)
	}
	if got := o.states(t); !strings.Contains(got, "pending: 554 spam") || !strings.Contains(got, "sent") {
		t.Errorf("after %d tries the pages are %q", tries.Load(), got)
	}
	if got := pgtest.One[int](t, o.Database, `SELECT count(*) FROM contact_method WHERE failures > 0`); got != 0 {
		t.Errorf("%d contacts are said to fail", got)
	}
}

// TestALostAnswerOfAnOldPageIsTriedOnceMore: the mail server was away for hours, and loses the first answer.
func TestALostAnswerOfAnOldPageIsTriedOnceMore(t *testing.T) {
	o := newOutbox(t)
	said := notify.Installation(errors.New("away"))
	o.provider.answers(func(context.Context, notify.Message) error { return said })
	o.Accept(t, pagingtest.Firing("a", "a", pagingtest.Began))
	for range 200 {
		deliver(t, o.deliverer)
		o.Clock.Advance(time.Minute)
	}
	said = notify.Installation(notify.UnknownOutcome(errors.New("the answer was lost")))
	o.Clock.Advance(notify.LongestWait)
	deliver(t, o.deliverer)
	said = nil
	o.Clock.Advance(notify.UnknownWait)
	deliver(t, o.deliverer)
	if got := o.states(t); got != "sent" {
		t.Errorf("the page is %q", got)
	}
}

// TestAStopUsesUpNoTry: each restart breaks off a mail whose answer is awaited.
func TestAStopUsesUpNoTry(t *testing.T) {
	o := newOutbox(t)
	o.Accept(t, pagingtest.Firing("a", "a", pagingtest.Began))
	for range 3 {
		o.provider.answers(func(ctx context.Context, _ notify.Message) error {
			<-ctx.Done()
			return notify.Installation(notify.UnknownOutcome(errors.New("the answer was lost")))
		})
		stopping := o.patient(o.provider)
		before := len(o.provider.messages())
		if _, err := stopping.Sweep(t.Context()); err != nil {
			t.Fatal(err)
		}
		await(t, func() bool { return len(o.provider.messages()) > before })
		over, end := context.WithCancel(t.Context())
		end()
		if err := stopping.Close(over); err == nil {
			t.Fatal("it waited")
		}
		o.Clock.Advance(time.Minute)
	}
	o.provider.answers(func(context.Context, notify.Message) error { return nil })
	deliver(t, o.deliverer)
	if got := o.states(t); got != "sent" {
		t.Errorf("the page is %q", got)
	}
}
