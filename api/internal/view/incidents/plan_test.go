package incidents

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"
	"google.golang.org/protobuf/types/known/timestamppb"

	nightbellv1 "github.com/nightbell/nightbell/api/gen/nightbell/v1"
	"github.com/nightbell/nightbell/api/internal/platform/postgres"
	"github.com/nightbell/nightbell/api/internal/platform/postgres/pgtest"
)

// crowd is 100,000 incidents of two organizations, a minute apart. A tenth is of the team's 20
// services, which were quiet for the newest half; ten are given to the person, and ten have the key
// "rare", long ago. The newest 300 are open.
type crowd struct {
	*pgtest.Database

	org, team, person uuid.UUID
	newest            time.Time
}

func newCrowd(t *testing.T) *crowd {
	t.Helper()
	c := &crowd{Database: pgtest.New(t), org: uuid.New(), team: uuid.New(), person: uuid.New(), newest: time.Date(2026, 3, 25, 3, 0, 0, 0, time.UTC)}
	c.Exec(t, `INSERT INTO users (id, name, email, password_hash, created_at) VALUES ($1, 'Ada', 'ada@example.com', '', nightbell_now())`, c.person)
	for _, org := range []uuid.UUID{c.org, uuid.New()} {
		team := uuid.New()
		if org == c.org {
			team = c.team
		}
		c.Exec(t, `INSERT INTO org (id, kind, name, created_at) VALUES ($1, 'organization', 'Acme', nightbell_now())`, org)
		c.Exec(t, `INSERT INTO membership (org_id, user_id, role, created_at) VALUES ($1, $2, 'owner', nightbell_now())`, org, c.person)
		c.Exec(t, `INSERT INTO team (org_id, id, name, created_at) VALUES ($1, $2, 'Core', nightbell_now())`, org, team)
		c.Exec(t, `INSERT INTO service (org_id, id, name, team_id, created_at, updated_at)
			SELECT $1, gen_random_uuid(), 'Service ' || n, CASE WHEN n < 20 THEN $2::uuid END, nightbell_now(), nightbell_now() FROM generate_series(0, 199) n`, org, team)
		c.Exec(t, `INSERT INTO incident (org_id, id, number, service_id, incident_key, title, status, severity, urgency, source, assignee_id, resolved_at, triggered_at, updated_at)
			SELECT $1, gen_random_uuid(), n, s.ids[1 + CASE WHEN n <= 25000 THEN 20 + n % 180 ELSE n % 200 END],
			       'alert:' || CASE WHEN n > 49000 AND n % 100 = 0 THEN 'rare' ELSE n::text END, 'Incident', CASE WHEN n <= 300 THEN 'triggered' ELSE 'resolved' END, 'high', 'high', 'prometheus',
			       CASE WHEN n > 49000 AND n % 100 = 1 THEN $2::uuid END, CASE WHEN n > 300 THEN $3::timestamptz END, $3::timestamptz - n * interval '1 minute', $3::timestamptz
			FROM generate_series(1, 50000) n, (SELECT array_agg(id ORDER BY substr(name, 9)::integer) ids FROM service WHERE org_id = $1) s`, org, c.person, c.newest)
	}
	c.Exec(t, `ANALYZE`)
	return c
}

// TestFiltersReadLittleMoreThanTheyGive asks for pages of 50 of an organization that has 50,000
// incidents, the worst place for each filter.
func TestFiltersReadLittleMoreThanTheyGive(t *testing.T) {
	t.Parallel()
	c := newCrowd(t)
	early, late := timestamppb.New(c.newest.Add(-40_000*time.Minute)), timestamppb.New(c.newest.Add(-40_100*time.Minute))
	for name, asked := range map[string]struct {
		request *nightbellv1.ListIncidentsRequest
		most    float64 // rows of incidents that are read
	}{
		"everything":            {&nightbellv1.ListIncidentsRequest{}, 51},
		"the oldest":            {&nightbellv1.ListIncidentsRequest{Sort: "triggered_at"}, 51},
		"a person":              {&nightbellv1.ListIncidentsRequest{AssigneeId: []string{c.person.String()}}, 60},
		"several people":        {&nightbellv1.ListIncidentsRequest{AssigneeId: []string{c.person.String(), uuid.NewString()}}, 60},
		"a person's open ones":  {&nightbellv1.ListIncidentsRequest{AssigneeId: []string{c.person.String()}, Status: []string{"open"}}, 310},
		"nobody":                {&nightbellv1.ListIncidentsRequest{AssigneeId: []string{"none"}}, 60},
		"a team":                {&nightbellv1.ListIncidentsRequest{TeamId: []string{c.team.String()}}, 20 * 60},
		"a team, the oldest":    {&nightbellv1.ListIncidentsRequest{TeamId: []string{c.team.String()}, Sort: "triggered_at"}, 20 * 60},
		"a team's person":       {&nightbellv1.ListIncidentsRequest{TeamId: []string{c.team.String()}, AssigneeId: []string{c.person.String()}}, 60},
		"a team without any":    {&nightbellv1.ListIncidentsRequest{TeamId: []string{uuid.NewString()}}, 0},
		"a time long ago":       {&nightbellv1.ListIncidentsRequest{Since: late, Until: early}, 60},
		"before a time":         {&nightbellv1.ListIncidentsRequest{Until: early}, 60},
		"after it, from oldest": {&nightbellv1.ListIncidentsRequest{Since: late, Sort: "triggered_at"}, 60},
		"a key":                 {&nightbellv1.ListIncidentsRequest{DedupKey: []string{"rare"}}, 310},
		"a resolved key":        {&nightbellv1.ListIncidentsRequest{DedupKey: []string{"rare", "other"}, Status: []string{"resolved"}}, 20},
		"an urgency of open":    {&nightbellv1.ListIncidentsRequest{Urgency: []string{"low"}, Status: []string{"open"}}, 310},
		"a tag of open":         {&nightbellv1.ListIncidentsRequest{Tag: []string{"zone:a"}, Status: []string{"open"}}, 310},
		"a team's person's low": {&nightbellv1.ListIncidentsRequest{TeamId: []string{c.team.String()}, AssigneeId: []string{c.person.String()}, Severity: []string{"low"}}, 20},
		"a severity":            {&nightbellv1.ListIncidentsRequest{Severity: []string{"critical", "low"}}, 10_000},
		"a severity resolved":   {&nightbellv1.ListIncidentsRequest{Severity: []string{"low"}, Status: []string{"resolved"}}, 10_000},
		"a severity, oldest":    {&nightbellv1.ListIncidentsRequest{Severity: []string{"low"}, Sort: "triggered_at"}, 10_000},
		"an urgency":            {&nightbellv1.ListIncidentsRequest{Urgency: []string{"low"}}, 10_000},
		"a tag":                 {&nightbellv1.ListIncidentsRequest{Tag: []string{"zone:a", "rare"}}, 10_000},
		"a tag of a team":       {&nightbellv1.ListIncidentsRequest{Tag: []string{"zone:a"}, TeamId: []string{c.team.String()}}, 10_000},
		"nobody's low":          {&nightbellv1.ListIncidentsRequest{AssigneeId: []string{"none"}, Severity: []string{"low"}}, 10_000},
		"a team's, by nobody":   {&nightbellv1.ListIncidentsRequest{AssigneeId: []string{"none"}, TeamId: []string{c.team.String()}}, 10_000},
		"a tag of an hour":      {&nightbellv1.ListIncidentsRequest{Tag: []string{"zone:a"}, Since: late, Until: early}, 110},
	} {
		for _, page := range []string{"first", "next"} {
			if read, sequential := c.rowsRead(t, asked.request); read > asked.most || sequential {
				t.Errorf("%s, %s page: %v incidents are read, for a page of 50; at most %v should be (sequentially: %v)", name, page, read, asked.most, sequential)
			}
			if asked.request.Cursor = c.next(t, asked.request); asked.request.Cursor == "" {
				break
			}
		}
	}
}

// TestWhatFitsFewOfManyIsFoundByItsCursors reads a list to its end of which each page looks through a
// part only: three incidents among 50,000, the last of them the oldest.
func TestWhatFitsFewOfManyIsFoundByItsCursors(t *testing.T) {
	t.Parallel()
	c := newCrowd(t)
	c.Exec(t, `UPDATE incident SET assignee_id = $2, details = '{"tags": {"zone": "b"}}' WHERE org_id = $1`, c.org, c.person)
	c.Exec(t, `UPDATE incident SET severity = 'low', urgency = 'low', assignee_id = NULL, details = '{"tags": {"zone": "a"}}' WHERE org_id = $1 AND number IN (400, 30000, 50000)`, c.org)
	c.Exec(t, `ANALYZE`)
	for name, asked := range map[string]*nightbellv1.ListIncidentsRequest{
		"severity": {Severity: []string{"low"}},
		"urgency":  {Urgency: []string{"low"}},
		"tag":      {Tag: []string{"zone:a"}},
		"nobody":   {AssigneeId: []string{"none"}},
		"oldest":   {Severity: []string{"low"}, Sort: "triggered_at"},
		"parts":    {Severity: []string{"low"}, Status: []string{"triggered", "resolved"}},
	} {
		var numbers []int32
		pages := 0
		for ; pages == 0 || asked.Cursor != ""; pages++ {
			if read, sequential := c.rowsRead(t, asked); read > 20_000 || sequential {
				t.Errorf("%s: page %d reads %v incidents (sequentially: %v)", name, pages+1, read, sequential)
			}
			var response *nightbellv1.ListIncidentsResponse
			err := c.InTenant(t.Context(), c.org, func(ctx context.Context, tx pgx.Tx) (err error) {
				response, err = List(ctx, tx, c.org, asked)
				return err
			}, postgres.InOrder())
			if err != nil {
				t.Fatal(err)
			}
			for _, incident := range response.GetIncidents() {
				numbers = append(numbers, incident.GetNumber())
			}
			asked.Cursor = response.GetNextCursor()
		}
		if asked.GetSort() != "" {
			slices.Reverse(numbers)
		}
		if !slices.Equal(numbers, []int32{400, 30000, 50000}) || pages < 4 || pages > 6 {
			t.Errorf("%s: %d pages found %v", name, pages, numbers)
		}
	}
}

// TestWhatAFilterNamesIsReadByKeyBesideAnswers: plans of that pool know no values (postgres.InAnswer).
func TestWhatAFilterNamesIsReadByKeyBesideAnswers(t *testing.T) {
	t.Parallel()
	c := newCrowd(t)
	service := pgtest.One[string](t, c.Database, `SELECT min(id::text) FROM service WHERE team_id = $1`, c.team)
	for _, asked := range []struct {
		action, severity, service string
		most                      float64
	}{
		{"acknowledge", "", "", 310},
		{"resolve", "", "", 310},
		{"acknowledge", "low", "", 310},
		{"acknowledge", "", service, 310},
		{"resolve", "high", service, 620},
	} {
		sql, arguments, err := matchingSQL(c.org, asked.action, &nightbellv1.IncidentFilter{
			TriggeredBefore: timestamppb.New(c.newest), Severity: asked.severity, ServiceId: asked.service,
		})
		if err != nil {
			t.Fatal(err)
		}
		values := make([]string, len(arguments))
		for n, argument := range arguments {
			switch argument := argument.(type) {
			case time.Time:
				values[n] = "'" + argument.Format(time.RFC3339) + "'"
			case []string:
				values[n] = "'{" + strings.Join(argument, ",") + "}'"
			default:
				values[n] = fmt.Sprintf("'%s'", argument)
			}
		}
		err = c.InAnswer(t.Context(), c.org, func(ctx context.Context, tx pgx.Tx) error {
			if _, err := tx.Exec(ctx, "PREPARE matching AS "+sql); err != nil {
				return err
			}
			plan, err := pgtest.Explain(ctx, tx, "EXECUTE matching ("+strings.Join(values, ", ")+")")
			if err != nil {
				return err
			}
			if read, sequential := plan.Of("incident"); read > asked.most || sequential {
				t.Errorf("%+v: %v incidents are read (sequentially: %v)", asked, read, sequential)
			}
			_, err = tx.Exec(ctx, "DEALLOCATE matching")
			return err
		}, postgres.InOrder())
		if err != nil {
			t.Fatal(err)
		}
	}
}

// rowsRead is how many rows of incidents a page reads, with those that no condition let through.
func (c *crowd) rowsRead(t *testing.T, request *nightbellv1.ListIncidentsRequest) (read float64, sequential bool) {
	t.Helper()
	err := c.InTenant(t.Context(), c.org, func(ctx context.Context, tx pgx.Tx) error {
		query, err := listQuery(c.org, request)
		if err != nil {
			return err
		}
		plan, err := pgtest.Explain(ctx, tx, query.page(51, 0), query.arguments...)
		read, sequential = plan.Of("incident")
		return err
	}, postgres.InOrder())
	if err != nil {
		t.Fatal(err)
	}
	return read, sequential
}

func (c *crowd) next(t *testing.T, request *nightbellv1.ListIncidentsRequest) (cursor string) {
	t.Helper()
	err := c.InTenant(t.Context(), c.org, func(ctx context.Context, tx pgx.Tx) error {
		response, err := List(ctx, tx, c.org, request)
		cursor = response.GetNextCursor()
		return err
	}, postgres.InOrder())
	if err != nil {
		t.Fatal(err)
	}
	return cursor
}

// TestStoringAnIncidentWritesToNoIndexOfFilters counts what 1,000 new incidents write with and without
// these indexes; an index that they are in writes at least as many records more.
func TestStoringAnIncidentWritesToNoIndexOfFilters(t *testing.T) {
	t.Parallel()
	db := pgtest.New(t)
	org := uuid.New()
	db.Exec(t, `INSERT INTO org (id, kind, name, created_at) VALUES ($1, 'organization', 'Acme', nightbell_now())`, org)
	owner := db.Owner(t)
	run := func(sql string) {
		if _, err := owner.Exec(t.Context(), sql); err != nil {
			t.Fatal(err)
		}
	}
	records := func(sql string, arguments ...any) float64 {
		plan, err := pgtest.Explain(t.Context(), owner, sql, arguments...)
		if err != nil {
			t.Fatal(err)
		}
		return plan.Number("WAL Records")
	}
	const store = `INSERT INTO incident (org_id, id, number, incident_key, title, status, severity, urgency, source, triggered_at, updated_at)
		SELECT $1, gen_random_uuid(), n, 'alert:' || n, 'Incident', 'triggered', 'high', 'high', 'prometheus', nightbell_now(), nightbell_now()
		FROM generate_series($2::integer, $2::integer + 999) n`
	const resolve = `UPDATE incident SET status = 'resolved', resolved_at = nightbell_now() WHERE status = 'triggered'`
	run("SET ROLE nightbell_system")
	stored, resolved := records(store, org, 1), records(resolve)
	run("RESET ROLE")
	run("DROP INDEX incident_assignee_idx, incident_key_idx")
	run("SET ROLE nightbell_system")
	bare, bareResolved := records(store, org, 1001), records(resolve)
	t.Logf("1,000 incidents write %v records, %v without the indexes; resolving them %v and %v", stored, bare, resolved, bareResolved)
	if stored > bare+500 {
		t.Errorf("storing 1,000 incidents writes %v records, %v without the indexes of filters", stored, bare)
	}
}

// TestAlertsOfAnIncidentAreReadWithoutTheirRepeats: 100 alerts that came 1,000 times each, half of
// which have moved on to a later incident.
func TestAlertsOfAnIncidentAreReadWithoutTheirRepeats(t *testing.T) {
	t.Parallel()
	db := pgtest.New(t)
	org, service, asked, later := uuid.New(), uuid.New(), uuid.New(), uuid.New()
	db.Exec(t, `INSERT INTO org (id, kind, name, created_at) VALUES ($1, 'organization', 'Acme', nightbell_now())`, org)
	db.Exec(t, `INSERT INTO service (org_id, id, name, created_at, updated_at) VALUES ($1, $2, 'Checkout', nightbell_now(), nightbell_now())`, org, service)
	for number, incident := range []uuid.UUID{asked, later} {
		db.Exec(t, `INSERT INTO incident (org_id, id, number, title, status, severity, urgency, source, triggered_at, updated_at)
			VALUES ($1, $2, $3, 'Slow', 'triggered', 'high', 'high', 'prometheus', nightbell_now(), nightbell_now())`, org, incident, number+1)
	}
	db.Exec(t, `INSERT INTO alert (org_id, id, service_id, alert_key, status, severity, source, title, starts_at, start_known, incident_id, first_seen_at, last_seen_at)
		SELECT $1, gen_random_uuid(), $2, n, 'firing', 'high', 'prometheus', 'Slow', nightbell_now(), true, CASE WHEN n % 2 = 0 THEN $3::uuid ELSE $4::uuid END, nightbell_now(), nightbell_now()
		FROM generate_series(1, 100) n`, org, service, asked, later)
	db.Exec(t, `INSERT INTO alert_event (org_id, alert_id, incident_id, status, occurrences, received_at, event_status)
		SELECT org_id, id, $2, 'firing', 1, nightbell_now() - n * interval '1 minute', 'deduplicated' FROM alert, generate_series(1, 1000) n WHERE org_id = $1`, org, asked)
	db.Exec(t, `INSERT INTO alert_event (org_id, incident_id, status, occurrences, received_at) VALUES ($1, $2, 'acknowledged', 1, nightbell_now())`, org, asked)
	db.Exec(t, `ANALYZE`)
	one := pgtest.One[uuid.UUID](t, db, `SELECT id FROM alert WHERE org_id = $1 AND incident_id = $2 LIMIT 1`, org, later)
	for name, query := range map[string]struct {
		sql       string
		arguments []any
		most      float64
	}{
		"all":         {alertsOf, []any{org, asked}, 500},
		"one":         {oneAlertOf, []any{org, asked, one}, 10},
		"occurrences": {reportSQL, []any{org, asked, one}, 1000},
	} {
		var plan pgtest.Plan
		err := db.InTenant(t.Context(), org, func(ctx context.Context, tx pgx.Tx) (err error) {
			plan, err = pgtest.Explain(ctx, tx, query.sql, query.arguments...)
			return err
		})
		if err != nil {
			t.Fatal(err)
		}
		read, _ := plan.Of("alert_event")
		t.Logf("%s: %v rows of alert_event, %v buffers, %v ms", name, read, plan.Blocks(), plan.Number("Actual Total Time"))
		if read > query.most {
			t.Errorf("%s: it reads %v rows of alert_event", name, read)
		}
	}
	err := db.InTenant(t.Context(), org, func(ctx context.Context, tx pgx.Tx) error {
		response, err := Alerts(ctx, tx, org, asked, false, uuid.Max, 1000)
		if len(response.GetAlerts()) != 100 || response.GetTotalCount() != 100 || response.GetFiringCount() != 50 {
			t.Errorf("%d alerts, counted %d, %d of them firing", len(response.GetAlerts()), response.GetTotalCount(), response.GetFiringCount())
		}
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
}
