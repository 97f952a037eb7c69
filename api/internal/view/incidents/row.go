// Package incidents reads what the incident screens show: incidents with the names of
// their service and people, their history, their pages and their alerts. It only
// reads; respond writes.
package incidents

import (
	"context"
	"encoding/json"
	"maps"
	"slices"
	"time"
	"unicode/utf8"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"
	"google.golang.org/protobuf/encoding/protojson"
	"google.golang.org/protobuf/types/known/structpb"
	"google.golang.org/protobuf/types/known/timestamppb"

	nightbellv1 "github.com/nightbell/nightbell/api/gen/nightbell/v1"
	"github.com/nightbell/nightbell/api/internal/alert"
	"github.com/nightbell/nightbell/api/internal/incident"
	"github.com/nightbell/nightbell/api/internal/platform/postgres"
)

// Lists leave out what only the screen of one incident shows, and shorten texts: a thousand
// incidents of the largest size are 22 MB of descriptions and 16 MB of metadata.
const (
	maxListTitle       = 800  // bytes
	maxListText        = 1200 // bytes of title and description
	maxListDescription = 280  // characters
)

// allColumns and listColumns of an incident, both as scanned by scan.
const (
	allColumns = `i.id, i.number, i.title, i.description, i.status, i.severity, i.urgency, i.service_id,
	i.triggered_at, i.acknowledged_at, i.resolved_at, i.updated_at, i.acknowledged_by, i.resolved_by, i.assignee_id, i.created_by,
	i.source, i.alert_count, i.truncated_alerts, i.details, coalesce(i.acknowledged_severity, ''), coalesce(i.acknowledged_name, ''), coalesce(i.resolved_name, ''), i.snoozed_until`
	listColumns = `i.id, i.number, i.title, left(i.description, 281), i.status, i.severity, '', i.service_id,
	i.triggered_at, i.acknowledged_at, i.resolved_at, i.updated_at, i.acknowledged_by, NULL::uuid, i.assignee_id, NULL::uuid,
	i.source, i.alert_count, 0, NULL::jsonb, coalesce(i.acknowledged_severity, ''), coalesce(i.acknowledged_name, ''), '', i.snoozed_until`
)

// row is an incident before its service and its people have names.
type row struct {
	id                                              uuid.UUID
	number, alertCount, truncatedAlerts             int32
	title, description                              string
	status, severity, urgency, source               string
	service                                         *uuid.UUID
	acknowledgedBy, resolvedBy, assignee, createdBy *uuid.UUID
	triggeredAt, updatedAt                          time.Time
	acknowledgedAt, resolvedAt, snoozedUntil        *time.Time
	details                                         []byte
	acknowledgedSeverity                            string
	// The names of who acted and has left since; they have no ids any more.
	acknowledgedName, resolvedName string
}

func scan(from pgx.CollectableRow) (r row, err error) {
	err = from.Scan(&r.id, &r.number, &r.title, &r.description, &r.status, &r.severity, &r.urgency, &r.service,
		&r.triggeredAt, &r.acknowledgedAt, &r.resolvedAt, &r.updatedAt, &r.acknowledgedBy, &r.resolvedBy, &r.assignee, &r.createdBy,
		&r.source, &r.alertCount, &r.truncatedAlerts, &r.details, &r.acknowledgedSeverity, &r.acknowledgedName, &r.resolvedName, &r.snoozedUntil)
	return r, err
}

// incident is the row with everything.
func (r *row) incident(known *known) (*nightbellv1.Incident, error) {
	i := &nightbellv1.Incident{
		Id: r.id.String(), Number: r.number, Title: r.title, Description: r.description, Status: r.status, Severity: r.severity,
		Urgency: r.urgency, Service: known.services.reference(r.service), ServiceName: known.service(r.service),
		TriggeredAt: timestamppb.New(r.triggeredAt), AcknowledgedAt: moment(r.acknowledgedAt), ResolvedAt: moment(r.resolvedAt),
		AcknowledgedBy: known.actor(r.acknowledgedBy, r.acknowledgedName), ResolvedBy: known.actor(r.resolvedBy, r.resolvedName),
		Assignee: known.people.reference(r.assignee), CreatedBy: known.creators.reference(r.createdBy),
		Source: r.source, AlertCount: r.alertCount, TruncatedAlertCount: r.truncatedAlerts, UpdatedAt: timestamppb.New(r.updatedAt), SnoozeEndsAt: moment(r.snoozedUntil),
	}
	i.AcknowledgedSeverity, i.ConfirmationWanted = postgres.Null(r.acknowledgedSeverity), r.wantsConfirmation()
	return i, readDetails(r.details, i)
}

func (r *row) wantsConfirmation() bool {
	return incident.Incident{
		Status: incident.Status(r.status), Severity: alert.Severity(r.severity), AcknowledgedSeverity: alert.Severity(r.acknowledgedSeverity),
	}.WantsConfirmation()
}

// summary is the row as lists give it.
func (r *row) summary(known *known) *nightbellv1.IncidentSummary {
	title := shorten(r.title, maxListTitle)
	description := shorten(r.description, min(maxListText-len(title), sizeOf(r.description, maxListDescription)))
	s := &nightbellv1.IncidentSummary{
		Id: r.id.String(), Number: r.number, Title: title, Description: description,
		Status: r.status, Severity: r.severity, Service: known.services.reference(r.service), ServiceName: known.service(r.service),
		TriggeredAt: timestamppb.New(r.triggeredAt), AcknowledgedAt: moment(r.acknowledgedAt), ResolvedAt: moment(r.resolvedAt),
		AcknowledgedBy: known.actor(r.acknowledgedBy, r.acknowledgedName), Assignee: known.people.reference(r.assignee),
		AlertCount: r.alertCount, SnoozeEndsAt: moment(r.snoozedUntil),
	}
	if r.wantsConfirmation() {
		s.ConfirmationWanted = new(true)
	}
	return s
}

const ellipsis = "…"

// sizeOf is the size in bytes of the first characters of a text.
func sizeOf(text string, characters int) int {
	for i := range text {
		if characters--; characters < 0 {
			return i
		}
	}
	return len(text)
}

// shorten cuts a text to a size in bytes, between characters.
func shorten(text string, size int) string {
	if len(text) <= size {
		return text
	}
	end := max(size-len(ellipsis), 0)
	for end > 0 && !utf8.RuneStart(text[end]) {
		end--
	}
	return text[:end] + ellipsis
}

func readDetails(details []byte, i *nightbellv1.Incident) error {
	if len(details) <= len("{}") {
		return nil
	}
	var stored struct {
		Tags     map[string]string `json:"tags"`
		Metadata json.RawMessage   `json:"metadata"`
	}
	if err := json.Unmarshal(details, &stored); err != nil {
		return err
	}
	i.Tags = stored.Tags
	if len(stored.Metadata) > 0 && string(stored.Metadata) != "null" {
		i.Metadata = &structpb.Struct{}
		return protojson.Unmarshal(stored.Metadata, i.Metadata)
	}
	return nil
}

func moment(t *time.Time) *timestamppb.Timestamp {
	if t == nil {
		return nil
	}
	return timestamppb.New(*t)
}

// known is the names of what rows refer to.
type known struct{ services, people, creators names }

// service is the name that the specification's client reads.
func (k *known) service(id *uuid.UUID) *string {
	if id == nil {
		return nil
	}
	return new(k.services[*id])
}

// actor is who acknowledged or resolved: somebody of the organization, or only the name of somebody who
// has left it.
func (k *known) actor(id *uuid.UUID, left string) *nightbellv1.Reference {
	if id == nil && left != "" {
		return &nightbellv1.Reference{Name: left}
	}
	return k.people.reference(id)
}

// collect reads incidents and the names of their services and people, with one more round
// trip however many there are. A join would go through every service for each
// incident: beside row-level security PostgreSQL believes that there is only one.
func collect(ctx context.Context, tx pgx.Tx, rows pgx.Rows) ([]row, *known, error) {
	found, err := pgx.CollectRows(rows, scan)
	if err != nil {
		return nil, nil, err
	}
	known := &known{names{}, names{}, names{}}
	for _, r := range found {
		known.services.want(r.service)
		known.people.want(r.acknowledgedBy, r.resolvedBy, r.assignee)
		known.creators.want(r.createdBy)
	}
	batch := &pgx.Batch{}
	known.services.queue(batch, `SELECT id, name FROM service WHERE org_id = nightbell_org() AND id = ANY($1)`)
	known.people.queue(batch, `SELECT id, name FROM users WHERE id = ANY($1)`)
	known.creators.queue(batch, `SELECT id, name FROM users WHERE id = ANY($1)
		UNION ALL SELECT id, name FROM api_key WHERE org_id = nightbell_org() AND id = ANY($1)`)
	return found, known, tx.SendBatch(ctx, batch).Close()
}

// names are names by id.
type names map[uuid.UUID]string

func (n names) want(ids ...*uuid.UUID) {
	for _, id := range ids {
		if id != nil {
			n[*id] = ""
		}
	}
}

// queue adds the question for the names to a batch, when there is one to ask.
func (n names) queue(batch *pgx.Batch, sql string) {
	if len(n) == 0 {
		return
	}
	batch.Queue(sql, slices.Collect(maps.Keys(n))).Query(func(rows pgx.Rows) error {
		var id uuid.UUID
		var name string
		_, err := pgx.ForEachRow(rows, []any{&id, &name}, func() error {
			n[id] = name
			return nil
		})
		return err
	})
}

// reference is absent for nobody and nothing.
func (n names) reference(id *uuid.UUID) *nightbellv1.Reference {
	if id == nil {
		return nil
	}
	return &nightbellv1.Reference{Id: id.String(), Name: n[*id]}
}
