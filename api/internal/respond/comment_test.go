package respond_test

import (
	"testing"

	"github.com/nightbell/nightbell/api/internal/incident"
	"github.com/nightbell/nightbell/api/internal/pagingtest"
)

func TestAnIncidentTakesTwoThousandComments(t *testing.T) {
	t.Parallel()
	w := pagingtest.New(t)
	ids := open(t, w, 2)
	comment := incident.Comment{By: pagingtest.By(w.Ada, "Ada"), Message: "Rolling back"}
	w.Exec(t, `INSERT INTO timeline_event (org_id, id, incident_id, kind, actor_kind, at)
		SELECT $1, gen_random_uuid(), $2, 'comment', 'user', nightbell_now() FROM generate_series(1, 1999)`, w.Org, ids[0])
	must(t, w.Responder.Comment(t.Context(), w.Org, ids[0], comment))
	if err := w.Responder.Comment(t.Context(), w.Org, ids[0], comment); codeOf(err) != "too_many_comments" {
		t.Errorf("one more: %v", err)
	}
	must(t, w.Responder.Comment(t.Context(), w.Org, ids[1], comment))
	if said := w.Said(t, "comment"); len(said) != 2001 {
		t.Errorf("%d comments", len(said))
	}
}
