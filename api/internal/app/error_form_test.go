package app

import (
	"net/http"
	"strings"
	"testing"

	"github.com/nightbell/nightbell/api/internal/platform/rpcserver"
)

// TestEveryRefusalHasOneForm: of calls and of plain routes, before and after a route is found.
func TestEveryRefusalHasOneForm(t *testing.T) {
	t.Parallel()
	n := newTestServer(t).newTenant("acme")
	must(t, n.served.Handle(http.MethodGet, "/v1/panic", http.HandlerFunc(func(http.ResponseWriter, *http.Request) { panic("on purpose") })))
	webhook := "/v1/webhooks/prometheus/" + n.serviceKey
	large := strings.Repeat(" ", 9<<20)
	for name, c := range map[string]struct {
		verb, path, bearer, body string
		header                   []string
		status                   int
		code, allow              string
	}{
		"no such call":                      {verb: "GET", path: "/v1/nothing", status: 404, code: "not_found"},
		"no such procedure":                 {verb: "POST", path: "/nightbell.v1.OrgService/Nothing", body: "{}", status: 404, code: "not_found"},
		"a path with two slashes":           {verb: "GET", path: "/v1//teams", status: 404, code: "not_found"},
		"a call's wrong verb":               {verb: "PUT", path: "/v1/teams", status: 405, code: "method_not_allowed", allow: "GET, HEAD, OPTIONS, POST"},
		"a webhook's wrong verb":            {verb: "GET", path: webhook, status: 405, code: "method_not_allowed", allow: "OPTIONS, POST, PUT"},
		"the stream's wrong verb":           {verb: "POST", path: "/v1/stream", status: 405, code: "method_not_allowed", allow: "GET, HEAD, OPTIONS"},
		"a call's large body":               {verb: "POST", path: "/v1/teams", bearer: n.owner(), body: large, status: 413, code: "body_too_large"},
		"a webhook's large body":            {verb: "POST", path: webhook, body: large, status: 413, code: "body_too_large"},
		"an event's large body":             {verb: "POST", path: "/v1/events", bearer: n.serviceKey, body: large, status: 413, code: "body_too_large"},
		"a call's content type":             {verb: "POST", path: "/v1/teams", bearer: n.owner(), body: "a=b", header: []string{"Content-Type", "text/plain"}, status: 415, code: "content_type"},
		"a procedure's content type":        {verb: "POST", path: "/nightbell.v1.OrgService/CreateTeam", bearer: n.owner(), body: "a=b", header: []string{"Content-Type", "text/plain"}, status: 415, code: "content_type"},
		"a call's encoding":                 {verb: "POST", path: "/v1/teams", bearer: n.owner(), body: "{}", header: []string{"Content-Encoding", "br"}, status: 415, code: "content_encoding"},
		"a webhook's encoding":              {verb: "POST", path: webhook, body: "{}", header: []string{"Content-Encoding", "br"}, status: 415, code: "content_encoding"},
		"a change's encoding":               {verb: "POST", path: "/v1/changes", bearer: n.serviceKey, body: "{}", header: []string{"Content-Encoding", "br"}, status: 415, code: "content_type"},
		"the stream without a token":        {verb: "GET", path: "/v1/stream", status: 401, code: "no_token"},
		"the stream from nowhere":           {verb: "GET", path: "/v1/stream", bearer: n.owner(), header: []string{"Last-Event-ID", "x"}, status: 400, code: "invalid_last_event_id"},
		"a calendar that does not exist":    {verb: "GET", path: "/calendar/x.ics", status: 404, code: "calendar_feed_not_found"},
		"a service key that does not exist": {verb: "POST", path: "/v1/webhooks/prometheus/x", body: "{}", status: 404, code: "service_key_not_found"},
		"an event without a key":            {verb: "POST", path: "/v1/events", body: "{}", status: 401, code: "service_key_invalid"},
		"a plain route that panics":         {verb: "GET", path: "/v1/panic", status: 500, code: "internal"},
	} {
		got := n.plainly(c.verb, c.path, c.bearer, []byte(c.body), append([]string{"X-Request-Id", "tenant-test"}, c.header...)...)
		if how := brokenError(got); got.status != c.status || how != "" || !strings.Contains(got.body, `"code":"`+c.code+`"`) {
			t.Errorf("%s: %d %s, want %d %s; it %s", name, got.status, got.body, c.status, c.code, how)
		}
		if got.header.Get("Allow") != c.allow {
			t.Errorf("%s: Allow is %q", name, got.header.Get("Allow"))
		}
		if got.header.Get("Nightbell-Version") != rpcserver.ContractVersion || got.header.Get("Content-Type") != "application/json" {
			t.Errorf("%s: has the headers %v", name, got.header)
		}
	}
}

// TestWhatCreatesAnswers201 is about those whose names do not begin with Create.
func TestWhatCreatesAnswers201(t *testing.T) {
	t.Parallel()
	n := newTestServer(t).newTenant("acme")
	incident := "/v1/incidents/" + n.makeIncident()
	for path, c := range map[string]struct{ body, location string }{ // where location ends with a slash, an id follows
		incident + "/comments": {`{"message":"It is the disk."}`, incident + "/timeline"},
		"/v1/calendar-feeds":   {`{}`, "/v1/calendar-feeds/"},
		"/v1/auth/register":    {`{"user_type":"individual","name":"Eve","email":"eve@example.org","password":"` + password + `"}`, "/v1/auth/me"},
	} {
		got := n.plainly(http.MethodPost, path, n.owner(), []byte(c.body))
		location, made := got.header.Get("Location"), strings.HasSuffix(c.location, "/")
		if got.status != http.StatusCreated || !strings.HasPrefix(location, c.location) || (location == c.location) == made {
			t.Errorf("POST %s: %s", path, got.whole())
		}
		if read := n.get(location, n.owner()); read.status != http.StatusOK {
			t.Errorf("GET %s: %s", location, read.whole())
		}
	}
}
