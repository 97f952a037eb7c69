package notifyrpc

import (
	"strings"
	"testing"

	"github.com/google/uuid"

	nightbellv1 "github.com/nightbell/nightbell/api/gen/nightbell/v1"
	"github.com/nightbell/nightbell/api/internal/auth"
	"github.com/nightbell/nightbell/api/internal/kernel/fault"
	"github.com/nightbell/nightbell/api/internal/kernel/id"
	"github.com/nightbell/nightbell/api/internal/platform/postgres/pgtest"
)

// TestWhatPagesByAContactKeepsIt: a channel that a policy pages, and an owner's only
// contact, are not deleted.
func TestWhatPagesByAContactKeepsIt(t *testing.T) {
	db := pgtest.New(t)
	ctx := owner(t, db)
	caller, _ := auth.ActorFrom(ctx)
	h := New(db.DB, nil, nil, false, 100)
	add := func(shared bool) string {
		made, err := h.CreateContactMethod(ctx, &nightbellv1.CreateContactMethodRequest{Kind: "email", Name: "Mail", Address: "night@acme.example", Shared: shared})
		if err != nil {
			t.Fatal(err)
		}
		return made.GetContactMethod().GetId()
	}
	remove := func(contact string) error {
		_, err := h.DeleteContactMethod(ctx, &nightbellv1.DeleteContactMethodRequest{Id: contact})
		return err
	}
	refused := func(err error, words string) {
		t.Helper()
		if refusal, _ := fault.Of(err); refusal == nil || refusal.Kind != fault.Conflict || !strings.Contains(refusal.Message, words) {
			t.Errorf("got %v, want a conflict about %q", err, words)
		}
	}
	channel, policy := add(true), id.New()
	db.Exec(t, `INSERT INTO escalation_policy (org_id, id, name, created_at, updated_at) VALUES ($1, $2, 'Nights', nightbell_now(), nightbell_now())`, caller.OrgID, policy)
	db.Exec(t, `INSERT INTO escalation_step (org_id, policy_id, position, delay_seconds) VALUES ($1, $2, 0, 300)`, caller.OrgID, policy)
	db.Exec(t, `INSERT INTO escalation_target (org_id, policy_id, step_position, position, kind, contact_method_id) VALUES ($1, $2, 0, 0, 'channel', $3)`,
		caller.OrgID, policy, uuid.MustParse(channel))
	refused(remove(channel), "It is paged by the escalation policy Nights.")
	db.Exec(t, `DELETE FROM escalation_target`)
	if err := remove(channel); err != nil {
		t.Errorf("once no policy pages it: %v", err)
	}

	first := add(false)
	refused(remove(first), "this is an owner's only contact")
	add(false)
	if err := remove(first); err != nil {
		t.Errorf("with another contact: %v", err)
	}
}
