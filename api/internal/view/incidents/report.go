package incidents

import (
	"context"
	"encoding/json"
	"math"
	"time"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"
	"google.golang.org/protobuf/types/known/structpb"

	nightbellv1 "github.com/nightbell/nightbell/api/gen/nightbell/v1"
	"github.com/nightbell/nightbell/api/internal/platform/postgres"
)

// Alert reads one alert of an incident with what programs reported about it. It is pgx.ErrNoRows
// when the incident has no such alert.
func Alert(ctx context.Context, tx pgx.Tx, orgID, incidentID, alertID uuid.UUID) (*nightbellv1.GetIncidentAlertResponse, error) {
	rows, err := tx.Query(ctx, `SELECT `+alertColumns+`, NULL::jsonb FROM (`+oneAlertOf+`) a`, orgID, incidentID, alertID)
	if err != nil {
		return nil, err
	}
	found, err := pgx.CollectExactlyOneRow(rows, scanAlert)
	if err != nil {
		return nil, err
	}
	response := &nightbellv1.GetIncidentAlertResponse{Alert: found}
	if found.GetHasReport() {
		response.Report, err = report(ctx, tx, orgID, incidentID, alertID)
	}
	return response, err
}

// The alert's row adds up all its incidents, so the record of what was received says what belongs to
// this one. A call that was made twice has a line for each, but its status in the first only. When
// retention has dropped the lines, the row is what is left.
const reportSQL = `
SELECT a.details, coalesce(e.count, a.occurrence_count), coalesce(e.first, a.first_seen_at), coalesce(e.last, a.last_seen_at), nullif(a.incident_id, $2)
FROM alert a, (
    SELECT sum(occurrences) AS count, min(received_at) AS first, max(received_at) AS last FROM alert_event
    WHERE org_id = $1 AND incident_id = $2 AND alert_id = $3 AND event_status IN ('created', 'deduplicated')) e
WHERE a.org_id = $1 AND a.id = $3`

func report(ctx context.Context, tx pgx.Tx, orgID, incidentID, alertID uuid.UUID) (*nightbellv1.AlertReport, error) {
	var details []byte
	var count int64
	var first, last time.Time
	var later *uuid.UUID
	if err := tx.QueryRow(ctx, reportSQL, orgID, incidentID, alertID).Scan(&details, &count, &first, &last, &later); err != nil {
		return nil, err
	}
	var said map[string]any
	if err := json.Unmarshal(details, &said); err != nil {
		return nil, err
	}
	r := &nightbellv1.AlertReport{
		Error: errorOf(said["error"]), Operation: textOf(said["operation"]), Environment: textOf(said["environment"]), Release: textOf(said["release"]),
		User: structOf(said["user"]), Trace: structOf(said["trace"]), Metadata: structOf(said["metadata"]),
		OccurrenceCount: int32(min(count, math.MaxInt32)), FirstSeenAt: moment(&first), LastSeenAt: moment(&last),
	}
	if later != nil {
		r.LaterIncidentId = new(later.String())
	}
	for _, link := range objectsOf(said["links"]) {
		r.Links = append(r.Links, &nightbellv1.ReportedLink{Href: postgres.Value(textOf(link["href"])), Text: textOf(link["text"])})
	}
	return r, nil
}

// What a program sent may be of any kind below its known fields: what is of the wrong one is left out.

func errorOf(value any) *nightbellv1.ReportedError {
	sent, ok := value.(map[string]any)
	if !ok {
		return nil
	}
	reported := &nightbellv1.ReportedError{Fingerprint: textOf(sent["fingerprint"])}
	for _, one := range objectsOf(sent["exceptions"]) {
		exception := &nightbellv1.ReportedException{Type: textOf(one["type"]), Message: textOf(one["message"])}
		for _, frame := range objectsOf(one["frames"]) {
			exception.Frames = append(exception.Frames, frameOf(frame))
		}
		reported.Exceptions = append(reported.Exceptions, exception)
	}
	for _, crumb := range objectsOf(sent["breadcrumbs"]) {
		reported.Breadcrumbs = append(reported.Breadcrumbs, structOf(crumb))
	}
	return reported
}

func frameOf(sent map[string]any) *nightbellv1.StackFrame {
	frame := &nightbellv1.StackFrame{
		File: textOf(sent["file"]), Function: textOf(sent["function"]), Module: textOf(sent["module"]),
		Line: placeOf(sent["line"]), Column: placeOf(sent["column"]), Code: textOf(sent["code"]),
		Pre: linesOf(sent["pre"]), Post: linesOf(sent["post"]),
	}
	frame.InApp, _ = sent["in_app"].(bool)
	return frame
}

func textOf(value any) *string {
	text, _ := value.(string)
	return postgres.Null(text)
}

func placeOf(value any) *int32 {
	if n, ok := value.(float64); ok && n >= 1 && n <= math.MaxInt32 {
		return new(int32(n))
	}
	return nil
}

func linesOf(value any) (lines []string) {
	sent, _ := value.([]any)
	for _, one := range sent {
		line, _ := one.(string)
		lines = append(lines, line)
	}
	return lines
}

func objectsOf(value any) (objects []map[string]any) {
	sent, _ := value.([]any)
	for _, one := range sent {
		if object, ok := one.(map[string]any); ok {
			objects = append(objects, object)
		}
	}
	return objects
}

func structOf(value any) *structpb.Struct {
	fields, _ := value.(map[string]any)
	if len(fields) == 0 {
		return nil
	}
	// What JSON says a Struct can hold.
	said, _ := structpb.NewStruct(fields)
	return said
}
