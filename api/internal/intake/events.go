package intake

import (
	"context"

	"github.com/google/uuid"

	"github.com/nightbell/nightbell/api/internal/alert"
	"github.com/nightbell/nightbell/api/internal/alert/alertdb"
	"github.com/nightbell/nightbell/api/internal/incident"
	"github.com/nightbell/nightbell/api/internal/incident/incidentdb"
)

// Events (POST /v1/events) are alerts of a batch like all others. Besides, each has an id under
// which what became of it is remembered, in the record of what was received, and is told what
// that was. An acknowledgement is no alert: it answers the open incident about its key.

// call is one event of a batch.
type call struct {
	service  uuid.UUID
	received alert.Received
}

func (c call) id() alertdb.Call {
	return alertdb.Call{ServiceID: c.service, EventID: c.received.Event.ID}
}

func (c call) subject() incidentdb.Subject {
	return incidentdb.Subject{ServiceID: c.service, Key: alert.IncidentKey(alert.ByAlert, c.received)}
}

// replay answers the calls that were made before, and takes them out of the batch. What they were
// merged with is merged again without them.
func (b *batch) replay() {
	if len(b.calls) == 0 {
		return
	}
	first, repeated := map[alertdb.Call]*alert.Event{}, false
	var calls []call
	for _, c := range b.calls {
		event := c.received.Event
		event.Outcome = alert.Outcome{}
		known, before := b.known[c.id()]
		twin := first[c.id()]
		switch {
		case before && known.Hash == event.Hash:
			event.Outcome = known.Outcome
			event.Outcome.Replayed = true
		case before, twin != nil && twin.Hash != event.Hash:
			event.Outcome.Mismatch = true
		case twin != nil:
			event.Outcome.Replayed = true // what became of the twin is known at the end
			b.twins[event] = twin
		default:
			first[c.id()] = event
			calls = append(calls, c)
			continue
		}
		repeated = true
		if !event.Outcome.Mismatch {
			b.replays = append(b.replays, c)
		}
	}
	if repeated {
		b.calls = calls
		b.collect(b.together, func(r alert.Received) bool {
			return r.Event == nil || first[alertdb.Call{ServiceID: b.serviceOf[r.Event], EventID: r.Event.ID}] == r.Event
		})
	}
}

// acknowledge answers the open incidents that events acknowledge. One that something else of the
// batch changes is left to the next transaction: a command decides from what is stored.
func (b *batch) acknowledge(ctx context.Context) error {
	for _, c := range b.calls {
		event := c.received.Event
		if event.Action != alert.Acknowledge {
			continue
		}
		event.Outcome.Status = alert.EventIgnored
		record, locked := b.records[b.open[c.subject()]]
		// A program answers for its own incident, and not for one that took that in among others.
		if !locked || !record.Status.Open() || c.subject() != (incidentdb.Subject{ServiceID: record.ServiceID, Key: record.Key}) {
			continue
		}
		if b.commanded[record.ID] {
			event.Outcome.Again = true
			continue
		}
		if !b.acknowledged[record.ID] {
			by := incident.Actor{Kind: incident.System, Name: event.By}
			if err := b.round.Command(ctx, &b.writes, record, incident.Acknowledge{By: by}); err != nil {
				return err
			}
			b.acknowledged[record.ID] = true
		}
		event.Outcome = alert.Outcome{Status: alert.EventAcknowledged, IncidentID: record.ID, Number: record.Number}
	}
	return nil
}

// settle says what became of each event, now that its alert is stored.
func (b *batch) settle() {
	if len(b.calls) == 0 {
		return
	}
	index := make(map[alertdb.Key]int, len(b.alerts))
	for i, a := range b.alerts {
		index[a.Key()] = i
	}
	fresh := make(map[uuid.UUID]incidentdb.Record, len(b.opened))
	for _, record := range b.opened {
		fresh[record.ID] = record
	}
	told := map[uuid.UUID]bool{}
	for _, c := range b.calls {
		event := c.received.Event
		if event.Action == alert.Acknowledge {
			continue
		}
		i := index[alertdb.Key{ServiceID: c.service, AlertKey: c.received.Key}]
		stored, meaning := b.alerts[i].Stored, b.meanings[i]
		event.Outcome = alert.Outcome{Status: alert.EventIgnored}
		switch {
		case event.Action == alert.Trigger && (meaning == alert.OpenOrJoin || meaning == alert.Repeat):
			record, opened := fresh[stored.IncidentID]
			event.Outcome.Status = alert.EventDeduplicated
			if opened && !told[record.ID] {
				event.Outcome.Status, told[record.ID] = alert.EventCreated, true
			}
		case event.Action == alert.Resolve && meaning == alert.Cleared && b.records[stored.IncidentID].Status.Open():
			event.Outcome.Status = alert.EventResolved
		default:
			continue
		}
		event.Outcome.IncidentID, event.Outcome.Number = stored.IncidentID, stored.IncidentNumber
	}
	for event, twin := range b.twins {
		event.Outcome = twin.Outcome
		event.Outcome.Replayed = true
	}
}

// record gives a line of what was received for each event. A repeated call gets one too: who
// answers without writing may acknowledge what was never replicated (design rule 3).
func (b *batch) record() (lines []alertdb.Event) {
	for _, c := range b.calls {
		if !c.received.Event.Outcome.Again {
			lines = append(lines, b.line(c, c.received.Event))
		}
	}
	for _, c := range b.replays {
		line := b.line(c, nil)
		line.IncidentID = c.received.Event.Outcome.IncidentID
		lines = append(lines, line)
	}
	return lines
}

func (b *batch) line(c call, event *alert.Event) alertdb.Event {
	line := alertdb.Event{
		OrgID: b.routes[c.service].OrgID, ServiceID: c.service, Status: c.received.Status, Occurrences: max(1, c.received.Count), Call: event,
	}
	if c.received.Event.Action == alert.Acknowledge {
		line.Status = alertdb.Acknowledged
		return line
	}
	line.AlertID = b.alertIDs[alertdb.Key{ServiceID: c.service, AlertKey: c.received.Key}]
	return line
}
