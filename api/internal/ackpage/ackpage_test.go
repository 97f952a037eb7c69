package ackpage

import (
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/base64"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"maps"
	"net/http"
	"net/http/httptest"
	"net/url"
	"regexp"
	"strings"
	"testing"
	"testing/iotest"
	"time"

	"github.com/google/uuid"

	"github.com/nightbell/nightbell/api/internal/alert"
	"github.com/nightbell/nightbell/api/internal/incident"
	"github.com/nightbell/nightbell/api/internal/kernel/fault"
	"github.com/nightbell/nightbell/api/internal/notify"
	"github.com/nightbell/nightbell/api/internal/respond"
)

var (
	key    = bytes.Repeat([]byte{1}, 32)
	now    = time.Date(2026, 11, 21, 3, 12, 0, 0, time.UTC)
	claims = notify.AckClaims{OrgID: uuid.New(), DeliveryID: uuid.New(), UserID: uuid.New(), Expires: now.Add(time.Hour)}
)

// desk is an acknowledger that counts what it was asked.
type desk struct {
	paged           respond.Paged
	looked, acted   int
	seen            map[uuid.UUID]alert.Severity
	lookErr, actErr error
}

func (d *desk) LinkedPage(_ context.Context, got notify.AckClaims) (respond.Paged, error) {
	d.looked++
	if got != claims {
		return respond.Paged{}, fmt.Errorf("claims %+v", got)
	}
	return d.paged, d.lookErr
}

func (d *desk) AcknowledgeLinked(_ context.Context, got notify.AckClaims, seen map[uuid.UUID]alert.Severity) error {
	d.acted, d.seen = d.acted+1, seen
	if d.actErr != nil || got != claims {
		return d.actErr
	}
	for i := range d.paged.Incidents {
		if d.paged.Incidents[i].Status == incident.Triggered {
			d.paged.Incidents[i].Status, d.paged.Incidents[i].AcknowledgedBy = incident.Acknowledged, d.paged.PersonName
			d.paged.Incidents[i].AcknowledgedAt = now
		}
	}
	return nil
}

func told(title string, severity alert.Severity, status incident.Status, by string) respond.PagedIncident {
	return respond.PagedIncident{
		ID: uuid.MustParse("01900000-0000-7000-8000-00000000c41e"), Number: 7, Title: title, Severity: severity, Status: status,
		ServiceName: "Checkout API", TriggeredAt: now.Add(-4 * time.Minute), AcknowledgedBy: by, AcknowledgedAt: now.Add(-time.Minute), ResolvedAt: now.Add(-2 * time.Minute),
	}
}

func oneOpen() *desk {
	return &desk{paged: respond.Paged{Now: now, PersonName: "Mara Lindqvist", Incidents: []respond.PagedIncident{
		told("Checkout payments failing in eu-west-1", alert.Critical, incident.Triggered, ""),
	}}}
}

func ask(d *desk, method, token string, header http.Header) *httptest.ResponseRecorder {
	h := New(Options{Logger: slog.New(slog.DiscardHandler), Acknowledger: d, Key: key, PublicURL: "https://public.example"})
	request := httptest.NewRequest(method, "https://nightbell.example/ack/"+token, nil)
	if header == nil { // as a browser
		header = http.Header{"Sec-Fetch-Site": {"same-origin"}}
	}
	maps.Copy(request.Header, header)
	answer := httptest.NewRecorder()
	h.ServeHTTP(answer, request)
	return answer
}

func TestOpeningChangesNothing(t *testing.T) {
	d := oneOpen()
	token := notify.MintAck(key, claims)
	for _, method := range []string{http.MethodGet, http.MethodHead, http.MethodGet} {
		answer := ask(d, method, token, nil)
		if answer.Code != http.StatusOK {
			t.Fatalf("%s: %d", method, answer.Code)
		}
		if method == http.MethodHead && answer.Body.Len() != 0 {
			t.Error("HEAD has a body")
		}
	}
	for _, method := range []string{http.MethodPut, http.MethodDelete, http.MethodOptions, http.MethodPatch} {
		if answer := ask(d, method, token, nil); answer.Code != http.StatusMethodNotAllowed {
			t.Errorf("%s: %d", method, answer.Code)
		}
	}
	if d.acted != 0 {
		t.Errorf("opening the page acted %d times", d.acted)
	}
}

func TestTheButtonActs(t *testing.T) {
	d := oneOpen()
	token := notify.MintAck(key, claims)
	before := ask(d, http.MethodGet, token, nil).Body.String()
	for _, text := range []string{">Acknowledge</button>", "Checkout payments failing in eu-west-1", "Critical", "#c41e", "Checkout API", "since 03:08 UTC, 4 minutes ago", "You answer as Mara Lindqvist"} {
		if !strings.Contains(before, text) {
			t.Errorf("the page lacks %q", text)
		}
	}
	answer := ask(d, http.MethodPost, token, http.Header{"Sec-Fetch-Site": {"same-origin"}, "Origin": {"null"}})
	if answer.Code != http.StatusSeeOther || answer.Header().Get("Location") != "/ack/"+token || d.acted != 1 {
		t.Fatalf("%d to %q, acted %d", answer.Code, answer.Header().Get("Location"), d.acted)
	}
	after := ask(d, http.MethodGet, token, nil).Body.String()
	if !strings.Contains(after, "<h1>You have it</h1>") || strings.Contains(after, "<button") || !strings.Contains(after, "by Mara Lindqvist at 03:12 UTC") {
		t.Errorf("after the button:\n%s", after)
	}
}

// The severity may rise between the look and the press.
func TestTheButtonSaysWhatThePageShowed(t *testing.T) {
	d := oneOpen()
	token := notify.MintAck(key, claims)
	shown := ask(d, http.MethodGet, token, nil).Body.String()
	field := regexp.MustCompile(`<input type="hidden" name="seen" value="([^"]*)">`).FindStringSubmatch(shown)
	if field == nil {
		t.Fatalf("the form says nothing:\n%s", shown)
	}
	for body, want := range map[string]map[uuid.UUID]alert.Severity{
		url.Values{"seen": {field[1]}}.Encode(): {d.paged.Incidents[0].ID: alert.Critical},
		"seen=nonsense&seen=":                   {},
		"%zz":                                   {},
		"":                                      {},
	} {
		request := httptest.NewRequest(http.MethodPost, "https://nightbell.example/ack/"+token, strings.NewReader(body))
		request.Header.Set("Content-Type", "application/x-www-form-urlencoded")
		request.Header.Set("Sec-Fetch-Site", "same-origin")
		answer := httptest.NewRecorder()
		New(Options{Logger: slog.New(slog.DiscardHandler), Acknowledger: d, Key: key, PublicURL: "https://public.example"}).ServeHTTP(answer, request)
		if answer.Code != http.StatusSeeOther || !maps.Equal(d.seen, want) {
			t.Errorf("%q: %d, saw %v", body, answer.Code, d.seen)
		}
	}
}

// TestHalfAFormActsOnNothing: what it lacks is not known, and a form that names nothing would be one for all of the message.
func TestHalfAFormActsOnNothing(t *testing.T) {
	half := "seen=" + oneOpen().paged.Incidents[0].ID.String()
	for name, brokeOff := range map[string]io.Reader{
		"at once":  iotest.ErrReader(io.ErrUnexpectedEOF),
		"half way": io.MultiReader(strings.NewReader(half), iotest.ErrReader(io.ErrUnexpectedEOF)),
	} {
		d := oneOpen()
		request := httptest.NewRequest(http.MethodPost, "https://nightbell.example/ack/"+notify.MintAck(key, claims), brokeOff)
		request.Header.Set("Content-Type", "application/x-www-form-urlencoded")
		request.Header.Set("Sec-Fetch-Site", "same-origin")
		answer := httptest.NewRecorder()
		New(Options{Logger: slog.New(slog.DiscardHandler), Acknowledger: d, Key: key, PublicURL: "https://public.example"}).ServeHTTP(answer, request)
		if answer.Code != http.StatusBadRequest || d.acted != 0 {
			t.Errorf("broken off %s: %d, acted %d", name, answer.Code, d.acted)
		}
	}
}

func TestWhoHasItIsSaid(t *testing.T) {
	for _, c := range []struct {
		incidents []respond.PagedIncident
		title     string
		button    string
	}{
		{[]respond.PagedIncident{told("a", alert.Low, incident.Acknowledged, "Bob")}, "Bob has it", ""},
		{[]respond.PagedIncident{told("a", alert.Low, incident.Resolved, "Bob")}, "It is resolved", ""},
		{[]respond.PagedIncident{told("a", alert.Low, incident.Triggered, ""), told("b", alert.Low, incident.Triggered, "")}, "2 of 2 incidents need somebody", "Acknowledge all 2"},
		{[]respond.PagedIncident{told("a", alert.Low, incident.Triggered, ""), told("b", alert.Low, incident.Resolved, "")}, "1 of 2 incidents needs somebody", "Acknowledge"},
		{[]respond.PagedIncident{told("a", alert.Low, incident.Acknowledged, "Bob"), told("b", alert.Low, incident.Resolved, "")}, "All 2 incidents are answered", ""},
	} {
		page := ask(&desk{paged: respond.Paged{Now: now, PersonName: "Mara", Incidents: c.incidents}}, http.MethodGet, notify.MintAck(key, claims), nil).Body.String()
		if !strings.Contains(page, "<h1>"+c.title+"</h1>") || strings.Contains(page, "<button") != (c.button != "") || !strings.Contains(page, c.button) {
			t.Errorf("want %q and %q:\n%s", c.title, c.button, page)
		}
	}
}

func TestAResolvedIncidentSaysWhen(t *testing.T) {
	got := newRow(told("a", alert.Low, incident.Resolved, "Bob"), now)
	if sentence := got.StatusWord + " " + got.Since; sentence != "Resolved at 03:10 UTC" {
		t.Error(sentence)
	}
}

func TestManyAreCounted(t *testing.T) {
	d := &desk{paged: respond.Paged{Now: now, PersonName: "Mara"}}
	for range 3000 {
		d.paged.Incidents = append(d.paged.Incidents, told("a", alert.High, incident.Triggered, ""))
	}
	page := ask(d, http.MethodGet, notify.MintAck(key, claims), nil).Body.String()
	if !strings.Contains(page, "Acknowledge all 3000") || !strings.Contains(page, "and 2950 more.") {
		t.Error("the counts are not exact")
	}
}

func TestLinksThatDoNotWork(t *testing.T) {
	good := notify.MintAck(key, claims)
	for _, c := range []struct{ name, token, says string }{
		{"cut off", good[:50], "This link does not work."},
		{"altered", strings.Replace(good, good[20:24], "AAAA", 1), "This link does not work."},
		{"another key", notify.MintAck(bytes.Repeat([]byte{2}, 32), claims), "This link does not work."},
		{"empty", "", "This link does not work."},
		{"markup", "%3Cscript%3E", "This link does not work."},
	} {
		for _, method := range []string{http.MethodGet, http.MethodPost} {
			d := oneOpen()
			answer := ask(d, method, c.token, nil)
			if answer.Code != http.StatusNotFound || !strings.Contains(answer.Body.String(), c.says) || d.looked+d.acted != 0 {
				t.Errorf("%s %s: %d, asked %d times", method, c.name, answer.Code, d.looked+d.acted)
			}
		}
	}
}

// TestOnlyAFormOfThePageActs: a scanner that posts to a link must not end the paging of an
// incident, nor must a foreign page. Browsers say Origin without Sec-Fetch over plain HTTP and
// when they are old; a sandboxed foreign page says "null".
func TestOnlyAFormOfThePageActs(t *testing.T) {
	for _, c := range []struct {
		header http.Header
		ok     bool
	}{
		{http.Header{"Sec-Fetch-Site": {"same-origin"}}, true},
		{http.Header{"Sec-Fetch-Site": {"same-origin"}, "Origin": {"null"}}, true},
		{http.Header{"Sec-Fetch-Site": {"cross-site"}}, false},
		{http.Header{"Sec-Fetch-Site": {"same-site"}, "Origin": {"https://nightbell.example"}}, false},
		{http.Header{"Origin": {"https://nightbell.example"}}, true},
		{http.Header{"Origin": {"https://evil.example"}}, false},
		{http.Header{"Origin": {"https://nightbell.example.evil.example"}}, false},
		{http.Header{"Origin": {"https://public.example"}}, true}, // the proxy in front sent another Host
		{http.Header{"Origin": {"null"}}, false},
		{http.Header{"Origin": {""}}, false},
		{http.Header{}, false},
	} {
		d := oneOpen()
		answer := ask(d, http.MethodPost, notify.MintAck(key, claims), c.header)
		if (d.acted == 1) != c.ok || (answer.Code == http.StatusForbidden) == c.ok {
			t.Errorf("%v: %d, acted %d", c.header, answer.Code, d.acted)
		}
	}
}

func TestFailuresAreSentences(t *testing.T) {
	for _, c := range []struct {
		err    error
		status int
	}{
		{respond.ErrLinkSpent, http.StatusNotFound},
		{respond.ErrLinkExpired, http.StatusNotFound},
		{fault.New(fault.Conflict, "x", "It is resolved already."), http.StatusConflict},
		{fault.New(fault.Unavailable, "x", "Try again."), http.StatusServiceUnavailable},
		{errors.New("pq: secret detail"), http.StatusServiceUnavailable},
	} {
		d := oneOpen()
		d.lookErr, d.actErr = c.err, c.err
		for _, method := range []string{http.MethodGet, http.MethodPost} {
			answer := ask(d, method, notify.MintAck(key, claims), nil)
			if answer.Code != c.status || strings.Contains(answer.Body.String(), "secret") || !strings.Contains(answer.Body.String(), "<h1>") {
				t.Errorf("%s with %v: %d\n%s", method, c.err, answer.Code, answer.Body)
			}
		}
	}
}

func TestPagesAreSafe(t *testing.T) {
	attack := `</h1><script>alert(1)</script><img src=x onerror=alert(1)>"` + "\u202e\x00"
	d := &desk{paged: respond.Paged{Now: now, PersonName: attack, Incidents: []respond.PagedIncident{
		told(attack, alert.Critical, incident.Triggered, attack), told(attack, alert.High, incident.Acknowledged, attack),
	}}}
	d.paged.Incidents[0].ServiceName = attack
	answer := ask(d, http.MethodGet, notify.MintAck(key, claims), nil)
	if page := answer.Body.String(); strings.Count(page, "<script") != 1 || strings.Contains(page, "<img") || strings.Contains(page, " style=") || strings.Contains(page, "\u202e") {
		t.Errorf("markup survived:\n%s", page)
	}
	for name, want := range map[string]string{
		"Content-Security-Policy": "default-src 'none'; style-src 'self'; script-src 'sha256-" + hashOfScript(answer.Body.String()) +
			"'; connect-src 'self'; form-action 'self'; base-uri 'none'; frame-ancestors 'none'",
		"Referrer-Policy": "same-origin", "Cache-Control": "no-store", "X-Robots-Tag": "noindex, nofollow", "X-Content-Type-Options": "nosniff",
	} {
		if got := answer.Header().Get(name); got != want {
			t.Errorf("%s: %q", name, got)
		}
	}
	css := ask(d, http.MethodGet, "style.css", nil)
	if css.Code != http.StatusOK || !strings.HasPrefix(css.Header().Get("Content-Type"), "text/css") {
		t.Errorf("the style: %d %v", css.Code, css.Header())
	}
}

// hashOfScript is what a browser computes of the only script of a page.
func hashOfScript(page string) string {
	_, after, _ := strings.Cut(page, "<script>")
	text, _, _ := strings.Cut(after, "</script>")
	sum := sha256.Sum256([]byte(text))
	return base64.StdEncoding.EncodeToString(sum[:])
}
