package app

import (
	"net/http"
	"strings"
	"testing"

	"github.com/nightbell/nightbell/api/internal/platform/postgres/pgtest"
)

func TestAChangedPasswordIsToldByMailWithWhatToDo(t *testing.T) {
	t.Parallel()
	r := newTestServer(t)
	a := r.newTenant("acme")
	r.call(a.owner(), http.MethodPost, "/v1/auth/password", object{"old_password": password, "new_password": "nine lamps under the bridge"})
	for range 2 {
		if err := r.forgotten.Send(t.Context()); err != nil {
			t.Fatal(err)
		}
		r.forgotten.Wait()
	}
	mails := pgtest.One[int](t, r.database, `SELECT count(*) FROM inbox_mail WHERE subject = 'Your password for Nightbell was changed'`)
	mailID := pgtest.One[string](t, r.database, `SELECT id::text FROM inbox_mail WHERE recipient LIKE '%owner@acme.example.com%' AND subject = 'Your password for Nightbell was changed'`)
	mail := at[string](t, a.call(a.owner(), http.MethodGet, "/v1/inbox/"+mailID, nil), "mail", "text")
	if mails != 1 || !strings.Contains(mail, "from the network address 10.") || !strings.Contains(mail, "If it was not, set another password now") {
		t.Errorf("%d mails: %s", mails, mail)
	}
}
