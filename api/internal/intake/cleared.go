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

// resolveCleared closes incidents whose last alert ended. The incidents are locked, so
// no other transaction can be adding an alert to them.
func (s *alertStory) resolveCleared(ctx context.Context) error {
	cleared := map[uuid.UUID]int{}
	var ref incidentdb.Ref
	for _, row := range s.rows {
		if row.meaning != alert.Cleared {
			continue
		}
		if cleared[row.IncidentID] == 0 {
			ref.Add(row.OrgID, row.IncidentID)
		}
		cleared[row.IncidentID]++
	}
	if len(cleared) == 0 {
		return nil
	}
	// Alerts that joined in this very transaction are linked first.
	if err := s.flush(ctx); err != nil {
		return err
	}
	firing, err := alertdb.StillFiring(ctx, s.tx, ref.Orgs, ref.IDs)
	if err != nil {
		return err
	}
	still := map[uuid.UUID]bool{}
	for _, incidentID := range firing {
		still[incidentID] = true
	}
	for _, incidentID := range ref.IDs {
		if err := s.clear(ctx, s.records[incidentID], cleared[incidentID], still[incidentID]); err != nil {
			return err
		}
	}
	return nil
}

// clear notes that alerts ended, and resolves the incident when none is left.
func (s *alertStory) clear(ctx context.Context, record incidentdb.Record, ended int, stillFiring bool) error {
	if !record.Status.Open() {
		return nil
	}
	if stillFiring {
		s.paging.Note(record, incident.Event{Kind: "alert_resolved", Message: endedMessage(ended), Data: map[string]any{"alerts": ended}})
		return nil
	}
	return s.paging.Command(ctx, &s.batch, record, incident.AlertsCleared{})
}

func endedMessage(ended int) string {
	if ended == 1 {
		return "1 alert ended; others still fire."
	}
	return fmt.Sprintf("%d alerts ended; others still fire.", ended)
}
