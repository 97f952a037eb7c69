package demo_test

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"testing"
	"time"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"

	"github.com/nightbell/nightbell/api/internal/auth"
	"github.com/nightbell/nightbell/api/internal/catalog"
	"github.com/nightbell/nightbell/api/internal/catalog/catalogdb"
	"github.com/nightbell/nightbell/api/internal/demo"
	"github.com/nightbell/nightbell/api/internal/platform/postgres"
	"github.com/nightbell/nightbell/api/internal/platform/postgres/pgtest"
)

func TestAccountOpensTheWorkspaceAndItsWebhook(t *testing.T) {
	t.Parallel()
	db, w, account := seeded(t)
	hash := pgtest.One[string](t, db, `SELECT password_hash FROM users WHERE email = $1`, account.Email)
	if matches, _, err := w.Hasher.Verify(t.Context(), auth.KnownDevices, password, hash); err != nil || !matches {
		t.Errorf("the password does not sign in: %v", err)
	}
	err := db.InSystem(t.Context(), postgres.Ingest, func(ctx context.Context, tx pgx.Tx) error {
		route, err := catalogdb.New(tx).FindRoute(ctx, catalog.HashKey(account.ServiceKey))
		if err != nil || route.OrgID != account.OrgID || route.Name != account.ServiceName {
			return fmt.Errorf("the key leads to %q of %s: %w", route.Name, route.OrgID, err)
		}
		first := pgtest.One[string](t, db, `SELECT string_agg(u.email || ' ' || s.delay_seconds, ', ' ORDER BY s.position)
			FROM escalation_step s JOIN escalation_target t ON t.policy_id = s.policy_id AND t.step_position = s.position
			JOIN users u ON u.id = t.user_id WHERE s.policy_id = $1`, route.PolicyID)
		if first != account.Email+" 300" {
			t.Errorf("the policy pages by name %s", first)
		}
		return nil
	})
	if err != nil {
		t.Error(err)
	}
}

// The command printed at start pages the owner because she is on call, and says so.
func TestTheFirstAlertPagesWhoIsOnCall(t *testing.T) {
	t.Parallel()
	db, _, account := seeded(t)
	fire(t, db, account)
	pages := figure(t, db, account, `SELECT string_agg(u.email || ': ' || n.reason, ', ') FROM notification n
		JOIN users u ON u.id = n.user_id WHERE n.org_id = $1 AND n.state = 'pending'`)
	if want := account.Email + ": On call for 24/7 Support (Night) until 08:00 CET; step 1 of Standard, 5 minutes."; pages != want {
		t.Errorf("got  %s\nwant %s", pages, want)
	}
}

func TestSecondStartLeavesTheWorkspaceAlone(t *testing.T) {
	t.Parallel()
	db, w, first := seeded(t)
	db.Exec(t, `UPDATE incident SET title = 'changed by a person' WHERE number = 25`)
	db.Clock.Advance(time.Hour)
	again, now, err := w.Seed(t.Context(), password)
	if err != nil || now || again != first {
		t.Errorf("second start: seeded now %v, %v; %v is not %v", now, err, again, first)
	}
	if got := figure(t, db, first, `SELECT title FROM incident WHERE org_id = $1 AND number = 25`); got != "changed by a person" {
		t.Errorf("the second start rewrote %q", got)
	}
	if got := figure(t, db, first, `SELECT demo_seeded_at = nightbell_now() - interval '1 hour' FROM installation`); got != "true" {
		t.Error("the time of seeding is not kept")
	}
}

func TestAnotherPasswordBecomesTheOwners(t *testing.T) {
	t.Parallel()
	db, w, account := seeded(t)
	if _, _, err := w.Seed(t.Context(), "chosen-by-the-operator"); err != nil {
		t.Fatal(err)
	}
	hash := pgtest.One[string](t, db, `SELECT password_hash FROM users WHERE email = $1`, account.Email)
	for tried, want := range map[string]bool{password: false, "chosen-by-the-operator": true} {
		if matches, _, err := w.Hasher.Verify(t.Context(), auth.KnownDevices, tried, hash); err != nil || matches != want {
			t.Errorf("%q signs in: %v, %v", tried, matches, err)
		}
	}
}

func TestReplicasThatStartTogetherSeedOnce(t *testing.T) {
	t.Parallel()
	db := pgtest.New(t)
	w := workspace(t, db.DB)
	var starting sync.WaitGroup
	var mu sync.Mutex
	times := 0
	for range 2 {
		starting.Go(func() {
			_, now, err := w.Seed(t.Context(), password)
			mu.Lock()
			defer mu.Unlock()
			if now {
				times++
			}
			if err != nil {
				t.Error(err)
			}
		})
	}
	starting.Wait()
	if times != 1 {
		t.Errorf("seeded %d times", times)
	}
}

func TestAccountIsNotFoundBeforeSeeding(t *testing.T) {
	t.Parallel()
	w := workspace(t, pgtest.New(t).DB)
	if _, found, err := w.Account(t.Context()); found || err != nil {
		t.Errorf("found %v, %v", found, err)
	}
}

func TestTakenAddressIsSaidClearly(t *testing.T) {
	t.Parallel()
	db := pgtest.New(t)
	db.Exec(t, `INSERT INTO users (id, name, email, password_hash, created_at) VALUES ($1, 'Somebody', 'Mara@nightbell.example', 'x', nightbell_now())`, uuid.New())
	if _, _, err := workspace(t, db.DB).Seed(t.Context(), password); !errors.Is(err, demo.ErrAddressTaken) {
		t.Errorf("got %v", err)
	}
}
