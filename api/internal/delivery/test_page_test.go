package delivery_test

import (
	"context"
	"errors"
	"testing"

	"github.com/google/uuid"

	"github.com/nightbell/nightbell/api/internal/delivery"
	"github.com/nightbell/nightbell/api/internal/kernel/id"
	"github.com/nightbell/nightbell/api/internal/notify"
	"github.com/nightbell/nightbell/api/internal/pagingtest"
	"github.com/nightbell/nightbell/api/internal/platform/postgres/pgtest"
)

// testPage queues a test page to Ada's first contact method and returns its id.
func (o *outbox) testPage(t *testing.T) uuid.UUID {
	t.Helper()
	made := id.New()
	o.Exec(t, `INSERT INTO test_page (org_id, id, contact_method_id, user_id, channel, status, created_at)
		SELECT org_id, $2, id, user_id, kind, 'queued', nightbell_now() FROM contact_method WHERE org_id = $1 AND user_id = $3 LIMIT 1`, o.Org, made, o.Ada)
	return made
}

func (o *outbox) receipt(t *testing.T, test uuid.UUID) string {
	t.Helper()
	return pgtest.One[string](t, o.Database, `SELECT status || ': ' || detail FROM test_page WHERE id = $1`, test)
}

func (o *outbox) tests() *delivery.Tests {
	return delivery.NewTests(o.DB, quiet, map[notify.Kind]*delivery.Outbox{notify.Email: o.deliverer})
}

func TestATestPageArrivesMarkedAndWakesNobodyElse(t *testing.T) {
	t.Parallel()
	o := newOutbox(t)
	test := o.testPage(t)
	if again, err := o.tests().Sweep(t.Context()); err != nil || again {
		t.Fatal(again, err)
	}
	sent := o.provider.messages()
	if len(sent) != 1 || !sent[0].Test || sent[0].UserID != o.Ada || sent[0].To.Address == "" || len(sent[0].Incidents) != 0 || sent[0].AckURL != "" {
		t.Fatalf("sent: %+v", sent)
	}
	if got := o.receipt(t, test); got != "sent: taken" {
		t.Errorf("the receipt says %q", got)
	}
	if tested := pgtest.One[string](t, o.Database, `SELECT test_status FROM contact_method WHERE user_id = $1 AND tested_at IS NOT NULL`, o.Ada); tested != "sent" {
		t.Errorf("the contact method says %q", tested)
	}
	deliver(t, o.deliverer)
	if more := o.provider.messages(); len(more) != 1 {
		t.Errorf("%d messages in the end", len(more))
	}
	if n := pgtest.One[int](t, o.Database, `SELECT (SELECT count(*) FROM incident) + (SELECT count(*) FROM notification) + (SELECT count(*) FROM timeline_event)`); n != 0 {
		t.Errorf("%d rows of incidents and pages", n)
	}
}

func TestATestPageThatFailsSaysWhyAndIsNotRepeated(t *testing.T) {
	t.Parallel()
	o := newOutbox(t)
	o.provider.answers(func(context.Context, notify.Message) error { return errors.New("the mailbox is full") })
	test := o.testPage(t)
	for range 3 {
		if _, err := o.tests().Sweep(t.Context()); err != nil {
			t.Fatal(err)
		}
	}
	if got := o.receipt(t, test); got != "failed: the mailbox is full" || len(o.provider.messages()) != 1 {
		t.Errorf("%q after %d tries", got, len(o.provider.messages()))
	}
	if failures := pgtest.One[int](t, o.Database, `SELECT sum(failures)::int FROM contact_method`); failures != 0 {
		t.Error("a failed test counts against the contact method: pages would go elsewhere for it")
	}
}

func TestATestPageThatPanicsIsAFailure(t *testing.T) {
	t.Parallel()
	o := newOutbox(t)
	o.provider.answers(func(context.Context, notify.Message) error { panic("boom") })
	test := o.testPage(t)
	if _, err := o.tests().Sweep(t.Context()); err != nil {
		t.Fatal(err)
	}
	if got := o.receipt(t, test); got != "failed: an internal error, which the log tells about" {
		t.Errorf("the receipt says %q", got)
	}
}

// A worker that died with a test page is found out by the next one, and the person reads it.
func TestATestPageOfADeadWorkerEnds(t *testing.T) {
	t.Parallel()
	o := newOutbox(t)
	test := o.testPage(t)
	o.Exec(t, `UPDATE test_page SET status = 'sending', lease_until = nightbell_now() - interval '1 second' WHERE id = $1`, test)
	if _, err := o.tests().Sweep(t.Context()); err != nil {
		t.Fatal(err)
	}
	if got := o.receipt(t, test); got != "failed: Nightbell stopped before it heard the answer." {
		t.Errorf("the receipt says %q", got)
	}
}

// Who sees by a test that an address works again need not wait for its next try.
func TestATestPageThatArrivesLetsWaitingPagesGo(t *testing.T) {
	t.Parallel()
	o := newOutbox(t)
	o.provider.answers(func(context.Context, notify.Message) error { return errors.New("away") })
	o.Accept(t, pagingtest.Firing("a", "a", pagingtest.Began))
	deliver(t, o.deliverer)
	o.provider.answers(nil)
	o.testPage(t)
	if _, err := o.tests().Sweep(t.Context()); err != nil {
		t.Fatal(err)
	}
	deliver(t, o.deliverer)
	if n := pgtest.One[int](t, o.Database, `SELECT count(*) FROM notification WHERE state = 'sent'`); n != 1 {
		t.Errorf("%d pages were sent", n)
	}
}
