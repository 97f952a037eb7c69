package flow_test

import (
	"context"
	"log/slog"
	"sync/atomic"
	"testing"
	"time"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"

	"github.com/nightbell/nightbell/api/internal/alert"
	"github.com/nightbell/nightbell/api/internal/catalog"
	"github.com/nightbell/nightbell/api/internal/flow"
	"github.com/nightbell/nightbell/api/internal/kernel/id"
	"github.com/nightbell/nightbell/api/internal/notify"
	"github.com/nightbell/nightbell/api/internal/platform/postgres/pgtest"
)

// workspace is an organization with two people: Ada is paged first, Bob five minutes
// later, and nothing repeats.
type workspace struct {
	*pgtest.Database
	org, ada, bob, policy, service uuid.UUID
	route                          catalog.Route
	intake                         *flow.Intake
	responder                      *flow.Responder
	escalator                      *flow.Escalator
	pagesHinted, changesHinted     atomic.Int32
}

func newWorkspace(t *testing.T) *workspace {
	t.Helper()
	w := &workspace{Database: pgtest.New(t)}
	w.fill(t)
	w.start(t)
	return w
}

// start runs a replica of Nightbell on the workspace's database.
func (w *workspace) start(t *testing.T) {
	t.Helper()
	quiet := slog.New(slog.DiscardHandler)
	signals := flow.Signals{
		Pages:   func(...notify.Kind) { w.pagesHinted.Add(1) },
		Changed: func(uuid.UUID) { w.changesHinted.Add(1) },
	}
	w.intake = flow.NewIntake(w.DB, quiet, signals)
	w.responder = flow.NewResponder(w.DB, signals)
	w.escalator = flow.NewEscalator(w.DB, quiet, signals)
	ctx, cancel := context.WithCancel(context.Background())
	done := make(chan struct{})
	go func() { w.intake.Run(ctx); close(done) }()
	t.Cleanup(func() { cancel(); <-done })
}

// fill writes the rows of the workspace and gives it fresh ids, so that a database
// can hold several.
func (w *workspace) fill(t *testing.T) {
	t.Helper()
	w.org, w.ada, w.bob, w.policy, w.service = id.New(), id.New(), id.New(), id.New(), id.New()
	w.Exec(t, `INSERT INTO org (id, kind, name, created_at) VALUES ($1, 'organization', 'Acme', nightbell_now())`, w.org)
	w.person(t, w.ada, "Ada", "owner")
	w.person(t, w.bob, "Bob", "responder")
	w.Exec(t, `INSERT INTO escalation_policy (org_id, id, name, created_at, updated_at) VALUES ($1, $2, 'Default', nightbell_now(), nightbell_now())`, w.org, w.policy)
	for position, person := range []uuid.UUID{w.ada, w.bob} {
		w.Exec(t, `INSERT INTO escalation_step (org_id, policy_id, position, delay_seconds) VALUES ($1, $2, $3, 300)`, w.org, w.policy, position)
		w.Exec(t, `INSERT INTO escalation_target (org_id, policy_id, step_position, position, kind, user_id) VALUES ($1, $2, $3, 0, 'user', $4)`,
			w.org, w.policy, position, person)
	}
	w.Exec(t, `UPDATE org SET default_policy_id = $2 WHERE id = $1`, w.org, w.policy)
	w.Exec(t, `INSERT INTO service (org_id, id, name, created_at, updated_at) VALUES ($1, $2, 'Checkout', nightbell_now(), nightbell_now())`, w.org, w.service)
	w.route = catalog.Route{OrgID: w.org, ServiceID: w.service, ServiceName: "Checkout", PolicyID: w.policy, Grouping: catalog.ByGroup}
}

func (w *workspace) person(t *testing.T, userID uuid.UUID, name, role string) {
	t.Helper()
	w.Exec(t, `INSERT INTO users (id, name, email, password_hash, created_at) VALUES ($1::uuid, $2, $1::text || '@example.com', 'x', nightbell_now())`, userID, name)
	w.Exec(t, `INSERT INTO membership (org_id, user_id, role, created_at) VALUES ($1, $2, $3, nightbell_now())`, w.org, userID, role)
	contact := id.New()
	w.Exec(t, `INSERT INTO contact_method (org_id, id, user_id, kind, name, address, created_at)
		VALUES ($1, $2, $3::uuid, 'email', 'Work', $3::text || '@example.com', nightbell_now())`, w.org, contact, userID)
	for _, urgency := range []string{"high", "low"} {
		w.Exec(t, `INSERT INTO notification_rule (org_id, id, user_id, contact_method_id, urgency, created_at) VALUES ($1, $2, $3, $4, $5, nightbell_now())`,
			w.org, id.New(), userID, contact, urgency)
	}
}

var began = time.Date(2026, 3, 25, 3, 8, 14, 0, time.UTC)

func firing(key, group string, startsAt time.Time) alert.Received {
	return alert.Received{
		Key: key, Group: group, GroupTitle: group, Status: alert.Firing, Severity: alert.Critical,
		Source: "prometheus", Title: "Latency of " + key, StartsAt: startsAt, Count: 1,
	}
}

func ended(key, group string, startsAt time.Time) alert.Received {
	r := firing(key, group, startsAt)
	r.Status, r.EndsAt = alert.Resolved, startsAt.Add(time.Minute)
	return r
}

func (w *workspace) accept(t *testing.T, alerts ...alert.Received) {
	t.Helper()
	if err := w.intake.Accept(t.Context(), w.route, alert.Batch{Alerts: alerts}); err != nil {
		t.Fatalf("accept: %v", err)
	}
}

func (w *workspace) sweep(t *testing.T) {
	t.Helper()
	for again := true; again; {
		var err error
		if again, err = w.escalator.Sweep(t.Context()); err != nil {
			t.Fatalf("sweep: %v", err)
		}
	}
}

// incidents gives "status severity alerts" of each incident in the order of numbers.
func (w *workspace) incidents(t *testing.T) []string {
	t.Helper()
	return w.texts(t, `SELECT status || ' ' || severity || ' ' || alert_count FROM incident WHERE org_id = $1 ORDER BY number`, w.org)
}

// pages gives "person state" of each notification in the order of steps.
func (w *workspace) pages(t *testing.T) []string {
	t.Helper()
	return w.texts(t, `SELECT u.name || ' ' || n.state FROM notification n JOIN users u ON u.id = n.user_id
		WHERE n.org_id = $1 ORDER BY n.incident_id, n.round, n.step, n.due_at`, w.org)
}

func (w *workspace) kinds(t *testing.T) []string {
	t.Helper()
	return w.texts(t, `SELECT kind FROM timeline_event WHERE org_id = $1 ORDER BY seq`, w.org)
}

func (w *workspace) texts(t *testing.T, sql string, args ...any) []string {
	t.Helper()
	var texts []string
	err := w.InTenant(t.Context(), w.org, func(ctx context.Context, tx pgx.Tx) error {
		rows, err := tx.Query(ctx, sql, args...)
		if err != nil {
			return err
		}
		texts, err = pgx.CollectRows(rows, pgx.RowTo[string])
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return texts
}

func (w *workspace) onlyIncident(t *testing.T) uuid.UUID {
	t.Helper()
	return pgtest.One[uuid.UUID](t, w.Database, `SELECT id FROM incident WHERE org_id = $1`, w.org)
}
