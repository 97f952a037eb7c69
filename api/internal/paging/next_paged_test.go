package paging_test

import (
	"context"
	"slices"
	"testing"
	"time"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"

	"github.com/nightbell/nightbell/api/internal/incident"
	"github.com/nightbell/nightbell/api/internal/paging"
	"github.com/nightbell/nightbell/api/internal/pagingtest"
	"github.com/nightbell/nightbell/api/internal/platform/postgres"
	"github.com/nightbell/nightbell/api/internal/platform/postgres/pgtest"
)

// Who is named as next is who is paged next: across a hand-over, over a step that means
// nobody, and nobody once somebody has answered.
func TestWhoIsNamedAsNextIsPagedNext(t *testing.T) {
	t.Parallel()
	w := newWeekend(t)
	next := func() []string {
		names := w.nextPaged(t)
		slices.Sort(names)
		return names
	}
	w.Clock.Freeze(time.Date(2026, 3, 30, 5, 45, 0, 0, time.UTC)) // Monday 07:45 in Berlin
	w.Accept(t, pagingtest.Firing("cpu", "", pagingtest.Began))
	equal(t, "07:45", next(), "Bob")
	w.Exec(t, `UPDATE schedule SET status = 'inactive' WHERE name = 'Backup Support'`)
	equal(t, "nobody is backup", next(), "Eve", "Mallory") // the third step is due at once, before the hand-over
	w.Exec(t, `UPDATE schedule SET status = 'active' WHERE name = 'Backup Support'`)
	w.Later(t, 10*time.Minute)
	equal(t, "07:55", next(), "Ada", "Mallory") // her week will have begun
	w.Respond(t, incident.Acknowledge{By: pagingtest.By(w.Ada, "Ada")})
	equal(t, "answered", next())
}

func (w *workspace) nextPaged(t *testing.T) (names []string) {
	t.Helper()
	incidentID := pgtest.One[uuid.UUID](t, w.Database, `SELECT id FROM incident WHERE org_id = $1`, w.Org)
	err := w.InTenant(t.Context(), w.Org, func(ctx context.Context, tx pgx.Tx) error {
		now, err := postgres.Now(ctx, tx)
		if err != nil {
			return err
		}
		names, err = paging.NextPaged(ctx, tx, w.Org, incidentID, now)
		return err
	}, postgres.ReadOnly())
	if err != nil {
		t.Fatal(err)
	}
	return names
}

// Where the first round reached nobody, the last resort is named for the second, and paged in it.
func TestTheLastResortIsNamedWhereNobodyWasReached(t *testing.T) {
	t.Parallel()
	w := newWorkspace(t)
	w.SetSteps(t, page(user(w.Bob)))
	w.Exec(t, `UPDATE escalation_policy SET repeats = 3`)
	w.Accept(t, pagingtest.Firing("cpu", "", pagingtest.Began))
	equal(t, "while Bob may be reached", w.nextPaged(t), "Bob")
	w.Exec(t, `UPDATE contact_method SET failures = 3 WHERE user_id = $1`, w.Bob)
	named := w.nextPaged(t)
	slices.Sort(named)
	equal(t, "while nothing gets through", named, "Ada", "Bob")
	before := len(w.Paged(t))
	w.Later(t, 5*time.Minute)
	equal(t, "in the second round", w.Paged(t)[before:], "1.0 Ada", "1.0 Bob")
}
