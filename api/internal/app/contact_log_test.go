package app

import (
	"net/http"
	"strings"
	"testing"

	"github.com/nightbell/nightbell/api/internal/platform/postgres/pgtest"
)

func TestDeletingAContactKeepsTheLogOfWhatWasSentToIt(t *testing.T) {
	t.Parallel()
	r := newTestServer(t)
	n := r.newTenant("acme")
	incident := n.makeIncident()
	n.page()
	log := func() string { return r.get("/v1/incidents/"+incident+"/notifications", n.owner()).body }
	before := log()
	if !strings.Contains(before, `"accepted"`) {
		t.Fatalf("nothing was sent: %s", before)
	}
	methods := at[[]any](t, n.call(n.owner(), http.MethodGet, "/v1/contact-methods", nil), "contact_methods")
	for _, method := range methods {
		n.call(n.owner(), http.MethodDelete, "/v1/contact-methods/"+at[string](t, method.(object), "id"), nil)
	}
	if after := log(); after != before {
		t.Errorf("the log was\n%s\nand is now\n%s", before, after)
	}
	if left := at[[]any](t, n.call(n.owner(), http.MethodGet, "/v1/contact-methods", nil), "contact_methods"); len(left) != 0 {
		t.Errorf("deleted contacts are listed: %v", left)
	}
	kept := pgtest.One[int](t, r.database, `SELECT count(*) FROM contact_method
		WHERE deleted_at IS NOT NULL AND (address <> '' OR address_sealed IS NOT NULL OR secret_sealed IS NOT NULL)`)
	if kept != 0 {
		t.Errorf("%d deleted contacts keep their address", kept)
	}
}
