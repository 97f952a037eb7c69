package delivery_test

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"slices"
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

// provider is a channel that keeps what it is given and answers as it is told.
type provider struct {
	mu      sync.Mutex
	sent    []notify.Message
	started []time.Time
	answer  func(ctx context.Context, message notify.Message) error
}

func (p *provider) Send(ctx context.Context, message notify.Message) (notify.Receipt, error) {
	p.mu.Lock()
	p.sent, p.started = append(p.sent, message), append(p.started, time.Now())
	answer := p.answer
	p.mu.Unlock()
	if answer != nil {
		if err := answer(ctx, message); err != nil {
			return notify.Receipt{}, err
		}
	}
	return notify.Receipt{ProviderID: message.ID.String(), Detail: "taken"}, nil
}

func (p *provider) messages() []notify.Message {
	p.mu.Lock()
	defer p.mu.Unlock()
	return slices.Clone(p.sent)
}

func (p *provider) answers(answer func(context.Context, notify.Message) error) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.answer = answer
}

var quiet = slog.New(slog.DiscardHandler)

var linkKey = []byte(strings.Repeat("k", 32))

// outbox is a workspace with a replica's deliverer for e-mail.
type outbox struct {
	*pagingtest.Workspace
	provider  *provider
	deliverer *delivery.Outbox
	mu        sync.Mutex
	lateness  []time.Duration
}

func newOutbox(t *testing.T) *outbox {
	t.Helper()
	o := &outbox{Workspace: pagingtest.New(t), provider: &provider{}}
	o.deliverer = o.replica(notify.Email, o.provider)
	return o
}

// replica makes another deliverer on the same database.
func (o *outbox) replica(kind notify.Kind, channel notify.Channel) *delivery.Outbox {
	return delivery.New(o.DB, kind, channel, delivery.Options{
		Logger: quiet, PublicURL: "https://nightbell.example", AckKey: linkKey,
		Changed: func(uuid.UUID) { o.ChangesHinted.Add(1) }, Freed: func() {},
		Lateness: func(_ string, lateness time.Duration) {
			o.mu.Lock()
			defer o.mu.Unlock()
			o.lateness = append(o.lateness, lateness)
		},
	})
}

// deliver sweeps and waits for what began.
func deliver(t *testing.T, d *delivery.Outbox) {
	t.Helper()
	for {
		again, err := d.Sweep(t.Context())
		if err != nil {
			t.Fatalf("sweep: %v", err)
		}
		d.Wait()
		if !again {
			return
		}
	}
}

func (o *outbox) states(t *testing.T) string {
	t.Helper()
	return strings.Join(o.Texts(t, `SELECT state || CASE WHEN finished_for <> '' THEN ': ' || finished_for ELSE '' END
		FROM notification WHERE org_id = $1 ORDER BY created_at, id`, o.Org), "\n")
}

func (o *outbox) deliveries(t *testing.T) string {
	t.Helper()
	return strings.Join(o.Texts(t, `SELECT outcome || ' ' || incident_count || ' ' || detail FROM delivery WHERE org_id = $1 ORDER BY started_at, id`, o.Org), "\n")
}

func TestAPageReachesThePerson(t *testing.T) {
	o := newOutbox(t)
	o.Accept(t, pagingtest.Firing("checkout", "checkout", pagingtest.Began))
	deliver(t, o.deliverer)

	sent := o.provider.messages()
	if len(sent) != 1 || len(sent[0].Incidents) != 1 {
		t.Fatalf("sent %+v", sent)
	}
	message, told := sent[0], sent[0].Incidents[0]
	if message.To.Address != o.Ada.String()+"@example.com" || message.PersonName != "Ada" || message.OrgName != "Acme" {
		t.Errorf("sent to %+v", message)
	}
	if told.Status != "triggered" || told.ServiceName != "Checkout" || told.URL != "https://nightbell.example/incidents/"+told.ID.String() || told.Reason == "" {
		t.Errorf("told %+v", told)
	}
	token := strings.TrimPrefix(message.AckURL, "https://nightbell.example/ack/")
	claims, err := notify.OpenAck(linkKey, token)
	if err != nil || claims.OrgID != o.Org || claims.UserID != o.Ada || claims.DeliveryID != message.DeliveryID {
		t.Errorf("the link opens to %+v, %v", claims, err)
	}
	if got := o.states(t); got != "sent" {
		t.Errorf("the page is %q", got)
	}
	if got := o.deliveries(t); got != "accepted 1 taken" {
		t.Errorf("the delivery log says %q", got)
	}
	line := o.Texts(t, `SELECT message || ' ' || (data->>'user_id') || ' ' || (data->>'step') FROM timeline_event WHERE org_id = $1 AND kind = 'paged'`, o.Org)
	if want := "Ada was paged by e-mail " + o.Ada.String() + " 1"; len(line) != 1 || line[0] != want {
		t.Errorf("the timeline says %q, want %q", line, want)
	}
	if len(o.lateness) != 1 || o.lateness[0] < 0 || o.lateness[0] > 5*time.Second {
		t.Errorf("lateness %v", o.lateness)
	}
	deliver(t, o.deliverer)
	if got := len(o.provider.messages()); got != 1 {
		t.Errorf("after another sweep %d messages were sent", got)
	}
}

func TestWhatBecomesDueMeanwhileTravelsTogether(t *testing.T) {
	o := newOutbox(t)
	release := make(chan struct{})
	o.provider.answers(func(context.Context, notify.Message) error { <-release; return nil })
	o.Accept(t, pagingtest.Firing("first", "first", pagingtest.Began))
	if _, err := o.deliverer.Sweep(t.Context()); err != nil {
		t.Fatal(err)
	}
	for n := range 40 {
		o.Accept(t, pagingtest.Firing(fmt.Sprint("k", n), fmt.Sprint("k", n), pagingtest.Began))
	}
	// Neither this replica nor another may send to her while a message is under way.
	other := o.replica(notify.Email, o.provider)
	for _, d := range []*delivery.Outbox{o.deliverer, other} {
		if again, err := d.Sweep(t.Context()); again || err != nil {
			t.Fatalf("again %t, %v", again, err)
		}
	}
	close(release)
	o.deliverer.Wait()
	deliver(t, other)
	sent := o.provider.messages()
	if len(sent) != 2 || len(sent[0].Incidents) != 1 || len(sent[1].Incidents) != 40 {
		t.Fatalf("%d messages", len(sent))
	}
	if got := pgtest.One[int](t, o.Database, `SELECT count(*) FROM notification WHERE state = 'sent'`); got != 41 {
		t.Errorf("%d pages are sent", got)
	}
}

func TestFailuresAreTriedAgainOrEnd(t *testing.T) {
	o := newOutbox(t)
	o.Accept(t, pagingtest.Firing("a", "a", pagingtest.Began))
	o.provider.answers(func(context.Context, notify.Message) error { return errors.New("HTTP 500\x00") })
	deliver(t, o.deliverer)
	if got := o.states(t); got != "pending: HTTP 500" {
		t.Fatalf("the page is %q", got)
	}
	deliver(t, o.deliverer)
	if got := len(o.provider.messages()); got != 1 {
		t.Fatalf("it was tried again at once: %d", got)
	}
	o.Clock.Advance(3 * time.Second)
	deliver(t, o.deliverer)
	if got := len(o.provider.messages()); got != 2 {
		t.Fatalf("%d tries after the first wait", got)
	}
	o.provider.answers(func(context.Context, notify.Message) error { return notify.Permanent(errors.New("HTTP 410")) })
	o.Clock.Advance(7 * time.Second)
	deliver(t, o.deliverer)
	if got := o.states(t); got != "failed: HTTP 410 (3 tries)" {
		t.Fatalf("the page is %q", got)
	}
	if want := "temporary_failure 1 HTTP 500\ntemporary_failure 1 HTTP 500\npermanent_failure 1 HTTP 410"; o.deliveries(t) != want {
		t.Errorf("the delivery log says\n%s", o.deliveries(t))
	}
	line := o.Texts(t, `SELECT message FROM timeline_event WHERE org_id = $1 AND kind = 'page_failed'`, o.Org)
	if want := "Ada could not be paged by e-mail: HTTP 410 (3 tries)"; len(line) != 1 || line[0] != want {
		t.Errorf("the timeline says %q", line)
	}
	if len(o.lateness) != 1 {
		t.Errorf("lateness is of the first try only: %v", o.lateness)
	}
}

// TestTheLogNamesNoWholeAddress, also where the mail server does.
func TestTheLogNamesNoWholeAddress(t *testing.T) {
	t.Parallel()
	o := newOutbox(t)
	address := o.Ada.String() + "@example.com"
	o.Exec(t, `UPDATE contact_method SET hint = address WHERE address = $1`, address)
	o.provider.answers(func(context.Context, notify.Message) error {
		return notify.Permanent(errors.New("550 <" + address + ">: no such user"))
	})
	o.Accept(t, pagingtest.Firing("a", "g", pagingtest.Began))
	deliver(t, o.deliverer)
	shown := address[:1] + "…@example.com"
	if got := o.states(t) + o.deliveries(t); strings.Contains(got, address) || !strings.Contains(got, shown) {
		t.Errorf("the page and the delivery log say %s", got)
	}
	line := o.Texts(t, `SELECT message || ' ' || (data->>'contact_hint') FROM timeline_event WHERE org_id = $1 AND kind = 'page_failed'`, o.Org)
	if want := "Ada could not be paged by e-mail (" + shown + "): 550 <" + shown + ">: no such user " + shown; len(line) != 1 || line[0] != want {
		t.Errorf("the timeline says %q, want %q", line, want)
	}
}

func TestGivingUpIsSaid(t *testing.T) {
	o := newOutbox(t)
	o.Accept(t, pagingtest.Firing("a", "a", pagingtest.Began))
	o.provider.answers(func(context.Context, notify.Message) error { return errors.New("HTTP 503") })
	o.Exec(t, `UPDATE notification SET attempts = $1`, notify.LateAttempts-1)
	o.Clock.Advance(notify.MaxAge)
	deliver(t, o.deliverer)
	if got := o.states(t); got != "failed: HTTP 503 (10 tries)" {
		t.Errorf("the page is %q", got)
	}
}

func TestPermanentFailureBringsTheNextContactForward(t *testing.T) {
	o := newOutbox(t)
	second := id.New()
	o.Exec(t, `INSERT INTO contact_method (org_id, id, user_id, kind, name, address, created_at) VALUES ($1, $2, $3, 'webhook', 'Phone bridge', 'https://x.example', nightbell_now())`, o.Org, second, o.Ada)
	o.Exec(t, `INSERT INTO notification_rule (org_id, id, user_id, contact_method_id, urgency, delay_seconds, created_at) VALUES ($1, $2, $3, $4, 'high', 240, nightbell_now())`, o.Org, id.New(), o.Ada, second)
	o.Accept(t, pagingtest.Firing("a", "a", pagingtest.Began))
	bridge := &provider{}
	hooks := o.replica(notify.Webhook, bridge)
	deliver(t, hooks)
	if len(bridge.messages()) != 0 {
		t.Fatal("the second contact method was used early")
	}
	o.provider.answers(func(context.Context, notify.Message) error {
		return notify.Permanent(errors.New("550 no such mailbox"))
	})
	deliver(t, o.deliverer)
	deliver(t, hooks)
	if len(bridge.messages()) != 1 {
		t.Error("the second contact method was not used at once")
	}
}

func TestRetryAfterIsHonoured(t *testing.T) {
	o := newOutbox(t)
	o.Accept(t, pagingtest.Firing("a", "a", pagingtest.Began))
	o.provider.answers(func(context.Context, notify.Message) error {
		return notify.After(errors.New("HTTP 429"), 30*time.Second)
	})
	deliver(t, o.deliverer)
	o.Accept(t, pagingtest.Firing("b", "b", pagingtest.Began)) // due now, but for the contact that must wait
	for range 5 {
		o.Clock.Advance(5 * time.Second)
		deliver(t, o.deliverer)
	}
	if got := len(o.provider.messages()); got != 1 {
		t.Fatalf("called %d times within the wait", got)
	}
	o.provider.answers(nil)
	o.Clock.Advance(7 * time.Second)
	deliver(t, o.deliverer)
	sent := o.provider.messages()
	if len(sent) != 2 || len(sent[1].Incidents) != 2 {
		t.Errorf("after the wait: %d messages", len(sent))
	}
}

func TestAnsweredIncidentsAreNotSent(t *testing.T) {
	o := newOutbox(t)
	o.Accept(t, pagingtest.Firing("a", "a", pagingtest.Began))
	o.Accept(t, pagingtest.Firing("b", "b", pagingtest.Began))
	first := pgtest.One[uuid.UUID](t, o.Database, `SELECT id FROM incident WHERE number = 1`)
	// Answered between the claim and the last look.
	o.deliverer.Interrupt(func(moment string) bool {
		if moment == "claimed" {
			o.acknowledge(t, first)
		}
		return false
	})
	deliver(t, o.deliverer)
	sent := o.provider.messages()
	if len(sent) != 1 || len(sent[0].Incidents) != 1 || sent[0].Incidents[0].Number != 2 {
		t.Fatalf("sent %+v", sent)
	}
	if got := o.states(t); got != "cancelled: acknowledged\nsent" {
		t.Errorf("the pages are %q", got)
	}
	o.Accept(t, pagingtest.Firing("c", "c", pagingtest.Began))
	third := pgtest.One[uuid.UUID](t, o.Database, `SELECT id FROM incident WHERE number = 3`)
	o.deliverer.Interrupt(func(moment string) bool {
		if moment == "claimed" {
			o.acknowledge(t, third)
		}
		return false
	})
	deliver(t, o.deliverer)
	if len(o.provider.messages()) != 1 {
		t.Error("an answered incident was sent")
	}
	if got := o.deliveries(t); got != "accepted 1 taken\nskipped 0 somebody answered before it was sent" {
		t.Errorf("the delivery log says %q", got)
	}
}

func TestDisabledContactIsSaid(t *testing.T) {
	o := newOutbox(t)
	o.Accept(t, pagingtest.Firing("a", "a", pagingtest.Began))
	o.Exec(t, `UPDATE contact_method SET disabled_at = nightbell_now(), disabled_for = 'it answered 410 for three days'`)
	deliver(t, o.deliverer)
	if len(o.provider.messages()) != 0 {
		t.Error("a disabled contact method was used")
	}
	if got := o.states(t); got != "failed: the contact method is not used any more: it answered 410 for three days" {
		t.Errorf("the page is %q", got)
	}
}

func TestTheWorstComesFirst(t *testing.T) {
	o := newOutbox(t)
	// Twenty people, one page each; only sixteen sends fit at once.
	release := make(chan struct{})
	o.provider.answers(func(context.Context, notify.Message) error { <-release; return nil })
	for n := range 20 {
		severity := []alert.Severity{alert.Low, alert.Critical}[n%2]
		o.pageSomebody(t, fmt.Sprint("p", n), severity, time.Duration(n)*time.Second)
	}
	o.Clock.Advance(time.Minute)
	again, err := o.deliverer.Sweep(t.Context())
	if err != nil || !again {
		t.Fatalf("again %t, %v", again, err)
	}
	if again, err := o.deliverer.Sweep(t.Context()); again || err != nil {
		t.Fatalf("a full deliverer claims more: %t, %v", again, err)
	}
	waiting := o.Texts(t, `SELECT severity_rank || ' ' || u.name FROM notification n JOIN users u ON u.id = n.user_id
		WHERE n.org_id = $1 AND n.state = 'pending' ORDER BY n.due_at`, o.Org)
	if want := []string{"3 p0", "3 p2", "3 p4", "3 p6"}; !slices.Equal(waiting, want) {
		t.Errorf("waiting: %v, want the oldest of the least severe: %v", waiting, want)
	}
	close(release)
	o.deliverer.Wait()
	deliver(t, o.deliverer)
	if got := len(o.provider.messages()); got != 20 {
		t.Errorf("%d were sent", got)
	}
}

// pageSomebody makes a new person with one due page about an incident of its own.
func (o *outbox) pageSomebody(t *testing.T, name string, severity alert.Severity, later time.Duration) (page, incidentID uuid.UUID) {
	t.Helper()
	person := id.New()
	o.Person(t, person, name, "responder")
	page, incidentID = id.New(), id.New()
	o.Exec(t, `WITH next AS (UPDATE org SET last_incident_number = last_incident_number + 1 WHERE id = $1 RETURNING last_incident_number)
		INSERT INTO incident (org_id, id, number, service_id, title, status, severity, urgency, source, triggered_at, updated_at)
		SELECT $1, $2, last_incident_number, $3, 'Trouble of ' || $4::text, 'triggered', $5, 'high', 'test', nightbell_now(), nightbell_now() FROM next`,
		o.Org, incidentID, o.Service, name, severity)
	o.Exec(t, `INSERT INTO notification (org_id, id, effect_key, incident_id, user_id, contact_method_id, channel, cycle, round, step, reason,
			severity_rank, state, due_at, next_try_at, created_at)
		SELECT $1, $2, $2::uuid::text, $3, $4, c.id, 'email', 1, 0, 0, 'test', $5, 'pending', nightbell_now() + $6, nightbell_now() + $6, nightbell_now()
		FROM contact_method c WHERE c.user_id = $4`, o.Org, page, incidentID, person, severity.Rank(), later)
	return page, incidentID
}
