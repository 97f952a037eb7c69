package delivery_test

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"testing"

	"github.com/nightbell/nightbell/api/internal/delivery"
	"github.com/nightbell/nightbell/api/internal/kernel/id"
	"github.com/nightbell/nightbell/api/internal/notify"
	"github.com/nightbell/nightbell/api/internal/pagingtest"
	"github.com/nightbell/nightbell/api/internal/platform/postgres/pgtest"
)

// backlog gives every contact of another organization so many due pages: contacts that failed
// and are not to be tried yet, a dead one whose next try is due, and contacts without a send slot
// whose next method is in use already, or is not.
func (o *outbox) backlog(t *testing.T, pages int) {
	t.Helper()
	w := o.another(t)
	w.Exec(t, `INSERT INTO incident (org_id, id, number, service_id, title, status, severity, urgency, source, triggered_at, updated_at)
		SELECT $1, gen_random_uuid(), g, $2, 'Trouble', 'triggered', 'high', 'high', 'test', nightbell_now(), nightbell_now() FROM generate_series(1, $3::integer) g`, w.Org, w.Service, pages)
	for n, state := range []string{
		`failures = 3, next_try_at = nightbell_now() + interval '1 hour'`, `failures = 3, next_try_at = nightbell_now() + interval '1 hour'`,
		`failures = 3, next_try_at = nightbell_now()`, `failures = 0`, `failures = 0`,
	} {
		contact := id.New()
		w.Exec(t, `INSERT INTO contact_method (org_id, id, user_id, kind, name, address, verified_at, created_at) VALUES ($1, $2, $3, 'email', $4, $4, nightbell_now(), nightbell_now())`,
			w.Org, contact, w.Ada, fmt.Sprint("backlog", n))
		w.Exec(t, `UPDATE contact_method SET failing_since = nightbell_now(), `+state+` WHERE id = $1`, contact)
		w.Exec(t, `INSERT INTO notification (org_id, id, effect_key, incident_id, user_id, contact_method_id, channel, cycle, round, step, reason,
				severity_rank, state, due_at, next_try_at, failed_over_at, created_at)
			SELECT org_id, gen_random_uuid(), id::text || $2::uuid::text, id, $3, $2::uuid, 'email', 1, 0, 0, 'test', number % 4, 'pending',
				nightbell_now() - interval '1 minute', nightbell_now() - interval '1 minute', CASE WHEN $4 THEN nightbell_now() END, nightbell_now()
			FROM incident WHERE org_id = $1`, w.Org, contact, w.Ada, n == 4)
	}
	// All send slots of the organization are taken, by another process.
	w.Exec(t, `INSERT INTO delivery (org_id, id, contact_method_id, channel, outcome, incident_count, started_at, lease_until)
		SELECT org_id, gen_random_uuid(), id, kind, 'sending', 1, nightbell_now(), nightbell_now() + interval '8 seconds'
		FROM contact_method WHERE org_id = $1 AND failures = 0 AND name LIKE 'backlog%'`, w.Org)
}

// TestALookCostsByContactsNotByPages counts what looks read beside pages of another organization.
// Each takes on a bounded share of them, and sends the page of this one.
func TestALookCostsByContactsNotByPages(t *testing.T) {
	const looks = 5
	read := map[int]int{}
	for _, pages := range []int{20, 1000, 10_000} { // for each of five contacts
		o := newOutbox(t)
		o.backlog(t, pages)
		o.provider.answers(func(_ context.Context, message notify.Message) error {
			if strings.HasPrefix(message.To.Address, "backlog") {
				return errors.New("no answer in time")
			}
			return nil
		})
		o.Accept(t, pagingtest.Firing("a", "a", pagingtest.Began))
		for range looks {
			read[pages] += o.rowsRead(t, func(d *delivery.Outbox) { sweepOnce(t, d) })["notification"]
		}
		if got := pgtest.One[int](t, o.Database, `SELECT count(*) FROM notification WHERE org_id = $1 AND state = 'sent'`, o.Org); got != 1 {
			t.Errorf("beside %d due pages, %d of this organization's were sent, want 1", 5*pages, got)
		}
	}
	t.Log("rows read:", read)
	if most := looks * 5000; read[10_000] > most || read[20] > most || read[10_000] > read[1000]*3/2 {
		t.Errorf("%d looks read %d rows of notification beside 50,000 due pages, %d beside 5,000 and %d beside 100", looks, read[10_000], read[1000], read[20])
	}
}

func sweepOnce(t *testing.T, d *delivery.Outbox) {
	t.Helper()
	if _, err := d.Sweep(t.Context()); err != nil {
		t.Fatal(err)
	}
	d.Wait()
}
