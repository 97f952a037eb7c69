package respond

import (
	"cmp"
	"context"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"

	"github.com/nightbell/nightbell/api/internal/incident"
	"github.com/nightbell/nightbell/api/internal/incident/incidentdb"
	"github.com/nightbell/nightbell/api/internal/kernel/fault"
	"github.com/nightbell/nightbell/api/internal/kernel/id"
	"github.com/nightbell/nightbell/api/internal/paging"
	"github.com/nightbell/nightbell/api/internal/platform/postgres"
)

var (
	errSameIncident = fault.InvalidField("into_id", fault.NotOneOf, "An incident cannot be merged into itself. Choose another one.")
	errNoTarget     = fault.InvalidField("into_id", fault.Missing, "Incident not found")
	errNobodyPaged  = fault.New(fault.Conflict, "nobody_would_be_paged",
		"Nobody has answered this incident, and nobody is paged for the other one now: it is snoozed, its policy pages nobody, or only a program has answered it. Acknowledge this one first, or link the two.")
	errHeld = fault.New(fault.Conflict, "pages_are_held",
		"The other incident waits for the end of maintenance or of a quiet time: what comes about this one would page nobody before. Link the two instead.")
	errTargetOver = fault.New(fault.Conflict, "incident_resolved", "The incident to merge into is resolved. Choose an open one, or link the two.")
)

// Intake locks alerts before incidents, and in this order; whoever does the same waits for it and
// is no deadlock.
const lockAlertsSQL = `SELECT FROM alert WHERE org_id = $1 AND incident_id = $2 ORDER BY service_id, alert_key FOR NO KEY UPDATE`

// What is merged into an incident stays with it when that is merged into another.
const (
	moveAlertsSQL = `UPDATE alert SET incident_id = $3 WHERE org_id = $1 AND incident_id = $2`
	mergeSQL      = `UPDATE incident SET merged_into_id = $3 WHERE org_id = $1 AND merged_into_id = $2`
	// What was lowered in one stays lowered in the other, when its alerts only come again.
	takeInSQL = `UPDATE incident i SET alert_count = i.alert_count + m.alert_count, truncated_alerts = i.truncated_alerts + m.truncated_alerts,
		lowered = i.lowered OR m.lowered, version = i.version + 1, updated_at = $4
	FROM incident m WHERE i.org_id = $1 AND i.id = $3 AND m.org_id = $1 AND m.id = $2`
	// Subscribers of the one are told of the other; of its history they know nothing.
	subscribeSQL = `INSERT INTO incident_subscriber (org_id, incident_id, user_id, told_seq, next_try_at, created_at)
	SELECT org_id, $3, user_id, coalesce((SELECT max(seq) FROM timeline_event WHERE org_id = $1 AND incident_id = $3), 0), $4, $4
	FROM incident_subscriber WHERE org_id = $1 AND incident_id = $2 ON CONFLICT DO NOTHING`
)

// Merge ends an open incident in another one: its alerts belong to that from then on, as does what
// comes about the same subject while that is open. The other becomes as severe as the worse of both.
// ErrNoIncident says that the first does not exist; what is wrong with the other is a fault of its own.
func (r *Responder) Merge(ctx context.Context, orgID, incidentID, intoID uuid.UUID, by incident.Actor) error {
	if incidentID == intoID {
		return errSameIncident
	}
	return r.inAnswer(ctx, orgID, func(ctx context.Context, tx pgx.Tx, round *paging.Round, batch *pgx.Batch) error {
		// 1. Nobody changes the alerts, or one of the two, meanwhile.
		if _, err := tx.Exec(ctx, lockAlertsSQL, orgID, incidentID); err != nil {
			return err
		}
		merged, into, err := lockBoth(ctx, tx, orgID, incidentID, intoID, errNoTarget)
		if err != nil {
			return err
		}
		if !into.Status.Open() && merged.Status.Open() {
			return errTargetOver
		}
		// 2. The one is over, and nobody is paged for it any more.
		if err := round.Command(ctx, batch, merged, incident.Merge{By: by, IntoID: into.ID}); err != nil {
			return err
		}
		if merged.MergedIntoID == intoID {
			return nil // done before
		}
		// 3. The other is as severe, is paged for unless somebody has answered one of the two, and says what it took in.
		if merged.Severity.Rank() < into.Severity.Rank() {
			because := "by merging #" + id.Last4(merged.ID)
			if err := round.Command(ctx, batch, into, incident.ChangeSeverity{By: by, To: merged.Severity, Because: because}); err != nil {
				return err
			}
		}
		if err := keepPaged(ctx, round, batch, merged, into); err != nil {
			return err
		}
		round.Note(into, incident.Event{
			Kind: "merged", Actor: by, Message: "Merged #" + id.Last4(merged.ID) + " into it: " + merged.Title,
			Data: map[string]any{"merged_id": merged.ID.String(), "merged_number": merged.Number, "merged_title": merged.Title},
		})
		// 4. Alerts, and what comes about the same, belong to it.
		batch.Queue(moveAlertsSQL, orgID, incidentID, intoID)
		batch.Queue(mergeSQL, orgID, incidentID, intoID)
		now, err := postgres.Now(ctx, tx)
		batch.Queue(takeInSQL, orgID, incidentID, intoID, now)
		batch.Queue(subscribeSQL, orgID, incidentID, intoID, now)
		return err
	})
}

// keepPaged refuses a merge after which nobody would be paged: into one that waits for the end of maintenance
// or of a quiet time, or, of one that nobody has answered as it is now, into one that sleeps or that no person
// has. Where the paging of the other ran out, or would page nobody more, it begins again.
func keepPaged(ctx context.Context, round *paging.Round, batch *pgx.Batch, merged, into incidentdb.Record) error {
	if into.Status == incident.Triggered {
		if held, err := round.IsHeld(ctx, into); err != nil || held {
			return cmp.Or(err, error(errHeld))
		}
	}
	if merged.Status != incident.Triggered && !merged.WantsConfirmation() {
		return nil // somebody has it as it is
	}
	// Whoever has the other must hear now of what is worse than they know.
	if merged.Severity.Rank() < into.Severity.Rank() {
		into.Severity = merged.Severity
	}
	if into.WantsConfirmation() {
		if later, err := round.AsksLater(ctx, into); err != nil || later {
			return cmp.Or(err, error(errHeld))
		}
	}
	paged, err := into.SnoozedUntil.IsZero() && cmp.Or(into.AcknowledgedBy, into.AssigneeID) != uuid.Nil, error(nil)
	if into.Status == incident.Triggered {
		paged, err = round.KeepPaging(ctx, batch, into)
	}
	if err == nil && !paged {
		err = errNobodyPaged
	}
	return err
}

// lockBoth locks an incident and another one. ErrNoIncident says that the first does not exist, noOther that
// the second does not.
func lockBoth(ctx context.Context, tx pgx.Tx, orgID, incidentID, otherID uuid.UUID, noOther error) (own, other incidentdb.Record, err error) {
	records, err := incidentdb.LockIn(ctx, tx, orgID, []uuid.UUID{incidentID, otherID})
	for _, record := range records {
		switch record.ID {
		case incidentID:
			own = record
		case otherID:
			other = record
		}
	}
	switch {
	case err != nil:
		return own, other, err
	case own.ID != incidentID:
		return own, other, ErrNoIncident
	case other.ID != otherID:
		return own, other, noOther
	}
	return own, other, nil
}
