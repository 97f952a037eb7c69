package demo_test

import (
	"bytes"
	"context"
	"fmt"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"

	"github.com/nightbell/nightbell/api/internal/alert"
	"github.com/nightbell/nightbell/api/internal/auth"
	"github.com/nightbell/nightbell/api/internal/catalog"
	"github.com/nightbell/nightbell/api/internal/catalog/catalogdb"
	"github.com/nightbell/nightbell/api/internal/demo"
	"github.com/nightbell/nightbell/api/internal/incident"
	"github.com/nightbell/nightbell/api/internal/platform/postgres"
	"github.com/nightbell/nightbell/api/internal/platform/postgres/pgtest"
	"github.com/nightbell/nightbell/api/internal/platform/secret"
)

const password = "k3pt-with-the-data"

func workspace(t *testing.T, db *postgres.DB) demo.Workspace {
	t.Helper()
	box, err := secret.NewBox(bytes.Repeat([]byte{7}, secret.KeySize))
	if err != nil {
		t.Fatal(err)
	}
	hashes, err := auth.NewHasher(auth.HashCost{MemoryKiB: 64, Passes: 1})
	if err != nil {
		t.Fatal(err)
	}
	return demo.Workspace{DB: db, Box: box, Hasher: hashes}
}

// seeded is a database with the demo workspace, whose clock stands still.
func seeded(t *testing.T) (*pgtest.Database, demo.Workspace, demo.Account) {
	t.Helper()
	db := pgtest.New(t)
	db.Clock.Freeze(time.Date(2026, 3, 25, 3, 8, 14, 123456000, time.UTC))
	w := workspace(t, db.DB)
	account, now, err := w.Seed(t.Context(), password)
	if err != nil || !now {
		t.Fatalf("seed: seeded now %v, %v", now, err)
	}
	return db, w, account
}

// figure is the one number or word that a query yields; $1 is the workspace.
func figure(t *testing.T, db *pgtest.Database, account demo.Account, sql string) string {
	t.Helper()
	return pgtest.One[string](t, db, "SELECT ("+sql+")::text FROM (SELECT $1::uuid) AS workspace", account.OrgID)
}

// The queries are those of the package comment; week 0 is this one, 1 the last.
func weekly(aggregate string, weeksBack int) string {
	return fmt.Sprintf(`SELECT %s FROM incident WHERE org_id = $1
		AND triggered_at > nightbell_now() - %d * interval '7 days' AND triggered_at <= nightbell_now() - %d * interval '7 days'`,
		aggregate, weeksBack+1, weeksBack)
}

func TestFiguresAreTheSpecifications(t *testing.T) {
	t.Parallel()
	db, _, account := seeded(t)
	const (
		mtta = "avg(acknowledged_at - triggered_at)"
		mttr = "avg(resolved_at - triggered_at)"
	)
	for name, check := range map[string]struct{ sql, want string }{
		"open":             {`SELECT count(*) FROM incident WHERE org_id = $1 AND status <> 'resolved'`, "3"},
		"closed":           {`SELECT count(*) FROM incident WHERE org_id = $1 AND status = 'resolved'`, "22"},
		"open a week ago":  {`SELECT count(*) FROM incident WHERE org_id = $1 AND triggered_at <= nightbell_now() - interval '7 days' AND (resolved_at IS NULL OR resolved_at > nightbell_now() - interval '7 days')`, "5"},
		"MTTA":             {weekly(mtta, 0), "00:12:45"},
		"MTTA last week":   {weekly(mtta, 1), "00:14:15"},
		"MTTR":             {weekly(mttr, 0), "02:15:00"},
		"MTTR last week":   {weekly(mttr, 1), "02:05:00"},
		"open, as shown":   {`SELECT string_agg(status || ' ' || severity, ', ' ORDER BY triggered_at DESC) FROM incident WHERE org_id = $1 AND status <> 'resolved'`, "triggered critical, acknowledged high, acknowledged high"},
		"schedules":        {`SELECT string_agg(name || ' ' || status, ', ' ORDER BY name) FROM schedule WHERE org_id = $1`, "24/7 Support active, Backup Support active, Holiday Support inactive, Night Shift active, Weekend Coverage active"},
		"connected":        {`SELECT string_agg(kind, ', ' ORDER BY kind) FROM integration WHERE org_id = $1 AND is_active`, "datadog, zendesk"},
		"next number":      {`SELECT last_incident_number + 1 FROM org WHERE id = $1`, "26"},
		"numbers":          {`SELECT min(number) || ' ' || max(number) || ' ' || count(DISTINCT number) FROM incident WHERE org_id = $1`, "1 25 25"},
		"newest incident":  {`SELECT right(id::text, 4) || ' ' || number FROM incident WHERE org_id = $1 ORDER BY triggered_at DESC LIMIT 1`, "c41e 25"},
		"pages to nowhere": {`SELECT count(*) FROM users u JOIN membership m ON m.user_id = u.id WHERE m.org_id = $1 AND u.email NOT LIKE '%.example'`, "0"},
	} {
		if got := figure(t, db, account, check.sql); got != check.want {
			t.Errorf("%s: got %s, want %s", name, got, check.want)
		}
	}
}

// The averages hold for a day after the first start, while nobody adds anything.
func TestAveragesStandForADay(t *testing.T) {
	t.Parallel()
	db, _, account := seeded(t)
	db.Clock.Advance(24 * time.Hour)
	for sql, want := range map[string]string{
		weekly("avg(acknowledged_at - triggered_at)", 0): "00:12:45", weekly("avg(acknowledged_at - triggered_at)", 1): "00:14:15",
		weekly("avg(resolved_at - triggered_at)", 0): "02:15:00", weekly("avg(resolved_at - triggered_at)", 1): "02:05:00",
	} {
		if got := figure(t, db, account, sql); got != want {
			t.Errorf("%s: got %s, want %s", sql, got, want)
		}
	}
}

func TestSixServicesShowEveryHealth(t *testing.T) {
	t.Parallel()
	db, _, account := seeded(t)
	health := map[string]catalog.Health{}
	err := db.InTenant(t.Context(), account.OrgID, func(ctx context.Context, tx pgx.Tx) error {
		listed, err := catalogdb.New(tx).ListServices(ctx, catalogdb.ListServicesParams{OrgID: account.OrgID})
		for _, s := range listed {
			health[s.Name] = incident.HealthOf(alert.Severity(s.WorstSeverity))
		}
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	want := map[string]catalog.Health{
		"Checkout API": catalog.Down, "Authentication Service": catalog.Degraded,
		"Payment Gateway": catalog.Healthy, "Search Index": catalog.Healthy, "Notification Relay": catalog.Healthy, "Data Warehouse": catalog.Healthy,
	}
	if fmt.Sprint(health) != fmt.Sprint(want) {
		t.Errorf("got %v, want %v", health, want)
	}
	of := ` WHERE service_id = (SELECT id FROM service WHERE org_id = $1 AND name = 'Authentication Service')`
	if got := figure(t, db, account, `SELECT string_agg(DISTINCT kind, ' ' ORDER BY kind) FROM change_event`+of); got != "configuration deployment" {
		t.Errorf("recent activity of the Authentication Service: %s", got)
	}
	if got := figure(t, db, account, `SELECT count(*) FROM service_dependency`+of); got == "0" {
		t.Error("the Authentication Service depends on nothing")
	}
}

func TestSeededIncidentsPageNobody(t *testing.T) {
	t.Parallel()
	db, _, account := seeded(t)
	for name, check := range map[string]struct{ sql, want string }{
		"active":               {`SELECT count(*) FROM incident WHERE paging_status = 'active'`, "0"},
		"due":                  {`SELECT count(*) FROM incident WHERE paging_due_at IS NOT NULL`, "0"},
		"without a state":      {`SELECT count(*) FROM incident WHERE paging_status IS NULL`, "0"},
		"not sent":             {`SELECT count(*) FROM notification WHERE state <> 'sent'`, "0"},
		"not accepted":         {`SELECT count(*) FROM delivery WHERE outcome <> 'accepted'`, "0"},
		"unanswered":           {`SELECT paging_status || ': ' || paging_reason FROM incident WHERE status = 'triggered'`, "stopped: sample incident"},
		"after the answer":     {`SELECT count(*) FROM notification n JOIN incident i ON i.id = n.incident_id WHERE n.due_at >= coalesce(i.acknowledged_at, i.resolved_at, nightbell_now())`, "0"},
		"mails in the inbox":   {`SELECT count(*) FROM inbox_mail`, "0"},
		"acknowledged unpaged": {`SELECT count(*) FROM incident i WHERE acknowledged_by IS NOT NULL AND NOT EXISTS (SELECT FROM notification n WHERE n.incident_id = i.id AND n.user_id = i.acknowledged_by AND n.finished_at < i.acknowledged_at)`, "0"},
	} {
		if got := figure(t, db, account, check.sql); got != check.want {
			t.Errorf("%s: got %s, want %s", name, got, check.want)
		}
	}
}

func TestHistoryIsOnePlausibleFeed(t *testing.T) {
	t.Parallel()
	db, _, account := seeded(t)
	for name, check := range map[string]struct{ sql, want string }{
		"feed out of order":       {`SELECT count(*) FROM (SELECT at < lag(at) OVER (ORDER BY seq) AS back FROM timeline_event WHERE org_id = $1) e WHERE back`, "0"},
		"in the future":           {`SELECT count(*) FROM timeline_event WHERE org_id = $1 AND at > nightbell_now()`, "0"},
		"not beginning declared":  {`SELECT count(*) FROM (SELECT DISTINCT ON (incident_id) kind FROM timeline_event WHERE org_id = $1 ORDER BY incident_id, seq) e WHERE kind <> 'declared'`, "0"},
		"resolved without a line": {`SELECT count(*) FROM incident i WHERE org_id = $1 AND status = 'resolved' AND NOT EXISTS (SELECT FROM timeline_event e WHERE e.incident_id = i.id AND e.kind = 'resolved' AND e.at = i.resolved_at)`, "0"},
		"lines after the end":     {`SELECT count(*) FROM incident i JOIN timeline_event e ON e.incident_id = i.id WHERE i.org_id = $1 AND e.at > i.resolved_at`, "0"},
		"alerts of another count": {`SELECT count(*) FROM incident i WHERE org_id = $1 AND alert_count <> (SELECT count(*) FROM alert a WHERE a.incident_id = i.id)`, "0"},
		"firing though resolved":  {`SELECT count(*) FROM incident i JOIN alert a ON a.incident_id = i.id WHERE i.org_id = $1 AND (a.status = 'firing') = (i.status = 'resolved')`, "0"},
		"events lost":             {`SELECT count(*) FROM alert a WHERE org_id = $1 AND occurrence_count <> (SELECT sum(occurrences) FROM alert_event e WHERE e.alert_id = a.id)`, "0"},
		"kinds":                   {`SELECT string_agg(DISTINCT kind, ' ' ORDER BY kind) FROM timeline_event WHERE org_id = $1`, "acknowledged alert_linked assigned comment declared escalated exhausted last_resort paged resolved severity_change"},
		"people without a role":   {`SELECT string_agg(DISTINCT role, ' ' ORDER BY role) FROM membership WHERE org_id = $1`, "admin owner responder viewer"},
	} {
		if got := figure(t, db, account, check.sql); got != check.want {
			t.Errorf("%s: got %s, want %s", name, got, check.want)
		}
	}
}
