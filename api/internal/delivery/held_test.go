package delivery_test

import (
	"context"
	"errors"
	"slices"
	"testing"
	"time"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"

	"github.com/nightbell/nightbell/api/internal/escalation/escalationdb"
	"github.com/nightbell/nightbell/api/internal/incident"
	"github.com/nightbell/nightbell/api/internal/kernel/id"
	"github.com/nightbell/nightbell/api/internal/notify"
	"github.com/nightbell/nightbell/api/internal/pagingtest"
	"github.com/nightbell/nightbell/api/internal/platform/postgres"
)

// secondContact gives Ada another address that is tried five seconds after the first.
func (o *outbox) secondContact(t *testing.T) {
	t.Helper()
	contact := id.New()
	o.Exec(t, `INSERT INTO contact_method (org_id, id, user_id, kind, name, address, created_at)
		VALUES ($1, $2, $3, 'email', 'Home', 'ada@home.example', nightbell_now())`, o.Org, contact, o.Ada)
	o.Exec(t, `INSERT INTO notification_rule (org_id, id, user_id, contact_method_id, urgency, delay_seconds, created_at)
		VALUES ($1, $2, $3, $4, 'high', 5, nightbell_now())`, o.Org, id.New(), o.Ada, contact)
}

// TestMaintenanceHoldsAContactThatIsTriedLater: Ada was paged, a second later maintenance began, and her other
// address was paged in it.
func TestMaintenanceHoldsAContactThatIsTriedLater(t *testing.T) {
	t.Parallel()
	began := time.Date(2026, 3, 27, 22, 0, 0, 0, time.UTC)
	for _, test := range []struct {
		name   string
		during func(t *testing.T, o *outbox, window uuid.UUID)
		// inside and after are how many messages have gone to Ada in it, and when it is over.
		inside, after int
	}{
		{"until its end", func(*testing.T, *outbox, uuid.UUID) {}, 1, 2},
		{"until it is ended early", func(t *testing.T, o *outbox, window uuid.UUID) {
			t.Helper()
			o.Clock.Advance(time.Minute)
			err := o.InTenant(t.Context(), o.Org, func(ctx context.Context, tx pgx.Tx) error {
				now, err := postgres.Now(ctx, tx)
				if err == nil {
					_, err = escalationdb.EndMaintenance(ctx, tx, o.Org, window, now)
				}
				return err
			})
			if err != nil {
				t.Fatal(err)
			}
			deliver(t, o.deliverer)
		}, 2, 2},
		{"unless somebody answers", func(t *testing.T, o *outbox, _ uuid.UUID) {
			t.Helper()
			o.Respond(t, incident.Acknowledge{By: pagingtest.By(o.Bob, "Bob")})
		}, 1, 1},
		{"but not what somebody asks for in it", func(t *testing.T, o *outbox, _ uuid.UUID) {
			t.Helper()
			o.Exec(t, `DELETE FROM escalation_step WHERE position = 1`)
			o.Exec(t, `UPDATE escalation_policy SET last_resort = 'nobody'`)
			o.Respond(t, incident.Escalate{By: pagingtest.By(o.Bob, "Bob")})
			deliver(t, o.deliverer)
			o.Clock.Advance(5 * time.Second)
			deliver(t, o.deliverer)
		}, 3, 4},
	} {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			o := newOutbox(t)
			o.Clock.Freeze(began)
			o.secondContact(t)
			toAda := func() (n int) {
				for _, message := range o.provider.messages() {
					if message.UserID == o.Ada {
						n++
					}
				}
				return n
			}
			o.Accept(t, pagingtest.Firing("cpu", "", pagingtest.Began))
			deliver(t, o.deliverer)
			window := o.AddMaintenance(t, began.Add(time.Second), began.Add(time.Hour), "Work", o.Service)
			o.Clock.Advance(5 * time.Second)
			deliver(t, o.deliverer)
			if got := toAda(); got != 1 {
				t.Fatalf("%d messages when the maintenance had begun\n%s", got, o.deliveries(t))
			}
			test.during(t, o, window)
			if got := toAda(); got != test.inside {
				t.Errorf("%d messages in it, want %d\n%s", got, test.inside, o.deliveries(t))
			}
			o.Clock.Freeze(began.Add(time.Hour - time.Second))
			deliver(t, o.deliverer)
			if got := toAda(); got != test.inside {
				t.Errorf("%d messages before its end, want %d\n%s", got, test.inside, o.deliveries(t))
			}
			o.Clock.Freeze(began.Add(time.Hour))
			deliver(t, o.deliverer)
			if got := toAda(); got != test.after {
				t.Errorf("%d messages at its end, want %d\n%s\n%s", got, test.after, o.deliveries(t), o.states(t))
			}
		})
	}
}

// TestTheContactThatTakesOverIsNotHeld: Ada's first address refused her page, which was due before the
// maintenance began. The other goes on at once, as the first would have.
func TestTheContactThatTakesOverIsNotHeld(t *testing.T) {
	t.Parallel()
	o := newOutbox(t)
	o.Clock.Freeze(time.Date(2026, 3, 27, 22, 0, 0, 0, time.UTC))
	o.secondContact(t)
	o.provider.answers(func(_ context.Context, message notify.Message) error {
		if message.UserID == o.Ada && message.To.Address != "ada@home.example" {
			return errors.New("no answer")
		}
		return nil
	})
	o.Accept(t, pagingtest.Firing("cpu", "", pagingtest.Began))
	now := o.Clock.Now()
	o.AddMaintenance(t, now.Add(time.Second), now.Add(time.Hour), "Work", o.Service)
	o.Clock.Advance(2 * time.Second)
	deliver(t, o.deliverer)
	deliver(t, o.deliverer)
	reached := slices.ContainsFunc(o.provider.messages(), func(m notify.Message) bool { return m.To.Address == "ada@home.example" })
	if !reached {
		t.Errorf("nobody is reached while it lasts\n%s\n%s", o.deliveries(t), o.states(t))
	}
}
