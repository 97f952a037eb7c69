package demo

import (
	"cmp"
	"context"
	"slices"
	"time"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"

	"github.com/nightbell/nightbell/api/internal/alert"
	"github.com/nightbell/nightbell/api/internal/catalog"
	"github.com/nightbell/nightbell/api/internal/escalation"
	"github.com/nightbell/nightbell/api/internal/escalation/escalationdb"
	"github.com/nightbell/nightbell/api/internal/incident"
	"github.com/nightbell/nightbell/api/internal/intake"
	"github.com/nightbell/nightbell/api/internal/paging"
	"github.com/nightbell/nightbell/api/internal/platform/postgres"
	"github.com/nightbell/nightbell/api/internal/respond"
)

// taken is how long after acknowledging an incident somebody assigns it to themselves.
const taken = 12 * time.Second

// happening is one thing of the past.
type happening struct {
	at time.Time
	do func(ctx context.Context, at time.Time) error
}

// addHistory lets everything happen again in the order of time, by the code that did it
// each at its instant. What is due in between is escalated, and every page is sent at birth.
func (f *filling) addHistory(ctx context.Context) error {
	newest := slices.MinFunc(data().Incidents, func(a, b pastIncident) int { return cmp.Compare(a.Ago, b.Ago) })
	story := []happening{{f.now.Add(-newest.Ago - time.Second), f.usePolicies}}
	for _, i := range data().Incidents {
		story = append(story, f.storyOf(i)...)
	}
	slices.SortStableFunc(story, func(a, b happening) int { return a.at.Compare(b.at) })
	for _, h := range story {
		if err := f.escalateUntil(ctx, h.at); err != nil {
			return err
		}
		if err := h.do(ctx, h.at); err != nil {
			return err
		}
	}
	if err := f.escalateUntil(ctx, f.now); err != nil {
		return err
	}
	if _, err := f.tx.Exec(ctx, sendersSQL, orgID, catalog.Alertmanager); err != nil {
		return err
	}
	return f.stopPaging(ctx)
}

// sendersSQL notes what called, as intake's handlers would have.
const sendersSQL = `
INSERT INTO sender_call (org_id, service_id, kind, first_at, last_at)
SELECT org_id, service_id, $2, min(first_seen_at), max(last_seen_at) FROM alert WHERE org_id = $1 AND source = 'prometheus' GROUP BY 1, 2`

// storyOf is all that happens to an incident, besides its paging.
func (f *filling) storyOf(i pastIncident) (story []happening) {
	id, began := incidentID(i.ID), f.now.Add(-i.Ago)
	add := func(after time.Duration, do func(context.Context, time.Time) error) {
		story = append(story, happening{began.Add(after), do})
	}
	command := func(after time.Duration, command incident.Command) {
		add(after, func(ctx context.Context, at time.Time) error {
			_, raised := command.(incident.ChangeSeverity)
			f.stale = f.stale || raised || id == f.next.incidentID
			return respond.Apply(ctx, f.tx, orgID, []uuid.UUID{id}, command, at)
		})
	}
	over := slices.ContainsFunc(i.Then, func(e event) bool { return e.Does == "clear" || e.Does == "resolve" })
	if len(i.Alerts) == 0 {
		add(0, func(ctx context.Context, at time.Time) error { return f.declare(ctx, i, at) })
	}
	for n, a := range i.Alerts {
		// An alert that fires still came a moment ago for the last time.
		last := f.now.Add(-time.Duration(20+7*n) * time.Second)
		first := a.Times
		if !over && a.Times > 1 {
			first = 1
			story = append(story, happening{last, func(ctx context.Context, at time.Time) error {
				return f.receive(ctx, i, []alert.Received{i.alert(a, began, a.Times-1)}, at)
			}})
		}
		add(a.After, func(ctx context.Context, at time.Time) error {
			return f.receive(ctx, i, []alert.Received{i.alert(a, began, first)}, at)
		})
	}
	for _, e := range i.Then {
		who := actor(e.Who)
		switch {
		case e.Severity != "":
			command(e.After, incident.ChangeSeverity{By: who, To: e.Severity})
		case e.Says != "":
			command(e.After, incident.Comment{By: who, Message: e.Says})
		case e.Does == "acknowledge":
			command(e.After, incident.Acknowledge{By: who})
			command(e.After+taken, incident.Assign{By: who, To: who.ID, ToName: who.Name})
		case e.Does == "resolve":
			command(e.After, incident.Resolve{By: who})
			fallthrough
		case e.Does == "clear":
			add(e.After, func(ctx context.Context, at time.Time) error { return f.clear(ctx, i, began, at) })
		}
	}
	return story
}

// declare opens an incident by the words of a person, or of the program with what it sends.
func (f *filling) declare(ctx context.Context, i pastIncident, at time.Time) error {
	declaration := respond.Declaration{
		OrgID: orgID, IncidentID: incidentID(i.ID), ServiceID: serviceID(i.Service), Title: i.Title, Description: i.Description, Severity: i.Severity,
		By: incident.Actor{Kind: incident.APIKey, Name: data().Program}, Tags: i.Tags, Metadata: i.Metadata,
	}
	if i.By != "" {
		declaration.By = actor(i.By)
	}
	f.stale = true
	_, err := declaration.Open(ctx, f.tx, at)
	return err
}

// clear ends the alerts of an incident.
func (f *filling) clear(ctx context.Context, i pastIncident, began, at time.Time) error {
	var ended []alert.Received
	for _, a := range i.Alerts {
		one := i.alert(a, began, 1)
		one.Status, one.EndsAt = alert.Resolved, at
		ended = append(ended, one)
	}
	return f.receive(ctx, i, ended, at)
}

func (f *filling) receive(ctx context.Context, i pastIncident, alerts []alert.Received, at time.Time) error {
	if len(alerts) == 0 {
		return nil
	}
	of := data().Services[slices.IndexFunc(data().Services, func(s service) bool { return s.Name == i.Service })]
	route := catalog.Route{
		OrgID: orgID, ServiceID: serviceID(of.Name), ServiceName: of.Name, PolicyID: keyOf("policy", policyOf(of)), Grouping: catalog.ByGroup,
	}
	f.stale = f.stale || alerts[0].StartsAt.Equal(at) || incidentID(i.ID) == f.next.incidentID
	return intake.Store(ctx, f.tx, route, alerts, intake.Options{OpenAs: incidentID(i.ID)}, at)
}

// alert is one of the incident's as it was received; the incident is their group.
func (i pastIncident) alert(a pastAlert, began time.Time, times int) alert.Received {
	return alert.Received{
		Key: i.ID + "/" + a.Name, Group: i.ID, GroupTitle: i.Title, Status: alert.Firing, Severity: i.Severity, Source: a.Source,
		Title: a.Name, Description: i.Description, StartsAt: began.Add(a.After), Count: times,
		Labels:      map[string]string{"alertname": a.Name, "severity": string(i.Severity), "service": i.Service},
		Annotations: map[string]string{"summary": i.Title},
	}
}

// incidentID ends in the four digits by which people call the incident.
func incidentID(digits string) uuid.UUID {
	text := keyOf("incident", digits).String()
	return uuid.MustParse(text[:len(text)-len(digits)] + digits)
}

// actor is somebody of the workspace, by their first name.
func actor(first string) incident.Actor {
	if first == "" {
		return incident.Actor{}
	}
	return incident.Actor{Kind: incident.User, ID: personID(first), Name: data().personBy(first).Name}
}

// escalateUntil carries out the steps that were due before an instant, each when it was.
func (f *filling) escalateUntil(ctx context.Context, until time.Time) error {
	for {
		if err := f.markSent(ctx); err != nil {
			return err
		}
		due := f.next.due
		if due.IsZero() || !due.Before(until) {
			return nil
		}
		f.stale = true
		if err := paging.Escalate(ctx, f.tx, orgID, f.next.incidentID, due); err != nil {
			return err
		}
	}
}

// markSentSQL finishes pages in the transaction that made them: no outbox ever sees one. Those of the
// instant at which another step is due wait for it, so that the feed stays in the order of time.
// Addresses are masked as notify.MaskHint does.
const markSentSQL = `
WITH page AS (
    SELECT n.id, gen_random_uuid() AS delivery_id, n.incident_id, n.contact_method_id, n.user_id, n.channel, n.step, n.round,
           n.due_at + interval '170 milliseconds' AS started_at, n.due_at + interval '620 milliseconds' AS sent_at,
           u.name AS person, c.name AS contact, regexp_replace(c.hint, '^(.)[^@]*@', '\1…@') AS hint
    FROM notification n JOIN users u ON u.id = n.user_id JOIN contact_method c ON c.org_id = n.org_id AND c.id = n.contact_method_id
    WHERE n.org_id = $1 AND n.state = 'pending' AND n.due_at < coalesce((SELECT min(paging_due_at) FROM incident WHERE org_id = $1 AND paging_status = 'active'), 'infinity')
), sent AS (
    UPDATE notification n SET state = 'sent', attempts = 1, delivery_ids = ARRAY[page.delivery_id], finished_at = page.sent_at
    FROM page WHERE n.org_id = $1 AND n.id = page.id
), delivered AS (
    INSERT INTO delivery (org_id, id, contact_method_id, user_id, channel, outcome, detail, incident_count, notification_ids, started_at, finished_at)
    SELECT $1, delivery_id, contact_method_id, user_id, channel, 'accepted', '250 2.0.0 Ok: queued', 1, ARRAY[id], started_at, sent_at FROM page
)
INSERT INTO timeline_event (org_id, id, incident_id, kind, actor_kind, message, data, at)
SELECT $1, gen_random_uuid(), incident_id, 'paged', 'system', person || ' was paged by e-mail (' || hint || ')',
       jsonb_build_object('channel', channel, 'notification_id', id, 'delivery_id', delivery_id, 'contact_name', contact, 'contact_hint', hint,
           'user_id', user_id, 'user_name', person, 'step', step + 1, 'round', round + 1), sent_at
FROM page`

const nextSQL = `SELECT id, paging_due_at FROM incident
WHERE org_id = $1 AND paging_status = 'active' ORDER BY paging_due_at LIMIT 1`

// markSent finishes the pages of what has just happened, and reads which step is due next:
// what happens to one incident does not change another's.
func (f *filling) markSent(ctx context.Context) error {
	if !f.stale {
		return nil
	}
	f.stale, f.next = false, nextStep{}
	batch := &pgx.Batch{}
	batch.Queue(markSentSQL, orgID)
	batch.Queue(nextSQL, orgID).Query(func(rows pgx.Rows) error {
		_, err := pgx.ForEachRow(rows, []any{&f.next.incidentID, &f.next.due}, func() error {
			f.next.due = f.next.due.UTC()
			return nil
		})
		return err
	})
	return f.tx.SendBatch(ctx, batch).Close()
}

// stopPaging ends the paging of what nobody has answered: only what is new pages.
func (f *filling) stopPaging(ctx context.Context) error {
	batch := &pgx.Batch{}
	for _, i := range data().Incidents {
		current, found, err := escalationdb.Get(ctx, f.tx, orgID, incidentID(i.ID), uuid.Nil)
		if err != nil {
			return err
		}
		if found && current.Status == escalation.Active {
			current.State = escalation.Stop(current.State, "sample incident")
			escalationdb.QueueSave(batch, []escalationdb.Paging{current.Paging}, f.now)
		}
	}
	return postgres.Finish(ctx, f.tx, batch)
}
