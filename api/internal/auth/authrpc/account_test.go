package authrpc

import (
	"context"
	"net/http"
	"testing"
	"time"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"

	"github.com/nightbell/nightbell/api/internal/auth"
	"github.com/nightbell/nightbell/api/internal/platform/postgres"
	"github.com/nightbell/nightbell/api/internal/platform/postgres/pgtest"
)

const otherPassword = "harbour-lantern-moss-77"

// elsewhere signs the person in once more.
func (p person) elsewhere() person {
	p.w.t.Helper()
	signedIn := p.w.anyone().login(p.email, password, "")
	expect(p.w.t, "signing in elsewhere", signedIn, http.StatusOK, "")
	other := p
	other.caller = p.w.anyone().with(text(signedIn.at("tokens", "access_token")))
	other.refreshToken = text(signedIn.at("tokens", "refresh_token"))
	return other
}

func (p person) isSignedIn() bool { return p.call("GET", "/v1/auth/me", nil).status == http.StatusOK }

func TestANewPasswordEndsTheOtherSessions(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	dana := w.join("dana@rockets.example")
	phone := dana.elsewhere()
	wrong := dana.call("POST", "/v1/auth/password", object{"old_password": "not it at all", "new_password": otherPassword})
	expect(t, "a wrong old password", wrong, http.StatusUnprocessableEntity, "This is not your password until now.")
	weak := dana.call("POST", "/v1/auth/password", object{"old_password": password, "new_password": "short"})
	fields, _ := weak.body["details"].([]any)
	if weak.status != http.StatusUnprocessableEntity || len(fields) != 1 || fields[0].(object)["field"] != "new_password" {
		t.Errorf("a weak password: %d %s", weak.status, weak.text)
	}
	if !phone.isSignedIn() {
		t.Error("a refused change ended a session")
	}
	changed := dana.call("POST", "/v1/auth/password", object{"old_password": password, "new_password": otherPassword})
	if changed.status != http.StatusOK || changed.body["ended_count"] != float64(1) {
		t.Errorf("the change: %d %s", changed.status, changed.text)
	}
	if !dana.isSignedIn() || phone.isSignedIn() {
		t.Errorf("here: %v, elsewhere: %v", dana.isSignedIn(), phone.isSignedIn())
	}
	expect(t, "the other session's refresh token", w.anyone().refresh(phone.refreshToken), http.StatusUnauthorized, expired)
	expect(t, "the old password", w.anyone().login(dana.email, password, ""), http.StatusUnauthorized, "")
	expect(t, "the new password", w.anyone().login(dana.email, otherPassword, ""), http.StatusOK, "")
}

// TestASignInThatBeganBeforeANewPassword is refused: the old one was right when it was checked, and the
// session would have outlived the change, which ends all others.
func TestASignInThatBeganBeforeANewPassword(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	dana := w.join("dana@rockets.example")
	hash := pgtest.One[string](t, w.db, `SELECT password_hash FROM users WHERE email = $1`, dana.email)
	other, err := w.auth.hasher.Hash(t.Context(), auth.KnownDevices, otherPassword)
	must(t, err)
	for name, test := range map[string]struct {
		change string
		status int
	}{
		"another password": {"'" + other + "'", http.StatusUnauthorized},
		"none":             {"password_hash", http.StatusOK},
	} {
		owner := w.db.Owner(t)
		if _, err := owner.Exec(t.Context(), `BEGIN; SET LOCAL ROLE nightbell_system; UPDATE users SET password_hash = `+test.change+` WHERE email = '`+dana.email+`'`); err != nil {
			t.Fatal(err)
		}
		answered := make(chan int, 1)
		go func() { answered <- w.anyone().login(dana.email, password, "").status }()
		for waiting := 0; waiting == 0 && len(answered) == 0; time.Sleep(time.Millisecond) {
			waiting = w.db.Waiting(t)
		}
		if _, err := owner.Exec(t.Context(), `COMMIT`); err != nil {
			t.Fatal(err)
		}
		if status := <-answered; status != test.status {
			t.Errorf("%s: answered %d, want %d", name, status, test.status)
		}
		w.db.Exec(t, `UPDATE users SET password_hash = $2 WHERE email = $1`, dana.email, hash)
	}
}

// An account that is being deleted stays locked while its history is written. Sign-ins to it held all connections
// by which the keys of services are looked up, and senders were refused.
func TestSignInsToAnAccountThatIsBeingDeletedRefuseNoSender(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	dana := w.join("dana@rockets.example")
	deleting := w.db.Owner(t)
	if _, err := deleting.Exec(t.Context(), `BEGIN; SET LOCAL ROLE nightbell_system; SELECT FROM users WHERE email = '`+dana.email+`' FOR UPDATE`); err != nil {
		t.Fatal(err)
	}
	const connections = 2 // of the pool in tests
	answered := make(chan int, connections)
	for range connections {
		go func() { answered <- w.anyone().login(dana.email, password, "").status }()
	}
	for waiting := 0; waiting < connections && len(answered) == 0; time.Sleep(time.Millisecond) {
		waiting = w.db.Waiting(t)
	}
	// A statement may take 5 s, by when a sender has long been refused.
	soon, cancel := context.WithTimeout(t.Context(), 4*time.Second)
	defer cancel()
	if err := w.db.InSystem(soon, postgres.Identity, func(context.Context, pgx.Tx) error { return nil }); err != nil {
		t.Errorf("a sender is refused: %v", err)
	}
	for range connections {
		if status := <-answered; status == http.StatusOK {
			t.Errorf("the sign-in is answered %d", status)
		}
	}
	if _, err := deleting.Exec(t.Context(), `ROLLBACK`); err != nil {
		t.Fatal(err)
	}
}

// Whoever holds a stolen session must not find the password out by it.
func TestGuessingTheOldPasswordWaitsLikeASignIn(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	dana := w.join("dana@rockets.example")
	for range 5 {
		dana.call("POST", "/v1/auth/password", object{"old_password": "a wrong guess", "new_password": otherPassword})
	}
	w.waited()
	dana.call("POST", "/v1/auth/password", object{"old_password": "a wrong guess", "new_password": otherPassword})
	dana.call("POST", "/v1/auth/password", object{"old_password": "a wrong guess", "new_password": otherPassword})
	if waited := w.waited(); waited == 0 {
		t.Error("the seventh guess did not wait")
	}
}

func TestSessionsAreListedAndEnded(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	dana, eve := w.join("dana@rockets.example"), w.join("eve@other.example")
	phone, tablet := dana.elsewhere(), dana.elsewhere()
	list := dana.call("GET", "/v1/auth/sessions", nil)
	sessions, _ := list.body["sessions"].([]any)
	if len(sessions) != 3 {
		t.Fatalf("the list: %s", list.text)
	}
	current, others := 0, []string{}
	for _, one := range sessions {
		session := one.(object)
		if session["user_agent"] != "a test" || session["organization"].(object)["id"] != dana.orgID {
			t.Errorf("a session: %v", session)
		}
		if session["current"] == true {
			current++
		} else {
			others = append(others, text(session["id"]))
		}
	}
	if current != 1 {
		t.Errorf("%d sessions are the one that asks", current)
	}
	expect(t, "ending somebody else's", eve.call("DELETE", "/v1/auth/sessions/"+others[0], nil), http.StatusNotFound, "Session not found")
	expect(t, "ending one", dana.call("DELETE", "/v1/auth/sessions/"+others[0], nil), http.StatusOK, "")
	expect(t, "ending it again", dana.call("DELETE", "/v1/auth/sessions/"+others[0], nil), http.StatusNotFound, "Session not found")
	if phone.isSignedIn() == tablet.isSignedIn() {
		t.Error("not exactly one was ended")
	}
	rest := dana.call("POST", "/v1/auth/sessions/end-others", object{})
	if rest.body["ended_count"] != float64(1) || phone.isSignedIn() || tablet.isSignedIn() || !dana.isSignedIn() || !eve.isSignedIn() {
		t.Errorf("ending the others: %s", rest.text)
	}
}

// Guests of the demo share an account, and are strangers to each other.
func TestAGuestSeesTheirOwnSessionAlone(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	dana := w.join("dana@rockets.example")
	phone := dana.elsewhere()
	w.auth.guest = &Guest{UserID: uuid.MustParse(dana.userID), OrgID: uuid.MustParse(dana.orgID)}
	list := dana.call("GET", "/v1/auth/sessions", nil)
	sessions, _ := list.body["sessions"].([]any)
	if len(sessions) != 1 || sessions[0].(object)["current"] != true {
		t.Fatalf("a guest sees %s", list.text)
	}
	theirs := phone.call("GET", "/v1/auth/sessions", nil).body["sessions"].([]any)[0].(object)
	expect(t, "another guest's", dana.call("GET", "/v1/auth/sessions/"+text(theirs["id"]), nil), http.StatusNotFound, "Session not found")
}

// Another replica believes a session for a moment; an open stream asks every five seconds.
func TestAnEndedSessionEndsOnAnotherReplica(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	dana := w.join("dana@rockets.example")
	phone := dana.elsewhere()
	replica := newReplica(t, w.db, cheapHashes)
	there := person{caller: replica.anyone().with(phone.token)}
	if !there.isSignedIn() {
		t.Fatal("not signed in")
	}
	dana.call("POST", "/v1/auth/sessions/end-others", object{})
	replica.later(freshness)
	if there.isSignedIn() {
		t.Error("still signed in after the freshness")
	}
}

func TestAnAccountSwitchesBetweenItsOrganizations(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	dana, eve := w.join("dana@rockets.example"), w.join("eve@other.example")
	w.db.Exec(t, `INSERT INTO membership (org_id, user_id, role, created_at) VALUES ($1, $2, 'viewer', nightbell_now())`, eve.orgID, dana.userID)
	list := dana.call("GET", "/v1/auth/organizations", nil)
	organizations, _ := list.body["organizations"].([]any)
	if len(organizations) != 2 {
		t.Fatalf("the list: %s", list.text)
	}
	home, other := organizations[0].(object), organizations[1].(object)
	if home["current"] != true || home["role"] != "owner" || home["user_count"] != float64(1) || other["id"] != eve.orgID || other["role"] != "viewer" || other["user_count"] != float64(2) {
		t.Errorf("the list: %s", list.text)
	}
	switched := dana.call("POST", "/v1/auth/switch-organization", object{"org_id": eve.orgID})
	if switched.status != http.StatusOK || switched.at("user", "org_id") != eve.orgID || switched.at("user", "role") != "viewer" {
		t.Fatalf("the switch: %d %s", switched.status, switched.text)
	}
	there := dana.with(text(switched.at("tokens", "access_token")))
	me := there.call("GET", "/v1/auth/me", nil)
	if me.body["org_id"] != eve.orgID {
		t.Errorf("the new session is in %s", me.text)
	}
	expect(t, "an organization of others", eve.call("POST", "/v1/auth/switch-organization", object{"org_id": dana.orgID}), http.StatusUnprocessableEntity, "You are in no organization with this id.")
	// A session keeps its own role: that of the other organization gives nothing here.
	expect(t, "an owner's call by a viewer", there.call("POST", "/v1/api-keys", object{"name": "Key", "scopes": []string{"config:read"}}), http.StatusForbidden, "")
}

// Whoever switches has signed in once: the 90 days go on in the other organization.
func TestASwitchedSessionEndsWhenItsSignInDoes(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	dana, eve := w.join("dana@rockets.example"), w.join("eve@other.example")
	w.db.Exec(t, `INSERT INTO membership (org_id, user_id, role, created_at) VALUES ($1, $2, 'viewer', nightbell_now())`, eve.orgID, dana.userID)
	w.db.Exec(t, `UPDATE session SET created_at = created_at - interval '80 days' WHERE user_id = $1`, dana.userID)
	for _, orgID := range []string{eve.orgID, dana.orgID} {
		if switched := dana.call("POST", "/v1/auth/switch-organization", object{"org_id": orgID}); switched.status != http.StatusOK {
			t.Fatalf("the switch: %d %s", switched.status, switched.text)
		}
	}
	if begun := pgtest.One[int](t, w.db, `SELECT count(DISTINCT created_at) FROM session WHERE user_id = $1`, dana.userID); begun != 1 {
		t.Errorf("the sign-ins of one password began at %d times", begun)
	}
	if used := pgtest.One[int](t, w.db, `SELECT count(DISTINCT last_used_at) FROM session WHERE user_id = $1`, dana.userID); used != 3 {
		t.Errorf("they were last used at %d times", used)
	}
}

// Going to and fro leaves no more sessions than an account has, and ends nobody's in use.
func TestAnAccountHasAHundredSessions(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	dana, eve := w.join("dana@rockets.example"), w.join("eve@other.example")
	w.db.Exec(t, `INSERT INTO membership (org_id, user_id, role, created_at) VALUES ($1, $2, 'viewer', nightbell_now())`, eve.orgID, dana.userID)
	w.db.Exec(t, `INSERT INTO session (id, user_id, org_id, created_at, last_used_at, revoked_at, revoked_for)
		SELECT gen_random_uuid(), $1, $2, nightbell_now() - interval '2 hours', nightbell_now() - n * interval '1 minute', CASE WHEN n % 2 = 0 THEN nightbell_now() END, CASE WHEN n % 2 = 0 THEN 'logout' ELSE '' END
		FROM generate_series(1, 250) n`, dana.userID, dana.orgID)
	for range 3 {
		if switched := dana.call("POST", "/v1/auth/switch-organization", object{"org_id": eve.orgID}); switched.status != http.StatusOK {
			t.Fatalf("the switch: %d %s", switched.status, switched.text)
		}
	}
	open := `SELECT count(*) FROM session WHERE user_id = $1 AND revoked_at IS NULL AND last_used_at > nightbell_now() - interval '192 minutes'`
	if all, kept := pgtest.One[int](t, w.db, `SELECT count(*) FROM session WHERE user_id = $1`, dana.userID), pgtest.One[int](t, w.db, open, dana.userID); all != 100 || kept != 100 {
		t.Errorf("%d sessions, %d of those that were used last", all, kept)
	}
	if !dana.isSignedIn() || !eve.isSignedIn() {
		t.Error("a session in use has ended")
	}
}

// TestAScriptThatSignsInEndsNoPhone: the one that was unused longest used to end, a phone's of some days ago.
func TestAScriptThatSignsInEndsNoPhone(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	dana := w.join("dana@rockets.example")
	w.db.Exec(t, `UPDATE session SET user_agent = 'a phone', last_used_at = nightbell_now() - interval '4 days' WHERE user_id = $1`, dana.userID)
	w.db.Exec(t, `INSERT INTO session (id, user_id, org_id, user_agent, created_at, last_used_at)
		SELECT gen_random_uuid(), $1, $2, CASE WHEN n = 0 THEN 'a phone' ELSE 'a test' END, nightbell_now() - interval '5 days', nightbell_now() - n * interval '1 hour'
		FROM generate_series(0, 98) n`, dana.userID, dana.orgID)
	for range 3 {
		expect(t, "the script", w.anyone().login(dana.email, password, ""), http.StatusOK, "")
	}
	if all := pgtest.One[int](t, w.db, `SELECT count(*) FROM session WHERE user_id = $1`, dana.userID); all != 100 {
		t.Errorf("%d sessions", all)
	}
	expect(t, "the phone", w.anyone().refresh(dana.refreshToken), http.StatusOK, "")
}

func TestAForgottenPasswordIsReplacedByALinkOnce(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	dana := w.join("dana@rockets.example")
	expect(t, "without a mail server", w.anyone().call("POST", "/v1/auth/forgot-password", object{"email": dana.email}), http.StatusConflict, "To reset your password, please contact support.")
	if got := w.anyone().call("GET", "/v1/auth/options", nil); got.body["forgotten_password"] != "support" {
		t.Errorf("the options: %s", got.text)
	}
	w.auth.verifyMail, w.auth.resetKey = true, []byte("key")
	known := w.anyone().call("POST", "/v1/auth/forgot-password", object{"email": "DANA@rockets.example"})
	nobody := w.anyone().call("POST", "/v1/auth/forgot-password", object{"email": "nobody@rockets.example"})
	if known.status != http.StatusOK || known.text != nobody.text {
		t.Errorf("known: %s, unknown: %s", known.text, nobody.text)
	}
	reset := pgtest.One[[16]byte](t, w.db, `SELECT id FROM password_reset`) // one row: nobody gets none
	token := auth.ResetToken(w.auth.resetKey, reset)
	weak := w.anyone().call("POST", "/v1/auth/reset-password", object{"token": token, "password": "short"})
	expect(t, "a weak password", weak, http.StatusUnprocessableEntity, "")
	expect(t, "another token", w.anyone().call("POST", "/v1/auth/reset-password", object{"token": token + "x", "password": otherPassword}), http.StatusNotFound, auth.ErrResetUnknown.Message)
	expect(t, "the link", w.anyone().call("POST", "/v1/auth/reset-password", object{"token": token, "password": otherPassword}), http.StatusOK, resetMessage)
	if dana.isSignedIn() {
		t.Error("the sessions go on")
	}
	expect(t, "the old password", w.anyone().login(dana.email, password, ""), http.StatusUnauthorized, "")
	expect(t, "the new password", w.anyone().login(dana.email, otherPassword, ""), http.StatusOK, "")
	expect(t, "the link again", w.anyone().call("POST", "/v1/auth/reset-password", object{"token": token, "password": password}), http.StatusNotFound, auth.ErrResetUsed.Message)
	if n := pgtest.One[int](t, w.db, `SELECT count(*) FROM audit_event WHERE method LIKE '%ResetPassword' AND actor_name = 'Dana Whitfield'`); n != 1 {
		t.Errorf("%d audit rows tell of it", n)
	}
}

// TestANewPasswordIsToldToItsAddress: by a link always, by the old one where somebody has confirmed the address.
func TestANewPasswordIsToldToItsAddress(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	w.auth.verifyMail, w.auth.resetKey = true, []byte("key")
	dana := w.join("dana@rockets.example")
	notices := func() int {
		return pgtest.One[int](t, w.db, `SELECT count(*) FROM password_reset WHERE mail_due_at IS NOT NULL AND used_at = created_at AND used_from <> ''`)
	}
	change := func(from, to string) {
		t.Helper()
		expect(t, "a change", dana.call("POST", "/v1/auth/password", object{"old_password": from, "new_password": to}), http.StatusOK, "")
	}
	w.db.Exec(t, `UPDATE contact_method SET verified_at = NULL`)
	change(password, otherPassword)
	if n := notices(); n != 0 {
		t.Errorf("%d mails to an address that anybody may have registered", n)
	}
	w.db.Exec(t, `UPDATE contact_method SET verified_at = now()`)
	for range auth.ResetsAnHour {
		change(otherPassword, password)
		change(password, otherPassword)
	}
	if n := notices(); n != 1 { // each ends those before it that were not sent yet
		t.Errorf("%d mails after a change", n)
	}
	expect(t, "asking for a link", w.anyone().call("POST", "/v1/auth/forgot-password", object{"email": dana.email}), http.StatusOK, askedMessage)
	link := pgtest.One[[16]byte](t, w.db, `SELECT id FROM password_reset WHERE used_at IS NULL`)
	w.db.Exec(t, `UPDATE contact_method SET verified_at = NULL`)
	w.db.Exec(t, `UPDATE password_reset SET mail_due_at = NULL`)
	reset := w.anyone().call("POST", "/v1/auth/reset-password", object{"token": auth.ResetToken(w.auth.resetKey, link), "password": password})
	expect(t, "the link", reset, http.StatusOK, resetMessage)
	if n := notices(); n != 1 {
		t.Errorf("%d mails after a reset", n)
	}
}

func TestAResetLinkExpiresAndAnAddressGetsFewMails(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	w.auth.verifyMail, w.auth.resetKey = true, []byte("key")
	dana := w.join("dana@rockets.example")
	for range auth.ResetsAnHour + 2 {
		expect(t, "asking", w.anyone().call("POST", "/v1/auth/forgot-password", object{"email": dana.email}), http.StatusOK, askedMessage)
	}
	if n := pgtest.One[int](t, w.db, `SELECT count(*) FROM password_reset`); n != auth.ResetsAnHour {
		t.Errorf("%d mails are due", n)
	}
	token := auth.ResetToken(w.auth.resetKey, pgtest.One[[16]byte](t, w.db, `SELECT id FROM password_reset LIMIT 1`))
	w.db.Clock.Advance(auth.ResetLife)
	expect(t, "an old link", w.anyone().call("POST", "/v1/auth/reset-password", object{"token": token, "password": otherPassword}), http.StatusNotFound, auth.ErrResetExpired.Message)
	w.limit(Limits{Registrations: 2})
	for range 2 {
		expect(t, "asking", w.from("203.0.113.9").call("POST", "/v1/auth/forgot-password", object{"email": "nobody@rockets.example"}), http.StatusOK, "")
	}
	expect(t, "asking too often", w.from("203.0.113.9").call("POST", "/v1/auth/forgot-password", object{"email": dana.email}), http.StatusTooManyRequests, "")
}
