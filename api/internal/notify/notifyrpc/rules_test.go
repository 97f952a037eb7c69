package notifyrpc

import (
	"context"
	"testing"
	"time"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"

	nightbellv1 "github.com/nightbell/nightbell/api/gen/nightbell/v1"
	"github.com/nightbell/nightbell/api/internal/auth"
	"github.com/nightbell/nightbell/api/internal/notify"
	"github.com/nightbell/nightbell/api/internal/notify/notifydb"
	"github.com/nightbell/nightbell/api/internal/platform/postgres/pgtest"
)

// TestASecondContactIsPagedToo: everybody has rules for the address of their account, so a contact
// that comes without any would never be paged.
func TestASecondContactIsPagedToo(t *testing.T) {
	db := pgtest.New(t)
	ctx := owner(t, db)
	caller, _ := auth.ActorFrom(ctx)
	h := New(db.DB, nil, nil, false, 1000)
	err := db.InTenant(ctx, caller.OrgID, func(ctx context.Context, tx pgx.Tx) error {
		_, err := notifydb.InsertFirstContact(ctx, tx, caller.OrgID, caller.UserID, "ada@acme.example", false, time.Now())
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	paged := func(urgency string) (times map[string]int) {
		t.Helper()
		err := db.InTenant(ctx, caller.OrgID, func(ctx context.Context, tx pgx.Tx) error {
			reach, err := notifydb.LoadReach(ctx, tx, caller.OrgID, []uuid.UUID{caller.UserID})
			times = map[string]int{}
			for _, page := range notify.Plan(reach[caller.UserID], urgency, time.Now()) {
				times[page.ContactMethodID.String()]++
			}
			return err
		})
		if err != nil {
			t.Fatal(err)
		}
		return times
	}
	for _, test := range []struct {
		name    string
		request *nightbellv1.CreateContactMethodRequest
		rules   int
	}{
		{"a second one", &nightbellv1.CreateContactMethodRequest{}, 2},
		{"without rules", &nightbellv1.CreateContactMethodRequest{WithoutRules: true}, 0},
		{"a shared channel", &nightbellv1.CreateContactMethodRequest{Shared: true}, 0},
	} {
		test.request.Kind, test.request.Name, test.request.Address = "email", "Night mail", "night@acme.example"
		made, err := h.CreateContactMethod(ctx, test.request)
		if err != nil {
			t.Fatal(err)
		}
		if got := len(made.GetNotificationRules()); got != test.rules {
			t.Errorf("%s came with %d rules, want %d", test.name, got, test.rules)
		}
		for _, urgency := range []string{"high", "low"} {
			times := paged(urgency)
			if got := times[made.GetContactMethod().GetId()]; got != test.rules/2 || len(times) != 2 {
				t.Errorf("%s is paged %d times for %s urgency, want %d; contacts paged: %d, want 2", test.name, got, urgency, test.rules/2, len(times))
			}
		}
	}
}
