package delivery_test

import (
	"context"
	"errors"
	"testing"
	"time"

	"github.com/nightbell/nightbell/api/internal/delivery"
	"github.com/nightbell/nightbell/api/internal/notify"
	"github.com/nightbell/nightbell/api/internal/notify/notifydb"
	"github.com/nightbell/nightbell/api/internal/pagingtest"
)

// hangs is a mail server that answers nothing until the channel says what came of it.
func (p *provider) hangs() (outcome chan error) {
	outcome = make(chan error)
	p.answers(func(context.Context, notify.Message) error { return <-outcome })
	return outcome
}

// look has an outbox look each second, as leases want to be renewed.
func (o *outbox) look(t *testing.T, mails *delivery.Outbox, after time.Duration) {
	t.Helper()
	for range int(after / time.Second) {
		o.Clock.Advance(time.Second)
		if _, err := mails.Sweep(t.Context()); err != nil {
			t.Fatal(err)
		}
	}
}

// TestWhatHungAtOneReplicaIsLeftToAnother, whose way to the mail server may be better, and is tried here again
// after that.
func TestWhatHungAtOneReplicaIsLeftToAnother(t *testing.T) {
	for name, replicas := range map[string]int{"two replicas": 2, "one replica": 1} {
		t.Run(name, func(t *testing.T) {
			o := newOutbox(t)
			outcome, mails := o.provider.hangs(), o.patient(o.provider)
			o.Accept(t, pagingtest.Firing("a", "a", pagingtest.Began))
			o.Exec(t, `UPDATE notification SET attempts = 5`) // which failed at once: the next would follow in a minute
			o.look(t, mails, 80*time.Second)
			outcome <- notify.Installation(errors.New("the mail server did not answer in time"))
			mails.Wait()
			o.look(t, mails, 4*time.Second)
			if got := len(o.provider.messages()); got != 1 {
				t.Fatalf("%d tries here while another replica may take it", got)
			}
			if replicas == 2 {
				other := &provider{}
				deliver(t, o.patient(other))
				if got := other.messages(); len(got) != 1 || got[0].Tries != 7 {
					t.Errorf("the other replica sent %v", got)
				}
				return
			}
			o.look(t, mails, 2*time.Second)
			await(t, func() bool { return len(o.provider.messages()) == 2 }) // it has waited already while it hung
			outcome <- nil
			mails.Wait()
			if got := o.states(t); got != "sent" {
				t.Errorf("the page is %q", got)
			}
		})
	}
}

// TestBesideAPatientMailAnotherSoonGivesWay: the second try of a waits for minutes. What comes later finds out
// whether the server is back, and does not take minutes for it.
func TestBesideAPatientMailAnotherSoonGivesWay(t *testing.T) {
	o := newOutbox(t)
	o.Exec(t, `UPDATE contact_method SET verified_at = nightbell_now() WHERE user_id = $1`, o.Ada)
	outcome, mails := o.provider.hangs(), o.patient(o.provider)
	away := notify.Installation(errors.New("the mail server did not answer in time"))
	begun := func(want int) {
		t.Helper()
		await(t, func() bool { return len(o.provider.messages()) == want })
	}
	o.Accept(t, pagingtest.Firing("a", "a", pagingtest.Began))
	o.look(t, mails, time.Second)
	begun(1)
	outcome <- away
	mails.Wait()
	o.look(t, mails, 4*time.Second)
	begun(2)
	o.Accept(t, pagingtest.Firing("b", "b", pagingtest.Began))
	o.Exec(t, `UPDATE notification SET attempts = 3 WHERE state = 'pending'`)
	o.look(t, mails, notifydb.Lease+time.Second)
	begun(3)
	outcome <- nil
	outcome <- nil
	mails.Wait()
	var tries []int
	for _, message := range o.provider.messages() {
		tries = append(tries, message.Tries)
	}
	if len(tries) != 3 || tries[0] != 1 || tries[1] != 2 || tries[2] != 1 {
		t.Errorf("the mails are as patient as tries %v", tries)
	}
	o.Accept(t, pagingtest.Firing("c", "c", pagingtest.Began))
	o.look(t, mails, time.Second)
	begun(4)
	outcome <- nil
	mails.Wait()
}
