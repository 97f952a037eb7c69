//go:build chaos

package chaos

import (
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/jackc/pgx/v5"
)

// patience is how long the oracle waits for what is still under way.
const patience = 2 * time.Minute

// check holds the three journals against each other (I1 to I10).
func (w *world) check() verdict {
	w.t.Helper()
	w.awaitQuiet(patience)
	v := verdict{accepted: w.countAccepted()}
	w.checkAccepted(&v)
	w.checkIncidents(&v)
	w.checkPages(&v)
	w.checkTenants()
	w.checkLeaks()
	return v
}

// verdict is what a scenario is measured by; the oracle has failed the test already
// when an invariant is broken.
type verdict struct {
	accepted, lost, duplicates int
	pages, messages            int
	// extras are messages that repeat a page which a provider had got before.
	extras int
	// longestHit is the longest time between a message that was sent again and the kill that
	// is the reason.
	longestHit time.Duration
	// unrecorded are messages whose record went with an old primary.
	unrecorded int
	// early are pages that went out before they were due, afterAnswer those that began more
	// than a second after the incident's answer was accepted.
	early, afterAnswer       int
	latenessP99, latenessMax time.Duration
}

func (w *world) broken(invariant string, count int, examples ...string) {
	w.t.Helper()
	if count > 0 {
		w.t.Errorf("%s: %d violations, for example %s", invariant, count, strings.Join(examples[:min(3, len(examples))], "; "))
	}
}

func (w *world) countAccepted() (accepted int) {
	for _, answer := range w.answers.all() {
		if answer.Status/100 == 2 {
			accepted++
		}
	}
	return accepted
}

// checkAccepted is I1: each 2xx has its alert, and as many occurrences as 2xx.
func (w *world) checkAccepted(v *verdict) {
	w.t.Helper()
	stored := map[string]int{}
	type seen struct {
		Title       string
		Occurrences int
	}
	for _, alert := range rows(w, pgx.RowToStructByPos[seen], `
		SELECT a.title, sum(e.occurrences)::int FROM alert a JOIN alert_event e ON e.org_id = a.org_id AND e.alert_id = a.id GROUP BY 1`) {
		stored[alert.Title] = alert.Occurrences
	}
	accepted := map[string]int{}
	for _, answer := range w.answers.all() {
		if answer.Status/100 == 2 {
			accepted[answer.Key]++
		}
	}
	var lost []string
	for key, times := range accepted {
		if stored[key] < times {
			v.lost += times - stored[key]
			lost = append(lost, fmt.Sprintf("%s: %d accepted, %d stored", key, times, stored[key]))
		}
	}
	w.broken("I1, an accepted alert is lost", len(lost), lost...)
}

// checkIncidents is I2, I3 and I8.
func (w *world) checkIncidents(v *verdict) {
	w.t.Helper()
	none := func(invariant, sql string) int {
		w.t.Helper()
		found := rows(w, pgx.RowTo[string], sql)
		w.broken(invariant, len(found), found...)
		return len(found)
	}
	none("I2, nothing says what follows for a triggered incident", `
		SELECT i.title FROM incident i
		WHERE i.status = 'triggered' AND NOT coalesce(
		    i.paging_status = 'active' AND i.paging_due_at > nightbell_now() - interval '15 seconds'
		    OR i.paging_status <> 'active' AND i.paging_reason <> '', false)`)
	none("I2, an answered incident goes on paging", `
		SELECT i.title FROM incident i WHERE i.status <> 'triggered' AND i.paging_status = 'active'`)
	// What fires later than that after its end was heard is new trouble (alert.Decide), and the load does that too.
	v.duplicates = none("I3, two incidents for one alert", `
		SELECT title || ': ' || coalesce('again ' || after || ' after its end', 'twice at a time') FROM (
			SELECT title, lag(id) OVER alike AS before, triggered_at - lag(resolved_at) OVER alike AS after
			FROM incident WHERE incident_key LIKE 'alert:%' WINDOW alike AS (PARTITION BY org_id, title ORDER BY triggered_at, id)) i
		WHERE before IS NOT NULL AND coalesce(after <= interval '25 seconds', true)`)
	none("I3, an alert that fires has no incident", `
		SELECT title FROM alert WHERE status = 'firing' AND incident_id IS NULL`)
	none("I8, the timeline does not match the state", `
		SELECT i.title || ' is ' || i.status FROM incident i LEFT JOIN timeline_event t ON t.org_id = i.org_id AND t.incident_id = i.id
		GROUP BY i.org_id, i.id
		HAVING count(*) FILTER (WHERE t.kind = 'declared') <> 1
		    OR count(*) FILTER (WHERE t.kind = 'resolved') <> (i.status = 'resolved')::int
		    OR count(*) FILTER (WHERE t.kind = 'acknowledged') <> (i.acknowledged_at IS NOT NULL)::int
		    OR count(*) FILTER (WHERE t.kind = 'paged') <> (SELECT count(*) FROM notification n
		        WHERE n.org_id = i.org_id AND n.incident_id = i.id AND n.state = 'sent')`)
}

// page is one row of the outbox.
type page struct {
	ID, IncidentID, Channel, State, Why string
	// Late is from the moment it was due to the first try; nil when it was never tried.
	Late *time.Duration
}

// checkPages is I4 to I7.
func (w *world) checkPages(v *verdict) {
	w.t.Helper()
	pages := rows(w, pgx.RowToStructByPos[page], `
		SELECT n.id::text, n.incident_id::text, n.channel, n.state, n.finished_for, tried.first - n.due_at
		FROM notification n LEFT JOIN (
		    SELECT page.id, min(d.started_at) AS first FROM delivery d, unnest(d.notification_ids) AS page(id) WHERE d.outcome <> 'skipped' GROUP BY page.id
		) tried ON tried.id = n.id`)
	v.pages = len(pages)
	copies, again, orphans := w.copies()
	v.unrecorded = orphans
	v.messages, v.extras = len(w.providers.journal.all()), again
	var unsent, copied, early []string
	var late []time.Duration
	for _, p := range pages {
		got := len(copies[p.ID])
		switch {
		case p.State == "sent" && got == 0 && p.Channel != "email", p.State != "sent" && p.Why == "":
			unsent = append(unsent, fmt.Sprintf("%s is %s, received %d times", p.ID, p.State, got))
		case !w.excused(copies[p.ID], v):
			copied = append(copied, fmt.Sprintf("%s was received as %+v, and no crash hit all but the last", p.ID, copies[p.ID]))
		}
		if p.Late != nil {
			late = append(late, *p.Late)
			if *p.Late < 0 {
				early = append(early, fmt.Sprintf("%s by %s", p.ID, -*p.Late))
			}
		}
	}
	w.broken("I4, a page was not tried", len(unsent), unsent...)
	w.broken("I5, a page was sent too often", len(copied), copied...)
	w.broken("I6, a page went out early", len(early), early...)
	if len(late) > 0 {
		slices.Sort(late)
		v.latenessP99, v.latenessMax = late[len(late)*99/100], late[len(late)-1]
	}
	v.early, v.afterAnswer = len(early), w.checkAnswered()
}

// copies gives for each page the messages with it that the providers got, and how many
// messages held a page that was received before, and how many have no record.
func (w *world) copies() (copies map[string][]received, again, unrecorded int) {
	type link struct{ Delivery, Page string }
	carried := map[string][]string{}
	for _, l := range rows(w, pgx.RowToStructByPos[link], `SELECT id::text, unnest(notification_ids)::text FROM delivery`) {
		carried[l.Delivery] = append(carried[l.Delivery], l.Page)
	}
	copies = map[string][]received{}
	var orphans []string
	for _, message := range w.providers.journal.all() {
		if !strings.HasPrefix(message.Answer, "taken") {
			continue
		}
		repeats := false
		for _, pageID := range carried[message.DeliveryID] {
			repeats = repeats || len(copies[pageID]) > 0
			copies[pageID] = append(copies[pageID], message)
		}
		if len(carried[message.DeliveryID]) == 0 {
			orphans = append(orphans, fmt.Sprintf("%+v", message))
		}
		if repeats {
			again++
		}
	}
	if int64(len(orphans)) > w.unrecorded.Load() {
		w.broken("I4, a message was received that no delivery stands for", len(orphans), orphans...)
	}
	return copies, again, len(orphans)
}

// checkAnswered is I7: no page of an incident begins more than a second after its
// acknowledgement was accepted, but for the one that asks about a severity that rose since.
func (w *world) checkAnswered() (broken int) {
	w.t.Helper()
	answeredAt := map[string]time.Duration{}
	for _, ack := range w.acks.all() {
		answeredAt[ack.IncidentID] = ack.At
	}
	if len(answeredAt) == 0 {
		return 0
	}
	type link struct{ Delivery, Incident string }
	about := map[string][]string{}
	for _, l := range rows(w, pgx.RowToStructByPos[link], `
		SELECT l.delivery_id::text, n.incident_id::text FROM (SELECT org_id, id AS delivery_id, unnest(notification_ids) AS notification_id FROM delivery) l
		JOIN notification n ON n.org_id = l.org_id AND n.id = l.notification_id WHERE n.state <> 'cancelled' AND NOT n.confirms`) {
		about[l.Delivery] = append(about[l.Delivery], l.Incident)
	}
	var late []string
	for _, message := range w.providers.journal.all() {
		for _, incidentID := range about[message.DeliveryID] {
			if at, ok := answeredAt[incidentID]; ok && message.At > at+time.Second {
				late = append(late, fmt.Sprintf("%s, %s after the answer", incidentID, message.At-at))
			}
		}
	}
	w.broken("I7, somebody was paged after the acknowledgement", len(late), late...)
	return len(late)
}

// checkTenants is I9: nobody's traffic reaches another's rows.
func (w *world) checkTenants() {
	w.t.Helper()
	foreign := rows(w, pgx.RowTo[string], `
		SELECT a.title || ' in ' || o.name FROM alert a JOIN org o ON o.id = a.org_id WHERE NOT starts_with(a.title, o.name || '-')
		UNION ALL
		SELECT i.title || ' in ' || o.name FROM incident i JOIN org o ON o.id = i.org_id
		WHERE i.incident_key LIKE 'alert:%' AND NOT starts_with(i.title, o.name || '-')`)
	w.broken("I9, a row in the wrong organization", len(foreign), foreign...)
	for _, message := range w.providers.journal.all() {
		if message.DeliveryID == "" {
			w.t.Errorf("I9: a message without a delivery: %+v", message)
		}
	}
}

// checkLeaks is I10, when the scenario noted what an idle program holds.
func (w *world) checkLeaks() {
	w.t.Helper()
	if w.base.goroutines == 0 || !w.nodes[0].running() {
		return
	}
	const slack = 40 // connections of the pools and of clients that are kept open
	client.CloseIdleConnections()
	w.await("I10, what an idle program holds", time.Minute, func() error {
		goroutines, descriptors := int(w.nodes[0].metric("go_goroutines")), w.nodes[0].descriptors()
		if goroutines > w.base.goroutines+slack || descriptors > w.base.descriptors+slack {
			return fmt.Errorf("%d goroutines and %d descriptors, %d and %d at first", goroutines, descriptors, w.base.goroutines, w.base.descriptors)
		}
		return nil
	})
}
