package watch_test

import (
	"slices"
	"testing"
	"time"

	"github.com/google/uuid"

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
