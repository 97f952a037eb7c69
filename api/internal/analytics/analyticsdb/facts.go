// Package analyticsdb reads the rows that Analytics is computed from.
package analyticsdb

import (
	"context"
	"time"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"

	"github.com/nightbell/nightbell/api/internal/analytics"
	"github.com/nightbell/nightbell/api/internal/kernel/fault"
	"github.com/nightbell/nightbell/api/internal/org"
)

// What one call reads at most. 100,000 incidents with 260,000 pages take about two seconds on
// two shared cores: one to read them, one to take the rows in and add up.
const (
	maxIncidents = 150_000
	maxPages     = 500_000
)

// ErrTooMany refuses a period that would take longer than anybody waits.
var ErrTooMany = fault.New(fault.Unprocessable, "period_too_busy",
	"More than 150,000 incidents or 500,000 pages lie in this period and the one before. Choose a shorter period, leave out the comparison, or choose services.")

// Asked says which incidents are meant. No services are all of them, and so are no teams.
type Asked struct {
	OrgID           uuid.UUID
	Since, Until    time.Time
	Services, Teams []uuid.UUID
}

// readIncidentsSQL leaves out the test alerts of the site and its command: they share a group or, where each alert
// opens an incident, the beginning of their titles. A merged incident counts, with its answer, its pages and the sleep
// they took, but is not resolved: the trouble goes on in the other, which is resolved when it is over.
const readIncidentsSQL = `
SELECT i.id, coalesce(i.service_id, '00000000-0000-0000-0000-000000000000'), i.severity, coalesce(i.incident_key, ''), i.title,
       i.triggered_at, i.acknowledged_at, i.resolved_at, i.merged_into_id IS NOT NULL, coalesce(i.acknowledged_by, '00000000-0000-0000-0000-000000000000')
FROM incident i
WHERE i.org_id = $1 AND i.triggered_at > $2 AND i.triggered_at <= $3
  AND (cardinality($4::uuid[]) = 0 OR i.service_id = ANY($4))
  AND (cardinality($5::uuid[]) = 0 OR i.service_id IN (SELECT s.id FROM service s WHERE s.org_id = $1 AND s.team_id = ANY($5)))
  AND NOT (i.source = 'prometheus' AND (starts_with(coalesce(i.incident_key, '') || ' ', 'group:test ') OR starts_with(i.title, 'A test alert ')))
LIMIT $6`

// readPagesSQL reads what was sent to people. It goes by incident, which has an index; when a page was
// sent has none, because the page path would pay for it. It is no join: beside row-level security every
// organization is taken for small, and all its pages were looked through for each of its incidents.
const readPagesSQL = `
SELECT n.incident_id, n.user_id, n.finished_at FROM notification n
WHERE n.org_id = $1 AND n.incident_id = ANY($2) AND n.state = 'sent' AND n.user_id IS NOT NULL
LIMIT $3`

// Read reads all facts of a span of time. ErrTooMany means that it is too long.
func Read(ctx context.Context, tx pgx.Tx, asked Asked) (facts analytics.Facts, err error) {
	batch := &pgx.Batch{}
	queueIncidents(batch, asked, &facts)
	queueNames(batch, asked.OrgID, &facts)
	if err := tx.SendBatch(ctx, batch).Close(); err != nil {
		return facts, err
	}
	if len(facts.Incidents) > maxIncidents {
		return facts, ErrTooMany
	}
	facts.Pages, err = readPages(ctx, tx, asked.OrgID, facts.Incidents)
	if len(facts.Pages) > maxPages {
		return facts, ErrTooMany
	}
	return facts, err
}

func (a Asked) arguments() []any {
	services, teams := a.Services, a.Teams
	if services == nil {
		services = []uuid.UUID{}
	}
	if teams == nil {
		teams = []uuid.UUID{}
	}
	return []any{a.OrgID, a.Since, a.Until, services, teams, maxIncidents + 1}
}

func queueIncidents(batch *pgx.Batch, asked Asked, facts *analytics.Facts) {
	batch.Queue(readIncidentsSQL, asked.arguments()...).Query(func(rows pgx.Rows) error {
		var i analytics.Incident
		var acknowledged, ended *time.Time
		var merged bool
		_, err := pgx.ForEachRow(rows, []any{
			bytesOf(&i.ID), bytesOf(&i.Service), &i.Severity, &i.Key, &i.Title, &i.Triggered, &acknowledged, &ended, &merged, bytesOf(&i.AcknowledgedBy),
		}, func() error {
			i.Acknowledged, i.Ended, i.Resolved = value(acknowledged), value(ended), time.Time{}
			if !merged {
				i.Resolved = i.Ended
			}
			facts.Incidents = append(facts.Incidents, i)
			return nil
		})
		return err
	})
}

func readPages(ctx context.Context, tx pgx.Tx, orgID uuid.UUID, incidents []analytics.Incident) (pages []analytics.Page, err error) {
	ids, places := make([]uuid.UUID, len(incidents)), make(map[uuid.UUID]int, len(incidents))
	for n := range incidents {
		ids[n], places[incidents[n].ID] = incidents[n].ID, n
	}
	rows, err := tx.Query(ctx, readPagesSQL, orgID, ids, maxPages+1)
	if err != nil {
		return nil, err
	}
	var incident uuid.UUID
	var p analytics.Page
	_, err = pgx.ForEachRow(rows, []any{bytesOf(&incident), bytesOf(&p.Person), &p.Sent}, func() error {
		p.Incident = places[incident]
		pages = append(pages, p)
		return nil
	})
	return pages, err
}

// bytesOf lets pgx write an id as it came. As a uuid.UUID, which is a sql.Scanner, it would be made text and
// read again: a third of what this process spent on a call.
func bytesOf(id *uuid.UUID) *[16]byte { return (*[16]byte)(id) }

func queueNames(batch *pgx.Batch, orgID uuid.UUID, facts *analytics.Facts) {
	var id uuid.UUID
	var team *uuid.UUID
	var name, zone string
	facts.People, facts.Services, facts.Teams = map[uuid.UUID]analytics.Person{}, map[uuid.UUID]analytics.Service{}, map[uuid.UUID]string{}
	batch.Queue(`SELECT id, name, team_id FROM service WHERE org_id = $1`, orgID).Query(func(rows pgx.Rows) error {
		_, err := pgx.ForEachRow(rows, []any{&id, &name, &team}, func() error {
			service := analytics.Service{Name: name}
			if team != nil {
				service.Team = *team
			}
			facts.Services[id] = service
			return nil
		})
		return err
	})
	batch.Queue(`SELECT id, name FROM team WHERE org_id = $1`, orgID).Query(func(rows pgx.Rows) error {
		_, err := pgx.ForEachRow(rows, []any{&id, &name}, func() error {
			facts.Teams[id] = name
			return nil
		})
		return err
	})
	batch.Queue(`SELECT u.id, u.name, u.timezone FROM membership m JOIN users u ON u.id = m.user_id WHERE m.org_id = $1`, orgID).Query(func(rows pgx.Rows) error {
		_, err := pgx.ForEachRow(rows, []any{&id, &name, &zone}, func() error {
			// A zone that a newer release of the zone data has dropped counts as UTC.
			in, err := org.Zone("timezone", zone)
			if err != nil {
				in = time.UTC
			}
			facts.People[id] = analytics.Person{Name: name, Zone: in}
			return nil
		})
		return err
	})
}

func value(at *time.Time) time.Time {
	if at == nil {
		return time.Time{}
	}
	return *at
}
