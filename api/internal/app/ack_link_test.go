package app

import (
	"context"
	"net/http"
	"testing"

	"github.com/nightbell/nightbell/api/internal/auth"
	"github.com/nightbell/nightbell/api/internal/notify"
	"github.com/nightbell/nightbell/api/internal/platform/postgres/pgtest"
)

// TestWhoeverWasPagedAnswersByItsLink: also who has become a viewer since, whom the API refuses. A page must be
// answerable at 3 a.m.; the links of somebody who was removed end with the membership.
func TestWhoeverWasPagedAnswersByItsLink(t *testing.T) {
	t.Parallel()
	r := newTestServer(t)
	n := r.newTenant("acme")
	link := "/ack/" + notify.MintAck(r.box.Derive(acknowledgeLinks), n.linkClaims())
	status := func() string {
		return pgtest.One[string](t, r.database, `SELECT status FROM incident WHERE id = $1`, n.objects["incident"])
	}
	n.join("other", auth.Owner)
	n.call(n.bearers["other"], http.MethodPatch, "/v1/users/"+n.people["owner"], object{"role": "viewer"})
	r.wantRefused("by the API", "role_too_low", n.owner(), http.MethodPost, "/v1/incidents/"+n.objects["incident"]+"/acknowledge", object{})
	if got := r.plainly(http.MethodPost, link, "", nil, "Sec-Fetch-Site", "same-origin"); got.status != http.StatusSeeOther || status() != "acknowledged" {
		t.Errorf("by the link: %s; the incident is %s", got.whole(), status())
	}
	n.call(n.bearers["other"], http.MethodDelete, "/v1/users/"+n.people["owner"]+"?replace_by="+n.people["other"], nil)
	if got := r.plainly(http.MethodGet, link, "", nil); got.status != http.StatusNotFound {
		t.Errorf("after they were removed: %s", got.whole())
	}
}

// TestALinkAcknowledgesThoughThePhoneHungUp: it has sent the whole form, and lost its connection.
func TestALinkAcknowledgesThoughThePhoneHungUp(t *testing.T) {
	t.Parallel()
	r := newTestServer(t)
	n := r.newTenant("acme")
	gone, hangUp := context.WithCancel(t.Context())
	hangUp()
	link := "/ack/" + notify.MintAck(r.box.Derive(acknowledgeLinks), n.linkClaims())
	got := r.within(gone, http.MethodPost, link, "", []byte("seen="+n.objects["incident"]), "Sec-Fetch-Site", "same-origin", "Content-Type", "application/x-www-form-urlencoded")
	if status := pgtest.One[string](t, r.database, `SELECT status FROM incident WHERE id = $1`, n.objects["incident"]); status != "acknowledged" {
		t.Errorf("it is still %s: %s", status, got.whole())
	}
}
