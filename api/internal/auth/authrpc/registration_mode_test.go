package authrpc

import (
	"net/http"
	"testing"

	"github.com/nightbell/nightbell/api/internal/auth"
	"github.com/nightbell/nightbell/api/internal/platform/postgres/pgtest"
)

func TestRegistrationCanBeClosed(t *testing.T) {
	t.Parallel()
	for mode, sentence := range map[auth.RegistrationMode]string{
		auth.RegistrationClosed: "Registration is closed here. Ask whoever runs this Nightbell for an account.",
		auth.RegistrationInvite: "Registration is by invitation here. Ask an admin of your organization to invite you.",
	} {
		w := newWorld(t)
		w.auth.registration = mode
		expect(t, "the first account", w.anyone().call("POST", "/v1/auth/register", registration(nil)), http.StatusCreated, "")
		expect(t, string(mode), w.anyone().call("POST", "/v1/auth/register", registration(object{"email": "eve@example.org"})), http.StatusForbidden, sentence)
		if n := pgtest.One[int](t, w.db, "SELECT count(*) FROM users"); n != 1 {
			t.Errorf("%s: %d accounts, want 1", mode, n)
		}
	}
}

func TestRegistrationMailsALinkWhereMailLeaves(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	expect(t, "without a mail server", w.anyone().call("POST", "/v1/auth/register", registration(nil)), http.StatusCreated, "")
	if !pgtest.One[bool](t, w.db, "SELECT verified_at IS NOT NULL AND verification_due_at IS NULL FROM contact_method") {
		t.Error("without a mail server an address should count as verified")
	}
	w.auth.verifyMail = true
	expect(t, "with one", w.anyone().call("POST", "/v1/auth/register", registration(object{"email": "wei@rockets.example"})), http.StatusCreated, "")
	if !pgtest.One[bool](t, w.db, "SELECT verified_at IS NULL AND verification_due_at IS NOT NULL FROM contact_method WHERE address = 'wei@rockets.example'") {
		t.Error("the link is not due, or the address counts as verified")
	}
}
