package intake

import (
	"context"
	"errors"
	"fmt"

	"github.com/jackc/pgx/v5"

	"github.com/nightbell/nightbell/api/internal/alert"
	"github.com/nightbell/nightbell/api/internal/incident"
	"github.com/nightbell/nightbell/api/internal/incident/incidentdb"
)

// holdIncidents locks the incidents that alerts join or may resolve.
func (s *alertStory) holdIncidents(ctx context.Context) error {
	var ending incidentdb.Ref
	joining := map[incidentdb.Subject]bool{}
	for _, row := range s.rows {
		switch row.meaning {
		case alert.Cleared:
			ending.Add(row.OrgID, row.IncidentID)
		case alert.OpenOrJoin:
			if s.mayBeOpen(row.subject) {
				joining[row.subject] = true
			}
		case alert.Repeat, alert.Suppressed, alert.Ended:
		}
	}
	if len(ending.IDs) == 0 && len(joining) == 0 {
		return nil
	}
	records, err := incidentdb.LockFor(ctx, s.tx, ending, keys(joining))
	for _, record := range records {
		s.records[record.ID] = record
	}
	return err
}

// openIncidents lets each alert without an incident join the open one about its
// subject, or opens it and pages the first people.
func (s *alertStory) openIncidents(ctx context.Context) error {
	open := map[incidentdb.Subject]incidentdb.Record{}
	for _, record := range s.records {
		if record.Status.Open() {
			open[incidentdb.Subject{ServiceID: record.ServiceID, Key: record.Key}] = record
		}
	}
	joining := map[incidentdb.Subject][]*arrived{}
	fresh := map[incidentdb.Subject]*incidentdb.Opening{}
	for _, row := range s.rows {
		if row.meaning != alert.OpenOrJoin {
			continue
		}
		joining[row.subject] = append(joining[row.subject], row)
		if _, exists := open[row.subject]; !exists {
			fresh[row.subject] = s.opening(fresh[row.subject], row)
		}
	}
	openings := make([]incidentdb.Opening, 0, len(fresh))
	for _, opening := range fresh {
		openings = append(openings, *opening)
	}
	opened, err := s.open(ctx, openings)
	if err != nil {
		return err
	}
	for _, o := range opened {
		open[incidentdb.Subject{ServiceID: o.ServiceID, Key: o.Key}] = o.Record
	}
	for subject, rows := range joining {
		_, counted := fresh[subject]
		s.join(open[subject], rows, counted)
	}
	return nil
}

// opening describes the incident that alerts about one subject open: the first gives
// the words, the worst the severity.
func (s *alertStory) opening(sofar *incidentdb.Opening, row *arrived) *incidentdb.Opening {
	route := s.routes[row.ServiceID]
	if sofar == nil {
		sofar = &incidentdb.Opening{
			OrgID: row.OrgID, ServiceID: row.ServiceID, Key: row.subject.Key, PolicyID: route.PolicyID,
			Title: alert.IncidentTitle(string(route.Grouping), row.received), Description: alert.IncidentDescription(string(route.Grouping), row.received),
			Severity: row.received.Severity, Source: row.received.Source, TruncatedAlerts: s.truncated[row.ServiceID],
		}
	}
	sofar.AlertCount++
	if row.received.Severity.Rank() < sofar.Severity.Rank() {
		sofar.Severity = row.received.Severity
	}
	return sofar
}

// open writes new incidents and starts their paging.
func (s *alertStory) open(ctx context.Context, openings []incidentdb.Opening) ([]incidentdb.Opened, error) {
	if len(openings) == 0 {
		return nil, nil
	}
	// What decides about their paging is read in the same round trip.
	batch, opened := &pgx.Batch{}, []incidentdb.Opened(nil)
	if s.trusted {
		s.queueNumbers(batch, openings, func(all []incidentdb.Opened) { opened = all })
	} else {
		incidentdb.QueueOpen(batch, openings, s.now, func(all []incidentdb.Opened) { opened = all })
	}
	for _, o := range openings {
		s.paging.QueueReads(batch, o.OrgID, o.PolicyID)
	}
	if err := s.tx.SendBatch(ctx, batch).Close(); err != nil {
		return nil, err
	}
	for _, o := range opened {
		if !o.Fresh {
			continue
		}
		s.paging.Note(o.Record, incident.Event{Kind: "declared", Message: "Declared from an alert of " + s.routes[o.ServiceID].ServiceName + "."})
		if err := s.paging.Start(ctx, o.Record); err != nil {
			return nil, err
		}
	}
	if len(opened) != len(openings) {
		return nil, errors.New("an incident was neither opened nor joined")
	}
	return opened, nil
}

// join links alerts to their incident. counted says that the incident already counts
// them, because they opened it.
func (s *alertStory) join(record incidentdb.Record, rows []*arrived, counted bool) {
	worst := record.Severity
	for _, row := range rows {
		row.IncidentID = record.ID
		s.link(row)
		if row.received.Severity.Rank() < worst.Rank() {
			worst = row.received.Severity
		}
	}
	if counted {
		return
	}
	s.joined = append(s.joined, incidentdb.Joined{
		OrgID: record.OrgID, IncidentID: record.ID, Alerts: len(rows),
		Truncated: s.truncated[record.ServiceID], Severity: worst,
	})
	s.paging.Note(record, incident.Event{Kind: "alert_linked", Message: linkedMessage(rows), Data: map[string]any{"alerts": len(rows)}})
	if worst != record.Severity {
		s.paging.Note(record, incident.Event{
			Kind:    "severity_change",
			Message: fmt.Sprintf("Severity changed from %s to %s by an alert.", record.Severity, worst),
			Data:    map[string]any{"from": record.Severity, "to": worst},
		})
	}
}

func linkedMessage(rows []*arrived) string {
	if len(rows) == 1 {
		return "Alert linked: " + rows[0].received.Title
	}
	return fmt.Sprintf("%d alerts linked, the first: %s", len(rows), rows[0].received.Title)
}
