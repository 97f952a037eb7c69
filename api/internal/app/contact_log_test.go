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
	// An owner keeps at least one contact.
	spare := object{"kind": "webhook", "name": "spare", "address": "https://hooks.example.com/spare"}
	methods := at[[]any](t, n.call(n.owner(), http.MethodGet, "/v1/contact-methods", nil), "contact_methods")
	n.call(n.owner(), http.MethodPost, "/v1/contact-methods", spare)
	var deleted []string
	for _, method := range methods {
		if shared, _ := method.(object)["shared"].(bool); !shared { // a policy pages those that are
			deleted = append(deleted, at[string](t, method.(object), "id"))
			n.call(n.owner(), http.MethodDelete, "/v1/contact-methods/"+deleted[len(deleted)-1], nil)
		}
	}
	if after := log(); after != before {
		t.Errorf("the log was\n%s\nand is now\n%s", before, after)
	}
	left := r.get("/v1/contact-methods", n.owner()).body
	if len(deleted) == 0 || strings.Contains(left, deleted[0]) || !strings.Contains(left, "spare") {
		t.Errorf("%v were deleted, and this is left: %s", deleted, left)
	}
	kept := pgtest.One[int](t, r.database, `SELECT count(*) FROM contact_method
		WHERE deleted_at IS NOT NULL AND (address <> '' OR address_sealed IS NOT NULL OR secret_sealed IS NOT NULL)`)
	if kept != 0 {
		t.Errorf("%d deleted contacts keep their address", kept)
	}
}
