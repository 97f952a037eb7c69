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
	mail := pgtest.One[string](t, r.database, `SELECT recipient || text_body FROM inbox_mail WHERE subject = 'Your password for Nightbell was changed'`)
	if mails != 1 || !strings.Contains(mail, "owner@acme.example.com") || !strings.Contains(mail, "from the network address 10.") || !strings.Contains(mail, "If it was not, set another password now") {
		t.Errorf("%d mails: %s", mails, mail)
	}
}
