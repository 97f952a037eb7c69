package app

import (
	"bytes"
	"fmt"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"github.com/nightbell/nightbell/api/internal/enquiry"
	"github.com/nightbell/nightbell/api/internal/platform/postgres/pgtest"
)

func TestEnquiriesAreKeptExportedAndForgotten(t *testing.T) {
	t.Parallel()
	r := newTestServer(t)
	ask := func(body object) object { return r.call("", http.MethodPost, "/v1/enquiries", body) }
	ask(object{"kind": "sales", "email": "ada@example.com", "name": "=HYPERLINK(\"x\")", "message": "How much\nfor 40?"})
	first := ask(object{"kind": "news", "email": "ada@example.com"})
	if again := ask(object{"kind": "news", "email": "ADA@example.com"}); again["message"] != first["message"] {
		t.Errorf("the same address again is told apart: %v", again)
	}
	r.wantRefused("no message", "invalid_fields", "", http.MethodPost, "/v1/enquiries", object{"kind": "sales", "email": "ada@example.com"})
	r.wantRefused("no address", "invalid_fields", "", http.MethodPost, "/v1/enquiries", object{"kind": "news", "email": "nobody"})
	var out bytes.Buffer
	if err := enquiry.Export(t.Context(), r.db, &out); err != nil {
		t.Fatal(err)
	}
	lines := strings.Split(strings.TrimSpace(out.String()), "\n")
	if !strings.Contains(out.String(), `"'=HYPERLINK(""x"")"`) || len(lines) != 4 {
		t.Errorf("exported: %s", out.String())
	}
	deleted, err := enquiry.Delete(t.Context(), r.db, "ada@EXAMPLE.com")
	if left := pgtest.One[int](t, r.database, `SELECT count(*) FROM enquiry`); err != nil || deleted != 2 || left != 0 {
		t.Errorf("deleted %d, %d left, %v", deleted, left, err)
	}
}

func TestStrangersCannotFillTheDiskWithEnquiries(t *testing.T) {
	t.Parallel()
	r := newTestServer(t)
	r.database.Exec(t, `INSERT INTO enquiry (id, kind, email, created_at)
		SELECT gen_random_uuid(), 'sales', n || '@example.com', nightbell_now() FROM generate_series(1, 1000) n`)
	r.wantRefused("beyond a day's worth", "rate_limited", "", http.MethodPost, "/v1/enquiries", object{"kind": "news", "email": "late@example.com"})
	for i, from := range []string{"[2001:db8::1]:1", "[2001:db8::2]:1", "[2001:db8::3]:1", "[2001:db8::4]:1", "[2001:db8::5]:1", "[2001:db8::6]:1", "[2001:db8::7]:1"} {
		request := httptest.NewRequestWithContext(t.Context(), http.MethodPost, "/v1/enquiries", strings.NewReader(`{"kind":"news","email":"more@example.com"}`))
		request.Header.Set("Content-Type", "application/json")
		request.RemoteAddr = from // one person's network
		answer := httptest.NewRecorder()
		r.handler.ServeHTTP(answer, request)
		if tooOften := strings.Contains(answer.Body.String(), "more than 6 calls in a minute"); tooOften != (i == 6) || answer.Code != http.StatusTooManyRequests {
			t.Errorf("the %d. of a minute: %d %s", i+1, answer.Code, answer.Body)
		}
	}
}

func TestAPlanIsKeptAndATrialHasAnEnd(t *testing.T) {
	t.Parallel()
	r := newTestServer(t)
	for plan, want := range map[string]string{"": "starter 0", "professional": "professional 14"} {
		email := fmt.Sprintf("plan-%s@example.com", plan)
		r.call("", http.MethodPost, "/v1/auth/register", object{"user_type": "individual", "name": "Ada", "email": email, "password": password, "plan": plan})
		got := pgtest.One[string](t, r.database, `SELECT o.plan || ' ' || coalesce(extract(day FROM o.trial_ends_at - o.created_at), 0)
			FROM org o JOIN membership m ON m.org_id = o.id JOIN users u ON u.id = m.user_id WHERE u.email = '`+email+`'`)
		if got != want {
			t.Errorf("%q registered for %q", plan, got)
		}
	}
	r.wantRefused("a plan nobody sells", "invalid_fields", "", http.MethodPost, "/v1/auth/register",
		object{"user_type": "individual", "name": "Ada", "email": "x@example.com", "password": password, "plan": "gold"})
}
