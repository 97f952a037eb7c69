//go:build chaos

package chaos

import (
	"fmt"
	"slices"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"
)

// TestT05Storm sends ten thousand alerts to one service within a minute, while five
// other organizations send one a second each.
func TestT05Storm(t *testing.T) {
	begin(t, "T05")
	w := alone(t)
	storm := w.newTenant("storm", step{aDay, []string{"hook", "mail"}})
	w.providers.misbehave("storm-hook", func() fault { return fault{latency: 200 * time.Millisecond} })
	var quiet []*tenant
	for i := range 5 {
		quiet = append(quiet, w.newTenant(fmt.Sprintf("quiet%d", i), step{aDay, []string{"hook"}}))
	}
	w.ready()
	alerts, within := length(10_000, 1_000), time.Duration(length(60, 6))*time.Second
	began := time.Now()
	var sending sync.WaitGroup
	var next atomic.Int64
	for range 64 { // as many as it takes for slow answers not to slow the storm down
		sending.Go(func() {
			for n := next.Add(1); n <= int64(alerts); n = next.Add(1) {
				time.Sleep(time.Until(began.Add(within * time.Duration(n) / time.Duration(alerts))))
				key := storm.alertKey(int(n))
				w.post(w.nodes[0], storm, key, firing(key))
			}
		})
	}
	for _, o := range quiet {
		sending.Go(func() {
			for n := 0; time.Since(began) < within; n++ {
				key := o.alertKey(n)
				w.post(w.nodes[0], o, key, firing(key))
				time.Sleep(time.Second)
			}
		})
	}
	sending.Wait()
	took := time.Since(began)
	v := w.check()
	mails := w.countMails("storm")
	refused, p99 := w.answerTimes()
	beside := w.lateness("quiet%")
	measured(t, "T05", "alerts of the storm, sent within", fmt.Sprintf("%d in %s", alerts, took.Round(time.Second)), "60 s, 90 s asserted")
	measured(t, "T05", "answers other than 2xx", refused, "0")
	measured(t, "T05", "answer, p99", p99, "500 ms, 5 s asserted")
	measured(t, "T05", "quiet organizations: first attempt after due, p99", beside, "at most 5 s")
	told := w.countTold("storm-hook")
	measured(t, "T05", "incidents of the storm, told in messages to a program", fmt.Sprintf("%d in %d", told.incidents, told.messages), "every one, once")
	measured(t, "T05", "incidents of the storm, told in mails to one person", fmt.Sprintf("%d in %d", mails.incidents, mails.messages), "every one, once")
	hooks, letters := w.latenessOf("storm", "webhook"), w.latenessOf("storm", "email")
	measured(t, "T05", "the storm's own pages: first attempt after due, p99, to a program", hooks, "5 s, 15 s asserted")
	measured(t, "T05", "... in mails to one person, one each 5 s", letters, "10 s, 30 s asserted")
	w.measureKept("T05", v)
	if hooks > 15*time.Second || letters > 30*time.Second {
		t.Errorf("the storm's own pages were first tried %s and %s after they were due", hooks, letters)
	}
	if refused > 0 || p99 > 5*time.Second || beside > 5*time.Second {
		t.Errorf("%d refused, answers took %s, quiet organizations waited %s", refused, p99, beside)
	}
	if told.incidents != alerts || mails.incidents != alerts {
		t.Errorf("the messages speak of %d incidents and the mails of %d, want %d", told.incidents, mails.incidents, alerts)
	}
	if took > within*3/2 {
		t.Errorf("the storm took %s to arrive", took)
	}
	// Twenty at once, then one each five seconds.
	if most := 25 + int(took/(5*time.Second)) + 5; mails.messages > most {
		t.Errorf("one person got %d mails, want at most %d", mails.messages, most)
	}
	if told.messages > alerts/2 {
		t.Errorf("%d alerts became %d messages: they are not bundled", alerts, told.messages)
	}
}

// answerTimes counts the answers that were not 2xx, and gives the 99th percentile.
func (w *world) answerTimes() (refused int, p99 time.Duration) {
	var took []time.Duration
	for _, answer := range w.answers.all() {
		took = append(took, answer.Took)
		if answer.Status/100 != 2 {
			refused++
		}
	}
	slices.Sort(took)
	return refused, took[len(took)*99/100]
}

// lateness is the 99th percentile from due to the first try, for the organizations
// whose name is like that.
func (w *world) lateness(like string) time.Duration { return w.latenessOf(like, "%") }

// latenessOf is that of one channel.
func (w *world) latenessOf(like, channel string) time.Duration {
	w.t.Helper()
	seconds := rows(w, pgx.RowTo[float64], `
		SELECT coalesce(percentile_cont(0.99) WITHIN GROUP (ORDER BY extract(epoch FROM late)), 0)::float8 FROM (
		    SELECT min(d.started_at) - n.due_at AS late
		    FROM notification n JOIN org o ON o.id = n.org_id
		    JOIN (SELECT org_id, id AS delivery_id, unnest(notification_ids) AS notification_id FROM delivery) l ON l.org_id = n.org_id AND l.notification_id = n.id
		    JOIN delivery d ON d.org_id = l.org_id AND d.id = l.delivery_id WHERE o.name LIKE $1 AND n.channel LIKE $2 GROUP BY n.org_id, n.id, n.due_at) tries`, like, channel)[0]
	return time.Duration(seconds * float64(time.Second))
}

// countMails sums what the mails to an organization's people, all in its inbox, told.
func (w *world) countMails(name string) (sum told) {
	w.t.Helper()
	type counted struct{ Mails, Incidents, Kept int }
	c := rows(w, pgx.RowToStructByPos[counted], `
		SELECT count(*)::int, coalesce(sum(d.incident_count), 0)::int,
		       (SELECT count(*) FROM inbox_mail m WHERE m.org_id = min(o.id::text)::uuid)::int
		FROM delivery d JOIN org o ON o.id = d.org_id WHERE o.name = $1 AND d.channel = 'email' AND d.outcome = 'accepted'`, name)[0]
	if c.Mails != c.Kept {
		w.t.Errorf("%d mails were sent, %d are in the inbox", c.Mails, c.Kept)
	}
	return told{messages: c.Mails, incidents: c.Incidents}
}

type told struct{ incidents, messages int }

// countTold sums the counts that the messages to a contact named.
func (w *world) countTold(contact string) (sum told) {
	for _, message := range w.providers.journal.all() {
		if message.Contact == contact && message.Answer == "taken" {
			sum.messages++
			sum.incidents += message.Incidents
		}
	}
	return sum
}
