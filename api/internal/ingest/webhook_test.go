package ingest

import (
	"bytes"
	"compress/gzip"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"os"
	"runtime"
	"runtime/debug"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/google/uuid"

	"github.com/nightbell/nightbell/api/internal/alert"
	"github.com/nightbell/nightbell/api/internal/kernel/fault"
)

const goodKey = "nbs_4f0c1d2e3b4a59687786950413223140"

// desk is the ports of a Handler and the handler itself, with what came through.
type desk struct {
	mu          sync.Mutex
	batches     []alert.Batch
	undecodable []string
	kept        []byte
	findErr     error
	acceptErr   error
	logged      bytes.Buffer
	mux         http.ServeMux
}

var aRoute = Route{OrgID: uuid.New(), ServiceID: uuid.New(), ServiceName: "checkout", Grouping: "group"}

func (d *desk) Find(_ context.Context, key string) (Route, error) {
	if d.findErr != nil {
		return Route{}, d.findErr
	}
	if key != goodKey {
		return Route{}, ErrUnknownKey
	}
	return aRoute, nil
}

func (d *desk) Accept(_ context.Context, _ Route, batch alert.Batch) error {
	d.mu.Lock()
	defer d.mu.Unlock()
	if d.acceptErr != nil {
		return d.acceptErr
	}
	d.batches = append(d.batches, batch)
	return nil
}

func (d *desk) AcceptUndecodable(_ context.Context, _ Route, sender, reason string, body []byte) error {
	d.mu.Lock()
	defer d.mu.Unlock()
	if d.acceptErr != nil {
		return d.acceptErr
	}
	d.undecodable = append(d.undecodable, sender+": "+reason)
	d.kept = bytes.Clone(body)
	return nil
}

func newDesk() *desk {
	d := &desk{}
	NewHandler(d, d, writeFault, slog.New(slog.NewTextHandler(&d.logged, nil))).Register(&d.mux)
	return d
}

// writeFault stands in for the server's own; the statuses are those of fault.Kind.
func writeFault(w http.ResponseWriter, _ *http.Request, err error) {
	known, ok := fault.Of(err)
	if !ok {
		known = fault.New(fault.Internal, "internal", "")
	}
	status := map[fault.Kind]int{fault.Invalid: 400, fault.NotFound: 404, fault.TooLarge: 413, fault.Unavailable: 503}[known.Kind]
	if status == 0 {
		status = http.StatusInternalServerError
	}
	if known.RetryAfterSeconds > 0 {
		w.Header().Set("Retry-After", fmt.Sprint(known.RetryAfterSeconds))
	}
	writeJSON(w, status, map[string]any{"code": known.Code, "message": known.Message, "details": []any{}})
}

type answer struct {
	status  int
	header  http.Header
	Code    string
	Message string
	Alerts  int
}

// post sends a body as a monitoring system would.
func (d *desk) post(t *testing.T, key string, body io.Reader, header ...string) answer {
	t.Helper()
	r := httptest.NewRequest(http.MethodPost, "/v1/webhooks/prometheus/"+key, body)
	r.Header.Set("User-Agent", "Alertmanager/0.25.0")
	for i := 0; i < len(header); i += 2 {
		r.Header.Set(header[i], header[i+1])
	}
	w := httptest.NewRecorder()
	d.mux.ServeHTTP(w, r)
	got := answer{status: w.Code, header: w.Header()}
	if err := json.Unmarshal(w.Body.Bytes(), &got); err != nil {
		t.Fatalf("the answer is not JSON: %q", w.Body)
	}
	return got
}

const twoAlerts = `{"version":"4","groupKey":"g","alerts":[
	{"status":"firing","labels":{"alertname":"A"},"fingerprint":"a"},
	{"status":"resolved","labels":{"alertname":"B"},"fingerprint":"b"}]}`

func TestAlertsAreCommittedBeforeTheAnswer(t *testing.T) {
	d := newDesk()
	got := d.post(t, goodKey, strings.NewReader(twoAlerts))
	if got.status != http.StatusOK || got.Alerts != 2 || got.Message != "Accepted 2 alerts." {
		t.Errorf("got %+v", got)
	}
	if len(d.batches) != 1 || len(d.batches[0].Alerts) != 2 {
		t.Errorf("committed %+v", d.batches)
	}
}

func TestTestButton(t *testing.T) {
	d := newDesk()
	body, err := os.ReadFile("prometheus/testdata/site_test_button.json")
	if err != nil {
		t.Fatal(err)
	}
	got := d.post(t, goodKey, bytes.NewReader(body), "User-Agent", "Mozilla/5.0")
	if got.status != http.StatusOK || got.Message != "Test alert sent successfully!" {
		t.Errorf("got %+v", got)
	}
	if got := d.post(t, goodKey, bytes.NewReader(body)); got.Message != "Accepted 1 alert." {
		t.Errorf("to Alertmanager it is not a test: %+v", got)
	}
}

func TestRefusals(t *testing.T) {
	for _, c := range []struct {
		name, key, body string
		status          int
		code            string
		undecodable     int
	}{
		{"unknown key", "nbs_other", twoAlerts, 404, "unknown_service_key", 0},
		{"not JSON", goodKey, "status=firing", 400, "body_not_json", 1},
		{"custom payload", goodKey, `{"text":"it burns"}`, 400, "unknown_alert_format", 1},
		{"empty list", goodKey, `{"alerts":[]}`, 400, "no_alerts", 0},
		{"empty body", goodKey, ``, 400, "body_not_json", 1},
		{"too large", goodKey, strings.Repeat(" ", maxBody+1), 413, "body_too_large", 1},
	} {
		t.Run(c.name, func(t *testing.T) {
			d := newDesk()
			got := d.post(t, c.key, strings.NewReader(c.body))
			if got.status != c.status || got.Code != c.code || got.Message == "" {
				t.Errorf("got %+v", got)
			}
			if len(d.undecodable) != c.undecodable || len(d.batches) != 0 {
				t.Errorf("kept %q, committed %v", d.undecodable, d.batches)
			}
			if len(d.kept) > keptBytes {
				t.Errorf("kept %d bytes", len(d.kept))
			}
		})
	}
}

func TestWrongMethod(t *testing.T) {
	d := newDesk()
	for _, method := range []string{http.MethodGet, http.MethodDelete, http.MethodPatch} {
		w := httptest.NewRecorder()
		d.mux.ServeHTTP(w, httptest.NewRequest(method, "/v1/webhooks/prometheus/"+goodKey, nil))
		if w.Code != http.StatusMethodNotAllowed || w.Header().Get("Allow") != "POST, PUT" || !json.Valid(w.Body.Bytes()) {
			t.Errorf("%s: got %d %s", method, w.Code, w.Body)
		}
	}
}

func TestFailuresAreRetried(t *testing.T) {
	away := errors.New("connection refused")
	for name, prepare := range map[string]func(*desk){
		"key look-up":   func(d *desk) { d.findErr = away },
		"commit":        func(d *desk) { d.acceptErr = away },
		"commit, fault": func(d *desk) { d.acceptErr = fault.New(fault.Unavailable, "database_away", "Try again.") },
		"rate limit":    func(d *desk) { d.acceptErr = fault.New(fault.Limited, "slow_down", "Slow down.").After(9) },
		"bug":           func(d *desk) { d.acceptErr = fault.New(fault.Internal, "internal", "Oops.") },
	} {
		t.Run(name, func(t *testing.T) {
			d := newDesk()
			prepare(d)
			for _, body := range []string{twoAlerts, "not even JSON"} {
				got := d.post(t, goodKey, strings.NewReader(body))
				if got.status != http.StatusServiceUnavailable || got.header.Get("Retry-After") == "" {
					t.Errorf("%s: got %+v", body, got)
				}
			}
		})
	}
}

func TestTheKeyIsNeverLogged(t *testing.T) {
	d := newDesk()
	d.post(t, goodKey, strings.NewReader("not JSON"))
	d.post(t, goodKey, strings.NewReader(twoAlerts))
	if text := d.logged.String(); strings.Contains(text, goodKey) || !strings.Contains(text, "alerts could not be read") {
		t.Errorf("logged: %s", text)
	}
}

func TestAPanickingParserLosesNothing(t *testing.T) {
	d := newDesk()
	h := NewHandler(d, d, writeFault, slog.New(slog.DiscardHandler))
	d.mux.Handle("/broken/{service_key}", h.webhook(sender{name: "broken", parse: func([]byte) (alert.Batch, error) {
		panic("index out of range")
	}}))
	w := httptest.NewRecorder()
	d.mux.ServeHTTP(w, httptest.NewRequest(http.MethodPost, "/broken/"+goodKey, strings.NewReader("real alert")))
	if w.Code != http.StatusBadRequest || string(d.kept) != "real alert" {
		t.Errorf("got %d, kept %q", w.Code, d.kept)
	}
}

func TestGzip(t *testing.T) {
	d := newDesk()
	for _, c := range []struct {
		name     string
		body     []byte
		encoding string
		status   int
	}{
		{"packed", packed(t, twoAlerts), "gzip", 200},
		{"bomb", packed(t, strings.Repeat(" ", 100<<20)), "gzip", 413},
		{"cut", packed(t, twoAlerts)[:30], "gzip", 400},
		{"not gzip", []byte(twoAlerts), "gzip", 400},
		{"plain", []byte(twoAlerts), "identity", 200},
		{"unknown", []byte(twoAlerts), "br", 400},
	} {
		if got := d.post(t, goodKey, bytes.NewReader(c.body), "Content-Encoding", c.encoding); got.status != c.status {
			t.Errorf("%s: got %+v", c.name, got)
		}
	}
	if len(d.batches) != 2 || len(d.undecodable) != 4 {
		t.Errorf("committed %d, kept %q", len(d.batches), d.undecodable)
	}
}

func packed(tb testing.TB, text string) []byte {
	tb.Helper()
	var b bytes.Buffer
	w := gzip.NewWriter(&b)
	if _, err := io.WriteString(w, text); err != nil {
		tb.Fatal(err)
	}
	if err := w.Close(); err != nil {
		tb.Fatal(err)
	}
	return b.Bytes()
}

// TestABrokenConnectionIsNoAlert: what did not arrive will be sent again, so nobody
// is paged about half a body.
func TestABrokenConnectionIsNoAlert(t *testing.T) {
	d := newDesk()
	body := io.MultiReader(strings.NewReader(`{"alerts":[`), brokenReader{})
	if got := d.post(t, goodKey, body); got.status != http.StatusServiceUnavailable || len(d.undecodable) != 0 {
		t.Errorf("got %+v, kept %q", got, d.undecodable)
	}
}

type brokenReader struct{}

func (brokenReader) Read([]byte) (int, error) { return 0, io.ErrUnexpectedEOF }

// TestLargeBodiesTakeTurns: while all places are taken, large bodies are sent away
// to try again and small ones pass.
func TestLargeBodiesTakeTurns(t *testing.T) {
	d := newDesk()
	h := NewHandler(d, d, writeFault, slog.New(slog.DiscardHandler))
	var mux http.ServeMux
	h.Register(&mux)
	for range largeBodies {
		h.large <- struct{}{}
	}
	large := twoAlerts + strings.Repeat(" ", smallBody)
	post := func(body string, ctx context.Context) int {
		w := httptest.NewRecorder()
		mux.ServeHTTP(w, httptest.NewRequestWithContext(ctx, http.MethodPost, "/v1/webhooks/prometheus/"+goodKey, strings.NewReader(body)))
		return w.Code
	}
	gone, cancel := context.WithTimeout(t.Context(), 10*time.Millisecond)
	defer cancel()
	if got := post(large, gone); got != http.StatusServiceUnavailable {
		t.Errorf("no place: got %d", got)
	}
	if got := post(twoAlerts, t.Context()); got != http.StatusOK {
		t.Errorf("small: got %d", got)
	}
	<-h.large
	for range 3 { // the place is given back each time
		if got := post(large, t.Context()); got != http.StatusOK {
			t.Errorf("a place: got %d", got)
		}
	}
}

// TestHostileBodies is T06 of the reliability plan: whatever a stranger with a key
// sends is answered with 2xx or 4xx and is either committed or kept, and no body
// makes the process grow by 64 MiB beyond what the test itself holds.
func TestHostileBodies(t *testing.T) {
	for _, c := range hostileBodies {
		t.Run(c.name, func(t *testing.T) {
			body := c.body(t)
			var header []string
			if c.gzip {
				header = []string{"Content-Encoding", "gzip"}
			}
			d := newDesk()
			debug.FreeOSMemory()
			before := resident()
			got := d.post(t, goodKey, strings.NewReader(body), header...)
			grown := resident() - before
			t.Logf("grew by %d MiB", grown>>20)
			if grown > memoryFactor*64<<20 {
				t.Errorf("grew by %d MiB", grown>>20)
			}
			if got.status != c.status {
				t.Errorf("got %+v", got)
			}
			if len(d.batches)+len(d.undecodable) != 1 {
				t.Errorf("committed %d, kept %d", len(d.batches), len(d.undecodable))
			}
			for _, batch := range d.batches {
				if _, err := json.Marshal(batch); err != nil || len(batch.Alerts) > 10_000 {
					t.Errorf("%d alerts, %v", len(batch.Alerts), err)
				}
			}
		})
	}
}

// resident is how many bytes of memory this process holds. What was freed is only
// given back on request, so that it is also the most it held since.
func resident() int {
	var stats runtime.MemStats
	runtime.ReadMemStats(&stats)
	return int(stats.Sys - stats.HeapReleased)
}

type hostileBody struct {
	name   string
	body   func(testing.TB) string
	status int
	gzip   bool
}

var hostileBodies = []hostileBody{
	{name: "one byte too many", body: repeat("", "x", maxBody+1, ""), status: 413},
	{name: "largest, only spaces", body: repeat("", " ", maxBody, ""), status: 400},
	{name: "gzip bomb of 1 GiB", body: bomb, gzip: true, status: 413},
	{name: "100,000 alerts", body: repeat(`{"alerts":[`, `{"fingerprint":"f"},`, 99_999, `{}]}`), status: 200},
	{name: "2,700,000 alerts", body: repeat(`{"alerts":[`, `{},`, 2_700_000, `{}]}`), status: 400},
	{name: "10,000 labels", body: manyLabels(10_000), status: 200},
	{name: "400,000 labels", body: manyLabels(400_000), status: 200},
	{name: "400,000 times one label", body: inAlert(repeat(`"labels":{`, `"a":"v",`, 400_000, `"z":""}`)), status: 200},
	{name: "label of 1 MiB", body: inAlert(repeat(`"labels":{"a":"`, "x", 1<<20, `"}`)), status: 200},
	{name: "label name of 1 MiB", body: inAlert(repeat(`"labels":{"`, "x", 1<<20, `":"a"}`)), status: 200},
	{name: "7 MiB of escapes", body: inAlert(repeat(`"labels":{"a":"`, `\u00e9`, 1_200_000, `"}`)), status: 200},
	{name: "7 MiB of backslashes", body: inAlert(repeat(`"labels":{"a":"`, `\\`, 3_600_000, `"}`)), status: 200},
	{name: "group key of 1 MiB", body: repeat(`{"groupKey":"`, "g", 1<<20, `","alerts":[{"fingerprint":"f"}]}`), status: 200},
	{name: "fingerprint of 1 MiB", body: repeat(`{"alerts":[{"fingerprint":"`, "g", 1<<20, `"}]}`), status: 200},
	{name: "depth 9,990", body: inAlert(repeat(`"labels":{"a":`, "[", 9_990, strings.Repeat("]", 9_990)+"}")), status: 200},
	{name: "depth 8,000,000", body: repeat("", "[", 8_000_000, ""), status: 400},
	{name: "duplicate keys", body: inAlert(exactly(`"labels":{"a":"1","a":"2"},"labels":{"a":"3"}`)), status: 200},
	{name: "invalid UTF-8", body: inAlert(exactly("\"labels\":{\"a\xc3\":\"\xff\xfe\"}")), status: 200},
	{name: "escaped NUL", body: inAlert(exactly(`"labels":{"a\u0000":"b\u0000"}`)), status: 200},
	{name: "raw NUL", body: inAlert(exactly("\"labels\":{\"a\":\"\x00\"}")), status: 400},
	{name: "bidi and zero width", body: inAlert(exactly(`"annotations":{"summary":"\u202eevil\u200b\u2066"}`)), status: 200},
	{name: "half a surrogate", body: inAlert(exactly(`"labels":{"a":"\ud800"}`)), status: 200},
	{name: "control characters", body: inAlert(exactly(`"annotations":{"summary":"a\r\nBcc: b@example.com\u001b[31m"}`)), status: 200},
	{name: "year 2038", body: inAlert(exactly(`"startsAt":"2038-01-19T03:14:08Z"`)), status: 200},
	{name: "year 10000 in UTC", body: inAlert(exactly(`"startsAt":"9999-12-31T23:59:59-12:00"`)), status: 200},
	{name: "year -1 in UTC", body: inAlert(exactly(`"startsAt":"0000-01-01T00:00:00+14:00"`)), status: 200},
	{name: "NaN", body: inAlert(exactly(`"values":{"A":NaN}`)), status: 400},
	{name: "huge number", body: inAlert(exactly(`"labels":{"a":1e999999}`)), status: 200},
	{name: "numbers for strings", body: inAlert(exactly(`"status":1,"labels":{"severity":5},"startsAt":0,"generatorURL":7`)), status: 200},
	{name: "strings for objects", body: inAlert(exactly(`"labels":"a","annotations":[1]`)), status: 200},
	{name: "negative truncation", body: exactly(`{"truncatedAlerts":-5,"alerts":[{"fingerprint":"f"}]}`), status: 200},
	{name: "endless truncation", body: exactly(`{"truncatedAlerts":1e300,"alerts":[{"fingerprint":"f"}]}`), status: 200},
	{name: "XML", body: exactly(`<?xml version="1.0"?><alerts/>`), status: 400},
	{name: "UTF-16", body: exactly("\xff\xfe{\x00}\x00"), status: 400},
}

// The bodies are built when their turn comes, so that the test holds one at a time.

func exactly(text string) func(testing.TB) string {
	return func(testing.TB) string { return text }
}

func repeat(before, text string, times int, after string) func(testing.TB) string {
	return func(testing.TB) string { return before + strings.Repeat(text, times) + after }
}

func inAlert(fields func(testing.TB) string) func(testing.TB) string {
	return func(tb testing.TB) string {
		tb.Helper()
		return `{"alerts":[{"fingerprint":"f",` + fields(tb) + `}]}`
	}
}

func manyLabels(n int) func(testing.TB) string {
	return inAlert(func(testing.TB) string {
		var b strings.Builder
		b.WriteString(`"labels":{`)
		for i := range n {
			fmt.Fprintf(&b, `"label_%d":"v",`, i)
		}
		return b.String() + `"z":""}`
	})
}

// bomb is 64 gzip members of 16 MiB each, in a megabyte.
func bomb(tb testing.TB) string {
	tb.Helper()
	return strings.Repeat(string(packed(tb, strings.Repeat("\x00", 16<<20))), 64)
}

// BenchmarkHandler sends over real connections to a server that commits nothing.
// "closed" is as fast as answers come back; "open" keeps to a timetable whether
// they do or not, and counts a request's time from when it was due.
func BenchmarkHandler(b *testing.B) {
	b.Run("closed/alerts=1", func(b *testing.B) { benchmarkClosed(b, 1) })
	b.Run("closed/alerts=100", func(b *testing.B) { benchmarkClosed(b, 100) })
	b.Run("open/5000-a-second", func(b *testing.B) { benchmarkOpen(b, 5000) })
}

func benchmarkClosed(b *testing.B, alerts int) {
	b.Helper()
	send := startServer(b, alerts)
	b.SetParallelism(16)
	b.ReportAllocs()
	b.ResetTimer()
	b.RunParallel(func(pb *testing.PB) {
		for pb.Next() {
			send()
		}
	})
	b.ReportMetric(float64(b.N)/b.Elapsed().Seconds(), "requests/s")
}

func benchmarkOpen(b *testing.B, rate int) {
	b.Helper()
	send := startServer(b, 1)
	took := make([]time.Duration, b.N)
	var group sync.WaitGroup
	b.ResetTimer()
	start := time.Now()
	for i := range b.N {
		due := start.Add(time.Duration(i) * time.Second / time.Duration(rate))
		time.Sleep(time.Until(due))
		group.Go(func() {
			send()
			took[i] = time.Since(due)
		})
	}
	group.Wait()
	slices.Sort(took)
	b.ReportMetric(float64(b.N)/b.Elapsed().Seconds(), "requests/s")
	b.ReportMetric(float64(took[b.N/2].Microseconds())/1000, "p50-ms")
	b.ReportMetric(float64(took[b.N*99/100].Microseconds())/1000, "p99-ms")
}

// startServer returns a function that sends one message of so many alerts.
func startServer(b *testing.B, alerts int) (send func()) {
	b.Helper()
	keys := NewCachedKeys(func(context.Context, KeyHash) (Route, error) { return aRoute, nil }, time.Now)
	var mux http.ServeMux
	NewHandler(keys, nothing{}, writeFault, slog.New(slog.DiscardHandler)).Register(&mux)
	server := httptest.NewServer(&mux)
	b.Cleanup(server.Close)
	one := `{"status":"firing","labels":{"alertname":"HighErrorRate","instance":"web-1","severity":"critical"},` +
		`"annotations":{"summary":"5xx above 5 %"},"startsAt":"2026-11-21T08:25:38.98Z","fingerprint":"e7ec7c95c14b24e8"}`
	body := `{"version":"4","groupKey":"g","alerts":[` + strings.Repeat(one+",", alerts-1) + one + `]}`
	client := &http.Client{Transport: &http.Transport{MaxIdleConnsPerHost: 256}}
	return func() {
		response, err := client.Post(server.URL+"/v1/webhooks/prometheus/"+goodKey, "application/json", strings.NewReader(body))
		if err != nil {
			b.Error(err)
			return
		}
		_, _ = io.Copy(io.Discard, response.Body)
		response.Body.Close()
		if response.StatusCode != http.StatusOK {
			b.Errorf("status %d", response.StatusCode)
		}
	}
}

type nothing struct{}

func (nothing) Accept(context.Context, Route, alert.Batch) error { return nil }

func (nothing) AcceptUndecodable(context.Context, Route, string, string, []byte) error { return nil }
