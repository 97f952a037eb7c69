//go:build chaos

package chaos

import (
	"fmt"
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"
)

// TestT11Downtime stops everything, moves time on by minutes, hours and days, and
// starts again: whoever was missed is paged once, and the next step waits in full.
func TestT11Downtime(t *testing.T) {
	begin(t, "T11")
	w := together(t, 2)
	const delay = 300
	o := w.newTenant("down", step{delay, []string{"first"}}, step{delay, []string{"second"}}, step{delay, []string{"third"}}, step{aDay, []string{"fourth"}})
	clock := w.clock()
	incidents, key, wrong, slowest := length(500, 40), 0, 0, time.Duration(0)
	for _, jump := range []struct {
		by     time.Duration
		missed []string // besides the first, who was paged before
	}{
		{11 * time.Minute, []string{"second", "third"}},
		{2 * time.Hour, []string{"second", "third", "fourth"}},
		{72 * time.Hour, []string{"second", "third", "fourth"}},
	} {
		var keys []string
		for range incidents {
			key++
			keys = append(keys, o.alertKey(key))
			w.insist(key, o, o.alertKey(key), firing(o.alertKey(key)))
		}
		w.awaitQuiet(patience)
		answered := incidents / 10
		w.acknowledge(o, w.incidents(keys[:answered])...)
		before := w.told(o)
		for _, n := range w.nodes {
			n.stop()
		}
		clock.Advance(jump.by)
		began := time.Now()
		for _, n := range w.nodes {
			n.start()
		}
		want := incidents - answered
		w.await(fmt.Sprintf("who was missed in %s is paged", jump.by), patience, func() error {
			for _, contact := range jump.missed {
				if got := w.told(o)[contact] - before[contact]; got < want {
					return fmt.Errorf("%s was told of %d incidents, want %d", contact, got, want)
				}
			}
			return nil
		})
		slowest = max(slowest, time.Since(began))
		w.awaitQuiet(patience)
		for contact, got := range w.told(o) {
			expected := 0
			for _, missed := range jump.missed {
				if contact == missed {
					expected = want
				}
			}
			if got -= before[contact]; got != expected {
				wrong += max(got-expected, expected-got)
				t.Errorf("after %s %s was told of %d incidents, want %d", jump.by, contact, got, expected)
			}
		}
		if jump.by < time.Hour {
			w.checkFullDelay(keys[answered:], delay*time.Second)
		} else {
			w.checkFullDelay(keys[answered:], aDay*time.Second)
		}
		for _, one := range keys {
			w.insist(0, o, one, resolved(one))
		}
	}
	v := w.check()
	measured(t, "T11", fmt.Sprintf("%d incidents each through 11 min, 2 h, 3 days: wrong pages", incidents), wrong, "each missed person once")
	measured(t, "T11", "from the start to the last missed page", slowest, "10 s, 2 min asserted")
	measured(t, "T11", "messages sent again", v.extras, "0")
	if v.extras > 0 {
		t.Errorf("%d messages were sent again", v.extras)
	}
}

// told sums the incidents in the messages to each contact.
func (w *world) told(o *tenant) map[string]int {
	sums := map[string]int{}
	for _, message := range w.providers.journal.all() {
		sums[message.Contact[len(o.name)+1:]] += message.Incidents
	}
	return sums
}

// checkFullDelay asserts that paging goes on, and not before the full delay after it
// went on last.
func (w *world) checkFullDelay(keys []string, delay time.Duration) {
	w.t.Helper()
	wrong := rows(w, pgx.RowTo[string], `
		SELECT i.title || ': ' || i.paging_status || ', next in ' || coalesce(i.paging_due_at - i.paging_updated_at, interval '0')
		FROM incident i
		WHERE i.title = ANY($1) AND NOT coalesce(i.paging_status = 'active' AND i.paging_due_at - i.paging_updated_at = $2::interval, false)`, keys, delay)
	w.broken("P4, the next step does not wait in full", len(wrong), wrong...)
}

// incidents gives the ids of the incidents about alerts.
func (w *world) incidents(keys []string) []string {
	w.t.Helper()
	return rows(w, pgx.RowTo[string], `SELECT id::text FROM incident WHERE title = ANY($1)`, keys)
}

func (w *world) acknowledge(o *tenant, incidentIDs ...string) {
	w.t.Helper()
	for _, id := range incidentIDs {
		o.call("POST", "/v1/incidents/"+id+"/acknowledge", map[string]string{}, nil)
		w.acks.add(acknowledgement{At: elapsed(), IncidentID: id})
	}
}

// TestT18ClockSteps moves the database's clock by five minutes, forth and back, while
// pages are due and under way. The clocks of the programs are never asked.
func TestT18ClockSteps(t *testing.T) {
	begin(t, "T18")
	w := together(t, 2)
	o := w.newTenant("stepped", step{600, []string{"first"}}, step{aDay, []string{"second"}})
	clock := w.clock()
	w.providers.misbehave("stepped-first", func() fault { return fault{latency: 300 * time.Millisecond} })
	rounds := length(8, 2)
	for i := range rounds {
		for n := range 20 {
			key := o.alertKey(i*20 + n)
			w.insist(n, o, key, firing(key))
		}
		clock.Advance([]time.Duration{5 * time.Minute, -5 * time.Minute}[i%2])
		w.crashed() // a step during a send may free its lease early
		w.insist(i, o, o.alertKey(100_000+i), firing(o.alertKey(100_000+i)))
	}
	w.awaitQuiet(patience)
	if told := w.told(o)["second"]; told > 0 {
		t.Errorf("the second person was paged %d times before anything was due", told)
	}
	clock.Advance(16 * time.Minute)
	w.await("everybody is paged", patience, func() error {
		if told, want := w.told(o)["second"], rounds*21; told != want {
			return fmt.Errorf("the second person was told of %d incidents, want %d", told, want)
		}
		return nil
	})
	v := w.check()
	measured(t, "T18", fmt.Sprintf("%d steps of the clock by 5 min: early pages", rounds), v.early, "0")
	w.measureKept("T18", v)
}

// TestT18ProcessClocks runs three replicas whose own clocks are an hour fast, an hour
// slow and a day fast. Nobody is paged early or late for it: they only ask the database.
func TestT18ProcessClocks(t *testing.T) {
	begin(t, "T18")
	w := together(t, 1)
	o := w.newTenant("askew", step{600, []string{"first"}}, step{aDay, []string{"second"}})
	clock := w.clock()
	w.nodes[0].stop()
	askew := fromEnvironment(t, "NIGHTBELL_SHIFTED_BIN")
	var shifts []string
	for i, shift := range []string{"1h", "-1h", "24h"} {
		n := newNode(t, "nightbell"+shift, append(w.nodes[0].settings, "NIGHTBELL_CLOCK_SHIFT="+shift)...)
		n.binary = askew
		n.start()
		if i == 0 {
			w.nodes = nil
		}
		w.nodes, shifts = append(w.nodes, n), append(shifts, shift)
		n.mustBeOff(shift)
	}
	alerts := length(300, 30)
	for n := range alerts {
		key := o.alertKey(n)
		w.insist(n, o, key, firing(key))
	}
	w.awaitQuiet(patience)
	for _, n := range w.nodes {
		alerts += w.pageBy(n, o)
	}
	if told := w.told(o)["second"]; told > 0 {
		t.Errorf("the second person was paged %d times before anything was due", told)
	}
	first := w.check()
	clock.Advance(11 * time.Minute)
	late := w.await("everybody is paged", patience, func() error {
		if told := w.told(o)["second"]; told != alerts {
			return fmt.Errorf("the second person was told of %d incidents, want %d", told, alerts)
		}
		return nil
	})
	second := w.check()
	measured(t, "T18", fmt.Sprintf("replicas off by %s: early pages", strings.Join(shifts, ", ")), first.early+second.early, "0")
	measured(t, "T18", "replicas off: first pages after due, max", first.latenessMax, "3 s, 30 s asserted")
	measured(t, "T18", "replicas off: next step after the clock reached it", late, "3 s, 30 s asserted")
	if first.latenessMax > 30*time.Second || late > 30*time.Second {
		t.Errorf("pages were %s and %s late", first.latenessMax, late)
	}
}

// mustBeOff makes sure that the program's clock is as wrong as the test means it to be.
func (n *node) mustBeOff(shift string) {
	n.t.Helper()
	response, err := client.Get(n.url + "/readyz")
	if err != nil {
		n.t.Fatal(err)
	}
	response.Body.Close()
	want, _ := time.ParseDuration(shift)
	says, err := http.ParseTime(response.Header.Get("Date"))
	if off := time.Until(says) - want; err != nil || off.Abs() > 5*time.Second {
		n.t.Fatalf("%s says that it is %q (%v)", n.name, response.Header.Get("Date"), err)
	}
}
