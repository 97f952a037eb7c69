package web

import (
	"bytes"
	"io/fs"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"testing/fstest"
)

// A hash that a browser computes for <script>alert(1)</script>.
const alertHash = "'sha256-bhHHL3z2vDgxUt0W3dWQOrprscmda2Y5pLsLg4GF+pI='"

func built() fstest.MapFS {
	files := fstest.MapFS{}
	for name, content := range map[string]string{
		"index.html":                   `<html><script>alert(1)</script><script src="/assets/a.js"></script></html>`,
		"__spa-fallback.html":          `<html><script>fallback()</script></html>`,
		"404.html":                     `<html>This page does not exist</html>`,
		"docs/index.html":              `<html>Docs</html>`,
		"docs/platforms/go/index.html": `<html><span style="color:red">x</span></html>`,
		"assets/a.js":                  `console.log("plain")`,
		"assets/a.js.br":               `brotli`,
		"assets/a.js.gz":               `gzip`,
		"pagefind/pagefind.js":         `search()`,
		"pagefind/pagefind-worker.js":  `fetch(index)`,
		"favicon.svg":                  `<svg/>`,
		".gitignore":                   `*`,
		"_routes.json":                 `{"routes":["/","/docs","/docs/*","/dashboard","/incidents/:id"]}`,
	} {
		files[name] = &fstest.MapFile{Data: []byte(content)}
	}
	return files
}

func newSite(t *testing.T, content fs.FS, logs *bytes.Buffer) *Site {
	t.Helper()
	site, err := New(content, slog.New(slog.NewTextHandler(logs, nil)), []string{"ack", "verify", "webhooks", "prometheus"}, Company{})
	if err != nil {
		t.Fatal(err)
	}
	return site
}

func ask(site http.Handler, method, target string, header ...string) *httptest.ResponseRecorder {
	r := httptest.NewRequest(method, "/", nil)
	r.URL.Path, r.URL.RawQuery, _ = strings.Cut(target, "?")
	for i := 0; i+1 < len(header); i += 2 {
		r.Header.Set(header[i], header[i+1])
	}
	w := httptest.NewRecorder()
	site.ServeHTTP(w, r)
	return w
}

func TestPaths(t *testing.T) {
	site := newSite(t, built(), &bytes.Buffer{})
	for _, c := range []struct {
		path     string
		status   int
		contains string
		location string
	}{
		{path: "/", status: 200, contains: "alert(1)"},
		{path: "/docs", status: 200, contains: "Docs"},
		{path: "/docs/platforms/go", status: 200, contains: "color:red"},
		{path: "/docs/nothing", status: 404, contains: "does not exist"},
		{path: "/docs/", status: 308, location: "/docs"},
		{path: "/docs/?a=b&c", status: 308, location: "/docs?a=b&c"},
		{path: "//evil.example/", status: 308, location: "/evil.example"},
		{path: `/\evil.example/`, status: 308, location: "/%5Cevil.example"},
		{path: "/dashboard", status: 200, contains: "fallback()"},
		{path: "/incidents/0198", status: 200, contains: "fallback()"},
		{path: "/incidents", status: 404, contains: "does not exist"},
		{path: "/incidents/a/b", status: 404, contains: "does not exist"},
		{path: "/favicon.svg", status: 200, contains: "<svg/>"},
		{path: "/assets/a.js", status: 200, contains: "plain"},
		{path: "/assets/gone.js", status: 404, contains: "another version"},
		{path: "/assets/a.js.br", status: 404, contains: "another version"},
		{path: "/_routes.json", status: 404, contains: "does not exist"},
		{path: "/__spa-fallback.html", status: 404, contains: "does not exist"},
		{path: "/.gitignore", status: 404, contains: "does not exist"},
		{path: "/../etc/passwd", status: 308, location: "/etc/passwd"},
	} {
		got := ask(site, http.MethodGet, c.path)
		if got.Code != c.status || !strings.Contains(got.Body.String(), c.contains) || got.Header().Get("Location") != c.location {
			t.Errorf("GET %s: %d %q to %q, want %d with %q to %q",
				c.path, got.Code, got.Body, got.Header().Get("Location"), c.status, c.contains, c.location)
		}
	}
}

func TestMissingPageIsLogged(t *testing.T) {
	var logs bytes.Buffer
	ask(newSite(t, built(), &logs), http.MethodGet, "/nowhere?secret=1")
	if got := logs.String(); !strings.Contains(got, "path=/nowhere") || strings.Contains(got, "secret") {
		t.Errorf("log %q, want the path without the query", got)
	}
}

// TestMissingPagesWithKeysAreMasked: a mistyped address of a webhook or an acknowledge link is
// an unknown page, and holds a secret.
func TestMissingPagesWithKeysAreMasked(t *testing.T) {
	const key = "nbs_5vJ2kQ0bX9aLr7TzPq3W"
	var logs bytes.Buffer
	site := newSite(t, built(), &logs)
	for _, path := range []string{"/Ack/" + key, "/webhooks/prometheus/" + key, "/v1/webhook/" + key + "/x", "/" + key + "%1b%5b31m"} {
		ask(site, http.MethodGet, path)
	}
	if got := logs.String(); strings.Contains(got, key[:12]) || !strings.Contains(got, "/webhooks/prometheus/…") {
		t.Errorf("log %q", got)
	}
	// Misspelt words, and keys that were cut or put together with something.
	for _, path := range []string{"/webhoks/promtheus/" + key[:14], "/akc/" + key[4:12], "/calender/" + key[4:14] + ".ics", "/verfy" + key[:14], "/v1/heartbeats." + key[:12]} {
		logs.Reset()
		ask(site, http.MethodGet, path)
		if got := logs.String(); strings.Contains(got, key[4:9]) || !strings.Contains(got, "…") {
			t.Errorf("log %q", got)
		}
	}
}

func TestMissingAssetIsNeverHTML(t *testing.T) {
	got := ask(newSite(t, built(), &bytes.Buffer{}), http.MethodGet, "/assets/gone.js")
	if kind := got.Header().Get("Content-Type"); !strings.HasPrefix(kind, "text/plain") {
		t.Errorf("a missing asset is answered as %s", kind)
	}
}

func TestEncodings(t *testing.T) {
	site := newSite(t, built(), &bytes.Buffer{})
	for accepted, want := range map[string]string{
		"":                    "",
		"gzip, deflate, br":   "br",
		"gzip":                "gzip",
		"br;q=0, gzip;q=0.5":  "gzip",
		"br; q=1.0":           "br",
		"identity, *;q=0":     "",
		"gzip;q=banana":       "",
		"brotli, xgzip, gzi,": "",
	} {
		got := ask(site, http.MethodGet, "/assets/a.js", "Accept-Encoding", accepted)
		if encoding := got.Header().Get("Content-Encoding"); encoding != want {
			t.Errorf("Accept-Encoding %q: encoded as %q, want %q", accepted, encoding, want)
		}
		if got.Header().Get("Vary") != "Accept-Encoding" || !strings.HasPrefix(got.Header().Get("Content-Type"), "text/javascript") {
			t.Errorf("Accept-Encoding %q: headers %v", accepted, got.Header())
		}
	}
}

func TestCaching(t *testing.T) {
	site := newSite(t, built(), &bytes.Buffer{})
	asset := ask(site, http.MethodGet, "/assets/a.js")
	if got := asset.Header().Get("Cache-Control"); !strings.Contains(got, "immutable") {
		t.Errorf("asset: Cache-Control %q", got)
	}
	page := ask(site, http.MethodGet, "/")
	if got := page.Header().Get("Cache-Control"); got != "no-cache" {
		t.Errorf("page: Cache-Control %q", got)
	}
	tag := page.Header().Get("ETag")
	again := ask(site, http.MethodGet, "/", "If-None-Match", `"x", W/`+tag)
	if again.Code != http.StatusNotModified || again.Body.Len() != 0 {
		t.Errorf("the same page again: %d with %d bytes", again.Code, again.Body.Len())
	}
	missing := ask(site, http.MethodGet, "/nowhere")
	if again := ask(site, http.MethodGet, "/nowhere", "If-None-Match", missing.Header().Get("ETag")); again.Code != http.StatusNotFound {
		t.Errorf("a missing page again: %d, want 404", again.Code)
	}
	encoded := ask(site, http.MethodGet, "/assets/a.js", "Accept-Encoding", "br")
	if encoded.Header().Get("ETag") == asset.Header().Get("ETag") {
		t.Error("two encodings share an ETag")
	}
}

func TestContentPolicy(t *testing.T) {
	site := newSite(t, built(), &bytes.Buffer{})
	landing := ask(site, http.MethodGet, "/").Header().Get("Content-Security-Policy")
	for _, want := range []string{
		"script-src 'self' " + alertHash + ";", "style-src 'self';", "object-src 'none'",
		"base-uri 'none'", "frame-ancestors 'none'", "form-action 'self'", "connect-src 'self'", "img-src 'self' data:",
	} {
		if !strings.Contains(landing, want) {
			t.Errorf("the landing page's policy lacks %s: %s", want, landing)
		}
	}
	if strings.Contains(landing, "unsafe") {
		t.Errorf("the landing page allows something unsafe: %s", landing)
	}
	for path, allowed := range map[string]bool{"/docs/platforms/go": true, "/dashboard": true, "/docs": false, "/nowhere": false} {
		policy := ask(site, http.MethodGet, path).Header().Get("Content-Security-Policy")
		if strings.Contains(policy, "style-src-attr 'unsafe-inline'") != allowed || strings.Count(policy, "unsafe") > 1 {
			t.Errorf("%s has the policy %s", path, policy)
		}
	}
}

// TestSearchWorkerHasRights: a worker obeys the policy of its own file, also of one kept by the browser.
func TestSearchWorkerHasRights(t *testing.T) {
	site := newSite(t, built(), &bytes.Buffer{})
	const want = "default-src 'none'; connect-src 'self'; script-src 'wasm-unsafe-eval'; frame-ancestors 'none'"
	fresh := ask(site, http.MethodGet, "/pagefind/pagefind-worker.js")
	kept := ask(site, http.MethodGet, "/pagefind/pagefind-worker.js", "If-None-Match", fresh.Header().Get("ETag"))
	for _, got := range []*httptest.ResponseRecorder{fresh, kept} {
		if policy := got.Header().Get("Content-Security-Policy"); policy != want {
			t.Errorf("%d with the policy %q, want %q", got.Code, policy, want)
		}
	}
	for _, path := range []string{"/pagefind/pagefind.js", "/assets/a.js", "/favicon.svg"} {
		if policy := ask(site, http.MethodGet, path).Header().Get("Content-Security-Policy"); policy != "" {
			t.Errorf("%s replaces the server's policy by %q", path, policy)
		}
	}
}

func TestOnlyReading(t *testing.T) {
	site := newSite(t, built(), &bytes.Buffer{})
	if got := ask(site, http.MethodPost, "/"); got.Code != http.StatusMethodNotAllowed || got.Header().Get("Allow") == "" {
		t.Errorf("POST /: %d", got.Code)
	}
	if got := ask(site, http.MethodHead, "/docs"); got.Code != 200 || got.Body.Len() != 0 || got.Header().Get("Content-Length") == "" {
		t.Errorf("HEAD /docs: %d, %d bytes, headers %v", got.Code, got.Body.Len(), got.Header())
	}
}

func TestSiteNotBuilt(t *testing.T) {
	site := newSite(t, fstest.MapFS{".gitignore": &fstest.MapFile{}}, &bytes.Buffer{})
	got := ask(site, http.MethodGet, "/dashboard")
	if got.Code != http.StatusServiceUnavailable || !strings.Contains(got.Body.String(), "make build") {
		t.Errorf("without a site: %d %s", got.Code, got.Body)
	}
}

func TestHalfABuildIsRefused(t *testing.T) {
	for _, name := range []string{"404.html", "__spa-fallback.html", "_routes.json"} {
		content := built()
		delete(content, name)
		if _, err := New(content, slog.New(slog.DiscardHandler), nil, Company{}); err == nil || !strings.Contains(err.Error(), name) {
			t.Errorf("without %s: %v", name, err)
		}
	}
}

// TestAShortSecretIsMaskedByItsPlace: keys that were set by hand, cut-off links and parts of a
// token are shorter than the words of a path.
func TestAShortSecretIsMaskedByItsPlace(t *testing.T) {
	for at, want := range map[string]string{
		"/Ack/s3cr3t":                       "path=/Ack/…",
		"/ack/s3cr3t/s3cr3t":                "path=/ack/…/…",
		"/VERIFY/s3cr3t":                    "path=/VERIFY/…",
		"/webhooks/prometheus/s3cr3t":       "path=/webhooks/prometheus/…",
		"/v1/webhook/Prometheus/s3cr3t":     "path=/v1/webhook/Prometheus/…",
		"/prometheus/webhooks/s3cr3t/extra": "path=/prometheus/webhooks/…/…",
		"/docs/instal":                      "path=/docs/instal",
	} {
		var logs bytes.Buffer
		ask(newSite(t, built(), &logs), http.MethodGet, at)
		if got := logs.String(); !strings.Contains(got, want) || strings.Contains(got, "s3cr3t") {
			t.Errorf("%s is logged as %s, want %s", at, got, want)
		}
	}
}

// Whatever is compiled in, a site or only the placeholder, can be served.
func TestBuiltCanBeServed(t *testing.T) {
	site, err := New(Built(), slog.New(slog.DiscardHandler), nil, Company{})
	if err != nil {
		t.Fatal(err)
	}
	for path, known := range site.files {
		want, err := fs.ReadFile(Built(), known.name)
		if err != nil {
			t.Fatal(err)
		}
		if got := ask(site, http.MethodGet, path); got.Code != http.StatusOK || !bytes.Equal(got.Body.Bytes(), want) {
			t.Errorf("GET %s: %d, %d bytes, want %d", path, got.Code, got.Body.Len(), len(want))
		}
	}
}
