package app

import (
	"net/http"
	"net/http/httptest"
	"os"
	"strings"
	"testing"

	"google.golang.org/genproto/googleapis/api/annotations"
	"google.golang.org/protobuf/proto"

	"github.com/nightbell/nightbell/api/internal/ingest"
)

const specDeviations = "../../../docs-mdx/decisions/spec-deviations.md"

// specStrangers are the three calls of the specification that need no session (section 6).
var specStrangers = []string{"/v1/auth/register", "/v1/auth/login", ingest.Paths()[0]}

// strangersCall is one that needs no session; verb and path are its REST form.
type strangersCall struct{ verb, path string }

// publicCalls are the RPCs that need no session, beyond those of the specification.
func publicCalls() (found []strangersCall) {
	for _, method := range methods() {
		if !authzOf(method).GetPublic() {
			continue
		}
		rule, _ := proto.GetExtension(method.Options(), annotations.E_Http).(*annotations.HttpRule)
		call := strangersCall{http.MethodPost, rule.GetPost()}
		if rule.GetGet() != "" {
			call = strangersCall{http.MethodGet, rule.GetGet()}
		}
		if call.path != specStrangers[0] && call.path != specStrangers[1] {
			found = append(found, call)
		}
	}
	return found
}

// TestEveryCallWithoutASessionIsADeclaredDeviation: of calls and of plain routes. The stream and an export want a token.
func TestEveryCallWithoutASessionIsADeclaredDeviation(t *testing.T) {
	t.Parallel()
	declared := string(sure(os.ReadFile(specDeviations)))
	calls := publicCalls()
	for name := range plainKinds {
		if verb, path, _ := strings.Cut(name, " "); path != "/v1/stream" && path != "/v1/account/export" && path != specStrangers[2] {
			calls = append(calls, strangersCall{verb, path})
		}
	}
	for _, call := range calls {
		t.Run(call.verb+" "+call.path, func(t *testing.T) {
			if !strings.Contains(declared, "`"+call.path+"`") {
				t.Errorf("%s needs no session and is none of the specification's three: say so in %s", call.path, specDeviations)
			}
		})
	}
}

// TestCallsWithoutASessionAreLimitedByNetwork: beyond the quota each of them is refused with how long
// to wait. Signing in is not, and other networks are not.
func TestCallsWithoutASessionAreLimitedByNetwork(t *testing.T) {
	t.Parallel()
	r := newTestServer(t)
	r.newTenant("acme")
	ask := func(from string, call strangersCall, body string) answer {
		request := newRequest(t.Context(), call.verb, call.path, []byte(body))
		request.RemoteAddr = from
		recorder := httptest.NewRecorder()
		r.handler.ServeHTTP(recorder, request)
		return answer{status: recorder.Code, header: recorder.Header(), body: recorder.Body.String()}
	}
	const here, elsewhere = "198.51.100.7:4711", "203.0.113.7:4711"
	options := strangersCall{http.MethodGet, "/v1/auth/options"}
	for call := range 600 {
		if got := ask(here, options, ""); got.status != http.StatusOK {
			t.Fatalf("call %d of a minute: %s", call+1, got.whole())
		}
	}
	for _, call := range publicCalls() {
		t.Run(call.verb+" "+call.path, func(t *testing.T) {
			got := ask(here, call, "{}")
			got.is(t, call.path, http.StatusTooManyRequests, "rate_limited")
			if got.header.Get("Retry-After") == "" || !strings.Contains(got.body, "from your network") {
				t.Errorf("%s: does not say when to come back: %s", call.path, got.whole())
			}
			if got := ask(elsewhere, call, "{}"); got.status == http.StatusTooManyRequests {
				t.Errorf("%s is refused to another network: %s", call.path, got.whole())
			}
		})
	}
	login := strangersCall{http.MethodPost, specStrangers[1]}
	if got := ask(here, login, `{"email":"owner@acme.example.com","password":"`+password+`"}`); got.status == http.StatusTooManyRequests {
		t.Errorf("signing in is refused: %s", got.whole())
	}
}

// TestWhatCannotBeReadIsCountedToo: a stranger's body is unpacked and parsed, whatever comes of it.
func TestWhatCannotBeReadIsCountedToo(t *testing.T) {
	t.Parallel()
	r := newTestServer(t)
	ask := func(path, token string) int {
		request := newRequest(t.Context(), http.MethodPost, path, []byte(`{"`))
		request.RemoteAddr = "198.51.100.8:4711"
		if token != "" {
			request.Header.Set("Authorization", "Bearer "+token)
		}
		recorder := httptest.NewRecorder()
		r.handler.ServeHTTP(recorder, request)
		return recorder.Code
	}
	for call := range 600 {
		if got := ask("/v1/auth/refresh", ""); got != http.StatusBadRequest {
			t.Fatalf("call %d of a minute: %d", call+1, got)
		}
	}
	if got := ask("/v1/auth/refresh", ""); got != http.StatusTooManyRequests {
		t.Errorf("the 601st: %d", got)
	}
	for _, token := range []string{"", "made-up", "nbk_short"} {
		if got := ask("/v1/incidents/bulk", token); got != http.StatusUnauthorized {
			t.Errorf("a body of nobody with the token %q: %d", token, got)
		}
	}
}
