// Package pagingtest is the workspace that tests of the page path share: an organization
// with people, a policy and a service, and the parts of the server that page for it.
package pagingtest

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
	"github.com/nightbell/nightbell/api/internal/incident"
	"github.com/nightbell/nightbell/api/internal/intake"
	"github.com/nightbell/nightbell/api/internal/kernel/fault"
	"github.com/nightbell/nightbell/api/internal/kernel/id"
	"github.com/nightbell/nightbell/api/internal/notify"
	"github.com/nightbell/nightbell/api/internal/paging"
	"github.com/nightbell/nightbell/api/internal/platform/postgres"
	"github.com/nightbell/nightbell/api/internal/platform/postgres/pgtest"
	"github.com/nightbell/nightbell/api/internal/respond"
)

// Workspace is an organization with two people: Ada is paged first, Bob five minutes
// later, and nothing repeats.
type Workspace struct {
	*pgtest.Database
	Org, Ada, Bob, Policy, Service uuid.UUID
	Route                          catalog.Route
	Intake                         *intake.Intake
	Responder                      *respond.Responder
	Escalator                      *paging.Escalator
	PagesHinted, ChangesHinted     atomic.Int32
}

// New makes a workspace in a database of its own, and runs an intake on it.
func New(t *testing.T) *Workspace {
	t.Helper()
	w := &Workspace{Database: pgtest.New(t)}
	w.Fill(t)
	w.Start(t)
	return w
}

// Start runs a replica of Nightbell on the workspace's database.
func (w *Workspace) Start(t *testing.T) {
	t.Helper()
	quiet := slog.New(slog.DiscardHandler)
	signals := paging.Signals{
		Pages:   func(...notify.Kind) { w.PagesHinted.Add(1) },
		Changed: func(uuid.UUID) { w.ChangesHinted.Add(1) },
	}
	w.Intake = intake.NewIntake(w.DB, quiet, signals)
	w.Responder = respond.NewResponder(w.DB, signals)
	w.Escalator = paging.NewEscalator(w.DB, postgres.Sweep, quiet, signals)
	ctx, cancel := context.WithCancel(context.WithoutCancel(t.Context()))
	done := make(chan struct{})
	own := w.Intake // another replica may be started before this one runs
	go func() { own.Run(ctx); close(done) }()
	t.Cleanup(func() { cancel(); <-done })
}

// Fill writes the rows of the workspace and gives it fresh ids, so that a database
// can hold several.
func (w *Workspace) Fill(t *testing.T) {
	t.Helper()
	w.Org, w.Ada, w.Bob, w.Policy, w.Service = id.New(), id.New(), id.New(), id.New(), id.New()
	w.Exec(t, `INSERT INTO org (id, kind, name, created_at) VALUES ($1, 'organization', 'Acme', nightbell_now())`, w.Org)
	w.Person(t, w.Ada, "Ada", "owner")
	w.Person(t, w.Bob, "Bob", "responder")
	w.Exec(t, `INSERT INTO escalation_policy (org_id, id, name, created_at, updated_at) VALUES ($1, $2, 'Default', nightbell_now(), nightbell_now())`, w.Org, w.Policy)
	for position, person := range []uuid.UUID{w.Ada, w.Bob} {
		w.Exec(t, `INSERT INTO escalation_step (org_id, policy_id, position, delay_seconds) VALUES ($1, $2, $3, 300)`, w.Org, w.Policy, position)
		w.Exec(t, `INSERT INTO escalation_target (org_id, policy_id, step_position, position, kind, user_id) VALUES ($1, $2, $3, 0, 'user', $4)`,
			w.Org, w.Policy, position, person)
	}
	w.Exec(t, `UPDATE org SET default_policy_id = $2 WHERE id = $1`, w.Org, w.Policy)
	w.Exec(t, `INSERT INTO service (org_id, id, name, created_at, updated_at) VALUES ($1, $2, 'Checkout', nightbell_now(), nightbell_now())`, w.Org, w.Service)
	w.Route = catalog.Route{OrgID: w.Org, ServiceID: w.Service, ServiceName: "Checkout", PolicyID: w.Policy, Grouping: catalog.ByGroup}
}

// Person adds a member with an e-mail address by which they are paged at once.
func (w *Workspace) Person(t *testing.T, userID uuid.UUID, name, role string) {
	t.Helper()
	w.Exec(t, `INSERT INTO users (id, name, email, password_hash, created_at) VALUES ($1::uuid, $2, $1::text || '@example.com', 'x', nightbell_now())`, userID, name)
	w.Exec(t, `INSERT INTO membership (org_id, user_id, role, created_at) VALUES ($1, $2, $3, nightbell_now())`, w.Org, userID, role)
	contact := id.New()
	w.Exec(t, `INSERT INTO contact_method (org_id, id, user_id, kind, name, address, created_at)
		VALUES ($1, $2, $3::uuid, 'email', 'Work', $3::text || '@example.com', nightbell_now())`, w.Org, contact, userID)
	for _, urgency := range []string{"high", "low"} {
		w.Exec(t, `INSERT INTO notification_rule (org_id, id, user_id, contact_method_id, urgency, created_at) VALUES ($1, $2, $3, $4, $5, nightbell_now())`,
			w.Org, id.New(), userID, contact, urgency)
	}
}

// Began is when the alerts of tests began to fire.
var Began = time.Date(2026, 3, 25, 3, 8, 14, 0, time.UTC)

// Firing is a critical alert as Prometheus sends it.
func Firing(key, group string, startsAt time.Time) alert.Received {
	return alert.Received{
		Key: key, Group: group, GroupTitle: group, Status: alert.Firing, Severity: alert.Critical,
		Source: "prometheus", Title: "Latency of " + key, StartsAt: startsAt, Count: 1,
	}
}

// Ended is the end of a Firing alert, a minute after its start.
func Ended(key, group string, startsAt time.Time) alert.Received {
	r := Firing(key, group, startsAt)
	r.Status, r.EndsAt = alert.Resolved, startsAt.Add(time.Minute)
	return r
}

// Accept sends alerts to the service, and fails the test unless they are stored. What a busy machine was
// too slow for is sent again, as senders do.
func (w *Workspace) Accept(t *testing.T, alerts ...alert.Received) {
	t.Helper()
	for try := 1; ; try++ {
		err := w.Intake.Accept(t.Context(), w.Route, alert.Batch{Alerts: alerts})
		if err == nil {
			return
		}
		if refusal, ok := fault.Of(err); !ok || refusal.Kind != fault.Unavailable || try == 10 || t.Context().Err() != nil {
			t.Fatalf("accept: %v", err)
		}
	}
}

// Sweep pages every step that is due.
func (w *Workspace) Sweep(t *testing.T) {
	t.Helper()
	for again := true; again; {
		var err error
		if again, err = w.Escalator.Sweep(t.Context()); err != nil {
			t.Fatalf("sweep: %v", err)
		}
	}
}

// Incidents gives "status severity alerts" of each incident in the order of numbers.
func (w *Workspace) Incidents(t *testing.T) []string {
	t.Helper()
	return w.Texts(t, `SELECT status || ' ' || severity || ' ' || alert_count FROM incident WHERE org_id = $1 ORDER BY number`, w.Org)
}

// Pages gives "person state" of each notification in the order of steps.
func (w *Workspace) Pages(t *testing.T) []string {
	t.Helper()
	return w.Texts(t, `SELECT u.name || ' ' || n.state FROM notification n JOIN users u ON u.id = n.user_id
		WHERE n.org_id = $1 ORDER BY n.incident_id, n.round, n.step, n.due_at`, w.Org)
}

// Kinds gives the kinds of all lines of the timeline in their order.
func (w *Workspace) Kinds(t *testing.T) []string {
	t.Helper()
	return w.Texts(t, `SELECT kind FROM timeline_event WHERE org_id = $1 ORDER BY seq`, w.Org)
}

// Texts gives the rows of a query that selects one text, as the tenant sees them.
func (w *Workspace) Texts(t *testing.T, sql string, args ...any) []string {
	t.Helper()
	var texts []string
	err := w.InTenant(t.Context(), w.Org, func(ctx context.Context, tx pgx.Tx) error {
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

// OnlyIncident gives the id of the only incident there is.
func (w *Workspace) OnlyIncident(t *testing.T) uuid.UUID {
	t.Helper()
	return pgtest.One[uuid.UUID](t, w.Database, `SELECT id FROM incident WHERE org_id = $1`, w.Org)
}

// Respond has Ada say something to the only incident.
func (w *Workspace) Respond(t *testing.T, command incident.Command) {
	t.Helper()
	if err := w.Responder.Respond(t.Context(), w.Org, []uuid.UUID{w.OnlyIncident(t)}, command); err != nil {
		t.Fatal(err)
	}
}

// By is a person as the actor of a command.
func By(person uuid.UUID, name string) incident.Actor {
	return incident.Actor{Kind: incident.User, ID: person, Name: name}
}
