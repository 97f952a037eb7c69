package notifyrpc

import (
	"context"
	"errors"
	"fmt"
	"testing"
	"time"

	nightbellv1 "github.com/nightbell/nightbell/api/gen/nightbell/v1"
	"github.com/nightbell/nightbell/api/internal/auth"
	"github.com/nightbell/nightbell/api/internal/kernel/fault"
	"github.com/nightbell/nightbell/api/internal/kernel/id"
	"github.com/nightbell/nightbell/api/internal/notify"
	"github.com/nightbell/nightbell/api/internal/platform/postgres/pgtest"
)

// owner is the context of a call by the owner of a new organization.
func owner(t *testing.T, db *pgtest.Database) context.Context {
	t.Helper()
	orgID, userID := id.New(), id.New()
	db.Exec(t, `INSERT INTO org (id, kind, name, created_at) VALUES ($1, 'organization', 'Acme', nightbell_now())`, orgID)
	db.Exec(t, `INSERT INTO users (id, name, email, password_hash, created_at) VALUES ($1::uuid, 'Ada', $1::text || '@acme.example', 'x', nightbell_now())`, userID)
	db.Exec(t, `INSERT INTO membership (org_id, user_id, role, created_at) VALUES ($1, $2, 'owner', nightbell_now())`, orgID, userID)
	return auth.WithActor(t.Context(), auth.Actor{Kind: auth.User, UserID: userID, OrgID: orgID, Role: auth.Owner})
}

// TestNobodyCanFloodStrangersWithMail: each address that is entered gets a mail, so an
// organization has a share of them a day.
func TestNobodyCanFloodStrangersWithMail(t *testing.T) {
	db := pgtest.New(t)
	ctx := owner(t, db)
	h := New(db.DB, nil, nil, true, 1000)
	var message string
	add := func(n int) (*nightbellv1.ContactMethod, error) {
		made, err := h.CreateContactMethod(ctx, &nightbellv1.CreateContactMethodRequest{
			Kind: "email", Name: "Mail", Address: fmt.Sprintf("stranger%d@example.org", n), Shared: n%2 == 0,
		})
		message = made.GetMessage()
		return made.GetContactMethod(), err
	}
	addedWithoutMail := func(n int) {
		t.Helper()
		made, err := add(n)
		if err != nil || made.GetVerified() || message != linkLater {
			t.Errorf("beyond the share: %+v, %q, %v", made, message, err)
		}
		if pgtest.One[bool](t, db, `SELECT verified_at IS NOT NULL OR verification_due_at IS NOT NULL FROM contact_method WHERE id = $1::text::uuid`, made.GetId()) {
			t.Error("a mail is due to it, or it is paged")
		}
	}
	var first *nightbellv1.ContactMethod
	for n := range notify.VerificationShare.MostBefore {
		made, err := add(n)
		if err != nil || made.GetVerified() || message != "" {
			t.Fatalf("address %d: %+v, %q, %v", n, made, message, err)
		}
		if first == nil {
			first = made
		}
	}
	addedWithoutMail(100)
	if _, err := h.SendVerification(ctx, &nightbellv1.SendVerificationRequest{Id: first.GetId()}); !errors.Is(err, notify.ErrTooManyMails) {
		t.Errorf("sending it again: %v", err)
	}
	db.Exec(t, `UPDATE contact_method SET verified_at = nightbell_now() WHERE id = $1`, first.GetId())
	if answer, err := h.SendVerification(ctx, &nightbellv1.SendVerificationRequest{Id: first.GetId()}); err != nil || !answer.GetVerified() {
		t.Errorf("a verified address: %+v, %v", answer, err)
	}
	for n := notify.VerificationShare.MostBefore; n < notify.VerificationShare.Most; n++ {
		if _, err := add(n); err != nil {
			t.Fatalf("address %d, after one was confirmed: %v", n, err)
		}
	}
	addedWithoutMail(200)
	db.Clock.Advance(24 * time.Hour)
	if _, err := add(201); err != nil || message != "" {
		t.Errorf("on the next day: %q, %v", message, err)
	}
	other := owner(t, db)
	if _, err := h.SendVerification(other, &nightbellv1.SendVerificationRequest{Id: first.GetId()}); !errors.Is(err, errNoContact) {
		t.Errorf("another organization's contact: %v", err)
	}
}

func TestContactsOfAnOrganizationAreCounted(t *testing.T) {
	db := pgtest.New(t)
	ctx, other := owner(t, db), owner(t, db)
	h := New(db.DB, nil, nil, false, 3)
	add := func(ctx context.Context) (string, error) {
		made, err := h.CreateContactMethod(ctx, &nightbellv1.CreateContactMethodRequest{Kind: "email", Name: "Mail", Address: "night@acme.example", Shared: true})
		return made.GetContactMethod().GetId(), err
	}
	var last string
	for range 3 {
		var err error
		if last, err = add(ctx); err != nil {
			t.Fatal(err)
		}
	}
	if _, err := add(ctx); !fault.Is(err, fault.Conflict) {
		t.Errorf("one more than the quota: %v", err)
	}
	if _, err := add(other); err != nil {
		t.Errorf("of another organization: %v", err)
	}
	if _, err := h.DeleteContactMethod(ctx, &nightbellv1.DeleteContactMethodRequest{Id: last}); err != nil {
		t.Fatal(err)
	}
	if _, err := add(ctx); err != nil {
		t.Errorf("after one was deleted: %v", err)
	}
}
