package delivery_test

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/uuid"

	"github.com/nightbell/nightbell/api/internal/delivery"
	"github.com/nightbell/nightbell/api/internal/incident"
	"github.com/nightbell/nightbell/api/internal/kernel/id"
	"github.com/nightbell/nightbell/api/internal/notify"
	"github.com/nightbell/nightbell/api/internal/notify/notifydb"
	"github.com/nightbell/nightbell/api/internal/pagingtest"
	"github.com/nightbell/nightbell/api/internal/platform/postgres/pgtest"
)

// hookFirst pages Ada by a webhook at once and, where mail is not negative, by e-mail so
// long after it.
func (o *outbox) hookFirst(t *testing.T, mail time.Duration) (contact uuid.UUID) {
	t.Helper()
	contact = addHook(t, o.Workspace, &o.Ada, "ada")
	o.Exec(t, `UPDATE notification_rule SET delay_seconds = $2 WHERE user_id = $1`, o.Ada, max(0, int(mail.Seconds())))
	if mail < 0 {
		o.Exec(t, `DELETE FROM notification_rule WHERE user_id = $1`, o.Ada)
	}
	o.Exec(t, `INSERT INTO notification_rule (org_id, id, user_id, contact_method_id, urgency, created_at) VALUES ($1, $2, $3, $4, 'high', nightbell_now())`,
		o.Org, id.New(), o.Ada, contact)
	return contact
}

func (o *outbox) failing(t *testing.T, contact uuid.UUID) string {
	t.Helper()
	return pgtest.One[string](t, o.Database, `SELECT failures || ' ' || (failing_since IS NOT NULL) || ' ' || failing_for FROM contact_method WHERE id = $1`, contact)
}

// TestAWebhookThatFailsIsFollowedByTheNextMethodAtOnce: the e-mail would follow four minutes
// later.
func TestAWebhookThatFailsIsFollowedByTheNextMethodAtOnce(t *testing.T) {
	o := newOutbox(t)
	hooks := &provider{answer: func(context.Context, notify.Message) error { return errors.New("no answer in time") }}
	hookOutbox := o.replica(notify.Webhook, hooks)
	hook := o.hookFirst(t, 4*time.Minute)
	o.Accept(t, pagingtest.Firing("a", "a", pagingtest.Began))
	deliver(t, hookOutbox)
	deliver(t, o.deliverer)
	if got := o.failing(t, hook); len(hooks.messages()) != 1 || len(o.provider.messages()) != 1 || got != "1 true no answer in time" {
		t.Errorf("%d calls, %d mails, the contact is %q", len(hooks.messages()), len(o.provider.messages()), got)
	}
}

// TestADeadWebhookIsNotWaitedFor opens the circuit by three failures. A new page goes to the
// next method without another call, and what the webhook missed is sent when it is back.
func TestADeadWebhookIsNotWaitedFor(t *testing.T) {
	o := newOutbox(t)
	hooks := &provider{answer: func(context.Context, notify.Message) error { return errors.New("no answer in time") }}
	hookOutbox := o.replica(notify.Webhook, hooks)
	hook := o.hookFirst(t, 4*time.Minute)
	o.Accept(t, pagingtest.Firing("a", "a", pagingtest.Began))
	for range 3 {
		deliver(t, hookOutbox)
		o.Clock.Advance(7 * time.Second)
	}
	deliver(t, o.deliverer)
	if got := o.failing(t, hook); got != "3 true no answer in time" || len(o.provider.messages()) != 1 {
		t.Fatalf("after three failures the contact is %q, %d mails", got, len(o.provider.messages()))
	}
	for n := range 50 { // while the circuit is open
		o.Accept(t, pagingtest.Firing(fmt.Sprint("b", n), fmt.Sprint("b", n), pagingtest.Began))
	}
	deliver(t, hookOutbox)
	deliver(t, o.deliverer)
	mails := o.provider.messages()
	if len(hooks.messages()) != 3 || len(mails) != 2 || len(mails[1].Incidents) != 50 {
		t.Fatalf("%d calls, %d mails", len(hooks.messages()), len(mails))
	}
	hooks.answers(nil)
	o.Clock.Advance(20 * time.Second)
	deliver(t, hookOutbox)
	deliver(t, hookOutbox)
	calls := hooks.messages()
	if len(calls) != 5 || len(calls[3].Incidents) != 1 || len(calls[4].Incidents) != 50 {
		t.Errorf("after it is back, %d calls: want one page to find out and all others after it", len(calls))
	}
	if got := o.failing(t, hook); got != "0 false " {
		t.Errorf("the contact is %q", got)
	}
}

// second lets one pass with its sweeps: of steps, and of the outbox.
func (o *outbox) second(t *testing.T, d *delivery.Outbox) {
	t.Helper()
	o.Sweep(t)
	deliver(t, d)
	o.Sweep(t)
	o.Clock.Advance(time.Second)
}

// TestTheNextStepDoesNotWaitForADeadWebhook pages Bob, four minutes early, once Ada's only method has failed for a
// minute; at once after an answer that is final, or when it was failing before. Its own next step keeps its time.
func TestTheNextStepDoesNotWaitForADeadWebhook(t *testing.T) {
	away := errors.New("HTTP 502")
	for name, c := range map[string]struct {
		failure error
		known   int // failed tries of an hour ago
		early   time.Duration
	}{
		"away for a minute":     {away, 0, notify.DeadFor},
		"known to fail, rarely": {away, notify.ProbeAfter - 1, 0},
		"known to fail":         {away, notify.ProbeAfter, 0},
		"gone":                  {notify.Permanent(errors.New("HTTP 410")), 0, 0},
	} {
		t.Run(name, func(t *testing.T) {
			o := newOutbox(t)
			o.Clock.Freeze(o.Clock.Now())
			hookOutbox := o.replica(notify.Webhook, &provider{answer: func(context.Context, notify.Message) error { return c.failure }})
			hook := o.hookFirst(t, -1)
			if c.known > 0 {
				o.Exec(t, `UPDATE contact_method SET failures = $2, failing_since = nightbell_now() - interval '1 hour', next_try_at = nightbell_now() WHERE id = $1`, hook, c.known)
			}
			o.Accept(t, pagingtest.Firing("a", "a", pagingtest.Began))
			began := o.Clock.Now()
			for len(o.Pages(t)) == 1 && o.Clock.Now().Before(began.Add(5*time.Minute)) {
				o.second(t, hookOutbox)
			}
			got := o.Clock.Now().Add(-time.Second).Sub(began)
			if pages := o.Pages(t); len(pages) != 2 || pages[1] != "Bob pending" || got < c.early || got > c.early+time.Second {
				t.Errorf("after %s the pages are %v, want one of Bob's after %s", got, pages, c.early)
			}
			o.Clock.Advance(time.Minute)
			o.Sweep(t)
			if got := o.Texts(t, `SELECT paging_status || ' ' || (paging_due_at > nightbell_now() + interval '3 minutes')::text FROM incident WHERE org_id = $1`, o.Org); !slices.Equal(got, []string{"active true"}) {
				t.Errorf("the step after it lost its delay: %v", got)
			}
		})
	}
}

// TestAFaultOfSecondsWakesNobodyElse: Ada's webhook is being deployed, and answers after ten seconds.
func TestAFaultOfSecondsWakesNobodyElse(t *testing.T) {
	o := newOutbox(t)
	o.Clock.Freeze(o.Clock.Now())
	hooks := &provider{answer: func(context.Context, notify.Message) error { return errors.New("HTTP 502") }}
	hookOutbox := o.replica(notify.Webhook, hooks)
	o.hookFirst(t, -1)
	o.Accept(t, pagingtest.Firing("a", "a", pagingtest.Began))
	for second := range 120 {
		if second == 10 {
			hooks.answers(nil)
		}
		o.second(t, hookOutbox)
	}
	if got, calls := o.Pages(t), len(hooks.messages()); len(got) != 1 || o.states(t) != "sent" || calls != 4 {
		t.Errorf("after %d calls the pages are %v, want one of Ada's, sent with the fourth", calls, got)
	}
}

// TestALostAnswerTakesNoStepItsTime: what reads a page and never answers may have shown it. Slack gets one copy of it;
// a webhook, which can tell a repeat, goes on getting the same message.
func TestALostAnswerTakesNoStepItsTime(t *testing.T) {
	for kind, c := range map[notify.Kind]struct {
		fewest, most int
		want         string
	}{
		notify.Slack:   {2, 2, "pending"},
		notify.Webhook: {6, 9, "pending"},
	} {
		t.Run(string(kind), func(t *testing.T) {
			o := newOutbox(t)
			o.Clock.Freeze(o.Clock.Now())
			silent := &provider{answer: func(context.Context, notify.Message) error {
				o.Clock.Advance(8 * time.Second)
				return notify.UnknownOutcome(errors.New("no answer in time"))
			}}
			out := o.replica(kind, silent)
			hook := o.hookFirst(t, -1)
			o.Exec(t, `UPDATE contact_method SET kind = $2 WHERE id = $1`, hook, string(kind))
			o.Accept(t, pagingtest.Firing("a", "a", pagingtest.Began))
			for began := o.Clock.Now(); o.Clock.Now().Before(began.Add(4 * time.Minute)); {
				o.second(t, out)
			}
			ids := map[uuid.UUID]bool{}
			for _, message := range silent.messages() {
				ids[message.ID] = true
			}
			if tries := len(silent.messages()); tries < c.fewest || tries > c.most || len(ids) != 1 || len(o.Pages(t)) != 1 || !strings.HasPrefix(o.states(t), c.want) {
				t.Errorf("after %d tries of %d messages the page is %q, and the pages are %v", tries, len(ids), o.states(t), o.Pages(t))
			}
			if got := o.failing(t, hook); !strings.HasSuffix(got, " true no answer in time") {
				t.Errorf("the contact is %q", got)
			}
		})
	}
}

// TestTheNextStepOfALockedIncidentIsTakenAtTheNextLook lets an arriving alert hold the incident
// while the try is recorded that finds Ada's webhook dead, and during a look after it.
func TestTheNextStepOfALockedIncidentIsTakenAtTheNextLook(t *testing.T) {
	o := newOutbox(t)
	hookOutbox := o.replica(notify.Webhook, &provider{answer: func(context.Context, notify.Message) error { return notify.Permanent(errors.New("HTTP 410")) }})
	o.hookFirst(t, -1)
	o.Accept(t, pagingtest.Firing("a", "a", pagingtest.Began))
	arriving, err := o.Owner(t).Begin(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	if _, err := arriving.Exec(t.Context(), "SET LOCAL ROLE nightbell_system"); err != nil { // the owner sees no tenant's rows
		t.Fatal(err)
	}
	if locked, err := arriving.Exec(t.Context(), `SELECT FROM incident WHERE org_id = $1 FOR NO KEY UPDATE`, o.Org); err != nil || locked.RowsAffected() != 1 {
		t.Fatalf("%d rows are locked: %v", locked.RowsAffected(), err)
	}
	deliver(t, hookOutbox)
	deliver(t, hookOutbox)
	if err := arriving.Rollback(t.Context()); err != nil {
		t.Fatal(err)
	}
	o.Sweep(t)
	if got := o.Pages(t); len(got) != 1 {
		t.Fatalf("while the incident was locked: %v", got)
	}
	deliver(t, hookOutbox)
	o.Sweep(t)
	if got := o.Pages(t); len(got) != 2 || got[1] != "Bob pending" {
		t.Errorf("the pages are %v, want one of Bob's", got)
	}
}

// TestTheInstallationsOwnFailureFlagsNoContact lets the mail server refuse connections: the
// contact is as good as before, the page is marked as blocked, and the other method is used.
func TestTheInstallationsOwnFailureFlagsNoContact(t *testing.T) {
	o := newOutbox(t)
	o.provider.answers(func(context.Context, notify.Message) error {
		return notify.Installation(errors.New("the mail server cannot be reached"))
	})
	hook := addHook(t, o.Workspace, &o.Ada, "ada")
	o.Exec(t, `INSERT INTO notification_rule (org_id, id, user_id, contact_method_id, urgency, delay_seconds, created_at) VALUES ($1, $2, $3, $4, 'high', 600, nightbell_now())`,
		o.Org, id.New(), o.Ada, hook)
	o.Accept(t, pagingtest.Firing("a", "a", pagingtest.Began))
	hooks := &provider{}
	hookOutbox := o.replica(notify.Webhook, hooks)
	for range 5 {
		deliver(t, o.deliverer)
		deliver(t, hookOutbox)
		o.Clock.Advance(75 * time.Second) // longer than any wait between two tries
	}
	if len(o.provider.messages()) != 5 || len(hooks.messages()) != 1 {
		t.Errorf("%d tries of mail, %d calls", len(o.provider.messages()), len(hooks.messages()))
	}
	if got := pgtest.One[int](t, o.Database, `SELECT count(*) FROM contact_method WHERE failures > 0 OR failing_since IS NOT NULL OR next_try_at IS NOT NULL`); got != 0 {
		t.Error("the contact is flagged for what the mail server did")
	}
	blocked := `SELECT count(*) FROM notification WHERE state = 'pending' AND blocked_since < nightbell_now() - interval '4 minutes'`
	if got := pgtest.One[int](t, o.Database, blocked); got != 1 {
		t.Error("the page does not say since when it is blocked")
	}
	o.provider.answers(nil)
	deliver(t, o.deliverer)
	if got := pgtest.One[int](t, o.Database, `SELECT count(*) FROM notification WHERE state = 'sent' AND blocked_since IS NULL`); got != 2 {
		t.Errorf("%d pages are sent and free", got)
	}
}

// TestASlowMailServerIsWaitedFor lets the server take two minutes for its answer: its lease
// is renewed, nobody sends a copy, and the person is reached by the other method meanwhile.
func TestASlowMailServerIsWaitedFor(t *testing.T) {
	o := newOutbox(t)
	answer := make(chan struct{})
	o.provider.answers(func(context.Context, notify.Message) error { <-answer; return nil })
	o.deliverer = delivery.New(o.DB, notify.Email, o.provider, delivery.Options{
		Logger: quiet, PublicURL: "https://nightbell.example", AckKey: linkKey, Patience: time.Hour,
		Changed: func(uuid.UUID) {}, Freed: func() {}, Lateness: func(string, time.Duration) {},
	})
	hook := addHook(t, o.Workspace, &o.Ada, "ada")
	o.Exec(t, `INSERT INTO notification_rule (org_id, id, user_id, contact_method_id, urgency, delay_seconds, created_at) VALUES ($1, $2, $3, $4, 'high', 600, nightbell_now())`,
		o.Org, id.New(), o.Ada, hook)
	hooks := &provider{}
	hookOutbox, replica := o.replica(notify.Webhook, hooks), o.replica(notify.Email, o.provider)
	o.Accept(t, pagingtest.Firing("a", "a", pagingtest.Began))
	sweepBoth := func() {
		for _, d := range []*delivery.Outbox{o.deliverer, replica} {
			if _, err := d.Sweep(t.Context()); err != nil {
				t.Fatal(err)
			}
		}
		deliver(t, hookOutbox)
	}
	sweepBoth()
	await(t, func() bool { return len(o.provider.messages()) == 1 })
	for range 12 {
		o.Clock.Advance(notifydb.Lease / 2)
		sweepBoth()
		o.Clock.Advance(notifydb.Lease / 2)
		sweepBoth()
	}
	if len(o.provider.messages()) != 1 || len(hooks.messages()) != 1 {
		t.Errorf("%d mails and %d calls while the server thinks", len(o.provider.messages()), len(hooks.messages()))
	}
	if got := pgtest.One[int](t, o.Database, `SELECT count(*) FROM notification WHERE blocked_since < nightbell_now() - interval '1 minute'`); got != 1 {
		t.Errorf("%d pages say that they are blocked by the mail server", got)
	}
	close(answer)
	o.deliverer.Wait()
	if got := o.states(t); got != "sent\nsent" {
		t.Errorf("the pages are %q", got)
	}
}

// TestAMailThatHangsEndsWhenItIsAnswered: the mail server took the connection and says nothing. Somebody answers,
// so that nobody need be paged for it any more, and the next incident does not wait for the old conversation.
func TestAMailThatHangsEndsWhenItIsAnswered(t *testing.T) {
	o := newOutbox(t)
	o.provider.answers(func(ctx context.Context, message notify.Message) error {
		if message.Incidents[0].Title == "a" {
			select {
			case <-ctx.Done():
			case <-t.Context().Done():
			}
		}
		return ctx.Err()
	})
	o.deliverer = o.patient(o.provider)
	t.Cleanup(o.deliverer.Wait)
	o.Accept(t, pagingtest.Firing("a", "a", pagingtest.Began))
	sweep := func() {
		if _, err := o.deliverer.Sweep(t.Context()); err != nil {
			t.Fatal(err)
		}
	}
	sweep()
	await(t, func() bool { return len(o.provider.messages()) == 1 })
	o.Respond(t, incident.Acknowledge{By: pagingtest.By(o.Bob, "Bob")})
	o.Accept(t, pagingtest.Firing("b", "b", pagingtest.Began))
	await(t, func() bool { sweep(); return len(o.provider.messages()) == 2 })
	o.deliverer.Wait()
	if got := o.states(t); got != "cancelled: acknowledged\nsent" {
		t.Errorf("the pages are %q", got)
	}
	if got := o.Texts(t, `SELECT outcome || ': ' || detail FROM delivery WHERE org_id = $1 ORDER BY started_at, id LIMIT 1`, o.Org); len(got) != 1 || got[0] != "skipped: somebody answered before it was sent" {
		t.Errorf("the first delivery is %q", got)
	}
}

// TestADeadContactUsesUpNoRounds lets Ada's only method be away for ten minutes, under a policy
// that pages her alone and repeats every five minutes for more than an hour and a half.
func TestADeadContactUsesUpNoRounds(t *testing.T) {
	o := newOutbox(t)
	hooks := &provider{answer: func(context.Context, notify.Message) error { return errors.New("no answer in time") }}
	hookOutbox := o.replica(notify.Webhook, hooks)
	o.hookFirst(t, -1)
	o.Exec(t, `DELETE FROM contact_method WHERE user_id = $1 AND kind = 'email'`, o.Ada)
	o.SetSteps(t, pagingtest.Page(pagingtest.User(o.Ada)))
	o.Exec(t, `UPDATE escalation_policy SET repeats = 20 WHERE id = $1`, o.Policy)
	o.Accept(t, pagingtest.Firing("a", "a", pagingtest.Began))
	for range 120 { // ten minutes
		deliver(t, hookOutbox)
		o.Sweep(t)
		o.Clock.Advance(5 * time.Second)
	}
	if got := o.Texts(t, `SELECT paging_status FROM incident WHERE org_id = $1`, o.Org); got[0] != "active" {
		t.Errorf("ten minutes of a webhook that is away ended the paging: %v", got)
	}
	hooks.answers(nil)
	before := len(hooks.messages())
	for range 360 { // half an hour
		o.Clock.Advance(5 * time.Second)
		deliver(t, hookOutbox)
		o.Sweep(t)
	}
	if got := len(hooks.messages()) - before; got < 4 {
		t.Errorf("in the half hour after it is back Ada was paged %d times, want every five minutes", got)
	}
}

// TestAStormDuringAnOutageOfTheMailServerGivesNoPageUp: every new page takes those along that
// wait, so that they are tried more often than by themselves.
func TestAStormDuringAnOutageOfTheMailServerGivesNoPageUp(t *testing.T) {
	o := newOutbox(t)
	o.provider.answers(func(context.Context, notify.Message) error {
		return notify.Installation(errors.New("the mail server cannot be reached"))
	})
	for n := range 300 { // 25 minutes, with a message every five seconds
		o.Accept(t, pagingtest.Firing(fmt.Sprint("a", n), fmt.Sprint("a", n), pagingtest.Began))
		deliver(t, o.deliverer)
		o.Clock.Advance(5 * time.Second)
	}
	if got := pgtest.One[int](t, o.Database, `SELECT count(*) FROM notification WHERE state = 'failed'`); got != 0 {
		t.Errorf("%d pages were given up within 25 minutes", got)
	}
}

// TestAPageOutlivesAnOutageOfTheMailServer of a whole night, and so does the alarm about it.
func TestAPageOutlivesAnOutageOfTheMailServer(t *testing.T) {
	o := newOutbox(t)
	o.provider.answers(func(context.Context, notify.Message) error {
		return notify.Installation(errors.New("the mail server cannot be reached"))
	})
	o.Accept(t, pagingtest.Firing("a", "a", pagingtest.Began))
	for range notify.LateAttempts {
		deliver(t, o.deliverer)
		o.Clock.Advance(75 * time.Second)
	}
	for range 8 {
		o.Clock.Advance(time.Hour)
		deliver(t, o.deliverer)
	}
	if got := pgtest.One[int](t, o.Database, `SELECT count(*) FROM notification WHERE state = 'pending' AND blocked_since < nightbell_now() - interval '8 hours'`); got != 1 {
		t.Fatalf("the page is %q", o.states(t))
	}
	o.provider.answers(nil)
	o.Clock.Advance(notify.LongestWait)
	deliver(t, o.deliverer)
	if got := o.states(t); got != "sent" {
		t.Errorf("once it is back, the page is %q", got)
	}
}
