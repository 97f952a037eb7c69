package respond

import (
	"context"
	"encoding/json"
	"fmt"
	"time"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"

	"github.com/nightbell/nightbell/api/internal/alert"
	"github.com/nightbell/nightbell/api/internal/auth"
	"github.com/nightbell/nightbell/api/internal/incident"
	"github.com/nightbell/nightbell/api/internal/incident/incidentdb"
	"github.com/nightbell/nightbell/api/internal/kernel/fault"
	"github.com/nightbell/nightbell/api/internal/paging"
	"github.com/nightbell/nightbell/api/internal/platform/postgres"
)

// Declaration is an incident that a person or a program declares.
type Declaration struct {
	OrgID       uuid.UUID
	IncidentID  uuid.UUID // Nil for a new one
	By          incident.Actor
	ServiceID   uuid.UUID // Nil when it is about no service
	AssigneeID  uuid.UUID // Nil when nobody has it yet
	Title       string
	Description string
	Severity    alert.Severity
	Tags        map[string]string
	Metadata    map[string]any

	short bool // less is stored than was said
}

// Storage counts what each organization stores in a day, and knows who is over the quota.
type Storage interface {
	Over(orgID uuid.UUID) bool
	Add(orgID uuid.UUID, bytes int64)
}

// Counting counts what is declared, as alerts are. Nobody is refused for it.
func (r *Responder) Counting(storage Storage) *Responder {
	r.storage = storage
	return r
}

// rowBytes is about what an incident and its first entries take beside its text.
const rowBytes = 1 << 10

// stored is the declaration with as much text as its organization may still store, and how much that is. What is
// asked of it was checked before.
func (d Declaration) stored(over bool, details []byte) (Declaration, int64) {
	if over {
		d.short = d.Description != alert.ShortDescription(d.Description) || len(d.Tags)+len(d.Metadata) > 0
		d.Description, d.Tags, d.Metadata, details = alert.ShortDescription(d.Description), nil, nil, nil
	}
	return d, int64(rowBytes + len(d.Title) + len(d.Description) + len(details))
}

// DeclareIncident opens an incident and pages by the policy of its service, or by the
// organization's default. It answers with the incident's id.
func (r *Responder) DeclareIncident(ctx context.Context, d Declaration) (uuid.UUID, error) {
	details, err := d.details()
	if err != nil {
		return uuid.Nil, err
	}
	d, bytes := d.stored(r.storage != nil && r.storage.Over(d.OrgID), details)
	var incidentID uuid.UUID
	err = r.db.InAnswer(ctx, d.OrgID, func(ctx context.Context, tx pgx.Tx) error {
		now, err := postgres.Now(ctx, tx)
		if err != nil {
			return err
		}
		incidentID, err = d.Open(ctx, tx, now)
		return err
	})
	if err != nil {
		return uuid.Nil, err
	}
	if r.storage != nil {
		r.storage.Add(d.OrgID, bytes)
	}
	r.signals.Changed(d.OrgID)
	r.signals.Pages()
	return incidentID, nil
}

// Open stores the incident and starts its paging at now, in a transaction that it ends as
// postgres.Finish does.
func (d Declaration) Open(ctx context.Context, tx pgx.Tx, now time.Time) (uuid.UUID, error) {
	policyID, err := policyFor(ctx, tx, d)
	if err != nil {
		return uuid.Nil, err
	}
	details, err := d.details()
	if err != nil {
		return uuid.Nil, err
	}
	opening := incidentdb.Opening{
		OrgID: d.OrgID, ID: d.IncidentID, ServiceID: d.ServiceID, PolicyID: policyID, Title: d.Title,
		Description: d.Description, Severity: d.Severity, Source: "manual", AssigneeID: d.AssigneeID, CreatedBy: d.By.ID, Details: details,
	}
	if d.By.Kind != incident.User {
		opening.Source = "api"
	}
	opened, err := incidentdb.Open(ctx, tx, []incidentdb.Opening{opening}, now)
	if err != nil {
		return uuid.Nil, err
	}
	if len(opened) == 0 { // the organization was deleted meanwhile
		return uuid.Nil, auth.ErrTokenExpired
	}
	record := opened[0].Record
	round := paging.NewRound(tx, now)
	said := "Declared by " + d.By.Name + "."
	if d.short {
		said += " It was stored in short, because the organization has stored more than its quota."
	}
	round.Note(record, incident.Event{Kind: "declared", Actor: d.By, Message: said})
	if err := round.Start(ctx, record); err != nil {
		return uuid.Nil, err
	}
	batch := &pgx.Batch{}
	round.Queue(batch)
	return record.ID, postgres.Finish(ctx, tx, batch)
}

// details are the tags and metadata as they are stored.
func (d Declaration) details() ([]byte, error) {
	details, err := json.Marshal(map[string]any{"tags": d.Tags, "metadata": d.Metadata})
	switch {
	case err != nil:
		return nil, fmt.Errorf("encode tags and metadata: %w", err)
	case len(details) > incident.MaxDetails:
		return nil, errDetails()
	}
	return details, nil
}

func errDetails() error {
	sentence := fmt.Sprintf("tags and metadata are larger than %d KiB together. Leave out what is long, or link to it.", incident.MaxDetails>>10)
	return fault.InvalidFields(sentence, fault.Field{Path: "metadata", Code: fault.TooLong, Message: "is too large together with tags"})
}

// policyFor finds who is paged, and refuses services and people that do not exist in
// this organization.
func policyFor(ctx context.Context, tx pgx.Tx, d Declaration) (uuid.UUID, error) {
	service, err := paging.FindService(ctx, tx, d.OrgID, d.ServiceID)
	if err != nil || d.AssigneeID == uuid.Nil {
		return service.PolicyID, err
	}
	var member bool
	err = tx.QueryRow(ctx, `SELECT EXISTS (SELECT FROM membership WHERE org_id = $1 AND user_id = $2)`, d.OrgID, d.AssigneeID).Scan(&member)
	if err == nil && !member {
		err = fault.InvalidField("assignee_id", fault.Missing, "User not found")
	}
	return service.PolicyID, err
}
