package demo

import (
	"cmp"
	"slices"
	"strconv"
	"time"

	"github.com/google/uuid"

	"github.com/nightbell/nightbell/api/internal/alert"
	"github.com/nightbell/nightbell/api/internal/incident"
)

// incidents lists all of them, the oldest first: their numbers are their places.
func incidents() []sampleIncident {
	all := slices.Concat(openNow, thisWeek, lastWeek)
	slices.SortFunc(all, func(a, b sampleIncident) int { return cmp.Compare(b.ago, a.ago) })
	return all
}

// past is one incident on its way into rows.
type past struct {
	sampleIncident
	rows   *rows
	rota   *rota
	id     uuid.UUID
	began  time.Time
	now    time.Time
	number int
	// events are its timeline, in any order.
	events []event
}

type event struct {
	incident.Event
	incidentID uuid.UUID
	at         time.Time
}

// addHistory writes the incidents with all that happened to them. The timeline comes
// last and in the order of time over all incidents, because it is the live feed too.
func addHistory(r *rows, rota *rota) {
	now := rota.now
	var feed []event
	for i, sample := range incidents() {
		p := &past{sampleIncident: sample, rows: r, rota: rota, id: incidentID(sample), began: now.Add(-sample.ago), now: now, number: i + 1}
		p.tell()
		p.addIncident()
		p.addPages()
		feed = append(feed, p.events...)
	}
	slices.SortStableFunc(feed, func(a, b event) int { return a.at.Compare(b.at) })
	for i, e := range feed {
		addEvent(r, e, i)
	}
}

// incidentID ends in the code by which people call the incident.
func incidentID(i sampleIncident) uuid.UUID {
	text := keyOf("incident", i.code).String()
	return uuid.MustParse(text[:len(text)-len(i.code)] + i.code)
}

// tell writes down what people, programs and alerts did, in the words of the product.
func (p *past) tell() {
	p.declare()
	for _, a := range p.alerts[min(1, len(p.alerts)):] {
		p.note(a.after, incident.Event{Kind: "alert_linked", Message: "Alert linked: " + a.name, Data: map[string]any{"alerts": 1}})
	}
	if p.raised.after > 0 {
		p.note(p.raised.after, incident.Event{
			Kind: "severity_change", Actor: person(p.raised.by),
			Message: "Severity changed from " + string(p.raised.from) + " to " + string(p.severity),
			Data:    map[string]any{"from": string(p.raised.from), "to": string(p.severity)},
		})
	}
	if p.acknowledged > 0 {
		p.note(p.acknowledged, incident.Event{Kind: "acknowledged", Actor: person(p.who), Message: "Incident acknowledged"})
		p.note(p.acknowledged+12*time.Second, incident.Event{
			Kind: "assigned", Actor: person(p.who),
			Message: "Assigned to " + person(p.who).Name,
			Data:    map[string]any{"assignee_id": personID(p.who).String(), "assignee_name": person(p.who).Name},
		})
	}
	for _, c := range p.said {
		p.note(c.after, incident.Event{Kind: "comment", Actor: person(c.who), Message: c.text})
	}
	if p.resolved > 0 {
		p.note(p.resolved, p.ending())
	}
}

func (p *past) declare() {
	switch {
	case len(p.alerts) > 0:
		p.note(0, incident.Event{Kind: "declared", Message: "Declared from an alert of " + p.service + "."})
	case p.by != "":
		p.note(0, incident.Event{Kind: "declared", Actor: person(p.by), Message: "Declared by " + person(p.by).Name + "."})
	default:
		program := incident.Actor{Kind: incident.APIKey, Name: programName}
		p.note(0, incident.Event{Kind: "declared", Actor: program, Message: "Declared by " + program.Name + "."})
	}
}

// programName is the API key of the job that counts orders.
const programName = "order volume monitor"

func (p *past) ending() incident.Event {
	if p.resolver == "" {
		return incident.Event{Kind: "resolved", Actor: incident.Actor{Kind: incident.System, Name: "System"}, Message: "All alerts resolved"}
	}
	return incident.Event{Kind: "resolved", Actor: person(p.resolver), Message: "Incident resolved"}
}

func (p *past) note(after time.Duration, e incident.Event) {
	p.events = append(p.events, event{Event: e, incidentID: p.id, at: p.began.Add(after)})
}

// person is somebody of the workspace as an actor, by their first name.
func person(first string) incident.Actor {
	i := slices.IndexFunc(people, func(p samplePerson) bool { return p.first == first })
	return incident.Actor{Kind: incident.User, ID: personID(first), Name: people[i].name()}
}

func addEvent(r *rows, e event, place int) {
	kind := cmp.Or(e.Actor.Kind, incident.System)
	data := e.Data
	if data == nil {
		data = map[string]any{}
	}
	r.add("timeline_event", "org_id, id, incident_id, kind, actor_kind, actor_id, actor_name, message, data, at",
		orgID, keyOf("event", strconv.Itoa(place)), e.incidentID, e.Kind, string(kind),
		optional(e.Actor.ID, e.Actor.ID != uuid.Nil), e.Actor.Name, e.Message, data, e.at)
}

func (p *past) status() incident.Status {
	switch {
	case p.resolved > 0:
		return incident.Resolved
	case p.acknowledged > 0:
		return incident.Acknowledged
	default:
		return incident.Triggered
	}
}

func (p *past) source() string {
	switch {
	case len(p.alerts) > 0:
		return p.alerts[0].source
	case p.by != "":
		return "manual"
	default:
		return "api"
	}
}

// at is the time so long after it began; NULL for what never happened.
func (p *past) at(after time.Duration) any {
	if after == 0 {
		return nil
	}
	return p.began.Add(after)
}

func (p *past) addIncident() {
	last := slices.MaxFunc(p.events, func(a, b event) int { return a.at.Compare(b.at) })
	p.rows.add("incident", `org_id, id, number, service_id, incident_key, title, description, status, severity, urgency, source,
		escalation_policy_id, assignee_id, acknowledged_by, acknowledged_at, acknowledged_severity, resolved_by, resolved_at, triggered_at, created_by,
		alert_count, details, version, updated_at`,
		orgID, p.id, p.number, serviceID(p.service), p.key(), p.title, p.description, string(p.status()), string(p.severity),
		string(incident.UrgencyOf(p.severity)), p.source(), policyID(p.policy()),
		optional(personID(p.who), p.who != ""), optional(personID(p.who), p.who != ""), p.at(p.acknowledged), p.acknowledgedSeverity(),
		optional(personID(p.resolver), p.resolver != ""), p.at(p.resolved), p.began,
		optional(personID(p.by), p.by != ""), len(p.alerts), p.details(), p.version(), last.at)
	for i := range p.alerts {
		p.addAlert(i)
	}
}

func (p *past) acknowledgedSeverity() any {
	if p.acknowledged == 0 {
		return nil
	}
	return string(p.severity)
}

// key is what the incident is about; none joins one that was declared.
func (p *past) key() any {
	if len(p.alerts) == 0 {
		return nil
	}
	return "alert:sample-" + p.code
}

// details are what the order volume monitor sent along (docs: low order volume).
func (p *past) details() map[string]any {
	switch p.source() {
	case "api":
		return map[string]any{
			"tags":     map[string]string{"type": "business_metric", "metric": "orders"},
			"metadata": map[string]any{"orders_count": 7, "threshold": 10, "time_window": "1h"},
		}
	case "manual":
		return map[string]any{"tags": map[string]string{}, "metadata": map[string]any{}}
	default:
		return map[string]any{}
	}
}

// version counts the commands that were carried out, as the product does.
func (p *past) version() int {
	version := 1
	for _, e := range p.events {
		switch e.Kind {
		case "acknowledged", "assigned", "severity_change", "comment", "alert_linked", "resolved":
			version++
		}
	}
	return version
}

// addAlert writes an alert with the record of its messages. It fires as long as the
// incident is open.
func (p *past) addAlert(i int) {
	a := p.alerts[i]
	id, started := keyOf("alert", p.code+"/"+a.name), p.began.Add(a.after)
	status, ended, seen := alert.Firing, any(nil), p.now.Add(-time.Duration(20+7*i)*time.Second)
	if p.resolved > 0 {
		status, seen = alert.Resolved, p.began.Add(p.resolved)
		ended = seen
	}
	p.rows.add("alert", `org_id, id, service_id, alert_key, status, severity, source, title, labels, annotations, starts_at, start_known,
		ends_at, incident_id, incident_starts_at, occurrence_count, first_seen_at, last_seen_at`,
		orgID, id, serviceID(p.service), "sample-"+p.code+"-"+a.name, string(status), string(p.severity), a.source, a.name,
		map[string]string{"alertname": a.name, "severity": string(p.severity), "service": p.service}, map[string]string{"summary": p.title},
		started, true, ended, p.id, started, a.repeats, started, seen)
	const columns = "org_id, alert_id, incident_id, status, occurrences, received_at"
	p.rows.add("alert_event", columns, orgID, id, p.id, string(alert.Firing), a.repeats, started)
	if p.resolved > 0 {
		p.rows.add("alert_event", columns, orgID, id, p.id, string(alert.Resolved), 1, seen)
	}
}
