package watch_test

import (
	"errors"
	"log/slog"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/uuid"

	"github.com/nightbell/nightbell/api/internal/delivery"
	"github.com/nightbell/nightbell/api/internal/notify"
	"github.com/nightbell/nightbell/api/internal/pagingtest"
)

// fails stores that contacts of the organization began to fail, each with a page that was tried.
func (w *watched) fails(t *testing.T, kind notify.Kind, contacts int, since time.Time, why string) {
	t.Helper()
	w.Accept(t, pagingtest.Firing("cpu", "", pagingtest.Began))
	w.Exec(t, `UPDATE incident SET paging_due_at = nightbell_now() + interval '1 day'`)
	for range contacts {
		contact := uuid.New()
		w.Exec(t, `INSERT INTO contact_method (org_id, id, kind, name, address, created_at, failures, failing_since, failing_for, next_try_at)
			VALUES ($1, $2, $3, 'Work', 'somewhere', nightbell_now(), 6, $4, $5, nightbell_now() + interval '1 minute')`, w.Org, contact, string(kind), since, why)
		w.Exec(t, `INSERT INTO notification (org_id, id, effect_key, incident_id, contact_method_id, channel, cycle, round, step, reason, severity_rank, state, due_at, next_try_at, attempts, created_at)
			SELECT org_id, $2::uuid, $2::uuid::text, id, $2::uuid, $3, 1, 0, 0, '', 0, 'pending', $4, nightbell_now() + interval '2 hours', 3, $4 FROM incident WHERE org_id = $1`,
			w.Org, contact, string(kind), since)
	}
	w.Exec(t, `UPDATE notification SET state = 'cancelled', finished_at = nightbell_now() WHERE attempts = 0 AND finished_at IS NULL`)
}

// accepts stores that a provider of a channel took a message.
func (w *watched) accepts(t *testing.T, kind notify.Kind, at time.Time) {
	t.Helper()
	w.Exec(t, `INSERT INTO delivery (org_id, id, contact_method_id, channel, outcome, incident_count, started_at, finished_at)
		SELECT org_id, gen_random_uuid(), id, $1, 'accepted', 1, $2, $2 FROM contact_method LIMIT 1`, string(kind), at)
}

// TestRecipientsThatAreRefusedBesideMailThatIsTaken: a relay takes mail to its own domain only. Three contacts are
// not all at fault, unless they are all of one organization among several.
func TestRecipientsThatAreRefusedBesideMailThatIsTaken(t *testing.T) {
	t.Parallel()
	const denied, full = "554 5.7.1 Relay access denied", "452 4.2.2 mailbox full"
	for name, c := range map[string]struct {
		contacts []int // that fail, of each organization
		failing  time.Duration
		why      string
		want     []string
	}{
		"two":                              {[]int{1, 1}, time.Hour, denied, nil},
		"three of one among several":       {[]int{3, 0}, time.Hour, denied, nil},
		"three of several":                 {[]int{2, 1}, time.Minute, denied, []string{"blocked"}},
		"three of several, a moment ago":   {[]int{2, 1}, 59 * time.Second, denied, nil},
		"three full mailboxes of several":  {[]int{2, 1}, time.Hour, full, nil},
		"three of the only one":            {[]int{3}, time.Minute, denied, []string{"blocked"}},
		"two of the only one":              {[]int{2}, time.Hour, denied, nil},
		"three of several that wait a bit": {[]int{1, 1, 1}, time.Minute, "450 4.7.1 try later", []string{"blocked"}},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			w := newWatched(t)
			now := w.Clock.Now()
			for n, contacts := range c.contacts {
				if n > 0 {
					w.Fill(t)
				}
				w.fails(t, notify.Email, contacts, now.Add(-c.failing), c.why)
			}
			w.accepts(t, notify.Email, now.Add(-10*time.Second))
			if got := w.round(t); !slices.Equal(got, c.want) {
				t.Errorf("the problems are %v, want %v", got, c.want)
			}
		})
	}
}

// TestAChannelThatTakesNothingFromAnybody: addresses of webhooks are often dead, so that only contacts of several
// organizations tell of the installation, and only those that failed since the channel took its last message.
func TestAChannelThatTakesNothingFromAnybody(t *testing.T) {
	t.Parallel()
	const never = -time.Hour // in the future
	for name, c := range map[string]struct {
		contacts []int // that fail, of each organization
		failing  time.Duration
		accepted time.Duration // how long ago
		want     []string
	}{
		"three of several":                       {[]int{2, 1}, 119 * time.Second, 2 * time.Minute, []string{"blocked"}},
		"where nothing was ever taken":           {[]int{2, 1}, time.Minute, never, []string{"blocked"}},
		"a moment ago":                           {[]int{2, 1}, 59 * time.Second, never, nil},
		"two of several":                         {[]int{1, 1}, time.Hour, never, nil},
		"many of one among several":              {[]int{50, 0}, time.Hour, never, nil},
		"others are taken":                       {[]int{2, 1}, 100 * time.Second, 110 * time.Second, nil},
		"others were taken while they failed":    {[]int{2, 1}, time.Hour, 59 * time.Minute, nil},
		"three of the only organization":         {[]int{3}, time.Minute, never, []string{"blocked"}},
		"two of the only organization":           {[]int{2}, time.Hour, never, nil},
		"of the only one, while they had failed": {[]int{3}, time.Hour, 10 * time.Minute, nil},
	} {
		for _, kind := range []notify.Kind{notify.Webhook, notify.Slack} {
			t.Run(name+" by "+string(kind), func(t *testing.T) {
				t.Parallel()
				w := newWatched(t)
				now := w.Clock.Now()
				for n, contacts := range c.contacts {
					if n > 0 {
						w.Fill(t)
					}
					w.fails(t, kind, contacts, now.Add(-c.failing), "the connection failed")
				}
				w.accepts(t, notify.Email, now) // which tells nothing of other channels
				w.accepts(t, kind, now.Add(-c.accepted))
				if got := w.round(t); !slices.Equal(got, c.want) {
					t.Errorf("the problems are %v, want %v", got, c.want)
				}
			})
		}
	}
}

// TestAFirewallInFrontOfSlackWithholdsTheDeadMan: people have Slack only, and no way there is open. Where each address
// is refused for good, pages are lost at once.
func TestAFirewallInFrontOfSlackWithholdsTheDeadMan(t *testing.T) {
	t.Parallel()
	for name, failure := range map[string]error{
		"dropped":       errors.New("no answer in time"),
		"unknown":       notify.UnknownOutcome(errors.New("no answer in time")),
		"answers 403":   notify.Permanent(errors.New("HTTP 403")),
		"a private one": notify.Permanent(errors.New("the address is private")),
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			w := newWatched(t)
			slack := delivery.New(w.DB, notify.Slack, w, delivery.Options{
				Logger: slog.New(slog.DiscardHandler), AckKey: []byte(strings.Repeat("k", 32)), Changed: func(uuid.UUID) {}, Freed: func() {}, Lateness: func(string, time.Duration) {},
			})
			w.outbox, w.failure = slack, failure
			w.SetSteps(t, pagingtest.Page(pagingtest.User(w.Ada), pagingtest.User(w.Bob), pagingtest.User(w.AddPerson(t, "Cleo"))))
			w.Exec(t, `UPDATE contact_method SET kind = 'slack'`)
			var told []string
			for n := range 7 {
				key := string(rune('a' + n))
				w.Accept(t, pagingtest.Firing(key, key, pagingtest.Began))
				w.Exec(t, `UPDATE incident SET paging_due_at = nightbell_now() + interval '1 day'`)
				w.deliver(t)
				told = append(told, strings.Join(w.round(t), " "))
				w.Clock.Advance(25 * time.Second)
			}
			if got := strings.Join(told, ","); got != ",,,blocked,blocked,blocked,blocked" {
				t.Errorf("every 25 s: %q, want it told after a minute", got)
			}
			w.failure = nil
			w.Clock.Advance(notify.LongestWait)
			w.Accept(t, pagingtest.Firing("z", "z", pagingtest.Began))
			w.Exec(t, `UPDATE incident SET paging_due_at = nightbell_now() + interval '1 day'`)
			for range 3 { // the first frees what waited for it
				w.deliver(t)
			}
			if got := w.round(t); len(got) > 0 {
				t.Errorf("after a message was taken: %v", got)
			}
		})
	}
}

// TestAWebhookThatWeLoseOurselvesWithholdsTheDeadMan: one page is enough that failed by our own mistake, and ended before
// it was kept for a minute.
func TestAWebhookThatWeLoseOurselvesWithholdsTheDeadMan(t *testing.T) {
	t.Parallel()
	w := newWatched(t)
	now := w.Clock.Now()
	w.fails(t, notify.Webhook, 1, now, "")
	w.Exec(t, `UPDATE contact_method SET failing_since = NULL, next_try_at = NULL`)
	w.Exec(t, `UPDATE notification SET state = 'failed', finished_at = $1, lost_at = $1, blocked_since = $1::timestamptz - interval '52 seconds' WHERE channel = 'webhook'`, now)
	w.Fill(t)
	var told []string
	for range 4 {
		told = append(told, strings.Join(w.round(t), " "))
		w.Clock.Advance(30 * time.Second)
		if len(told) == 3 {
			w.accepts(t, notify.Webhook, w.Clock.Now())
		}
	}
	if got := strings.Join(told, ","); got != ",blocked,blocked," {
		t.Errorf("every half minute: %q, want it told until a webhook is taken", got)
	}
}
