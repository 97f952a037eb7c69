package respond

import (
	"context"
	"fmt"
	"time"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"

	"github.com/nightbell/nightbell/api/internal/alert"
	"github.com/nightbell/nightbell/api/internal/incident"
	"github.com/nightbell/nightbell/api/internal/kernel/fault"
	"github.com/nightbell/nightbell/api/internal/notify"
	"github.com/nightbell/nightbell/api/internal/platform/postgres"
)

// ErrLinkSpent is the answer to an acknowledge link whose message is not known (any
// more), or whose person has left the organization.
var ErrLinkSpent = fault.New(fault.NotFound, "link_spent",
	"This link does not work any more. Sign in to see the incident.")

// ErrLinkExpired is the answer to an acknowledge link after its last day, by the clock
// of the database that it was made by.
var ErrLinkExpired = fault.New(fault.NotFound, "link_expired",
	"This link has expired. Sign in to see what is open now.")

// Paged is what one message told a person about.
type Paged struct {
	// Now is the database's clock.
	Now        time.Time
	PersonName string
	Incidents  []PagedIncident
}

// PagedIncident is one incident of a message, as it stands now.
type PagedIncident struct {
	ID     uuid.UUID
	Number int
	Title  string
	// Description is cut to what a phone shows.
	Description    string
	Severity       alert.Severity
	Status         incident.Status
	ServiceName    string
	TriggeredAt    time.Time
	AcknowledgedBy string
	AcknowledgedAt time.Time
	// AcknowledgedSeverity is what it was then.
	AcknowledgedSeverity alert.Severity
	ResolvedAt           time.Time
}

// Waits reports whether somebody has to acknowledge it, for the first time or again
// because it became more severe.
func (i PagedIncident) Waits() bool {
	return i.Status == incident.Triggered ||
		incident.Incident{Status: i.Status, Severity: i.Severity, AcknowledgedSeverity: i.AcknowledgedSeverity}.WantsConfirmation()
}

// LinkedPage shows what an acknowledge link is about. It changes nothing: mail
// scanners open links too.
func (r *Responder) LinkedPage(ctx context.Context, claims notify.AckClaims) (Paged, error) {
	var paged Paged
	err := r.db.InAnswer(ctx, claims.OrgID, func(ctx context.Context, tx pgx.Tx) (err error) {
		paged, err = readPaged(ctx, tx, claims)
		return err
	}, postgres.ReadOnly())
	return paged, err
}

// PartlyAcknowledged is the error of AcknowledgeLinked when some incidents could not be changed.
type PartlyAcknowledged struct{ Acknowledged, Failed int }

func (p PartlyAcknowledged) Error() string {
	return fmt.Sprintf("%d incidents were acknowledged, %d could not be changed", p.Acknowledged, p.Failed)
}

// AcknowledgeLinked acknowledges, as the person the message was for, what the page asked them to answer and still
// waits; seen has those, with the severity shown (empty: all of the message). What the page showed as somebody else's,
// and is triggered again, pages on. The person's role by now does not matter: whom a page woke may end it.
func (r *Responder) AcknowledgeLinked(ctx context.Context, claims notify.AckClaims, seen map[uuid.UUID]alert.Severity) error {
	before, err := r.LinkedPage(ctx, claims)
	if err != nil {
		return err
	}
	by := incident.Actor{Kind: incident.User, ID: claims.UserID, Name: before.PersonName}
	acknowledge := incident.Acknowledge{By: by, Message: "Incident acknowledged by the link of a message", Seen: seen}
	var waiting []uuid.UUID
	for _, i := range before.Incidents {
		if _, asked := seen[i.ID]; i.Waits() && (asked || len(seen) == 0) {
			waiting = append(waiting, i.ID)
		}
	}
	// It takes no turns with others that answer many: whoever was woken presses this once.
	results, err := r.respondToAll(ctx, claims.OrgID, waiting, acknowledge, r.respondToPart)
	if err != nil {
		return err
	}
	var partly PartlyAcknowledged
	for _, result := range results {
		switch {
		case result.Err == nil:
			partly.Acknowledged++
		case !fault.Is(result.Err, fault.Conflict): // that one was resolved a moment ago: nothing is left to answer
			partly.Failed++
		}
	}
	if partly.Failed > 0 {
		return partly
	}
	return nil
}

// pagedSQL reads pages by their keys, and then each incident by its own. OFFSET 0 keeps that order: before tables
// are analyzed, PostgreSQL would read all pages of the organization, and all of its incidents for each
// (TestALinkIsReadByKeyInAStorm).
const pagedSQL = `
SELECT i.id, i.number, i.title, left(i.description, 400), i.severity, i.status, coalesce(s.name, ''), i.triggered_at, coalesce(a.name, ''), coalesce(i.confirmed_at, i.acknowledged_at, i.triggered_at), coalesce(i.acknowledged_severity, ''), coalesce(i.resolved_at, i.triggered_at)
FROM (SELECT DISTINCT incident_id FROM (
          SELECT n.incident_id, n.user_id FROM notification n
          WHERE n.org_id = $1 AND n.id = ANY ((SELECT notification_ids FROM delivery WHERE org_id = $1 AND id = $2)::uuid[]) OFFSET 0) page
      WHERE user_id = $3) carried
CROSS JOIN LATERAL (SELECT * FROM incident WHERE org_id = $1 AND id = carried.incident_id OFFSET 0) i
LEFT JOIN service s ON s.org_id = i.org_id AND s.id = i.service_id
LEFT JOIN users a ON a.id = i.acknowledged_by
ORDER BY array_position(ARRAY['triggered', 'acknowledged', 'resolved'], i.status),
         array_position(ARRAY['critical', 'high', 'medium', 'low'], i.severity), i.triggered_at DESC`

func readPaged(ctx context.Context, tx pgx.Tx, claims notify.AckClaims) (Paged, error) {
	now, err := postgres.Now(ctx, tx)
	if err != nil {
		return Paged{}, err
	}
	if !now.Before(claims.Expires) {
		return Paged{}, ErrLinkExpired
	}
	paged := Paged{Now: now}
	err = tx.QueryRow(ctx, `SELECT u.name FROM membership m JOIN users u ON u.id = m.user_id
		WHERE m.org_id = $1 AND m.user_id = $2 AND u.disabled_at IS NULL`, claims.OrgID, claims.UserID).Scan(&paged.PersonName)
	if err != nil {
		return Paged{}, orSpent(err)
	}
	rows, err := tx.Query(ctx, pagedSQL, claims.OrgID, claims.DeliveryID, claims.UserID)
	if err != nil {
		return Paged{}, err
	}
	paged.Incidents, err = pgx.CollectRows(rows, func(row pgx.CollectableRow) (i PagedIncident, err error) {
		err = row.Scan(&i.ID, &i.Number, &i.Title, &i.Description, &i.Severity, &i.Status, &i.ServiceName, &i.TriggeredAt, &i.AcknowledgedBy, &i.AcknowledgedAt, &i.AcknowledgedSeverity, &i.ResolvedAt)
		return i, err
	})
	if err == nil && len(paged.Incidents) == 0 {
		err = ErrLinkSpent
	}
	return paged, err
}

func orSpent(err error) error {
	if err == pgx.ErrNoRows { //nolint:errorlint // Scan returns it bare
		return ErrLinkSpent
	}
	return err
}
