package incidents

import (
	"context"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"

	nightbellv1 "github.com/nightbell/nightbell/api/gen/nightbell/v1"
)

// mostMerged bounds how many of the incidents that were merged into one are shown.
const mostMerged = 100

const (
	// relatedSQL reads each kind by its own index, and then each incident by its key. OFFSET 0 keeps ORDER BY
	// outside: before tables are analyzed, PostgreSQL would rather read all incidents in that order than sort
	// few, and 5,000 of them once for each (TestAnIncidentIsReadByKeyInAStorm).
	relatedSQL = `
SELECT kind, i.id, i.number, i.title, i.status, i.severity FROM (
    SELECT 'into' AS kind, m.merged_into_id AS id FROM incident m WHERE m.org_id = $1 AND m.id = $2 AND m.merged_into_id IS NOT NULL
    UNION ALL
    (SELECT 'merged', m.id FROM (SELECT id FROM incident WHERE org_id = $1 AND merged_into_id = $2 OFFSET 0) m ORDER BY m.id DESC LIMIT $3)
    UNION ALL
    SELECT 'linked', l.other_id FROM incident_link l WHERE l.org_id = $1 AND l.incident_id = $2
    UNION ALL
    SELECT 'linked', l.incident_id FROM incident_link l WHERE l.org_id = $1 AND l.other_id = $2) related
CROSS JOIN LATERAL (SELECT * FROM incident WHERE org_id = $1 AND id = related.id OFFSET 0) i
ORDER BY i.triggered_at DESC, i.id DESC`
	subscribersSQL = `SELECT u.id, u.name FROM incident_subscriber s JOIN users u ON u.id = s.user_id
		WHERE s.org_id = $1 AND s.incident_id = $2 ORDER BY lower(u.name), u.id`
	runbookSQL = `SELECT s.runbook_url FROM (SELECT service_id FROM incident WHERE org_id = $1 AND id = $2 OFFSET 0) i
		JOIN service s ON s.org_id = $1 AND s.id = i.service_id WHERE s.runbook_url <> ''`
)

// addRelated adds what only the screen of one incident shows, by one round trip.
func addRelated(ctx context.Context, tx pgx.Tx, orgID, incidentID uuid.UUID, into *nightbellv1.Incident) error {
	batch := &pgx.Batch{}
	batch.Queue(relatedSQL, orgID, incidentID, mostMerged).Query(func(rows pgx.Rows) error {
		var kind, title, status, severity string
		var key uuid.UUID
		var number int32
		_, err := pgx.ForEachRow(rows, []any{&kind, &key, &number, &title, &status, &severity}, func() error {
			other := &nightbellv1.IncidentReference{
				Id: key.String(), Number: number, Title: shorten(title, maxListTitle), Status: status, Severity: severity,
			}
			switch kind {
			case "into":
				into.MergedInto = other
			case "merged":
				into.Merged = append(into.Merged, other)
			default:
				into.Linked = append(into.Linked, other)
			}
			return nil
		})
		return err
	})
	batch.Queue(subscribersSQL, orgID, incidentID).Query(func(rows pgx.Rows) error {
		var key uuid.UUID
		var name string
		_, err := pgx.ForEachRow(rows, []any{&key, &name}, func() error {
			into.Subscribers = append(into.Subscribers, &nightbellv1.Reference{Id: key.String(), Name: name})
			return nil
		})
		return err
	})
	batch.Queue(runbookSQL, orgID, incidentID).Query(func(rows pgx.Rows) error {
		var address string
		_, err := pgx.ForEachRow(rows, []any{&address}, func() error {
			into.RunbookUrl = new(address)
			return nil
		})
		return err
	})
	return tx.SendBatch(ctx, batch).Close()
}
