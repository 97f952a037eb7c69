package respond_test

import (
	"context"
	"fmt"
	"slices"
	"testing"

	"github.com/google/uuid"

	"github.com/nightbell/nightbell/api/internal/alert"
	"github.com/nightbell/nightbell/api/internal/catalog"
	"github.com/nightbell/nightbell/api/internal/incident"
	"github.com/nightbell/nightbell/api/internal/kernel/fault"
	"github.com/nightbell/nightbell/api/internal/kernel/id"
	"github.com/nightbell/nightbell/api/internal/pagingtest"
	"github.com/nightbell/nightbell/api/internal/platform/postgres/pgtest"
)

// open opens n incidents and gives their ids.
func open(t *testing.T, w *pagingtest.Workspace, n int) []uuid.UUID {
	t.Helper()
	w.Route.Grouping = catalog.ByAlert
	alerts := make([]alert.Received, n)
	for i := range alerts {
		alerts[i] = pagingtest.Firing(fmt.Sprint("a", i), "g", pagingtest.Began)
	}
	w.Accept(t, alerts...)
	return pgtest.One[[]uuid.UUID](t, w.Database, `SELECT array_agg(id ORDER BY number) FROM incident WHERE org_id = $1`, w.Org)
}

// A phone that loses its connection used to leave the rest of "acknowledge all" undone.
func TestManyAreAcknowledgedInAFewTransactionsThoughTheCallerLeft(t *testing.T) {
	t.Parallel()
	w := pagingtest.New(t)
	const incidents = 700
	ids := open(t, w, incidents)
	left, leave := context.WithCancel(t.Context())
	leave()
	results, err := w.Responder.RespondToMany(left, w.Org, append(ids, ids[0]), incident.Acknowledge{By: pagingtest.By(w.Ada, "Ada")})
	if err != nil {
		t.Fatal(err)
	}
	var answered []uuid.UUID
	for _, result := range results {
		if result.Status != incident.Acknowledged || result.Err != nil {
			t.Fatalf("got %+v", result)
		}
		answered = append(answered, result.IncidentID)
	}
	if !slices.Equal(answered, ids) {
		t.Errorf("%d results for %d incidents, or in another order", len(answered), len(ids))
	}
	got := w.Texts(t, `SELECT count(*) || ' in ' || count(DISTINCT xmin::text) FROM incident WHERE status = 'acknowledged'`)
	if got[0] != "700 in 3" {
		t.Errorf("acknowledged %s transactions, want 700 in 3", got[0])
	}
	if n := pgtest.One[int](t, w.Database, `SELECT count(*) FROM notification WHERE state = 'pending'`); n != 0 {
		t.Errorf("%d pages of acknowledged incidents are still to be sent", n)
	}
	if n := pgtest.One[int](t, w.Database, `SELECT count(*) FROM timeline_event WHERE kind = 'acknowledged'`); n != incidents {
		t.Errorf("%d timelines say so", n)
	}
}

func TestWhatOneIncidentCannotDoStopsNoOther(t *testing.T) {
	t.Parallel()
	w := pagingtest.New(t)
	own := open(t, w, 3)
	by := pagingtest.By(w.Ada, "Ada")
	if err := w.Responder.Respond(t.Context(), w.Org, own[:1], incident.Resolve{By: by}); err != nil {
		t.Fatal(err)
	}
	other := &pagingtest.Workspace{Database: w.Database, Intake: w.Intake}
	other.Fill(t)
	foreign := open(t, other, 1)
	results, err := w.Responder.RespondToMany(t.Context(), w.Org, []uuid.UUID{own[0], own[1], foreign[0], id.New(), own[2]}, incident.Acknowledge{By: by})
	if err != nil || len(results) != 5 {
		t.Fatalf("%d results, %v", len(results), err)
	}
	for n, want := range []struct {
		status incident.Status
		kind   fault.Kind
	}{
		{incident.Resolved, fault.Conflict},
		{incident.Acknowledged, ""},
		{"", fault.NotFound},
		{"", fault.NotFound},
		{incident.Acknowledged, ""},
	} {
		if got := results[n]; got.Status != want.status || (want.kind == "") != (got.Err == nil) || want.kind != "" && !fault.Is(got.Err, want.kind) {
			t.Errorf("result %d is %+v, want %+v", n, got, want)
		}
	}
	if got := other.Incidents(t); !slices.Equal(got, []string{"triggered critical 1"}) {
		t.Errorf("the other organization's incident is %q", got)
	}
}
