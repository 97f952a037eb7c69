package notifyrpc

import (
	"context"
	"fmt"
	"testing"

	nightbellv1 "github.com/nightbell/nightbell/api/gen/nightbell/v1"
	"github.com/nightbell/nightbell/api/internal/auth"
	"github.com/nightbell/nightbell/api/internal/notify"
	"github.com/nightbell/nightbell/api/internal/platform/postgres/pgtest"
)

// Whoever is no admin leaves the others their share of the day, by the same address again and by new ones.
func TestOnePersonCannotUseUpTheMailsOfTheDay(t *testing.T) {
	db := pgtest.New(t)
	ctx := owner(t, db)
	h := New(db.DB, nil, nil, true, 1000)
	admin, _ := auth.ActorFrom(ctx)
	confirmed := &nightbellv1.CreateContactMethodRequest{Kind: "email", Name: "Mail", Address: "ada@acme.example"}
	if _, err := h.CreateContactMethod(ctx, confirmed); err != nil {
		t.Fatal(err)
	}
	db.Exec(t, `UPDATE contact_method SET verified_at = nightbell_now()`)
	viewer := admin
	viewer.Role = auth.Viewer
	asViewer := auth.WithActor(t.Context(), viewer)
	add := func(n int) *nightbellv1.CreateContactMethodResponse {
		made, err := h.CreateContactMethod(asViewer, &nightbellv1.CreateContactMethodRequest{
			Kind: "email", Name: "Mail", Address: fmt.Sprintf("night%d@acme.example", n),
		})
		if err != nil {
			t.Fatal(err)
		}
		return made
	}
	first := add(0)
	again := &nightbellv1.SendVerificationRequest{Id: first.GetContactMethod().GetId()}
	for range notify.MostMailsOfPerson - 2 {
		if _, err := h.SendVerification(asViewer, again); err != nil {
			t.Fatal(err)
		}
	}
	if made := add(1); made.GetMessage() != "" {
		t.Errorf("the last of the share: %q", made.GetMessage())
	}
	if made := add(2); made.GetMessage() != ownLinkLater {
		t.Errorf("beyond the share: %q", made.GetMessage())
	}
	if _, err := h.SendVerification(asViewer, again); err == nil || err.Error() != notify.ErrTooManyOwnMails.Error() {
		t.Errorf("again, beyond the share: %v", err)
	}
	if _, err := h.SendVerification(ctx, again); err != nil {
		t.Errorf("an admin: %v", err)
	}
	db.Exec(t, `UPDATE membership SET verification_mails_on = verification_mails_on - 1`)
	if _, err := h.SendVerification(asViewer, again); err != nil {
		t.Errorf("tomorrow: %v", err)
	}
}

// TestAMailThatIsNotSentCountsForNobody: the organization has used its share of the day, until an address is confirmed.
func TestAMailThatIsNotSentCountsForNobody(t *testing.T) {
	t.Parallel()
	db := pgtest.New(t)
	ctx := owner(t, db)
	h := New(db.DB, nil, nil, true, 1000)
	add := func(ctx context.Context, n int) (message string) {
		made, err := h.CreateContactMethod(ctx, &nightbellv1.CreateContactMethodRequest{
			Kind: "email", Name: "Mail", Address: fmt.Sprintf("night%d@acme.example", n),
		})
		if err != nil {
			t.Fatal(err)
		}
		return made.GetMessage()
	}
	for n := range notify.VerificationShare.MostBefore {
		if message := add(ctx, n); message != "" {
			t.Fatal(message)
		}
	}
	responder, _ := auth.ActorFrom(ctx)
	responder.Role = auth.Responder
	asResponder := auth.WithActor(t.Context(), responder)
	for n := range notify.MostMailsOfPerson {
		if message := add(asResponder, 10+n); message != linkLater {
			t.Errorf("beyond the organization's share: %q", message)
		}
	}
	db.Exec(t, `UPDATE contact_method SET verified_at = nightbell_now() WHERE address = 'night0@acme.example'`)
	if message := add(asResponder, 20); message != "" {
		t.Errorf("once the share has grown: %q", message)
	}
	if n := pgtest.One[int](t, db, `SELECT verification_mails FROM membership`); n != 1 {
		t.Errorf("%d mails are counted for whom one is sent", n)
	}
}
