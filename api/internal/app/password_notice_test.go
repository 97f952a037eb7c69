package app

import (
	"net/http"
	"strings"
	"testing"

	"github.com/nightbell/nightbell/api/internal/forgotten"
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

func TestAnOperatorHandsOverALinkForANewPassword(t *testing.T) {
	t.Parallel()
	r := newTestServer(t)
	r.newTenant("acme")
	options := forgotten.Options{PublicURL: "https://bell.example", Key: r.box.Derive(resetLinks)}
	if _, _, err := forgotten.Link(t.Context(), r.db, options, "nobody@example.com"); err == nil || !strings.Contains(err.Error(), `no account has the address "nobody@example.com"`) {
		t.Errorf("for nobody: %v", err)
	}
	link, _, err := forgotten.Link(t.Context(), r.db, options, " Owner@acme.example.com ")
	token, known := strings.CutPrefix(link, "https://bell.example/reset-password#")
	if err != nil || !known {
		t.Fatalf("%q, %v", link, err)
	}
	if mails := pgtest.One[int](t, r.database, `SELECT count(*) FROM password_reset WHERE mail_due_at IS NOT NULL`); mails != 0 {
		t.Errorf("%d mails are due, though the link is handed over", mails)
	}
	use := object{"token": token, "password": "nine lamps under the bridge"}
	r.call("", http.MethodPost, "/v1/auth/reset-password", use)
	r.call("", http.MethodPost, "/v1/auth/login", object{"email": "owner@acme.example.com", "password": "nine lamps under the bridge"})
	r.wantRefused("a second time", "reset_link_used", "", http.MethodPost, "/v1/auth/reset-password", use)
}
