package rpcserver

import (
	"bufio"
	"context"
	"fmt"
	"io"
	"log/slog"
	"net"
	"net/http"
	"net/http/httptest"
	"net/netip"
	"strings"
	"testing"
	"time"

	nightbellv1 "github.com/nightbell/nightbell/api/gen/nightbell/v1"
)

func plain(t *testing.T, server *Server, verb, path string, handle http.HandlerFunc) {
	t.Helper()
	if err := server.Handle(verb, path, handle); err != nil {
		t.Fatal(err)
	}
}

func TestWrongAddressesAndVerbs(t *testing.T) {
	server := New(quiet())
	mountProbe(t, server, &probe{get: func(context.Context, *nightbellv1.GetIncidentRequest) (*nightbellv1.GetIncidentResponse, error) {
		return &nightbellv1.GetIncidentResponse{}, nil
	}})
	server.Fallback = http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) { fmt.Fprint(w, "the site") })
	handler := server.Handler()
	for _, c := range []struct {
		verb, path string
		status     int
		shows      string
		allow      string
	}{
		{verb: "GET", path: "/v1/nothing", status: 404, shows: `"code":"not_found"`},
		{verb: "GET", path: "/v1", status: 404, shows: `"code":"not_found"`},
		{verb: "GET", path: "/v1/", status: 404, shows: `"code":"not_found"`},
		{verb: "GET", path: "/v1//incidents", status: 404, shows: `"code":"not_found"`},
		{verb: "GET", path: "/v1/../v1/incidents", status: 404, shows: `"code":"not_found"`},
		{verb: "POST", path: "/nightbell.v1.IncidentService/Nothing", status: 404, shows: `"code":"not_found"`},
		{verb: "POST", path: "/nightbell.v1.Nothing/Nothing", status: 404, shows: `"code":"not_found"`},
		{verb: "PUT", path: "/v1/incidents/x", status: 405, shows: `PUT is not possible here. Use GET, HEAD, OPTIONS.`, allow: "GET, HEAD, OPTIONS"},
		{verb: strings.Repeat("X", 100), path: "/v1/incidents", status: 405, shows: "Use GET, HEAD, OPTIONS, POST.", allow: "GET, HEAD, OPTIONS, POST"},
		{verb: "OPTIONS", path: "/v1/incidents/x", status: 204, allow: "GET, HEAD, OPTIONS"},
		{verb: "GET", path: "/nightbell.v1.IncidentService/CreateIncident", status: 405, shows: "Use OPTIONS, POST.", allow: "OPTIONS, POST"},
		{verb: "HEAD", path: "/v1/incidents/x", status: 200},
		{verb: "GET", path: "/v1/incidents/x/", status: 200, shows: "{"},
		{verb: "GET", path: "/", status: 200, shows: "the site"},
		{verb: "POST", path: "/v1x/incidents", status: 200, shows: "the site"},
	} {
		got := rest(handler, c.verb, c.path, "")
		if got.status != c.status || !strings.Contains(got.body, c.shows) || got.header.Get("Allow") != c.allow {
			t.Errorf("%s %s: %d %s, Allow %q", c.verb, c.path, got.status, got.body, got.header.Get("Allow"))
		}
	}
}

func TestEveryAnswerIsHardened(t *testing.T) {
	server := New(quiet())
	mountProbe(t, server, &probe{})
	server.HTTPS = true
	handler := server.Handler()
	for _, path := range []string{"/v1/incidents/x", "/v1/nothing", "/elsewhere"} {
		header := rest(handler, http.MethodGet, path, "").header
		for name, want := range map[string]string{
			"X-Content-Type-Options":     "nosniff",
			"Referrer-Policy":            "same-origin",
			"Cross-Origin-Opener-Policy": "same-origin",
			"Permissions-Policy":         "camera=()",
			"Content-Security-Policy":    "default-src 'none'; frame-ancestors 'none'",
			"Strict-Transport-Security":  "max-age=31536000",
			"Cache-Control":              "no-store",
		} {
			if !strings.Contains(header.Get(name), want) {
				t.Errorf("%s: %s is %q", path, name, header.Get(name))
			}
		}
	}
}

func TestRequestIDs(t *testing.T) {
	server := New(quiet())
	var seen string
	plain(t, server, http.MethodGet, "/id", func(_ http.ResponseWriter, r *http.Request) { seen = RequestID(r.Context()) })
	handler := server.Handler()
	for given, kept := range map[string]bool{
		"abc-DEF_1.2": true, "": false, "has space": false, "new\nline": false, strings.Repeat("x", 65): false, "<script>": false, "é": false,
	} {
		got := rest(handler, http.MethodGet, "/id", "", "X-Request-Id", given).header.Get("X-Request-Id")
		if got == "" || got != seen || (got == given) != kept {
			t.Errorf("given %q: answered %q, handler saw %q", given, got, seen)
		}
	}
}

// The path of a webhook holds its key; neither log nor observers may see it.
func TestAccessLogNamesRoutesNotPaths(t *testing.T) {
	var logs lockedBuffer
	server := New(slog.New(slog.NewJSONHandler(&logs, nil)))
	plain(t, server, http.MethodPost, "/v1/webhooks/prometheus/{service_key}", func(w http.ResponseWriter, r *http.Request) {
		if r.PathValue("service_key") != "sv_secret" {
			t.Errorf("the handler got %q", r.PathValue("service_key"))
		}
		fmt.Fprint(w, "ok")
	})
	plain(t, server, http.MethodGet, "/healthz", func(http.ResponseWriter, *http.Request) {})
	var observed []Observation
	server.Observers = append(server.Observers, func(_ context.Context, seen Observation) { observed = append(observed, seen) })
	handler := server.Handler()
	rest(handler, http.MethodPost, "/v1/webhooks/prometheus/sv_secret", "{}")
	rest(handler, http.MethodPost, "/v1/webhooks/prometheus/sv_secret/", "{}")
	rest(handler, http.MethodGet, "/v1/webhooks/prometheus/sv_secret", "")
	rest(handler, http.MethodGet, "/v1/webhooks/prometheus/sv_secret/more", "")
	rest(handler, http.MethodGet, "/healthz", "")
	text := logs.String()
	if strings.Contains(text, "sv_secret") || strings.Contains(text, "healthz") || strings.Count(text, "\n") != 4 {
		t.Errorf("the log is %s", text)
	}
	for _, want := range []string{`"route":"/v1/webhooks/prometheus/{service_key}"`, `"status":200`, `"bytes":2`, `"peer":"192.0.2.1"`, `"code":"method_not_allowed"`, `"ms":`} {
		if !strings.Contains(text, want) {
			t.Errorf("the log lacks %s: %s", want, text)
		}
	}
	if len(observed) != 5 || observed[0].Route != "/v1/webhooks/prometheus/{service_key}" || observed[3].Route != "other" {
		t.Errorf("observed %+v", observed)
	}
}

func TestClientAddress(t *testing.T) {
	trusted := []netip.Prefix{netip.MustParsePrefix("10.0.0.0/8"), netip.MustParsePrefix("192.0.2.1/32"), netip.MustParsePrefix("fd00::/8")}
	for name, c := range map[string]struct {
		remote    string
		forwarded []string
		want      string
	}{
		"no proxy":                   {"203.0.113.9:1", nil, "203.0.113.9"},
		"a stranger's header":        {"203.0.113.9:1", []string{"1.2.3.4"}, "203.0.113.9"},
		"our proxy":                  {"10.1.1.1:1", []string{"203.0.113.9"}, "203.0.113.9"},
		"two of ours":                {"10.1.1.1:1", []string{"203.0.113.9, 192.0.2.1"}, "203.0.113.9"},
		"spoofed before our proxy":   {"10.1.1.1:1", []string{"1.2.3.4, 203.0.113.9"}, "203.0.113.9"},
		"spoofed in a header before": {"10.1.1.1:1", []string{"1.2.3.4", "203.0.113.9"}, "203.0.113.9"},
		"our proxy without a header": {"10.1.1.1:1", nil, "10.1.1.1"},
		"nonsense from our proxy":    {"10.1.1.1:1", []string{"unknown"}, "10.1.1.1"},
		"IPv4 written as IPv6":       {"[::ffff:10.1.1.1]:1", []string{"203.0.113.9"}, "203.0.113.9"},
		"IPv6":                       {"[fd00::1]:1", []string{"2001:db8::1"}, "2001:db8::1"},
		"only ours":                  {"10.1.1.1:1", []string{"10.2.2.2"}, "10.2.2.2"},
	} {
		r := httptest.NewRequest(http.MethodGet, "/", nil)
		r.RemoteAddr = c.remote
		for _, value := range c.forwarded {
			r.Header.Add("X-Forwarded-For", value)
		}
		if got := clientAddr(r, trusted); got != netip.MustParseAddr(c.want) {
			t.Errorf("%s: %s, want %s", name, got, c.want)
		}
	}
}

func TestPanicInAPlainHandler(t *testing.T) {
	var logs lockedBuffer
	server := New(slog.New(slog.NewTextHandler(&logs, nil)))
	plain(t, server, http.MethodGet, "/before", func(http.ResponseWriter, *http.Request) { panic("boom") })
	plain(t, server, http.MethodGet, "/during", func(w http.ResponseWriter, _ *http.Request) {
		fmt.Fprint(w, strings.Repeat("half an answer", 1000))
		panic("boom")
	})
	base := listen(t, server.Handler())
	res, err := http.Get(base + "/before")
	if err != nil {
		t.Fatal(err)
	}
	body, _ := io.ReadAll(res.Body)
	_ = res.Body.Close()
	if res.StatusCode != http.StatusInternalServerError || !strings.Contains(string(body), `"internal"`) {
		t.Errorf("%d %s", res.StatusCode, body)
	}
	if res, err := http.Get(base + "/during"); err == nil {
		_, err = io.ReadAll(res.Body)
		_ = res.Body.Close()
		if err == nil {
			t.Error("half an answer looks whole")
		}
	}
	if got := logs.String(); strings.Count(got, "msg=panic") != 2 || !strings.Contains(got, "front_test.go") {
		t.Errorf("the log lacks the panics or their stacks: %s", got)
	}
}

// T07: whoever sends slowly, or not at all, is cut off; a stream that lasts is not.
func TestSlowSendersAreCutOff(t *testing.T) {
	server := New(quiet())
	server.BodyTimeout = 100 * time.Millisecond
	failed := make(chan error, 1)
	plain(t, server, http.MethodPost, "/v1/slow", func(w http.ResponseWriter, r *http.Request) {
		_, err := io.ReadAll(r.Body)
		failed <- err
		WriteError(w, r, bodyFault(err))
	})
	plain(t, server, http.MethodPost, "/v1/long", func(w http.ResponseWriter, r *http.Request) {
		_, _ = io.ReadAll(r.Body)
		time.Sleep(2 * server.BodyTimeout)
		if r.Context().Err() == nil {
			fmt.Fprint(w, "still here")
		}
	})
	base := listen(t, server.Handler())

	conn, err := net.Dial("tcp", strings.TrimPrefix(base, "http://"))
	if err != nil {
		t.Fatal(err)
	}
	defer conn.Close()
	fmt.Fprint(conn, "POST /v1/slow HTTP/1.1\r\nHost: x\r\nContent-Length: 100\r\n\r\nonly this")
	began := time.Now()
	res, err := http.ReadResponse(bufio.NewReader(conn), nil)
	if err != nil {
		t.Fatal(err)
	}
	defer res.Body.Close()
	body, _ := io.ReadAll(res.Body)
	if <-failed == nil || res.StatusCode != http.StatusBadRequest || !strings.Contains(string(body), "body_incomplete") || time.Since(began) > 5*time.Second {
		t.Errorf("%d %s after %s", res.StatusCode, body, time.Since(began))
	}
	long, err := http.Post(base+"/v1/long", "text/plain", strings.NewReader("all of it"))
	if err != nil {
		t.Fatal(err)
	}
	defer long.Body.Close()
	if body, _ := io.ReadAll(long.Body); string(body) != "still here" {
		t.Errorf("a handler that takes longer than its body got %q", body)
	}
}

func TestServerLimits(t *testing.T) {
	server := NewHTTPServer(http.NotFoundHandler(), quiet())
	if server.ReadHeaderTimeout != 5*time.Second || server.IdleTimeout != time.Minute || server.MaxHeaderBytes != 16<<10 ||
		server.WriteTimeout == 0 || server.HTTP2.MaxConcurrentStreams != 100 || !server.Protocols.UnencryptedHTTP2() {
		t.Errorf("limits %+v", server)
	}
	base := listen(t, http.NotFoundHandler())
	req, err := http.NewRequestWithContext(t.Context(), http.MethodGet, base, nil)
	if err != nil {
		t.Fatal(err)
	}
	req.Header.Set("Big", strings.Repeat("x", 32<<10))
	res, err := http.DefaultClient.Do(req)
	if err != nil {
		t.Fatal(err)
	}
	_ = res.Body.Close()
	if res.StatusCode != http.StatusRequestHeaderFieldsTooLarge {
		t.Errorf("a header of 32 KiB: %d", res.StatusCode)
	}
}

func TestRoutesListsEverything(t *testing.T) {
	server := New(quiet())
	mountProbe(t, server, &probe{})
	plain(t, server, http.MethodGet, "/healthz", func(http.ResponseWriter, *http.Request) {})
	if err := server.Handle(http.MethodGet, "/healthz", http.NotFoundHandler()); err == nil {
		t.Error("a route can be taken twice")
	}
	if err := server.Handle(http.MethodGet, "no slash", http.NotFoundHandler()); err == nil {
		t.Error("a path without a slash is accepted")
	}
	counted := map[string]int{}
	for _, route := range server.Routes() {
		switch {
		case route.REST:
			counted["rest"]++
		case route.Procedure != "":
			counted["rpc"]++
		default:
			counted["plain"]++
		}
	}
	methods := incidentService().Methods().Len()
	if counted["rest"] != methods || counted["rpc"] <= methods || counted["plain"] != 1 {
		t.Errorf("routes %v for %d methods", counted, methods)
	}
}
