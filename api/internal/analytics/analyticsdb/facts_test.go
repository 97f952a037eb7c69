package analyticsdb_test

import (
	"context"
	"fmt"
	"maps"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"

	"github.com/nightbell/nightbell/api/internal/analytics"
	"github.com/nightbell/nightbell/api/internal/analytics/analyticsdb"
	"github.com/nightbell/nightbell/api/internal/org"
	"github.com/nightbell/nightbell/api/internal/platform/postgres"
	"github.com/nightbell/nightbell/api/internal/platform/postgres/pgtest"
)

var now = time.Date(2026, 11, 25, 12, 34, 56, 0, time.UTC)

// fillSQL makes an organization with 3 services, of which two have a team, 4 people in different zones,
// and $2 random incidents of the $4 days before $3, with 2 pages on average.
var fillSQL = []string{
	`INSERT INTO org (id, kind, name, created_at) VALUES ($1, 'organization', 'Acme', nightbell_now())`,
	`INSERT INTO users (id, name, email, password_hash, timezone, created_at)
	 SELECT gen_random_uuid(), 'Person ' || n, 'p' || n || '@' || $1::uuid || '.example', '', (ARRAY['UTC', 'Europe/Paris', 'America/Los_Angeles', 'Asia/Kathmandu'])[n], nightbell_now()
	 FROM generate_series(1, 4) n`,
	`INSERT INTO membership (org_id, user_id, role, created_at) SELECT $1, id, 'responder', nightbell_now() FROM users WHERE email LIKE '%' || $1::uuid || '.example'`,
	`INSERT INTO contact_method (org_id, id, user_id, kind, name, address, hint, created_at)
	 SELECT $1, gen_random_uuid(), user_id, 'email', 'Mail', 'x', 'x', nightbell_now() FROM membership WHERE org_id = $1`,
	`INSERT INTO team (org_id, id, name, created_at) VALUES ($1, gen_random_uuid(), 'Core', nightbell_now())`,
	`INSERT INTO service (org_id, id, name, team_id, created_at, updated_at)
	 SELECT $1, gen_random_uuid(), 'Service ' || n, CASE WHEN n < 3 THEN (SELECT id FROM team WHERE org_id = $1) END, nightbell_now(), nightbell_now() FROM generate_series(1, 3) n`,
	`INSERT INTO incident (org_id, id, number, service_id, incident_key, title, status, severity, urgency, source, triggered_at, acknowledged_at, acknowledged_by, resolved_at, updated_at)
	 SELECT $1, gen_random_uuid(), n, CASE WHEN n % 4 < 3 THEN (SELECT id FROM service WHERE org_id = $1 ORDER BY name OFFSET n % 4 LIMIT 1) END,
	        CASE WHEN resolved <= 0 THEN 'alert:open ' || n WHEN random() < 0.05 THEN 'group:test' WHEN random() < 0.8 THEN 'alert:' || floor(random() * 20) END, 'Incident ' || n,
	        CASE WHEN resolved > 0 THEN 'resolved' WHEN acked > 0 THEN 'acknowledged' ELSE 'triggered' END,
	        (ARRAY['critical', 'high', 'medium', 'low'])[1 + floor(random() * 4)], 'high', 'prometheus',
	        at, CASE WHEN acked > 0 THEN at + acked * interval '1 hour' END,
	        CASE WHEN acked > 0 THEN (SELECT user_id FROM membership WHERE org_id = $1 ORDER BY user_id OFFSET n / 4 % 4 LIMIT 1) END,
	        CASE WHEN resolved > 0 THEN at + (greatest(acked, 0) + resolved) * interval '1 hour' END, at
	 FROM (SELECT n, $3::timestamptz - random() * $4 * interval '1 day' AS at, random() * 3 - 1 AS acked, random() * 9 - 3 AS resolved FROM generate_series(1, $2) n) i`,
	`UPDATE incident i SET merged_into_id = o.id FROM (SELECT id FROM incident WHERE org_id = $1 LIMIT 1) o WHERE i.org_id = $1 AND i.status = 'resolved' AND i.number % 5 = 0`,
	`INSERT INTO notification (org_id, id, effect_key, incident_id, user_id, contact_method_id, channel, cycle, round, step, reason, severity_rank, state, due_at, next_try_at, finished_at, created_at)
	 SELECT $1, gen_random_uuid(), gen_random_uuid()::text, i.id, CASE WHEN random() < 0.9 THEN c.user_id END, c.id, 'email', 1, 1, 1, '', 1,
	        CASE WHEN random() < 0.8 THEN 'sent' ELSE 'cancelled' END, i.triggered_at, i.triggered_at, i.triggered_at + random() * interval '3 hours', i.triggered_at
	 FROM incident i, contact_method c, generate_series(1, 2) n WHERE i.org_id = $1 AND c.org_id = $1 AND random() < 0.3`,
}

func fill(t *testing.T, db *pgtest.Database, orgID uuid.UUID, incidents int, days float64) {
	t.Helper()
	for _, sql := range fillSQL {
		given := []any{orgID, incidents, now, days}
		for n := len(given); n > 0; n-- {
			if strings.Contains(sql, fmt.Sprintf("$%d", n)) {
				given = given[:n]
				break
			}
		}
		db.Exec(t, sql, given...)
	}
}

func read(t *testing.T, db *pgtest.Database, asked analyticsdb.Asked) (facts analytics.Facts) {
	t.Helper()
	err := db.InTenant(t.Context(), asked.OrgID, func(ctx context.Context, tx pgx.Tx) (err error) {
		facts, err = analyticsdb.Read(ctx, tx, asked)
		return err
	}, postgres.ReadOnly())
	if err != nil {
		t.Fatal(err)
	}
	return facts
}

// incidentsOf are the incidents of a period, counted by PostgreSQL alone; $2 and $3 are its ends.
const incidentsOf = `WITH i AS (
    SELECT *, CASE WHEN merged_into_id IS NULL THEN resolved_at END AS over_at FROM incident WHERE org_id = $1 AND triggered_at > $2 AND triggered_at <= $3 AND incident_key IS DISTINCT FROM 'group:test'
), p AS (
    SELECT n.user_id, n.finished_at AS sent, n.finished_at AT TIME ZONE u.timezone AS wall, u.timezone, i.*
    FROM i JOIN notification n ON n.incident_id = i.id JOIN users u ON u.id = n.user_id WHERE n.state = 'sent'
), night AS (
    SELECT *, (wall - interval '7 hours')::date AS began, ((wall - interval '7 hours')::date + 1 + time '07:00') AT TIME ZONE timezone AS morning
    FROM p WHERE wall::time >= '22:00' OR wall::time < '07:00'
), awake AS (
    SELECT *, tstzrange(sent, least(morning, interval '30 minutes' + greatest(sent,
        CASE WHEN acknowledged_by = user_id AND acknowledged_at < morning THEN acknowledged_at END,
        CASE WHEN acknowledged_by = user_id AND resolved_at < morning THEN resolved_at END))) AS time
    FROM night
) `

// TestFiguresAreThoseOfAPlainCount compares with what PostgreSQL counts by other means: its own time
// zones, its own unions of times.
func TestFiguresAreThoseOfAPlainCount(t *testing.T) {
	t.Parallel()
	db := pgtest.New(t)
	db.Clock.Freeze(now)
	orgs := []uuid.UUID{uuid.New(), uuid.New()}
	for _, orgID := range orgs {
		fill(t, db, orgID, 400, 80)
	}
	db.Exec(t, `ANALYZE`)
	for _, orgID := range orgs {
		for _, zone := range []string{"UTC", "Europe/Paris", "Asia/Kathmandu"} {
			in, err := org.Zone("timezone", zone)
			if err != nil {
				t.Fatal(err)
			}
			for range 3 {
				length := time.Duration(1 + rand.Int64N(int64(40*24*time.Hour)))
				period := analytics.Period{Since: now.Add(-length).Truncate(time.Microsecond), Until: now}
				facts := read(t, db, analyticsdb.Asked{OrgID: orgID, Since: period.Before().Since, Until: now})
				report := analytics.Make(facts, period, in)
				for n := range report.Periods {
					compare(t, db, orgID, report, n, zone)
				}
			}
		}
	}
}

// compare counts what is in period n of a report.
func compare(t *testing.T, db *pgtest.Database, orgID uuid.UUID, report analytics.Report, n int, zone string) {
	t.Helper()
	p := report.Periods[n]
	count := func(what, sql, want string) {
		t.Helper()
		if got := pgtest.One[string](t, db, incidentsOf+`SELECT coalesce((`+sql+`)::text, '')`, orgID, p.Period.Since, p.Period.Until); got != want {
			t.Errorf("%s of period %d in %s from %s: PostgreSQL counts\n%s, the report says\n%s", what, n, zone, p.Period.Since, got, want)
		}
	}
	count("the total", `SELECT concat_ws(' ', count(*), count(acknowledged_at), count(over_at), round(extract(epoch FROM avg(acknowledged_at - triggered_at))), round(extract(epoch FROM avg(over_at - triggered_at))), (SELECT count(*) FROM p)) FROM i`, words(p.Total))
	groups := func(list []analytics.Group) string {
		var said []string
		for _, g := range list {
			if g.Figures[n].Triggered > 0 {
				said = append(said, g.Name+": "+words(g.Figures[n]))
			}
		}
		return lines(said)
	}
	figures := `concat_ws(' ', count(*), count(acknowledged_at), count(over_at), round(extract(epoch FROM avg(acknowledged_at - triggered_at))), round(extract(epoch FROM avg(over_at - triggered_at))),
		(SELECT count(*) FROM p WHERE p.id = ANY(array_agg(i.id))))`
	count("severities", `SELECT string_agg(line, E'\n' ORDER BY line COLLATE "C") FROM (SELECT severity || ': ' || `+figures+` AS line FROM i GROUP BY severity) l`, groups(report.Severities[:]))
	count("services", `SELECT string_agg(line, E'\n' ORDER BY line COLLATE "C") FROM (SELECT coalesce(s.name, '') || ': ' || `+figures+` AS line FROM i LEFT JOIN service s ON s.id = i.service_id GROUP BY s.name) l`, groups(report.Services))
	count("teams", `SELECT string_agg(line, E'\n' ORDER BY line COLLATE "C") FROM (SELECT coalesce(m.name, '') || ': ' || `+figures+` AS line FROM i LEFT JOIN service s ON s.id = i.service_id LEFT JOIN team m ON m.id = s.team_id GROUP BY m.name) l`, groups(report.Teams))
	var days, people, nights []string
	for _, day := range p.Days {
		if day.Figures.Triggered > 0 {
			days = append(days, fmt.Sprintf("%s: %d %d", day.Day, day.Figures.Triggered, day.Figures.Pages))
		}
	}
	count("days", `SELECT string_agg(line, E'\n' ORDER BY line COLLATE "C") FROM (SELECT (triggered_at AT TIME ZONE '`+zone+`')::date || ': ' || count(*) || ' ' || (SELECT count(*) FROM p WHERE p.id = ANY(array_agg(i.id))) AS line
		FROM i GROUP BY (triggered_at AT TIME ZONE '`+zone+`')::date) l`, lines(days))
	sleep := 0.0
	for _, person := range report.People {
		load := person.Loads[n]
		if load.Pages > 0 {
			people = append(people, fmt.Sprintf("%s: %d %d %d %d %d", person.Name, load.Pages, load.Incidents, load.NightPages, load.Weekends, load.WeekendPages))
		}
		for _, night := range load.Nights {
			nights = append(nights, fmt.Sprintf("%s %s: %d %.3f", person.Name, night.Began, night.Pages, night.Sleep.Seconds()))
			sleep += night.Sleep.Seconds()
		}
	}
	count("people", `SELECT string_agg(line, E'\n' ORDER BY line COLLATE "C") FROM (SELECT u.name || ': ' || concat_ws(' ', count(*), count(DISTINCT p.id),
		count(*) FILTER (WHERE wall::time >= '22:00' OR wall::time < '07:00'),
		count(DISTINCT date_trunc('week', wall)) FILTER (WHERE extract(isodow FROM wall) >= 6), count(*) FILTER (WHERE extract(isodow FROM wall) >= 6)) AS line
		FROM p JOIN users u ON u.id = p.user_id GROUP BY u.name) l`, lines(people))
	count("nights", `SELECT string_agg(line, E'\n' ORDER BY line COLLATE "C") FROM (
		SELECT u.name || ' ' || began || ': ' || count(*) || ' ' || to_char((SELECT sum(extract(epoch FROM upper(r) - lower(r))) FROM unnest(range_agg(time)) r), 'FM999990.000') AS line
		FROM awake a JOIN users u ON u.id = a.user_id GROUP BY u.name, began) l`, lines(nights))
	if p.Nights != len(nights) || p.Sleep.Seconds()-sleep > 0.001 || sleep-p.Sleep.Seconds() > 0.001 {
		t.Errorf("period %d: %d nights and %s, of which people have %d and %f s", n, p.Nights, p.Sleep, len(nights), sleep)
	}
	if n > 0 {
		return
	}
	var noise, hours []string
	for _, one := range report.Noise {
		noise = append(noise, fmt.Sprintf("%s %s: %d %d %d %d %.3f %s", one.ServiceName, one.Newest.Key, one.Incidents, one.Unanswered, one.Pages[0], one.NightPages, one.Sleep.Seconds(), one.Newest.Title))
	}
	count("noise", `SELECT string_agg(line, E'\n' ORDER BY line COLLATE "C") FROM (
		SELECT coalesce(s.name, '') || ' ' || incident_key || ': ' || concat_ws(' ', count(*), count(*) FILTER (WHERE acknowledged_at IS NULL AND over_at IS NOT NULL),
		       (SELECT count(*) FROM p WHERE p.id = ANY(array_agg(i.id))), (SELECT count(*) FROM night WHERE night.id = ANY(array_agg(i.id))),
		       to_char(coalesce((SELECT sum(extract(epoch FROM upper(r) - lower(r))) FROM (SELECT range_agg(time) AS all FROM awake WHERE awake.id = ANY(array_agg(i.id)) GROUP BY user_id) w, unnest(w.all) r), 0), 'FM999990.000'),
		       (array_agg(title ORDER BY triggered_at DESC))[1]) AS line
		FROM i LEFT JOIN service s ON s.id = i.service_id WHERE incident_key IS NOT NULL GROUP BY s.name, incident_key HAVING (SELECT count(*) FROM p WHERE p.id = ANY(array_agg(i.id))) > 0) l`, lines(noise))
	for day := range report.Hours {
		for hour, pages := range report.Hours[day] {
			if pages > 0 {
				hours = append(hours, fmt.Sprintf("%d %d: %d", day+1, hour, pages))
			}
		}
	}
	count("hours", `SELECT string_agg(line, E'\n' ORDER BY line COLLATE "C") FROM (SELECT extract(isodow FROM sent AT TIME ZONE '`+zone+`') || ' ' || extract(hour FROM sent AT TIME ZONE '`+zone+`') || ': ' || count(*) AS line
		FROM p GROUP BY extract(isodow FROM sent AT TIME ZONE '`+zone+`'), extract(hour FROM sent AT TIME ZONE '`+zone+`')) l`, lines(hours))
}

// words leave out what is not known, as concat_ws does.
func words(f analytics.Figures) string {
	said := fmt.Sprint(f.Triggered, " ", f.Acknowledged, " ", f.Resolved)
	for _, mean := range []*int32{f.MTTA(), f.MTTR()} {
		if mean != nil {
			said += fmt.Sprint(" ", *mean)
		}
	}
	return said + fmt.Sprint(" ", f.Pages)
}

func lines(list []string) string {
	slices.Sort(list)
	return strings.Join(list, "\n")
}

func TestServicesAndTeamsNarrowIncidentsAndTheirPages(t *testing.T) {
	t.Parallel()
	db := pgtest.New(t)
	db.Clock.Freeze(now)
	orgID, other := uuid.New(), uuid.New()
	fill(t, db, orgID, 200, 30)
	fill(t, db, other, 200, 30)
	id := func(sql string, orgID uuid.UUID) uuid.UUID { return pgtest.One[uuid.UUID](t, db, sql, orgID) }
	second := id(`SELECT id FROM service WHERE org_id = $1 AND name = 'Service 2'`, orgID)
	third := id(`SELECT id FROM service WHERE org_id = $1 AND name = 'Service 3'`, orgID)
	team := id(`SELECT id FROM team WHERE org_id = $1`, orgID)
	for name, test := range map[string]struct {
		services, teams []uuid.UUID
		want            string
	}{
		"all":                         {nil, nil, "Service 1 Service 2 Service 3 none"},
		"a service":                   {[]uuid.UUID{second}, nil, "Service 2"},
		"a team":                      {nil, []uuid.UUID{team}, "Service 1 Service 2"},
		"a service of the team":       {[]uuid.UUID{second, third}, []uuid.UUID{team}, "Service 2"},
		"a service of another tenant": {[]uuid.UUID{id(`SELECT id FROM service WHERE org_id = $1 LIMIT 1`, other)}, nil, ""},
		"a team of another tenant":    {nil, []uuid.UUID{id(`SELECT id FROM team WHERE org_id = $1`, other)}, ""},
	} {
		facts := read(t, db, analyticsdb.Asked{OrgID: orgID, Since: now.AddDate(0, 0, -30), Until: now, Services: test.services, Teams: test.teams})
		found, pages := map[string]bool{}, len(facts.Pages)
		for _, i := range facts.Incidents {
			service := facts.Services[i.Service].Name
			if service == "" {
				service = "none"
			}
			found[service] = true
		}
		if got := strings.Join(slices.Sorted(maps.Keys(found)), " "); got != test.want || (pages > 0) != (test.want != "") {
			t.Errorf("%s: incidents of %q and %d pages, want %q", name, got, pages, test.want)
		}
		for _, page := range facts.Pages {
			if _, here := facts.People[page.Person]; !here {
				t.Fatalf("%s: a page of somebody else", name)
			}
		}
		if len(facts.People) != 4 {
			t.Errorf("%s: %d people", name, len(facts.People))
		}
	}
}
