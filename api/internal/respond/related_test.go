package respond_test

import (
	"slices"
	"testing"

	"github.com/google/uuid"

	"github.com/nightbell/nightbell/api/internal/incident"
	"github.com/nightbell/nightbell/api/internal/pagingtest"
	"github.com/nightbell/nightbell/api/internal/platform/postgres/pgtest"
)

func TestIncidentsAreLinkedBothWays(t *testing.T) {
	t.Parallel()
	w := pagingtest.New(t)
	ids, ada := open(t, w, 3), pagingtest.By(w.Ada, "Ada")
	links := func() int {
		return pgtest.One[int](t, w.Database, `SELECT count(*) FROM incident_link WHERE org_id = $1`, w.Org)
	}
	for range 2 { // also the other way round, a repeat is no second link and no second line
		must(t, w.Responder.Link(t.Context(), w.Org, ids[0], ids[1], ada))
		must(t, w.Responder.Link(t.Context(), w.Org, ids[1], ids[0], ada))
	}
	must(t, w.Responder.Link(t.Context(), w.Org, ids[2], ids[0], ada))
	if links() != 2 || len(w.Said(t, "linked")) != 4 {
		t.Errorf("%d links, said %q", links(), w.Said(t, "linked"))
	}
	for name, c := range map[string]struct {
		one, other uuid.UUID
		code       string
	}{
		"to itself": {ids[0], ids[0], "invalid_fields"}, "to none": {ids[0], uuid.Max, "invalid_fields"}, "from none": {uuid.Max, ids[0], "incident_not_found"},
	} {
		if err := w.Responder.Link(t.Context(), w.Org, c.one, c.other, ada); codeOf(err) != c.code {
			t.Errorf("%s: %v", name, err)
		}
	}
	for range 2 {
		must(t, w.Responder.Unlink(t.Context(), w.Org, ids[1], ids[0], ada))
		must(t, w.Responder.Unlink(t.Context(), w.Org, ids[1], uuid.Max, ada))
	}
	if links() != 1 || len(w.Said(t, "unlinked")) != 2 {
		t.Errorf("after unlinking %d links, said %q", links(), w.Said(t, "unlinked"))
	}
}

func TestSubscribersAreMembersOfAnOpenIncident(t *testing.T) {
	t.Parallel()
	w := pagingtest.New(t)
	ids := open(t, w, 2)
	subscribers := func() []string {
		return w.Texts(t, `SELECT u.name FROM incident_subscriber s JOIN users u ON u.id = s.user_id WHERE s.org_id = $1 AND s.incident_id = $2 ORDER BY 1`, w.Org, ids[0])
	}
	for range 2 {
		must(t, w.Responder.Subscribe(t.Context(), w.Org, ids[0], w.Ada))
		must(t, w.Responder.Subscribe(t.Context(), w.Org, ids[0], w.Bob))
	}
	if got := subscribers(); !slices.Equal(got, []string{"Ada", "Bob"}) {
		t.Errorf("subscribers: %q", got)
	}
	stranger := uuid.New()
	w.Exec(t, `INSERT INTO users (id, name, email, password_hash, created_at) VALUES ($1, 'Eve', 'eve@example.org', 'x', nightbell_now())`, stranger)
	if err := w.Responder.Subscribe(t.Context(), w.Org, ids[0], stranger); codeOf(err) != "invalid_fields" {
		t.Errorf("somebody of another organization: %v", err)
	}
	if err := w.Responder.Subscribe(t.Context(), w.Org, uuid.Max, w.Ada); codeOf(err) != "incident_not_found" {
		t.Errorf("to no incident: %v", err)
	}
	for range 2 {
		must(t, w.Responder.Unsubscribe(t.Context(), w.Org, ids[0], w.Ada))
	}
	// Whoever leaves the organization is told nothing more.
	w.Exec(t, `DELETE FROM membership WHERE org_id = $1 AND user_id = $2`, w.Org, w.Bob)
	if got := subscribers(); len(got) != 0 {
		t.Errorf("still subscribed: %q", got)
	}
	must(t, w.Responder.Respond(t.Context(), w.Org, ids[1:], incident.Resolve{By: pagingtest.By(w.Ada, "Ada")}))
	if err := w.Responder.Subscribe(t.Context(), w.Org, ids[1], w.Ada); codeOf(err) != "incident_resolved" {
		t.Errorf("to a resolved one: %v", err)
	}
}
