package delivery_test

import (
	"bytes"
	"fmt"
	"log/slog"
	"strings"
	"testing"
	"time"

	"github.com/google/uuid"

	"github.com/nightbell/nightbell/api/internal/delivery"
	"github.com/nightbell/nightbell/api/internal/notify"
	"github.com/nightbell/nightbell/api/internal/notify/notifydb"
	"github.com/nightbell/nightbell/api/internal/pagingtest"
	"github.com/nightbell/nightbell/api/internal/platform/postgres/pgtest"
)

// slowLooks makes a deliverer whose every last look takes so long, by the clock that only measures.
func (o *outbox) slowLooks(takes time.Duration, log *bytes.Buffer, looks *int) *delivery.Outbox {
	uptime := time.Duration(0)
	return delivery.New(o.DB, notify.Email, o.provider, delivery.Options{
		Logger: slog.New(slog.NewTextHandler(log, nil)), PublicURL: "https://nightbell.example", AckKey: linkKey,
		Changed: func(uuid.UUID) {}, Freed: func() {},
		Lateness: func(_ string, lateness time.Duration) { o.lateness = append(o.lateness, lateness) },
		Uptime: func() time.Duration { // asked when a look begins, and when it is to be acted upon
			if *looks++; *looks%2 == 0 {
				uptime += takes
			}
			return uptime
		},
	})
}

// TestAPageLeavesThoughTheDatabaseAnswersSlowly: each last look is old by the time it arrives. A page rather a
// little stale than never, as long as the lease lasts: another would send it once more.
func TestAPageLeavesThoughTheDatabaseAnswersSlowly(t *testing.T) {
	for takes, want := range map[time.Duration]struct {
		looks, mails int
		said         string
	}{
		400 * time.Millisecond:  {1, 1, ""},
		550 * time.Millisecond:  {3, 1, "level=WARN msg=\"a page leaves"},
		2500 * time.Millisecond: {3, 1, "level=WARN msg=\"a page leaves"},
		4500 * time.Millisecond: {2, 1, "level=WARN msg=\"a page leaves"}, // a third would use up the lease
		9 * time.Second:         {3, 0, "level=WARN msg=\"a page could not leave"},
	} {
		t.Run(takes.String(), func(t *testing.T) {
			o := newOutbox(t)
			o.Clock.Freeze(o.Clock.Now())
			o.Accept(t, pagingtest.Firing("a", "a", pagingtest.Began))
			var log bytes.Buffer
			looks := 0
			d := o.slowLooks(takes, &log, &looks)
			deliver(t, d)
			if got := len(o.provider.messages()); got != want.mails || looks != 2*want.looks {
				t.Errorf("%d mails after %d looks, want %+v", got, looks/2, want)
			}
			if !strings.Contains(log.String(), want.said) || want.said == "" && log.Len() > 0 {
				t.Errorf("the log says %s", log.String())
			}
			if want.mails == 1 && (len(o.lateness) != 1 || takes > time.Second && o.lateness[0] < takes) {
				t.Errorf("the lateness is %v", o.lateness)
			}
		})
	}
}

// TestLatenessIsMeasuredWhenAPageIsFirstHandedOver: what was claimed twice and never sent is exactly what is late.
func TestLatenessIsMeasuredWhenAPageIsFirstHandedOver(t *testing.T) {
	o := newOutbox(t)
	o.Clock.Freeze(o.Clock.Now())
	o.Accept(t, pagingtest.Firing("a", "a", pagingtest.Began))
	for range 2 {
		var log bytes.Buffer
		looks := 0
		deliver(t, o.slowLooks(9*time.Second, &log, &looks))
		o.Clock.Advance(notifydb.Lease)
	}
	o.provider.answers(nil)
	deliver(t, o.deliverer)
	if len(o.lateness) != 1 || o.lateness[0] != 2*notifydb.Lease {
		t.Errorf("the lateness is %v, want %s once", o.lateness, 2*notifydb.Lease)
	}
	if got := o.states(t); got != "sent" {
		t.Errorf("the page is %q", got)
	}
}

// TestALookReadsNoMoreThanAMessageShows of thousands of incidents, whose texts may hold 20,000 characters each.
func TestALookReadsNoMoreThanAMessageShows(t *testing.T) {
	for _, kind := range []notify.Kind{notify.Email, notify.Webhook} {
		t.Run(string(kind), func(t *testing.T) {
			o := newOutbox(t)
			const incidents = 60
			o.Exec(t, `INSERT INTO incident (org_id, id, number, service_id, title, description, status, severity, urgency, source, triggered_at, updated_at)
				SELECT $1, gen_random_uuid(), g, $2, 'Trouble', repeat(g || ' é ', 20000 / length(g || ' é ')), 'triggered', (ARRAY['critical', 'high', 'medium', 'low'])[1 + g % 4], 'high', 'test',
					nightbell_now() - (g * 7 % 5) * interval '1 second', nightbell_now() FROM generate_series(1, $3::integer) g`, o.Org, o.Service, incidents)
			o.Exec(t, `UPDATE contact_method SET kind = $2, address = 'https://ada.example' WHERE user_id = $1`, o.Ada, string(kind))
			o.Exec(t, `INSERT INTO notification (org_id, id, effect_key, incident_id, user_id, contact_method_id, channel, cycle, round, step, reason, severity_rank, state, due_at, next_try_at, created_at)
				SELECT i.org_id, gen_random_uuid(), i.id::text || copy, i.id, $2, c.id, c.kind, 1, 0, copy, 'test', 0, 'pending', nightbell_now(), nightbell_now(), nightbell_now()
				FROM incident i JOIN contact_method c ON c.org_id = i.org_id AND c.user_id = $2, generate_series(0, 1) copy WHERE i.org_id = $1`, o.Org, o.Ada)
			// Answered meanwhile: not told, and takes nobody's place.
			o.Exec(t, `UPDATE incident SET status = 'resolved', resolved_at = nightbell_now() WHERE number IN (4, 8)`)
			deliver(t, o.replica(kind, o.provider))
			sent := o.provider.messages()
			if len(sent) != 1 || len(sent[0].Incidents) != incidents-2 {
				t.Fatalf("%d messages", len(sent))
			}
			for place, told := range sent[0].Incidents {
				whole := pgtest.One[string](t, o.Database, `SELECT description FROM incident WHERE id = $1`, told.ID)
				switch {
				case place >= notify.MaxShown && told.Description != "":
					t.Errorf("what is only counted comes with %d characters", len(told.Description))
				case place < notify.MaxShown && told.Summary() != notify.Incident{Description: whole}.Summary():
					t.Errorf("the one in place %d, %s, reads %q", place, fmt.Sprint(told.Number), told.Summary())
				case kind == notify.Email && len(told.Description) > 8*1000:
					t.Errorf("%d bytes were read for 1,000 characters", len(told.Description))
				case kind == notify.Webhook && place < notify.MaxShown && told.Description != whole: // programs get all of it
					t.Errorf("%d of %d bytes", len(told.Description), len(whole))
				}
			}
		})
	}
}
