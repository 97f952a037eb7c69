package authrpc

import (
	"net/http"
	"testing"

	"github.com/nightbell/nightbell/api/internal/auth"
	"github.com/nightbell/nightbell/api/internal/kernel/id"
	"github.com/nightbell/nightbell/api/internal/platform/postgres/pgtest"
)

// TestALinkThatNoMailBroughtProvesNoAddress: an operator's link is none of the mails of an hour, and whoever uses it
// need not read the mail of an address that nobody has confirmed.
func TestALinkThatNoMailBroughtProvesNoAddress(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	w.auth.verifyMail, w.auth.resetKey = true, []byte("key")
	dana := w.join("dana@rockets.example")
	w.db.Exec(t, `UPDATE contact_method SET verified_at = NULL`)
	var token string
	for range auth.ResetsAnHour {
		made := id.New()
		token = auth.ResetToken(w.auth.resetKey, made)
		w.db.Exec(t, `INSERT INTO password_reset (id, user_id, token_hash, created_at, expires_at) VALUES ($1, $2, $3, nightbell_now(), nightbell_now() + interval '1 hour')`,
			made, dana.userID, auth.HashToken(token))
	}
	expect(t, "asking for a mail", w.anyone().call("POST", "/v1/auth/forgot-password", object{"email": dana.email}), http.StatusOK, askedMessage)
	if mails := pgtest.One[int](t, w.db, `SELECT count(*) FROM password_reset WHERE mail_due_at IS NOT NULL`); mails != 1 {
		t.Errorf("%d mails, after links that were handed over", mails)
	}
	used := w.anyone().call("POST", "/v1/auth/reset-password", object{"token": token, "password": otherPassword})
	expect(t, "an operator's link", used, http.StatusOK, resetMessage)
	if mails := pgtest.One[int](t, w.db, `SELECT count(*) FROM password_reset WHERE mail_due_at IS NOT NULL`); mails != 0 {
		t.Errorf("%d mails to an address that anybody may have registered", mails)
	}
}
