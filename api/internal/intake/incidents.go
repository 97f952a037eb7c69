package intake

import (
	"bytes"
	"cmp"
	"context"
	"fmt"
	"slices"
	"time"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"

	"github.com/nightbell/nightbell/api/internal/alert"
	"github.com/nightbell/nightbell/api/internal/alert/alertdb"
	"github.com/nightbell/nightbell/api/internal/incident"
	"github.com/nightbell/nightbell/api/internal/incident/incidentdb"
)

// lockIncidents locks the incidents that alerts join, make more severe or may resolve.
func (b *batch) lockIncidents(ctx context.Context) error {
	var ref incidentdb.Ref
	for i, a := range b.alerts {
		switch about, exists := b.open[b.subjects[i]]; {
		case b.meanings[i] == alert.Cleared || b.meanings[i] == alert.Repeat && b.isNews(a):
			ref.Add(a.OrgID, a.Stored.IncidentID)
			if exists && b.firesAgain(a) {
				ref.Add(a.OrgID, about)
			}
		case b.meanings[i] == alert.OpenOrJoin && exists:
			ref.Add(a.OrgID, about)
		}
	}
	for _, c := range b.calls {
		if incidentID, exists := b.open[c.subject()]; exists && c.received.Event.Action == alert.Acknowledge {
			ref.Add(b.routes[c.service].OrgID, incidentID)
		}
	}
	for len(ref.IDs) > 0 {
		records, err := incidentdb.Lock(ctx, b.tx, ref)
		if err != nil {
			return err
		}
		for _, record := range records {
			b.records[record.ID] = record
		}
		ref = b.mergedInto()
	}
	b.reopen()
	return nil
}

// reopen has alerts that fire again open an incident where theirs was resolved since it was read, by whoever
// stored the end of the last alert that fired, or is about something else: alerts are grouped in another way
// since they joined it.
func (b *batch) reopen() {
	for i, a := range b.alerts {
		record, locked := b.records[a.Stored.IncidentID]
		if b.meanings[i] == alert.Repeat && b.firesAgain(a) && locked && (!record.Status.Open() || b.regrouped(i, record)) {
			b.meanings[i] = alert.OpenOrJoin
		}
	}
}

// regrouped reports whether an alert's incident is neither about the alert's subject nor took in one that is.
func (b *batch) regrouped(i int, record incidentdb.Record) bool {
	subject := b.subjects[i]
	return b.alerts[i].Received.Event == nil && record.Key != "" && record.Key != subject.Key && b.open[subject] != record.ID
}

// isNews reports whether an alert whose incident is open fires again, or more severely than the incident.
func (b *batch) isNews(a alertdb.Change) bool {
	return b.firesAgain(a) || a.Received.Status == alert.Firing && a.Received.Severity.Rank() < a.Stored.IncidentSeverity.Rank()
}

// firesAgain reports whether an alert that was over fires.
func (b *batch) firesAgain(a alertdb.Change) bool {
	return a.Stored.Status == alert.Firing && b.stored[a.Key()].Status == alert.Resolved
}

// mergedInto is what else has to be locked: an incident that was open when the transaction began may have
// been merged since into another, which is then the open one about its subject.
func (b *batch) mergedInto() (ref incidentdb.Ref) {
	for subject, incidentID := range b.open {
		record, locked := b.records[incidentID]
		if !locked || record.Status.Open() || record.MergedIntoID == uuid.Nil {
			continue
		}
		b.open[subject] = record.MergedIntoID
		if _, locked := b.records[record.MergedIntoID]; !locked {
			ref.Add(record.OrgID, record.MergedIntoID)
		}
	}
	return ref
}

// openIncidents lets each alert without an incident join the open one about its
// subject, or opens it and pages the first people.
func (b *batch) openIncidents(ctx context.Context) error {
	joining := map[incidentdb.Subject][]*alertdb.Change{}
	for i := range b.alerts {
		if b.meanings[i] == alert.OpenOrJoin {
			joining[b.subjects[i]] = append(joining[b.subjects[i]], &b.alerts[i])
		}
	}
	byOpening := map[incidentdb.Subject][]*alertdb.Change{}
	for subject, alerts := range joining {
		// What was open when the transaction began may be resolved by now: the lock tells.
		if record, locked := b.records[b.open[subject]]; locked && record.Status.Open() {
			b.join(record, alerts)
		} else {
			byOpening[subject] = alerts
			b.openings = append(b.openings, b.opening(subject, alerts))
		}
	}
	if len(b.openings) == 0 {
		return nil
	}
	if err := b.numberOpenings(ctx); err != nil {
		return err
	}
	for _, record := range b.opened {
		alerts := byOpening[incidentdb.Subject{ServiceID: record.ServiceID, Key: record.Key}]
		link(record, alerts)
		b.round.Note(record, b.declared(record, alerts[0].Received))
		if err := b.round.Start(ctx, record); err != nil {
			return err
		}
	}
	b.pagings = b.round.TakePagings()
	return nil
}

// join adds alerts to an open incident.
func (b *batch) join(record incidentdb.Record, alerts []*alertdb.Change) {
	link(record, alerts)
	// By merges, alerts about several subjects may join one incident. An UPDATE with two rows for it would count only one.
	joined := b.joined[record.ID]
	joined.OrgID, joined.IncidentID, joined.Truncated = record.OrgID, record.ID, b.truncated[record.ServiceID]
	joined.Alerts += len(alerts)
	b.joined[record.ID] = joined
	b.round.Note(record, incident.Event{Kind: "alert_linked", Message: linkedMessage(alerts), Data: map[string]any{"alerts": len(alerts)}})
}

// declared is the first line of an incident's history. An event that was kept back says so.
func (b *batch) declared(record incidentdb.Record, first alert.Received) incident.Event {
	event := incident.Event{Kind: "declared", Message: "Declared from an alert of " + b.routes[record.ServiceID].ServiceName + "."}
	if first.IsLate(b.now) {
		event.Message += " It came late: what it tells of happened at " + first.StartsAt.UTC().Format("2006-01-02 15:04") + " UTC."
		event.Data = map[string]any{"late": true, "occurred_at": first.StartsAt.UTC().Format(time.RFC3339)}
	}
	return event
}

// opening describes the incident that alerts about one subject open: the first gives
// the words, the worst the severity.
func (b *batch) opening(subject incidentdb.Subject, alerts []*alertdb.Change) incidentdb.Opening {
	route, first := b.routes[subject.ServiceID], alerts[0].Received
	grouping := string(route.Grouping)
	var details []byte
	if first.Event != nil {
		details = first.Event.IncidentDetails
	}
	return incidentdb.Opening{
		OrgID: route.OrgID, ID: b.openAs, ServiceID: subject.ServiceID, Key: subject.Key, PolicyID: route.PolicyID,
		Title: alert.IncidentTitle(grouping, first), Description: alert.IncidentDescription(grouping, first),
		Severity: worst(first.Severity, alerts), Source: first.Source,
		AlertCount: len(alerts), TruncatedAlerts: b.truncated[subject.ServiceID], Details: details,
	}
}

// numberOpenings reserves the incidents' numbers, organization by organization, and reads
// what decides about their paging in the same round trip.
func (b *batch) numberOpenings(ctx context.Context) error {
	slices.SortFunc(b.openings, func(x, y incidentdb.Opening) int {
		return cmp.Or(bytes.Compare(x.OrgID[:], y.OrgID[:]), bytes.Compare(x.ServiceID[:], y.ServiceID[:]), cmp.Compare(x.Key, y.Key))
	})
	reads := &pgx.Batch{}
	for rest := b.openings; len(rest) > 0; {
		own := rest
		if end := slices.IndexFunc(rest, func(o incidentdb.Opening) bool { return o.OrgID != rest[0].OrgID }); end > 0 {
			own = rest[:end]
		}
		rest = rest[len(own):]
		incidentdb.QueueNumbers(reads, own[0].OrgID, len(own), func(first int) {
			for i, opening := range own {
				record := opening.Record()
				record.Number = first + i
				b.opened = append(b.opened, record)
			}
		})
	}
	for _, o := range b.openings {
		b.round.QueueReads(reads, o.OrgID, o.PolicyID)
	}
	return b.tx.SendBatch(ctx, reads).Close()
}

// link makes an incident answer for the start that its alerts have now.
func link(record incidentdb.Record, alerts []*alertdb.Change) {
	for _, a := range alerts {
		a.Stored.IncidentID, a.Stored.IncidentStartsAt, a.Stored.IncidentNumber = record.ID, a.Stored.StartsAt, record.Number
	}
}

func worst(severity alert.Severity, alerts []*alertdb.Change) alert.Severity {
	for _, a := range alerts {
		if a.Received.Severity.Rank() < severity.Rank() {
			severity = a.Received.Severity
		}
	}
	return severity
}

func linkedMessage(alerts []*alertdb.Change) string {
	if len(alerts) == 1 {
		return "Alert linked: " + alerts[0].Received.Title
	}
	return fmt.Sprintf("%d alerts linked, the first: %s", len(alerts), alerts[0].Received.Title)
}
