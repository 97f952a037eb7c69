package web

import (
	"bytes"
	"compress/gzip"
	"encoding/json"
	"html"
	"io"
	"log/slog"
	"net/http"
	"strconv"
	"strings"
	"testing"
	"testing/fstest"
	"time"
)

const footer = `<html><head><meta name="company" content="{&quot;name&quot;:&quot;Nightbell&quot;,&quot;address&quot;:&quot;Lindenstrasse 14\n10969 Berlin, Germany&quot;,&quot;salesEmail&quot;:&quot;sales@nightbell.example&quot;,&quot;supportEmail&quot;:&quot;support@nightbell.example&quot;}"/></head>` +
	`<script>alert(1)</script><span data-company="name">Nightbell</span><span data-company="address">Lindenstrasse 14
10969 Berlin, Germany</span><a data-company="supportEmail" href="mailto:support@nightbell.example">Contact</a></html>`

// hostile is text that would end a tag, an attribute or a script, or be a reference of a pattern.
var hostile = Company{
	Name:         `Acme & "Sons" </script><script>alert(2)</script> $1 ${2}`,
	Address:      "<b>Unter den Linden</b> 1'\n10117 Berlin \\n",
	SupportEmail: "help+eu@acme.example",
}

func companySite(t *testing.T, company Company) *Site {
	t.Helper()
	content := built()
	for _, name := range []string{"index.html", "__spa-fallback.html"} {
		content[name] = &fstest.MapFile{Data: []byte(footer)}
		content[name+".br"] = &fstest.MapFile{Data: []byte("the sample, in brotli")}
		content[name+".gz"] = &fstest.MapFile{Data: []byte("the sample, in gzip")}
	}
	site, err := New(content, slog.New(slog.DiscardHandler), nil, company)
	if err != nil {
		t.Fatal(err)
	}
	return site
}

// TestPagesNameWhoRunsThem: to people and to the scripts the same, as text and nothing else.
func TestPagesNameWhoRunsThem(t *testing.T) {
	site := companySite(t, hostile)
	for _, at := range []string{"/", "/dashboard"} {
		page := ask(site, http.MethodGet, at).Body.String()
		if strings.Contains(page, "Lindenstrasse") || strings.Contains(page, "support@nightbell") || !strings.Contains(page, "sales@nightbell.example") {
			t.Errorf("%s keeps the sample, or loses what was not set: %s", at, page)
		}
		if strings.Count(page, "<script>") != 1 || strings.Contains(page, "<b>") {
			t.Errorf("%s holds a tag of the settings: %s", at, page)
		}
		for _, want := range []string{
			`data-company="name">` + html.EscapeString(hostile.Name) + `</span>`,
			`data-company="address">` + html.EscapeString(hostile.Address) + `</span>`,
			`href="mailto:help+eu@acme.example"`,
		} {
			// A plus is escaped as a number, which a browser reads back.
			if !strings.Contains(strings.ReplaceAll(page, "&#43;", "+"), want) {
				t.Errorf("%s lacks %s: %s", at, want, page)
			}
		}
		var said Company
		meta := companyMeta.FindStringSubmatch(page)
		want := hostile
		want.SalesEmail = "sales@nightbell.example"
		if err := json.Unmarshal([]byte(html.UnescapeString(meta[1])), &said); err != nil || said != want {
			t.Errorf("%s tells the scripts %+v, want %+v (%v)", at, said, want, err)
		}
	}
}

// TestChangedPagesAreNewInEveryForm: no built form of the sample is sent, and no tag of it is kept.
func TestChangedPagesAreNewInEveryForm(t *testing.T) {
	sample, changed := companySite(t, Company{}), companySite(t, hostile)
	if got := ask(sample, http.MethodGet, "/", "Accept-Encoding", "br").Body.String(); got != "the sample, in brotli" {
		t.Errorf("without settings: %q", got)
	}
	plain := ask(changed, http.MethodGet, "/")
	zipped := ask(changed, http.MethodGet, "/", "Accept-Encoding", "gzip, br")
	if zipped.Header().Get("Content-Encoding") != "gzip" || zipped.Header().Get("Content-Length") != strconv.Itoa(zipped.Body.Len()) {
		t.Fatalf("headers %v over %d bytes", zipped.Header(), zipped.Body.Len())
	}
	reader, err := gzip.NewReader(zipped.Body)
	if err != nil {
		t.Fatal(err)
	}
	if read, err := io.ReadAll(reader); err != nil || !bytes.Equal(read, plain.Body.Bytes()) {
		t.Errorf("the two forms differ: %s (%v)", read, err)
	}
	if tag := ask(sample, http.MethodGet, "/").Header().Get("ETag"); tag == plain.Header().Get("ETag") {
		t.Error("the changed page has the tag of the sample")
	}
	if again := ask(changed, http.MethodGet, "/", "Accept-Encoding", "gzip", "If-None-Match", zipped.Header().Get("ETag")); again.Code != http.StatusNotModified {
		t.Errorf("the same page again: %d", again.Code)
	}
	if head := ask(changed, http.MethodHead, "/"); head.Body.Len() != 0 || head.Header().Get("Content-Length") != strconv.Itoa(len(plain.Body.String())) {
		t.Errorf("HEAD: %d bytes, headers %v", head.Body.Len(), head.Header())
	}
	if policy := plain.Header().Get("Content-Security-Policy"); !strings.Contains(policy, "script-src 'self' "+alertHash+";") {
		t.Errorf("the policy %s", policy)
	}
}

// TestWritingTheCompanyCosts tells what it adds to a start with the site that is compiled in.
func TestWritingTheCompanyCosts(t *testing.T) {
	for _, company := range []Company{{}, hostile} {
		start := time.Now()
		site, err := New(Built(), slog.New(slog.DiscardHandler), nil, company)
		if err != nil {
			t.Fatal(err)
		}
		pages := 0
		for _, known := range site.files {
			if known.written != nil {
				pages++
			}
		}
		t.Logf("%d pages written, %.1f ms", pages, time.Since(start).Seconds()*1000)
	}
}

func TestPostalAddress(t *testing.T) {
	for given, want := range map[string]string{
		"": "", " ; ": "", "Lindenstrasse 14; 10969 Berlin, Germany": "Lindenstrasse 14\n10969 Berlin, Germany", "a\nb;": "a\nb",
	} {
		if got, err := ParsePostalAddress(given); err != nil || got != want {
			t.Errorf("%q became %q (%v), want %q", given, got, err, want)
		}
	}
}
