package incidents_test

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
	"github.com/nightbell/nightbell/api/internal/view/incidents"
)

// TestPagesMakeTheWholeList reads lists page by page, by cursor and by offset, and
// compares them with what they are made of.
func TestPagesMakeTheWholeList(t *testing.T) {
	t.Parallel()
	db := pgtest.New(t)
	org := uuid.New()
	db.Exec(t, `INSERT INTO org (id, kind, name, created_at) VALUES ($1, 'organization', 'Acme', nightbell_now())`, org)
	service := uuid.New()
	db.Exec(t, `INSERT INTO service (org_id, id, name, created_at, updated_at) VALUES ($1, $2, 'Checkout', nightbell_now(), nightbell_now())`, org, service)
	// Three begin in each minute, so that their ids decide.
	db.Exec(t, `INSERT INTO incident (org_id, id, service_id, number, title, status, severity, urgency, source, acknowledged_at, resolved_at, triggered_at, updated_at)
		SELECT $1, gen_random_uuid(), CASE WHEN n % 2 = 0 THEN $2::uuid END, n, 'Incident ' || n, status, (ARRAY['critical', 'low'])[1 + n % 2], 'high', 'api',
		       CASE status WHEN 'acknowledged' THEN at END, CASE status WHEN 'resolved' THEN at END, at, at
		FROM (SELECT n, (ARRAY['triggered', 'acknowledged', 'resolved', 'resolved', 'resolved'])[1 + n % 5] AS status,
		             nightbell_now() - n / 3 * interval '1 minute' AS at FROM generate_series(1, 100) n) made`, org, service)
	for _, filter := range []struct{ status, severity, text, condition string }{
		{"", "", "", "true"},
		{"open", "", "", "status <> 'resolved'"},
		{"open", "critical", "", "status <> 'resolved' AND severity = 'critical'"},
		{"triggered", "", "", "status = 'triggered'"},
		{"triggered resolved", "", "", "status IN ('triggered', 'resolved')"},
		{"resolved open", "high low", "", "severity IN ('high', 'low')"},
		{"triggered triggered", "critical low", "", "status = 'triggered' AND severity IN ('critical', 'low')"},
		{"resolved", "low", "", "status = 'resolved' AND severity = 'low'"},
		{"", "", "incident", "true"},
		{"", "", "dent 1", "title LIKE 'Incident 1%'"},
		{"open", "", "DENT 2", "title LIKE 'Incident 2%' AND status <> 'resolved'"},
		{"", "", "dent_1", "false"},
		{"", "", "checko", "service_id IS NOT NULL"},
	} {
		t.Run(fmt.Sprint(filter.status, " ", filter.severity, " ", filter.text), func(t *testing.T) {
			whole := pgtest.One[[]string](t, db, `SELECT coalesce(array_agg(id::text ORDER BY triggered_at DESC, id DESC), '{}') FROM incident WHERE `+filter.condition)
			for _, options := range [][]postgres.TxOption{nil, {postgres.InOrder()}} {
				list := func(request *nightbellv1.ListIncidentsRequest) (page []string, next string) {
					request.Status, request.Severity = strings.Fields(filter.status), strings.Fields(filter.severity)
					request.Text, request.Limit = filter.text, 7
					return listed(t, db, org, request, options...)
				}
				var byCursor, byOffset []string
				for page, next := list(&nightbellv1.ListIncidentsRequest{}); ; page, next = list(&nightbellv1.ListIncidentsRequest{Cursor: next}) {
					byCursor = append(byCursor, page...)
					if next == "" {
						break
					}
				}
				for len(byOffset) < len(whole) {
					page, _ := list(&nightbellv1.ListIncidentsRequest{Offset: int32(len(byOffset))})
					if len(page) == 0 {
						break
					}
					byOffset = append(byOffset, page...)
				}
				if !slices.Equal(byCursor, whole) || !slices.Equal(byOffset, whole) {
					t.Errorf("the whole list is\n%v, by cursor it is\n%v, by offset\n%v", whole, byCursor, byOffset)
				}
			}
		})
	}
}

func listed(t *testing.T, db *pgtest.Database, org uuid.UUID, request *nightbellv1.ListIncidentsRequest, options ...postgres.TxOption) (ids []string, next string) {
	t.Helper()
	err := db.InTenant(t.Context(), org, func(ctx context.Context, tx pgx.Tx) error {
		response, err := incidents.List(ctx, tx, org, request)
		for _, incident := range response.GetIncidents() {
			ids = append(ids, incident.GetId())
			if want := []string{"Checkout", ""}[incident.GetNumber()%2]; incident.GetServiceName() != want || (incident.GetService() == nil) != (want == "") {
				t.Errorf("%s is about %q, want %q", incident.GetTitle(), incident.GetServiceName(), want)
			}
		}
		next = response.GetNextCursor()
		return err
	}, append(options, postgres.ReadOnly())...)
	if err != nil {
		t.Fatal(err)
	}
	return ids, next
}

// TestAnActionByFilterIsAboutWhatTheCallerCanHaveSeen leaves later incidents, and those
// that the action does not apply to, alone.
func TestAnActionByFilterIsAboutWhatTheCallerCanHaveSeen(t *testing.T) {
	t.Parallel()
	db := pgtest.New(t)
	org, service := uuid.New(), uuid.New()
	db.Exec(t, `INSERT INTO org (id, kind, name, created_at) VALUES ($1, 'organization', 'Acme', nightbell_now())`, org)
	db.Exec(t, `INSERT INTO service (org_id, id, name, created_at, updated_at) VALUES ($1, $2, 'Checkout', nightbell_now(), nightbell_now())`, org, service)
	db.Exec(t, `INSERT INTO incident (org_id, id, service_id, number, title, status, severity, urgency, source, acknowledged_at, resolved_at, triggered_at, updated_at)
		SELECT $1, gen_random_uuid(), CASE WHEN n % 2 = 0 THEN $2::uuid END, n, n, status, (ARRAY['critical', 'low'])[1 + n / 6 % 2], 'high', 'api',
		       CASE status WHEN 'acknowledged' THEN at END, CASE status WHEN 'resolved' THEN at END, at, at
		FROM (SELECT n, (ARRAY['triggered', 'acknowledged', 'resolved'])[1 + n % 3] AS status,
		             '2026-03-25 03:00Z'::timestamptz + n * interval '1 second' AS at FROM generate_series(1, 60) n) made`, org, service)
	seen := time.Date(2026, 3, 25, 3, 0, 40, 0, time.UTC)
	for _, c := range []struct{ action, severity, service, condition string }{
		{"acknowledge", "", "", "status = 'triggered'"},
		{"resolve", "", "", "status <> 'resolved'"},
		{"acknowledge", "critical", "", "status = 'triggered' AND severity = 'critical'"},
		{"resolve", "", service.String(), "status <> 'resolved' AND service_id IS NOT NULL"},
		{"resolve", "", "no id", "false"},
	} {
		var got []string
		err := db.InTenant(t.Context(), org, func(ctx context.Context, tx pgx.Tx) error {
			ids, _, err := incidents.Matching(ctx, tx, org, c.action, &nightbellv1.IncidentFilter{
				TriggeredBefore: timestamppb.New(seen), Severity: c.severity, ServiceId: c.service,
			})
			for _, found := range ids {
				got = append(got, found.String())
			}
			return err
		}, postgres.InOrder())
		if err != nil {
			t.Fatal(err)
		}
		slices.Sort(got)
		want := pgtest.One[[]string](t, db, `SELECT coalesce(array_agg(id::text ORDER BY id::text), '{}') FROM incident WHERE number <= 40 AND `+c.condition)
		if !slices.Equal(got, want) {
			t.Errorf("%s %s %s: %d incidents, want %d", c.action, c.severity, c.service, len(got), len(want))
		}
	}
}

// TestListsSayWhatIsToBeAcknowledgedAgain: a row of a list offers what the incident's own
// screen does.
func TestListsSayWhatIsToBeAcknowledgedAgain(t *testing.T) {
	t.Parallel()
	db := pgtest.New(t)
	org := uuid.New()
	db.Exec(t, `INSERT INTO org (id, kind, name, created_at) VALUES ($1, 'organization', 'Acme', nightbell_now())`, org)
	db.Exec(t, `INSERT INTO incident (org_id, id, number, title, status, severity, urgency, source, acknowledged_at, acknowledged_severity, triggered_at, updated_at)
		SELECT $1, gen_random_uuid(), n, coalesce(before, 'not') || ' before', status, 'high', 'high', 'api', CASE status WHEN 'acknowledged' THEN nightbell_now() END, before, nightbell_now(), nightbell_now()
		FROM (VALUES (1, 'acknowledged', 'low'), (2, 'acknowledged', 'high'), (3, 'acknowledged', 'critical'), (4, 'triggered', NULL)) made (n, status, before)`, org)
	var wanted []string
	err := db.InTenant(t.Context(), org, func(ctx context.Context, tx pgx.Tx) error {
		response, err := incidents.List(ctx, tx, org, &nightbellv1.ListIncidentsRequest{})
		for _, i := range response.GetIncidents() {
			if i.GetConfirmationWanted() {
				wanted = append(wanted, i.GetTitle())
			}
		}
		return err
	}, postgres.InOrder())
	if err != nil || !slices.Equal(wanted, []string{"low before"}) {
		t.Errorf("%q, %v", wanted, err)
	}
}

// TestAKeyFindsTheIncidentThatHasItsAlerts: its own, and the one into which that was merged, each once.
func TestAKeyFindsTheIncidentThatHasItsAlerts(t *testing.T) {
	t.Parallel()
	db := pgtest.New(t)
	org := uuid.New()
	db.Exec(t, `INSERT INTO org (id, kind, name, created_at) VALUES ($1, 'organization', 'Acme', nightbell_now())`, org)
	made := []struct {
		key, status string
		into        int // 0 for none
	}{
		{"queue", "resolved", 2},
		{"database", "triggered", 0},
		{"queue", "resolved", 4},
		{"", "resolved", 0}, // somebody declared it
		{"queue", "resolved", 6},
		{"queue", "resolved", 0},
		{"other", "acknowledged", 0},
	}
	for n, one := range made {
		db.Exec(t, `INSERT INTO incident (org_id, id, number, incident_key, title, status, severity, urgency, source, acknowledged_at, resolved_at, triggered_at, updated_at)
			SELECT $1, gen_random_uuid(), $2::int, 'alert:' || nullif($3, ''), 'Incident', $4, 'high', 'high', 'api', CASE $4 WHEN 'acknowledged' THEN at END,
			       CASE $4 WHEN 'resolved' THEN at END, at, at FROM (SELECT nightbell_now() + $2::int * interval '1 second' AS at) began`, org, n+1, one.key, one.status)
	}
	for n, one := range made {
		db.Exec(t, `UPDATE incident m SET merged_into_id = o.id FROM incident o WHERE m.org_id = $1 AND m.number = $2 AND o.org_id = $1 AND o.number = $3`, org, n+1, one.into)
	}
	for _, c := range []struct{ key, status, want string }{
		{"queue", "", "[6 5 4 3 2 1]"},
		{"queue", "open", "[2]"},
		{"queue", "triggered resolved", "[6 5 4 3 2 1]"},
		{"queue", "acknowledged", "[]"},
		{"queue", "resolved", "[6 5 4 3 1]"},
		{"database", "", "[2]"},
		{"queue other", "open", "[7 2]"},
	} {
		var got []int32
		err := db.InTenant(t.Context(), org, func(ctx context.Context, tx pgx.Tx) error {
			response, err := incidents.List(ctx, tx, org, &nightbellv1.ListIncidentsRequest{DedupKey: strings.Fields(c.key), Status: strings.Fields(c.status)})
			for _, incident := range response.GetIncidents() {
				got = append(got, incident.GetNumber())
			}
			return err
		}, postgres.InOrder())
		if err != nil || fmt.Sprint(got) != c.want {
			t.Errorf("%s, %q: %v, want %s (%v)", c.key, c.status, got, c.want, err)
		}
	}
}
