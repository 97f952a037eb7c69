package delivery_test

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/nightbell/nightbell/api/internal/alert"
	"github.com/nightbell/nightbell/api/internal/delivery"
	"github.com/nightbell/nightbell/api/internal/notify"
	"github.com/nightbell/nightbell/api/internal/notify/notifydb"
	"github.com/nightbell/nightbell/api/internal/pagingtest"
	"github.com/nightbell/nightbell/api/internal/platform/postgres/pgtest"
)

// turns are the incidents for which it is Bob's turn, the policy's next step.
func (o *outbox) turns(t *testing.T) []string {
	t.Helper()
	return o.Texts(t, `SELECT i.title FROM notification n JOIN incident i ON i.org_id = n.org_id AND i.id = n.incident_id WHERE n.user_id = $1 ORDER BY i.title`, o.Bob)
}

// dead makes Ada's contact one that failed as often as a dead one, and is due to be tried again.
func (o *outbox) dead(t *testing.T) {
	t.Helper()
	o.Exec(t, `UPDATE contact_method SET verified_at = nightbell_now(), failures = $2, failing_since = nightbell_now(), next_try_at = nightbell_now() WHERE user_id = $1`, o.Ada, notify.DeadAfter)
}

// TestTheNextStepDoesNotWaitForAMailThatHangsToADeadContact: the mail that finds out whether Ada's dead
// address is back hangs, and another incident opens. An alert that arrives may hold that one meanwhile.
func TestTheNextStepDoesNotWaitForAMailThatHangsToADeadContact(t *testing.T) {
	for name, locked := range map[string]bool{"free": false, "locked for a while": true} {
		t.Run(name, func(t *testing.T) {
			o := newOutbox(t)
			o.Clock.Freeze(o.Clock.Now())
			o.dead(t)
			hang := make(chan struct{})
			o.provider.answers(func(context.Context, notify.Message) error { <-hang; return nil })
			mails := o.patient(o.provider)
			t.Cleanup(func() { close(hang); mails.Wait() })
			look := func(seconds int) {
				for range seconds {
					if _, err := mails.Sweep(t.Context()); err != nil {
						t.Fatal(err)
					}
					o.Clock.Advance(time.Second)
				}
			}
			o.Accept(t, pagingtest.Firing("a", "a", pagingtest.Began))
			look(1)
			await(t, func() bool { return len(o.provider.messages()) == 1 })
			o.Accept(t, pagingtest.Firing("b", "b", pagingtest.Began))
			arriving, err := o.Owner(t).Begin(t.Context())
			if err != nil {
				t.Fatal(err)
			}
			if locked {
				for _, sql := range []string{`SET LOCAL ROLE nightbell_system`, `SELECT FROM incident FOR NO KEY UPDATE`} {
					if _, err := arriving.Exec(t.Context(), sql); err != nil {
						t.Fatal(err)
					}
				}
			}
			look(12) // eight seconds until the mail is slow, and a third of a lease
			if err := arriving.Rollback(t.Context()); err != nil {
				t.Fatal(err)
			}
			look(2)
			o.Sweep(t)
			if got := o.turns(t); !slices.Equal(got, []string{"a", "b"}) {
				t.Errorf("14 seconds later it is Bob's turn for %q", got)
			}
		})
	}
}

// TestTheNextStepDoesNotWaitForASlotForADeadContact: mails to others hang in all slots of the organization, so
// that Ada's dead address is not tried again.
func TestTheNextStepDoesNotWaitForASlotForADeadContact(t *testing.T) {
	o := newOutbox(t)
	o.Clock.Freeze(o.Clock.Now())
	o.addPeople(t, o.Workspace, delivery.SendsPerOrg(notify.Email), notify.Email, notify.Webhook)
	hung := newTarpit(t, "")
	mails := o.patient(hung)
	sent := func() int { return len(hung.messages()) }
	o.Accept(t, pagingtest.Firing("a", "a", pagingtest.Began))
	o.sweepUntilNothingBegins(t, mails, sent)
	o.SetSteps(t, pagingtest.Page(pagingtest.User(o.Ada)), pagingtest.Page(pagingtest.User(o.Bob)))
	o.dead(t)
	o.Accept(t, pagingtest.Firing("b", "b", pagingtest.Began))
	for range 12 {
		o.sweepUntilNothingBegins(t, mails, sent)
		o.Clock.Advance(time.Second)
	}
	o.Sweep(t)
	if got := o.turns(t); !slices.Equal(got, []string{"b"}) {
		t.Errorf("12 seconds later it is Bob's turn for %q", got)
	}
	close(hung.release)
	mails.Wait()
}

// TestTheNextStepComesAlsoForAPageThatFailedByOurMistake: such a page is in none of the messages that find
// Ada's only webhook dead, because it is tried alone.
func TestTheNextStepComesAlsoForAPageThatFailedByOurMistake(t *testing.T) {
	o := newOutbox(t)
	o.Clock.Freeze(o.Clock.Now())
	hooks := &provider{answer: func(context.Context, notify.Message) error { panic("once") }}
	hookOutbox := o.replica(notify.Webhook, hooks)
	hook := o.hookFirst(t, -1)
	o.Accept(t, pagingtest.Firing("a", "a", pagingtest.Began))
	deliver(t, hookOutbox)
	hooks.answers(func(context.Context, notify.Message) error { return errors.New("no answer in time") })
	o.Accept(t, pagingtest.Firing("b", "b", pagingtest.Began))
	for range 65 { // a minute of tries
		deliver(t, hookOutbox)
		o.Clock.Advance(time.Second)
	}
	o.Sweep(t)
	if got := o.turns(t); !slices.Equal(got, []string{"a", "b"}) {
		t.Errorf("it is Bob's turn for %q; the contact is %q", got, o.failing(t, hook))
	}
	for _, message := range hooks.messages()[1:] {
		if slices.ContainsFunc(message.Incidents, func(i notify.Incident) bool { return i.Title == "a" }) {
			t.Error("the page that failed by our mistake was not left out")
		}
	}
}

// TestTheNextStepsOfAStormCome for each of the many incidents that only a dead contact was paged for.
func TestTheNextStepsOfAStormCome(t *testing.T) {
	o := newOutbox(t)
	o.Clock.Freeze(o.Clock.Now())
	hooks := &provider{answer: func(context.Context, notify.Message) error { return errors.New("no answer in time") }}
	hookOutbox := o.replica(notify.Webhook, hooks)
	hook := o.hookFirst(t, -1)
	const storm = 2*notifydb.MaxWaiting + 100
	var alerts []alert.Received
	for n := range storm {
		alerts = append(alerts, pagingtest.Firing(fmt.Sprint("a", n), fmt.Sprint("a", n), pagingtest.Began))
	}
	o.Accept(t, alerts...)
	for range 68 { // a minute of tries, and what follows
		deliver(t, hookOutbox)
		o.Clock.Advance(time.Second)
	}
	if got := pgtest.One[int](t, o.Database, `SELECT count(*) FROM incident WHERE paging_due_at <= nightbell_now()`); got != storm {
		t.Errorf("the next step is due for %d of %d incidents; the contact is %q", got, storm, o.failing(t, hook))
	}
}

// TestAStepThatIsHurriedIntoOtherHoursIsPagedAtItsOwnTime: Ada's webhook is gone ten minutes before the day's step pages
// anybody. It would have been due half an hour later, and still is.
func TestAStepThatIsHurriedIntoOtherHoursIsPagedAtItsOwnTime(t *testing.T) {
	o := newOutbox(t)
	o.Clock.Freeze(o.Clock.Now())
	hookOutbox := o.replica(notify.Webhook, &provider{answer: func(context.Context, notify.Message) error { return notify.Permanent(errors.New("HTTP 410")) }})
	o.hookFirst(t, -1)
	began := o.Clock.Now().UTC()
	soon := began.Hour()*60 + began.Minute() + 10
	first, day := pagingtest.Page(pagingtest.User(o.Ada)), pagingtest.Page(pagingtest.User(o.Bob))
	first.Wait, day.Windows = 30*time.Minute, []pagingtest.Window{{From: soon % 1440, To: (soon + 600) % 1440}}
	o.SetSteps(t, first, day)
	o.Exec(t, `UPDATE escalation_policy SET timezone = 'UTC'`)
	o.Accept(t, pagingtest.Firing("a", "a", pagingtest.Began))
	for o.Clock.Now().Before(began.Add(10 * time.Second)) {
		o.second(t, hookOutbox)
	}
	if got := o.Texts(t, `SELECT message FROM timeline_event WHERE kind = 'step_skipped'`); len(got) != 1 || !strings.Contains(got[0], "It is asked again at") {
		t.Errorf("in the first seconds the timeline says %q", got)
	}
	for o.Clock.Now().Before(began.Add(31 * time.Minute)) {
		if got, early := o.turns(t), o.Clock.Now().Before(began.Add(30*time.Minute)); early && len(got) > 0 {
			t.Fatalf("%s early it is Bob's turn", began.Add(30*time.Minute).Sub(o.Clock.Now()))
		}
		o.Clock.Advance(29 * time.Second)
		o.second(t, hookOutbox)
	}
	if got := o.turns(t); !slices.Equal(got, []string{"a"}) {
		t.Errorf("after half an hour it is Bob's turn for %q: %q", got, o.Pages(t))
	}
}
