package escalationrpc_test

import (
	"context"
	"strings"
	"testing"

	"github.com/google/uuid"

	nightbellv1 "github.com/nightbell/nightbell/api/gen/nightbell/v1"
	"github.com/nightbell/nightbell/api/internal/auth"
	"github.com/nightbell/nightbell/api/internal/escalation/escalationrpc"
	"github.com/nightbell/nightbell/api/internal/kernel/fault"
	"github.com/nightbell/nightbell/api/internal/kernel/id"
	"github.com/nightbell/nightbell/api/internal/platform/postgres/pgtest"
)

// desk is an organization with an owner, a service that uses the default policy, and
// another service.
type desk struct {
	*pgtest.Database
	org, owner, checkout, search uuid.UUID
	policies                     *escalationrpc.Handler
	maintenance                  *escalationrpc.Maintenance
	ctx                          context.Context
}

func newDesk(t *testing.T) *desk {
	t.Helper()
	d := &desk{Database: pgtest.New(t), org: id.New(), owner: id.New(), checkout: id.New(), search: id.New()}
	d.policies, d.maintenance = escalationrpc.New(d.DB, true), escalationrpc.NewMaintenance(d.DB)
	d.ctx = auth.WithActor(t.Context(), auth.Actor{Kind: auth.User, UserID: d.owner, OrgID: d.org, Role: auth.Owner})
	d.Exec(t, `INSERT INTO org (id, kind, name, created_at) VALUES ($1, 'organization', 'Acme', nightbell_now())`, d.org)
	d.Exec(t, `INSERT INTO users (id, name, email, password_hash, created_at) VALUES ($1, 'Mara', 'mara@example.com', 'x', nightbell_now())`, d.owner)
	d.Exec(t, `INSERT INTO membership (org_id, user_id, role, created_at) VALUES ($1, $2, 'owner', nightbell_now())`, d.org, d.owner)
	d.Exec(t, `INSERT INTO contact_method (org_id, id, user_id, kind, name, address, hint, created_at, verified_at)
		VALUES ($1, $2, $3, 'email', 'Work', 'mara@example.com', 'mara@example.com', nightbell_now(), nightbell_now())`, d.org, id.New(), d.owner)
	for service, name := range map[uuid.UUID]string{d.checkout: "Checkout", d.search: "Search"} {
		d.Exec(t, `INSERT INTO service (org_id, id, name, created_at, updated_at) VALUES ($1, $2, $3, nightbell_now(), nightbell_now())`, d.org, service, name)
	}
	return d
}

func (d *desk) steps() []*nightbellv1.EscalationStep {
	return []*nightbellv1.EscalationStep{{
		DelaySeconds: 300, Assignment: "round_robin", Severities: []string{"critical", "high"},
		Targets: []*nightbellv1.EscalationTarget{{Kind: "user", Id: d.owner.String()}},
		Windows: []*nightbellv1.TimeWindow{{Days: []string{"saturday", "sunday"}, From: "20:00", To: "08:00"}, {From: "12:30", To: "12:30"}},
	}}
}

// refused asserts a refusal of a field.
func refused(t *testing.T, err error, kind fault.Kind, words string) {
	t.Helper()
	refusal, ok := fault.Of(err)
	if !ok || refusal.Kind != kind || !strings.Contains(refusal.Message, words) {
		t.Errorf("got %v, want a refusal about %q", err, words)
	}
}

func (d *desk) member(t *testing.T, name string) uuid.UUID {
	t.Helper()
	made := id.New()
	d.Exec(t, `INSERT INTO users (id, name, email, password_hash, created_at) VALUES ($1, $2::text, lower($2::text) || '@example.com', 'x', nightbell_now())`, made, name)
	d.Exec(t, `INSERT INTO membership (org_id, user_id, role, created_at) VALUES ($1, $2, 'responder', nightbell_now())`, d.org, made)
	return made
}

func (d *desk) texts(t *testing.T, sql string) (texts []string) {
	t.Helper()
	return strings.Split(pgtest.One[string](t, d.Database, `SELECT string_agg(line, '|') FROM (`+sql+`) AS lines(line)`), "|")
}

func namesOf(list []*nightbellv1.Reference) string {
	names := make([]string, len(list))
	for i, one := range list {
		names[i] = one.GetName()
	}
	return strings.Join(names, ", ")
}
