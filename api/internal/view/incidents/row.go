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

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"
	"google.golang.org/protobuf/encoding/protojson"
	"google.golang.org/protobuf/types/known/structpb"
	"google.golang.org/protobuf/types/known/timestamppb"

	nightbellv1 "github.com/nightbell/nightbell/api/gen/nightbell/v1"
)

// columns of an incident, as scanned by scan.
const columns = `i.id, i.number, i.title, i.description, i.status, i.severity, i.urgency, i.service_id,
	i.triggered_at, i.acknowledged_at, i.resolved_at, i.updated_at, i.acknowledged_by, i.resolved_by, i.assignee_id, i.created_by,
	i.source, i.alert_count, i.truncated_alerts, i.details`

// row is an incident before its service and its people have names.
type row struct {
	incident                                        *nightbellv1.Incident
	service                                         *uuid.UUID
	acknowledgedBy, resolvedBy, assignee, createdBy *uuid.UUID
	triggeredAt                                     time.Time
	id                                              uuid.UUID
}

func scan(from pgx.CollectableRow) (row, error) {
	r := row{incident: &nightbellv1.Incident{}}
	i := r.incident
	var acknowledgedAt, resolvedAt *time.Time
	var updatedAt time.Time
	var details []byte
	err := from.Scan(&r.id, &i.Number, &i.Title, &i.Description, &i.Status, &i.Severity, &i.Urgency, &r.service,
		&r.triggeredAt, &acknowledgedAt, &resolvedAt, &updatedAt, &r.acknowledgedBy, &r.resolvedBy, &r.assignee, &r.createdBy,
		&i.Source, &i.AlertCount, &i.TruncatedAlerts, &details)
	if err != nil {
		return r, err
	}
	i.Id = r.id.String()
	if r.service != nil {
		i.ServiceId = r.service.String()
	}
	i.TriggeredAt, i.UpdatedAt = timestamppb.New(r.triggeredAt), timestamppb.New(updatedAt)
	i.AcknowledgedAt, i.ResolvedAt = moment(acknowledgedAt), moment(resolvedAt)
	return r, readDetails(details, i)
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

// collect reads incidents and gives their services and people names, with one more round
// trip however many there are. A join would go through every service for each
// incident: beside row-level security PostgreSQL believes that there is only one.
func collect(ctx context.Context, tx pgx.Tx, rows pgx.Rows) ([]row, error) {
	found, err := pgx.CollectRows(rows, scan)
	if err != nil {
		return nil, err
	}
	services, people := names{}, names{}
	for _, r := range found {
		services.want(r.service)
		people.want(r.acknowledgedBy, r.resolvedBy, r.assignee, r.createdBy)
	}
	batch := &pgx.Batch{}
	services.queue(batch, `SELECT id, name FROM service WHERE org_id = nightbell_org() AND id = ANY($1)`)
	people.queue(batch, `SELECT id, name FROM users WHERE id = ANY($1)`)
	if err := tx.SendBatch(ctx, batch).Close(); err != nil {
		return nil, err
	}
	for _, r := range found {
		if r.service != nil {
			r.incident.ServiceName = services[*r.service]
		}
		r.incident.AcknowledgedBy, r.incident.ResolvedBy = people.person(r.acknowledgedBy), people.person(r.resolvedBy)
		r.incident.Assignee, r.incident.CreatedBy = people.person(r.assignee), people.person(r.createdBy)
	}
	return found, nil
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

// person is absent for nobody.
func (n names) person(id *uuid.UUID) *nightbellv1.Person {
	if id == nil {
		return nil
	}
	return &nightbellv1.Person{Id: id.String(), Name: n[*id]}
}
