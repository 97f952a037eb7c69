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
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/google/uuid"

	"github.com/nightbell/nightbell/api/internal/alert"
	"github.com/nightbell/nightbell/api/internal/kernel/fault"
)

const (
	goodKey  = "nbs_4f0c1d2e3b4a59687786950413223140"
	otherKey = "nbs_00000000000000000000000000000000" // of another organization
)

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

var (
	aRoute     = Route{OrgID: uuid.New(), ServiceID: uuid.New(), ServiceName: "checkout", Grouping: "group"}
	otherRoute = Route{OrgID: uuid.New(), ServiceID: uuid.New(), ServiceName: "search", Grouping: "group"}
)

func (d *desk) Find(_ context.Context, key string) (Route, error) {
	if d.findErr != nil {
		return Route{}, d.findErr
	}
	switch key {
	case goodKey:
		return aRoute, nil
	case otherKey:
		return otherRoute, nil
	}
	return Route{}, ErrUnknownKey
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
	status := map[fault.Kind]int{fault.Invalid: 400, fault.NotFound: 404, fault.WrongVerb: 405, fault.TooLarge: 413, fault.Unsupported: 415, fault.Unavailable: 503}[known.Kind]
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

// One entry that could be read made the answer 200, and nobody heard of the other.
func TestWhatCannotBeReadAmongAlertsOpensAnIncident(t *testing.T) {
	d := newDesk()
	body := `{"version":"4","alerts":[{"status":"resolved","labels":{"alertname":"A"}}, {"status":"firing","labels":"alertname=DBDOWN"}]}`
	got := d.post(t, goodKey, strings.NewReader(body), "User-Agent", "curl/8")
	if got.status != http.StatusOK || got.Message != "Accepted 1 alert. 1 could not be read; an incident says so." {
		t.Errorf("got %+v", got)
	}
	want := `prometheus: 1 of 2 entries of "alerts" have no labels, annotations or fingerprint.`
	if len(d.batches) != 1 || len(d.undecodable) != 1 || d.undecodable[0] != want {
		t.Errorf("committed %d, unreadable %q", len(d.batches), d.undecodable)
	}
	if kept := string(d.kept); kept != `{"status":"firing","labels":"alertname=DBDOWN"}` {
		t.Errorf("kept %q", kept)
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
		{"unknown key", "nbs_other", twoAlerts, 404, "service_key_not_found", 0},
		{"not JSON", goodKey, "status=firing", 400, "invalid_json", 1},
		{"custom payload", goodKey, `{"text":"it burns"}`, 400, "unknown_alert_format", 1},
		{"empty list", goodKey, `{"alerts":[]}`, 400, "no_alerts", 0},
		{"empty body", goodKey, ``, 400, "body_empty", 0},
		{"spaces only", goodKey, " \r\n\t", 400, "body_empty", 0},
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
		{"unknown", []byte(twoAlerts), "br", 415},
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
	for range parsedAtOnce {
		h.parsing <- struct{}{}
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
	<-h.parsing
	for range 3 { // the place is given back each time
		if got := post(large, t.Context()); got != http.StatusOK {
			t.Errorf("a place: got %d", got)
		}
	}
}

// stalled is a body of which so much has arrived, and no more until it is let go.
type stalled struct {
	sent   io.Reader
	waits  chan<- struct{}
	letGo  <-chan struct{}
	waited bool
}

func (s *stalled) Read(into []byte) (int, error) {
	n, err := s.sent.Read(into)
	if n > 0 || !errors.Is(err, io.EOF) {
		return n, nil
	}
	if !s.waited {
		s.waited = true
		s.waits <- struct{}{}
	}
	<-s.letGo
	return 0, io.EOF
}

// Four bodies that stalled after 256 KiB used to take all places until they timed out.
func TestStalledBodiesBlockNoLargeOnes(t *testing.T) {
	d := newDesk()
	waits, letGo := make(chan struct{}), make(chan struct{})
	var stalling sync.WaitGroup
	for range 16 {
		stalling.Go(func() {
			d.post(t, goodKey, &stalled{sent: strings.NewReader(twoAlerts + strings.Repeat(" ", smallBody)), waits: waits, letGo: letGo})
		})
		<-waits
	}
	for _, key := range []string{otherKey, goodKey} {
		if got := d.post(t, key, strings.NewReader(twoAlerts+strings.Repeat(" ", 2*smallBody))); got.status != http.StatusOK {
			t.Errorf("beside stalled bodies: got %+v", got)
		}
	}
	close(letGo)
	stalling.Wait()
	if len(d.batches) != 18 {
		t.Errorf("%d of 18 messages were committed", len(d.batches))
	}
}

// What arrives is bounded too, and one organization leaves room for the others.
func TestStalledBodiesTakeABoundedShareOfMemory(t *testing.T) {
	d := newDesk()
	waits, letGo := make(chan struct{}), make(chan struct{})
	var stalling sync.WaitGroup
	body := twoAlerts + strings.Repeat(" ", maxBody-len(twoAlerts)-1)
	refused := make(chan answer, 16)
	var arrived int
	for range 8 {
		stalling.Go(func() {
			if got := d.post(t, goodKey, &stalled{sent: strings.NewReader(body), waits: waits, letGo: letGo}); got.status != http.StatusOK {
				refused <- got
			}
		})
		select {
		case <-waits:
			arrived++
		case got := <-refused:
			if got.status != http.StatusServiceUnavailable || got.header.Get("Retry-After") == "" {
				t.Errorf("got %+v", got)
			}
		}
	}
	if arrived*maxBody > arrivingBytes/2+maxBody {
		t.Errorf("%d bodies of 8 MiB wait for their last byte", arrived)
	}
	if got := d.post(t, otherKey, strings.NewReader(body)); got.status != http.StatusOK {
		t.Errorf("another organization: got %+v", got)
	}
	close(letGo)
	stalling.Wait()
}
