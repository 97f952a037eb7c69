package delivery_test

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"

	"github.com/nightbell/nightbell/api/internal/delivery"
	"github.com/nightbell/nightbell/api/internal/kernel/id"
	"github.com/nightbell/nightbell/api/internal/notify"
	"github.com/nightbell/nightbell/api/internal/notify/notifydb"
	"github.com/nightbell/nightbell/api/internal/pagingtest"
	"github.com/nightbell/nightbell/api/internal/platform/postgres"
	"github.com/nightbell/nightbell/api/internal/platform/postgres/pgtest"
)

func (o *outbox) deleteContact(t *testing.T, contact uuid.UUID) {
	t.Helper()
	err := o.InTenant(t.Context(), o.Org, func(ctx context.Context, tx pgx.Tx) error {
		now, err := postgres.Now(ctx, tx)
		if err == nil {
			_, err = notifydb.New(tx).DeleteContact(ctx, notifydb.DeleteContactParams{OrgID: o.Org, ID: contact, UserID: o.Ada, Now: now})
		}
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
}

// TestPagesOfADeletedContactGoOnAtOnce to the person's next method, and to the next step where there
// is none, also while the contact was failing.
func TestPagesOfADeletedContactGoOnAtOnce(t *testing.T) {
	for name, mail := range map[string]time.Duration{"with another method": 4 * time.Minute, "without": -1} {
		for _, failing := range []bool{false, true} {
			t.Run(fmt.Sprintf("%s, failing %v", name, failing), func(t *testing.T) {
				o := newOutbox(t)
				hooks := &provider{}
				hookOutbox := o.replica(notify.Webhook, hooks)
				hook := o.hookFirst(t, mail)
				if failing {
					o.Exec(t, `UPDATE contact_method SET failures = 1, failing_since = nightbell_now(), failing_for = 'no answer', next_try_at = nightbell_now() + interval '2 seconds' WHERE id = $1`, hook)
				}
				o.Accept(t, pagingtest.Firing("a", "a", pagingtest.Began))
				o.deleteContact(t, hook)
				o.Clock.Advance(3 * time.Second)
				deliver(t, hookOutbox)
				deliver(t, hookOutbox)
				o.Sweep(t)
				deliver(t, o.deliverer)
				if got := o.provider.messages(); len(hooks.messages()) != 0 || len(got) != 1 || (got[0].UserID == o.Ada) != (mail > 0) {
					t.Errorf("%d calls, mails %+v, pages %s", len(hooks.messages()), got, o.states(t))
				}
				if got := o.states(t); !strings.Contains(got, "failed: the contact method is not used any more: it was deleted") {
					t.Errorf("pages %s", got)
				}
			})
		}
	}
}

// TestAContactThatIsBackGetsAnyNumberOfPages, and no result makes more than a thousand of them due.
func TestAContactThatIsBackGetsAnyNumberOfPages(t *testing.T) {
	o := newOutbox(t)
	hooks := &provider{}
	hookOutbox := o.replica(notify.Webhook, hooks)
	hook := o.hookFirst(t, -1)
	o.Accept(t, pagingtest.Firing("a", "a", pagingtest.Began))
	const pages = 8500 // more than one message carries
	o.Exec(t, `INSERT INTO notification (org_id, id, effect_key, incident_id, user_id, contact_method_id, channel, cycle, round, step, reason, why, severity_rank, state, due_at, next_try_at, created_at)
		SELECT org_id, gen_random_uuid(), effect_key || n, incident_id, user_id, contact_method_id, channel, cycle, round, step, reason, why, severity_rank, state, due_at, next_try_at, created_at
		FROM notification, generate_series(2, $1::integer) n`, pages)
	o.Exec(t, `UPDATE notification SET next_try_at = nightbell_now() + interval '2 hours'`)
	o.Exec(t, `UPDATE contact_method SET failures = 3, failing_since = nightbell_now(), failing_for = 'no answer', next_try_at = nightbell_now() WHERE id = $1`, hook)
	released := 0
	for range 20 {
		if _, err := hookOutbox.Sweep(t.Context()); err != nil {
			t.Fatal(err)
		}
		hookOutbox.Wait()
		released = max(released, pgtest.One[int](t, o.Database, `SELECT count(*) FROM notification WHERE finished_at IS NULL AND next_try_at <= nightbell_now()`))
	}
	if left := pgtest.One[int](t, o.Database, `SELECT count(*) FROM notification WHERE finished_at IS NULL`); left > 0 || released > 1000 {
		t.Errorf("%d of %d pages are left after %d messages, %d were made due at once", left, pages, len(hooks.messages()), released)
	}
	if got := o.failing(t, hook) + pgtest.One[string](t, o.Database, `SELECT coalesce(next_try_at::text, 'not waited for') FROM contact_method WHERE id = $1`, hook); got != "0 false not waited for" {
		t.Errorf("the contact is %q", got)
	}
}

// unsealed opens what was never sealed.
type unsealed struct{}

func (unsealed) Open(sealed []byte, _ string) ([]byte, error) { return sealed, nil }

// TestAChannelThatIsConfiguredAgainGetsWhatWaits: Slack knows its address no more, and asked for ten
// minutes of rest.
func TestAChannelThatIsConfiguredAgainGetsWhatWaits(t *testing.T) {
	o := newOutbox(t)
	channel := id.New()
	configure := func(address string) {
		t.Helper()
		err := o.InTenant(t.Context(), o.Org, func(ctx context.Context, tx pgx.Tx) error {
			now, err := postgres.Now(ctx, tx)
			if err != nil {
				return err
			}
			return notifydb.New(tx).SaveSharedContact(ctx, notifydb.SaveSharedContactParams{
				OrgID: o.Org, ID: channel, Kind: "slack", Name: "Slack #ops", AddressSealed: []byte(address), Now: now,
			})
		})
		if err != nil {
			t.Fatal(err)
		}
	}
	slack := delivery.New(o.DB, notify.Slack, o.provider, delivery.Options{
		Logger: quiet, PublicURL: "https://nightbell.example", Opener: unsealed{},
		Changed: func(uuid.UUID) {}, Freed: func() {}, Lateness: func(string, time.Duration) {},
	})
	configure("old")
	o.SetSteps(t, pagingtest.Page(pagingtest.Channel(channel)))
	rest := notify.After(errors.New("HTTP 429"), 10*time.Minute)
	o.provider.answers(func(context.Context, notify.Message) error { return rest })
	o.Accept(t, pagingtest.Firing("a", "a", pagingtest.Began))
	deliver(t, slack)
	o.provider.answers(nil)
	o.Clock.Advance(time.Minute)
	deliver(t, slack)
	if got := len(o.provider.messages()); got != 1 {
		t.Fatalf("%d messages before it was configured again", got)
	}
	configure("new")
	deliver(t, slack)
	if got := o.provider.messages(); len(got) != 2 || got[1].To.Address != "new" || o.states(t) != "sent" {
		t.Errorf("messages %+v, %s", got, o.states(t))
	}
}

// TestAnAnswerUnderWayDelaysMailsOfNoOtherOrganization: one organization's mails are slow, and a
// person's answer to what they are about hangs with the pages that would be next.
func TestAnAnswerUnderWayDelaysMailsOfNoOtherOrganization(t *testing.T) {
	o := newOutbox(t)
	o.addPeople(t, o.Workspace, 2, notify.Email, notify.Webhook)
	tarpit := newTarpit(t, "email")
	mails := o.patient(tarpit)
	o.Accept(t, pagingtest.Firing("a", "a", pagingtest.Began))
	o.sweepUntilNothingBegins(t, mails, func() int { return len(tarpit.messages()) })
	locked, end, ended := make(chan struct{}), make(chan struct{}), make(chan error, 1)
	go func() {
		ended <- o.InTenant(context.WithoutCancel(t.Context()), o.Org, func(ctx context.Context, tx pgx.Tx) error {
			_, err := tx.Exec(ctx, `UPDATE notification SET finished_for = 'acknowledged' WHERE state = 'pending'`)
			close(locked)
			<-end
			return err
		})
	}()
	<-locked
	o.Clock.Advance(9 * time.Second)
	other := o.another(t)
	other.Intake = o.Intake
	other.Accept(t, pagingtest.Firing("b", "b", pagingtest.Began))
	if _, err := mails.Sweep(t.Context()); err != nil {
		t.Errorf("the look waited for the answer: %v", err)
	}
	if !t.Failed() {
		await(t, func() bool { return tarpit.begun(other.Ada.String()) == 1 })
	}
	close(end)
	if err := <-ended; err != nil {
		t.Error(err)
	}
}
