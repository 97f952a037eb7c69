package app

import (
	"fmt"
	"net/http"
	"testing"

	"github.com/nightbell/nightbell/api/internal/notify"
)

// One person cannot use up the contact methods of the organization; an admin may add more for them.
func TestAPersonHasTwentyContactsOfTheirOwn(t *testing.T) {
	t.Parallel()
	n := newTestServer(t).newTenant("acme")
	viewer := n.bearers["viewer"]
	contact := func(i int) object {
		return object{"kind": "email", "name": "Mail", "address": fmt.Sprintf("night%d@acme.example.com", i)}
	}
	had := len(at[[]any](t, n.call(viewer, http.MethodGet, "/v1/contact-methods?user_id="+n.people["viewer"], nil), "contact_methods"))
	var last string
	for i := range notify.MostOfPerson - had {
		last = at[string](t, n.call(viewer, http.MethodPost, "/v1/contact-methods", contact(i)), "contact_method", "id")
	}
	n.wantRefused("one more", "too_many_contact_methods", viewer, http.MethodPost, "/v1/contact-methods", contact(90))
	theirs := contact(91)
	theirs["user_id"] = n.people["viewer"]
	n.wantRefused("one more, by id", "too_many_contact_methods", viewer, http.MethodPost, "/v1/contact-methods", theirs)
	n.call(n.bearers["admin"], http.MethodPost, "/v1/contact-methods", theirs)
	n.call(n.bearers["responder"], http.MethodPost, "/v1/contact-methods", contact(92))
	n.wantRefused("after an admin's", "too_many_contact_methods", viewer, http.MethodPost, "/v1/contact-methods", contact(93))
	for _, row := range at[[]any](t, n.call(viewer, http.MethodGet, "/v1/contact-methods?user_id="+n.people["viewer"], nil), "contact_methods")[:2] {
		if contactID := row.(object)["id"].(string); contactID != last {
			n.call(viewer, http.MethodDelete, "/v1/contact-methods/"+contactID, nil)
		}
	}
	n.call(viewer, http.MethodPost, "/v1/contact-methods", contact(94))
}
