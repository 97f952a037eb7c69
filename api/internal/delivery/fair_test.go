package delivery_test

import (
	"context"
	"fmt"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/google/uuid"

	"github.com/nightbell/nightbell/api/internal/alert"
	"github.com/nightbell/nightbell/api/internal/delivery"
	"github.com/nightbell/nightbell/api/internal/kernel/id"
	"github.com/nightbell/nightbell/api/internal/notify"
	"github.com/nightbell/nightbell/api/internal/pagingtest"
	"github.com/nightbell/nightbell/api/internal/platform/postgres/pgtest"
)

// another makes a second organization in the same database.
func (o *outbox) another(t *testing.T) *pagingtest.Workspace {
	t.Helper()
	other := &pagingtest.Workspace{Database: o.Database}
	other.Fill(t)
	return other
}

// addHook adds a webhook, of a person or shared, that shows at the provider by its name.
func addHook(t *testing.T, w *pagingtest.Workspace, person *uuid.UUID, name string) (contact uuid.UUID) {
	t.Helper()
	contact = id.New()
	w.Exec(t, `INSERT INTO contact_method (org_id, id, user_id, kind, name, address, created_at) VALUES ($1, $2, $3, 'webhook', $4, $4, nightbell_now())`,
		w.Org, contact, person, name)
	return contact
}

// pageContact makes an incident with one page to the contact, due now.
func pageContact(t *testing.T, w *pagingtest.Workspace, contact uuid.UUID, severity alert.Severity) (page uuid.UUID) {
	t.Helper()
	page, incidentID := id.New(), id.New()
	w.Exec(t, `WITH next AS (UPDATE org SET last_incident_number = last_incident_number + 1 WHERE id = $1 RETURNING last_incident_number)
		INSERT INTO incident (org_id, id, number, service_id, title, status, severity, urgency, source, triggered_at, updated_at)
		SELECT $1, $2, last_incident_number, $3, 'Trouble', 'triggered', $4, 'high', 'test', nightbell_now(), nightbell_now() FROM next`,
		w.Org, incidentID, w.Service, severity)
	w.Exec(t, `INSERT INTO notification (org_id, id, effect_key, incident_id, user_id, contact_method_id, channel, cycle, round, step, reason,
			severity_rank, state, due_at, next_try_at, created_at)
		SELECT org_id, $2, $2::uuid::text, $3, user_id, id, kind, 1, 0, 0, 'test', $5, 'pending', nightbell_now(), nightbell_now(), nightbell_now()
		FROM contact_method WHERE org_id = $1 AND id = $4`, w.Org, page, incidentID, contact, severity.Rank())
	return page
}

// tarpit is a provider that never answers whom it is told to, until it is released.
type tarpit struct {
	provider

	release chan struct{}
}

func newTarpit(t *testing.T, hangs string) *tarpit {
	p := &tarpit{release: make(chan struct{})}
	p.answer = func(_ context.Context, message notify.Message) error {
		if strings.HasPrefix(message.To.Address, hangs) {
			<-p.release
			return fmt.Errorf("no answer in time")
		}
		return nil
	}
	t.Cleanup(sync.OnceFunc(func() {
		select {
		case <-p.release:
		default:
			close(p.release)
		}
	}))
	return p
}

// begun gives how many sends to addresses with the prefix have begun.
func (p *provider) begun(prefix string) (n int) {
	for _, message := range p.messages() {
		if strings.HasPrefix(message.To.Address, prefix) {
			n++
		}
	}
	return n
}

// TestOneOrganizationsHangingWebhooksDelayNoOther lets several organizations page webhooks
// that never answer, 100 each, critical. A page of another organization, less severe, begins
// while all of them still hang.
func TestOneOrganizationsHangingWebhooksDelayNoOther(t *testing.T) {
	o := newOutbox(t)
	hooks := newTarpit(t, "tar")
	outbox := o.replica(notify.Webhook, hooks)
	sweepUntilNothingBegins := func() {
		for begun := -1; begun != len(hooks.messages()); {
			begun = len(hooks.messages())
			if _, err := outbox.Sweep(t.Context()); err != nil {
				t.Fatal(err)
			}
			claimed := pgtest.One[int](t, o.Database, `SELECT count(*) FROM delivery`)
			await(t, func() bool { return len(hooks.messages()) == claimed })
		}
	}
	for range 5 {
		attacker := o.another(t)
		for n := range 100 {
			pageContact(t, attacker, addHook(t, attacker, nil, fmt.Sprint("tar", n)), alert.Critical)
		}
		sweepUntilNothingBegins()
	}
	hanging := hooks.begun("tar")
	if hanging < 64 || hanging >= 500 {
		t.Fatalf("%d sends hang: want those of one organization at least, and not all", hanging)
	}
	o.Clock.Advance(time.Second)
	pageContact(t, o.Workspace, addHook(t, o.Workspace, nil, "quiet"), alert.Low)
	sweepUntilNothingBegins()
	if hooks.begun("quiet") != 1 {
		t.Errorf("the page of another organization has not begun while %d sends hang", hanging)
	}
	close(hooks.release)
	outbox.Wait()
}

// TestAMountainOfPagesDelaysNoOtherOrganization lets one organization have more pages due
// than one claim takes.
func TestAMountainOfPagesDelaysNoOtherOrganization(t *testing.T) {
	o := newOutbox(t)
	mountain := o.another(t)
	for n := range 3 {
		contact := addHook(t, mountain, nil, fmt.Sprint("mountain", n))
		pageContact(t, mountain, contact, alert.Critical)
		o.Exec(t, `INSERT INTO notification (org_id, id, effect_key, incident_id, contact_method_id, channel, cycle, round, step, reason,
				severity_rank, state, due_at, next_try_at, created_at)
			SELECT org_id, gen_random_uuid(), effect_key || n, incident_id, contact_method_id, channel, 1, 0, 0, 'test', 0, 'pending', due_at, due_at, due_at
			FROM notification, generate_series(1, 3000) n WHERE contact_method_id = $1`, contact)
	}
	pageContact(t, o.Workspace, addHook(t, o.Workspace, nil, "quiet"), alert.Low)
	hooks := &provider{}
	outbox := o.replica(notify.Webhook, hooks)
	if _, err := outbox.Sweep(t.Context()); err != nil {
		t.Fatal(err)
	}
	outbox.Wait()
	if hooks.begun("quiet") != 1 {
		t.Errorf("the first claim took %d messages and left the other organization out", len(hooks.messages()))
	}
	for range 5 {
		deliver(t, outbox)
	}
	if left := pgtest.One[int](t, o.Database, `SELECT count(*) FROM notification WHERE state <> 'sent'`); left != 0 {
		t.Errorf("%d pages were not sent", left)
	}
}

// TestPagesOfFailingContactsDelayNoOtherOrganization lets one organization have more pages for
// contacts that are not to be tried yet than one look takes on.
func TestPagesOfFailingContactsDelayNoOtherOrganization(t *testing.T) {
	o := newOutbox(t)
	mountain := o.another(t)
	for _, w := range []*pagingtest.Workspace{mountain, o.Workspace} {
		failing := addHook(t, w, nil, "failing")
		pageContact(t, w, failing, alert.Critical)
		w.Exec(t, `UPDATE contact_method SET failures = 1, next_try_at = nightbell_now() + interval '1 hour' WHERE id = $1`, failing)
	}
	o.Exec(t, `INSERT INTO notification (org_id, id, effect_key, incident_id, contact_method_id, channel, cycle, round, step, reason,
			severity_rank, state, due_at, next_try_at, created_at)
		SELECT org_id, gen_random_uuid(), effect_key || n, incident_id, contact_method_id, channel, 1, 0, 0, 'test', 0, 'pending', due_at, due_at, due_at
		FROM notification, generate_series(1, 999) n WHERE org_id = $1`, mountain.Org)
	pageContact(t, o.Workspace, addHook(t, o.Workspace, nil, "quiet"), alert.Low)
	hooks := &provider{}
	outbox := o.replica(notify.Webhook, hooks)
	if _, err := outbox.Sweep(t.Context()); err != nil {
		t.Fatal(err)
	}
	outbox.Wait()
	const failedOver = `SELECT count(*) FROM notification WHERE org_id = $1 AND failed_over_at IS NOT NULL`
	if n := pgtest.One[int](t, o.Database, failedOver, mountain.Org); n == 0 || n >= 1000 {
		t.Errorf("one look took on %d of 1000 pages, want a share", n)
	}
	if n := pgtest.One[int](t, o.Database, failedOver, o.Org); n != 1 || hooks.begun("quiet") != 1 {
		t.Errorf("the first look failed over %d pages of the other organization and sent %d, want 1 of each", n, hooks.begun("quiet"))
	}
	for range 10 {
		deliver(t, outbox)
	}
	if n := pgtest.One[int](t, o.Database, failedOver, mountain.Org); n != 1000 {
		t.Errorf("%d of 1000 pages failed over in the end", n)
	}
}

// TestOverItsQuotaAnOrganizationIsBundled opens more incidents a minute than may: each contact
// gets one message every 15 seconds with all of them, and no page is lost.
func TestOverItsQuotaAnOrganizationIsBundled(t *testing.T) {
	o := newOutbox(t)
	hooks := &provider{}
	outbox := delivery.New(o.DB, notify.Webhook, hooks, delivery.Options{
		Logger: quiet, PublicURL: "https://nightbell.example", AckKey: linkKey, IncidentsPerMinute: 10,
		Changed: func(uuid.UUID) {}, Freed: func() {}, Lateness: func(string, time.Duration) {},
	})
	contact := addHook(t, o.Workspace, nil, "a")
	messages := func(seconds int) int {
		before := len(hooks.messages())
		for range seconds {
			pageContact(t, o.Workspace, contact, alert.High)
			deliver(t, outbox)
			o.Clock.Advance(time.Second)
		}
		return len(hooks.messages()) - before
	}
	if within := messages(11); within != 11 {
		t.Errorf("within its quota: %d messages for 11 incidents", within)
	}
	if over := messages(30); over < 2 || over > 4 {
		t.Errorf("over its quota: %d messages in half a minute", over)
	}
	o.Clock.Advance(time.Minute)
	deliver(t, outbox)
	if got := pgtest.One[int](t, o.Database, `SELECT count(*) FROM notification WHERE state = 'sent'`); got != 41 {
		t.Errorf("%d of 41 pages were sent", got)
	}
	other := o.another(t)
	pageContact(t, other, addHook(t, other, nil, "b"), alert.Low)
	deliver(t, outbox)
	if hooks.begun("b") != 1 {
		t.Error("another organization was bundled, too")
	}
}

// await waits for what other goroutines are about to do; the limit ends broken runs.
func await(t *testing.T, done func() bool) {
	t.Helper()
	for range 3000 {
		if done() {
			return
		}
		time.Sleep(10 * time.Millisecond)
	}
	t.Fatal("it did not happen")
}
