package incidents

import (
	"context"
	"encoding/json"
	"time"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"
	"google.golang.org/protobuf/encoding/protojson"
	"google.golang.org/protobuf/types/known/structpb"
	"google.golang.org/protobuf/types/known/timestamppb"

	nightbellv1 "github.com/nightbell/nightbell/api/gen/nightbell/v1"
	"github.com/nightbell/nightbell/api/internal/notify"
	"github.com/nightbell/nightbell/api/internal/platform/postgres"
	"github.com/nightbell/nightbell/api/internal/view/explain"
)

const entryColumns = `seq, id, incident_id, kind, actor_kind, actor_id, actor_name, message, data, at`

func scanEntry(row pgx.CollectableRow) (*nightbellv1.TimelineEntry, error) {
	entry := &nightbellv1.TimelineEntry{}
	var seq int64
	var entryID uuid.UUID
	var incidentID, actor *uuid.UUID
	var actorName string
	var data []byte
	var at time.Time
	if err := row.Scan(&seq, &entryID, &incidentID, &entry.Kind, &entry.ActorKind, &actor, &actorName, &entry.Message, &data, &at); err != nil {
		return nil, err
	}
	entry.Seq, entry.Id, entry.At = float64(seq), entryID.String(), timestamppb.New(at)
	if incidentID != nil {
		entry.IncidentId = incidentID.String()
	}
	if actorName != "" {
		entry.Actor = &nightbellv1.Actor{Name: actorName}
		if actor != nil {
			entry.Actor.Id = new(actor.String())
		}
	}
	if len(data) > len("{}") {
		entry.Data = &structpb.Struct{}
		return entry, protojson.Unmarshal(data, entry.Data)
	}
	return entry, nil
}

// Timeline reads the history of an incident after a place in it, oldest first. An incident that does not
// exist has none.
func Timeline(ctx context.Context, tx pgx.Tx, orgID, incidentID uuid.UUID, after int64, most int) ([]*nightbellv1.TimelineEntry, error) {
	rows, err := tx.Query(ctx, `SELECT `+entryColumns+` FROM timeline_event WHERE org_id = $1 AND incident_id = $2 AND seq > $3 ORDER BY seq LIMIT $4`,
		orgID, incidentID, after, most)
	if err != nil {
		return nil, err
	}
	return pgx.CollectRows(rows, scanEntry)
}

// LastComment reads the newest comment of a person or program about an incident.
func LastComment(ctx context.Context, tx pgx.Tx, orgID, incidentID, by uuid.UUID) (*nightbellv1.TimelineEntry, error) {
	rows, err := tx.Query(ctx, `SELECT `+entryColumns+` FROM timeline_event
		WHERE org_id = $1 AND incident_id = $2 AND kind = 'comment' AND actor_id = $3 ORDER BY seq DESC LIMIT 1`, orgID, incidentID, by)
	if err != nil {
		return nil, err
	}
	return pgx.CollectExactlyOneRow(rows, scanEntry)
}

// Feed reads what happened in an organization after a place in the live feed, in
// order, at most limit entries. A negative place means the newest one only.
func Feed(ctx context.Context, tx pgx.Tx, orgID uuid.UUID, after int64, limit int) ([]*nightbellv1.TimelineEntry, error) {
	sql := `SELECT ` + entryColumns + ` FROM timeline_event WHERE org_id = $1 AND seq > $2 ORDER BY seq LIMIT $3`
	if after < 0 {
		sql, limit = `SELECT `+entryColumns+` FROM timeline_event WHERE org_id = $1 AND seq > $2 ORDER BY seq DESC LIMIT $3`, 1
	}
	rows, err := tx.Query(ctx, sql, orgID, after, limit)
	if err != nil {
		return nil, err
	}
	return pgx.CollectRows(rows, scanEntry)
}

// attempt is how the database hands over one try to deliver.
type attempt struct {
	ID            string     `json:"id"`
	Outcome       string     `json:"outcome"`
	Detail        string     `json:"detail"`
	StartedAt     time.Time  `json:"started_at"`
	FinishedAt    *time.Time `json:"finished_at"`
	IncidentCount int32      `json:"incident_count"`
}

// Notifications reads who was paged for an incident, with every try, in the order in
// which they were due, after a place in it.
func Notifications(ctx context.Context, tx pgx.Tx, orgID, incidentID uuid.UUID, dueAfter time.Time, after uuid.UUID, most int) ([]*nightbellv1.Notification, error) {
	rows, err := tx.Query(ctx, `
		SELECT n.id, n.step + 1, n.round + 1, n.user_id, coalesce(u.name, ''), n.channel, c.name, c.hint, n.state, n.due_at, n.finished_at, n.finished_for, n.why,
		       coalesce((SELECT jsonb_agg(jsonb_build_object('id', d.id, 'outcome', d.outcome, 'detail', d.detail, 'started_at', d.started_at,
		                          'finished_at', d.finished_at, 'incident_count', d.incident_count) ORDER BY d.started_at)
		                 FROM delivery d WHERE d.org_id = n.org_id AND d.id = ANY(n.delivery_ids)), '[]')
		FROM notification n
		JOIN contact_method c ON c.org_id = n.org_id AND c.id = n.contact_method_id
		LEFT JOIN users u ON u.id = n.user_id
		WHERE n.org_id = $1 AND n.incident_id = $2 AND (n.due_at, n.id) > ($3, $4)
		ORDER BY n.due_at, n.id LIMIT $5`, orgID, incidentID, dueAfter, after, most)
	if err != nil {
		return nil, err
	}
	return pgx.CollectRows(rows, scanNotification)
}

func scanNotification(row pgx.CollectableRow) (*nightbellv1.Notification, error) {
	n := &nightbellv1.Notification{}
	var notificationID uuid.UUID
	var user *uuid.UUID
	var name, reason string
	var dueAt time.Time
	var finishedAt *time.Time
	var why, attempts []byte
	err := row.Scan(&notificationID, &n.Step, &n.Round, &user, &name, &n.Channel, &n.ContactName, &n.ContactHint, &n.Status,
		&dueAt, &finishedAt, &reason, &why, &attempts)
	if err != nil {
		return nil, err
	}
	if n.Why, err = explain.StoredWhy(why); err != nil {
		return nil, err
	}
	n.ContactHint = notify.MaskHint(n.ContactHint)
	n.Id, n.DueAt, n.FinishedAt, n.Reason = notificationID.String(), timestamppb.New(dueAt), moment(finishedAt), postgres.Null(reason)
	if user != nil {
		n.User = &nightbellv1.Reference{Id: user.String(), Name: name}
	}
	var tries []attempt
	if err := json.Unmarshal(attempts, &tries); err != nil {
		return nil, err
	}
	for _, a := range tries {
		n.Attempts = append(n.Attempts, &nightbellv1.DeliveryAttempt{
			Id: a.ID, Outcome: a.Outcome, Detail: a.Detail,
			StartedAt: timestamppb.New(a.StartedAt), FinishedAt: moment(a.FinishedAt), IncidentCount: a.IncidentCount,
		})
	}
	return n, nil
}

// alertsOf are the alerts that an incident has now, and those that have moved on to a
// later incident: for this one they are over. The recursion jumps from one alert to the next in
// alert_event_incident_idx: DISTINCT would read a row for each time an alert repeated.
const alertsOf = `
	SELECT * FROM alert WHERE org_id = $1 AND incident_id = $2
	UNION ALL
	SELECT (past).* FROM (
	    WITH RECURSIVE had AS (
	        (SELECT alert_id FROM alert_event WHERE org_id = $1 AND incident_id = $2 ORDER BY alert_id LIMIT 1)
	        UNION ALL
	        SELECT (SELECT e.alert_id FROM alert_event e WHERE e.org_id = $1 AND e.incident_id = $2 AND e.alert_id > had.alert_id ORDER BY e.alert_id LIMIT 1)
	        FROM had WHERE had.alert_id IS NOT NULL)
	    SELECT jsonb_populate_record(a, '{"status": "resolved"}') AS past
	    FROM had JOIN alert a ON a.org_id = $1 AND a.id = had.alert_id WHERE a.incident_id <> $2) moved`

const alertColumns = `id, alert_key, status, severity, source, title, description, labels, annotations, link, starts_at, ends_at, occurrence_count, last_seen_at,
	nullif(details IS NOT NULL, false)`

// oneAlertOf is alertsOf for one of them: no condition reaches into a recursion.
const oneAlertOf = `
	SELECT * FROM alert WHERE org_id = $1 AND incident_id = $2 AND id = $3
	UNION ALL
	SELECT (past).* FROM (
	    SELECT jsonb_populate_record(a, '{"status": "resolved"}') AS past FROM alert a
	    WHERE a.org_id = $1 AND a.id = $3 AND a.incident_id <> $2
	      AND EXISTS (SELECT FROM alert_event e WHERE e.org_id = $1 AND e.incident_id = $2 AND e.alert_id = $3)) moved`

// Alerts reads how many alerts an incident has, and no more than most of them before an id, the
// newest first: an order by what changes, such as the status, would skip and repeat rows from page to
// page. With what events said besides, if details are wanted.
func Alerts(ctx context.Context, tx pgx.Tx, orgID, incidentID uuid.UUID, details bool, before uuid.UUID, most int) (*nightbellv1.ListIncidentAlertsResponse, error) {
	response := &nightbellv1.ListIncidentAlertsResponse{}
	err := tx.QueryRow(ctx, `SELECT count(*) FILTER (WHERE status = 'firing'), count(*) FROM (`+alertsOf+`) a`,
		orgID, incidentID).Scan(&response.FiringCount, &response.TotalCount)
	if err != nil {
		return nil, err
	}
	column := "NULL::jsonb"
	if details {
		column = "details"
	}
	rows, err := tx.Query(ctx, `
		SELECT `+alertColumns+`, `+column+`
		FROM (`+alertsOf+`) a WHERE id < $3 ORDER BY id DESC LIMIT $4`, orgID, incidentID, before, most)
	if err != nil {
		return nil, err
	}
	response.Alerts, err = pgx.CollectRows(rows, scanAlert)
	return response, err
}

func scanAlert(row pgx.CollectableRow) (*nightbellv1.Alert, error) {
	a := &nightbellv1.Alert{}
	var alertID uuid.UUID
	var startsAt, lastSeenAt time.Time
	var endsAt *time.Time
	var link string
	var details []byte
	err := row.Scan(&alertID, &a.Key, &a.Status, &a.Severity, &a.Source, &a.Title, &a.Description, &a.Labels, &a.Annotations, &link,
		&startsAt, &endsAt, &a.OccurrenceCount, &lastSeenAt, &a.HasReport, &details)
	a.Link = postgres.Null(link)
	a.Id, a.StartsAt, a.EndsAt, a.LastSeenAt = alertID.String(), timestamppb.New(startsAt), moment(endsAt), timestamppb.New(lastSeenAt)
	if err == nil && details != nil {
		a.Details = &structpb.Struct{}
		err = protojson.Unmarshal(details, a.Details)
	}
	return a, err
}
