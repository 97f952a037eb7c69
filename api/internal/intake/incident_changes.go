package intake

import (
	"context"
	"fmt"

	"github.com/google/uuid"

	"github.com/nightbell/nightbell/api/internal/alert"
	"github.com/nightbell/nightbell/api/internal/alert/alertdb"
	"github.com/nightbell/nightbell/api/internal/incident"
	"github.com/nightbell/nightbell/api/internal/incident/incidentdb"
)

// raiseSeverity makes incidents that were open before as severe as the worst of the
// alerts that joined them or came again, and pages for that. Where somebody lowered it, an alert that
// only says again what it said is no news.
func (b *batch) raiseSeverity(ctx context.Context) error {
	worse := map[uuid.UUID]alert.Severity{}
	var ids []uuid.UUID
	for i, a := range b.alerts {
		record, locked := b.records[a.Stored.IncidentID]
		came := a.Received.Status == alert.Firing && (b.meanings[i] == alert.OpenOrJoin || b.meanings[i] == alert.Repeat)
		before, found := worse[record.ID]
		if !found {
			before = record.Severity
		}
		if !locked || !came || !record.Status.Open() || a.Received.Severity.Rank() >= before.Rank() {
			continue
		}
		if record.Lowered && b.saysAgain(a) {
			continue
		}
		if !found {
			ids = append(ids, record.ID)
		}
		worse[record.ID] = a.Received.Severity
	}
	for _, incidentID := range ids {
		record := b.records[incidentID]
		if err := b.round.Command(ctx, &b.writes, record, incident.ChangeSeverity{To: worse[incidentID], Because: "by an alert"}); err != nil {
			return err
		}
		b.commanded[incidentID] = true
		record.Severity, record.Version = worse[incidentID], record.Version+1
		b.records[incidentID] = record
	}
	return nil
}

// saysAgain reports whether an alert that has fired all the time is no worse than it said before. One that
// had ended is new trouble, also while its incident is open for others. An event has a time of its own each
// time it is sent, which tells nothing of that.
func (b *batch) saysAgain(a alertdb.Change) bool {
	before, known := b.stored[a.Key()]
	return known && before.Status == alert.Firing && before.IncidentID == a.Stored.IncidentID && (a.Received.Event != nil || before.StartsAt.Equal(a.Stored.StartsAt)) &&
		a.Received.Severity.Rank() >= before.Severity.Rank()
}

// pageAgain pages for new trouble in incidents that nobody has and whose paging is over: without it, what joined
// them would be stored and told to nobody.
func (b *batch) pageAgain(ctx context.Context) error {
	asked := map[uuid.UUID]bool{}
	for i, a := range b.alerts {
		record, locked := b.records[a.Stored.IncidentID]
		came := b.meanings[i] == alert.OpenOrJoin || b.meanings[i] == alert.Repeat && b.firesAgain(a)
		if !locked || !came || b.commanded[record.ID] || asked[record.ID] {
			continue
		}
		asked[record.ID] = true
		began, err := b.round.StartAgain(ctx, &b.writes, record)
		if err != nil {
			return err
		}
		if began { // stopping it decides from what is stored: that is for the next transaction
			b.commanded[record.ID] = true
		}
	}
	return nil
}

// resolveCleared closes incidents whose last alert ended. The incidents are locked, so
// no other transaction can be adding an alert to them.
func (b *batch) resolveCleared(ctx context.Context) error {
	ended, firing := map[uuid.UUID]int{}, map[uuid.UUID]bool{}
	var ref incidentdb.Ref
	var own []uuid.UUID // what the batch itself says of these alerts is not written yet
	for i, a := range b.alerts {
		if b.meanings[i] == alert.Cleared {
			if ended[a.Stored.IncidentID] == 0 {
				ref.Add(a.OrgID, a.Stored.IncidentID)
			}
			ended[a.Stored.IncidentID]++
		}
		if a.Known {
			own = append(own, a.Stored.ID)
		}
		if a.Stored.Status == alert.Firing {
			firing[a.Stored.IncidentID] = true
		}
	}
	if len(ended) == 0 {
		return nil
	}
	others, err := alertdb.StillFiring(ctx, b.tx, ref.Orgs, ref.IDs, own)
	if err != nil {
		return err
	}
	for _, incidentID := range others {
		firing[incidentID] = true
	}
	for _, incidentID := range ref.IDs {
		record := b.records[incidentID]
		switch {
		case !record.Status.Open():
		case firing[incidentID]:
			b.round.Note(record, incident.Event{Kind: "alert_resolved", Message: endedMessage(ended[incidentID]) + "; others still fire.", Data: map[string]any{"alerts": ended[incidentID]}})
		case record.Key == "":
			// Somebody declared it, and its alerts came by a merge: whether it is over is for people to say.
			b.round.Note(record, incident.Event{
				Kind: "alert_resolved", Message: endedMessage(ended[incidentID]) + ", the last. It stays open, because somebody declared it.",
				Data: map[string]any{"alerts": ended[incidentID]},
			})
		default:
			b.commanded[incidentID] = true
			if err := b.round.Command(ctx, &b.writes, record, incident.AlertsCleared{}); err != nil {
				return err
			}
		}
	}
	return nil
}

func endedMessage(ended int) string {
	if ended == 1 {
		return "1 alert ended"
	}
	return fmt.Sprintf("%d alerts ended", ended)
}
